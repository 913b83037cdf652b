//! Values, states and traces as JSON.

use serde_json::{Map, Value as Json, json};
use trapline_engine::possible::Output;
use trapline_model::trace::Trace;
use trapline_model::{Array, GroupId, Model, Value, VarId, VarKind, notation};

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
    let names = member_names(model);
    let is_last = state_idx + 1 == trace.states.len() && trace.loop_start.is_none();
    let values = model.vars.iter().zip(&trace.states[state_idx].values);
    let values: Vec<Option<Value>> = values
        .map(|(var, value)| value.filter(|_| !is_last || var.kind != VarKind::Input))
        .collect();
    let mut written = write_all(model, &values, write);
    if let Some((var, group)) = model.command() {
        let taken = values[var.0 as usize].and_then(|value| label(model, var, group, value));
        written[var.0 as usize] = taken;
    }
    add_members(&mut object, &model.arrays, &names, written);
    let names: Vec<&str> = model.defines.iter().map(|define| define.name.as_str()).collect();
    let values = write_all(model, &defines.values(trace, state_idx), write);
    add_members(&mut object, &model.define_arrays, &names, values);
    object
}

/// Some values of variables and definitions, an array under its own name if all of it has values.
pub fn members(model: &Model, given: &[(Output, Value)]) -> Map<String, Json> {
    let mut object = Map::new();
    let mut vars = vec![None; model.vars.len()];
    let mut defines = vec![None; model.defines.len()];
    for &(output, given) in given {
        let place = match output {
            Output::Var(var) => &mut vars[var.0 as usize],
            Output::Define(define) => &mut defines[define.0 as usize],
        };
        *place = Some(value(model, given));
    }
    add_members(&mut object, &model.arrays, &member_names(model), vars);
    let names: Vec<&str> = model.defines.iter().map(|define| define.name.as_str()).collect();
    add_members(&mut object, &model.define_arrays, &names, defines);
    object
}

/// The names of variables in states: the command selector is not the author's.
pub fn member_names(model: &Model) -> Vec<&str> {
    let mut names: Vec<&str> = model.vars.iter().map(|var| var.name.as_str()).collect();
    if let Some((command, _)) = model.command() {
        names[command.0 as usize] = "command";
    }
    names
}

/// The label or the number of the command that was taken.
fn label(model: &Model, var: VarId, group: GroupId, value: Value) -> Option<Json> {
    let domain = &model.var(var).domain;
    let idx = (0..domain.size()?).find(|&idx| domain.value(idx) == value)? as usize;
    let group = model.group(group);
    let label = group.label(idx);
    let is_number = group.alternatives[idx].label.as_deref() != Some(label.as_str());
    Some(if is_number { (idx + 1).into() } else { label.into() })
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

/// Adds what has a value; the elements of an array are one member if all of them have.
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
            Some(whole) => {
                if let Some(json) = fold(&values, whole).filter(|_| !whole.elements.is_empty()) {
                    object.insert(whole.name.clone(), json);
                    idx = whole.elements.end as usize;
                }
            }
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
