//! Partitions targets by their cones of influence.
//!
//! A single search decides all of them, as long as it terminates. Where it does not, targets with
//! small cones need not wait for those that depend on everything.

#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;
use trapline_model::goal::Target;
use trapline_model::{ExprId, Model, VarId};

use crate::answer::Why;
use crate::cluster::{bits, union};
use crate::cone::Cones;
use trapline_budget::Budget;

/// Maximum number of blocks: more cost more than they gain.
const MAX_BLOCKS: usize = 8;

/// How much a block may grow by another target; relaxed while there are too many blocks.
const GROWTHS: [f64; 5] = [1.1, 1.3, 1.7, 2.5, 4.0];

/// If the first block is not this much smaller than the whole, partitioning does not help.
const SMALLER: f64 = 0.8;

/// Limit on the total size of the cones.
const MAX_VARS: usize = 50_000_000;

/// Partitions the targets into blocks with small cones, smallest first; a single block if the
/// budget does not allow it.
pub fn cone_partition(model: &Model, targets: &[Target], budget: &Budget) -> Vec<Vec<usize>> {
    let whole = vec![(0..targets.len()).collect()];
    if targets.len().saturating_mul(model.vars.len()) > MAX_VARS {
        return whole;
    }
    let Ok(parts) = parts(model, targets, budget) else { return whole };
    let all = parts.iter().fold(Vec::new(), |all, (vars, _)| union(&all, vars));
    let most = SMALLER * bits(model, &all);
    if parts.first().is_none_or(|(vars, _)| bits(model, vars) > most) {
        return whole;
    }
    let grown = GROWTHS.iter().map(|&growth| grow(model, &parts, growth));
    let few = grown.into_iter().find(|blocks| blocks.len() <= MAX_BLOCKS);
    few.filter(|blocks| bits(model, &blocks[0].0) <= most)
        .map_or(whole, |blocks| blocks.into_iter().map(|(_, targets)| targets).collect())
}

type Cone = (Vec<VarId>, Vec<usize>);

/// The targets by cone, smallest first.
fn parts(model: &Model, targets: &[Target], budget: &Budget) -> Result<Vec<Cone>, Why> {
    let cones = Cones::new(model);
    let mut known: FxHashMap<Vec<VarId>, Vec<usize>> = FxHashMap::default();
    for (idx, target) in targets.iter().enumerate() {
        budget.has_patience()?;
        known.entry(cones.of(exprs(target).iter().copied())).or_default().push(idx);
    }
    let mut parts: Vec<Cone> = known.into_iter().collect();
    parts.sort_by(|(a, _), (b, _)| bits(model, a).total_cmp(&bits(model, b)).then(a.cmp(b)));
    Ok(parts)
}

fn exprs(target: &Target) -> &[ExprId] {
    match target {
        Target::State(expr) | Target::Step(expr) => std::slice::from_ref(expr),
        Target::Steps(exprs) => exprs,
    }
}

/// Adds each cone to the block that grows least by it, if that is not too much.
fn grow(model: &Model, parts: &[Cone], growth: f64) -> Vec<Cone> {
    let mut blocks: Vec<Cone> = Vec::new();
    for (vars, targets) in parts {
        let larger = |(known, _): &Cone| {
            let (before, after) = (bits(model, known), bits(model, &union(known, vars)));
            after / before.max(1.0)
        };
        let best = blocks.iter().map(larger).enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b));
        match best {
            Some((idx, larger)) if larger <= growth => {
                blocks[idx].0 = union(&blocks[idx].0, vars);
                blocks[idx].1.extend(targets);
            }
            _ => blocks.push((vars.clone(), targets.clone())),
        }
    }
    blocks.sort_by(|(a, _), (b, _)| bits(model, a).total_cmp(&bits(model, b)));
    blocks
}
