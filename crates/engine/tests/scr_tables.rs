//! Tables: what every engine says of the models of random specifications is what their definitions say.

use std::collections::BTreeSet;

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES, Engine, Outcome, Start, Verdict, checks};
use trapline_lang::{Options, Output, smv};
use trapline_model::check::Wanted;
use trapline_model::{ExprId, Model, Value};

use trapline_testkit::read_tables;
use trapline_testkit::scr::interpret::{
    Behaviour, Facts, Overlap, Place, State, behaviour, cells, facts,
};
use trapline_testkit::scr::random::random_spec;
use trapline_testkit::scr::write::{Form, shown, write};
use trapline_testkit::scr::{Rows, Spec, Ty};

/// So many specifications are compared.
const N_SPECS: u64 = 250;

fn specs() -> impl Iterator<Item = (u64, Spec, String)> {
    (0..N_SPECS).map(|seed| {
        let spec = random_spec(&mut Rng::with_seed(seed));
        let text = write(&spec, Form::Plain);
        (seed, spec, text)
    })
}

fn read_in(text: &str, language: &str, allow_overlap: bool) -> Output {
    let options = Options { allow_overlap, ..Options::default() };
    let read = read_tables(text, language, options);
    read.unwrap_or_else(|findings| panic!("{findings}\n{text}")).0
}

/// A value of the model as the specification has it.
fn number(spec: &Spec, model: &Model, var: usize, value: Value) -> i64 {
    match (value, &spec.vars[var].ty) {
        (Value::Bool(value), Ty::Bool) => value.into(),
        (Value::Int(value), Ty::Range(..)) => value,
        (Value::Symbol(symbol), Ty::Enum(names)) => {
            let name = model.symbols.name(symbol);
            names.iter().position(|known| known == name).expect("a value of the type") as i64
        }
        (value, ty) => panic!("{value:?} is no value of {ty:?}"),
    }
}

/// The states of a model that can be reached, and its steps.
fn behaviour_of(
    spec: &Spec,
    model: &Model,
    engine: &Engine,
    what: &str,
) -> (BTreeSet<State>, BTreeSet<(State, State)>) {
    let mut model = model.clone();
    let vars = spec.vars.iter().map(|var| model.find_var(&var.name).expect("declared"));
    let old: Vec<ExprId> =
        vars.collect::<Vec<_>>().into_iter().map(|v| model.var_expr(v)).collect();
    let new: Vec<ExprId> = old.iter().map(|&expr| model.exprs.prime(expr)).collect();
    let all = |exprs: &[ExprId]| -> Vec<State> {
        let found = (engine.project)(&model, exprs, &Start::Initial, &Budget::unlimited());
        assert_eq!(found.incomplete, None, "{}\n{what}", engine.name);
        let state = |values: &[Option<Value>]| -> State {
            let values = values.iter().enumerate();
            values
                .map(|(idx, v)| number(spec, &model, idx % old.len(), v.expect("a value")))
                .collect()
        };
        found.values.iter().map(|found| state(&found.values)).collect()
    };
    let steps = all(&[old.clone(), new].concat());
    let n_vars = old.len();
    let steps = steps.into_iter().map(|both| (both[..n_vars].to_vec(), both[n_vars..].to_vec()));
    (all(&old).into_iter().collect(), steps.collect())
}

fn compare_behaviour(spec: &Spec, model: &Model, meant: &Behaviour, engine: &Engine, what: &str) {
    let (states, steps) = behaviour_of(spec, model, engine, what);
    let what = format!("{}, {what}", engine.name);
    let difference = states.symmetric_difference(&meant.states).next();
    assert_eq!(difference, None, "a state\n{what}");
    let difference = steps.symmetric_difference(&meant.steps).next();
    assert_eq!(difference, None, "a step\n{what}");
}

#[test]
fn models_of_tables_do_what_the_definitions_say() {
    let mut n_steps = 0;
    for (seed, spec, text) in specs() {
        let meant = behaviour(&spec, Overlap::Wrong);
        let model = read_in(&text, "scr", false).model;
        for (idx, engine) in ENGINES.iter().enumerate() {
            // Listing every step one by one is what a solver is worst at.
            if idx == 0 || engine.name == "sat" && (seed % 10 != 0 || meant.steps.len() > 300) {
                continue;
            }
            compare_behaviour(&spec, &model, &meant, engine, &text);
        }
        n_steps += meant.steps.len();
    }
    assert!(n_steps > 10_000, "{n_steps}");
}

#[test]
fn a_choice_gives_exactly_the_values_of_the_rows_that_apply() {
    let mut n_more = 0;
    for (_, spec, text) in specs() {
        let meant = behaviour(&spec, Overlap::Choice);
        let model = read_in(&text, "scr", true).model;
        compare_behaviour(&spec, &model, &meant, &ENGINES[1], &text);
        n_more += usize::from(behaviour(&spec, Overlap::Wrong).steps != meant.steps);
    }
    assert!(n_more > 20, "{n_more}");
}

#[test]
fn all_forms_of_a_specification_are_the_same_model() {
    for (_, spec, text) in specs() {
        let flat = smv::print::flat(&read_in(&text, "scr", false).model);
        for (form, language) in [(Form::Markdown, "scr-markdown"), (Form::Csv, "scr-csv")] {
            let other = write(&spec, form);
            let again = smv::print::flat(&read_in(&other, language, false).model);
            assert_eq!(again, flat, "{text}\n{other}");
        }
    }
}

/// What each check is called and whether its target is reached.
fn expected(spec: &Spec, facts: &Facts) -> Vec<(String, bool)> {
    let mut list = Vec::new();
    for (idx, var) in spec.vars.iter().enumerate() {
        list.push((format!("initial_{}", var.name), facts.wrong_at_first.contains(&idx)));
    }
    for (idx, table) in spec.tables.iter().enumerate() {
        let name = &spec.vars[table.var].name;
        let label = |(row, column): Place| match table.rows {
            Rows::Mode(_) => format!("{}", row + 1),
            _ => format!("{}_{}", row + 1, column + 1),
        };
        let cells = cells(table);
        for (n_before, &first) in cells.iter().enumerate() {
            for &second in &cells[n_before + 1..] {
                let check = format!("overlap_{name}_{}_and_{}", label(first), label(second));
                list.push((check, facts.overlaps.contains(&(idx, first, second))));
            }
        }
        if let Rows::Condition(rows) = &table.rows {
            list.push((format!("initial_{name}"), facts.other_start.contains(&idx)));
            for row in 0..rows.len() {
                let check = format!("coverage_{name}_{}", row + 1);
                list.push((check, facts.gaps.contains(&(idx, row))));
            }
        }
        if let Some(reached) = facts.reached.get(&idx) {
            let ty = &spec.vars[table.var].ty;
            for mode in ty.values() {
                let check = format!("reachable_{name}_{}", shown(ty, mode));
                list.push((check, reached.contains(&mode)));
            }
        }
    }
    list
}

#[test]
fn every_engine_gives_checks_and_claims_the_verdict_of_the_definitions() {
    let (mut n_bad, mut n_false) = (0, 0);
    for (_, spec, text) in specs() {
        let facts = facts(&spec, &behaviour(&spec, Overlap::Wrong));
        let output = read_in(&text, "scr", false);
        let expected = expected(&spec, &facts);
        for check in &output.checks {
            assert!(expected.iter().any(|(name, _)| *name == check.name), "{}\n{text}", check.name);
        }
        for engine in ENGINES {
            n_bad += compare_checks(&output, &expected, engine, &text);
            n_false += compare_claims(&output.model, &facts, engine, &text);
        }
    }
    assert!(n_bad > 100 && n_false > 100, "{n_bad} checks and {n_false} claims are violated");
}

/// How many checks are violated.
fn compare_checks(
    output: &Output,
    expected: &[(String, bool)],
    engine: &Engine,
    text: &str,
) -> usize {
    let budget = Budget::unlimited();
    let verdicts = checks::decide(&output.model, &output.checks, engine, &budget).verdicts;
    let mut n_bad = 0;
    for (name, is_reached) in expected {
        let what = format!("{name}, {}\n{text}", engine.name);
        let Some(idx) = output.checks.iter().position(|check| check.name == *name) else {
            assert!(!is_reached, "nobody asks about {what}");
            continue;
        };
        match (&verdicts[idx], is_reached) {
            (Verdict::Reached { .. }, true) | (Verdict::Unreachable(_), false) => {}
            (verdict, _) => panic!("{verdict:?} of {what}"),
        }
        n_bad += usize::from(*is_reached == (output.checks[idx].wanted != Wanted::Sometime));
    }
    n_bad
}

/// How many claims are violated.
fn compare_claims(model: &Model, facts: &Facts, engine: &Engine, text: &str) -> usize {
    let all: Vec<usize> = (0..model.properties.len()).collect();
    let outcomes = (engine.check)(model, &all, &Budget::unlimited()).outcomes;
    for (property, outcome) in model.properties.iter().zip(&outcomes) {
        let name = property.name.as_deref().expect("named");
        let idx: usize = name.trim_start_matches("claim").parse().expect("a number");
        match (outcome, facts.violated.contains(&idx)) {
            (Outcome::False(_), true) | (Outcome::True(_), false) => {}
            (outcome, _) => panic!("{outcome:?} of {name}, {}\n{text}", engine.name),
        }
    }
    facts.violated.len()
}
