//! `ufp`: uncorrelated full predicate coverage. Every condition true, and false, where it decides
//! its decision (Ammann, Black, Ding, *Model checkers in software testing*, 3.2).

use super::Criterion;
use super::condition::both_values;
use crate::builder::Builder;
use crate::decision::Decision;
use crate::site_name::NamedSite;

/// Every condition true, and false, where it decides its decision.
pub const CRITERION: Criterion = Criterion {
    name: "ufp",
    about: "uncorrelated full predicate: every condition true, and false, where it determines the decision",
    add,
};

fn add(builder: &mut Builder<'_>) {
    for (place, decision) in builder.decisions(|n_conditions| 2 * n_conditions) {
        full_predicate(builder, &place, &decision);
    }
}

/// The goals for one decision.
pub fn full_predicate(builder: &mut Builder<'_>, place: &NamedSite, decision: &Decision) {
    let derivatives = decision.derivatives(&mut builder.model.exprs);
    both_values(builder, place, decision, |idx| derivatives[idx], "and decides");
}
