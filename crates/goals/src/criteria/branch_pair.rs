//! `branch-pair`: every two branches of the same variable taken in consecutive steps.

use std::collections::BTreeMap;

use super::Criterion;
use super::branch::{Branch, branches, is_of_steps};
use crate::builder::Builder;
use crate::goal::Target;

/// Every two branches of the same variable taken in consecutive steps.
pub const CRITERION: Criterion = Criterion {
    name: "branch-pair",
    about: "every two branches of a variable taken in consecutive steps",
    add,
};

fn add(builder: &mut Builder<'_>) {
    // The parts of an assignment by several processes count together.
    let mut by_var: BTreeMap<u32, Vec<Branch>> = BTreeMap::new();
    for branch in branches(builder).into_iter().filter(is_of_steps) {
        if let trapline_model::Target::Assign { var, .. } = branch.place.site.target {
            by_var.entry(var.0).or_default().push(branch);
        }
    }
    for branches in by_var.values() {
        let n_pairs = branches.len() * branches.len();
        if n_pairs > builder.options.limit {
            let what = format!("branches like {}", branches[0].text);
            builder.exceed(branches[0].span, &what, n_pairs);
            continue;
        }
        for first in branches {
            for second in branches {
                let steps = [first, second]
                    .map(|branch| builder.model.exprs.and(branch.place.reach, branch.guard));
                let text = format!("{}, then {}", first.text, second.text);
                let key = format!("{}:{}", first.key, after(&first.key, &second.key));
                builder.add(&key, text, second.span, Target::Steps(steps.to_vec()));
            }
        }
    }
}

/// The second key after the first: without the variable, if both have it. `3` of `x:3`,
/// `if1:true` of `x:if1:true`, but `x/2:1` after `x:1`, which is another assignment.
fn after<'k>(first: &str, second: &'k str) -> &'k str {
    match (first.split_once(':'), second.split_once(':')) {
        (Some((a, _)), Some((b, rest))) if a == b => rest,
        _ => second,
    }
}
