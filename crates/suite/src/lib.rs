//! Test suites: made from goals, read from files, scored, made smaller.

pub mod claim;
pub mod complete;
pub mod cover;
pub mod read;
