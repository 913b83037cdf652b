//! The line form of Ammann, Black and Ding, "Model checkers in software testing" (2002).
//!
//! ```text
//! TEST reset goes on and off
//! Reset = Off; Block = Off; Pressure = TooLow; STEP;
//! Reset = On; STEP;
//! Reset = Off; STEP;
//! ```
//!
//! A line is a list of statements with semicolons between them; one at the end may be left out.
//! `name = value` (or `:=`) is about the state that the next `STEP` ends; its definitions too. A
//! variable that is not mentioned keeps its value. `LOOP n`, after the last `STEP`, says that
//! state `n`, counted from 0, follows the last one. A blank line ends a test, and so does a line
//! `TEST name`, which names the next one. `--`, `//` and `#` at the start of a line, or after a
//! space or semicolon, begin a comment; a line with nothing else is no blank line.

use super::{At, Document, Draft, Keeps, Location, PartialState, Reader};

pub(super) fn fits(text: &str) -> bool {
    let has_step = |line: &str| uncommented(line).split(';').any(|part| part.trim() == "STEP");
    text.lines().any(has_step)
}

pub(super) fn read(reader: &mut Reader<'_>, text: &str) -> Document {
    let mut document = Document::default();
    let mut test = Test::new(reader, None, 0);
    for (line_idx, line) in text.lines().enumerate() {
        let line_no = line_idx + 1;
        let code = uncommented(line);
        if line.trim().is_empty() {
            test = test.end(reader, &mut document, None);
        } else if let Some(name) = test_name(code) {
            test = test.end(reader, &mut document, Some(name));
        } else {
            add_line(reader, &mut test, code, line_no);
        }
    }
    test.end(reader, &mut document, None);
    if document.drafts.is_empty() && !reader.errors.has_any() {
        reader.malformed(At::default(), "there is no test: no `STEP` ends a state");
    }
    document
}

/// A test that is being read.
struct Test {
    name: String,
    is_named: bool,
    states: Vec<PartialState>,
    /// The values since the last `STEP`, and the position of the last of them.
    state: PartialState,
    pending: Option<Location>,
    loop_start: Option<usize>,
}

impl Test {
    fn new(reader: &Reader<'_>, name: Option<&str>, n_tests: usize) -> Test {
        Test {
            name: name.map_or_else(|| format!("t{}", n_tests + 1), String::from),
            is_named: name.is_some(),
            states: Vec::new(),
            state: PartialState::unknown(reader.model),
            pending: None,
            loop_start: None,
        }
    }

    /// Ends this test, if it began, and begins the next one.
    fn end(self, reader: &mut Reader<'_>, document: &mut Document, next: Option<&str>) -> Test {
        let has_begun = !self.states.is_empty() || self.pending.is_some();
        // A blank line may separate the name of a test from its first state.
        if !has_begun && next.is_none() && self.is_named {
            return self;
        }
        if let Some(place) = self.pending {
            let at = At { test: Some(&self.name), place: Some(place), ..At::default() };
            reader.malformed(at, "no `STEP` ends this state");
        } else if has_begun {
            let Test { name, states, loop_start, .. } = self;
            reader.finish(
                document,
                Draft {
                    name,
                    states,
                    loop_start,
                    keeps: Keeps::Everything,
                    open: Vec::new(),
                    branch: Vec::new(),
                },
            );
        }
        Test::new(reader, next, document.drafts.len())
    }
}

fn add_line(reader: &mut Reader<'_>, test: &mut Test, code: &str, line: usize) {
    let mut column = 1;
    for part in code.split(';') {
        let indent = part.chars().take_while(|c| c.is_whitespace()).count();
        let place = Location { line, column: column + indent };
        column += part.chars().count() + 1;
        let part = part.trim();
        if !part.is_empty() {
            add_statement(reader, test, part, place);
        }
    }
}

fn add_statement(reader: &mut Reader<'_>, test: &mut Test, part: &str, place: Location) {
    let name = test.name.clone();
    let at = At { test: Some(&name), state: Some(test.states.len()), place: Some(place) };
    if test.loop_start.is_some() {
        return reader.malformed(at, "nothing follows `LOOP` but another test");
    }
    if part == "STEP" {
        let next = PartialState::unknown(reader.model);
        test.states.push(std::mem::replace(&mut test.state, next));
        test.pending = None;
    } else if let Some((name, value)) = part.split_once('=') {
        let name = name.strip_suffix(':').unwrap_or(name).trim();
        reader.set_named(&mut test.state, name, value.trim(), at);
        test.pending = Some(place);
    } else if let Some(start) = part.strip_prefix("LOOP ") {
        match start.trim().parse() {
            Ok(start) => test.loop_start = Some(start),
            Err(_) => reader.malformed(at, "`LOOP` needs the index of a state"),
        }
    } else {
        let part = super::names::shortened(part);
        reader.malformed(at, format!("`{part}` is none of `name = value`, `STEP`, `LOOP n`"));
    }
}

fn test_name(code: &str) -> Option<&str> {
    let name = code.trim().strip_prefix("TEST ")?.trim_end_matches([';', ':']).trim();
    // `TEST` may be a variable.
    (!name.is_empty() && !name.starts_with(['=', ':'])).then_some(name)
}

/// A line without its comment. SMV names may contain `#` and `-`, so a comment starts only where a
/// name cannot continue.
fn uncommented(line: &str) -> &str {
    let mut is_free = true;
    for (idx, c) in line.char_indices() {
        let rest = &line[idx..];
        if is_free && ["--", "//", "#"].iter().any(|mark| rest.starts_with(mark)) {
            return &line[..idx];
        }
        is_free = c.is_whitespace() || c == ';';
    }
    line
}
