//! Search over concrete states.

pub mod graph;

use trapline_model::goal::Target;
use trapline_model::{ExprId, Model};

use crate::{Budget, Checked, Engine, Outcome, Projected, Reached, Start, Verdict, Why};

/// The engine.
pub const ENGINE: Engine = Engine {
    name: "explicit",
    about: "sees every state by itself: up to some ten million states, shortest traces",
    reach,
    project,
    check,
};

fn reach(_: &Model, targets: &[Target], _: &Start, _: &Budget) -> Reached {
    let verdicts = vec![Verdict::Unknown(Why::Unsupported("yet".into())); targets.len()];
    Reached { verdicts, ..Reached::default() }
}

fn project(_: &Model, _: &[ExprId], _: &Start, _: &Budget) -> Projected {
    Projected { incomplete: Some(Why::Unsupported("yet".into())), ..Projected::default() }
}

fn check(_: &Model, properties: &[usize], _: &Budget) -> Checked {
    let outcomes = vec![Outcome::Unknown(Why::Unsupported("yet".into())); properties.len()];
    Checked { outcomes, ..Checked::default() }
}
