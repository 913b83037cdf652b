//! Walking: the choices of the simulator are those that trying every valuation finds.

#[path = "../../lang/tests/common/explore.rs"]
mod explore;
#[path = "../../lang/tests/common/generate.rs"]
mod generate;
#[path = "../../lang/tests/common/read.rs"]
mod read;
#[path = "../../lang/tests/common/valuations.rs"]
mod valuations;

use std::collections::BTreeSet;

use fastrand::Rng;
use trapline_engine::simulate::{Choice, Simulator};
use trapline_engine::solve::{Limits, Stop};
use trapline_model::eval::{Cell, evaluate};
use trapline_model::replay::replay;
use trapline_model::trace::{State, Trace};
use trapline_model::{ExprId, Model, Reads as ExprReads};

use explore::{Explorer, Values};
use generate::{Options, Reads, generate};
use read::read;

const N_MODELS: u64 = 1200;
const MAX_STATES: usize = 72;
/// How many states the steps of each model are looked at from.
const N_SOURCES: usize = 8;

/// A step, or an initial state with nothing before it.
type Step = (Option<Values>, Values);

fn steps(choices: &[Choice]) -> Vec<Step> {
    let step = |c: &Choice| (c.from.as_ref().map(|s| s.values.clone()), c.state.values.clone());
    choices.iter().map(step).collect()
}

/// What brute force finds, and whether it met a rule without a value.
fn truth(explorer: &Explorer, from: Option<&State>) -> (BTreeSet<Step>, bool) {
    match from {
        None => {
            let found = explorer.initial();
            let steps = found.allowed.into_iter().map(|state| (None, state));
            (steps.collect(), found.has_failure)
        }
        Some(from) => {
            let found = explorer.successors(&from.values);
            let steps = found.allowed.into_iter().map(|(from, state)| (Some(from), state));
            (steps.collect(), found.has_failure)
        }
    }
}

/// Does a constraint hold of a step: of the whole if it speaks of one, else of its end?
fn meets(model: &Model, constraint: ExprId, (from, state): &Step) -> Cell {
    let is_step = model.exprs.info(constraint).reads.any(ExprReads::NEXT.and(ExprReads::INPUT));
    match (is_step, from) {
        (false, _) => evaluate(model, constraint, state, &[]),
        (true, Some(from)) => evaluate(model, constraint, from, state),
        (true, None) => Cell::Value(trapline_model::Value::Bool(true)),
    }
}

/// The choices are exactly the true ones. A failure is reported only if there is one, and
/// certainly if there is no other answer because of it.
fn check_choices(
    model: &Model,
    from: Option<&State>,
    constraints: &[ExprId],
    true_steps: &BTreeSet<Step>,
    has_failure: bool,
    what: &str,
) {
    let simulator = Simulator::new(model);
    let limits = Limits::default();
    match simulator.choices(from, constraints, usize::MAX, &limits) {
        Ok(choices) => {
            let found = steps(&choices);
            let set: BTreeSet<Step> = found.iter().cloned().collect();
            assert_eq!(set.len(), found.len(), "no choice comes twice\n{what}");
            assert_eq!(&set, true_steps, "from {from:?}\n{what}");
            for max in [0, 1, 2, 5] {
                let some = simulator.choices(from, constraints, max, &limits);
                let some = some.expect("fewer choices are no harder");
                assert_eq!(some.len(), max.min(found.len()), "{what}");
                assert_eq!(steps(&some), found[..some.len()], "{what}");
            }
        }
        Err(Stop::Failure { .. }) => assert!(has_failure, "nothing fails\n{what}"),
        Err(stop) => panic!("{stop:?}\n{what}"),
    }
}

/// Random steps are members of the choices.
fn check_random(model: &Model, from: Option<&State>, truth: &BTreeSet<Step>, what: &str) {
    let simulator = Simulator::new(model);
    let limits = Limits::default();
    for seed in 0..3 {
        let mut rng = Rng::with_seed(seed);
        let choice = match from {
            None => simulator.initial(&[], &mut rng, &limits),
            Some(from) => simulator.step(from, &[], &mut rng, &limits),
        };
        match choice {
            Ok(Some(choice)) => assert!(truth.contains(&steps(&[choice])[0]), "{what}"),
            Ok(None) => assert!(truth.is_empty(), "{what}"),
            Err(Stop::Failure { .. }) => assert!(truth.is_empty(), "there was a choice\n{what}"),
            Err(stop) => panic!("{stop:?}\n{what}"),
        }
    }
}

fn check_model(seed: u64, is_wild: bool) -> usize {
    let mut rng = Rng::with_seed(seed);
    let sketch = generate(&mut rng, Options { is_wild, max_states: MAX_STATES });
    let state_constraint = sketch.boolean(&mut rng, Reads::STATE);
    let step_constraint = sketch.boolean(&mut rng, Reads::STEP);
    let what = format!("seed {seed}, with {state_constraint} and {step_constraint}\n{}", sketch.text);
    let (model, constraints) = read(&sketch.text, &[&state_constraint, &step_constraint]);
    let explorer = Explorer::new(&model);
    let mut all = explorer.states();
    rng.shuffle(&mut all);
    let sources = all.into_iter().take(N_SOURCES).map(|values| Some(State { values }));
    let mut n_steps = 0;
    for from in std::iter::once(None).chain(sources) {
        let (truth, has_failure) = truth(&explorer, from.as_ref());
        n_steps += truth.len();
        check_choices(&model, from.as_ref(), &[], &truth, has_failure, &what);
        check_random(&model, from.as_ref(), &truth, &what);
        for &constraint in &constraints {
            let meets = |step: &&Step| meets(&model, constraint, step).as_bool() == Some(true);
            let fewer: BTreeSet<Step> = truth.iter().filter(meets).cloned().collect();
            let has_failure = has_failure || is_wild;
            check_choices(&model, from.as_ref(), &[constraint], &fewer, has_failure, &what);
        }
    }
    n_steps
}

#[test]
fn the_choices_are_exactly_what_the_model_allows() {
    let n_steps: usize = (0..N_MODELS).map(|seed| check_model(seed, false)).sum();
    assert!(n_steps > 30_000, "only {n_steps} steps were looked at");
}

#[test]
fn a_failure_hides_no_choice_and_is_not_made_up() {
    let n_steps: usize = (0..N_MODELS / 2).map(|seed| check_model(1000 + seed, true)).sum();
    assert!(n_steps > 10_000, "only {n_steps} steps were looked at");
}

/// A walk of up to ten steps.
fn walk(model: &Model, seed: u64) -> Vec<State> {
    let simulator = Simulator::new(model);
    let (mut rng, limits) = (Rng::with_seed(seed), Limits::default());
    let mut states = Vec::new();
    let mut choice = simulator.initial(&[], &mut rng, &limits);
    while let Ok(Some(Choice { from, state })) = choice {
        if let (Some(from), Some(last)) = (from, states.last_mut()) {
            *last = from;
        }
        states.push(state.clone());
        if states.len() > 10 {
            break;
        }
        choice = simulator.step(&state, &[], &mut rng, &limits);
    }
    states
}

#[test]
fn a_walk_replays_and_its_seed_decides_it() {
    let mut n_long = 0;
    let mut n_differ = 0;
    for seed in 0..N_MODELS {
        let mut rng = Rng::with_seed(seed);
        let sketch = generate(&mut rng, Options { is_wild: seed % 2 == 0, max_states: 200 });
        let (model, _) = read(&sketch.text, &[]);
        let states = walk(&model, seed);
        assert_eq!(states, walk(&model, seed), "{}", sketch.text);
        n_differ += usize::from(states != walk(&model, seed + 1));
        n_long += usize::from(states.len() > 10);
        if !states.is_empty() {
            let trace = Trace { states, loop_start: None };
            assert_eq!(replay(&model, &trace), Ok(()), "{}", sketch.text);
        }
    }
    assert!(n_long > 100 && n_differ > 100, "{n_long} long walks, {n_differ} seeds that matter");
}
