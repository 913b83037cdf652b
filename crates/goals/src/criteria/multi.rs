//! `multi`: every truth assignment to the conditions of a decision.

use trapline_model::BinaryOp;

use super::Criterion;
use crate::builder::Builder;

/// Every truth assignment to the conditions of a decision.
pub const CRITERION: Criterion = Criterion {
    name: "multi",
    about: "every truth assignment to the conditions of every decision",
    add,
};

/// Decisions with more conditions are skipped.
const MAX_CONDITIONS: usize = 24;

fn add(builder: &mut Builder<'_>) {
    let n_goals =
        |n_conditions: usize| 1usize.checked_shl(n_conditions as u32).unwrap_or(usize::MAX);
    let and = format!(" {} ", builder.model.syntax.binary_op(BinaryOp::And));
    for (place, decision) in builder.decisions(n_goals) {
        if decision.conditions.len() > MAX_CONDITIONS {
            continue;
        }
        for bits in 0..1u64 << decision.conditions.len() {
            let mut all = builder.model.exprs.bool(true);
            let mut shown = Vec::new();
            let mut key = String::new();
            for (idx, condition) in decision.conditions.iter().enumerate() {
                // The first condition changes slowest, as in a truth table.
                let holds = bits >> (decision.conditions.len() - 1 - idx) & 1 == 1;
                let exprs = &mut builder.model.exprs;
                let literal = exprs.literal(condition.expr, holds);
                all = exprs.and(all, literal);
                shown.push(builder.show(literal));
                key.push(if holds { '1' } else { '0' });
            }
            let target = builder.target(&place, all);
            let text = format!("{} in {}", shown.join(&and), place.text);
            builder.add(&format!("{}:{key}", place.key), text, place.site.span, target);
        }
    }
}
