//! `condition`: every condition of every decision true, and false.

use trapline_model::ExprId;

use super::Criterion;
use super::branch::word;
use crate::builder::Builder;
use crate::decision::Decision;
use crate::goal::GoalKind;
use crate::site_name::{NamedSite, when};
use crate::visibility::flip;

/// Every condition of every decision true, and false.
pub const CRITERION: Criterion = Criterion {
    name: "condition",
    about: "every condition of every decision true, and false",
    add,
};

fn add(builder: &mut Builder<'_>) {
    for (place, decision) in builder.decisions(|n_conditions| 2 * n_conditions) {
        let always = builder.model.exprs.bool(true);
        both_values(builder, &place, &decision, |_| always, "in");
    }
}

/// Every condition true, and false, wherever something holds.
pub fn both_values(
    builder: &mut Builder<'_>,
    place: &NamedSite,
    decision: &Decision,
    wherever: impl Fn(usize) -> ExprId,
    how: &str,
) {
    for (idx, condition) in decision.conditions.iter().enumerate() {
        for holds in [true, false] {
            let exprs = &mut builder.model.exprs;
            let literal = exprs.literal(condition.expr, holds);
            let expr = exprs.and(wherever(idx), literal);
            let target = target(builder, place, idx, expr);
            let shown = builder.show(condition.expr);
            let (word, when) = (word(holds), when(place.site.scope));
            let seen = if builder.is_observable() { ", seen at an output" } else { "" };
            let text = format!("{shown} is {word} {how} {}{when}{seen}", place.text);
            let key = format!("{}:{}:{holds}", place.key, idx + 1);
            builder.add(&key, text, condition.span, target);
        }
    }
}

/// An evaluation of a condition as a target, or that it matters at an output.
fn target(
    builder: &mut Builder<'_>,
    place: &NamedSite,
    condition: usize,
    expr: ExprId,
) -> GoalKind {
    if !builder.is_observable() {
        return builder.target(place, expr);
    }
    let evaluated = builder.model.exprs.and(place.reach, expr);
    GoalKind::Fault(flip::fault(builder, place, condition, evaluated))
}
