//! The tests of the goals: against brute force, and against what others published.

mod commands;
mod edits;
mod laws;
mod mutants;
mod patience;
mod property;
mod published;
mod traps;
mod winnow;
