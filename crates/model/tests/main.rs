//! The tests of the model: evaluation, coverage, replay, sites, dependencies and transformations.

mod coverage;
mod dependency;
mod logic;
mod replay;
mod sites;
mod transform;
mod typing;
