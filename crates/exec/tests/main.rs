//! The tests of the executor.

mod breakdowns;
mod extending;
mod goals;
mod mutants;
mod negative;
mod places;
mod resemblance;
mod shown;
mod verdicts;
