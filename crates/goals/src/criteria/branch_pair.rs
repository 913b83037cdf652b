//! `branch-pair`: every two branches of the same variable taken in consecutive steps.

use std::collections::BTreeMap;

use trapline_model::{GroupId, Model, Relation, VarId};

use super::Criterion;
use super::branch::{Branch, branches, is_of_steps};
use crate::builder::Builder;
use crate::goal::GoalKind;

/// Every two branches of the same variable taken in consecutive steps.
pub const CRITERION: Criterion = Criterion {
    name: "branch-pair",
    about: "every two branches of a variable taken in consecutive steps",
    add,
};

fn add(builder: &mut Builder<'_>) {
    // The parts of an assignment by several processes count together.
    let mut related: BTreeMap<Decides, Vec<Branch>> = BTreeMap::new();
    for branch in branches(builder).into_iter().filter(is_of_steps) {
        if let Some(decides) = decides(&builder.model, branch.place.site.target) {
            related.entry(decides).or_default().push(branch);
        }
    }
    for branches in related.values() {
        let n_pairs = branches.len() * branches.len();
        if n_pairs > builder.options.limit {
            let what = format!("branches like {}", branches[0].text);
            builder.exceed(branches[0].span, &what, n_pairs);
            continue;
        }
        for first in branches {
            for second in branches {
                let steps = vec![first.taken, second.taken];
                let text = format!("{}, then {}", first.text, second.text);
                let key = format!("{}:{}", first.key, after(&first.key, &second.key));
                builder.add(&key, text, second.span, GoalKind::Steps(steps));
            }
        }
    }
}

/// What branches decide together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Decides {
    /// The value of a variable.
    Var(VarId),
    /// Which of several commands is taken, which may assign different variables.
    Group(GroupId),
}

fn decides(model: &Model, target: trapline_model::SiteTarget) -> Option<Decides> {
    use trapline_model::SiteTarget as Of;
    match target {
        Of::Assign { var, .. } => Some(Decides::Var(var)),
        Of::Given(group, idx, given) => {
            let alternative = &model.group(group).alternatives[idx as usize];
            Some(Decides::Var(alternative.gives[given as usize].var))
        }
        Of::Guard(id, _) => match (model.group(id).relation, model.group(id).vars().as_slice()) {
            (Relation::Exclusive, [var]) => Some(Decides::Var(*var)),
            _ => Some(Decides::Group(id)),
        },
        Of::Define(_) | Of::Constraint(_) => None,
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
