//! The tests of the executor.

mod breakdowns;
mod extending;
mod goals;
mod places;
mod verdicts;
