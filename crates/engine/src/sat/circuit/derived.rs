//! Derived variables: those that the others of the same state determine, `x := e`. They need no
//! latches, and nothing has to be proved about how they change.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::dependency::support;
use trapline_model::{AssignKind, ExprId, Model, VarId, VarKind};

use crate::code::{Coder, Compiled};
use crate::functional::is_within;

/// The derived variables with their definitions, in dependency order.
pub fn derived(model: &Model, kept: &[VarId]) -> Vec<(VarId, ExprId)> {
    let mut coder = Coder::new(model);
    let mut waiting: FxHashMap<VarId, (ExprId, Vec<VarId>)> = FxHashMap::default();
    for assign in &model.assigns {
        let declared = model.var(assign.var);
        let is_derived = assign.kind == AssignKind::Current
            && declared.kind == VarKind::State
            && kept.binary_search(&assign.var).is_ok()
            && is_within(model, assign.expr, &declared.domain)
            && has_value(&mut coder, assign.expr);
        if is_derived {
            let reads = support(model, [assign.expr]).current;
            waiting.insert(assign.var, (assign.expr, reads));
        }
    }
    in_order(kept, waiting)
}

/// True if it always has exactly one value.
fn has_value(coder: &mut Coder, expr: ExprId) -> bool {
    let code = coder.compile(expr, false);
    code.is_ok_and(|code| {
        matches!(code.value, Compiled::One(_)) && coder.as_const(code.fails) == Some(0)
    })
}

/// Cyclic definitions are left out.
fn in_order(
    kept: &[VarId],
    waiting: FxHashMap<VarId, (ExprId, Vec<VarId>)>,
) -> Vec<(VarId, ExprId)> {
    let mut order = Vec::new();
    let mut stack: Vec<(VarId, bool)> = kept.iter().rev().map(|&var| (var, false)).collect();
    let (mut begun, mut done) = (FxHashSet::default(), FxHashSet::default());
    while let Some((var, is_read)) = stack.pop() {
        let Some((expr, reads)) = waiting.get(&var) else { continue };
        if !is_read {
            if begun.insert(var) {
                stack.push((var, true));
                stack.extend(reads.iter().map(|&read| (read, false)));
            }
        } else if reads.iter().all(|read| !waiting.contains_key(read) || done.contains(read)) {
            done.insert(var);
            order.push((var, *expr));
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapline_testkit::read;

    /// The names of the variables that need no bits, in order.
    fn names(rules: &str) -> Vec<String> {
        let vars = "MODULE main VAR x : 0..3; y : 0..3; z : 0..3; b : boolean; e : {p, q};
            FROZENVAR f : 0..3;\n";
        let (model, _) = read(&format!("{vars}{rules}"), &[]);
        let kept: Vec<VarId> = model.var_ids().map(|(var, _)| var).collect();
        derived(&model, &kept).iter().map(|(var, _)| model.var(*var).name.to_string()).collect()
    }

    #[test]
    fn what_others_determine_is_derived() {
        assert_eq!(names("ASSIGN x := y; b := x > z; e := b ? p : q;"), ["x", "b", "e"]);
        assert_eq!(names("ASSIGN x := f; y := 2;"), ["x", "y"]);
    }

    #[test]
    fn what_is_read_comes_first() {
        assert_eq!(names("ASSIGN x := y; y := z; z := b ? 1 : 2;"), ["z", "y", "x"]);
        assert_eq!(names("DEFINE d := z; ASSIGN x := d; z := y;"), ["z", "x"]);
    }

    #[test]
    fn what_has_a_choice_or_a_memory_is_not() {
        assert!(names("ASSIGN x := {y, 1}; y := 0..2;").is_empty());
        assert!(names("ASSIGN init(x) := y; next(y) := z;").is_empty());
        assert!(names("INVAR x = y").is_empty());
    }

    #[test]
    fn what_may_have_no_value_is_not() {
        assert!(names("ASSIGN x := y + 1;").is_empty());
        assert!(names("ASSIGN x := y / z;").is_empty());
        assert!(names("ASSIGN x := case b : 1; esac;").is_empty());
        assert_eq!(names("ASSIGN x := y + 1; z := x > 1 ? 1 : 2;"), ["z"]);
    }

    #[test]
    fn what_the_question_leaves_out_is_not() {
        let (model, _) = read("MODULE main VAR x : boolean; y : boolean; ASSIGN x := y;", &[]);
        let [x, y] = [0, 1].map(VarId);
        assert_eq!(derived(&model, &[x, y]).len(), 1);
        assert_eq!(derived(&model, &[y]), []);
    }
}
