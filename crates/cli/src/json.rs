//! Values, states and traces as JSON.

use serde_json::{Map, Value as Json, json};
use trapline_model::trace::Trace;
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

/// A state: every variable and every definition, an array under its own name.
fn state(model: &Model, defines: &Defines, trace: &Trace, state_idx: usize) -> Map<String, Json> {
    let mut object = Map::new();
    let names: Vec<&str> = model.vars.iter().map(|var| var.name.as_str()).collect();
    let values = &trace.states[state_idx].values;
    add_members(&mut object, model, &model.arrays, &names, values);
    let names: Vec<&str> = model.defines.iter().map(|define| define.name.as_str()).collect();
    let values = defines.values(trace, state_idx);
    add_members(&mut object, model, &model.define_arrays, &names, &values);
    object
}

/// Adds what has a value; the elements of an array are one member.
fn add_members(
    object: &mut Map<String, Json>,
    model: &Model,
    arrays: &[Array],
    names: &[&str],
    values: &[Option<Value>],
) {
    let mut arrays = arrays.iter().peekable();
    let mut idx = 0;
    while idx < names.len() {
        while arrays.next_if(|array| (array.elements.start as usize) < idx).is_some() {}
        // An array that contains others comes before them.
        match arrays.next_if(|array| array.elements.start as usize == idx) {
            Some(whole) if !whole.elements.is_empty() => {
                object.extend(array_json(model, values, whole).map(|j| (whole.name.clone(), j)));
                idx = whole.elements.end as usize;
            }
            Some(_) => {}
            None => {
                let json = values[idx].map(|v| value(model, v));
                object.extend(json.map(|json| (names[idx].to_string(), json)));
                idx += 1;
            }
        }
    }
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
fn array_json(model: &Model, values: &[Option<Value>], array: &Array) -> Option<Json> {
    let elements = array.elements.start as usize..array.elements.end as usize;
    let values = values[elements].iter().map(|v| v.map(|v| value(model, v)));
    let mut row: Vec<Json> = values.collect::<Option<_>>()?;
    // The outermost dimension needs no folding: it is what remains.
    for (lo, hi) in array.dims.iter().skip(1).rev() {
        let length = usize::try_from(hi - lo + 1).unwrap_or(1).max(1);
        row = row.chunks(length).map(|chunk| Json::Array(chunk.to_vec())).collect();
    }
    Some(Json::Array(row))
}
