//! Which mutants tests catch, compared with brute force: a test catches a mutant if the exchange word that
//! the mutant shows is none of the model, or if the mutant refuses what the model takes.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use trapline_budget::Budget;
use trapline_engine::ENGINES;
use trapline_engine::possible::{Exchange, Outputs};
use trapline_exec::mutants::{Options, Outcome, play};
use trapline_exec::script::Script;
use trapline_exec::tester::Tester;
use trapline_goals::mutate::Mutants;
use trapline_goals::visibility::implementation;
use trapline_goals::visibility::widen::faulty;
use trapline_goals::winnow::Wishes;
use trapline_goals::{GoalSet, derive};
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Role, roles};
use trapline_suite::evaluate::{Method, evaluate};
use trapline_suite::evidence::Evidence;
use trapline_testkit::brute_force::Values;
use trapline_testkit::exchanges::{Exchanges, n_valuations};
use trapline_testkit::{random, random_constraints, read};

/// A run of a mutant: the states that it may be in, which differ only in inputs that are not sent yet, and
/// those that the model may be in.
type Run = (BTreeSet<Values>, BTreeSet<Values>);

/// Does some run of a mutant fail a test, and do all?
struct Fails {
    some: bool,
    all: bool,
}

fn fails(truth: &Exchanges<'_>, mutant: &Exchanges<'_>, script: &Script) -> Fails {
    let mut fails = Fails { some: false, all: true };
    let mut runs: BTreeSet<Run> = BTreeSet::from([(BTreeSet::new(), BTreeSet::new())]);
    for (idx, planned) in script.paths[0].exchanges.iter().enumerate() {
        let sent = Exchange { inputs: planned.inputs.clone(), outputs: Outputs::new() };
        let step = |of: &Exchanges<'_>, states: &BTreeSet<Values>, exchange: &Exchange| match idx {
            0 => of.start(exchange),
            _ => of.step(states, exchange),
        };
        let mut next = BTreeSet::new();
        for (states, possible) in runs {
            let mut offers = truth.offers(&possible).into_values();
            let is_enabled = match idx {
                0 => !truth.start(&sent).is_empty(),
                _ => offers.all(|offer| offer.contains(&planned.inputs)),
            };
            if !is_enabled {
                fails.all = false;
                continue;
            }
            let answers = step(mutant, &states, &sent);
            fails.some |= answers.is_empty();
            for class in classes(mutant, answers) {
                let state = class.first().cloned().expect("a class has states");
                let outputs = mutant.ports.shown(&State { values: state });
                // A definition without a value is an output that is missing.
                let is_shown = |output| outputs.iter().any(|(shown, _)| *shown == output);
                let is_whole = planned.outputs.iter().all(|(output, _)| is_shown(*output));
                let exchange = Exchange { inputs: planned.inputs.clone(), outputs };
                let possible = step(truth, &possible, &exchange);
                if possible.is_empty() || !is_whole {
                    fails.some = true;
                } else {
                    next.insert((class, possible));
                }
            }
        }
        runs = next;
    }
    fails.all &= runs.is_empty();
    fails
}

/// States that differ only in inputs which leave them are one choice.
fn classes(mutant: &Exchanges<'_>, states: BTreeSet<Values>) -> Vec<BTreeSet<Values>> {
    let mut classes: BTreeMap<Values, BTreeSet<Values>> = BTreeMap::new();
    for state in states {
        let key = mutant.ports.settled(&State { values: state.clone() }).values;
        classes.entry(key).or_default().insert(state);
    }
    classes.into_values().collect()
}

#[derive(Debug, Default)]
struct Counts {
    n_played: usize,
    n_caught: usize,
    n_missed: usize,
    n_inconclusive: usize,
    /// Those with choices that matter.
    n_open: usize,
    n_claimed: usize,
}

struct Case<'a> {
    truth: &'a Exchanges<'a>,
    scripts: &'a [Script],
    what: &'a str,
}

/// Copies with more valuations are not compared: brute force tries all pairs of them.
const MAX_VALUATIONS: u64 = 200;

fn check_outcome(case: &Case<'_>, mutated: &Model, outcome: &Outcome, counts: &mut Counts) {
    if n_valuations(mutated) > MAX_VALUATIONS {
        return;
    }
    let Some(mutant) = Exchanges::new(mutated) else { return };
    let all: Vec<Fails> =
        case.scripts.iter().map(|script| fails(case.truth, &mutant, script)).collect();
    let (some, every) = (all.iter().any(|it| it.some), all.iter().any(|it| it.all));
    counts.n_played += 1;
    counts.n_open += usize::from(some != every);
    match outcome {
        Outcome::Caught(it) => {
            counts.n_caught += 1;
            assert!(all[it.test].some, "{it:?}\n{}", case.what);
        }
        Outcome::Missed => {
            counts.n_missed += 1;
            assert!(!every, "{}", case.what);
        }
        Outcome::Inconclusive(why) => {
            counts.n_inconclusive += 1;
            assert!(!every, "{why}\n{}", case.what);
        }
        Outcome::Invalid(_) | Outcome::Environment => counts.n_played -= 1,
    }
}

fn check(rng: &mut Rng, set: &GoalSet, counts: &mut Counts, what: &str) {
    let model = implementation(&set.model);
    let Some(truth) = Exchanges::new(&model) else { return };
    let Some(traces) = (0..3).map(|_| truth.walk(rng, 6)).collect::<Option<Vec<Trace>>>() else {
        return;
    };
    let budget = Budget::unlimited();
    let tester = Tester::new(&model, &budget);
    let scripts: Vec<Script> =
        traces.iter().map(|trace| Script::new(tester.ports(), &model, "t", &[trace])).collect();
    let found = evaluate(set, &traces, Method::Native, Wishes::default(), &ENGINES[1], &budget);
    for list in &set.mutants {
        let options = Options { seed: rng.u64(..), n_jobs: rng.usize(1..3), ..Options::default() };
        let outcomes = play(&model, list, &scripts, &options, &budget);
        for (mutant, outcome) in list.list.iter().zip(&outcomes) {
            let id = mutant.id(&list.subjects);
            let outcome = outcome.as_ref().expect("there is no limit");
            let what = format!("{id}: {outcome:?}\n{what}");
            let case = Case { truth: &truth, scripts: &scripts, what: &what };
            let mutated = faulty(mutant.apply(&list.subjects, &model));
            check_outcome(&case, &mutated, outcome, counts);
            let goal = set.goals.iter().position(|goal| goal.id == id);
            let evidence = goal.map(|goal| &found.goals[goal].evidence);
            if let Some(Evidence::Outputs(_)) = evidence {
                counts.n_claimed += 1;
                assert!(matches!(outcome, Outcome::Caught(_)), "{what}");
            }
        }
    }
}

fn mutants_of(model: &Model) -> GoalSet {
    derive(model, &["mutation"], &trapline_goals::Options::default())
}

#[test]
fn what_is_caught_leaves_the_words_of_the_model() {
    let mut counts = Counts::default();
    for seed in 0..120 {
        let mut rng = Rng::with_seed(seed);
        let options = random::Options { is_wild: false, max_states: 16 };
        let text = match seed % 3 {
            0 => random_constraints::random_model(&mut rng).text,
            _ => random::random_model(&mut rng, options).text,
        };
        let mut model = read(&text, &[]).0;
        roles::guess(&mut model);
        let hides = rng.bool();
        for var in model.vars.iter_mut().filter(|var| var.role == Role::Output) {
            if hides && rng.bool() {
                var.role = Role::Internal;
            }
        }
        check(&mut rng, &mutants_of(&model), &mut counts, &format!("seed {seed}\n{text}"));
    }
    let Counts { n_played, n_caught, n_missed, n_inconclusive, n_open, n_claimed } = counts;
    assert!(n_played > 3_000 && n_caught > 500 && n_missed > 500, "{counts:?}");
    assert!(n_inconclusive > 100 && n_open > 100 && n_claimed > 100, "{counts:?}");
}

/// Inputs determine everything, and all is seen.
const COUNTER: &str = "MODULE main
VAR up : boolean; clear : boolean; n : 0..3; full : boolean;
ASSIGN
  init(n) := 0;
  next(n) := case clear : 0; up & n < 3 : n + 1; TRUE : n; esac;
  init(full) := FALSE;
  next(full) := n = 2 & up & !clear | full & !clear;";

#[test]
fn without_choices_what_is_caught_is_what_is_shown_at_the_outputs() {
    let mut model = read(COUNTER, &[]).0;
    roles::guess(&mut model);
    let set = mutants_of(&model);
    let played = implementation(&set.model);
    let truth = Exchanges::new(&played).expect("every rule has a value");
    let budget = Budget::unlimited();
    let tester = Tester::new(&played, &budget);
    let (mut n_caught, mut n_missed) = (0, 0);
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let traces = [truth.walk(&mut rng, 5).expect("there are paths")];
        let scripts = traces.each_ref().map(|it| Script::new(tester.ports(), &played, "t", &[it]));
        let found =
            evaluate(&set, &traces, Method::Native, Wishes::default(), &ENGINES[1], &budget);
        let list: &Mutants = &set.mutants[0];
        let outcomes = play(&played, list, &scripts, &Options::default(), &budget);
        for (mutant, outcome) in list.list.iter().zip(outcomes) {
            let id = mutant.id(&list.subjects);
            let goal = set.goals.iter().position(|goal| goal.id == id).expect("each has a goal");
            let is_shown = matches!(found.goals[goal].evidence, Evidence::Outputs(_));
            let is_caught = matches!(outcome, Some(Outcome::Caught(_)));
            assert_eq!(is_caught, is_shown, "{id} {outcome:?} {:?}", found.goals[goal].evidence);
            *if is_caught { &mut n_caught } else { &mut n_missed } += 1;
        }
    }
    assert!(n_caught > 300 && n_missed > 100, "{n_caught} {n_missed}");
}
