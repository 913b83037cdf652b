//! Evaluates never-claims: formulas that a test is meant to violate.
//!
//! A test is finite, formulas speak of infinite paths. Nothing beyond the end counts against a
//! claim (Ammann, Black and Ding, *Model Checkers in Software Testing*, 2.1.1): beyond the end
//! every formula has its weak value, true in a positive and false in a negative position. This is
//! the weak semantics of truncated paths (Eisner et al., *Reasoning with Temporal Logic on
//! Truncated Paths*). With formulas in negation normal form, `n` states and `w(f, i)` for "the test
//! does not falsify `f` in state `i`":
//!
//! - `w(f, i)` is true where `i >= n`, even for past formulas;
//! - `w(p, i)` of a literal is its value in state `i`, and true where it is undefined: a division
//!   by zero, a value that the test leaves open, in the last state an atom over steps (one that
//!   reads the next state or inputs);
//! - all other operators are standard: `w(X f, i) = w(f, i + 1)`, `w(f U g, i)` requires a `k >= i`
//!   with `w(g, k)` and `w(f, j)` for all `j` from `i` to `k - 1`, and so on.
//!
//! `f <-> g` abbreviates `(f -> g) & (g -> f)`. A test violates a claim if `w(claim, 0)` is false.
//! Then every infinite path with the test as prefix violates it, and so does every longer test. The
//! converse fails for contradictory formulas: no test violates `F (p & !p)`. A lasso is an infinite
//! word without an end; there only undefined values are weak. Tests may leave the fair paths, or
//! end in a deadlock: a test that violates `G p` there does so although the model may satisfy it.
//!
//! There are two implementations. [`native`] evaluates many claims in one pass over the test.
//! [`machine`] turns the test into a model whose only path it is, rewrites the formulas, and calls
//! an engine, as in the paper; its text can be given to other checkers. They agree on every
//! formula.
//!
//! A trace is one path, on which `A` and `E` coincide. For `A` that is sound: what holds on all
//! paths of a model holds on this one. But that `EF p` is false on one path says nothing about a
//! model that has others, and `AG EF p` is not violated by a test in which `p` never holds,
//! although it is false of the machine of that test. So claims that need the existence of a path
//! are refused: see [`Refusal`]. The requirement `EF p` itself is met by a test that violates `!EF
//! p`.

mod atom;
mod column;
pub mod machine;
pub mod native;
mod normal;
mod rewrite;

pub use native::NeverClaims;

use trapline_model::{ExprId, PropertyKind};

/// A never-claim: its logic and its formula.
pub type NeverClaim = (PropertyKind, ExprId);

/// Why a claim cannot be evaluated on a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It asserts the existence of a path, and a test is only one.
    SomePath,
    /// It asks for a distance.
    Distance,
    /// A past bound is too large.
    TooFar,
    /// It has an unsupported operator.
    Operator,
}

impl Refusal {
    /// The reason in words.
    pub fn text(self) -> &'static str {
        match self {
            Refusal::SomePath => "no single path can violate a claim that some path exists",
            Refusal::Distance => "a distance is not true or false",
            Refusal::TooFar => "the bounds reach too far back",
            Refusal::Operator => "an operator that formulas do not have",
        }
    }
}
