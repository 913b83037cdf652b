//! What running tests shows: executed on every implementation that the model allows, tests never fail;
//! on a mutant that they claim to catch, they always do; and what is judged reaches what they claim.
//!
//! An implementation is a set of states found by trying every valuation. It knows of a test what its
//! executor knows: rows of cells.

use std::collections::BTreeSet;

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES};
use trapline_goals::mutate::SubjectKind;
use trapline_goals::visibility::widen::faulty;
use trapline_goals::winnow::Wishes;
use trapline_goals::{GoalSet, Options, derive};
use trapline_model::eval::{self, Valuation};
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Role, Value};
use trapline_suite::choices::choices;
use trapline_suite::evaluate::{Method, evaluate};
use trapline_suite::evidence::Evidence;
use trapline_suite::steps::{Cell, ExecutableSuite, ExecutableTest, TURNS, steps};
use trapline_suite::titled::{Titled, Traces};
use trapline_testkit::brute_force::{Explorer, Values};
use trapline_testkit::read;
use trapline_testkit::score::makeable;

use crate::laws::judge::shown;
use crate::laws::models::{Case, Nature, case, walks};

/// An implementation: whatever a model allows.
struct Implementation<'m> {
    model: &'m Model,
    explorer: Explorer<'m>,
}

/// What an implementation may be in after an exchange, and the step that led there.
type Reached = BTreeSet<(Values, Values)>;

fn cell(model: &Model, value: Value) -> Cell {
    match value {
        Value::Bool(b) => Cell::Bool(b),
        Value::Int(i) => Cell::Int(i),
        Value::Word(word) => Cell::Int(i64::try_from(word.to_i128()).expect("small words")),
        Value::Symbol(id) => Cell::Text(model.symbols.name(id).into()),
        Value::Real(_) => unreachable!("random models have no reals"),
    }
}

impl<'m> Implementation<'m> {
    fn new(model: &'m Model) -> Implementation<'m> {
        Implementation { model, explorer: Explorer::new(model) }
    }

    /// What a column is after a step, or in the first state.
    fn value(
        &self,
        suite: &ExecutableSuite,
        column: usize,
        (from, to): &(Values, Values),
    ) -> Option<Cell> {
        let n_vars = self.model.vars.len();
        let (now, next): (&Valuation, &Valuation) =
            if suite.columns[column].is_step { (from, to) } else { (to, &[]) };
        let value = match column.checked_sub(n_vars) {
            None => *now.get(column)?,
            Some(idx) => {
                match eval::evaluate(self.model, self.model.defines[idx].body.expr, now, next) {
                    eval::Cell::Value(value) => Some(value),
                    _ => None,
                }
            }
        };
        value.map(|value| cell(self.model, value))
    }

    /// Everything that it may do when it is given the inputs of a row.
    fn react(
        &self,
        suite: &ExecutableSuite,
        before: Option<&Reached>,
        row: &[Option<Cell>],
    ) -> Reached {
        let inputs = suite.of_role(Role::Input);
        let is_sent = |reached: &(Values, Values)| {
            let same = |&column: &usize| {
                row[column].is_none() || self.value(suite, column, reached) == row[column]
            };
            inputs.iter().all(same)
        };
        let all: Reached = match before {
            None => {
                self.explorer.initial().allowed.into_iter().map(|it| (Vec::new(), it)).collect()
            }
            Some(before) => before
                .iter()
                .flat_map(|(_, state)| self.explorer.successors(state).allowed)
                .collect(),
        };
        all.into_iter().filter(is_sent).collect()
    }

    fn shows(
        &self,
        suite: &ExecutableSuite,
        row: &[Option<Cell>],
        reached: &(Values, Values),
    ) -> bool {
        let is_due = |it: &usize| row[*it].is_some() || !suite.columns[*it].is_reset;
        let mut due = suite.checked().into_iter().filter(is_due);
        due.all(|it| self.value(suite, it, reached) == row[it])
    }

    /// Does every run pass? Each exchange must be possible, and show what is expected.
    fn always_passes(&self, suite: &ExecutableSuite, test: &ExecutableTest) -> bool {
        let mut reached = None;
        test.rows[..test.n_judged()].iter().all(|row| {
            let now = self.react(suite, reached.as_ref(), row);
            let is_right = !now.is_empty() && now.iter().all(|it| self.shows(suite, row, it));
            reached = Some(now);
            is_right
        })
    }

    /// Does every run fail?
    fn always_fails(&self, suite: &ExecutableSuite, test: &ExecutableTest) -> bool {
        let mut reached = None;
        test.rows[..test.n_judged()].iter().any(|row| {
            let mut now = self.react(suite, reached.as_ref(), row);
            now.retain(|it| self.shows(suite, row, it));
            let has_failed = now.is_empty();
            reached = Some(now);
            has_failed
        })
    }
}

/// The tests as they are executed.
fn executable(model: &Model, tests: &[Trace]) -> ExecutableSuite {
    let traces: Vec<&Trace> = tests.iter().collect();
    let open = choices(model, &traces, &Budget::unlimited());
    let name = |var: &trapline_model::VarId| model.var(*var).name.clone();
    let list = tests.iter().zip(open).map(|(trace, open)| Titled {
        open: open.iter().map(|vars| vars.iter().map(name).collect()).collect(),
        ..Titled::new("t".into(), trace)
    });
    steps(
        &Traces { path: "", model, list: list.collect(), is_complete: true, missed: Vec::new() },
        TURNS,
    )
}

/// The judged part of a test, read from its rows.
fn judged(model: &Model, suite: &ExecutableSuite, test: &ExecutableTest) -> Trace {
    let rows = &test.rows[..test.n_judged()];
    let state = |idx: usize| {
        let value =
            |(column, (_, declared)): (usize, (trapline_model::VarId, &trapline_model::Var))| {
                let row = match &suite.columns[column] {
                    it if it.is_step => rows.get(idx + 1)?,
                    it if it.is_reset => &rows[0],
                    _ => &rows[idx],
                };
                let wanted = row[column].as_ref()?;
                let domain = &declared.domain;
                let mut values = (0..domain.size()?).map(|idx| domain.value(idx));
                values.find(|value| cell(model, *value) == *wanted)
            };
        State { values: model.var_ids().enumerate().map(value).collect() }
    };
    Trace { states: (0..rows.len()).map(state).collect(), loop_start: None }
}

/// Hides some of what a model shows.
fn hide(rng: &mut Rng, model: &mut Model) {
    let vars = model.vars.iter_mut().map(|var| &mut var.role);
    for role in vars.chain(model.defines.iter_mut().map(|define| &mut define.role)) {
        if *role == Role::Output && rng.bool() {
            *role = Role::Internal;
        }
    }
}

#[derive(Default)]
struct Counts {
    n_caught: usize,
    n_inside: usize,
    n_open: usize,
    n_reached: usize,
    n_unsent: usize,
}

fn check(model: &Model, set: &GoalSet, tests: &[Trace], counts: &mut Counts, what: &str) {
    let wishes = Wishes::default();
    let found = evaluate(set, tests, Method::Native, wishes, &ENGINES[1], &Budget::unlimited());
    let suite = executable(model, tests);
    let itself = Implementation::new(model);
    for test in &suite.tests {
        assert!(itself.always_passes(&suite, test), "a correct implementation fails\n{what}");
    }
    let mutants: Vec<_> =
        set.mutants.iter().flat_map(|it| it.list.iter().map(move |m| (it, m))).collect();
    let makeable = makeable(set, &ENGINES[1], &Budget::unlimited());
    for (goal, scored) in set.goals.iter().zip(&found.goals) {
        let what = format!("{} {:?} {tests:?}\n{what}", goal.id, scored.evidence);
        let idx = set.goals.iter().position(|other| other.id == goal.id).expect("its own");
        assert_eq!(scored.evidence == Evidence::None, !scored.shown.is_some(), "{what}");
        let own = mutants.iter().find(|(it, mutant)| mutant.id(&it.subjects) == goal.id);
        let Some((it, mutant)) = own else {
            let parts: Vec<Trace> =
                suite.tests.iter().map(|test| judged(model, &suite, test)).collect();
            let by: Vec<Trace> =
                scored.evidence.tests().iter().map(|&it| parts[it].clone()).collect();
            let by: Vec<Trace> = by.into_iter().filter(|it| !it.states.is_empty()).collect();
            let all: Vec<Trace> = parts.into_iter().filter(|it| !it.states.is_empty()).collect();
            let is_claimed = !scored.evidence.tests().is_empty();
            assert!(!is_claimed || shown(set, &makeable, &by)[idx], "{what}");
            assert_eq!(
                is_claimed,
                scored.shown.is_some() && shown(set, &makeable, &all)[idx],
                "{what}"
            );
            *if is_claimed { &mut counts.n_reached } else { &mut counts.n_unsent } += 1;
            continue;
        };
        let mutated = faulty(mutant.apply(&it.subjects, &set.model));
        let mutated = Implementation::new(&mutated);
        let is_caught = |idx: &usize| mutated.always_fails(&suite, &suite.tests[*idx]);
        let is_environment = match it.subjects[mutant.subject].kind {
            SubjectKind::Assign(_, var) => model.var(var).role == Role::Input,
            SubjectKind::Constraint(_) => true,
            _ => false,
        };
        match &scored.evidence {
            Evidence::Outputs(tests) => {
                assert!(!tests.is_empty() && tests.iter().all(is_caught), "{what}");
                counts.n_caught += 1;
            }
            Evidence::Inside => {
                let misses = is_environment || !(0..suite.tests.len()).any(|idx| is_caught(&idx));
                assert!(misses, "it is caught\n{what}");
                counts.n_inside += 1;
            }
            Evidence::Unknown(_) => counts.n_open += 1,
            Evidence::None => {}
        }
    }
}

fn check_models(seeds: std::ops::Range<u64>) -> Counts {
    let mut counts = Counts::default();
    for seed in seeds {
        let mut rng = Rng::with_seed(seed);
        let Case { mut model, text } = case(&mut rng, Nature::Tame, 0);
        hide(&mut rng, &mut model);
        let names = ["value", "branch", "condition", "mcdc-masking", "mutation"];
        let options = Options { limit: 40, expound: rng.bool(), ..Options::default() };
        let set = derive(&model, &names, &options);
        let mut tests = walks(&mut rng, &model, 3);
        for test in &mut tests {
            if let (None, Some(last)) = (test.loop_start, test.states.last_mut()) {
                last.drop_inputs(&model);
            }
        }
        check(&model, &set, &tests, &mut counts, &format!("seed {seed}\n{text}"));
    }
    counts
}

#[test]
fn what_tests_claim_their_execution_shows() {
    let counts = check_models(0..120);
    assert!(
        counts.n_caught > 60 && counts.n_inside > 300,
        "{} {}",
        counts.n_caught,
        counts.n_inside
    );
    assert!(
        counts.n_reached > 100 && counts.n_unsent > 20,
        "{} {}",
        counts.n_reached,
        counts.n_unsent
    );
    assert!(counts.n_open < counts.n_caught, "{}", counts.n_open);
}

/// Inputs determine everything, and two of four variables are hidden.
const CROSSING: &str = "MODULE main
VAR train : boolean; cmd : {none, open, close};
  passed : 0..3; gate : {up, down}; lamp : boolean; alarm : boolean;
ASSIGN
  init(passed) := 0;
  next(passed) := case train & passed < 3 : passed + 1; !train : 0; TRUE : passed; esac;
  init(gate) := up;
  next(gate) := case passed = 2 : down; cmd = open & passed = 0 : up; cmd = close : down; TRUE : gate; esac;
  init(lamp) := FALSE;
  next(lamp) := gate = down & next(passed) > 0;
  init(alarm) := FALSE;
  next(alarm) := lamp & gate = up;
";

#[test]
fn what_tests_of_a_crossing_claim_their_execution_shows() {
    let mut counts = Counts::default();
    for hidden in [&["passed"][..], &["passed", "lamp"], &["gate", "lamp", "passed"], &["alarm"]] {
        let (mut model, _) = read(CROSSING, &[]);
        for name in hidden {
            trapline_model::roles::set(&mut model, name, Role::Internal);
        }
        let set =
            derive(&model, &["value", "branch", "mcdc-masking", "mutation"], &Options::default());
        let mut rng = Rng::with_seed(1);
        let mut tests = walks(&mut rng, &model, 6);
        tests.retain(|test| test.loop_start.is_none());
        check(&model, &set, &tests, &mut counts, "crossing");
    }
    assert!(
        counts.n_caught > 100 && counts.n_inside > 30,
        "{} {}",
        counts.n_caught,
        counts.n_inside
    );
}
