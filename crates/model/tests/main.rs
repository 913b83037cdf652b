//! The tests of the model: evaluation, coverage, replay, sites and dependencies.

mod coverage;
mod dependency;
mod logic;
mod replay;
mod sites;
