//! What an evaluation says of faults that must show at the outputs, compared with brute force over all runs of
//! the faulty copies, and with what happens when they are executed.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use trapline_budget::Budget;
use trapline_engine::possible::{Exchange, Inputs, Outputs};
use trapline_exec::mutants::{Options, Outcome, play};
use trapline_exec::script::Script;
use trapline_exec::tester::Tester;
use trapline_goals::mutate::Mutants;
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_goals::visibility::implementation;
use trapline_goals::visibility::widen::faulty;
use trapline_goals::{GoalSet, Visibility, derive};
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, roles};
use trapline_suite::coverage::coverage_of_trees;
use trapline_testkit::brute_force::Values;
use trapline_testkit::exchanges::{Exchanges, n_valuations, random_model};
use trapline_testkit::read;

/// Copies with more valuations are not compared: brute force tries all pairs of them.
const MAX_VALUATIONS: u64 = 200;

/// A run of a copy: the ways of the test that agree with it, whether it has left all of them, the states
/// that it may be in, which differ only in inputs that are not sent yet, and those that the model may be in.
type Run = (Vec<usize>, bool, BTreeSet<Values>, BTreeSet<Values>);

/// What becomes of all runs of a copy on a test.
#[derive(Debug, Default)]
struct Runs {
    /// Some fail.
    some: bool,
    /// All fail, and the exchange in which the last one does.
    all: Option<usize>,
}

fn runs(truth: &Exchanges<'_>, copy: &Exchanges<'_>, script: &Script) -> Runs {
    let mut found = Runs::default();
    let all = (0..script.paths.len()).collect();
    let mut runs: BTreeSet<Run> = BTreeSet::from([(all, false, BTreeSet::new(), BTreeSet::new())]);
    let mut has_survived = false;
    for idx in 0.. {
        let mut next = BTreeSet::new();
        for run in runs {
            let has_left = go_on(truth, copy, script, idx, &run, &mut next);
            found.some |= has_left == Some(true);
            has_survived |= has_left.is_none();
        }
        if next.is_empty() {
            found.all = (!has_survived).then_some(idx);
            return found;
        }
        runs = next;
    }
    found
}

/// Adds where an exchange leads to. Says whether the copy may fail there; nothing if the run is over.
fn go_on(
    truth: &Exchanges<'_>,
    copy: &Exchanges<'_>,
    script: &Script,
    idx: usize,
    (paths, is_lost, states, possible): &Run,
    next: &mut BTreeSet<Run>,
) -> Option<bool> {
    let exchange_of = |path: usize| script.paths[path].exchanges.get(idx);
    let &followed = paths.iter().find(|path| exchange_of(**path).is_some())?;
    let inputs = &exchange_of(followed)?.inputs;
    let sent = Exchange { inputs: inputs.clone(), outputs: Outputs::new() };
    let after = |of: &Exchanges<'_>, states: &BTreeSet<Values>, exchange: &Exchange| match idx {
        0 => of.start(exchange),
        _ => of.step(states, exchange),
    };
    let takes = |offer: BTreeSet<Inputs>| offer.contains(inputs);
    let is_enabled = match idx {
        0 => !truth.start(&sent).is_empty(),
        _ => truth.offers(possible).into_values().all(takes),
    };
    if !is_enabled {
        return None;
    }
    let answers = after(copy, states, &sent);
    let mut fails = answers.is_empty();
    for class in classes(copy, answers) {
        let state = class.first().cloned().expect("a class has states");
        let outputs = copy.ports.shown(&State { values: state });
        let exchange = Exchange { inputs: inputs.clone(), outputs };
        let mut possible = after(truth, possible, &exchange);
        // What the model does not show, the copy must not show either, and the other way round.
        possible.retain(|state| {
            truth.ports.shown(&State { values: state.clone() }) == exchange.outputs
        });
        if possible.is_empty() {
            fails = true;
            continue;
        }
        let agreeing = paths.iter().copied().filter(|path| exchange_of(*path) == Some(&exchange));
        let agreeing: Vec<usize> = agreeing.collect();
        let is_lost = *is_lost || agreeing.is_empty();
        let paths = if is_lost { vec![followed] } else { agreeing };
        next.insert((paths, is_lost, class, possible));
    }
    Some(fails)
}

/// States that differ only in inputs which leave them are one choice.
fn classes(of: &Exchanges<'_>, states: BTreeSet<Values>) -> Vec<BTreeSet<Values>> {
    let mut classes: BTreeMap<Values, BTreeSet<Values>> = BTreeMap::new();
    for state in states {
        let key = of.ports.settled(&State { values: state.clone() }).values;
        classes.entry(key).or_default().insert(state);
    }
    classes.into_values().collect()
}

/// A path that leaves another where the model may show something else for the same inputs.
fn branch(truth: &Exchanges<'_>, rng: &mut Rng, path: &Trace) -> Option<Trace> {
    let at = rng.usize(1..path.states.len().max(2));
    let (before, after) = (path.states.get(at - 1)?, path.states.get(at)?);
    let sent = truth.ports.sent_in(before, after);
    let shown = truth.ports.shown(after);
    let is_other = |step: &&(Values, Values)| {
        let [current, next] = [&step.0, &step.1].map(|values| State { values: values.clone() });
        truth.ports.sent_in(&current, &next) == sent && truth.ports.shown(&next) != shown
    };
    let class = |values: &Values| truth.ports.settled(&State { values: values.clone() }).values;
    // The inputs of the step are part of the state that it leaves.
    let known = class(&before.values);
    let from = truth.steps.iter().filter(|(state, _)| class(state)[..] == known[..]);
    let others: Vec<&(Values, Values)> =
        from.flat_map(|(_, steps)| steps).filter(is_other).collect();
    let (current, next) = others.get(rng.usize(..others.len().max(1)))?;
    let mut states = path.states[..at - 1].to_vec();
    states.push(State { values: current.clone() });
    let mut state = next.clone();
    for _ in 0..rng.usize(..4) {
        let steps = &truth.steps[&state];
        let Some((current, next)) = steps.get(rng.usize(..steps.len().max(1))) else { break };
        states.push(State { values: current.clone() });
        state = next.clone();
    }
    states.push(State { values: state });
    Some(Trace { states, loop_start: None })
}

/// Random tests, each a path or a tree.
fn tests(truth: &Exchanges<'_>, rng: &mut Rng) -> Option<Vec<Vec<Trace>>> {
    let test = |rng: &mut Rng| {
        let trunk = truth.walk(rng, 5)?;
        let mut paths = vec![trunk];
        for _ in 0..rng.usize(..5) {
            let of = rng.usize(..paths.len());
            let other = branch(truth, rng, &paths[of]);
            paths.extend(other);
        }
        Some(paths)
    };
    (0..3).map(|_| test(rng)).collect()
}

#[derive(Debug, Default)]
struct Counts {
    n_shown: usize,
    n_hidden: usize,
    /// Those where choices decide.
    n_open: usize,
    n_trees: usize,
    /// Trees that show what their trunk alone does not.
    n_more: usize,
    n_played: usize,
}

struct Case<'a> {
    set: &'a GoalSet,
    model: &'a Model,
    truth: &'a Exchanges<'a>,
    scripts: &'a [Script],
    /// For each fault and test the exchange in which the fault shows.
    shown: &'a BTreeMap<(usize, usize), usize>,
}

fn check_fault(case: &Case<'_>, fault: usize, what: &str, counts: &mut Counts) {
    let copy = faulty(case.set.faults[fault].change.apply(case.model));
    if n_valuations(&copy) > MAX_VALUATIONS {
        return;
    }
    let Some(copied) = Exchanges::new(&copy) else { return };
    for (test, script) in case.scripts.iter().enumerate() {
        let expected = runs(case.truth, &copied, script);
        let found = case.shown.get(&(fault, test)).copied();
        let what = format!("{what}, test {test}: {}", case.set.goals[fault].id);
        assert_eq!(found, expected.all, "{what}");
        *if found.is_some() { &mut counts.n_shown } else { &mut counts.n_hidden } += 1;
        counts.n_open += usize::from(expected.some && expected.all.is_none());
        if script.paths.len() > 1 {
            counts.n_trees += 1;
            let trunk = Script { paths: script.paths[..1].to_vec(), ..script.clone() };
            let alone = runs(case.truth, &copied, &trunk).all.is_some();
            counts.n_more += usize::from(found.is_some() && !alone);
        }
    }
}

/// What is said to show is caught by every execution, and at that exchange at the latest; what can't fail
/// is not caught.
fn check_play(case: &Case<'_>, rng: &mut Rng, what: &str, counts: &mut Counts) {
    let budget = Budget::unlimited();
    for (test, script) in case.scripts.iter().enumerate() {
        for list in &case.set.mutants {
            let list: &Mutants = list;
            let options = Options { seed: rng.u64(..), n_jobs: 1, ..Options::default() };
            let scripts = std::slice::from_ref(script);
            let outcomes = play(case.model, list, scripts, &options, &budget);
            for (mutant, outcome) in list.list.iter().zip(outcomes) {
                let id = mutant.id(&list.subjects);
                let Some(goal) = case.set.goals.iter().position(|goal| goal.id == id) else {
                    continue;
                };
                let Some(&shown) = case.shown.get(&(goal, test)) else { continue };
                counts.n_played += 1;
                match outcome {
                    Some(Outcome::Caught(caught)) => {
                        assert!(caught.exchange <= shown, "{what}, test {test}: {id}");
                    }
                    outcome => panic!("{what}, test {test}: {id}: {outcome:?}"),
                }
            }
        }
    }
}

fn check(rng: &mut Rng, model: &Model, what: &str, counts: &mut Counts) {
    let options =
        trapline_goals::Options { visibility: Visibility::Duplicate, ..Default::default() };
    let set = derive(model, &["mutation"], &options);
    let model = implementation(&set.model);
    let Some(truth) = Exchanges::new(&model) else { return };
    let Some(tests) = tests(&truth, rng) else { return };
    let budget = Budget::unlimited();
    let subgoals = Subgoals::new(&set, &budget);
    let tester = Tester::new(&model, &budget);
    let script = |paths: &Vec<Trace>| {
        Script::new(tester.ports(), &model, "t", &paths.iter().collect::<Vec<_>>())
    };
    let scripts: Vec<Script> = tests.iter().map(script).collect();
    let mut trees = Vec::new();
    for paths in &tests {
        let start = trees.last().map_or(0, |tree: &std::ops::Range<usize>| tree.end);
        trees.push(start..start + paths.len());
    }
    let covered = coverage_of_trees(&subgoals, &|_| true, (&tests.concat(), &trees), &budget);
    let mut shown = BTreeMap::new();
    for (subgoal, met) in subgoals.list.iter().zip(&covered.tests) {
        let Subgoal::Fault(fault) = subgoal else { continue };
        for (path, state) in met {
            let test = trees.iter().position(|tree| tree.start == *path);
            shown.insert((*fault, test.expect("it is a trunk")), *state);
        }
    }
    let case = Case { set: &set, model: &model, truth: &truth, scripts: &scripts, shown: &shown };
    (0..set.faults.len()).for_each(|fault| check_fault(&case, fault, what, counts));
    check_play(&case, rng, what, counts);
}

#[test]
fn what_shows_leaves_the_model_on_every_run_and_is_caught() {
    let mut counts = Counts::default();
    for seed in 0..50 {
        let (mut rng, model) = random_model(seed);
        check(&mut rng, &model, &format!("seed {seed}"), &mut counts);
    }
    let Counts { n_shown, n_hidden, n_open, n_trees, n_played, .. } = counts;
    assert!(n_shown > 300 && n_hidden > 300 && n_open > 50 && n_played > 300, "{counts:?}");
    assert!(n_trees > 50, "{counts:?}");
}

/// What is chosen is seen, and decides what can be tested.
const CHOOSING: &str = "MODULE main
VAR i : boolean; j : boolean; mode : {a, b, c}; o : {x, y, z};
ASSIGN
  init(mode) := a;
  next(mode) := case i & mode = a : {b, c}; j & mode != a : a; TRUE : mode; esac;
  init(o) := x;
  next(o) := case mode = c & i & j : z; mode = b & !i & j : y; TRUE : x; esac;";

#[test]
fn trees_show_what_their_trunks_do_not() {
    let mut counts = Counts::default();
    let mut model = read(CHOOSING, &[]).0;
    roles::guess(&mut model);
    for seed in 0..40 {
        check(&mut Rng::with_seed(seed), &model, &format!("seed {seed}"), &mut counts);
    }
    let Counts { n_shown, n_trees, n_more, n_played, .. } = counts;
    assert!(n_shown > 300 && n_trees > 300 && n_more > 5 && n_played > 300, "{counts:?}");
}
