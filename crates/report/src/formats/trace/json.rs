//! Values, states and traces as JSON.

use serde_json::{Map, Value as Json, json};
use trapline_model::trace::Trace;
use trapline_model::{Array, Model, Value, notation};

use super::Traces;
use crate::defines::Defines;

/// How a value is written.
pub type WriteValue = fn(&Model, Value) -> Json;

/// A `trapline-trace/1` document, a state a line.
pub fn write(traces: &Traces<'_>) -> String {
    let Traces { path, model, list, is_complete } = traces;
    let defines = Defines::new(model);
    let path = json!(path);
    let mut text = format!(
        r#"{{"format": "trapline-trace/1", "model": {path}, "complete": {is_complete}, "traces": ["#
    );
    for (trace_idx, titled) in list.iter().enumerate() {
        text += if trace_idx == 0 { "\n" } else { ",\n" };
        text += r#"{"states": ["#;
        for state_idx in 0..titled.trace.states.len() {
            text += if state_idx == 0 { "\n " } else { ",\n " };
            let state = state(model, &defines, titled.trace, state_idx, value);
            text += &Json::Object(state).to_string();
        }
        text += &format!("],\n \"loop\": {}}}", json!(titled.trace.loop_start));
    }
    text += "]}\n";
    text
}

/// A trace as part of a larger document.
pub fn trace(model: &Model, defines: &Defines, trace: &Trace) -> Json {
    let state = |idx: usize| Json::Object(state(model, defines, trace, idx, value));
    let states: Vec<Json> = (0..trace.states.len()).map(state).collect();
    json!({ "states": states, "loop": trace.loop_start })
}

/// A state: every variable and every definition that has a value, an array under its own name.
pub fn state(
    model: &Model,
    defines: &Defines,
    trace: &Trace,
    state_idx: usize,
    write: WriteValue,
) -> Map<String, Json> {
    let mut object = Map::new();
    let names: Vec<&str> = model.vars.iter().map(|var| var.name.as_str()).collect();
    let values = write_all(model, &trace.states[state_idx].values, write);
    add_members(&mut object, &model.arrays, &names, values);
    let names: Vec<&str> = model.defines.iter().map(|define| define.name.as_str()).collect();
    let values = write_all(model, &defines.values(trace, state_idx), write);
    add_members(&mut object, &model.define_arrays, &names, values);
    object
}

/// A value. What JSON has no number for is a string in SMV notation.
pub fn value(model: &Model, value: Value) -> Json {
    match value {
        Value::Bool(b) => b.into(),
        Value::Int(i) => i.into(),
        Value::Real(r) if r.den() == 1 => r.num().into(),
        Value::Symbol(_) | Value::Word(_) | Value::Real(_) => notation::value(model, value).into(),
    }
}

/// A document for programs that people can read too: indented, but a state is one line.
pub fn lines(document: &Json) -> String {
    let mut text = String::new();
    add_lines(&mut text, document, "\n");
    text.push('\n');
    text
}

/// Documents are a few levels deep, so this may recurse.
fn add_lines(text: &mut String, json: &Json, line_start: &str) {
    let inner = format!("{line_start}  ");
    match json {
        Json::Object(members) if !members.is_empty() => {
            for (idx, (name, member)) in members.iter().enumerate() {
                *text += if idx == 0 { "{" } else { "," };
                *text += &format!("{inner}{}: ", json!(name));
                match member.as_array() {
                    Some(states) if name == "states" => add_states(text, states, &inner),
                    _ => add_lines(text, member, &inner),
                }
            }
            *text += &format!("{line_start}}}");
        }
        Json::Array(items) if items.iter().any(|item| item.is_object()) => {
            for (idx, item) in items.iter().enumerate() {
                *text += if idx == 0 { "[" } else { "," };
                *text += &inner;
                add_lines(text, item, &inner);
            }
            *text += &format!("{line_start}]");
        }
        _ => *text += &json.to_string(),
    }
}

fn add_states(text: &mut String, states: &[Json], line_start: &str) {
    let lines: Vec<String> = states.iter().map(|state| format!("{line_start}  {state}")).collect();
    *text += &format!("[{}{line_start}]", lines.join(","));
}

fn write_all(model: &Model, values: &[Option<Value>], write: WriteValue) -> Vec<Option<Json>> {
    values.iter().map(|value| value.map(|value| write(model, value))).collect()
}

/// Adds what has a value; the elements of an array are one member.
fn add_members(
    object: &mut Map<String, Json>,
    arrays: &[Array],
    names: &[&str],
    mut values: Vec<Option<Json>>,
) {
    let mut arrays = arrays.iter().peekable();
    let mut idx = 0;
    while idx < names.len() {
        while arrays.next_if(|array| (array.elements.start as usize) < idx).is_some() {}
        // An array that contains others comes before them.
        match arrays.next_if(|array| array.elements.start as usize == idx) {
            Some(whole) if !whole.elements.is_empty() => {
                object.extend(fold(&values, whole).map(|json| (whole.name.clone(), json)));
                idx = whole.elements.end as usize;
            }
            Some(_) => {}
            None => {
                object.extend(values[idx].take().map(|json| (names[idx].to_string(), json)));
                idx += 1;
            }
        }
    }
}

/// An array, nested by its dimensions; `None` where an element has no value.
fn fold(values: &[Option<Json>], array: &Array) -> Option<Json> {
    let elements = array.elements.start as usize..array.elements.end as usize;
    let mut row: Vec<Json> = values[elements].iter().cloned().collect::<Option<_>>()?;
    // The outermost dimension needs no folding: it is what remains.
    for (lo, hi) in array.dims.iter().skip(1).rev() {
        let length = usize::try_from(hi - lo + 1).unwrap_or(1).max(1);
        row = row.chunks(length).map(|chunk| Json::Array(chunk.to_vec())).collect();
    }
    Some(Json::Array(row))
}
