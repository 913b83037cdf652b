//! The tests of the executor.

mod breakdowns;
mod verdicts;
