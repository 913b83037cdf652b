//! Mutants of tables as changes of their text: the changed text, read again, is the mutant.
//!
//! The text is read such that rows which overlap are a choice, as they are in a mutant. Where the rows of
//! a condition table leave a gap, a mutant allows no value.

use std::collections::BTreeSet;

use fastrand::Rng;
use trapline_goals::criteria::mutation;
use trapline_goals::mutate::edit::Texts;
use trapline_goals::mutate::{Mutants, OPERATORS, SubjectKind, mutants};
use trapline_goals::{Builder, Options};
use trapline_lang::{Options as Reading, Output};
use trapline_model::eval::{Cell, evaluate};
use trapline_model::goal::Target;
use trapline_model::{ConstraintKind, Model, Reads};
use trapline_source::Sources;

use trapline_testkit::brute_force::{Explorer, Values};
use trapline_testkit::read_tables;
use trapline_testkit::scr::random::random_spec;
use trapline_testkit::scr::write::{Form, write};

/// From one of so many states the steps are compared.
const STRIDE: usize = 17;

/// Small relatives of what the literature has.
const SPECS: &[&str] = &[
    "-- safety injection
TYPES
  Switch = {On, Off}
CONSTANTS
  Low = 1
  Permit = 2
MONITORED
  Block, Reset : Switch INIT Off
  WaterPres : 0..3 INIT 0
MODECLASS Pressure {TooLow, Permitted, High} INIT TooLow
TERMS
  Overridden : Boolean INIT False
CONTROLLED
  SafetyInjection : Switch INIT On
NAT |WaterPres' - WaterPres| <= 2
TABLE Pressure MODE
  TooLow    | @T(WaterPres >= Low)    | Permitted
  Permitted | @T(WaterPres >= Permit) | High
  Permitted | @T(WaterPres < Low)     | TooLow
  High      | @T(WaterPres < Permit)  | Permitted
TABLE Overridden EVENT CLASS Pressure
  High              | NEVER                           | @T(INMODE)
  TooLow, Permitted | @T(Block = On) WHEN Reset = Off | @T(INMODE) OR @T(Reset = On)
  ------------------+---------------------------------+------------------------------
  Overridden        | True                            | False
TABLE SafetyInjection CONDITION CLASS Pressure
  High, Permitted | True       | False
  TooLow          | Overridden | NOT Overridden
  SafetyInjection | Off        | On
",
    "-- numbers, choices, parentheses, a line that goes on
MONITORED
  n, m : 0..2
  x, y : Boolean
TERMS
  t : 0..2 INIT 0
CONTROLLED
  out : {a, b, c} INIT a or b
TABLE t EVENT
  @T(n + m > 2) WHEN (x OR NOT y) AND n /= 1 | @C(m) WHERE x AND \\
    y
  t | MIN(t + 1, 2) | n or 2 - n
TABLE out EVENT
  * | (@T(x) OR @F(y AND x)) WHILE t < 2 | @T(n IN {0, 2}) WHEN out = a
  out | {b, c} | a
",
];

fn read(text: &str) -> Result<(Output, Sources), String> {
    read_tables(text, "scr", Reading { allow_overlap: true, ..Reading::default() })
}

fn made<'o>(model: &Model, options: &'o Options) -> (Builder<'o>, Mutants) {
    let mut builder = Builder::new(model.clone(), options);
    builder.criterion = "mutation".into();
    let all: Vec<usize> = (0..OPERATORS.len()).collect();
    let found = mutants(&mut builder, &all);
    mutation::add_goals(&mut builder, &found);
    (builder, found)
}

/// Does some row of a condition table lack a condition that holds?
fn has_gap(output: &Output, state: &Values) -> bool {
    let gaps = output.checks.iter().filter(|check| check.name.starts_with("coverage_"));
    gaps.into_iter().any(|check| match check.target {
        Target::State(expr) => evaluate(&output.model, expr, state, &[]).as_bool() == Some(true),
        _ => panic!("a gap is in a state"),
    })
}

/// What a mutant and its text differ in, apart from states in which the text has no value. The steps
/// from some states are compared, other ones for each mutant.
fn difference(mutant: &Model, again: &Output, offset: usize) -> Option<String> {
    let [one, other] = [mutant, &again.model].map(Explorer::new);
    let whole = |states: BTreeSet<Values>| -> BTreeSet<Values> {
        states.into_iter().filter(|state| !has_gap(again, state)).collect()
    };
    if whole(one.initial().allowed) != whole(other.initial().allowed) {
        return Some("the initial states".into());
    }
    for state in one.states().into_iter().skip(offset % STRIDE).step_by(STRIDE) {
        // A value outside its type is no value; in a choice it leaves the others.
        let found = other.successors(&state);
        let next = |steps: BTreeSet<(Values, Values)>| -> BTreeSet<Values> {
            let steps = steps.into_iter().filter(|step| !found.failing.contains(step));
            whole(steps.map(|(_, next)| next).collect())
        };
        if next(one.successors(&state).allowed) != next(found.allowed.clone()) {
            return Some(format!("the steps from {state:?}"));
        }
    }
    for (define, changed) in mutant.defines.iter().zip(&again.model.defines) {
        let value = |model: &Model, expr| match evaluate(model, expr, &[], &[]) {
            Cell::Value(value) => Some(value),
            _ => None,
        };
        if value(mutant, define.body.expr) != value(&again.model, changed.body.expr) {
            return Some(format!("the constant {}", define.name));
        }
    }
    None
}

/// How many mutants are compared, and how many are no specifications.
fn compare(text: &str, operators: &mut BTreeSet<&'static str>) -> (usize, usize) {
    let (output, sources) = read(text).unwrap_or_else(|findings| panic!("{findings}\n{text}"));
    let file = sources.files()[0].span();
    let options = Options::default();
    let (builder, found) = made(&output.model, &options);
    let texts = Texts::new(&builder.model, &sources);
    let (mut n_read, mut n_other) = (0, 0);
    let mut diffs = BTreeSet::new();
    for mutant in &found.list {
        let id = mutant.id(&found.subjects);
        let subject = &found.subjects[mutant.subject];
        let change = texts.change(subject, mutant);
        let change = change.unwrap_or_else(|| panic!("{id} has no text\n{text}"));
        let changed = change.apply(&sources, file);
        let is_new = diffs.insert((mutant.operator, changed.clone(), change.variable.clone()));
        assert!(is_new, "{id} looks like another\n{text}");
        // Without a prime in it a rule is about states, and not about steps any more.
        let is_step = |expr| builder.model.exprs.info(expr).reads.any(Reads::STEP);
        if subject.kind == SubjectKind::Constraint(ConstraintKind::Trans) && !is_step(mutant.root) {
            n_other += 1;
            continue;
        }
        let again = match (read(&changed), &change.variable) {
            (Ok((again, _)), None) => again,
            // A circle, a value of another type, or a text that other variables share.
            _ => {
                n_other += 1;
                continue;
            }
        };
        let applied = mutant.apply(&found.subjects, &builder.model);
        let difference = difference(&applied, &again, n_read);
        assert_eq!(difference, None, "{id}\n{text}\n{changed}");
        operators.insert(OPERATORS[mutant.operator].name);
        n_read += 1;
    }
    (n_read, n_other)
}

#[test]
fn the_changed_text_of_a_table_is_the_mutant() {
    let mut operators = BTreeSet::new();
    for text in SPECS {
        let (n_read, n_other) = compare(text, &mut operators);
        assert!(n_read > 60 && n_other < n_read / 3, "{n_read} read, {n_other} not");
    }
    assert!(operators.len() >= 7, "{operators:?}");
}

#[test]
fn the_changed_text_of_random_tables_is_the_mutant() {
    let (mut n_all, mut n_none) = (0, 0);
    for seed in 2_000..2_030 {
        let spec = random_spec(&mut Rng::with_seed(seed));
        let n_states: usize = spec.vars.iter().map(|var| var.ty.values().len()).product();
        if n_states > 36 {
            continue;
        }
        let (n_read, n_other) = compare(&write(&spec, Form::Plain), &mut BTreeSet::new());
        n_all += n_read;
        n_none += n_other;
    }
    assert!(n_all > 500 && n_none < n_all / 2, "{n_all}, {n_none}");
}
