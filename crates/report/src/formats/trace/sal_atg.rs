//! Tests as `sal-atg` prints them.
//!
//! Without an option it prints what is given to the system, with `--fullpath` whole states. Its lengths
//! count steps. Truth values are `true` and `false`, other values as the model's language writes them.

use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Role, Value, VarKind};

use super::Traces;

/// A line between tests, and one between states.
const BETWEEN_TESTS: &str = "========================\n";
const BETWEEN_STATES: &str = "------------------------\n";

/// The criterion of a goal of the user's, in its id.
const OWN: &str = "trap:";

/// Writes the inputs of all tests.
pub fn write(traces: &Traces<'_>) -> String {
    text(traces, &[Part::Inputs])
}

/// Writes whole states.
pub fn write_full(traces: &Traces<'_>) -> String {
    text(traces, &[Part::Inputs, Part::System])
}

/// A part of a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// What the tester gives.
    Inputs,
    /// The variables of the system.
    System,
}

fn text(traces: &Traces<'_>, parts: &[Part]) -> String {
    let mut text = heading(traces);
    for titled in &traces.list {
        text += &format!("{BETWEEN_TESTS}Path\n{BETWEEN_TESTS}");
        text += &path(traces.model, titled.trace, parts);
    }
    text
}

/// How many tests there are, and what they miss.
fn heading(traces: &Traces<'_>) -> String {
    let n_steps: usize = traces.list.iter().map(|titled| titled.trace.states.len() - 1).sum();
    let tests = match traces.list.len() {
        0 => "No tests generated".into(),
        n_tests => format!("{n_tests} tests generated; total length {n_steps}"),
    };
    let name = |id: &'_ String| id.strip_prefix(OWN).unwrap_or(id).to_string();
    let missed: Vec<String> = traces.missed.iter().map(name).collect();
    let goals = match missed.len() {
        0 => "All test goals discharged.".into(),
        n_missed => format!("{n_missed} undischarged test goals:({})", missed.join(" ")),
    };
    format!("{tests}\n{goals}\n")
}

fn path(model: &Model, trace: &Trace, parts: &[Part]) -> String {
    let states = trace.states.iter().enumerate().map(|(idx, state)| {
        let begin = match trace.loop_start == Some(idx) {
            true => format!("{BETWEEN_TESTS}Begin of Cycle\n{BETWEEN_TESTS}"),
            false => String::new(),
        };
        let parts = parts.iter().map(|part| part_of(model, state, *part));
        format!("{begin}Step {idx}:\n{}", parts.collect::<String>())
    });
    states.collect::<Vec<String>>().join(BETWEEN_STATES)
}

fn part_of(model: &Model, state: &State, part: Part) -> String {
    let mut text = String::from(match part {
        Part::Inputs => "--- Input Variables (assignments) ---\n",
        Part::System => "--- System Variables (assignments) ---\n",
    });
    for (var, value) in model.vars.iter().zip(&state.values) {
        let is_meant = match part {
            Part::Inputs => var.role == Role::Input,
            // What is chosen inside a step is no part of a state.
            Part::System => var.role != Role::Input && var.kind != VarKind::Input,
        };
        if let (true, Some(value)) = (is_meant, value) {
            text += &format!("{} = {}\n", var.name, shown(model, *value));
        }
    }
    text
}

fn shown(model: &Model, value: Value) -> String {
    match value {
        Value::Bool(holds) => holds.to_string(),
        value => model.show(value),
    }
}
