//! Shared expressions: a model is a graph, its text a tree.
//!
//! Where the tree would be much larger than the graph (an array indexed by an array, a parameter
//! handed through many modules), what is shared and not small gets a name.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{Expr, ExprId, Model, Type};

/// The tree may have this many times the nodes of the graph,
const RATIO: u64 = 4;
/// and this many more.
const SLACK: u64 = 4096;
/// Repeating a smaller tree is better than naming it.
const SMALL: u64 = 8;

/// The subexpressions to be named, each after those that it uses; none if the text is not
/// excessively long.
pub fn worth_naming(model: &Model, roots: &[ExprId]) -> Vec<ExprId> {
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
    if tree <= RATIO * nodes.len() as u64 + SLACK {
        return Vec::new();
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
    let mut named = Vec::new();
    for &id in &nodes {
        let own = size(&sizes, id);
        let is_value = !matches!(exprs.ty(id), Type::Temporal | Type::Never);
        let is_named = is_value && own >= SMALL && n_uses[&id] > 1;
        if is_named {
            named.push(id);
        }
        sizes.insert(id, if is_named { 1 } else { own });
    }
    named
}

/// A define of the model, or an expression that was given a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// By its index.
    Define(usize),
    /// By its id.
    Shared(ExprId),
}

/// All of them, each below those it needs, otherwise as they come.
pub fn in_order(model: &Model, bodies: &[ExprId], shared: &[ExprId]) -> Vec<Item> {
    let named: FxHashSet<ExprId> = shared.iter().copied().collect();
    let defines = (0..bodies.len()).map(Item::Define);
    let mut ordered = Vec::with_capacity(bodies.len() + shared.len());
    let mut seen = FxHashSet::default();
    let mut done = FxHashSet::default();
    for item in defines.chain(shared.iter().map(|&id| Item::Shared(id))) {
        let mut stack = vec![item];
        while let Some(&item) = stack.last() {
            if seen.insert(item) {
                stack.extend(needs(model, item, bodies, &named));
            } else {
                stack.pop();
                if done.insert(item) {
                    ordered.push(item);
                }
            }
        }
    }
    ordered
}

/// What a body names.
fn needs(model: &Model, item: Item, bodies: &[ExprId], named: &FxHashSet<ExprId>) -> Vec<Item> {
    let root = match item {
        Item::Define(define_idx) => bodies[define_idx],
        Item::Shared(id) => id,
    };
    let mut needs = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        if named.contains(&id) && Item::Shared(id) != item {
            needs.push(Item::Shared(id));
            continue;
        }
        match model.exprs.get(id) {
            Expr::Define(d) | Expr::NextDefine(d) => needs.push(Item::Define(d.0 as usize)),
            expr => stack.extend(model.exprs.operands(expr).as_slice()),
        }
    }
    needs
}
