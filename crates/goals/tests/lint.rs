//! Dead logic: what is reported is dead, as trying everything says, and what is dead is reported.

use std::collections::BTreeSet;

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES};
use trapline_goals::GoalKind;
use trapline_goals::lint::{by_reachability, by_types};
use trapline_model::eval::{Cell, evaluate};
use trapline_model::{Reads, Value};

use trapline_testkit::brute_force::{Explorer, Values};
use trapline_testkit::random::{self, random_model};
use trapline_testkit::read;

use crate::mutants::behaviour;

fn codes(text: &str) -> Vec<(&'static str, String)> {
    let (model, _) = read(text, &[]);
    let found = by_reachability(&model, &ENGINES[0], &Budget::unlimited());
    assert_eq!(found.n_undecided, 0);
    let all = by_types(&model).into_iter().chain(found.warnings);
    let at = |span: trapline_source::Span| &text[span.start as usize..span.end as usize];
    all.map(|warning| (warning.code, at(warning.labels[0].span).to_string())).collect()
}

fn is_true(cell: Cell) -> bool {
    matches!(cell, Cell::Value(Value::Bool(true)))
}

#[test]
fn what_is_reported_of_random_models_is_dead() {
    let mut rng = Rng::with_seed(15);
    let (mut n_never, mut n_constant) = (0, 0);
    for _ in 0..60 {
        let options = random::Options { is_wild: false, max_states: 24 };
        let text = random_model(&mut rng, options).text;
        let (model, _) = read(&text, &[]);
        let found = by_reachability(&model, &ENGINES[0], &Budget::unlimited());
        let mut extended = model.clone();
        // The questions are expressions of a model that was extended by them.
        extended.exprs = found.exprs.clone();
        let known = behaviour(&model);
        for never in &found.never {
            let none = Vec::new();
            let is_met = match never {
                GoalKind::Initial(expr) => {
                    known.initial.iter().any(|s| is_true(evaluate(&extended, *expr, s, &none)))
                }
                GoalKind::State(expr) => {
                    known.states.iter().any(|s| is_true(evaluate(&extended, *expr, s, &none)))
                }
                GoalKind::Step(expr) => {
                    known.steps.iter().any(|(a, b)| is_true(evaluate(&extended, *expr, a, b)))
                }
                _ => panic!("another kind"),
            };
            assert!(
                !is_met,
                "{}\n{text}",
                extended.show_expr(match never {
                    GoalKind::Initial(expr) | GoalKind::State(expr) | GoalKind::Step(expr) => *expr,
                    _ => panic!("another kind"),
                })
            );
            n_never += 1;
        }
        for warning in by_types(&model).iter().filter(|w| w.code == "constant-comparison") {
            let mut parts = warning.message.split('`').skip(1);
            let (shown, truth) = (parts.next().unwrap_or(""), warning.message.ends_with("true"));
            let (again, exprs) = read(&text, &[shown]);
            if again.exprs.info(exprs[0]).reads.any(Reads::STEP) {
                continue;
            }
            let states: BTreeSet<Values> = Explorer::new(&again).states().into_iter().collect();
            let holds = |state: &Values| is_true(evaluate(&again, exprs[0], state, &[]));
            assert!(states.iter().all(|state| holds(state) == truth), "{shown}\n{text}");
            n_constant += 1;
        }
    }
    assert!(n_never > 20, "{n_never} never, {n_constant} constant");
}

#[test]
fn every_kind_of_dead_logic_is_found() {
    let text = "MODULE main
VAR n : 0..3; m : {a, b, c}; x : boolean;
DEFINE never := n = 3 & x;
ASSIGN
  init(n) := 0; next(n) := n < 2 ? n + 1 : 0;
  init(m) := a;
  next(m) := case
    n = 7 : b;
    n > 2 : c;
    n <= 2 & x : b;
    x | !x : m;
    TRUE : a;
    x : c;
  esac;
";
    let found = codes(text);
    let expected = [
        ("constant-comparison", "n = 7"),
        ("branch-after-true", "x : c"),
        ("constant-condition", "n = 3 & x"),
        ("dead-branch", "n = 7"),
        ("dead-branch", "n > 2"),
        ("constant-condition", "n <= 2"),
        ("dead-default", "TRUE"),
        ("dead-branch", "x"),
    ];
    let expected = expected.map(|(code, at)| (code, at.to_string()));
    assert_eq!(found, expected);
}

#[test]
fn what_only_some_instances_never_do_is_not_dead() {
    let text = "MODULE main
VAR a : cell(yes); b : cell(no); yes : boolean; no : boolean;
ASSIGN yes := TRUE; no := FALSE;
MODULE cell(on)
VAR n : 0..1;
ASSIGN init(n) := 0; next(n) := case on & n = 0 : 1; TRUE : 0; esac;
";
    assert_eq!(codes(text), []);
    let single = text.replace(" b : cell(no);", "");
    assert_eq!(codes(&single), [("constant-condition", "on".to_string())]);
}
