//! Shared expressions: a model is a graph, its text a tree.
//!
//! As in SMV's flat text, what is shared and not small gets a name where the tree would be much larger
//! than the graph. What a state has the value of becomes a variable with a definition; what a step has
//! the value of is named by `LET` in each expression that needs it, and so is what may have no value.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{ExprId, Model, Reads, Type};

use super::bounds::{Bounds, may_fail};

/// The tree may have this many times the nodes of the graph,
const RATIO: u64 = 4;
/// and this many more.
const SLACK: u64 = 4096;
/// Repeating a smaller tree is better than naming it.
const SMALL: u64 = 8;
/// A text of more nodes is of no use to anybody.
const MAX_NODES: u64 = 20_000_000;

/// What gets a name, operands first.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Values of states.
    pub states: Vec<ExprId>,
    /// Values of steps.
    pub steps: FxHashSet<ExprId>,
    /// Is the text too large even so?
    pub is_too_large: bool,
}

/// The subexpressions of these roots that get a name.
pub(super) fn worth_naming(model: &Model, roots: &[ExprId]) -> Shared {
    let exprs = &model.exprs;
    let nodes = exprs.reachable(roots.iter().copied());
    let mut sizes: FxHashMap<ExprId, u64> = FxHashMap::default();
    let size = |sizes: &FxHashMap<ExprId, u64>, id: ExprId| {
        let operands = exprs.operands(exprs.get(id));
        operands.as_slice().iter().fold(1u64, |sum, operand| sum.saturating_add(sizes[operand]))
    };
    for &id in &nodes {
        sizes.insert(id, size(&sizes, id));
    }
    let tree = roots.iter().fold(0u64, |sum, root| sum.saturating_add(sizes[root]));
    let mut shared = Shared::default();
    if tree <= RATIO * nodes.len() as u64 + SLACK {
        return shared;
    }
    let mut n_uses: FxHashMap<ExprId, u32> = FxHashMap::default();
    for &id in &nodes {
        for &operand in exprs.operands(exprs.get(id)).as_slice() {
            *n_uses.entry(operand).or_default() += 1;
        }
    }
    for &root in roots {
        *n_uses.entry(root).or_default() += 1;
    }
    let mut bounds = Bounds::default();
    let mut partial = FxHashMap::default();
    for &id in &nodes {
        let own = size(&sizes, id);
        let info = exprs.info(id);
        let is_value = !matches!(info.ty, Type::Temporal | Type::Never | Type::Set(_));
        let is_named = is_value && info.reads != Reads::NOTHING && own >= SMALL && n_uses[&id] > 1;
        let is_of_step = info.reads.any(Reads::STEP);
        if is_named && (is_of_step || may_fail(model, &mut bounds, &mut partial, id)) {
            shared.steps.insert(id);
        } else if is_named {
            shared.states.push(id);
        }
        sizes.insert(id, if is_named { 1 } else { own });
    }
    // What is a variable has a next value, too.
    for &id in &shared.states {
        if let Some(primed) = exprs.known_prime(id) {
            shared.steps.remove(&primed);
        }
    }
    let rest = roots.iter().fold(0u64, |sum, root| sum.saturating_add(sizes[root]));
    shared.is_too_large = rest > MAX_NODES;
    shared
}

impl Shared {
    /// The values of steps that an expression needs, operands first. `is_named` says what has another
    /// name.
    pub fn below(
        &self,
        model: &Model,
        root: ExprId,
        is_named: impl Fn(ExprId) -> bool,
    ) -> Vec<ExprId> {
        if self.steps.is_empty() {
            return Vec::new();
        }
        let mut seen = FxHashSet::default();
        let mut needed = Vec::new();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if is_named(id) || !seen.insert(id) {
                continue;
            }
            if self.steps.contains(&id) && id != root {
                needed.push(id);
            }
            stack.extend(model.exprs.operands(model.exprs.get(id)).as_slice());
        }
        needed.sort_unstable();
        needed
    }
}
