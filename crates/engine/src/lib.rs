//! The engines: everything that searches the states of a model.

pub mod simulate;
pub mod solve;
pub mod wellformed;
