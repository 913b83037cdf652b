//! Traces as NuSMV 2.6 writes them with `show_traces -p 4`.
//!
//! A text may hold several XML documents, one after the other, as `show_traces -a` writes them,
//! and messages before the first. A `node` is a state, with the inputs of the step that leaves
//! it (the manual: "the inputs section gives the new input values which cause the transition to
//! the next state in the trace"). The last state of a lasso repeats the one where the loop starts,
//! and all states that are equal to it are listed; we drop it, and go back to the first of those.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader as Xml, XmlVersion};
use trapline_model::VarKind;

use super::{At, Document, Draft, Keeps, Location, PartialState, Reader};

pub(super) fn fits(text: &str) -> bool {
    text.contains("<counter-example")
}

/// What is being read.
#[derive(Default)]
struct Cursor {
    states: Vec<PartialState>,
    /// The variable whose value comes next.
    variable: Option<String>,
    text: String,
    loops: Vec<usize>,
}

pub(super) fn read(reader: &mut Reader<'_>, text: &str) -> Document {
    let mut document = Document::default();
    let start = ["<?xml", "<counter-example"].iter().filter_map(|mark| text.find(mark)).min();
    let Some(start) = start else {
        reader.malformed(At::default(), "there is no `<counter-example>`");
        return document;
    };
    let mut xml = Xml::from_str(&text[start..]);
    let mut places = Places::new(text);
    let mut cursor = Cursor::default();
    while !reader.errors.is_full() {
        let place = places.at(start + usize::try_from(xml.buffer_position()).unwrap_or(0));
        match xml.read_event() {
            Ok(Event::Eof) => break,
            Ok(event) => add(reader, &mut document, &mut cursor, event, place),
            Err(error) => {
                let at = At { place: Some(place), ..At::default() };
                reader.malformed(at, format!("this is no XML: {error}"));
                return document;
            }
        }
    }
    if !cursor.states.is_empty() {
        reader.malformed(At::default(), "the last `<counter-example>` is not closed");
    } else if document.drafts.is_empty() && !reader.errors.has_any() {
        reader.malformed(At::default(), "there is no trace");
    }
    document
}

fn add(
    reader: &mut Reader<'_>,
    document: &mut Document,
    cursor: &mut Cursor,
    event: Event<'_>,
    place: Location,
) {
    let name = format!("t{}", document.drafts.len() + 1);
    let state = cursor.states.len().checked_sub(1);
    let at = At { test: Some(&name), state, place: Some(place) };
    match event {
        Event::Start(tag) => start(reader, cursor, &tag, at),
        Event::Text(text) => cursor.text += &text,
        Event::GeneralRef(name) => {
            let known = quick_xml::escape::resolve_xml_entity(&name);
            match (known, name.resolve_char_ref()) {
                (Some(text), _) => cursor.text += text,
                (None, Ok(Some(c))) => cursor.text.push(c),
                _ => reader.malformed(at, "this entity is unknown"),
            }
        }
        Event::End(tag) => match tag.name().as_ref() {
            "value" => value(reader, cursor, at),
            "loops" => loops(reader, cursor, at),
            "counter-example" => {
                let cursor = std::mem::take(cursor);
                finish(reader, document, cursor, name);
            }
            _ => {}
        },
        _ => {}
    }
}

fn start(reader: &mut Reader<'_>, cursor: &mut Cursor, tag: &BytesStart<'_>, at: At<'_>) {
    cursor.text.clear();
    match tag.name().as_ref() {
        "node" => cursor.states.push(PartialState::unknown(reader.model)),
        "value" => {
            let variable = tag.try_get_attribute("variable").ok().flatten();
            let variable = variable.and_then(|v| v.normalized_value(XmlVersion::Explicit1_0).ok());
            let variable = variable.map(|name| name.into_owned());
            if variable.is_none() {
                reader.malformed(at, "this `<value>` has no attribute `variable`");
            }
            cursor.variable = variable;
        }
        _ => {}
    }
}

fn value(reader: &mut Reader<'_>, cursor: &mut Cursor, at: At<'_>) {
    let Some(variable) = cursor.variable.take() else { return };
    match cursor.states.last_mut() {
        Some(state) => reader.set_named(state, &variable, &cursor.text, at),
        None => reader.malformed(at, "this `<value>` is in no `<node>`"),
    }
}

fn loops(reader: &mut Reader<'_>, cursor: &mut Cursor, at: At<'_>) {
    let is_separator = |c: char| c == ',' || c.is_whitespace();
    for number in cursor.text.split(is_separator).filter(|part| !part.is_empty()) {
        match number.parse::<usize>().ok().and_then(|id| id.checked_sub(1)) {
            Some(idx) if idx < cursor.states.len() => cursor.loops.push(idx),
            _ => reader.malformed(at, "`<loops>` holds the numbers of states"),
        }
    }
}

fn finish(reader: &mut Reader<'_>, document: &mut Document, cursor: Cursor, name: String) {
    let Cursor { mut states, loops, .. } = cursor;
    let model = reader.model;
    let last = states.len().saturating_sub(1);
    let is_state = |idx: &usize| model.vars[*idx].kind != VarKind::Input;
    let repeats_last = |start: &usize| {
        let mut vars = (0..model.vars.len()).filter(is_state);
        *start < last && vars.all(|var| states[*start].vars[var] == states[last].vars[var])
    };
    let repeated = loops.iter().copied().find(repeats_last);
    if repeated.is_some() {
        states.pop();
    }
    let loop_start = repeated.or_else(|| loops.first().copied());
    reader.finish(
        document,
        Draft {
            name,
            states,
            loop_start,
            keeps: Keeps::Inputs,
            open: Vec::new(),
            branch: Vec::new(),
        },
    );
}

/// Lines and columns of increasing positions.
pub(super) struct Places<'t> {
    text: &'t str,
    offset: usize,
    place: Location,
}

impl<'t> Places<'t> {
    pub(super) fn new(text: &'t str) -> Places<'t> {
        Places { text, offset: 0, place: Location { line: 1, column: 1 } }
    }

    pub(super) fn at(&mut self, offset: usize) -> Location {
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        for c in passed.chars() {
            match c {
                '\n' => self.place = Location { line: self.place.line + 1, column: 1 },
                _ => self.place.column += 1,
            }
        }
        self.offset += passed.len();
        self.place
    }
}
