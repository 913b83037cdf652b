//! `stuck-at`: every condition becomes `TRUE`, and `FALSE`.

use trapline_model::{Event, OccId, Shape};

use super::{Operator, Rewrite, Role, Scene};

/// Every condition becomes `TRUE`, and `FALSE`.
pub const OPERATOR: Operator = Operator {
    name: "stuck-at",
    about: "a condition becomes TRUE, or FALSE",
    is_usual: true,
    changes,
};

fn changes(scene: &mut Scene<'_>, occ: OccId) {
    // What an event waits for is mutated by itself.
    let shape = scene.model.occurrences.get(occ).shape;
    let is_whole = !matches!(shape, Shape::When | Shape::Event(Event::Stay));
    let values: &[bool] = match scene.tree.role(occ) {
        Role::Condition => &[true, false],
        // An event may never happen; none happens in every step.
        Role::Event if is_whole => &[false],
        _ => return,
    };
    for &value in values {
        let constant = scene.model.exprs.bool(value);
        scene.becomes(occ, Rewrite::Name, constant);
    }
}
