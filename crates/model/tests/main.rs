//! The tests of the model: evaluation, coverage, replay, sites, dependencies and slices.

mod coverage;
mod replay;
mod sites;
mod slices;
