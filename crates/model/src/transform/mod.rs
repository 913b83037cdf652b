//! Model transformations, with lifts for their traces.
//!
//! Every model that is derived from another is made here: [`extend`] it by variables and rules,
//! [`substitute`] expressions, take the [`product`] of two, [`cut`] it to a cone of influence. What
//! was found in the new model applies to the old one only once it is lifted: a [`Lift`] maps a
//! trace of the new model to one of the old, and replays it there.

pub mod change;
pub mod cut;
pub mod extend;
mod import;
pub mod lift;
pub mod product;
pub mod substitute;

pub use change::Change;
pub use extend::{Extension, Own};
pub use lift::Lift;
pub use substitute::{Defines, Substitution};
