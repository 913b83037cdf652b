//! Targets about parts of a model that have nothing to do with each other, each part with many
//! states: asked together they are too much, and one after the other they are not.

use trapline_engine::{Budget, Start, Verdict, auto, explicit};
use trapline_model::goal::{Judge, Target};
use trapline_model::replay::Replayer;

use trapline_testkit::read;

/// Words that change in a way that looks like chance.
const PARTS: &str = "
MODULE part(k)
VAR w : unsigned word[13]; i : boolean;
ASSIGN init(w) := 0ud13_0;
  next(w) := (w * w * k + (w >> 5) + (i ? 0ud13_7 : 0ud13_1234)) xor (w << 3);
MODULE main
VAR a : part(0ud13_3); b : part(0ud13_11);";

fn distance(verdict: &Verdict) -> Option<usize> {
    match verdict {
        Verdict::Reached { state, .. } => Some(*state),
        Verdict::Unreachable(_) => None,
        Verdict::Unknown(why) => panic!("{why:?}"),
    }
}

#[test]
fn parts_that_are_independent_are_decided_one_by_one() {
    let values = (0..12).map(|idx| idx * 653 + 17);
    let targets: Vec<String> = values
        .flat_map(|value| ["a", "b"].map(|part| format!("{part}.w = 0ud13_{value}")))
        .collect();
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let (model, exprs) = read(PARTS, &targets);
    let targets: Vec<Target> = exprs.into_iter().map(Target::State).collect();
    let budget = Budget::unlimited();
    let reached = (auto::ENGINE.reach)(&model, &targets, &Start::Initial, &budget);
    assert!(reached.log.iter().any(|line| line.starts_with("blocks of ")), "{:?}", reached.log);
    let mut n_verdicts = [0; 2];
    for (target, verdict) in targets.iter().zip(&reached.verdicts) {
        // Alone, a target is about one of the parts.
        let alone = std::slice::from_ref(target);
        let expected = (explicit::ENGINE.reach)(&model, alone, &Start::Initial, &budget);
        let expected = distance(&expected.verdicts[0]);
        let found = distance(verdict);
        assert_eq!(found.is_some(), expected.is_some(), "{target:?}");
        assert!(found >= expected, "{target:?}");
        n_verdicts[usize::from(found.is_some())] += 1;
    }
    assert!(n_verdicts.iter().all(|&count| count > 2), "{n_verdicts:?}");
    let (judge, replayer) = (Judge::new(&model, &targets), Replayer::new(&model));
    let met: Vec<_> = reached.traces.iter().map(|trace| judge.met(trace)).collect();
    assert!(reached.traces.iter().all(|trace| replayer.replay(trace).is_ok()));
    for (idx, verdict) in reached.verdicts.iter().enumerate() {
        if let Verdict::Reached { trace, state } = verdict {
            assert_eq!(met[*trace][idx], Some(*state));
        }
    }
}
