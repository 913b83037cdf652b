//! `trap`: the user's own goals, or the properties of the model as never-claims.

use trapline_model::{Formula, PropertyKind, Scope};

use super::Criterion;
use crate::builder::{Builder, in_scope};
use crate::goal::{GoalKind, VIOLATED};
use crate::latch::setting_step;

/// The user's own goals.
pub const CRITERION: Criterion = Criterion {
    name: "trap",
    about: "the goals of --traps FILE, or the model's properties read as never-claims",
    add,
};

fn add(builder: &mut Builder<'_>) {
    let Some(traps) = builder.options.traps.clone() else { return properties(builder) };
    for trap in traps {
        let shown = builder.show(trap.clause.expr);
        let (text, target) = match trap.claim {
            None => {
                let target = match setting_step(&mut builder.model, trap.clause.expr) {
                    Some(step) => GoalKind::Step(step),
                    None => in_scope(&builder.model, Scope::State, trap.clause.expr),
                };
                (format!("{shown} is reached"), target)
            }
            Some(kind) => (format!("{shown}{VIOLATED}"), GoalKind::Trap(kind, trap.clause.expr)),
        };
        builder.add(&trap.name, text, trap.clause.span, target);
    }
}

fn properties(builder: &mut Builder<'_>) {
    for (idx, property) in builder.model.properties.clone().iter().enumerate() {
        if !super::property::is_wanted(builder, property) {
            continue;
        }
        let key = property.name.clone().unwrap_or_else(|| format!("property{idx}"));
        match property.formula {
            Formula::Holds(clause) if property.kind != PropertyKind::Compute => {
                let text = format!("{}{VIOLATED}", builder.show(clause.expr));
                let target = GoalKind::Trap(property.kind, clause.expr);
                builder.add_property(&key, text, property.span, target);
            }
            _ => builder.leave_out(property.span, format!("{key} is no claim: left out")),
        }
    }
}
