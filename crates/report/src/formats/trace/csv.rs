//! Traces as CSV: a header of names, one row a state, a blank line between traces.
//!
//! The format cannot express a loop. So a trace that loops ends with a copy of the state that
//! follows the last one: the step back is included, and the trace has no loop.

use trapline_model::trace::Trace;
use trapline_model::{Model, Value, VarKind, notation};
use trapline_suite::defines::Defines;

use super::Traces;

/// The traces as text. What has no value in a state is an empty cell.
pub fn write(traces: &Traces<'_>) -> String {
    let model = traces.model;
    let defines = Defines::new(model);
    let vars = model.vars.iter().map(|var| var.name.as_str());
    let names = vars.chain(model.defines.iter().map(|define| define.name.as_str()));
    let mut text = row(names.map(String::from));
    for (trace_idx, titled) in traces.list.iter().enumerate() {
        if trace_idx > 0 {
            text.push('\n');
        }
        let show = |value: Option<Value>| {
            value.map_or(String::new(), |value| notation::value(model, value))
        };
        for state_idx in 0..titled.trace.states.len() {
            let values = values(&defines, titled.trace, state_idx);
            text += &row(values.into_iter().map(show));
        }
        if let Some(start) = titled.trace.loop_start {
            let values = values(&defines, titled.trace, start);
            let is_step = is_step(model, &defines);
            // No step leaves this row.
            let values = values.into_iter().zip(is_step);
            text += &row(values.map(|(value, is_step)| show(value.filter(|_| !is_step))));
        }
    }
    text
}

/// The values of variables and definitions in a state.
fn values(defines: &Defines, trace: &Trace, state_idx: usize) -> Vec<Option<Value>> {
    let mut values = trace.states[state_idx].values.clone();
    values.extend(defines.values(trace, state_idx));
    values
}

/// Which of them belong to steps.
fn is_step(model: &Model, defines: &Defines) -> Vec<bool> {
    let vars = model.vars.iter().map(|var| var.kind == VarKind::Input);
    vars.chain((0..model.defines.len()).map(|idx| defines.is_step(idx))).collect()
}

/// A line of cells, quoted where that is needed.
pub fn row(cells: impl Iterator<Item = String>) -> String {
    let mut text = cells.map(quoted).collect::<Vec<_>>().join(",");
    // A blank line would be the end of a trace.
    if text.is_empty() {
        text += "\"\"";
    }
    text.push('\n');
    text
}

fn quoted(cell: String) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}
