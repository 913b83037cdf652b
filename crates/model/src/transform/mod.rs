//! Models made from models, and the way back for their traces.
//!
//! Whoever needs another model than the one that was read makes it here: [`extend`] it by variables
//! and rules, [`substitute`] expressions, [`rename`] variables and values, take the [`product`] of
//! two, [`cut`] it down to a part. What was found in the new model is about the old one only once
//! it has gone back: a [`Lift`] knows which trace of the old model a trace of the new one stands
//! for, and replays it there.

pub mod extend;
pub mod lift;
pub mod substitute;

pub use extend::{Extension, Own};
pub use lift::Lift;
pub use substitute::{Defines, Substitution};
