//! Fewer tests.

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES};
use trapline_goals::GoalSet;
use trapline_goals::decide::Makeable;
use trapline_goals::subgoals::Subgoals;
use trapline_model::Model;
use trapline_model::trace::{State, Trace};
use trapline_suite::minimise::{Minimised, Needed, minimise, without_prefixes};
use trapline_suite::set_cover::{Objective, Proof};
use trapline_testkit::score::makeable;

use crate::laws::judge::shown;
use crate::laws::models::{Case, Nature, case, goals, walks};

const MAX_TESTS: usize = 7;

/// Which goals any two tests show, which is all that a goal can need.
struct Table {
    all: Vec<bool>,
    two: Vec<Vec<Vec<bool>>>,
}

impl Table {
    fn new(set: &GoalSet, makeable: &Makeable, tests: &[Trace]) -> Table {
        let pair = |a: usize, b: usize| shown(set, makeable, &[tests[a].clone(), tests[b].clone()]);
        let row = |a: usize| (a..tests.len()).map(|b| pair(a, b)).collect();
        Table { all: shown(set, makeable, tests), two: (0..tests.len()).map(row).collect() }
    }

    /// Do these tests show all that all tests show?
    fn is_enough(&self, chosen: &[usize], wanted: &[usize]) -> bool {
        wanted.iter().filter(|&&goal| self.all[goal]).all(|&goal| {
            let shows = |a: usize, b: usize| self.two[a.min(b)][a.abs_diff(b)][goal];
            chosen.iter().any(|&a| chosen.iter().any(|&b| shows(a, b)))
        })
    }
}

/// The costs of the best choice, tried one by one: in tests and steps, in the order of the objective.
fn best(
    table: &Table,
    tests: &[Trace],
    wanted: &[usize],
    keep: &[usize],
    objective: Objective,
) -> (usize, usize) {
    let costs = (0..1u32 << tests.len()).filter_map(|bits| {
        let chosen: Vec<usize> = (0..tests.len()).filter(|idx| bits >> idx & 1 == 1).collect();
        let is_kept = keep.iter().all(|idx| chosen.contains(idx));
        let is_enough = is_kept && table.is_enough(&chosen, wanted);
        is_enough.then(|| cost(tests, &chosen, objective))
    });
    costs.min().expect("all of them are enough")
}

fn cost(tests: &[Trace], chosen: &[usize], objective: Objective) -> (usize, usize) {
    let n_steps = chosen.iter().map(|&idx| tests[idx].states.len() - 1).sum();
    match objective {
        Objective::FewestTests => (chosen.len(), n_steps),
        Objective::FewestSteps => (n_steps, chosen.len()),
    }
}

/// Some of so many.
fn some(rng: &mut Rng, n_all: usize) -> Vec<usize> {
    (0..n_all).filter(|_| rng.u8(..4) == 0).collect()
}

fn check_choice(
    made: &Minimised,
    tests: &[Trace],
    best: (usize, usize),
    objective: Objective,
    what: &str,
) {
    let (solution, bound) = (&made.solution, &made.solution.bound);
    let found = cost(tests, &solution.chosen, objective);
    let first_bound = match objective {
        Objective::FewestTests => bound.n_tests,
        Objective::FewestSteps => bound.n_steps,
    };
    assert!(first_bound as usize <= best.0, "{solution:?} {best:?}\n{what}");
    assert!(found.0 >= best.0, "{solution:?} {best:?}\n{what}");
    match bound.proof {
        Proof::Exact => assert_eq!(found, best, "{solution:?}\n{what}"),
        Proof::First => assert_eq!(found.0, best.0, "{solution:?}\n{what}"),
        Proof::Gap => {}
    }
}

#[test]
fn fewer_tests_show_the_same_and_no_choice_is_better() {
    let mut rng = Rng::with_seed(21);
    let (mut n_fewer, mut n_exact) = (0, 0);
    for _ in 0..100 {
        let Case { model, text } = case(&mut rng, Nature::Tame, 3);
        let set = goals(&mut rng, &model, 2);
        let n_tests = rng.usize(1..=MAX_TESTS);
        let tests = walks(&mut rng, &model, n_tests);
        let makeable = makeable(&set, &ENGINES[1], &Budget::unlimited());
        let subgoals = Subgoals::new(&set, &Budget::unlimited());
        let wanted: Vec<usize> = (0..set.goals.len()).filter(|_| rng.u8(..5) > 0).collect();
        let (goals, is_asked) = (&wanted, &|_| true);
        let needed =
            Needed { set: &set, subgoals: &subgoals, makeable: &makeable, goals, is_asked };
        let keep = some(&mut rng, tests.len());
        let table = Table::new(&set, &makeable, &tests);
        for objective in [Objective::FewestTests, Objective::FewestSteps] {
            let made = minimise(&needed, &tests, &keep, objective, &Budget::unlimited());
            let what = format!("{objective:?} keep {keep:?} {tests:?}\n{text}");
            check_choice(
                &made,
                &tests,
                best(&table, &tests, &wanted, &keep, objective),
                objective,
                &what,
            );
            check_rest(&model, &made, &tests, &keep, &what);
            let after = shown(&set, &makeable, &made.tests);
            let lost = wanted.iter().find(|&&idx| table.all[idx] && !after[idx]);
            assert!(lost.is_none(), "{:?}\n{what}", lost.map(|&idx| &set.goals[idx].id));
            n_fewer += usize::from(made.tests.len() < tests.len());
            n_exact += usize::from(made.solution.bound.proof == Proof::Exact);
        }
    }
    assert!(n_fewer > 50 && n_exact > 150, "{n_fewer} {n_exact}");
}

/// What is left are beginnings of what was there, and what is kept is whole.
fn check_rest(model: &Model, made: &Minimised, tests: &[Trace], keep: &[usize], what: &str) {
    crate::laws::judge::check_paths(model, &made.tests, what);
    assert!(made.tests.len() <= tests.len());
    for (test, &origin) in made.tests.iter().zip(&made.origins) {
        assert!(is_beginning(model, test, &tests[origin]), "{what}");
        assert!(!keep.contains(&origin) || *test == tests[origin], "{what}");
    }
    assert!(keep.iter().all(|idx| made.origins.contains(idx)), "{what}");
}

/// Is a test the same as another one, or its beginning? Only a test without a loop begins another.
fn is_beginning(model: &Model, test: &Trace, of: &Trace) -> bool {
    let n_states = test.states.len();
    if test.loop_start.is_some() || of.loop_start.is_some() {
        return test == of || (test.loop_start.is_none() && starts(model, test, of, n_states));
    }
    starts(model, test, of, n_states)
}

fn starts(model: &Model, test: &Trace, of: &Trace, n_states: usize) -> bool {
    let plain = |state: &State| {
        let mut state = state.clone();
        state.drop_inputs(model);
        state
    };
    n_states <= of.states.len()
        && test.states[..n_states - 1] == of.states[..n_states - 1]
        && plain(&test.states[n_states - 1]) == plain(&of.states[n_states - 1])
}

#[test]
fn exactly_what_others_repeat_is_dropped() {
    let mut rng = Rng::with_seed(22);
    let mut n_dropped = 0;
    for _ in 0..200 {
        let Case { model, text } = case(&mut rng, Nature::Tame, 0);
        let mut tests = walks(&mut rng, &model, 5);
        for _ in 0..tests.len().min(3) {
            let mut test = tests[rng.usize(..tests.len())].clone();
            if test.loop_start.is_none() {
                test.states.truncate(rng.usize(1..=test.states.len()));
                let last = test.states.last_mut().expect("there is one");
                last.drop_inputs(&model);
            }
            tests.push(test);
        }
        let keep = some(&mut rng, tests.len());
        let left = without_prefixes(&model, &tests, &keep);
        for idx in 0..tests.len() {
            let repeats = |other: usize| {
                let same_kind = tests[idx].loop_start == tests[other].loop_start;
                same_kind && is_beginning(&model, &tests[idx], &tests[other])
            };
            // Of the same tests one is left.
            let is_left = left.contains(&idx);
            let is_repeated = left.iter().any(|&other| other != idx && repeats(other));
            let must_stay = keep.contains(&idx) || !is_repeated;
            assert!(is_left || !must_stay, "{idx} {left:?} {keep:?} {tests:?}\n{text}");
            assert!(!is_left || must_stay, "{idx} {left:?} {keep:?} {tests:?}\n{text}");
            n_dropped += usize::from(!is_left);
        }
    }
    assert!(n_dropped > 100, "{n_dropped}");
}
