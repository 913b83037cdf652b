//! The tests of the model: evaluation, coverage, replay, sites, dependencies, slices and transformations.

mod coverage;
mod logic;
mod replay;
mod sites;
mod slices;
mod transform;
mod typing;
