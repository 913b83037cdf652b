//! `const`: a constant becomes another one.

use trapline_model::{BinaryOp, Domain, Expr, Model, OccId, Value, VarId};

use super::{Operator, Rewrite, Role, Scene, Tree};

/// A constant becomes another one.
pub const OPERATOR: Operator = Operator {
    name: "const",
    about: "a symbol becomes another one of its type, a defined number another defined number",
    is_usual: true,
    changes,
};

fn changes(scene: &mut Scene<'_>, occ: OccId) {
    if scene.tree.role(occ) != Role::Inner {
        return;
    }
    let expr = scene.model.occurrences.get(occ).expr;
    if let Some(value @ Value::Symbol(_)) = scene.model.exprs.as_const(expr) {
        let compared = compared_with(scene.model, scene.tree, occ);
        let domain = compared.map(|var| scene.model.var(var).domain.clone());
        if let Some(Domain::Enum(values)) = domain {
            let is_other = |v: &&Value| matches!(v, Value::Symbol(_)) && **v != value;
            for other in values.iter().filter(is_other) {
                let changed = scene.model.exprs.value(*other);
                scene.becomes(occ, Rewrite::Name, changed);
            }
        }
        return;
    }
    if let Expr::Define(_) = scene.model.exprs.get(expr)
        && scene.kin.numbers.contains(&expr)
    {
        let others = scene.kin.numbers.iter().filter(|&&other| other != expr);
        scene.changes.extend(others.map(|&other| (occ, Rewrite::Name, other)));
    }
}

/// The variable that a constant is compared with, or that is given it, alone or in a set.
fn compared_with(model: &Model, tree: &Tree, occ: OccId) -> Option<VarId> {
    let mut below = occ;
    loop {
        let Some(above) = tree.operator_above(model, below) else { return tree.assigned };
        let occurrence = model.occurrences.get(above);
        match model.exprs.get(occurrence.expr) {
            Expr::Binary(BinaryOp::Union, ..) => below = above,
            Expr::Binary(BinaryOp::Eq | BinaryOp::Ne | BinaryOp::In, ..) => {
                let operands = model.occurrences.children(above);
                let other = operands.into_iter().find(|&operand| operand != below)?;
                return match model.exprs.get(model.occurrences.get(other).expr) {
                    Expr::Var(var) | Expr::Next(var) => Some(var),
                    _ => None,
                };
            }
            // The value of a branch is the value of the whole.
            Expr::Ite(..) if tree.assigned.is_some() => below = above,
            _ => return None,
        }
    }
}
