//! The tests of the executor.

mod breakdowns;
mod goals;
mod verdicts;
