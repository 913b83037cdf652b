//! Suites in files of several formats.
//!
//! Each format is a file and a line in [`FORMATS`]. A reader turns a text into [`Draft`]s: tests
//! whose states may be partial. What is missing is found by [`crate::complete`]. Values are read
//! against the domains of the variables, and everything that is wrong is collected.
//!
//! In all formats the inputs of a step are given with the state that the step leaves.

mod csv;
mod error;
mod itf;
pub(crate) mod json;
pub(crate) mod members;
mod names;
mod nusmv;
mod steps;
mod tree;
pub(crate) mod value;
mod vcd;

use serde_json::Value as Json;
use trapline_goals::Demand;
use trapline_model::{DefineId, Model, Value};

pub use error::{Location, MAX_ERRORS, ReadError, Wrong};
pub use json::demand;
use names::Names;
pub(crate) use names::shortened;

/// A format that suites are read from.
#[derive(Debug)]
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// What it is, in half a sentence.
    pub about: &'static str,
    /// How its files end.
    pub endings: &'static [&'static str],
    /// True if a text may be in this format. Decided by a quick test, not by parsing.
    pub fits: fn(&str) -> bool,
    read: fn(&mut Reader<'_>, &str) -> Document,
}

/// All formats; where several fit a text, the first one counts.
pub const FORMATS: &[Format] = &[
    Format {
        name: "itf",
        about: "the Informal Trace Format of Apalache and Quint, one test per file",
        endings: &[".itf.json"],
        fits: itf::fits,
        read: itf::read,
    },
    Format {
        name: "json",
        about: "trapline-suite/1, trapline-trace/1, the counterexamples of trapline-check/1, and the \
                negative tests of trapline-mutants/1",
        endings: &[".json"],
        fits: json::fits,
        read: json::read,
    },
    Format {
        name: "nusmv-xml",
        about: "traces as NuSMV writes them with `show_traces -p 4`",
        endings: &[".xml"],
        fits: nusmv::fits,
        read: nusmv::read,
    },
    Format {
        name: "vcd",
        about: "a value change dump, one state per time stamp",
        endings: &[".vcd"],
        fits: vcd::fits,
        read: vcd::read,
    },
    Format {
        name: "steps",
        about: "lines like `Reset = On; STEP;`, where unmentioned variables keep their values",
        endings: &[".steps"],
        fits: steps::fits,
        read: steps::read,
    },
    Format {
        name: "csv",
        about: "a header of names, one row per state, a blank line between tests",
        endings: &[".csv", ".tsv"],
        fits: csv::fits,
        read: csv::read,
    },
];

/// A parsed file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// The tests.
    pub drafts: Vec<Draft>,
    /// The checksum of the model that they were made from.
    pub model_sha256: Option<String>,
    /// The module of it that they start from.
    pub main: Option<String>,
    /// What had to hold along each of them.
    pub purposes: Vec<String>,
    /// The checksums of the modules that watched the model.
    pub observers: Vec<String>,
    /// What its goals demand of tests.
    pub demand: Demand,
    /// Its `roles` and `timing`, as they are written.
    pub interface: Json,
    /// Was all the work done when it was written?
    pub is_complete: Option<bool>,
    /// The goals that it was made for.
    pub goals: Vec<RecordedGoal>,
    /// The drafts that end with a state, or a step to it, that an implementation must not make.
    pub negative: Vec<usize>,
}

/// A test as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Its name.
    pub name: String,
    /// Its states, at least one.
    pub states: Vec<PartialState>,
    /// The state that follows the last one.
    pub loop_start: Option<usize>,
    /// What a missing value means.
    pub keeps: Keeps,
    /// For each state the names of the variables that had another choice there, as declared by the
    /// document; empty if it declares none. One more list is for the state in which a loop starts,
    /// when entered from the last state.
    pub open: Vec<Vec<String>>,
    /// The number of the branch that this is, of the branch that it is in, and so on, outermost first;
    /// empty for the trunk of a test, which comes before its branches.
    pub branch: Vec<usize>,
}

/// What is given of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialState {
    /// The values of variables, by id; inputs are those of the step that leaves the state.
    pub vars: Vec<Option<Value>>,
    /// The values of definitions.
    pub defines: Vec<(DefineId, Value)>,
}

/// Which missing values are those of the state before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// Those of inputs.
    Inputs,
    /// All.
    Everything,
}

/// A goal that a document lists, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedGoal {
    /// Its id.
    pub id: String,
    /// What it was derived by.
    pub criterion: Option<String>,
    /// Its description.
    pub text: Option<String>,
    /// Its trap.
    pub trap: Option<String>,
    /// Its line in the model.
    pub line: Option<u64>,
    /// What was found out about it.
    pub verdict: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// What that says of the property that it is, if it is one of the model.
    pub property: Option<crate::property::Property>,
    /// The drafts that show it. A test with branches is several drafts, and all of them are
    /// listed.
    pub tests: Vec<usize>,
    /// What running the tests shows of it, as [`crate::evidence::Evidence::word`] says it.
    pub shown: Option<String>,
    /// The drafts that show it at the outputs.
    pub shown_by: Vec<usize>,
    /// Where tests show it, if it is a fault.
    pub appears: Vec<RecordedAppearance>,
}

/// Where a test shows a fault.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedAppearance {
    /// The first draft of the test.
    pub draft: usize,
    /// The exchange.
    pub exchange: usize,
    /// What a faulty implementation answers there, null if nothing; it is not known of a fault that may
    /// also show earlier.
    pub outputs: Option<serde_json::Value>,
}

impl Document {
    /// The number of the test that each draft is part of.
    pub fn test_of(&self) -> Vec<usize> {
        let mut n_tests = 0;
        let numbers = self.drafts.iter().map(|draft| {
            n_tests += usize::from(draft.branch.is_empty());
            usize::saturating_sub(n_tests, 1)
        });
        numbers.collect()
    }
}

impl PartialState {
    /// A state of which nothing is given.
    pub fn unknown(model: &Model) -> PartialState {
        PartialState { vars: vec![None; model.vars.len()], defines: Vec::new() }
    }
}

/// The format with this name.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The format of a text: the one that its file's ending promises if the text might be that, else
/// one that it might be.
pub fn recognise(path: &str, text: &str) -> Option<&'static Format> {
    let path = path.to_ascii_lowercase();
    let promises = |format: &&Format| format.endings.iter().any(|ending| path.ends_with(ending));
    let fits = |format: &&Format| (format.fits)(text);
    let all = || FORMATS.iter();
    // Any text might be a table, so that alone is weaker evidence than a file extension.
    let looks_so = |format: &&Format| fits(format) && format.name != "csv";
    all()
        .find(|format| promises(format) && fits(format))
        .or_else(|| all().find(looks_so))
        .or_else(|| all().find(promises))
        .or_else(|| all().find(fits))
}

/// Reads a suite.
///
/// # Errors
/// What is wrong with the text, up to [`MAX_ERRORS`] things.
pub fn read(model: &Model, format: &Format, text: &str) -> Result<Document, Vec<ReadError>> {
    let (names, errors) = (Names::new(model), error::Errors::default());
    let mut reader = Reader { model, names, errors, n_copied: 0 };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = (format.read)(&mut reader, text);
    let errors = reader.errors.into_list();
    if errors.is_empty() { Ok(document) } else { Err(errors) }
}

/// Reads one of our own documents, or a trace in the Informal Trace Format, that is parsed already.
pub(crate) fn read_parsed(
    model: &Model,
    json: &serde_json::Value,
) -> Result<Document, Vec<ReadError>> {
    let (names, errors) = (Names::new(model), error::Errors::default());
    let mut reader = Reader { model, names, errors, n_copied: 0 };
    let is_own = ["tests", "traces", "properties"].iter().any(|name| json.get(name).is_some());
    let document = match is_own {
        true => json::read_document(&mut reader, json),
        false => itf::read_document(&mut reader, json),
    };
    let errors = reader.errors.into_list();
    if errors.is_empty() { Ok(document) } else { Err(errors) }
}

/// Reads single states, one after the other.
pub struct StateReader<'m>(Reader<'m>);

impl<'m> StateReader<'m> {
    /// Prepares a model.
    pub fn new(model: &'m Model) -> StateReader<'m> {
        let (names, errors) = (Names::new(model), error::Errors::default());
        StateReader(Reader { model, names, errors, n_copied: 0 })
    }

    /// What an object says of a state, and what is wrong with it.
    pub fn read(
        &mut self,
        members: &serde_json::Map<String, serde_json::Value>,
    ) -> (PartialState, Vec<Wrong>) {
        let mut state = PartialState::unknown(self.0.model);
        members::fill(&mut self.0, &mut state, members, At::default());
        let errors = std::mem::take(&mut self.0.errors).into_list();
        (state, errors.into_iter().map(|error| error.wrong).collect())
    }
}

/// What all readers need.
struct Reader<'m> {
    model: &'m Model,
    names: Names<'m>,
    errors: error::Errors,
    /// How many values were copied for branches.
    n_copied: usize,
}

/// A position in a document.
#[derive(Clone, Copy, Debug, Default)]
struct At<'a> {
    test: Option<&'a str>,
    state: Option<usize>,
    place: Option<Location>,
}

impl Reader<'_> {
    fn wrong(&mut self, at: At<'_>, wrong: Wrong) {
        self.errors.add(at, wrong);
    }

    /// A message about the text itself.
    fn malformed(&mut self, at: At<'_>, message: impl Into<String>) {
        self.wrong(at, Wrong::Text(message.into()));
    }

    /// Adds a test, unless it has no states or its loop leads nowhere.
    fn finish(&mut self, document: &mut Document, draft: Draft) {
        let at = At { test: Some(&draft.name), ..At::default() };
        let n_states = draft.states.len();
        if n_states == 0 {
            self.malformed(at, "the test has no states");
        } else if let Some(start) = draft.loop_start.filter(|&start| start >= n_states) {
            self.malformed(
                at,
                format!("the loop starts at state {start}, and the last one is {}", n_states - 1),
            );
        } else {
            document.drafts.push(draft);
        }
    }
}
