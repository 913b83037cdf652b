//! `condition`: every condition of every decision true, and false.

use super::Criterion;
use super::branch::word;
use crate::builder::Builder;
use crate::logic;
use crate::place::when;

/// Every condition of every decision true, and false.
pub const CRITERION: Criterion = Criterion {
    name: "condition",
    about: "every condition of every decision true, and false",
    add,
};

fn add(builder: &mut Builder<'_>) {
    for (place, decision) in builder.decisions(|n_conditions| 2 * n_conditions) {
        for (idx, condition) in decision.conditions.iter().enumerate() {
            for holds in [true, false] {
                let expr = logic::literal(&mut builder.model.exprs, condition.expr, holds);
                let target = builder.target(&place, expr);
                let text = format!(
                    "{} is {} in {}{}",
                    builder.show(condition.expr),
                    word(holds),
                    place.text,
                    when(place.site.scope)
                );
                let key = format!("{}:{}:{holds}", place.key, idx + 1);
                builder.add(&key, text, condition.span, target);
            }
        }
    }
}
