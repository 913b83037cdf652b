//! Which choices of the model an implementation made, and which never.

use std::collections::{BTreeMap, BTreeSet};

use trapline_budget::Budget;
use trapline_engine::possible::{Exchange, Listed, Output, Outputs, Possible, StateList};
use trapline_goals::subgoals::Subgoals;
use trapline_model::Value;
use trapline_source::Span;

use crate::places::Evaluator;
use crate::plan::Planner;
use crate::result::RunResult;
use crate::tester::{Explanations, Step, Tester};

/// An output for which the model left a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The output.
    pub output: Output,
    /// What determined it: the branch, right-hand side or constraint.
    pub span: Option<Span>,
    /// The values that could be chosen, each with how often it was.
    pub values: Vec<(Value, usize)>,
}

/// How often each value of an output was chosen, by what determines it.
type Counts = BTreeMap<(Option<Span>, Output), BTreeMap<Value, usize>>;

/// What could have been shown in an exchange, what was, and a step that explains it.
struct Offer {
    outputs: Vec<Outputs>,
    taken: Outputs,
    step: Step,
}

/// At most so many initial states are compared.
const MAX_INITIAL: usize = 4_000;

/// The choices that were offered in a run, as far as the states that the model may have been in are
/// listed, by the places in the model that left them.
pub fn choices(
    subgoals: &Subgoals,
    run: &RunResult,
    unseen: &[Output],
    budget: &Budget<'_>,
) -> Vec<Choice> {
    let tester = Tester::new(&subgoals.model, budget);
    let mut planner = Planner::new(&tester, unseen);
    let places = Evaluator::new(&subgoals.model);
    let mut counts = Counts::new();
    for (_, test) in &run.tests {
        for explanations in std::iter::once(&test.explanations).chain(&test.others) {
            for offer in offers(explanations, &tester, &mut planner) {
                count(&places, &offer, &mut counts);
            }
        }
    }
    let choices = counts.into_iter().map(|((span, output), values)| Choice {
        output,
        span,
        values: values.into_iter().collect(),
    });
    choices.collect()
}

/// What was offered in each exchange.
fn offers(
    explanations: &Explanations,
    tester: &Tester<'_, '_>,
    planner: &mut Planner<'_, '_, '_>,
) -> Vec<Offer> {
    let Explanations { layers, exchanges, .. } = explanations;
    let ports = tester.ports();
    let mut offers = Vec::new();
    for (place, (layer, exchange)) in layers.iter().zip(exchanges).enumerate() {
        let (outputs, step) = match (place, layer.edges.first()) {
            (0, _) => {
                let Some(after) = layer.states.first().cloned() else { break };
                (first_outputs(tester, exchange), Step { before: None, after })
            }
            (_, None) => break,
            (_, Some((_, before, to))) => {
                let belief = planner.belief(layers[place - 1].states.clone());
                let Ok(Some(next)) = planner.next(belief) else { continue };
                let next = next.iter().filter(|it| it.inputs == exchange.inputs);
                let (before, after) = (Some(before.clone()), layer.states[*to].clone());
                (next.map(|it| it.outputs.clone()).collect(), Step { before, after })
            }
        };
        offers.push(Offer { outputs, taken: ports.shown(&step.after), step });
    }
    offers
}

/// What could have been shown at first.
fn first_outputs(tester: &Tester<'_, '_>, exchange: &Exchange) -> Vec<Outputs> {
    let open = Exchange { inputs: exchange.inputs.clone(), outputs: Outputs::new() };
    match tester.listed().starts(&open, MAX_INITIAL) {
        Ok(Listed { list: states, is_complete: true }) => {
            let outputs = tester.listed().outputs(&StateList { states }, MAX_INITIAL);
            outputs.map_or(Vec::new(), |outputs| outputs.list)
        }
        _ => Vec::new(),
    }
}

fn count(places: &Evaluator<'_>, Offer { outputs, taken, step }: &Offer, counts: &mut Counts) {
    let values = |output: Output| -> BTreeSet<Value> {
        outputs.iter().flatten().filter(|(it, _)| *it == output).map(|(_, value)| *value).collect()
    };
    let mut open: Vec<_> = taken.iter().filter(|(it, _)| values(*it).len() > 1).collect();
    // A definition has no choice of its own.
    let is_var = |it: &Output| matches!(it, Output::Var(_));
    if open.iter().any(|(output, _)| is_var(output)) {
        open.retain(|(output, _)| is_var(output));
    }
    for &(output, value) in open {
        let span = places.place(output, step);
        let seen = counts.entry((span, output)).or_default();
        values(output).into_iter().for_each(|value| *seen.entry(value).or_default() += 0);
        *seen.entry(value).or_default() += 1;
    }
}
