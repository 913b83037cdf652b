//! Search with a SAT solver: for models with many variables or wide data.

pub mod aig;
pub mod batsat;
pub mod bounded;
#[cfg(feature = "cadical")]
pub mod cadical;
pub mod check;
pub mod circuit;
pub mod cnf;
pub mod extend;
pub mod ic3;
pub mod induction;
pub mod invariant;
pub mod linear;
pub mod liveness;
pub mod local;
pub mod project;
pub mod reach;
pub mod search;
pub mod solver;
pub mod unroll;
pub mod walk;

#[cfg(test)]
mod tests;

use crate::Engine;

/// The engine.
pub const ENGINE: Engine = Engine {
    name: "sat",
    about: "asks a SAT solver: many variables, wide data",
    reach: reach::reach::<batsat::Plain>,
    project: project::project::<batsat::Plain>,
    check: check::check::<batsat::Plain>,
};

/// The engine with the other solver.
#[cfg(feature = "cadical")]
pub const CADICAL: Engine = Engine {
    name: "sat-cadical",
    about: "the same with CaDiCaL: hard arithmetic",
    reach: reach::reach::<cadical::Thorough>,
    project: project::project::<cadical::Thorough>,
    check: check::check::<cadical::Thorough>,
};
