//! Walking: the choices of the simulator are those that trying every valuation finds.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::Duration;

use fastrand::Rng;
use trapline_engine::simulate::{Choice, Simulator};
use trapline_engine::solve::Stop;
use trapline_engine::{Budget, Exhausted, Limits};
use trapline_model::eval::{self, evaluate};
use trapline_model::replay::replay;
use trapline_model::trace::{State, Trace};
use trapline_model::{ExprId, Model, Reads as ExprReads, Value};

use trapline_testkit::brute_force::{Explorer, Found, Values};
use trapline_testkit::random::{Options, Reads, random_model};
use trapline_testkit::read;

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

/// What brute force finds.
fn truth(explorer: &Explorer, from: Option<&State>) -> Found<Step> {
    match from {
        None => {
            let Found { allowed, failing } = explorer.initial();
            let steps = |states: BTreeSet<Values>| states.into_iter().map(|s| (None, s)).collect();
            Found { allowed: steps(allowed), failing: steps(failing) }
        }
        Some(from) => {
            let Found { allowed, failing } = explorer.successors(&from.values);
            let steps = |pairs: BTreeSet<(Values, Values)>| {
                pairs.into_iter().map(|(from, state)| (Some(from), state)).collect()
            };
            Found { allowed: steps(allowed), failing: steps(failing) }
        }
    }
}

/// The same with one more rule.
fn constrain(model: &Model, found: &Found<Step>, constraint: ExprId) -> Found<Step> {
    let mut new = Found { allowed: BTreeSet::new(), failing: BTreeSet::new() };
    for (steps, is_failing) in [(&found.allowed, false), (&found.failing, true)] {
        for step in steps {
            match meets(model, constraint, step) {
                eval::Cell::Value(Value::Bool(false)) => {}
                eval::Cell::Value(Value::Bool(true)) if !is_failing => {
                    new.allowed.insert(step.clone());
                }
                _ => drop(new.failing.insert(step.clone())),
            }
        }
    }
    new
}

/// Does a constraint hold of a step: of the whole if it speaks of one, else of its end?
fn meets(model: &Model, constraint: ExprId, (from, state): &Step) -> eval::Cell {
    let is_step = model.exprs.info(constraint).reads.any(ExprReads::NEXT.and(ExprReads::INPUT));
    match (is_step, from) {
        (false, _) => evaluate(model, constraint, state, &[]),
        (true, Some(from)) => evaluate(model, constraint, from, state),
        (true, None) => eval::Cell::Value(Value::Bool(true)),
    }
}

/// The choices are exactly the true ones, and a failure is reported exactly if there is one in
/// a state that nothing else excludes.
fn check_choices(
    model: &Model,
    from: Option<&State>,
    constraints: &[ExprId],
    truth: &Found<Step>,
    what: &str,
) {
    for simulator in [Simulator::new(model), Simulator::new(model).by_circuit()] {
        check_choices_of(&simulator, from, constraints, truth, what);
    }
}

fn check_choices_of(
    simulator: &Simulator<'_>,
    from: Option<&State>,
    constraints: &[ExprId],
    truth: &Found<Step>,
    what: &str,
) {
    let budget = Budget::unlimited();
    match simulator.choices(from, constraints, usize::MAX, &budget) {
        Ok(choices) => {
            let found = steps(&choices);
            let set: BTreeSet<Step> = found.iter().cloned().collect();
            assert_eq!(set.len(), found.len(), "no choice comes twice\n{what}");
            assert_eq!(set, truth.allowed, "from {from:?}\n{what}");
            assert!(truth.failing.is_empty(), "{:?} fails\n{what}", truth.failing);
            for max in [0, 1, 2, 5] {
                let some = simulator.choices(from, constraints, max, &budget);
                let some = some.expect("fewer choices are no harder");
                assert_eq!(some.len(), max.min(found.len()), "{what}");
                assert_eq!(steps(&some), found[..some.len()], "{what}");
            }
        }
        Err(Stop::Failure { .. }) => {
            assert!(!truth.failing.is_empty(), "nothing fails\n{what}");
        }
        Err(stop) => panic!("{stop:?}\n{what}"),
    }
}

/// Random steps are members of the choices.
fn check_random(model: &Model, from: Option<&State>, truth: &BTreeSet<Step>, what: &str) {
    let budget = Budget::unlimited();
    let simulators = [Simulator::new(model), Simulator::new(model).by_circuit()];
    for (simulator, seed) in simulators.iter().flat_map(|it| [0, 1, 2].map(|seed| (it, seed))) {
        let mut rng = Rng::with_seed(seed);
        let choice = match from {
            None => simulator.initial(&[], &mut rng, &budget),
            Some(from) => simulator.step(from, &[], &mut rng, &budget),
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
    let sketch = random_model(&mut rng, Options { is_wild, max_states: MAX_STATES });
    let state_constraint = sketch.boolean(&mut rng, Reads::STATE);
    let step_constraint = sketch.boolean(&mut rng, Reads::STEP);
    let what =
        format!("seed {seed}, with {state_constraint} and {step_constraint}\n{}", sketch.text);
    let (model, constraints) = read(&sketch.text, &[&state_constraint, &step_constraint]);
    let explorer = Explorer::new(&model);
    let mut all = explorer.states();
    rng.shuffle(&mut all);
    let sources = all.into_iter().take(N_SOURCES).map(|values| Some(State { values }));
    let mut n_steps = 0;
    for from in std::iter::once(None).chain(sources) {
        let truth = truth(&explorer, from.as_ref());
        n_steps += truth.allowed.len();
        check_choices(&model, from.as_ref(), &[], &truth, &what);
        check_random(&model, from.as_ref(), &truth.allowed, &what);
        for &constraint in &constraints {
            let fewer = constrain(&model, &truth, constraint);
            check_choices(&model, from.as_ref(), &[constraint], &fewer, &what);
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
    let (mut rng, budget) = (Rng::with_seed(seed), Budget::unlimited());
    let mut states = Vec::new();
    let mut choice = simulator.initial(&[], &mut rng, &budget);
    while let Ok(Some(Choice { from, state })) = choice {
        if let (Some(from), Some(last)) = (from, states.last_mut()) {
            *last = from;
        }
        states.push(state.clone());
        if states.len() > 10 {
            break;
        }
        choice = simulator.step(&state, &[], &mut rng, &budget);
    }
    states
}

#[test]
fn a_walk_replays_and_its_seed_decides_it() {
    let mut n_long = 0;
    let mut n_differ = 0;
    for seed in 0..N_MODELS {
        let mut rng = Rng::with_seed(seed);
        let sketch = random_model(&mut rng, Options { is_wild: seed % 2 == 0, max_states: 200 });
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

/// The names and values of all initial states, or of what follows the first of them.
fn check(text: &str, constraint: &[&str], initial: &[&str], next: &[&str]) {
    let (model, constraints) = read(text, constraint);
    let simulator = Simulator::new(&model);
    let show = |values: &Values| -> String {
        let shown = values.iter().flatten().map(|&value| model.show(value));
        shown.collect::<Vec<_>>().join(" ")
    };
    let choices = |from: Option<&State>| {
        let choices = simulator.choices(from, &constraints, usize::MAX, &Budget::unlimited());
        choices.expect("a choice")
    };
    let first = choices(None);
    let mut shown: Vec<String> = first.iter().map(|c| show(&c.state.values)).collect();
    shown.sort();
    assert_eq!(shown, initial, "{text}");
    let Some(from) = first.first() else { return };
    let mut shown: Vec<String> = choices(Some(&from.state))
        .iter()
        .map(|c| {
            let from = c.from.as_ref().expect("a step comes from somewhere");
            format!("{} > {}", show(&from.values), show(&c.state.values))
        })
        .collect();
    shown.sort();
    assert_eq!(shown, next, "{text}");
}

#[test]
fn every_kind_of_rule_restricts_the_choices() {
    check(
        "MODULE main IVAR go : boolean; FROZENVAR f : 0..1; VAR x : 0..3;
         ASSIGN init(x) := {1, 2}; next(x) := go ? x + f : 0; INIT f = 1 INVAR x != 2",
        &[],
        &["1 1"],
        &["FALSE 1 1 > 1 0"],
    );
}

#[test]
fn a_constraint_on_one_state_is_about_the_one_that_is_looked_for() {
    let model = "MODULE main VAR x : 0..3; TRANS next(x) != x";
    check(model, &["x < 2"], &["0", "1"], &["0 > 1"]);
    check(model, &["next(x) > x + 1"], &["0", "1", "2", "3"], &["0 > 2", "0 > 3"]);
}

#[test]
fn a_model_may_have_no_initial_state_and_a_state_no_successor() {
    check("MODULE main VAR x : 0..3; INIT x > 3", &[], &[], &[]);
    check("MODULE main VAR x : 0..3; INIT x = 1 TRANS FALSE", &[], &["1"], &[]);
}

/// The failure counts only where nothing else excludes the state.
#[test]
fn a_failure_is_reported_unless_another_rule_excludes_its_state() {
    let fails = |text: &str| {
        let (model, _) = read(text, &[]);
        let choices = Simulator::new(&model).choices(None, &[], usize::MAX, &Budget::unlimited());
        matches!(choices, Err(Stop::Failure { .. }))
    };
    assert!(fails("MODULE main VAR x : 0..1; INIT 1 / x = 1"));
    assert!(fails("MODULE main VAR x : 0..1; INIT 1 / x = 1 & x < 2"));
    assert!(!fails("MODULE main VAR x : 0..1; y : 0..1; INIT 1 / x = y & x + y > 1"));
    assert!(!fails("MODULE main VAR x : 0..1; y : 0..1; INIT 1 / x = y INIT x + y > 1"));
}

/// Twelve inputs and fifteen variables that they determine, each by way of the one before it.
fn determined(is_reversed: bool) -> String {
    let inputs: String = (0..12).map(|i| format!("in{i} : 0..3; ")).collect();
    let vars: String = (0..15).map(|i| format!("v{i} : boolean; ")).collect();
    let mut assignments: Vec<String> = (0..15)
        .map(|i: usize| {
            let before = i.checked_sub(1).map_or("TRUE".into(), |last| format!("v{last}"));
            let [a, b, c] = [5 * i % 12, (7 * i + 3) % 12, (11 * i + 5) % 12];
            format!("v{i} := {before} xor (in{a} * in{b} + in{c}) mod 4 = 1;\n")
        })
        .collect();
    if is_reversed {
        assignments.reverse();
    }
    format!("MODULE main VAR {inputs}{vars}\nASSIGN {}", assignments.concat())
}

#[test]
fn what_inputs_determine_is_computed_in_whatever_order_it_is_assigned() {
    let work = |is_reversed: bool| {
        let (model, _) = read(&determined(is_reversed), &[]);
        let (simulator, budget) = (Simulator::new(&model), Budget::unlimited());
        let mut rng = Rng::with_seed(3);
        let first = simulator.initial(&[], &mut rng, &budget);
        let mut last = first.expect("no limit").expect("an initial state").state;
        for _ in 0..100 {
            let next = simulator.step(&last, &[], &mut rng, &budget);
            last = next.expect("no limit").expect("a successor").state;
        }
        // The search that enumerates must not guess what is determined either.
        let some = simulator.choices(Some(&last), &[], 10, &budget).expect("no limit");
        assert_eq!(some.len(), 10);
        budget.work()
    };
    let (forward, backward) = (work(false), work(true));
    assert!(forward < 200_000 && backward < 200_000, "{forward} and {backward} units");
}

#[test]
fn each_successor_is_as_likely_as_its_draws() {
    let (model, _) = read("MODULE main VAR x : 0..7; y : boolean; ASSIGN y := x > 3;", &[]);
    let (budget, mut rng) = (Budget::unlimited(), Rng::with_seed(1));
    for simulator in [Simulator::new(&model), Simulator::new(&model).by_circuit()] {
        let mut counts = [0; 8];
        for _ in 0..800 {
            let found = simulator.initial(&[], &mut rng, &budget);
            let Some(Value::Int(x)) = found.expect("no limit").expect("a state").state.values[0]
            else {
                unreachable!("x is an integer")
            };
            counts[x as usize] += 1;
        }
        assert!(counts.iter().all(|count| (60..=140).contains(count)), "{counts:?}");
    }
}

/// Factors of a product of two primes: hard for any search.
const HARD: &str = "MODULE main VAR a : unsigned word[31]; b : unsigned word[31];
    DEFINE p := extend(a, 31) * extend(b, 31);
    INIT p = 0ud62_1000036000099 & a > 0ud31_1 & b > 0ud31_1 & a < b";

#[test]
fn every_limit_ends_the_search_for_a_state() {
    let (model, _) = read(HARD, &[]);
    let simulator = Simulator::new(&model);
    let mut rng = Rng::with_seed(0);
    let work = Limits { work: Some(100_000), ..Limits::default() };
    let time = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    let memory = Limits { memory: Some(1), ..Limits::default() };
    let is_raised = Cell::new(0);
    let is_interrupted = || is_raised.replace(is_raised.get() + 1) > 20;
    let budgets = [
        (Budget::new(work), Exhausted::Work),
        (Budget::new(time), Exhausted::Time),
        (Budget::new(memory).with_memory(&|| 2), Exhausted::Memory),
        (Budget::unlimited().with_interrupt(&is_interrupted), Exhausted::Interrupted),
    ];
    for (budget, exhausted) in budgets {
        let found = simulator.initial(&[], &mut rng, &budget);
        assert_eq!(found, Err(Stop::Exhausted(exhausted)));
    }
}
