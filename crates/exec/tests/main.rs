//! The tests of the executor.

mod breakdowns;
mod goals;
mod places;
mod verdicts;
