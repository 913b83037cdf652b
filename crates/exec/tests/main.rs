//! The tests of the executor.

mod breakdowns;
mod goals;
mod mutants;
mod negative;
mod places;
mod verdicts;
