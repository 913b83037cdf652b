//! `branch`: every branch taken.

use trapline_model::{ExprId, Scope, SiteKind};
use trapline_source::Span;

use super::Criterion;
use crate::builder::Builder;
use crate::logic;
use crate::site_name::{NamedSite, when};

/// Every branch taken.
pub const CRITERION: Criterion =
    Criterion { name: "branch", about: "every branch of every case and ?: taken", add };

/// A branch, and when it is taken.
pub struct Branch {
    /// The site.
    pub place: NamedSite,
    /// What ids call it.
    pub key: String,
    /// What people call it.
    pub text: String,
    /// Its guard, or that of `?:` or its negation.
    pub guard: ExprId,
    /// Where.
    pub span: Span,
}

fn add(builder: &mut Builder<'_>) {
    for branch in branches(builder) {
        let target = builder.target(&branch.place, branch.guard);
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
            SiteKind::Branch { .. } => {
                let (key, text) = (place.key.clone(), place.text.clone());
                branches.push(Branch { key, text, guard, span, place });
            }
            SiteKind::If { .. } => {
                for holds in [true, false] {
                    let guard = logic::literal(&mut builder.model.exprs, guard, holds);
                    let key = format!("{}:{holds}", place.key);
                    let text = format!("{} is {}", place.text, word(holds));
                    branches.push(Branch { key, text, guard, span, place: place.clone() });
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

/// Is it about steps?
pub fn is_of_steps(branch: &Branch) -> bool {
    branch.place.site.scope == Scope::Step
}
