//! A test in the exchange format of Test-Comp: the inputs, in the order in which they are read.
//!
//! The format is <https://gitlab.com/sosy-lab/test-comp/test-format>. A program reads the inputs of
//! one state after those of the other. Truth values are 1 and 0, for that is what C reads.

use trapline_model::Role;
use trapline_suite::steps::{Cell, Kind, TURNS, steps};

use super::nusmv::escaped;
use super::{Titled, Traces};

/// Writes one trace.
pub fn write(traces: &Traces<'_>, titled: &Titled<'_>) -> String {
    let Traces { path, model, is_complete, .. } = *traces;
    let suite = steps(
        &Traces { path, model, is_complete, list: vec![titled.clone()], missed: Vec::new() },
        TURNS,
    );
    let inputs = suite.of_role(Role::Input);
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
         \"https://sosy-lab.org/test-format/testcase-1.1.dtd\">\n<testcase>\n",
    );
    for row in suite.tests.iter().flat_map(|test| &test.rows) {
        for &column in &inputs {
            let Some(cell) = &row[column] else { continue };
            let (name, kind) = (escaped(&suite.columns[column].name), suite.columns[column].kind);
            let value = escaped(&value(cell));
            text += &format!(
                "  <input variable=\"{name}\"{}>{value}</input>\n",
                type_of(kind).map(|it| format!(" type=\"{it}\"")).unwrap_or_default()
            );
        }
    }
    text + "</testcase>\n"
}

fn type_of(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Bool => Some("_Bool"),
        Kind::Int => Some("long long"),
        Kind::Unsigned => Some("unsigned long long"),
        Kind::Real => Some("double"),
        Kind::Text => None,
    }
}

fn value(cell: &Cell) -> String {
    match cell {
        Cell::Bool(b) => u8::from(*b).to_string(),
        cell => cell.show(),
    }
}
