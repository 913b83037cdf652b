//! `redirect`: an input becomes another input of its type.

use trapline_model::{Model, OccId, Role, VarId};

use super::variable::exchange;
use super::{Operator, Scene};

/// An input becomes another input of its type.
pub const OPERATOR: Operator = Operator {
    name: "redirect",
    about: "an input becomes another input of its type",
    is_usual: false,
    changes,
};

fn changes(scene: &mut Scene<'_>, occ: OccId) {
    let is_input = |model: &Model, var: VarId| model.var(var).role == Role::Input;
    exchange(scene, occ, |_| true, is_input);
}
