//! The Informal Trace Format, <https://apalache-mc.org/docs/adr/015adr-trace.html>.
//!
//! A document is one trace, so one test. Numbers are plain or `{"#bigint": "12"}`; a sequence, a
//! `#tup` or a `#map` over integers is an array; a record is an instance. Sets and what Apalache
//! could not serialise are no values of a model.

use serde_json::Value as Json;

use super::{Document, Draft, Keeps, Reader, json, members};

pub(super) fn fits(text: &str) -> bool {
    let has = |part: &str| text.contains(part);
    json::is_object(text)
        && !has("\"trapline-")
        && has("\"states\"")
        && (has("\"#meta\"") || has("\"vars\""))
}

pub(super) fn read(reader: &mut Reader<'_>, text: &str) -> Document {
    match json::parse(reader, text) {
        Some(json) => read_document(reader, &json),
        None => Document::default(),
    }
}

/// Reads what is parsed already.
pub(super) fn read_document(reader: &mut Reader<'_>, json: &Json) -> Document {
    let mut document = Document::default();
    let name = "t1".to_string();
    let mut states = Vec::new();
    members::add_states(reader, &mut states, json.get("states"), &name);
    let loop_start = members::loop_start(reader, json.get("loop"), &name);
    let draft = Draft {
        name,
        states,
        loop_start,
        keeps: Keeps::Inputs,
        open: Vec::new(),
        branch: Vec::new(),
    };
    reader.finish(&mut document, draft);
    document.model_sha256 = json
        .get("#meta")
        .and_then(|meta| meta.get("sha256"))
        .and_then(Json::as_str)
        .map(String::from);
    document
}
