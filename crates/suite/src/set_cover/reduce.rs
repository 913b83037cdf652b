//! Reductions.
//!
//! The classical reductions of set cover, to a fixpoint: a required set of one test selects it; a
//! set that contains a required one is implied; a test dominated by another of no higher cost is
//! dropped. Pair goals need nothing special: all three are about sets, and hitting more sets never
//! loses a goal.

use trapline_engine::Budget;

use super::core::{Core, Cost, Fate};
use super::lists::{Lists, is_subset};

/// Which costs count for dominance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Only the first; the second breaks ties.
    First,
    /// Both: neither may be higher.
    Both,
}

/// Reduces to a fixpoint, or until the budget runs out. `None` if it is infeasible.
pub fn reduce(mut core: Core, order: Order, budget: &Budget) -> Option<Core> {
    loop {
        if budget.spend(core.work()).is_err() {
            return Some(core);
        }
        let mut fates = vec![Fate::Open; core.tests.len()];
        let mut is_implied = vec![false; core.sets.len()];
        let columns = core.columns();
        let has_changed = choose_essential(&core, &mut fates)
            || has_certain_part(&core)
            || imply_supersets(&core, &columns, &mut is_implied, budget)
            || drop_dominated(&core, &columns, order, &mut fates, budget);
        if !has_changed {
            return Some(core);
        }
        core = core.simplified(&fates, &is_implied)?;
    }
}

fn choose_essential(core: &Core, fates: &mut [Fate]) -> bool {
    let mut has_changed = false;
    for (set, _) in core.sets.iter().zip(&core.required).filter(|(_, price)| price.is_some()) {
        if let &[test] = set {
            fates[test as usize] = Fate::Chosen;
            has_changed = true;
        }
    }
    has_changed
}

/// True if an alternative contains a required set, which simplification removes.
fn has_certain_part(core: &Core) -> bool {
    let mut sets = core.goals.iter().flatten().flat_map(|alternative| alternative.sets);
    sets.any(|set| core.required[set as usize].is_some())
}

fn imply_supersets(core: &Core, columns: &Lists, is_implied: &mut [bool], budget: &Budget) -> bool {
    let mut has_changed = false;
    for (idx, set) in core.sets.iter().enumerate() {
        if core.required[idx].is_none() || is_implied[idx] {
            continue;
        }
        // Whatever contains the set contains its rarest test.
        let rarest = set.iter().map(|&test| columns.get(test as usize)).min_by_key(|c| c.len());
        let candidates = rarest.unwrap_or_default();
        if budget.spend(candidates.len() as u64 / 8 + 1).is_err() {
            return has_changed;
        }
        for &other in candidates {
            if other as usize != idx && is_subset(set, core.sets.get(other as usize)) {
                is_implied[other as usize] = true;
                has_changed = true;
            }
        }
    }
    has_changed
}

fn drop_dominated(
    core: &Core,
    columns: &Lists,
    order: Order,
    fates: &mut [Fate],
    budget: &Budget,
) -> bool {
    let mut has_changed = false;
    for (test, fate) in fates.iter_mut().enumerate() {
        let sets = columns.get(test);
        let smallest = sets.iter().map(|&set| core.sets.get(set as usize)).min_by_key(|s| s.len());
        let candidates = smallest.unwrap_or_default();
        if budget.spend(candidates.len() as u64 / 8 + 1).is_err() {
            return has_changed;
        }
        let is_dominated = candidates.iter().map(|&other| other as usize).any(|other| {
            let others = columns.get(other);
            let rank = |test: usize| (core.costs[test], test);
            other != test
                && is_no_dearer(core.costs[other], core.costs[test], order)
                && (others.len() > sets.len() || rank(other) < rank(test))
                && is_subset(sets, others)
        });
        if is_dominated {
            *fate = Fate::Dropped;
            has_changed = true;
        }
    }
    has_changed
}

fn is_no_dearer(a: Cost, b: Cost, order: Order) -> bool {
    a.first <= b.first && (order == Order::First || a.second <= b.second)
}
