//! Targets that are asked about together.
//!
//! A variable that watches the model multiplies the states of a search. A few of them do no harm,
//! but the product of a dozen observers may have far more states than the model. So targets go
//! together until the variables that they need have too many values.

use std::collections::BTreeSet;

use trapline_model::{Model, VarId, dependency, goal};

/// How many values the variables that watch may have together in one search.
const MAX_VALUES: u64 = 64;

/// The targets of each search, by their indices. The first are those that need no watching.
pub fn batches(model: &Model, n_vars: usize, targets: &[goal::Target]) -> Vec<Vec<usize>> {
    if model.vars.len() == n_vars {
        return vec![(0..targets.len()).collect()];
    }
    let mut plain = Vec::new();
    let mut batches: Vec<(BTreeSet<VarId>, Vec<usize>)> = Vec::new();
    for (idx, target) in targets.iter().enumerate() {
        let needed = watchers(model, n_vars, target);
        if needed.is_empty() {
            plain.push(idx);
            continue;
        }
        let fits = |(known, _): &&mut (BTreeSet<VarId>, Vec<usize>)| {
            needed.is_subset(known) || n_values(model, known.union(&needed)) <= MAX_VALUES
        };
        match batches.iter_mut().find(fits) {
            Some((known, batch)) => {
                known.extend(&needed);
                batch.push(idx);
            }
            None => batches.push((needed, vec![idx])),
        }
    }
    let batches = batches.into_iter().map(|(_, batch)| batch);
    std::iter::once(plain).filter(|plain| !plain.is_empty()).chain(batches).collect()
}

/// The variables that watch the model and that a target reads.
fn watchers(model: &Model, n_vars: usize, target: &goal::Target) -> BTreeSet<VarId> {
    let exprs = match target {
        goal::Target::State(expr) | goal::Target::Step(expr) => std::slice::from_ref(expr),
        goal::Target::Steps(exprs) => exprs,
    };
    let support = dependency::support(model, exprs.iter().copied());
    let read = support.current.into_iter().chain(support.next);
    read.filter(|var| var.0 as usize >= n_vars).collect()
}

fn n_values<'v>(model: &Model, vars: impl Iterator<Item = &'v VarId>) -> u64 {
    let sizes = vars.map(|&var| model.var(var).domain.size().unwrap_or(u64::MAX));
    sizes.fold(1, u64::saturating_mul)
}
