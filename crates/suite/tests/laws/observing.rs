//! Suites whose conditions matter at an output.

use trapline_engine::{Budget, ENGINES};
use trapline_goals::decide::{Verdict, decide};
use trapline_goals::winnow::Wishes;
use trapline_goals::{GoalSet, Options, derive};
use trapline_model::{Model, Role};
use trapline_suite::evaluate::{Evaluated, Method, evaluate};
use trapline_suite::generate::{self, Strategy, generate};
use trapline_suite::journal::NoJournal;
use trapline_suite::set_cover::Objective;
use trapline_suite::suite::assemble;
use trapline_testkit::read;

/// What `held` stores is shown two steps later, if `open` lets it out.
const GATE: &str = "MODULE main
    VAR a : boolean; b : boolean; open : boolean; held : boolean; sent : boolean; out : boolean;
    DEFINE join := a & (b | held);
    ASSIGN init(held) := FALSE; next(held) := join | held & !open;
      init(sent) := FALSE; next(sent) := held & open;
      init(out) := FALSE; next(out) := sent | a & !b & held;";

fn model() -> Model {
    let mut model = read(GATE, &[]).0;
    for var in &mut model.vars {
        var.role = match var.name.as_str() {
            "a" | "b" | "open" => Role::Input,
            "out" => Role::Output,
            _ => Role::Internal,
        };
    }
    model.defines.iter_mut().for_each(|define| define.role = Role::Internal);
    model
}

fn score(set: &GoalSet, tests: &[trapline_model::trace::Trace]) -> (usize, usize) {
    let wishes = Wishes { infeasible: true, ..Wishes::default() };
    let found: Evaluated =
        evaluate(set, tests, Method::Native, wishes, &ENGINES[0], &Budget::unlimited());
    let all: Vec<usize> = (0..set.goals.len()).collect();
    found.score(&all)
}

#[test]
fn a_suite_for_observable_conditions_has_the_score_that_is_said() {
    let names = ["mcdc-unique", "mcdc-masking", "mcdc-coupled", "condition"];
    let options = Options { observable: true, ..Options::default() };
    let set = derive(&model(), &names, &options);
    let plain = derive(&model(), &names, &Options::default());
    let decided = decide(&set, &ENGINES[0], &Budget::unlimited());
    let covers = |it: &Verdict| matches!(it, Verdict::Covered(_));
    let n_covered = decided.verdicts.iter().filter(|it| covers(it)).count();
    assert!(n_covered > 10, "{n_covered}");
    for (strategy, engine) in
        [(Strategy::Extend, 0), (Strategy::Separate, 1), (Strategy::Extend, 2)]
    {
        let options = generate::Options::usual(strategy, ENGINES[engine]);
        let made = generate(&set, &options, &mut NoJournal, &Budget::unlimited());
        for objective in [None, Some(Objective::FewestTests), Some(Objective::FewestSteps)] {
            let (suite, _) = assemble(&set, &made, objective, &Budget::unlimited());
            let tests: Vec<_> = suite.tests.iter().map(|test| test.trace.clone()).collect();
            let n_said = suite.goals.iter().filter(|goal| goal.shown.is_some()).count();
            assert_eq!(n_said, n_covered, "{strategy:?} {objective:?}");
            assert_eq!(score(&set, &tests), (n_covered, n_covered), "{strategy:?} {objective:?}");
        }
    }
    // Suites that need not show anything show less.
    let usual = generate::Options::usual(Strategy::Extend, ENGINES[0]);
    let made = generate(&plain, &usual, &mut NoJournal, &Budget::unlimited());
    let (suite, _) = assemble(&plain, &made, Some(Objective::FewestSteps), &Budget::unlimited());
    let tests: Vec<_> = suite.tests.iter().map(|test| test.trace.clone()).collect();
    let (n_reached, n_all) = score(&set, &tests);
    assert!(n_reached < n_all, "{n_reached} of {n_all}");
}
