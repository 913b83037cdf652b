//! Test suites: generated from goals, read from files, evaluated, minimised.

pub mod bound;
pub mod choices;
pub mod compare;
pub mod complete;
pub mod coverage;
pub mod defines;
pub mod evaluate;
pub mod evidence;
pub mod generate;
mod goal_graph;
pub mod goal_groups;
pub mod hits;
pub mod inferred;
pub mod journal;
pub mod minimise;
pub mod monitors;
pub mod never_claim;
pub mod property;
pub mod read;
pub mod rename;
pub mod set_cover;
pub mod steps;
pub mod suite;
pub mod titled;
mod tour;
pub mod tracker;
pub mod write;
