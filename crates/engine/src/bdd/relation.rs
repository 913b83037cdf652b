//! The transition relation, conjunctively partitioned.
//!
//! For an image or preimage, the set is conjoined with one cluster after the other, and a variable
//! is quantified as soon as no later cluster depends on it. Small conjuncts are clustered first.
//! The clusters are ordered so that variables are quantified early and introduced late (in the
//! manner of Ranjan et al., *Efficient BDD algorithms for FSM synthesis and verification*).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::answer::Why;

use super::manager::{Bdd, Manager, Var};

/// Size limit of a cluster, in nodes.
const MAX_CLUSTER: usize = 1500;

/// The bits of a step, by role.
#[derive(Clone, Debug, Default)]
pub struct Roles {
    /// The current state, without frozen variables.
    pub current: Vec<Var>,
    /// The next state.
    pub next: Vec<Var>,
    /// The inputs of the step.
    pub inputs: Vec<Var>,
    /// Inputs that must not be quantified inside a cluster, because something else reads them.
    pub shown: FxHashSet<Var>,
}

/// A transition relation.
pub struct Relation {
    /// The conjuncts as given.
    pub parts: Vec<Bdd>,
    clusters: Vec<Bdd>,
    forward: Schedule,
    backward: Schedule,
}

/// A quantification schedule.
struct Schedule {
    /// Variables in no cluster.
    before: Bdd,
    /// Each cluster with the cube quantified after it.
    order: Vec<(usize, Bdd)>,
}

impl Relation {
    /// The conjunction of these conjuncts.
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

    /// The same relation with additional conjuncts.
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

    /// The image of the set.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn image(&self, manager: &Manager, set: &Bdd) -> Result<Bdd, Why> {
        manager.shift(&self.combine(manager, set.clone(), &self.forward)?)
    }

    /// The preimage of the set.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn preimage(&self, manager: &Manager, set: &Bdd) -> Result<Bdd, Why> {
        self.combine(manager, manager.shift(set)?, &self.backward)
    }

    /// The source states of steps that satisfy a condition on both states and the inputs.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn before(&self, manager: &Manager, steps: &Bdd) -> Result<Bdd, Why> {
        self.combine(manager, steps.clone(), &self.backward)
    }

    /// The target states of steps that satisfy a condition on both states and the inputs.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn after(&self, manager: &Manager, steps: &Bdd) -> Result<Bdd, Why> {
        manager.shift(&self.combine(manager, steps.clone(), &self.forward)?)
    }

    /// The clusters simplified with the states of a set as care set; steps from other states are
    /// don't-cares.
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
        // The first cluster restricts the steps to the care set.
        if let Some((first, _)) = self.backward.order.first() {
            let both = manager.and(&clusters[*first], set)?;
            let apart = manager.size(&clusters[*first]) + manager.size(set);
            if manager.size(&both) <= apart {
                clusters[*first] = both;
            }
        }
        Ok(clusters)
    }

    /// The preimage of the set, with clusters from [`Relation::within`].
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
    for (part, cube) in &schedule.order {
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
        for (position, &part) in order.iter().enumerate() {
            last.extend(supports[part].iter().map(|&var| (var, position)));
        }
        let cube = |position: Option<usize>| {
            let goes = |var: &&Var| last.get(*var).copied() == position;
            let vars: Vec<Var> = quantified.iter().filter(goes).copied().collect();
            manager.cube(&vars)
        };
        let mut scheduled = Vec::new();
        for (position, &part) in order.iter().enumerate() {
            scheduled.push((part, cube(Some(position))?));
        }
        Ok(Schedule { before: cube(None)?, order: scheduled })
    }
}

/// Orders clusters so that variables are quantified early and introduced late.
fn order(supports: &[Vec<Var>], gone: &FxHashSet<Var>) -> Vec<usize> {
    let mut n_users: FxHashMap<Var, usize> = FxHashMap::default();
    for &var in supports.iter().flatten() {
        *n_users.entry(var).or_default() += 1;
    }
    let mut is_met: FxHashSet<Var> = FxHashSet::default();
    let mut left: Vec<usize> = (0..supports.len()).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        // Variables quantified with the cluster, minus those it introduces.
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

/// Clusters conjuncts that are small together; inputs local to a cluster are quantified.
fn cluster(
    manager: &Manager,
    parts: &[Bdd],
    order: &[usize],
    local: &FxHashSet<Var>,
) -> Result<Vec<Bdd>, Why> {
    let supports: Vec<Vec<Var>> = parts.iter().map(|part| manager.support(part)).collect();
    let mut last: FxHashMap<Var, usize> = FxHashMap::default();
    let mut first: FxHashMap<Var, usize> = FxHashMap::default();
    for (position, &part) in order.iter().enumerate() {
        for &var in &supports[part] {
            last.insert(var, position);
            first.entry(var).or_insert(position);
        }
    }
    // The inputs that no conjunct outside this range depends on.
    let inside = |start: usize, end: usize| -> Result<Bdd, Why> {
        let is_inside = |var: &&Var| {
            let positions = first.get(*var).zip(last.get(*var));
            positions.is_some_and(|(&first, &last)| first >= start && last <= end)
        };
        let mut vars: Vec<Var> = local.iter().filter(is_inside).copied().collect();
        vars.sort_unstable();
        manager.cube(&vars)
    };
    let mut clusters: Vec<Bdd> = Vec::new();
    let mut start = 0;
    for (position, &part) in order.iter().enumerate() {
        let part = &parts[part];
        if let Some(cluster) = clusters.last()
            && manager.is_small(cluster, MAX_CLUSTER)
            && manager.is_small(part, MAX_CLUSTER)
        {
            let both = manager.and_exists(cluster, part, &inside(start, position)?)?;
            if manager.is_small(&both, MAX_CLUSTER) {
                clusters.pop();
                clusters.push(both);
                continue;
            }
        }
        start = position;
        clusters.push(manager.exists(part, &inside(position, position)?)?);
    }
    Ok(clusters)
}
