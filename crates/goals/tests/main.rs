//! The tests of the goals: against brute force, and against what others published.

mod commands;
mod edits;
mod inline;
mod latch;
mod laws;
mod lint;
mod mutants;
mod observable;
mod patience;
mod property;
mod published;
mod scr_edits;
mod scr_tables;
mod traps;
mod visibility;
mod winnow;
