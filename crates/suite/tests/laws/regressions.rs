//! What the laws have found, as small as it gets.

use trapline_engine::{Budget, ENGINES};
use trapline_goals::subgoals::Subgoals;
use trapline_goals::winnow::Wishes;
use trapline_goals::{GoalSet, Options, derive};
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Value};
use trapline_suite::coverage::coverage;
use trapline_suite::evaluate::{Method, evaluate};
use trapline_suite::generate::generate;
use trapline_suite::journal::NoJournal;
use trapline_suite::minimise::{Needed, minimise};
use trapline_suite::set_cover::Objective;
use trapline_suite::suite::assemble;

use crate::laws::models::options;
use trapline_testkit::read;

/// The model, and what some criterion wants of it.
fn prepare(text: &str, criterion: &str) -> (Model, GoalSet) {
    let (model, _) = read(text, &[]);
    let set = derive(&model, &[criterion], &Options::default());
    (model, set)
}

/// A test of a model with one number.
fn numbers(numbers: &[i64], loop_start: Option<usize>) -> Trace {
    let state = |&number: &i64| State { values: vec![Some(Value::Int(number))] };
    Trace { states: numbers.iter().map(state).collect(), loop_start }
}

/// Which goals a test shows, whoever is asked.
fn shown(set: &GoalSet, test: &Trace) -> Vec<bool> {
    let by = |method| {
        let tests = std::slice::from_ref(test);
        let wishes = Wishes::default();
        let found = evaluate(set, tests, method, wishes, &ENGINES[0], &Budget::unlimited());
        found.goals.iter().map(|goal| goal.shown.is_some()).collect::<Vec<_>>()
    };
    let (native, machine) = (by(Method::Native), by(Method::Machine));
    assert_eq!(native, machine);
    native
}

#[test]
fn the_step_that_closes_a_loop_is_a_step_of_the_test() {
    let text = "MODULE main\nVAR x : 0..1;\nASSIGN next(x) := case x = 1 : 0; TRUE : 1; esac;\n";
    let (_, set) = prepare(text, "branch");
    assert_eq!(shown(&set, &numbers(&[0, 1], Some(0))), [true, true]);
    assert_eq!(shown(&set, &numbers(&[0, 1], None)), [false, true]);
}

#[test]
fn sequences_go_round_loops() {
    let (_, set) = prepare("MODULE main\nVAR x : {0, 1};\n", "pair");
    assert_eq!(shown(&set, &numbers(&[0, 1], Some(0))), [true, true]);
}

#[test]
fn a_step_needs_a_state_after_it_even_where_it_reads_none() {
    let text = "MODULE main\nVAR x : 0..1; \nASSIGN next(x) := x = 1 ? 0 : {0, 1};\n";
    let (_, set) = prepare(text, "branch");
    assert_eq!(shown(&set, &numbers(&[0, 1], None)), [false, true]);
}

#[test]
fn a_claim_about_the_next_state_needs_one_to_be_violated() {
    let text = "MODULE main\nVAR x : 0..1;\nCTLSPEC AG AX FALSE\n";
    let (_, set) = prepare(text, "trap");
    assert_eq!(shown(&set, &numbers(&[0, 0], None)), [true]);
    assert_eq!(shown(&set, &numbers(&[0], None)), [false]);
}

#[test]
fn the_last_state_violates_what_is_said_of_each_state() {
    let text = "MODULE main\nVAR x : 0..1;\nCTLSPEC AG (x = 0 & AX x = 0)\n";
    let (_, set) = prepare(text, "trap");
    assert_eq!(shown(&set, &numbers(&[1], None)), [true]);
}

#[test]
fn where_a_claim_has_no_value_a_test_does_not_violate_it() {
    let text = "MODULE main\nVAR x : 0..1;\nLTLSPEC F (1 / x = 2)\n";
    let (_, set) = prepare(text, "trap");
    assert_eq!(shown(&set, &numbers(&[0], Some(0))), [false]);
    assert_eq!(shown(&set, &numbers(&[1], Some(0))), [true]);
}

#[test]
fn of_the_same_tests_the_one_that_is_kept_stays() {
    let (model, _) = prepare("MODULE main\nVAR x : 0..1;\n", "value");
    let tests = [numbers(&[0], None), numbers(&[0], None)];
    let left = trapline_suite::minimise::without_prefixes(&model, &tests, &[1]);
    assert_eq!(left, [1]);
}

/// A beginning may be cheaper than the whole.
#[test]
fn no_choice_of_the_tests_that_were_made_has_fewer_steps() {
    let (_, set) = prepare("MODULE main\nVAR x : 0..2;\n", "value");
    let tests = vec![
        numbers(&[0, 0, 0, 1, 2], None),
        numbers(&[0], None),
        numbers(&[1], None),
        numbers(&[2], None),
    ];
    let subgoals = Subgoals::new(&set, &Budget::unlimited());
    let made = coverage(&subgoals, &tests, &Budget::unlimited()).made(&set, &subgoals);
    let goals = [0, 1, 2];
    let (goals, is_asked) = (&goals, &|_| true);
    let needed = Needed { set: &set, subgoals: &subgoals, makeable: &made, goals, is_asked };
    let objective = Objective::FewestSteps;
    let best = minimise(&needed, &tests, &[], objective, &Budget::unlimited());
    assert_eq!(best.solution.n_steps, 0);
    let options = options(&mut fastrand::Rng::with_seed(0));
    let mut all = generate(&set, &options, &mut NoJournal, &Budget::unlimited());
    all.tests = tests;
    let (suite, _) = assemble(&set, &all, Some(objective), &Budget::unlimited());
    let n_steps: usize = suite.tests.iter().map(|test| test.trace.states.len() - 1).sum();
    assert_eq!(n_steps, 0);
}

#[test]
fn tests_with_other_inputs_are_made_where_inputs_belong_to_steps() {
    let text = "MODULE main\nIVAR i : boolean;\nVAR x : boolean;\n\
                ASSIGN next(x) := case i : x; TRUE : !x; esac;\n";
    let (model, set) = prepare(text, "branch");
    for engine in ENGINES {
        let options = trapline_suite::generate::Options {
            diverse: 2,
            shorten: true,
            initial_depth: None,
            initial_engine: *engine,
            ..options(&mut fastrand::Rng::with_seed(0))
        };
        let made = generate(&set, &options, &mut NoJournal, &Budget::unlimited());
        let tests: Vec<Trace> =
            made.tests.iter().chain(made.others.iter().flatten()).cloned().collect();
        crate::laws::judge::check_paths(&model, &tests, text);
    }
}
