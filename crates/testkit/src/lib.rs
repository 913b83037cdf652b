//! What the tests of several crates need, and nothing else does: random models, brute-force oracles,
//! and a reader of models that must be right.
//!
//! It is only ever a dev-dependency. The unit tests of a crate may use those parts of it whose types come
//! from other crates: a test build of `engine` is another crate than the `engine` that [`truth`] knows.

pub mod brute_force;
pub mod commands;
pub mod exchanges;
pub mod random;
pub mod random_constraints;
mod read;
pub mod sal;
pub mod score;
pub mod scr;
pub mod truth;
mod valuations;

pub use read::{read, read_tables, try_read, try_read_sal};
pub use valuations::valuations;
