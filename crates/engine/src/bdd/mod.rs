//! Symbolic reachability with binary decision diagrams.

pub mod backward;
pub mod bits;
pub mod budgeted;
pub mod build;
pub mod check;
pub mod ctl;
pub mod fair;
pub mod goals;
pub mod kernel;
pub mod lasso;
pub mod manager;
pub mod order;
pub mod project;
pub mod reach;
pub mod relation;
pub mod search;
pub mod system;
#[cfg(test)]
mod tests;
pub mod walk;
pub mod witness;

use crate::Engine;

/// The engine.
pub const ENGINE: Engine = Engine {
    name: "bdd",
    about: "symbolic, with decision diagrams: large regular state spaces",
    reach: reach::reach,
    project: project::project,
    check: check::check,
};
