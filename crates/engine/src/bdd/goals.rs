//! Many targets in one search.
//!
//! Every target is represented by the set of states in which it is met or from which its steps can
//! be taken. The sets are the leaves of a tree whose inner nodes are unions of their children; a
//! ring is intersected with the root, and descends only into nodes that it intersects.

use trapline_model::goal::Target;

use crate::answer::Why;

use super::manager::{Bdd, Manager};
use super::system::{Predicate, System};

/// A target.
pub struct Goal {
    /// The conditions on the steps, first to last; none for a state target.
    pub steps: Vec<Bdd>,
    /// For each position, the states from which the remaining steps can be taken.
    pub rest: Vec<Bdd>,
    /// The states in which it is met, or from which its steps can be taken.
    pub set: Bdd,
}

impl Goal {
    /// The sets of a target, or of its violation.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(system: &System, target: &Target, wanted: bool) -> Result<Goal, Why> {
        Goal::with(system, target, |Predicate { holds, fails }| match wanted {
            true => Ok(holds),
            // Where it is undefined it is not violated.
            false => Ok(system.manager.or(&holds, &fails)?.negated()),
        })
    }

    /// The sets in which a target is undefined.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn failing(system: &System, target: &Target) -> Result<Goal, Why> {
        Goal::with(system, target, |predicate| Ok(predicate.fails))
    }

    fn with(
        system: &System,
        target: &Target,
        condition: impl Fn(Predicate) -> Result<Bdd, Why>,
    ) -> Result<Goal, Why> {
        let manager = &system.manager;
        let condition = |expr| condition(system.predicate(expr)?);
        let exprs = match target {
            Target::State(expr) => {
                let set = condition(*expr)?;
                return Ok(Goal { steps: Vec::new(), rest: Vec::new(), set });
            }
            Target::Step(expr) => std::slice::from_ref(expr),
            Target::Steps(exprs) => exprs,
        };
        let mut steps = Vec::new();
        for &expr in exprs {
            steps.push(condition(expr)?);
        }
        let mut rest = Vec::new();
        let mut set = manager.constant(true);
        for step in steps.iter().rev() {
            rest.push(set.clone());
            let steps = manager.and(step, &manager.shift(&set)?)?;
            set = system.relation.before(manager, &steps)?;
        }
        rest.reverse();
        Ok(Goal { steps, rest, set })
    }
}

/// The open targets, in a tree of unions.
pub struct Tree {
    /// The union of the open targets below each node; node 1 is the root, the children of node `n`
    /// are `2n` and `2n + 1`.
    unions: Vec<Bdd>,
    n_leaves: usize,
    /// Number of open targets.
    pub n_open: usize,
}

impl Tree {
    /// A tree in which all of these sets are open.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(manager: &Manager, sets: &[Bdd]) -> Result<Tree, Why> {
        let n_leaves = sets.len().next_power_of_two();
        let mut unions = vec![manager.constant(false); 2 * n_leaves];
        unions[n_leaves..n_leaves + sets.len()].clone_from_slice(sets);
        let mut tree = Tree { unions, n_leaves, n_open: sets.len() };
        for node in (1..n_leaves).rev() {
            tree.unite(manager, node)?;
        }
        Ok(tree)
    }

    fn unite(&mut self, manager: &Manager, node: usize) -> Result<(), Why> {
        self.unions[node] = manager.or(&self.unions[2 * node], &self.unions[2 * node + 1])?;
        Ok(())
    }

    /// The union of all open targets.
    pub fn all(&self) -> &Bdd {
        &self.unions[1]
    }

    /// Closes the targets that a set of states meets, and returns them.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn hits(&mut self, manager: &Manager, set: &Bdd) -> Result<Vec<usize>, Why> {
        let mut hits = Vec::new();
        let mut changed = Vec::new();
        let mut stack = vec![1];
        while let Some(node) = stack.pop() {
            if !manager.meets(&self.unions[node], set)? {
                continue;
            }
            if node >= self.n_leaves {
                hits.push(node - self.n_leaves);
                self.unions[node] = manager.constant(false);
            } else {
                stack.extend([2 * node + 1, 2 * node]);
                changed.push(node);
            }
        }
        // Children have larger numbers.
        changed.sort_unstable_by(|a, b| b.cmp(a));
        for node in changed {
            self.unite(manager, node)?;
        }
        self.n_open -= hits.len();
        Ok(hits)
    }
}
