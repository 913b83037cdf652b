//! Mutants of random models: their statuses are what trying every state and step says, and every
//! line that is printed can be read again.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES};
use trapline_goals::criteria::mutation;
use trapline_goals::mutate::status::{Status, statuses};
use trapline_goals::mutate::{Mutant, Mutants, OPERATORS, SubjectKind, mutants};
use trapline_goals::{Builder, GoalSet, Options};
use trapline_model::eval::evaluate;
use trapline_model::{Expr, ExprId, Model};

use trapline_testkit::brute_force::{Explorer, Values};
use trapline_testkit::random::{self, random_model};
use trapline_testkit::read;

const N_MODELS: usize = 60;
const MAX_STATES: usize = 24;
/// How many mutants of each model are compared.
const N_MUTANTS: usize = 25;

fn made(
    model: &Model,
    options: &Options,
    operators: &[usize],
    rng: &mut Rng,
) -> (GoalSet, Mutants) {
    let mut builder = Builder::new(model.clone(), options);
    builder.criterion = "mutation".into();
    let mut found = mutants(&mut builder, operators);
    rng.shuffle(&mut found.list);
    found.list.truncate(N_MUTANTS);
    mutation::add_goals(&mut builder, &found);
    let Builder { model, goals, faults, notices, .. } = builder;
    (GoalSet { model, goals, points: Vec::new(), mutants: Vec::new(), faults, notices }, found)
}

/// What a model allows from its reachable states.
pub struct Behaviour {
    pub states: BTreeSet<Values>,
    pub initial: BTreeSet<Values>,
    pub steps: BTreeSet<(Values, Values)>,
}

pub fn behaviour(model: &Model) -> Behaviour {
    let explorer = Explorer::new(model);
    let initial = explorer.initial().allowed;
    let mut states = initial.clone();
    let mut steps = BTreeSet::new();
    let mut open: Vec<Values> = initial.iter().cloned().collect();
    while let Some(state) = open.pop() {
        for (from, to) in explorer.successors(&state).allowed {
            if states.insert(to.clone()) {
                open.push(to.clone());
            }
            steps.insert((from, to));
        }
    }
    Behaviour { states, initial, steps }
}

/// Does the mutant forbid something that the model allows, and does it allow something that the
/// model forbids, from where the model can be?
pub fn differences(known: &Behaviour, mutant: &Model) -> (bool, bool) {
    let explorer = Explorer::new(mutant);
    let initial = explorer.initial().allowed;
    let mut forbids = !known.initial.is_subset(&initial);
    let mut allows = !initial.is_subset(&known.initial);
    for state in &known.states {
        let steps = explorer.successors(state).allowed;
        allows |= !steps.is_subset(&known.steps);
    }
    let from_there = |step: &(Values, Values)| {
        let mut from = step.0.clone();
        for (value, var) in from.iter_mut().zip(&mutant.vars) {
            if var.kind == trapline_model::VarKind::Input {
                *value = None;
            }
        }
        explorer.successors(&from).allowed.contains(step)
    };
    forbids |= !known.steps.iter().all(from_there);
    (forbids, allows)
}

/// Has a define another value in some state or step?
fn defines_differ(known: &Behaviour, model: &Model, old: ExprId, new: ExprId) -> bool {
    use trapline_model::Reads;
    let is_step = [old, new].iter().any(|&expr| model.exprs.info(expr).reads.any(Reads::STEP));
    let differ =
        |from: &Values, to: &[_]| evaluate(model, old, from, to) != evaluate(model, new, from, to);
    match is_step {
        true => known.steps.iter().any(|(from, to)| differ(from, to)),
        false => known.states.iter().any(|state| differ(state, &[])),
    }
}

fn compare(expound: bool, operators: &[usize], seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let mut seen = BTreeMap::new();
    for _ in 0..N_MODELS {
        let options = random::Options { is_wild: false, max_states: MAX_STATES };
        let sketch = random_model(&mut rng, options);
        compare_model(&sketch.text, expound, operators, &mut rng, &mut seen);
    }
    for word in ["killable", "excluded only", "equivalent"] {
        assert!(seen.get(word).is_some_and(|n| *n > 10), "{word}: {seen:?}");
    }
}

fn compare_model(
    text: &str,
    expound: bool,
    operators: &[usize],
    rng: &mut Rng,
    seen: &mut BTreeMap<&'static str, usize>,
) {
    let (model, _) = read(text, &[]);
    let options = Options { expound, ..Options::default() };
    let (set, found) = made(&model, &options, operators, rng);
    let known = behaviour(&model);
    let found_out = statuses(&set, &found, &ENGINES[0], &Budget::unlimited());
    for (mutant, status) in found.list.iter().zip(&found_out) {
        let subject = &found.subjects[mutant.subject];
        if matches!(status, Status::Invalid(_)) {
            continue;
        }
        let changed = mutant.apply(&found.subjects, &set.model);
        let (_, allows) = differences(&known, &changed);
        let forbids = match subject.kind {
            SubjectKind::Define(define) => {
                let old = set.model.define(define).body.expr;
                let new = changed.define(define).body.expr;
                defines_differ(&known, &changed, old, new)
            }
            _ => differences(&known, &changed).0,
        };
        let expected = match (forbids, allows) {
            (true, _) => "killable",
            (false, true) => "excluded only",
            (false, false) => "equivalent",
        };
        // Of a define that is used elsewhere it may not be known.
        let is_define = matches!(subject.kind, SubjectKind::Define(_));
        let is_open = is_define && !forbids && matches!(status, Status::Unknown(_));
        let line = subject.line(&set.model, mutant.part, mutant.root);
        let id = mutant.id(&found.subjects);
        let says = status.word();
        assert!(says == expected || is_open, "{id} is {expected}, not {says}: {line}\n{text}");
        *seen.entry(expected).or_default() += 1;
    }
}

/// Models whose mutants have no value somewhere, and constraints and defines that are cases.
const SPECIAL: &[&str] = &[
    "VAR a : boolean; x : 0..2; TRANS case a : next(x) = 1; TRUE : next(x) = 2; esac;",
    "VAR a : boolean; x : 0..2; INVAR (a ? x < 2 : x > 0);",
    "VAR y : 0..2; x : 0..6; ASSIGN next(x) := case y != 0 : 6 / y; TRUE : 0; esac;",
    "VAR y : 0..2; x : 0..6; DEFINE d := 6 / y; ASSIGN next(x) := case y != 0 : d; TRUE : 0; esac;",
    "VAR k : 0..4; w : unsigned word[2]; ASSIGN next(w) := case k <= 2 : w << k; TRUE : w; esac;",
    "VAR x : 0..3; DEFINE safe := x < 3; INVAR safe;",
    "VAR x : 0..3; b : boolean; INIT x = 1 & b; ASSIGN next(x) := {0, 1}; INVAR b | x < 2;",
    "VAR a : boolean; n : 0..3; DEFINE d := case a : {1, 2}; TRUE : 3; esac; ASSIGN next(n) := d;",
    "VAR b : array 0..1 of boolean; i : 0..2; x : boolean;
     ASSIGN next(x) := case i < 2 : b[i]; TRUE : x; esac;",
];

#[test]
fn statuses_are_right_where_values_are_missing() {
    let mut rng = Rng::with_seed(4);
    let mut seen = BTreeMap::new();
    for text in SPECIAL {
        for expound in [true, false] {
            // Twice, for other mutants.
            for _ in 0..2 {
                let text = format!("MODULE main\n{text}\n");
                compare_model(&text, expound, &usual(), &mut rng, &mut seen);
            }
        }
    }
    assert!(seen.values().all(|n| *n > 5) && seen.len() == 3, "{seen:?}");
}

/// The operators that `mutation` stands for. The others may leave the types of variables, where
/// only a part of a set has no value.
fn usual() -> Vec<usize> {
    (0..OPERATORS.len()).filter(|&idx| OPERATORS[idx].is_usual).collect()
}

#[test]
fn statuses_of_mutants_of_the_text_are_what_trying_everything_says() {
    compare(false, &usual(), 1);
}

#[test]
fn statuses_of_mutants_of_expounded_cases_are_what_trying_everything_says() {
    compare(true, &usual(), 2);
}

#[test]
fn every_mutant_can_be_read_again() {
    let mut rng = Rng::with_seed(3);
    let all: Vec<usize> = (0..OPERATORS.len()).collect();
    let mut n_read = 0;
    for _ in 0..N_MODELS {
        let options = random::Options { is_wild: false, max_states: MAX_STATES };
        let sketch = random_model(&mut rng, options);
        let (model, _) = read(&sketch.text, &[]);
        for expound in [true, false] {
            let options = Options { expound, ..Options::default() };
            let (set, found) = made(&model, &options, &all, &mut rng);
            let printed: Vec<String> =
                found.list.iter().map(|mutant| set.model.show_expr(mutant.root)).collect();
            // Whatever its type is, it equals itself.
            let is_set = |mutant: &Mutant| {
                matches!(set.model.exprs.ty(mutant.root), trapline_model::Type::Set(_))
            };
            let ops = found.list.iter().map(|mutant| if is_set(mutant) { "in" } else { "=" });
            let texts: Vec<String> = printed
                .iter()
                .zip(ops)
                .map(|(text, op)| format!("({text}) {op} ({text})"))
                .collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let (again, exprs) = read(&sketch.text, &texts);
            assert_eq!(exprs.len(), printed.len());
            for (expr, printed) in exprs.into_iter().zip(&printed) {
                let Expr::Binary(_, left, _) = again.exprs.get(expr) else { panic!("{printed}") };
                assert_eq!(&again.show_expr(left), printed);
                n_read += 1;
            }
        }
    }
    assert!(n_read > 1000);
}
