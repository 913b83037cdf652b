//! Source texts, places in them, and what there is to say about them.
//!
//! Data only: nothing here reads a file or prints. A [`Span`] is a pair of positions in one space
//! that all loaded files share (as in rustc), so that it stays eight bytes and needs no file id.

mod diagnostic;
pub mod numbers;
pub mod requirement;
mod sources;
mod table;

pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use requirement::Requirement;
pub use sources::{Location, SourceFile, SourceTooLarge, Sources, Span};
pub use table::{Cell, Table};
