//! Values, states and traces as JSON.

use serde_json::{Map, Value as Json, json};
use trapline_model::trace::{State, Trace};
use trapline_model::{Array, Model, Value};

use crate::defines::Defines;

/// What a `trapline-trace/1` document holds.
#[derive(Clone, Copy)]
pub struct TraceDocument<'a> {
    /// The path of the model.
    pub path: &'a str,
    /// The model.
    pub model: &'a Model,
    /// The traces.
    pub traces: &'a [Trace],
    /// Was all the work done?
    pub is_complete: bool,
}

/// The document as text, a state a line.
pub fn document(document: TraceDocument<'_>) -> String {
    let TraceDocument { path, model, traces, is_complete } = document;
    let defines = Defines::new(model);
    let path = json!(path);
    let mut text = format!(
        r#"{{"format": "trapline-trace/1", "model": {path}, "complete": {is_complete}, "traces": ["#
    );
    for (trace_idx, trace) in traces.iter().enumerate() {
        text += if trace_idx == 0 { "\n" } else { ",\n" };
        text += r#"{"states": ["#;
        for state_idx in 0..trace.states.len() {
            text += if state_idx == 0 { "\n " } else { ",\n " };
            text += &Json::Object(state(model, &defines, trace, state_idx)).to_string();
        }
        text += &format!("],\n \"loop\": {}}}", json!(trace.loop_start));
    }
    text += "]}\n";
    text
}

/// A state: every variable, an array under its own name, and every definition.
fn state(model: &Model, defines: &Defines, trace: &Trace, state_idx: usize) -> Map<String, Json> {
    let state = &trace.states[state_idx];
    let mut object = Map::new();
    let mut arrays = model.arrays.iter().peekable();
    let mut var_idx = 0;
    while var_idx < model.vars.len() {
        while arrays.next_if(|array| (array.elements.start as usize) < var_idx).is_some() {}
        // An array that contains others comes before them.
        match arrays.next_if(|array| array.elements.start as usize == var_idx) {
            Some(whole) if !whole.elements.is_empty() => {
                object.extend(array_json(model, state, whole).map(|j| (whole.name.clone(), j)));
                var_idx = whole.elements.end as usize;
            }
            Some(_) => {}
            None => {
                let value = state.values[var_idx].map(|v| value(model, v));
                object.extend(value.map(|json| (model.vars[var_idx].name.clone(), json)));
                var_idx += 1;
            }
        }
    }
    for (define, value_now) in model.defines.iter().zip(defines.values(trace, state_idx)) {
        object.extend(value_now.map(|v| (define.name.clone(), value(model, v))));
    }
    object
}

/// A value. What JSON has no number for is a string in SMV notation.
pub fn value(model: &Model, value: Value) -> Json {
    match value {
        Value::Bool(b) => b.into(),
        Value::Int(i) => i.into(),
        Value::Real(r) if r.den() == 1 => r.num().into(),
        Value::Symbol(_) | Value::Word(_) | Value::Real(_) => model.show(value).into(),
    }
}

/// An array, nested by its dimensions; `None` where an element has no value.
fn array_json(model: &Model, state: &State, array: &Array) -> Option<Json> {
    let elements = array.elements.start as usize..array.elements.end as usize;
    let values = state.values[elements].iter().map(|v| v.map(|v| value(model, v)));
    let mut row: Vec<Json> = values.collect::<Option<_>>()?;
    // The outermost dimension needs no folding: it is what remains.
    for (lo, hi) in array.dims.iter().skip(1).rev() {
        let length = usize::try_from(hi - lo + 1).unwrap_or(1).max(1);
        row = row.chunks(length).map(|chunk| Json::Array(chunk.to_vec())).collect();
    }
    Some(Json::Array(row))
}
