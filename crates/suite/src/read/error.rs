//! What can be wrong with a suite's text.

use std::fmt;

use rustc_hash::FxHashSet;

use super::At;

/// Maximum number of errors reported for one text.
pub const MAX_ERRORS: usize = 20;

/// Something wrong in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The name of the test that it is about.
    pub test: Option<String>,
    /// The state of the test.
    pub state: Option<usize>,
    /// The position in the text, if the format has positions.
    pub place: Option<Location>,
    /// What is wrong.
    pub wrong: Wrong,
}

/// A position in a text, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The text is not of its format.
    Text(String),
    /// The model has no variable, array or definition of this name. Reported once for a name.
    UnknownName(String),
    /// The variable or definition can't have the value.
    Value {
        /// Its name.
        name: String,
        /// The value, as written.
        given: String,
        /// What it can be.
        expected: String,
    },
    /// Two values are given for one variable in one state.
    Twice(String),
}

/// The errors so far.
#[derive(Debug, Default)]
pub(super) struct Errors {
    list: Vec<ReadError>,
    unknown: FxHashSet<String>,
}

impl Errors {
    pub(super) fn add(&mut self, at: At<'_>, wrong: Wrong) {
        if self.is_full() {
            return;
        }
        // A name is unknown in every state; saying it once is enough.
        if let Wrong::UnknownName(name) = &wrong
            && !self.unknown.insert(name.clone())
        {
            return;
        }
        let At { test, state, place } = at;
        self.list.push(ReadError { test: test.map(String::from), state, place, wrong });
    }

    /// Nothing that is added now will be reported.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= MAX_ERRORS
    }

    /// Is anything wrong at all?
    pub(super) fn has_any(&self) -> bool {
        !self.list.is_empty()
    }

    pub(super) fn into_list(self) -> Vec<ReadError> {
        self.list
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Location { line, column }) = self.place {
            write!(f, "line {line}, column {column}: ")?;
        }
        match (&self.test, self.state) {
            (Some(test), Some(state)) => write!(f, "test `{test}`, state {state}: ")?,
            (Some(test), None) => write!(f, "test `{test}`: ")?,
            (None, _) => {}
        }
        self.wrong.fmt(f)
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wrong::Text(message) => f.write_str(message),
            Wrong::UnknownName(name) => {
                write!(f, "the model has no variable or definition `{name}`")
            }
            Wrong::Value { name, given, expected } => {
                write!(f, "`{given}` is no value of `{name}`, which is {expected}")
            }
            Wrong::Twice(name) => write!(f, "`{name}` has two values"),
        }
    }
}

impl std::error::Error for ReadError {}
