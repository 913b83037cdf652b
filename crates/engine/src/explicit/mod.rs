//! Search over concrete states.

pub mod automaton;
pub mod backward;
pub mod candidates;
pub mod check;
pub mod classes;
pub mod complete;
pub mod compute;
pub mod ctl;
pub mod explore;
pub mod failure;
pub mod fair;
pub mod graph;
pub mod labelled;
pub mod layout;
pub mod lookup;
pub mod nearest;
pub mod product;
pub mod program;
pub mod project;
pub mod reach;
pub mod scc;
pub mod schedule;
pub mod sequence;
pub mod space;
pub mod system;
pub mod table;
pub mod temporal;
pub mod tracer;
pub mod witness;

use crate::Engine;

/// The engine.
pub const ENGINE: Engine = Engine {
    name: "explicit",
    about: "explicit-state search: up to some ten million states, shortest traces",
    reach: reach::reach,
    project: project::project,
    check: check::check,
};
