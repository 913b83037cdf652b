//! Boolean expressions lose their constants, and nothing else.

use trapline_model::VarId;
use trapline_testkit::read;

#[test]
fn constants_vanish() {
    let (mut model, _) = read("MODULE main VAR a : boolean;", &[]);
    let a = model.var_expr(VarId(0));
    let exprs = &mut model.exprs;
    let (yes, no) = (exprs.bool(true), exprs.bool(false));
    let not_a = exprs.not(a);
    assert_eq!(exprs.not(not_a), a);
    for (x, y, both, any, different, follows) in [
        (yes, a, a, yes, not_a, a),
        (a, yes, a, yes, not_a, yes),
        (no, a, no, a, a, yes),
        (a, no, no, a, a, not_a),
        (yes, no, no, yes, yes, no),
    ] {
        assert_eq!(exprs.and(x, y), both);
        assert_eq!(exprs.or(x, y), any);
        assert_eq!(exprs.xor(x, y), different);
        assert_eq!(exprs.implies(x, y), follows);
        let same = exprs.not(different);
        assert_eq!(exprs.iff(x, y), same);
    }
    assert_eq!([exprs.and(a, a), exprs.or(a, a), exprs.xor(a, a)], [a, a, no]);
    assert_eq!([exprs.all([]), exprs.all([yes, a])], [yes, a]);
    assert_eq!([exprs.any([]), exprs.any([no, a])], [no, a]);
    assert_eq!(exprs.ite(a, yes, no), a);
    assert_eq!(exprs.ite(yes, a, no), a);
    assert_eq!(exprs.ite(no, a, not_a), not_a);
}
