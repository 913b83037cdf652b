//! Judging a recorded run as if the implementation had just answered.

use serde_json::{Map, Value as Json};
use trapline_engine::possible::{Exchange, Inputs, Outputs};
use trapline_model::roles::timings;
use trapline_model::{Model, Timing, VarKind};
use trapline_suite::read::{Draft, PartialState};

use crate::adapters::Wire;
use crate::result::{Deviation, TestResult, Verdict};
use crate::tester::Tester;

/// So many allowed outputs are listed where others were recorded.
const MAX_ALLOWED: usize = 8;

/// A recorded run.
#[derive(Clone, Debug)]
pub struct Log {
    /// Its name.
    pub name: String,
    /// What was exchanged.
    pub exchanges: Vec<Exchange>,
}

impl Log {
    /// Exchanges as JSON lines: objects with `inputs` and `outputs`.
    ///
    /// # Errors
    /// The line that can't be read, counted from one, and why.
    pub fn from_lines(model: &Model, name: &str, text: &str) -> Result<Log, (usize, String)> {
        let mut wire = Wire::new(model);
        let mut exchanges = Vec::new();
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        for (idx, line) in lines {
            let exchange = line_exchange(&mut wire, line).map_err(|why| (idx + 1, why))?;
            exchanges.push(exchange);
        }
        Ok(Log { name: name.into(), exchanges })
    }

    /// The states of a test that was read, as far as they were recorded.
    pub fn from_draft(model: &Model, draft: &Draft) -> Log {
        let timings = timings(model);
        let wire = Wire::new(model);
        let states = &draft.states;
        let exchange = |idx: usize| Exchange {
            inputs: inputs(model, &timings, states, idx),
            outputs: wire.outputs(&states[idx]),
        };
        Log { name: draft.name.clone(), exchanges: (0..states.len()).map(exchange).collect() }
    }
}

fn inputs(model: &Model, timings: &[Timing], states: &[PartialState], idx: usize) -> Inputs {
    let wire_value = |state: usize, var: trapline_model::VarId| states[state].vars[var.0 as usize];
    let mut inputs = Inputs::new();
    for (var, declared) in model.var_ids() {
        if declared.role != trapline_model::Role::Input {
            continue;
        }
        let is_step = timings[var.0 as usize] == Timing::Step && declared.kind != VarKind::Frozen;
        let state = if is_step { idx.checked_sub(1) } else { Some(idx) };
        inputs.extend(state.and_then(|it| wire_value(it, var)).map(|value| (var, value)));
    }
    inputs
}

fn line_exchange(wire: &mut Wire<'_>, line: &str) -> Result<Exchange, String> {
    let json: Json = serde_json::from_str(line).map_err(|_| "this is not a line of JSON")?;
    let none = Map::new();
    let part = |name: &str| match json.get(name) {
        None => Ok(&none),
        Some(part) => part.as_object().ok_or_else(|| format!("`{name}` is not an object")),
    };
    // A record of what was sent serves as well.
    let inputs = ["inputs", "reset", "step"].into_iter().find(|name| json.get(name).is_some());
    let shown = wire.shown(part(inputs.unwrap_or("inputs"))?, part("outputs")?)?;
    Ok(Exchange { inputs: shown.inputs, outputs: shown.outputs })
}

/// Judges a log.
pub fn judge(log: &Log, tester: &Tester<'_, '_>) -> TestResult {
    let mut knowledge = tester.begin();
    let mut end = None;
    for (idx, exchange) in log.exchanges.iter().enumerate() {
        let at = |verdict, message: String| {
            (verdict, Deviation { exchange: idx, message, ..Deviation::default() })
        };
        let why = match knowledge.learn(exchange) {
            Ok(true) => continue,
            Ok(false) => knowledge.allowed(&exchange.inputs, MAX_ALLOWED),
            Err(why) => Err(why),
        };
        end = Some(match why {
            Err(why) => at(Verdict::Inconclusive, format!("it is not decided: {why}")),
            Ok(allowed) if allowed.list.is_empty() => {
                let text = "the model has no step with these inputs: the environment left it";
                at(Verdict::Inconclusive, text.into())
            }
            Ok(allowed) => {
                let (verdict, deviation) =
                    at(Verdict::Fail, "the model does not allow this answer".into());
                let observed: Outputs = exchange.outputs.clone();
                let (allowed, is_all_allowed) = (allowed.list, allowed.is_complete);
                (verdict, Deviation { observed, allowed, is_all_allowed, ..deviation })
            }
        });
        break;
    }
    let (verdict, deviation) = match end {
        Some((verdict, deviation)) => (verdict, Some(deviation)),
        None => (Verdict::Pass, None),
    };
    let (mut exchanges, explanations) = knowledge.into_parts();
    if deviation.is_some() {
        exchanges.extend(log.exchanges.get(exchanges.len()).cloned());
    }
    TestResult {
        name: log.name.clone(),
        verdict,
        deviation,
        exchanges,
        explanations,
        stderr: String::new(),
        extra: Vec::new(),
    }
}
