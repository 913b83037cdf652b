//! Which targets are about the same part of a model.
//!
//! One search answers all of them, as long as it comes to an end. Where it does not, those that
//! few variables decide need not wait for those that depend on everything.

#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;
use trapline_model::goal::Target;
use trapline_model::{ExprId, Model, VarId};

use crate::answer::Why;
use crate::cluster::{bits, union};
use crate::cone::Cones;
use trapline_budget::Budget;

/// More layers cost more than they gain.
const MAX_LAYERS: usize = 8;

/// How much larger a layer may become by another target. If there are too many layers, more.
const GROWTHS: [f64; 5] = [1.1, 1.3, 1.7, 2.5, 4.0];

/// A first layer that is not this much smaller than the whole is no gain.
const SMALLER: f64 = 0.8;

/// Cones of more variables, all together, are not looked at.
const MAX_VARS: usize = 50_000_000;

/// Puts the targets into layers, each about few variables, the smallest first; into one if nobody
/// has the patience to wait for that.
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
    let few = grown.into_iter().find(|layers| layers.len() <= MAX_LAYERS);
    few.filter(|layers| bits(model, &layers[0].0) <= most)
        .map_or(whole, |layers| layers.into_iter().map(|(_, targets)| targets).collect())
}

type Cone = (Vec<VarId>, Vec<usize>);

/// The targets by the variables that they depend on, those with few first.
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

/// Each part goes to the layer that becomes least larger by it, if that is not too much.
fn grow(model: &Model, parts: &[Cone], growth: f64) -> Vec<Cone> {
    let mut layers: Vec<Cone> = Vec::new();
    for (vars, targets) in parts {
        let larger = |(known, _): &Cone| {
            let (before, after) = (bits(model, known), bits(model, &union(known, vars)));
            after / before.max(1.0)
        };
        let best = layers.iter().map(larger).enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b));
        match best {
            Some((idx, larger)) if larger <= growth => {
                layers[idx].0 = union(&layers[idx].0, vars);
                layers[idx].1.extend(targets);
            }
            _ => layers.push((vars.clone(), targets.clone())),
        }
    }
    layers.sort_by(|(a, _), (b, _)| bits(model, a).total_cmp(&bits(model, b)));
    layers
}
