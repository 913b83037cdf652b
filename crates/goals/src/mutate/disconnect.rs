//! `disconnect`: an input becomes a constant.

use trapline_model::{Domain, Expr, OccId, Role, Shape, Value};

use super::{Operator, Rewrite, Scene};
use crate::criteria::ends;

/// An input becomes a constant.
pub const OPERATOR: Operator = Operator {
    name: "disconnect",
    about: "an input becomes a constant: each value of its type, or the least and the greatest",
    is_usual: false,
    changes,
};

fn changes(scene: &mut Scene<'_>, occ: OccId) {
    let occurrence = scene.model.occurrences.get(occ);
    let (Expr::Var(var) | Expr::Next(var)) = scene.model.exprs.get(occurrence.expr) else {
        return;
    };
    let declared = scene.model.var(var);
    let is_fixed = scene.tree.role(occ) == super::Role::Fixed;
    if occurrence.shape != Shape::Leaf || is_fixed || declared.role != Role::Input {
        return;
    }
    let values: Vec<Value> = match &declared.domain {
        Domain::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Domain::Enum(values) => values.to_vec(),
        domain @ (Domain::Range(..) | Domain::Word { .. }) => ends(domain).to_vec(),
        Domain::Integer | Domain::Real | Domain::Clock => Vec::new(),
    };
    for value in values {
        let constant = scene.model.exprs.value(value);
        scene.becomes(occ, Rewrite::Name, constant);
    }
}
