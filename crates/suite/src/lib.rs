//! Test suites: made from goals, read from files, scored, made smaller.

pub mod bound;
pub mod choices;
pub mod claim;
pub mod compare;
pub mod complete;
pub mod cover;
pub mod coverage;
pub mod evaluate;
pub mod generate;
pub mod hits;
pub mod journal;
pub mod ledger;
pub mod minimise;
pub mod read;
mod route;
pub mod sketch;
pub mod suite;
mod terrain;
pub mod watch;
