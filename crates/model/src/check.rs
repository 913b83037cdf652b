//! What a model must be like to be what its author means, and what only a search finds out: that
//! rows of tables exclude each other, that they cover every case, that modes are reachable.

use trapline_source::Diagnostic;

use crate::goal::Target;

/// Something that must hold of a model.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its name in documents.
    pub name: String,
    /// What it is about.
    pub target: Target,
    /// Must that be reachable, or must it not?
    pub wanted: Wanted,
    /// What is said where it does not hold.
    pub diagnostic: Diagnostic,
}

/// What is wanted of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// It is never reached.
    Never,
    /// No initial state is so.
    NotAtFirst,
    /// It can be reached.
    Sometime,
}
