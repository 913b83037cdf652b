//! A trap variable that latches is met where the step that sets it is, as the variable itself is.

use trapline_engine::{Budget, ENGINES, Limits};
use trapline_goals::decide::{Verdict, decide};
use trapline_goals::{GoalKind, Options, Trap, derive};
use trapline_model::{BinaryOp, Clause};
use trapline_source::Span;
use trapline_testkit::read;

const MODEL: &str = "MODULE main
VAR n : 0..4; free : boolean; mode : {a, b};
    kept : boolean; chosen : boolean; nested : boolean; never : boolean; late : boolean;
    primed : boolean; first : boolean; flips : boolean; open : boolean; reset : boolean;
ASSIGN
  init(n) := 0;
  next(n) := case free & n < 4 : n + 1; !free & n > 0 : n - 1; TRUE : n; esac;
  init(mode) := a;
  next(mode) := case n = 3 : b; TRUE : mode; esac;
  init(kept) := FALSE;   next(kept) := kept | n = 2;
  init(chosen) := FALSE; next(chosen) := case n = 3 & free : TRUE; TRUE : chosen; esac;
  init(nested) := FALSE; next(nested) := mode = b ? (n = 0 ? TRUE : nested) : nested;
  init(never) := FALSE;  next(never) := never | n = 4 & mode = a;
  init(late) := FALSE;   next(late) := !(!late & !(kept & n = 0));
  init(primed) := FALSE; next(primed) := primed | next(n) = 4;
  init(first) := TRUE;   next(first) := first | n = 2;
  init(flips) := FALSE;  next(flips) := !flips & n = 3;
  next(open) := open | n = 2;
  init(reset) := FALSE;  next(reset) := case n = 4 : FALSE; n = 2 : TRUE; TRUE : reset; esac;
";

#[test]
fn the_step_that_sets_it_is_as_near() {
    let (mut model, _) = read(MODEL, &[]);
    let mut steps = Vec::new();
    for name in
        ["kept", "chosen", "nested", "never", "late", "primed", "first", "flips", "open", "reset"]
    {
        let var = model.find_var(name).unwrap();
        let own = model.var_expr(var);
        // It says the same, and is no variable.
        let same = model.exprs.binary(BinaryOp::And, own, own);
        let trap = |name: &str, expr| {
            let clause = Clause::unwritten(expr, Span::default());
            Trap { name: name.into(), clause, claim: None }
        };
        let traps = Some(vec![trap("own", own), trap("same", same)]);
        let set = derive(&model, &["trap"], &Options { traps, ..Options::default() });
        assert!(matches!(set.goals[1].kind, GoalKind::State(_)), "{name}");
        if matches!(set.goals[0].kind, GoalKind::Step(_)) {
            steps.push(name);
        }
        let verdicts = decide(&set, &ENGINES[0], &Budget::new(Limits::default())).verdicts;
        let depths: Vec<Option<usize>> = verdicts
            .iter()
            .map(|verdict| match verdict {
                Verdict::Covered(witnesses) => Some(witnesses[0].state),
                Verdict::Infeasible(_) => None,
                other => panic!("{name}: {other:?}"),
            })
            .collect();
        assert_eq!(depths[0], depths[1], "{name}");
    }
    assert_eq!(steps, ["kept", "chosen", "nested", "never", "late", "primed"]);
}
