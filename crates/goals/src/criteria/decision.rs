//! `decision`: every decision true, and false.

use super::Criterion;
use super::branch::word;
use crate::builder::Builder;
use crate::site_name::when;

/// Every decision true, and false.
pub const CRITERION: Criterion =
    Criterion { name: "decision", about: "every decision true, and false", add };

fn add(builder: &mut Builder<'_>) {
    for (place, _) in builder.decisions(|_| 2) {
        let decision = builder.model.occurrences.get(place.site.decision);
        for holds in [true, false] {
            let expr = builder.model.exprs.literal(decision.expr, holds);
            let target = builder.target(&place, expr);
            let text = format!(
                "the decision of {} is {}{}",
                place.text,
                word(holds),
                when(place.site.scope)
            );
            builder.add(&format!("{}:{holds}", place.key), text, decision.span, target);
        }
    }
}
