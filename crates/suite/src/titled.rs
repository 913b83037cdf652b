//! Traces with what they show: the tests of a suite, as writers and executors take them.

use trapline_model::Model;
use trapline_model::trace::Trace;

/// Traces of one model.
#[derive(Clone, Debug)]
pub struct Traces<'a> {
    /// The path of the model.
    pub path: &'a str,
    /// The model.
    pub model: &'a Model,
    /// The traces.
    pub list: Vec<Titled<'a>>,
    /// Was all the work done?
    pub is_complete: bool,
    /// The goals that none of them reaches, by their ids.
    pub missed: Vec<String>,
}

/// A trace and what it shows.
#[derive(Clone, Debug)]
pub struct Titled<'a> {
    /// What it shows, in one line; of a test its name.
    pub title: String,
    /// The trace.
    pub trace: &'a Trace,
    /// The goals that it covers.
    pub goals: Vec<Covered>,
    /// For each state the names of the variables that had another choice there; states that are not
    /// listed had none. Inputs are not among them: the tester chooses these.
    pub open: Vec<Vec<String>>,
}

/// A goal that a test covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Covered {
    /// Its id.
    pub id: String,
    /// What it is, if that is known.
    pub text: Option<String>,
}

impl<'a> Titled<'a> {
    /// A trace that is no test.
    pub fn new(title: String, trace: &'a Trace) -> Titled<'a> {
        Titled { title, trace, goals: Vec::new(), open: Vec::new() }
    }
}
