//! The engines: everything that searches the state space of a model.
//!
//! All engines answer the same three questions, with the same types: [`reach`], [`project`]
//! and [`check`]. A new one is a folder and a line in [`ENGINES`].

pub mod answer;
pub mod auto;
pub mod bdd;
pub mod blast;
pub mod certificate;
pub mod checks;
pub mod clash;
pub mod cluster;
pub mod code;
pub mod cone;
pub mod cone_partition;
pub mod credit;
pub mod encoding;
pub mod explicit;
pub mod functional;
pub mod impossible;
pub mod obligation;
pub mod portfolio;
pub mod possible;
pub mod rules;
pub mod sat;
pub mod shape;
pub mod simulate;
pub mod solve;
pub mod tableau;
pub mod wellformed;

pub use answer::{
    Bits, Checked, Distance, Finding, Invariant, Outcome, Projected, Projection, Proof, Reached,
    Start, Stats, Verdict, Why,
};
pub use trapline_budget::{Budget, Exhausted, Limits, Progress, Wanted};

use trapline_model::goal::Target;
use trapline_model::{ExprId, Model};

/// A search engine.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its strengths, in half a sentence.
    pub about: &'static str,
    /// Decides which targets are reachable, each with a trace: a shortest one, unless that takes
    /// much longer than finding any.
    pub reach: fn(&Model, &[Target], &Start, &Budget) -> Reached,
    /// Finds the combinations of values that these expressions take, each with a shortest trace.
    /// Expressions that read the next state or inputs are evaluated on steps.
    pub project: fn(&Model, &[ExprId], &Start, &Budget) -> Projected,
    /// Decides these properties of the model, by index.
    pub check: fn(&Model, &[usize], &Budget) -> Checked,
}

/// All engines, the default first.
pub const ENGINES: &[Engine] = &[
    auto::ENGINE,
    explicit::ENGINE,
    bdd::ENGINE,
    sat::ENGINE,
    #[cfg(feature = "cadical")]
    sat::CADICAL,
];
