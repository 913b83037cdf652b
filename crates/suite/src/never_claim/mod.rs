//! What a test says about a never-claim: a formula that the test is meant to violate.
//!
//! A test ends where it ends, formulas speak of infinite paths. Here nothing beyond the end counts
//! against a claim (Ammann, Black and Ding, *Model Checkers in Software Testing*, 2.1.1): a formula
//! that is asked for in a state beyond the end is true if it is to be true, and false if it is to
//! be false. That is the weak semantics of truncated paths (Eisner et al., *Reasoning with
//! Temporal Logic on Truncated Paths*). With formulas in negation normal form, `n` states and
//! `w(f, i)` for "the test does not say that `f` is false in state `i`":
//!
//! - `w(f, i)` is true where `i >= n`, even if `f` only speaks of the past;
//! - `w(p, i)` of an atom or its negation is its value in state `i`, and true where it has none: a
//!   division by zero, a value that the test leaves open, in the last state an atom about steps
//!   (one that reads the next state or inputs);
//! - everything else is as ever: `w(X f, i) = w(f, i + 1)`, `w(f U g, i)` asks for a `k >= i` with
//!   `w(g, k)` and `w(f, j)` for all `j` from `i` to `k - 1`, and so on.
//!
//! `f <-> g` is `(f -> g) & (g -> f)` in it. A test violates a claim if `w(claim, 0)` is false.
//! Then every infinite path that begins like the test violates it, and so does every longer test.
//! The converse fails where a formula contradicts itself: no test violates `F (p & !p)`.
//! A test that loops is an infinite word and has no end; there only missing values are weak.
//! Tests may leave the fair paths, or end where no path goes on: a test that violates `G p` there
//! does so although the model may satisfy it.
//!
//! There are two ways. [`native`] evaluates many claims in one pass over the test. [`machine`]
//! makes the test a model that can do nothing else, rewrites the formulas, and asks an engine, as
//! the paper does; its text can be given to others. They agree on every formula.
//!
//! A trace is one path, on which `A` and `E` are the same. For `A` that is sound: if all paths of a
//! model are such, so is this one. But that `EF p` is false on one path says nothing about a model
//! that has others, and `AG EF p` is not violated by a test in which `p` never comes, although it
//! is false of the machine that can only walk that test. So claims which need that some path exists
//! are refused: see [`Refusal`]. The requirement `EF p` itself is met by a test that violates
//! `!EF p`.

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

/// Why no test can be asked about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It needs that some path exists, and a test is only one.
    SomePath,
    /// It asks for a distance.
    Distance,
    /// It looks too far back.
    TooFar,
    /// It has an operator that formulas do not have.
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
