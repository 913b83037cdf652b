//! SAT-based model checking: for models with many variables or wide data.

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
pub mod valuation;
pub mod walk;

#[cfg(test)]
mod tests;

use crate::Engine;
use crate::functional::{self, Form};
use solver::Kind;

/// The engine.
pub const ENGINE: Engine = engine::<batsat::Plain>(
    "sat",
    "SAT-based, with IC3 and k-induction: many variables, wide data",
);

/// The engine with the other solver.
#[cfg(feature = "cadical")]
pub const CADICAL: Engine =
    engine::<cadical::Thorough>("sat-cadical", "the same with CaDiCaL: hard arithmetic");

/// The engine with some solver.
const fn engine<K: Kind>(name: &'static str, about: &'static str) -> Engine {
    Engine {
        name,
        about,
        reach: |model, targets, start, budget| {
            functional::reach(model, start, Form::WithChoices, |model, start| {
                reach::reach::<K>(model, targets, start, budget)
            })
        },
        project: |model, exprs, start, budget| {
            functional::project(model, start, Form::WithChoices, |model, start| {
                project::project::<K>(model, exprs, start, budget)
            })
        },
        check: |model, properties, budget| {
            functional::check(model, Form::WithChoices, |model| {
                check::check::<K>(model, properties, budget)
            })
        },
    }
}
