//! Traces as CSV: a header of names, one row a state, a blank line between traces.

use super::Traces;
use crate::defines::Defines;

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
        for (state_idx, state) in titled.trace.states.iter().enumerate() {
            let of_defines = defines.values(titled.trace, state_idx);
            let values = state.values.iter().copied().chain(of_defines);
            text += &row(values.map(|v| v.map_or(String::new(), |v| model.show(v))));
        }
    }
    text
}

/// A line of cells, quoted where that is needed.
pub fn row(cells: impl Iterator<Item = String>) -> String {
    let mut text = cells.map(quoted).collect::<Vec<_>>().join(",");
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
