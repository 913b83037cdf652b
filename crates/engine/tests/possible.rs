//! Sets of possible states: both forms agree with each other and with brute force, along random
//! histories of random models with random roles and timings.

use std::collections::BTreeSet;

use fastrand::Rng;
use trapline_budget::{Budget, Limits};
use trapline_engine::Why;
use trapline_engine::possible::{Exchange, Explicit, Inputs, Listed, Output, Possible, Symbolic};
use trapline_model::trace::State;
use trapline_model::{Model, Role, Value, VarId, VarKind};
use trapline_testkit::brute_force::Values;
use trapline_testkit::exchanges::{Exchanges, random_model};
use trapline_testkit::read;

/// More than any of these models has.
const ALL: usize = 10_000;

/// Some of the things on a list.
fn some<T: Clone>(rng: &mut Rng, list: &[T]) -> Vec<T> {
    let keeps_all = rng.u8(..3) > 0;
    list.iter().filter(|_| keeps_all || rng.bool()).cloned().collect()
}

/// What might be exchanged on the way to a state, more or less.
fn exchange(rng: &mut Rng, truth: &Exchanges<'_>, inputs: Inputs, state: &Values) -> Exchange {
    let shown = truth.ports.shown(&State { values: state.clone() });
    let mut exchange = Exchange { inputs: some(rng, &inputs), outputs: some(rng, &shown) };
    if rng.u8(..8) == 0 && !exchange.outputs.is_empty() {
        let states: Vec<&Values> = truth.steps.keys().collect();
        let other = State { values: states[rng.usize(..states.len())].clone() };
        exchange.outputs = truth.ports.shown(&other);
    }
    exchange
}

fn sorted<T: Ord + Clone>(listed: &Listed<T>) -> BTreeSet<T> {
    assert!(listed.is_complete);
    let set: BTreeSet<T> = listed.list.iter().cloned().collect();
    assert_eq!(set.len(), listed.list.len(), "something is listed twice");
    set
}

/// Everything that can be asked of a set.
fn check_set<P: Possible>(
    form: &P,
    set: &P::Set,
    truth: &Exchanges<'_>,
    (states, tried): (&BTreeSet<Values>, &[Inputs]),
) {
    assert_eq!(form.n_states(set), states.len() as u128);
    assert_eq!(form.is_empty(set), states.is_empty());
    let example = form.example(set).map(|state| state.values);
    assert!(example.as_ref().map_or(states.is_empty(), |state| states.contains(state)));
    let shown = |state: &Values| truth.ports.shown(&State { values: state.clone() });
    let outputs = form.outputs(set, ALL).expect("within the budget");
    assert_eq!(sorted(&outputs), states.iter().map(shown).collect());
    let offers = truth.offers(states);
    let mut common = offers.values().cloned().reduce(|left, right| &left & &right);
    let common = common.take().unwrap_or_default();
    assert_eq!(sorted(&form.enabled(set, ALL).expect("within the budget")), common);
    let few = form.enabled(set, 1).expect("within the budget");
    assert_eq!((few.list.len(), few.is_complete), (common.len().min(1), common.len() <= 1));
    for inputs in tried {
        let has = |offer: &BTreeSet<Inputs>| {
            offer.iter().any(|full| inputs.iter().all(|input| full.contains(input)))
        };
        let is_enabled = offers.values().all(has);
        assert_eq!(form.is_enabled(set, inputs), Ok(is_enabled), "{inputs:?}");
        let exchange = Exchange { inputs: inputs.clone(), outputs: Vec::new() };
        let after = truth.step(states, &exchange);
        let allowed = form.allowed(set, inputs, ALL).expect("within the budget");
        assert_eq!(sorted(&allowed), after.iter().map(shown).collect(), "{inputs:?}");
        assert_eq!(form.is_allowed(set, &exchange), Ok(!after.is_empty()));
    }
}

/// How often something was seen.
#[derive(Debug, Default)]
struct Counts {
    n_models: usize,
    n_empty: usize,
    n_many: usize,
    n_ends: usize,
    n_refused: usize,
    n_late: usize,
    n_defines: usize,
}

fn check_model(rng: &mut Rng, model: &Model, counts: &mut Counts) {
    let Some(truth) = Exchanges::new(model) else { return };
    counts.n_models += 1;
    let is_late = |var: &&VarId| model.var(**var).kind == VarKind::State && truth.is_late(**var);
    counts.n_late += truth.ports.inputs.iter().filter(is_late).count();
    let defines = truth.ports.outputs.iter();
    counts.n_defines += defines.filter(|it| matches!(it, Output::Define(_))).count();
    let budget = Budget::unlimited();
    let explicit = Explicit::new(model, &budget);
    let symbolic = Symbolic::new(model, &budget).expect("finite");
    for _ in 0..3 {
        let first: Vec<&Values> = truth.initial.iter().collect();
        let Some(mut state) = first.get(rng.usize(..first.len().max(1))).map(|it| (*it).clone())
        else {
            return;
        };
        let inputs = truth.ports.inputs.iter().filter(|var| !truth.is_late(**var));
        let inputs = inputs.filter_map(|&var| Some((var, state[var.0 as usize]?))).collect();
        let mut said = exchange(rng, &truth, inputs, &state);
        let mut states = truth.start(&said);
        let mut list = explicit.start(&said).expect("within the budget");
        let mut set = symbolic.start(&said).expect("within the budget");
        for _ in 0..5 {
            let all = list.states.iter().map(|state| state.values.clone()).collect::<BTreeSet<_>>();
            assert_eq!(all, states, "{said:?}");
            let offers = truth.offers(&states);
            let mut tried: Vec<Inputs> = offers.values().flatten().take(6).cloned().collect();
            tried = tried.iter().map(|inputs| some(rng, inputs)).collect();
            check_set(&explicit, &list, &truth, (&states, &tried));
            check_set(&symbolic, &set, &truth, (&states, &tried));
            counts.n_empty += usize::from(states.is_empty());
            counts.n_many += usize::from(states.len() > 1);
            counts.n_ends += usize::from(offers.values().any(BTreeSet::is_empty));
            let steps = &truth.steps[&state];
            if steps.is_empty() || states.is_empty() {
                break;
            }
            let step = steps[rng.usize(..steps.len())].clone();
            said = exchange(rng, &truth, truth.inputs(&step), &step.1);
            states = truth.step(&states, &said);
            list = explicit.step(&list, &said).expect("within the budget");
            set = symbolic.step(&set, &said).expect("within the budget");
            counts.n_refused += usize::from(states.is_empty());
            state = step.1;
        }
    }
}

#[test]
fn both_forms_agree_with_brute_force() {
    let mut counts = Counts::default();
    for seed in 0..150 {
        let (mut rng, model) = random_model(seed);
        check_model(&mut rng, &model, &mut counts);
    }
    let Counts { n_models, n_empty, n_many, n_ends, n_refused, n_late, n_defines } = counts;
    assert!(n_models > 60 && n_empty > 20 && n_many > 60 && n_ends > 5, "{counts:?}");
    assert!(n_refused > 10 && n_late > 20 && n_defines > 10, "{counts:?}");
}

#[test]
fn an_input_with_the_step_decides_what_is_seen_next() {
    let text = "MODULE main VAR cmd : {go, halt}; out : 0..3; key : boolean;
         ASSIGN init(out) := 0; next(out) := case cmd = go : {1, 2}; TRUE : 0; esac;
         TRANS out = 2 -> cmd = halt
         INVAR out = 3 -> key
         -- @internal key";
    let mut model = read(text, &[]).0;
    trapline_model::roles::guess(&mut model);
    model.vars[2].role = Role::Internal;
    let budget = Budget::unlimited();
    let possible = Explicit::new(&model, &budget);
    let (cmd, out) = (VarId(0), VarId(1));
    let symbol = |name: &str| {
        let found = (0..).map(trapline_model::SymbolId);
        Value::Symbol(found.take(100).find(|id| model.symbols.name(*id) == name).expect("there"))
    };
    let seen = |number| vec![(Output::Var(out), Value::Int(number))];
    let start = possible.start(&Exchange { inputs: vec![], outputs: seen(0) }).expect("budget");
    // The command is not sent yet, and the key is hidden.
    assert_eq!(possible.n_states(&start), 4);
    let go = vec![(cmd, symbol("go"))];
    assert_eq!(possible.is_enabled(&start, &go), Ok(true));
    assert_eq!(possible.allowed(&start, &go, 10).map(|it| it.list), Ok(vec![seen(1), seen(2)]));
    let said = Exchange { inputs: go.clone(), outputs: seen(2) };
    let after = possible.step(&start, &said).expect("budget");
    assert_eq!(possible.is_enabled(&after, &go), Ok(false));
    assert_eq!(possible.is_allowed(&after, &Exchange { inputs: go, outputs: vec![] }), Ok(false));
}

#[test]
fn a_spent_budget_stops_both_forms() {
    let text = "MODULE main VAR a : 0..99; b : 0..99; c : boolean;
         ASSIGN next(c) := a > b;";
    let model = read(text, &[]).0;
    let budget = Budget::new(Limits { work: Some(1_000), ..Limits::default() });
    let explicit = Explicit::new(&model, &budget);
    assert_eq!(explicit.start(&Exchange::default()), Err(Why::Work));
    let text =
        "MODULE main VAR a : unsigned word[16]; b : unsigned word[16]; c : unsigned word[16];
         ASSIGN next(c) := a * b;";
    let model = read(text, &[]).0;
    let budget = Budget::new(Limits { work: Some(10_000), ..Limits::default() });
    assert_eq!(Symbolic::new(&model, &budget).err(), Some(Why::Work));
}
