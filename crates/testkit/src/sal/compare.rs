//! A model that was read from a context, beside what the context means.

use std::collections::BTreeSet;

use trapline_engine::{Budget, Engine, Outcome, Start};
use trapline_lang::Output;
use trapline_model::{ExprId, Model, Value};

use super::evaluate::values;
use super::interpret::Behaviour;
use super::write::{NAME, whole};
use super::{Spec, Ty, Var};
use crate::try_read_sal;

/// The numbers of all scalars.
type Numbers = Vec<i64>;

/// The scalars of a variable, as expressions, each with its type.
fn leaves(spec: &Spec, var: &Var) -> Vec<(String, Ty)> {
    let mut all = Vec::new();
    let mut stack = vec![(var.name.clone(), var.ty.clone())];
    while let Some((text, ty)) = stack.pop() {
        let parts: Vec<(String, Ty)> = match ty {
            Ty::Array(index, element) => {
                let shown =
                    |value| super::write::expr(spec, &super::expression::constant(&index, value));
                let indices = values(spec, &index);
                indices
                    .iter()
                    .map(|v| (format!("{text}[{}]", shown(v)), (*element).clone()))
                    .collect()
            }
            Ty::Record(fields) => {
                fields.into_iter().map(|(name, ty)| (format!("{text}.{name}"), ty)).collect()
            }
            Ty::Tuple(types) => {
                let types = types.into_iter().enumerate();
                types.map(|(at, ty)| (format!("{text}.{}", at + 1), ty)).collect()
            }
            ty => {
                all.push((text, ty));
                continue;
            }
        };
        stack.extend(parts.into_iter().rev());
    }
    all
}

/// The questions that tell the value of a scalar: whether it is this one, or that one.
fn questions(spec: &Spec, (text, ty): &(String, Ty)) -> Vec<(String, i64)> {
    let shown = |value| super::write::expr(spec, &super::expression::constant(ty, value));
    let all = values(spec, ty);
    all.iter().map(|value| (format!("{text} = {}", shown(value)), value.number())).collect()
}

/// Reads the text of a context.
///
/// # Errors
/// What is wrong with it, in the eyes of the reader.
pub fn read(spec: &Spec, text: &str, vars: &[Var]) -> Result<Output, String> {
    let leaves = vars.iter().flat_map(|var| leaves(spec, var));
    let asked = leaves.flat_map(|leaf| questions(spec, &leaf)).map(|(text, _)| text);
    try_read_sal(text, whole(spec), &asked.collect::<Vec<_>>())
}

/// What is different between what a context means and what an engine says of its model.
///
/// # Errors
/// The first difference.
pub fn compare(
    spec: &Spec,
    meant: &Behaviour,
    (model, exprs): (&Model, &[ExprId]),
    engine: &Engine,
) -> Result<(), String> {
    let mut model = model.clone();
    let leaves: Vec<(String, Ty)> = meant.vars.iter().flat_map(|var| leaves(spec, var)).collect();
    let asked: Vec<Vec<(String, i64)>> = leaves.iter().map(|leaf| questions(spec, leaf)).collect();
    let now = exprs.to_vec();
    let next: Vec<ExprId> = now.iter().map(|&expr| model.exprs.prime(expr)).collect();
    let found = |exprs: &[ExprId]| -> Result<BTreeSet<Numbers>, String> {
        let found = (engine.project)(&model, exprs, &Start::Initial, &Budget::unlimited());
        if let Some(why) = found.incomplete {
            return Err(format!("{}: {why:?}", engine.name));
        }
        let numbers = |answers: &[Option<Value>]| -> Result<Numbers, String> {
            let mut answers = answers.iter();
            let mut numbers = Numbers::new();
            while !answers.as_slice().is_empty() {
                for questions in &asked {
                    let own = questions.iter().zip(answers.by_ref());
                    let yes = own.filter(|(_, answer)| **answer == Some(Value::Bool(true)));
                    let yes: Vec<i64> = yes.map(|((_, number), _)| *number).collect();
                    let [one] = yes[..] else {
                        return Err(format!("no value, or several, of {questions:?}: {yes:?}"));
                    };
                    numbers.push(one);
                }
            }
            Ok(numbers)
        };
        found.values.iter().map(|found| numbers(&found.values)).collect()
    };
    let names: Vec<&str> = leaves.iter().map(|(name, _)| name.as_str()).collect();
    let flat = |state: &super::evaluate::State| {
        let mut all = Vec::new();
        state.iter().for_each(|value| value.scalars(&mut all));
        all
    };
    let states: BTreeSet<Numbers> = meant.states.iter().map(flat).collect();
    let both = [now.as_slice(), &next].concat();
    let steps: BTreeSet<Numbers> =
        meant.steps.iter().map(|(from, to)| [flat(from), flat(to)].concat()).collect();
    for (what, meant, found) in [("state", states, found(&now)?), ("step", steps, found(&both)?)] {
        for (more, less, who) in [(&found, &meant, "the model"), (&meant, &found, "the context")] {
            if let Some(one) = more.difference(less).next() {
                return Err(format!("a {what} that only {who} of {NAME} has: {names:?} = {one:?}"));
            }
        }
    }
    Ok(())
}

/// How many theorems have the verdict that follows from what a context means.
///
/// # Errors
/// One with another verdict.
pub fn compare_claims(
    spec: &Spec,
    meant: &Behaviour,
    model: &Model,
    engine: &Engine,
) -> Result<usize, String> {
    let all: Vec<usize> = (0..model.properties.len()).collect();
    let outcomes = (engine.check)(model, &all, &Budget::unlimited()).outcomes;
    let mut n_equal = 0;
    for claim in &spec.claims {
        let is_it = |name: &Option<String>| name.as_deref() == Some(claim.name.as_str());
        let idx = model.properties.iter().position(|property| is_it(&property.name));
        let Some(idx) = idx else { return Err(format!("no property {}", claim.name)) };
        let Some(expected) = meant.says(spec, claim) else { continue };
        match (&outcomes[idx], expected) {
            (Outcome::False(_), false) | (Outcome::True(_), true) => n_equal += 1,
            (outcome, expected) => {
                let name = &claim.name;
                return Err(format!("{name} is {expected}, {} says {outcome:?}", engine.name));
            }
        }
    }
    Ok(n_equal)
}
