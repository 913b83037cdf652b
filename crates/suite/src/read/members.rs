//! States as JSON objects: a member for each variable, array or definition.
//!
//! Shared by our own JSON and the Informal Trace Format. Arrays are nested by their dimensions.
//! An object whose name the model does not know is an instance, and its members are those of the
//! instance: `{"pump": {"level": 3}}` is `{"pump.level": 3}`.

use std::borrow::Cow;

use serde_json::{Map, Value as Json};
use trapline_model::Array;
use trapline_model::name::member;

use super::error::Wrong;
use super::names::{Entity, Named, shortened};
use super::{At, PartialState, Reader};

/// Reads states and adds them to those of the test so far.
pub(super) fn add_states(
    reader: &mut Reader<'_>,
    states: &mut Vec<PartialState>,
    json: Option<&Json>,
    test: &str,
) {
    let at = At { test: Some(test), ..At::default() };
    let Some(list) = json.and_then(Json::as_array) else {
        reader.malformed(at, "there is no list `states`");
        return;
    };
    for item in list {
        let at = At { state: Some(states.len()), ..at };
        let mut state = PartialState::unknown(reader.model);
        match item {
            Json::Object(members) => fill(reader, &mut state, members, at),
            _ => reader.malformed(at, "a state is an object with a member for each variable"),
        }
        states.push(state);
    }
}

/// The index of the state that follows the last one.
pub(super) fn loop_start(
    reader: &mut Reader<'_>,
    json: Option<&Json>,
    test: &str,
) -> Option<usize> {
    let json = json.filter(|json| !json.is_null())?;
    let start = json.as_u64().and_then(|start| usize::try_from(start).ok());
    if start.is_none() {
        let at = At { test: Some(test), ..At::default() };
        reader.malformed(at, "`loop` is the index of a state, or null");
    }
    start
}

/// Reads the members of a state.
pub(super) fn fill(
    reader: &mut Reader<'_>,
    state: &mut PartialState,
    members: &Map<String, Json>,
    at: At<'_>,
) {
    // ITF keeps what is no variable under names like `#meta`.
    for (name, json) in members.iter().filter(|(name, _)| !name.starts_with('#')) {
        add(reader, state, name, json, at);
    }
}

/// Recurses no deeper than the parser did.
fn add(reader: &mut Reader<'_>, state: &mut PartialState, name: &str, json: &Json, at: At<'_>) {
    match (reader.names.find(name), json) {
        (Some(_), Json::Null) => {}
        (Some(Named::One(target)), _) => add_one(reader, state, (name, target), json, at),
        (Some(Named::Array(array, of)), _) => {
            let cursor = Cursor { array, of, dim: 0, first: array.elements.start };
            add_array(reader, state, cursor, json, at);
        }
        (None, Json::Object(members)) if !members.keys().any(|key| key.starts_with('#')) => {
            for (key, json) in members {
                add(reader, state, &member(name, key), json, at);
            }
        }
        (None, _) => reader.wrong(at, Wrong::UnknownName(name.into())),
    }
}

fn add_one(
    reader: &mut Reader<'_>,
    state: &mut PartialState,
    (name, target): (&str, Entity),
    json: &Json,
    at: At<'_>,
) {
    match scalar(json) {
        Some(text) => reader.set(state, target, &text, at),
        None => {
            let given = shortened(&json.to_string());
            reader.malformed(at, format!("`{given}` is no single value, and `{name}` has one"));
        }
    }
}

/// A part of an array: how many dimensions are behind us, and its first element.
#[derive(Clone, Copy)]
struct Cursor<'m> {
    array: &'m Array,
    of: fn(u32) -> Entity,
    dim: usize,
    first: u32,
}

fn add_array(
    reader: &mut Reader<'_>,
    state: &mut PartialState,
    cursor: Cursor<'_>,
    json: &Json,
    at: At<'_>,
) {
    let Cursor { array, of, dim, first } = cursor;
    let Some(&(lo, hi)) = array.dims.get(dim) else {
        return match json {
            Json::Null => {}
            _ => add_one(reader, state, (&array.name, of(first)), json, at),
        };
    };
    let size = |&(lo, hi): &(i64, i64)| u32::try_from(hi - lo + 1).unwrap_or(0);
    let stride: u32 = array.dims[dim + 1..].iter().map(size).product();
    match items(json, lo, size(&(lo, hi))) {
        Ok(items) => {
            for (idx, item) in items {
                let cursor = Cursor { dim: dim + 1, first: first + idx * stride, ..cursor };
                add_array(reader, state, cursor, item, at);
            }
        }
        Err(why) => reader.malformed(at, format!("`{}`: {why}", array.name)),
    }
}

/// The items of what is like an array, with their positions.
fn items(json: &Json, lo: i64, length: u32) -> Result<Vec<(u32, &Json)>, String> {
    let list = json.as_array().or_else(|| json.get("#tup").and_then(Json::as_array));
    if let Some(list) = list {
        return match list.len() == length as usize {
            true => Ok((0..).zip(list).collect()),
            false => Err(format!("{} items are given for {length}", list.len())),
        };
    }
    let Some(pairs) = json.get("#map").and_then(Json::as_array) else {
        return Err(format!("`{}` is no array", shortened(&json.to_string())));
    };
    pairs.iter().map(|pair| entry(pair, lo, length)).collect()
}

/// An entry of a map, with its position.
fn entry(pair: &Json, lo: i64, length: u32) -> Result<(u32, &Json), String> {
    let key = pair.get(0).and_then(scalar).and_then(|key| key.parse::<i64>().ok());
    let idx = key.and_then(|key| u32::try_from(key.checked_sub(lo)?).ok());
    match (idx.filter(|&idx| idx < length), pair.get(1)) {
        (Some(idx), Some(json)) => Ok((idx, json)),
        _ => Err(format!("`{}` is no index with a value", shortened(&pair.to_string()))),
    }
}

/// The text of a single value.
pub(crate) fn scalar(json: &Json) -> Option<Cow<'_, str>> {
    match json {
        Json::Bool(true) => Some("TRUE".into()),
        Json::Bool(false) => Some("FALSE".into()),
        Json::Number(number) => Some(number.to_string().into()),
        Json::String(text) => Some(text.into()),
        Json::Object(members) if members.len() == 1 => scalar(members.get("#bigint")?),
        Json::Object(_) | Json::Array(_) | Json::Null => None,
    }
}
