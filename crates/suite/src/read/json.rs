//! Our own JSON: `trapline-suite/1`, the traces of `trapline-trace/1`, the counterexamples of
//! `trapline-check/1`, and the negative tests of `trapline-mutants/1`.

use std::ops::Range;

use serde_json::{Value as Json, json};
use trapline_goals::{Demand, Visibility};

use crate::property::Property;

use super::{At, Document, Location, Reader, RecordedAppearance, RecordedGoal, itf, tree};

/// What `check` writes.
const CHECK: &str = "trapline-check/1";
/// What `mutants` writes.
const MUTANTS: &str = "trapline-mutants/1";

pub(super) fn fits(text: &str) -> bool {
    is_object(text) && !itf::fits(text)
}

/// Does a text begin like a JSON object?
pub(super) fn is_object(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('{')
}

pub(super) fn read(reader: &mut Reader<'_>, text: &str) -> Document {
    match parse(reader, text) {
        Some(json) => read_document(reader, &json),
        None => Document::default(),
    }
}

/// Reads what is parsed already.
pub(super) fn read_document(reader: &mut Reader<'_>, json: &Json) -> Document {
    let mut document = Document::default();
    if let Some(format) = json.get("format").and_then(Json::as_str)
        && !["trapline-suite/1", "trapline-trace/1", CHECK, MUTANTS].contains(&format)
    {
        let format = super::names::shortened(format);
        reader.malformed(At::default(), format!("this is `{format}`, not `trapline-suite/1`"));
        return document;
    }
    if json.get("format").and_then(Json::as_str) == Some(MUTANTS) {
        add_negative(reader, &mut document, json);
        return document;
    }
    let Some(tests) = tests(json) else {
        reader.malformed(At::default(), "a suite is an object with a list `tests`");
        return document;
    };
    let mut drafts_of = Vec::with_capacity(tests.len());
    for (name, test) in tests {
        let first = document.drafts.len();
        tree::read(reader, &mut document, name, test);
        drafts_of.push(first..document.drafts.len());
    }
    document.is_complete = json.get("complete").and_then(Json::as_bool);
    document.model_sha256 = string(json.get("model").and_then(|model| model.get("sha256")));
    document.main = string(json.get("model").and_then(|model| model.get("main")));
    document.purposes = texts(json.get("purpose"));
    document.observers = texts(json.get("observers"));
    document.demand = demand(json);
    if let Some(other) = other_visibility(json) {
        let known: Vec<&str> = Visibility::ALL.iter().map(|(name, _)| *name).collect();
        let text = format!("`{other}` is no `visibility`: {}", known.join(", "));
        reader.malformed(At::default(), text);
    }
    document.interface = json!({"roles": json.get("roles"), "timing": json.get("timing")});
    let goals = json.get("goals").and_then(Json::as_array).into_iter().flatten();
    document.goals = goals.filter_map(|json| goal(json, &drafts_of)).collect();
    document
}

/// What is in the place of a way to show mutants, if it is none.
fn other_visibility(json: &Json) -> Option<String> {
    let given = json.get("visibility")?;
    let is_known = given.as_str().is_some_and(|name| Visibility::named(name).is_some());
    (!is_known).then(|| super::names::shortened(&given.to_string()))
}

/// What the goals of a suite demand of tests.
pub fn demand(json: &Json) -> Demand {
    let name = json.get("visibility").and_then(Json::as_str);
    Demand {
        visibility: name.and_then(Visibility::named).unwrap_or_default(),
        observable: json.get("observable").and_then(Json::as_bool).unwrap_or_default(),
    }
}

/// Adds the negative tests of mutants, each named after its mutant.
fn add_negative(reader: &mut Reader<'_>, document: &mut Document, json: &Json) {
    for mutant in json.get("mutants").and_then(Json::as_array).into_iter().flatten() {
        if let Some(test) = mutant.get("negative").filter(|test| !test.is_null()) {
            let name = string(mutant.get("id")).unwrap_or_default();
            tree::read(reader, document, name, test);
        }
    }
    document.negative = (0..document.drafts.len()).collect();
    if document.drafts.is_empty() && !reader.errors.has_any() {
        let text = "there are no negative tests: `mutants --negative` writes them";
        reader.malformed(At::default(), text);
    }
}

/// The tests with their names: those of a suite, or the counterexamples of a check.
pub(crate) fn tests(json: &Json) -> Option<Vec<(String, &Json)>> {
    if let Some(properties) = json.get("properties").and_then(Json::as_array) {
        let shown = properties.iter().enumerate().filter_map(|(place, property)| {
            let trace = property.get("trace").filter(|trace| !trace.is_null())?;
            let index = property.get("index").and_then(Json::as_u64).unwrap_or(place as u64);
            let name = string(property.get("name"));
            Some((name.unwrap_or_else(|| format!("property{index}")), trace))
        });
        return Some(shown.collect());
    }
    let list = ["tests", "traces"].iter().find_map(|name| json.get(name)?.as_array())?;
    let named = list.iter().enumerate().map(|(idx, test)| {
        (string(test.get("name")).unwrap_or_else(|| format!("t{}", idx + 1)), test)
    });
    Some(named.collect())
}

/// A goal; without an id it cannot be identified.
fn goal(json: &Json, drafts_of: &[Range<usize>]) -> Option<RecordedGoal> {
    let id = string(json.get("id"))?;
    let (text, trap) = (string(json.get("text")), string(json.get("trap")));
    let (verdict, reason) = (string(json.get("verdict")), string(json.get("reason")));
    let drafts = |name: &str| {
        let tests = json.get(name).and_then(Json::as_array).into_iter().flatten();
        let tests = tests.filter_map(|idx| drafts_of.get(usize::try_from(idx.as_u64()?).ok()?));
        tests.flat_map(|drafts| drafts.clone()).collect()
    };
    let (tests, shown_by) = (drafts("tests"), drafts("shown_by"));
    let shown = string(json.get("shown"));
    let appears = json.get("appears").and_then(Json::as_array).into_iter().flatten();
    let appears = appears.filter_map(|it| appearance(it, drafts_of)).collect();
    let (criterion, line) =
        (string(json.get("criterion")), json.get("line").and_then(Json::as_u64));
    let property = string(json.get("property")).and_then(|word| Property::named(&word));
    Some(RecordedGoal {
        id,
        criterion,
        text,
        trap,
        line,
        verdict,
        reason,
        property,
        tests,
        shown,
        shown_by,
        appears,
    })
}

/// Where a test shows a fault.
fn appearance(json: &Json, drafts_of: &[Range<usize>]) -> Option<RecordedAppearance> {
    let number = |name: &str| usize::try_from(json.get(name)?.as_u64()?).ok();
    let draft = drafts_of.get(number("test")?).filter(|drafts| !drafts.is_empty())?.start;
    let exchange = number("exchange")?;
    Some(RecordedAppearance { draft, exchange, outputs: json.get("outputs").cloned() })
}

/// The members of a list; what is no text is kept as it is written, so that it equals nothing.
fn texts(json: Option<&Json>) -> Vec<String> {
    let list = json.and_then(Json::as_array).into_iter().flatten();
    list.map(|item| item.as_str().map_or_else(|| item.to_string(), String::from)).collect()
}

fn string(json: Option<&Json>) -> Option<String> {
    json.and_then(Json::as_str).map(String::from)
}

/// The tree of a JSON text; nesting is bounded by the parser.
pub(super) fn parse(reader: &mut Reader<'_>, text: &str) -> Option<Json> {
    match tree(text) {
        Ok(json) => Some(json),
        Err((place, message)) => {
            reader.malformed(At { place: Some(place), ..At::default() }, message);
            None
        }
    }
}

/// The tree of a JSON text, or why it is none.
pub(crate) fn tree(text: &str) -> Result<Json, (Location, String)> {
    serde_json::from_str(text).map_err(|error| {
        let place = Location { line: error.line(), column: error.column() };
        // The message repeats the position, which we give ourselves.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        (place, format!("this is no JSON: {message}"))
    })
}
