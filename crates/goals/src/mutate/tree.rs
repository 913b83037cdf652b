//! The tree that is mutated: what each occurrence is in it.

use trapline_model::{BinaryOp, Expr, Model, OccId, Shape, Type, UnaryOp, VarId};

/// What an occurrence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A Boolean operator over Booleans or formulas.
    Connective,
    /// A temporal operator.
    Temporal,
    /// A Boolean expression without Boolean operators.
    Condition,
    /// `TRUE` or `FALSE`
    Constant,
    /// A part of a condition, or of a value that is no Boolean.
    Inner,
    /// An event, alone or with its condition. It can be left away, but is no Boolean value.
    Event,
    /// What can't be changed by itself: the modes of a row, and the text of an event for the new
    /// state, which changes with that for the old one.
    Fixed,
}

/// How far the tree is read from the root down.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Outside conditions.
    Open,
    /// Inside one.
    Closed,
    /// Where nothing can be changed by itself.
    Fixed,
}

/// A tree of occurrences.
#[derive(Debug)]
pub struct Tree {
    /// The whole.
    pub root: OccId,
    /// The variable that is given the value of the whole.
    pub assigned: Option<VarId>,
    start: usize,
    parents: Vec<OccId>,
    n_children: Vec<usize>,
    roles: Vec<Role>,
    /// The root if it is `&`, and each `&` right below one of these.
    conjunctions: Vec<bool>,
    /// Where events stand, in order.
    events: Vec<usize>,
}

impl Tree {
    /// The tree below an occurrence.
    pub fn new(model: &Model, root: OccId, assigned: Option<VarId>) -> Tree {
        let start = model.occurrences.start(root);
        let size = root.0 as usize - start + 1;
        let mut tree = Tree {
            root,
            assigned,
            start,
            parents: vec![root; size],
            n_children: vec![0; size],
            roles: vec![Role::Inner; size],
            conjunctions: vec![false; size],
            events: Vec::new(),
        };
        let mut stack = vec![(root, Reading::Open, true)];
        while let Some((occ, state, is_conjunct)) = stack.pop() {
            let role = match state {
                Reading::Fixed => Role::Fixed,
                Reading::Open => role(model, occ),
                Reading::Closed => Role::Inner,
            };
            let is_closing = matches!(role, Role::Condition | Role::Constant);
            let state = if is_closing { Reading::Closed } else { state };
            let shape = model.occurrences.get(occ).shape;
            let expr = model.exprs.get(model.occurrences.get(occ).expr);
            let is_and = matches!(expr, Expr::Binary(BinaryOp::And, ..));
            let is_conjunction = is_conjunct && is_and && role == Role::Connective;
            if role == Role::Event {
                tree.events.push(occ.0 as usize);
            }
            tree.roles[occ.0 as usize - start] = role;
            tree.conjunctions[occ.0 as usize - start] = is_conjunction;
            let children = model.occurrences.children(occ);
            tree.n_children[occ.0 as usize - start] = children.len();
            for (idx, child) in children.into_iter().enumerate() {
                tree.parents[child.0 as usize - start] = occ;
                let is_fixed = match shape {
                    Shape::Row => idx == 0,
                    Shape::Event(_) => idx == 1,
                    _ => false,
                };
                let state = if is_fixed { Reading::Fixed } else { state };
                stack.push((child, state, is_conjunction));
            }
        }
        tree.events.sort_unstable();
        tree
    }

    /// Is an event in what an occurrence says? Then it is no Boolean value that can be negated.
    pub fn has_event(&self, model: &Model, occ: OccId) -> bool {
        let n_before = self.events.partition_point(|&event| event < model.occurrences.start(occ));
        self.events.get(n_before).is_some_and(|&event| event <= occ.0 as usize)
    }

    /// The cost of rebuilding the paths from all occurrences to the root, each step with all
    /// operands.
    pub fn n_steps(&self) -> usize {
        let mut lengths = vec![0usize; self.parents.len()];
        // Parents follow their operands.
        for idx in (0..self.parents.len().saturating_sub(1)).rev() {
            let parent = self.parents[idx].0 as usize - self.start;
            lengths[idx] = lengths[parent] + self.n_children[parent];
        }
        lengths.into_iter().sum()
    }

    /// Is the tree a conjunction of this one's operands and others?
    pub fn is_conjunction(&self, occ: OccId) -> bool {
        self.conjunctions[occ.0 as usize - self.start]
    }

    /// What an occurrence is.
    pub fn role(&self, occ: OccId) -> Role {
        self.roles[occ.0 as usize - self.start]
    }

    /// What it is an operand of.
    pub fn parent(&self, occ: OccId) -> Option<OccId> {
        (occ != self.root).then(|| self.parents[occ.0 as usize - self.start])
    }

    /// What it is an operand of, `next` around it being no operator.
    pub fn operator_above(&self, model: &Model, occ: OccId) -> Option<OccId> {
        let mut above = self.parent(occ)?;
        while model.occurrences.get(above).shape == Shape::Next {
            above = self.parent(above)?;
        }
        Some(above)
    }
}

/// What an occurrence is that is no part of a condition.
fn role(model: &Model, occ: OccId) -> Role {
    use BinaryOp as Op;
    let occurrence = model.occurrences.get(occ);
    let exprs = &model.exprs;
    let is_truth = |id| matches!(exprs.ty(id), Type::Bool | Type::Temporal);
    let children = model.occurrences.children(occ);
    let are_truths = children.iter().all(|&child| is_truth(model.occurrences.get(child).expr));
    let expr = exprs.get(occurrence.expr);
    if !is_truth(occurrence.expr) {
        return Role::Inner;
    }
    if matches!(expr, Expr::Const(_)) {
        return Role::Constant;
    }
    if matches!(occurrence.shape, Shape::Event(_) | Shape::Named) {
        return Role::Event;
    }
    // `next` of a name is a condition like the name.
    let is_name = |&child: &OccId| model.occurrences.get(child).shape == Shape::Leaf;
    let is_next_name = occurrence.shape == Shape::Next && children.iter().all(is_name);
    if !are_truths || children.is_empty() || is_next_name {
        return Role::Condition;
    }
    match (occurrence.shape, expr) {
        (Shape::When, _) => Role::Event,
        (Shape::Row, _) => Role::Fixed,
        (Shape::Next | Shape::Case | Shape::Ite, _) => Role::Connective,
        (_, Expr::Unary(UnaryOp::Not, _)) => Role::Connective,
        (_, Expr::Binary(op, ..)) => match op {
            Op::And | Op::Or | Op::Xor | Op::Xnor | Op::Implies | Op::Iff | Op::Eq | Op::Ne => {
                Role::Connective
            }
            op if op.is_temporal() => Role::Temporal,
            _ => Role::Condition,
        },
        (_, Expr::Unary(op, _)) if op.is_temporal() => Role::Temporal,
        (_, Expr::Bounded(..) | Expr::BoundedUntil(..)) => Role::Temporal,
        _ => Role::Condition,
    }
}
