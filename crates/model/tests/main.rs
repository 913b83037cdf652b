//! The tests of the model: evaluation, coverage, replay, sites, dependencies and slices.

mod coverage;
mod logic;
mod replay;
mod sites;
mod slices;
