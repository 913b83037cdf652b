//! `ufp`: uncorrelated full predicate coverage. Every condition true, and false, where it decides
//! its decision (Ammann, Black, Ding, *Model checkers in software testing*, 3.2).

use super::Criterion;
use super::branch::word;
use crate::builder::Builder;
use crate::decision::Decision;
use crate::logic;
use crate::place::{Place, when};

/// Every condition true, and false, where it decides its decision.
pub const CRITERION: Criterion = Criterion {
    name: "ufp",
    about: "uncorrelated full predicate: every condition true, and false, where it decides",
    add,
};

fn add(builder: &mut Builder<'_>) {
    for (place, decision) in builder.decisions(|n_conditions| 2 * n_conditions) {
        full_predicate(builder, &place, &decision);
    }
}

/// The goals for one decision.
pub fn full_predicate(builder: &mut Builder<'_>, place: &Place, decision: &Decision) {
    let derivatives = decision.derivatives(&mut builder.model.exprs);
    for (idx, condition) in decision.conditions.iter().enumerate() {
        for holds in [true, false] {
            let exprs = &mut builder.model.exprs;
            let literal = logic::literal(exprs, condition.expr, holds);
            let expr = logic::and(exprs, derivatives[idx], literal);
            let target = builder.target(place, expr);
            let text = format!(
                "{} is {} and decides {}{}",
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
