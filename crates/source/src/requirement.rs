//! Requirements: what a part of a model is there for.

use crate::Span;

/// A requirement at a place: the same one may stand at many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// What it is known by.
    pub id: String,
    /// What it says; may be empty.
    pub text: String,
    /// The part of the model that is there for it.
    pub span: Span,
    /// Where the model says so.
    pub place: Span,
}

/// The ids of the requirements that a position belongs to, each once, in the order of the text.
pub fn ids_at(requirements: &[Requirement], position: u32) -> Vec<&str> {
    let mut ids: Vec<&str> = Vec::new();
    for Requirement { id, span, .. } in requirements {
        let is_inside = span.start <= position && position < span.end;
        if is_inside && !ids.contains(&id.as_str()) {
            ids.push(id);
        }
    }
    ids
}
