//! A trace in the Informal Trace Format, which Apalache, Quint and their tools read.
//!
//! The format is <https://apalache-mc.org/docs/adr/015adr-trace.html>. All numbers are written
//! as `#bigint`, words too: their width is a matter of the model. What has no value in a state
//! (the inputs of a step that is not taken) is left out.

use serde_json::{Map, Value as Json, json};
use trapline_model::{Model, Value, notation};
use trapline_suite::defines::Defines;
use trapline_suite::write::states;

use super::{Titled, Traces, json};

/// Writes one trace.
pub fn write(traces: &Traces<'_>, titled: &Titled<'_>) -> String {
    let model = traces.model;
    let defines = Defines::new(model);
    let mut names = Vec::new();
    let mut states = Vec::new();
    for state_idx in 0..titled.trace.states.len() {
        let members = states::state(model, &defines, titled.trace, state_idx, value);
        if state_idx == 0 {
            names = members.keys().cloned().collect();
        }
        let mut state = Map::new();
        state.insert("#meta".into(), json!({ "index": state_idx }));
        state.extend(members);
        states.push(Json::Object(state));
    }
    let mut document = json!({
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": traces.path,
            "description": titled.title,
        },
        "params": [],
        "vars": names,
        "states": states,
    });
    if let Some(start) = titled.trace.loop_start {
        document["loop"] = start.into();
    }
    json::lines(&document)
}

fn value(model: &Model, value: Value) -> Json {
    let number = |number: i128| json!({ "#bigint": number.to_string() });
    match value {
        Value::Bool(b) => b.into(),
        Value::Int(i) => number(i.into()),
        Value::Word(word) => number(word.to_i128()),
        Value::Real(real) if real.den() == 1 => number(real.num().into()),
        Value::Symbol(_) | Value::Real(_) => notation::value(model, value).into(),
    }
}
