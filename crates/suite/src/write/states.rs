//! Values, states and traces as JSON.

use serde_json::{Map, Value as Json, json};
use trapline_model::trace::Trace;
use trapline_model::{Array, Model, Value, VarKind, notation};

use crate::defines::Defines;

/// How a value is written.
pub type WriteValue = fn(&Model, Value) -> Json;

/// A trace as part of a larger document.
pub fn trace(model: &Model, defines: &Defines, trace: &Trace) -> Json {
    let state = |idx: usize| Json::Object(state(model, defines, trace, idx, value));
    let states: Vec<Json> = (0..trace.states.len()).map(state).collect();
    json!({ "states": states, "loop": trace.loop_start })
}

/// A state: every variable and every definition that has a value, an array under its own name. What
/// belongs to a step is missing where none follows.
pub fn state(
    model: &Model,
    defines: &Defines,
    trace: &Trace,
    state_idx: usize,
    write: WriteValue,
) -> Map<String, Json> {
    let mut object = Map::new();
    let names: Vec<&str> = model.vars.iter().map(|var| var.name.as_str()).collect();
    let is_last = state_idx + 1 == trace.states.len() && trace.loop_start.is_none();
    let values = model.vars.iter().zip(&trace.states[state_idx].values);
    let values: Vec<Option<Value>> = values
        .map(|(var, value)| value.filter(|_| !is_last || var.kind != VarKind::Input))
        .collect();
    let values = write_all(model, &values, write);
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
