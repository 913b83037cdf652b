//! The steps of a model: a conjunction of parts that is never multiplied out.
//!
//! To find the states after or before a set, the set is combined with one part after the other,
//! and a variable is quantified as soon as no later part reads it. Small parts are put together
//! first. The order of the parts is chosen so that variables can go early and come late (in the
//! manner of Ranjan et al., *Efficient BDD algorithms for FSM synthesis and verification*).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::answer::Why;

use super::manager::{Bdd, Manager, Var};

/// Parts are put together as long as they have no more nodes than this.
const MAX_CLUSTER: usize = 1500;

/// The bits of a step, by what they are.
#[derive(Clone, Debug, Default)]
pub struct Roles {
    /// Of the state before the step, without frozen variables.
    pub current: Vec<Var>,
    /// Of the state after the step.
    pub next: Vec<Var>,
    /// Of the step.
    pub inputs: Vec<Var>,
    /// Inputs that something else reads, so that no part may forget them.
    pub shown: FxHashSet<Var>,
}

/// The steps of a model.
pub struct Relation {
    /// The parts as they were given.
    pub parts: Vec<Bdd>,
    clusters: Vec<Bdd>,
    forward: Schedule,
    backward: Schedule,
}

/// In which order parts are taken, and what is quantified with each.
struct Schedule {
    /// What no part reads.
    before: Bdd,
    /// A part and the cube of what is quantified with it.
    turns: Vec<(usize, Bdd)>,
}

impl Relation {
    /// The relation that is the conjunction of these parts.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(manager: &Manager, parts: Vec<Bdd>, roles: &Roles) -> Result<Relation, Why> {
        let gone: FxHashSet<Var> = roles.current.iter().chain(&roles.inputs).copied().collect();
        let local: FxHashSet<Var> =
            roles.inputs.iter().copied().filter(|var| !roles.shown.contains(var)).collect();
        let supports: Vec<Vec<Var>> = parts.iter().map(|part| manager.support(part)).collect();
        let order = order(&supports, &gone);
        let clusters = cluster(manager, &parts, &order, &local)?;
        Relation::scheduled(manager, parts, clusters, roles)
    }

    /// The same steps, as far as they meet more conditions.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn with(&self, manager: &Manager, parts: Vec<Bdd>, roles: &Roles) -> Result<Relation, Why> {
        let order: Vec<usize> = (0..parts.len()).collect();
        let mut clusters = self.clusters.clone();
        clusters.extend(cluster(manager, &parts, &order, &FxHashSet::default())?);
        let parts = self.parts.iter().cloned().chain(parts).collect();
        Relation::scheduled(manager, parts, clusters, roles)
    }

    fn scheduled(
        manager: &Manager,
        parts: Vec<Bdd>,
        clusters: Vec<Bdd>,
        roles: &Roles,
    ) -> Result<Relation, Why> {
        let supports: Vec<Vec<Var>> = clusters.iter().map(|part| manager.support(part)).collect();
        let forward = [roles.current.as_slice(), &roles.inputs].concat();
        let backward = [roles.next.as_slice(), &roles.inputs].concat();
        let forward = Schedule::new(manager, &supports, forward)?;
        let backward = Schedule::new(manager, &supports, backward)?;
        Ok(Relation { parts, clusters, forward, backward })
    }

    /// The states after one step from the set.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn image(&self, manager: &Manager, set: &Bdd) -> Result<Bdd, Why> {
        manager.shift(&self.combine(manager, set.clone(), &self.forward)?)
    }

    /// The states before one step into the set.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn preimage(&self, manager: &Manager, set: &Bdd) -> Result<Bdd, Why> {
        self.combine(manager, manager.shift(set)?, &self.backward)
    }

    /// The states before steps that meet a condition on both states and the inputs.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn before(&self, manager: &Manager, steps: &Bdd) -> Result<Bdd, Why> {
        self.combine(manager, steps.clone(), &self.backward)
    }

    /// The states after steps that meet a condition on both states and the inputs.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn after(&self, manager: &Manager, steps: &Bdd) -> Result<Bdd, Why> {
        manager.shift(&self.combine(manager, steps.clone(), &self.forward)?)
    }

    /// The same steps from states of a set, as small as possible; what it says of steps from
    /// other states means nothing.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn within(&self, manager: &Manager, set: &Bdd) -> Result<Vec<Bdd>, Why> {
        let mut clusters = Vec::new();
        for cluster in &self.clusters {
            let simple = manager.restrict(cluster, set)?;
            let is_simpler = manager.size(&simple) < manager.size(cluster);
            clusters.push(if is_simpler { simple } else { cluster.clone() });
        }
        // The first part that is taken says from the start which states are meant.
        if let Some((first, _)) = self.backward.turns.first() {
            let both = manager.and(&clusters[*first], set)?;
            let apart = manager.size(&clusters[*first]) + manager.size(set);
            if manager.size(&both) <= apart {
                clusters[*first] = both;
            }
        }
        Ok(clusters)
    }

    /// The states before one step into the set, with other parts from [`Relation::within`].
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn preimage_within(
        &self,
        manager: &Manager,
        set: &Bdd,
        clusters: &[Bdd],
    ) -> Result<Bdd, Why> {
        combine(manager, manager.shift(set)?, &self.backward, clusters)
    }

    fn combine(&self, manager: &Manager, set: Bdd, schedule: &Schedule) -> Result<Bdd, Why> {
        combine(manager, set, schedule, &self.clusters)
    }
}

fn combine(manager: &Manager, set: Bdd, schedule: &Schedule, clusters: &[Bdd]) -> Result<Bdd, Why> {
    let mut set = set;
    if !schedule.before.is_true() {
        set = manager.exists(&set, &schedule.before)?;
    }
    for (part, cube) in &schedule.turns {
        if set.is_false() {
            break;
        }
        set = manager.and_exists(&set, &clusters[*part], cube)?;
    }
    Ok(set)
}

impl Schedule {
    fn new(
        manager: &Manager,
        supports: &[Vec<Var>],
        quantified: Vec<Var>,
    ) -> Result<Schedule, Why> {
        let gone: FxHashSet<Var> = quantified.iter().copied().collect();
        let order = order(supports, &gone);
        let mut last: FxHashMap<Var, usize> = FxHashMap::default();
        for (turn, &part) in order.iter().enumerate() {
            last.extend(supports[part].iter().map(|&var| (var, turn)));
        }
        let cube = |turn: Option<usize>| {
            let goes = |var: &&Var| last.get(*var).copied() == turn;
            let vars: Vec<Var> = quantified.iter().filter(goes).copied().collect();
            manager.cube(&vars)
        };
        let mut turns = Vec::new();
        for (turn, &part) in order.iter().enumerate() {
            turns.push((part, cube(Some(turn))?));
        }
        Ok(Schedule { before: cube(None)?, turns })
    }
}

/// Puts parts into an order in which variables that go can go early and others come late.
fn order(supports: &[Vec<Var>], gone: &FxHashSet<Var>) -> Vec<usize> {
    let mut n_users: FxHashMap<Var, usize> = FxHashMap::default();
    for &var in supports.iter().flatten() {
        *n_users.entry(var).or_default() += 1;
    }
    let mut is_met: FxHashSet<Var> = FxHashSet::default();
    let mut left: Vec<usize> = (0..supports.len()).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        // What leaves with the part against what it brings in.
        let gain = |part: usize| {
            let support = &supports[part];
            let leaves = |var: &&Var| gone.contains(var) && n_users[var] == 1;
            let n_leave = support.iter().filter(leaves).count() as f64;
            let comes = |var: &&Var| !gone.contains(var) && !is_met.contains(var);
            let n_come = support.iter().filter(comes).count() as f64;
            let is_known = |var: &&Var| gone.contains(var) && is_met.contains(var);
            let n_known = support.iter().filter(is_known).count() as f64;
            let n_vars = support.len().max(1) as f64;
            2.0 * n_leave / n_vars - n_come / n_vars + 0.5 * n_known / n_vars
        };
        let mut best = (0, f64::NEG_INFINITY);
        for (place, &part) in left.iter().enumerate() {
            let gain = gain(part);
            if gain > best.1 {
                best = (place, gain);
            }
        }
        let part = left.remove(best.0);
        for var in &supports[part] {
            is_met.insert(*var);
            if let Some(n_users) = n_users.get_mut(var) {
                *n_users -= 1;
            }
        }
        order.push(part);
    }
    order
}

/// Puts parts together that are small together; inputs that no other part reads are gone then.
fn cluster(
    manager: &Manager,
    parts: &[Bdd],
    order: &[usize],
    local: &FxHashSet<Var>,
) -> Result<Vec<Bdd>, Why> {
    let supports: Vec<Vec<Var>> = parts.iter().map(|part| manager.support(part)).collect();
    let mut last: FxHashMap<Var, usize> = FxHashMap::default();
    let mut first: FxHashMap<Var, usize> = FxHashMap::default();
    for (turn, &part) in order.iter().enumerate() {
        for &var in &supports[part] {
            last.insert(var, turn);
            first.entry(var).or_insert(turn);
        }
    }
    // The inputs that no part outside these turns reads.
    let inside = |start: usize, end: usize| -> Result<Bdd, Why> {
        let is_inside = |var: &&Var| {
            let turns = first.get(*var).zip(last.get(*var));
            turns.is_some_and(|(&first, &last)| first >= start && last <= end)
        };
        let mut vars: Vec<Var> = local.iter().filter(is_inside).copied().collect();
        vars.sort_unstable();
        manager.cube(&vars)
    };
    let mut clusters: Vec<Bdd> = Vec::new();
    let mut start = 0;
    for (turn, &part) in order.iter().enumerate() {
        let part = &parts[part];
        if let Some(cluster) = clusters.last()
            && manager.is_small(cluster, MAX_CLUSTER)
            && manager.is_small(part, MAX_CLUSTER)
        {
            let both = manager.and_exists(cluster, part, &inside(start, turn)?)?;
            if manager.is_small(&both, MAX_CLUSTER) {
                clusters.pop();
                clusters.push(both);
                continue;
            }
        }
        start = turn;
        clusters.push(manager.exists(part, &inside(turn, turn)?)?);
    }
    Ok(clusters)
}
