//! Winnowing drops what says nothing, and nothing else: compared with trying every state and step.

use std::collections::BTreeMap;

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES};
use trapline_goals::decide::{Verdict, decide};
use trapline_goals::winnow::{Reason, Wishes, winnow};
use trapline_goals::{GoalKind, Options, derive};
use trapline_model::eval::evaluate;
use trapline_model::{Model, Reads, VarKind};

use trapline_testkit::brute_force::{Explorer, Values};
use trapline_testkit::random::{self, random_model};
use trapline_testkit::read;
use trapline_testkit::valuations;

const N_MODELS: usize = 40;

/// Where goals of each kind are looked at: the initial states, all states, all steps.
struct Places {
    initial: Vec<(Values, Values)>,
    states: Vec<(Values, Values)>,
    steps: Vec<(Values, Values)>,
}

fn reachable(model: &Model) -> Places {
    let explorer = Explorer::new(model);
    let initial = explorer.initial().allowed;
    let (mut states, mut steps) = (initial.clone(), Vec::new());
    let mut open: Vec<Values> = initial.iter().cloned().collect();
    while let Some(state) = open.pop() {
        for (from, to) in explorer.successors(&state).allowed {
            if states.insert(to.clone()) {
                open.push(to.clone());
            }
            steps.push((from, to));
        }
    }
    let alone = |state: Values| (state, Values::new());
    Places {
        initial: initial.into_iter().map(alone).collect(),
        states: states.into_iter().map(alone).collect(),
        steps,
    }
}

/// The values of a goal wherever it counts.
fn signature(model: &Model, target: &GoalKind, places: &Places) -> Option<(u8, Vec<bool>)> {
    let (kind, expr, places) = match target {
        GoalKind::Initial(expr) => (0, *expr, &places.initial),
        GoalKind::State(expr) => (1, *expr, &places.states),
        GoalKind::Step(expr) => (2, *expr, &places.steps),
        _ => return None,
    };
    let value =
        |(from, to): &(Values, Values)| evaluate(model, expr, from, to).as_bool() == Some(true);
    Some((kind, places.iter().map(value).collect()))
}

/// Is a goal true in every state or step of the types?
fn is_trivial(model: &Model, target: &GoalKind) -> bool {
    let (GoalKind::Initial(expr) | GoalKind::State(expr) | GoalKind::Step(expr)) = target else {
        return false;
    };
    let all: Vec<_> = model.var_ids().map(|(id, _)| id).collect();
    let unknown = vec![None; model.vars.len()];
    let reads_next = model.exprs.info(*expr).reads.any(Reads::NEXT);
    let frozen = |now: &Values| {
        let mut next = unknown.clone();
        for (id, var) in model.var_ids().filter(|(_, var)| var.kind == VarKind::Frozen) {
            let _ = var;
            next[id.0 as usize] = now[id.0 as usize];
        }
        next
    };
    let moving: Vec<_> =
        model.var_ids().filter(|(_, var)| var.kind != VarKind::Frozen).map(|(id, _)| id).collect();
    let mut states = valuations(model, &all, &unknown);
    states.all(|now| match reads_next {
        true => valuations(model, &moving, &frozen(&now))
            .all(|next| evaluate(model, *expr, &now, &next).as_bool() == Some(true)),
        false => evaluate(model, *expr, &now, &[]).as_bool() == Some(true),
    })
}

#[test]
fn what_is_dropped_says_nothing_and_what_stays_says_something() {
    let mut rng = Rng::with_seed(21);
    let (mut n_trivial, mut n_duplicates, mut n_kept) = (0, 0, 0);
    for _ in 0..N_MODELS {
        let options = random::Options { is_wild: false, max_states: 12 };
        let sketch = random_model(&mut rng, options);
        let (model, _) = read(&sketch.text, &[]);
        let names = ["decision", "condition", "ufp", "multi", "mutation:stuck-at"];
        let mut set = derive(&model, &names, &Options::default());
        let places = reachable(&model);
        let all: BTreeMap<String, GoalKind> =
            set.goals.iter().map(|goal| (goal.id.clone(), goal.kind.clone())).collect();
        let budget = Budget::unlimited();
        let mut decided = decide(&set, &ENGINES[0], &budget);
        let verdicts = decided.verdicts.clone();
        assert!(!verdicts.iter().any(|verdict| matches!(verdict, Verdict::Unknown(_))));
        let wishes = Wishes { infeasible: true, trivial: true, duplicate: true };
        let winnowed = winnow(&mut set, &mut decided, wishes, &ENGINES[0], &budget);
        let look = |id: &str| signature(&set.model, &all[id], &places);
        for (id, _, why) in &winnowed.dropped {
            let text = format!("{id} {why:?}\n{}", sketch.text);
            let (_, seen) = look(id).expect("they are single");
            match why {
                Reason::Infeasible => assert!(!seen.contains(&true), "{text}"),
                Reason::Trivial => {
                    assert!(is_trivial(&set.model, &all[id]), "{text}");
                    n_trivial += 1;
                }
                Reason::Duplicate(first) => {
                    assert_eq!(look(id), look(first), "{text}");
                    n_duplicates += 1;
                }
            }
        }
        let mut seen = BTreeMap::new();
        for goal in &set.goals {
            let signature = look(&goal.id).expect("they are single");
            assert!(signature.1.contains(&true), "{}\n{}", goal.id, sketch.text);
            assert!(!is_trivial(&set.model, &goal.kind), "{}\n{}", goal.id, sketch.text);
            let before = seen.insert(signature, goal.id.clone());
            assert_eq!(before, None, "{}\n{}", goal.id, sketch.text);
            n_kept += 1;
        }
    }
    assert!(
        n_trivial > 10 && n_duplicates > 100 && n_kept > 50,
        "{n_trivial} {n_duplicates} {n_kept}"
    );
}
