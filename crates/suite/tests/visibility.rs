//! The small example on which faults that show in some variable were first compared with faults that show
//! at the outputs: what the suite of each method reaches of the goals of each other.

use std::collections::BTreeSet;

use trapline_engine::{Budget, ENGINES, Engine};
use trapline_goals::decide::decide;
use trapline_goals::subgoals::Subgoals;
use trapline_goals::visibility::credit::shown;
use trapline_goals::winnow::{Wishes, winnow};
use trapline_goals::{GoalSet, Options, Visibility, derive};
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Value};
use trapline_suite::compare::{Group, Row, compare};
use trapline_suite::generate::{self, Strategy};
use trapline_testkit::read;

const FAN: &str = include_str!("../../../examples/fault-visibility/fan.smv");

const METHODS: [Visibility; 3] = [Visibility::Reflect, Visibility::Duplicate, Visibility::Inline];

fn sets(model: &Model) -> Vec<GoalSet> {
    let names = ["mutation", "mutation:arithmetic", "mutation:range-variable"];
    let sets = METHODS
        .map(|visibility| derive(model, &names, &Options { visibility, ..Options::default() }));
    sets.into()
}

/// The methods as rows and columns, each suite with a test for each goal.
fn compared(sets: &[GoalSet], engine: Engine) -> Vec<Row> {
    let groups = sets.iter().zip(METHODS).enumerate().map(|(set, (goals, method))| Group {
        name: format!("{method:?}"),
        set,
        goals: (0..goals.goals.len()).collect(),
    });
    let groups: Vec<Group> = groups.collect();
    let options = generate::Options::usual(Strategy::Separate, engine);
    compare(sets, &groups, &options, None, &Budget::unlimited())
}

#[test]
fn suites_of_hidden_faults_miss_faults_at_the_outputs_and_not_the_other_way_round() {
    let model = read(FAN, &[]).0;
    for engine in ENGINES {
        let sets = sets(&model);
        let rows = compared(&sets, *engine);
        let [reflect, duplicate, inline] = rows.as_slice() else { panic!("a row for each method") };
        let feasible = [reflect, duplicate, inline].map(|row| row.n_feasible);
        assert_eq!(feasible, [41, 39, 62], "{}", engine.name);
        assert!(rows.iter().all(|row| row.n_unknown == 0 && row.cut.is_none()), "{}", engine.name);
        for (idx, row) in rows.iter().enumerate() {
            assert_eq!(row.reached[idx], feasible[idx], "{}: the diagonal", engine.name);
            assert_eq!(row.reached[0], feasible[0], "{}: {row:?}", engine.name);
        }
        assert!(reflect.reached[1] < feasible[1], "{}: {reflect:?}", engine.name);
        assert!(reflect.reached[2] < feasible[2], "{}: {reflect:?}", engine.name);
        // What the formulas of the outputs say is more than what single faults show.
        assert_eq!(inline.reached[1], feasible[1], "{}: {inline:?}", engine.name);
        assert!(reflect.reached[2] < duplicate.reached[2], "{}: {duplicate:?}", engine.name);
    }
}

/// A state of the fan.
fn state(model: &Model, [d, b, f, e]: [i64; 4]) -> State {
    let demand = e * d + b;
    let [f, out] = [f == 1, demand > 10].map(usize::from);
    let number = |number: i64| Some(Value::Int(number));
    let symbol = |name: &str, idx: usize| {
        let var = model.vars.iter().find(|var| var.name == name).expect("the model has it");
        Some(var.domain.value(idx as u64))
    };
    State {
        values: vec![
            number(d),
            number(b),
            symbol("f", f),
            number(e),
            number(demand),
            symbol("out", out),
        ],
    }
}

/// All tests with one step.
fn all_tests(model: &Model) -> Vec<Trace> {
    let inputs = (0..200).map(|idx| [idx / 20, idx / 2 % 10, idx % 2]);
    let mut tests = Vec::new();
    for [d, b, f] in inputs.clone() {
        for [next_d, next_b, _] in inputs.clone().filter(|[.., f]| *f == 0) {
            let states = vec![state(model, [d, b, f, 0]), state(model, [next_d, next_b, 0, f])];
            tests.push(Trace { states, loop_start: None });
        }
    }
    tests
}

/// Mutants that the same tests kill say the same. All that a state remembers is the override, so one step
/// shows all that there is to see.
#[test]
fn mutants_that_differ_are_as_many_as_the_page_says() {
    let model = read(FAN, &[]).0;
    let mut sets = sets(&model);
    let n_mutants = sets.iter().map(|set| set.goals.len()).collect::<Vec<_>>();
    assert_eq!(n_mutants, [41, 41, 170]);
    let wishes = Wishes { infeasible: true, trivial: false, duplicate: true };
    let unique = [0, 2].map(|idx| {
        let budget = Budget::unlimited();
        let mut decided = decide(&sets[idx], &ENGINES[0], &budget);
        winnow(&mut sets[idx], &mut decided, wishes, &ENGINES[0], &budget);
        sets[idx].goals.len()
    });
    assert_eq!(unique, [17, 16]);
    let budget = Budget::unlimited();
    let subgoals = Subgoals::new(&sets[1], &budget);
    let killed = shown(&subgoals, &|_| true, &all_tests(&model), &budget).list;
    let killers = killed.into_iter().map(|(_, tests)| tests.into_iter().map(|(test, _)| test));
    let killers: BTreeSet<Vec<usize>> = killers.map(Iterator::collect).collect();
    assert_eq!(killers.iter().filter(|tests| !tests.is_empty()).count(), 14);
}
