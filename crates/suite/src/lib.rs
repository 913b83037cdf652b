//! Test suites: made from goals, read from files, scored, made smaller.

pub mod bound;
pub mod choices;
pub mod claim;
pub mod compare;
pub mod complete;
pub mod cover;
pub mod coverage;
pub mod defines;
pub mod evaluate;
pub mod generate;
pub mod hits;
pub mod journal;
pub mod ledger;
pub mod minimise;
pub mod read;
pub mod rename;
mod route;
pub mod sketch;
pub mod steps;
pub mod suite;
mod terrain;
pub mod titled;
pub mod watch;
pub mod write;
