//! Laws of suites, over random small models: what is made replays and shows what it says, less of it
//! shows the same, and whoever is asked says the same.

mod judge;
mod models;

mod bounding;
mod comparing;
mod cutting;
mod evaluating;
mod hitting;
mod judging;
mod making;
mod minimising;
mod observing;
mod paths;
mod regressions;
mod resuming;
mod shortest;
mod watching;
pub mod writing;
