//! `branch`: every branch taken.

use trapline_model::{ExprId, Scope, SiteKind};
use trapline_source::Span;

use super::Criterion;
use crate::builder::{Builder, in_scope};
use crate::site_name::{NamedSite, when};

/// Every branch taken.
pub const CRITERION: Criterion =
    Criterion { name: "branch", about: "every branch of every case and ?: taken", add };

/// A branch, and when it is taken.
pub struct Branch {
    /// The site.
    pub place: NamedSite,
    /// Its key in ids.
    pub key: String,
    /// Its description.
    pub text: String,
    /// The condition that it is taken.
    pub taken: ExprId,
    /// Where.
    pub span: Span,
}

fn add(builder: &mut Builder<'_>) {
    for branch in branches(builder) {
        let target = in_scope(&builder.model, branch.place.site.scope, branch.taken);
        let text = format!("{}{}", branch.text, when(branch.place.site.scope));
        builder.add(&branch.key, text, branch.span, target);
    }
}

/// All branches.
pub fn branches(builder: &mut Builder<'_>) -> Vec<Branch> {
    let mut branches = Vec::new();
    for place in builder.places.clone() {
        let guard = builder.model.occurrences.get(place.site.decision).expr;
        let span = place.site.span;
        match place.site.kind {
            SiteKind::Branch { group, index } => {
                let alternative = &builder.model.group(group).alternatives[index as usize];
                if !alternative.branches.is_empty() {
                    branches.extend(alternative.branches.iter().map(|own| Branch {
                        key: format!("{}.{}", place.key, own.key),
                        text: own.text.clone(),
                        taken: own.taken,
                        span: own.span,
                        place: place.clone(),
                    }));
                    continue;
                }
                let taken = alternative.taken;
                let taken = taken.unwrap_or_else(|| builder.model.exprs.and(place.reach, guard));
                let (key, text) = (place.key.clone(), place.text.clone());
                branches.push(Branch { key, text, taken, span, place });
            }
            SiteKind::If { .. } => {
                for holds in [true, false] {
                    let exprs = &mut builder.model.exprs;
                    let guard = exprs.literal(guard, holds);
                    let taken = exprs.and(place.reach, guard);
                    let key = format!("{}:{holds}", place.key);
                    let text = format!("{} is {}", place.text, word(holds));
                    branches.push(Branch { key, text, taken, span, place: place.clone() });
                }
            }
            SiteKind::Boolean => {}
        }
    }
    branches
}

/// A truth value for people.
pub fn word(holds: bool) -> &'static str {
    if holds { "true" } else { "false" }
}

/// True if it is about steps.
pub fn is_of_steps(branch: &Branch) -> bool {
    branch.place.site.scope == Scope::Step
}
