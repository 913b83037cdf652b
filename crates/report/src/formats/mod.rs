//! The formats, a file or folder each.

pub mod code;
pub mod document;
pub mod graph;
pub mod lcov;
pub mod report;
pub mod trace;
