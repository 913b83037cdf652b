//! Which choices of the model an implementation made, and which never.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use trapline_budget::Budget;
use trapline_engine::possible::{Exchange, Listed, Output, Outputs, Possible, StateList};
use trapline_goals::subgoals::Subgoals;
use trapline_model::{Model, Value};
use trapline_suite::write::states;

use crate::plan::Planner;
use crate::result::RunResult;
use crate::tester::{Explanations, Tester};

/// An output for which the model left a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The output.
    pub output: Output,
    /// The values that could be chosen together, each with how often it was.
    pub values: Vec<(Value, usize)>,
}

impl Choice {
    /// The name of the output.
    pub fn name<'m>(&self, model: &'m Model) -> &'m str {
        match self.output {
            Output::Var(var) => &model.var(var).name,
            Output::Define(define) => &model.define(define).name,
        }
    }
}

/// At most so many initial states are compared.
const MAX_INITIAL: usize = 4_000;

/// The choices that were offered in a run, as far as the states that the model may have been in are
/// listed. Outputs that were offered the same values are counted together.
pub fn choices(
    subgoals: &Subgoals,
    run: &RunResult,
    unseen: &[Output],
    budget: &Budget<'_>,
) -> Vec<Choice> {
    let tester = Tester::new(&subgoals.model, budget);
    let mut planner = Planner::new(tester.listed(), unseen);
    let mut counts: BTreeMap<(Output, Vec<Value>), Vec<usize>> = BTreeMap::new();
    for (_, test) in &run.tests {
        for explanations in std::iter::once(&test.explanations).chain(&test.others) {
            for (offered, taken) in offered(explanations, &tester, &mut planner) {
                count(&offered, &taken, &mut counts);
            }
        }
    }
    let choices = counts.into_iter().map(|((output, values), counts)| Choice {
        output,
        values: values.into_iter().zip(counts).collect(),
    });
    choices.collect()
}

/// For each exchange what could have been shown, and what was.
fn offered(
    explanations: &Explanations,
    tester: &Tester<'_, '_>,
    planner: &mut Planner<'_, '_, '_>,
) -> Vec<(Vec<Outputs>, Outputs)> {
    let ports = tester.ports();
    let mut list = Vec::new();
    let shown = |place: usize| {
        let state = explanations.layers.get(place)?.states.first()?;
        Some(ports.shown(state))
    };
    if let (Some(first), Some(taken)) = (explanations.exchanges.first(), shown(0)) {
        let exchange = Exchange { inputs: first.inputs.clone(), outputs: Outputs::new() };
        if let Ok(Listed { list: states, is_complete: true }) =
            tester.listed().starts(&exchange, MAX_INITIAL)
            && let Ok(outputs) = tester.listed().outputs(&StateList { states }, MAX_INITIAL)
        {
            list.push((outputs.list, taken));
        }
    }
    for (place, layer) in explanations.layers.iter().enumerate() {
        let (Some(exchange), Some(taken)) =
            (explanations.exchanges.get(place + 1), shown(place + 1))
        else {
            break;
        };
        let belief = planner.belief(layer.states.clone());
        let Ok(Some(next)) = planner.next(belief) else { continue };
        let next = next.iter().filter(|it| it.inputs == exchange.inputs);
        list.push((next.map(|it| it.outputs.clone()).collect(), taken));
    }
    list
}

fn count(
    offered: &[Outputs],
    taken: &Outputs,
    counts: &mut BTreeMap<(Output, Vec<Value>), Vec<usize>>,
) {
    for &(output, value) in taken {
        let values = offered.iter().flatten().filter(|(it, _)| *it == output);
        let mut values: Vec<Value> = values.map(|(_, value)| *value).collect();
        values.sort_unstable();
        values.dedup();
        let Ok(place) = values.binary_search(&value) else { continue };
        if values.len() > 1 {
            let n_values = values.len();
            counts.entry((output, values)).or_insert_with(|| vec![0; n_values])[place] += 1;
        }
    }
}

/// As JSON.
pub fn json(model: &Model, choice: &Choice) -> Json {
    let values = choice
        .values
        .iter()
        .map(|&(value, n_seen)| json!({"value": states::value(model, value), "seen": n_seen}));
    json!({"output": choice.name(model), "values": values.collect::<Vec<_>>()})
}
