//! The engines: everything that searches the states of a model.
//!
//! All engines answer the same three questions, with the same types: [`reach`], [`project`]
//! and [`check`]. A new one is a folder and a line in [`ENGINES`].

pub mod answer;
pub mod auto;
pub mod bdd;
pub mod blast;
pub mod certificate;
pub mod cluster;
pub mod code;
pub mod cone;
pub mod cone_partition;
pub mod credit;
pub mod encoding;
pub mod explicit;
pub mod functional;
pub mod obligation;
pub mod portfolio;
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

/// A way to search.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is good at, in half a sentence.
    pub about: &'static str,
    /// Which of these targets can be reached, each with a trace? It is a shortest one, unless that
    /// takes much longer than to find any.
    pub reach: fn(&Model, &[Target], &Start, &Budget) -> Reached,
    /// Which values do these expressions take together, each with a shortest trace? Expressions
    /// that read the next state or inputs make it a question about steps.
    pub project: fn(&Model, &[ExprId], &Start, &Budget) -> Projected,
    /// Do these properties of the model (by index) hold?
    pub check: fn(&Model, &[usize], &Budget) -> Checked,
}

/// All engines, the one that is chosen first in front.
pub const ENGINES: &[Engine] = &[
    auto::ENGINE,
    explicit::ENGINE,
    bdd::ENGINE,
    sat::ENGINE,
    #[cfg(feature = "cadical")]
    sat::CADICAL,
];
