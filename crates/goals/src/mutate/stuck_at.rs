//! `stuck-at`: every condition becomes `TRUE`, and `FALSE`.

use trapline_model::OccId;

use super::{Operator, Rewrite, Role, Scene};

/// Every condition becomes `TRUE`, and `FALSE`.
pub const OPERATOR: Operator = Operator {
    name: "stuck-at",
    about: "a condition becomes TRUE, or FALSE",
    is_usual: true,
    changes,
};

fn changes(scene: &mut Scene<'_>, occ: OccId) {
    if scene.tree.role(occ) == Role::Condition {
        for value in [true, false] {
            let constant = scene.model.exprs.bool(value);
            scene.becomes(occ, Rewrite::Name, constant);
        }
    }
}
