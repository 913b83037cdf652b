//! Negation normal form, over a few operators that are monotone in their operands.
//!
//! Every temporal operator requires some or all states in the future or past, perhaps with a side
//! condition on those between, perhaps within bounds. Negation exchanges some and all, so that it
//! remains only at the atoms.

use rustc_hash::FxHashMap;
use trapline_engine::shape::Literal;
use trapline_model::{
    BinaryOp, BoundedOp, Expr, ExprId, Exprs, PathQuantifier, PropertyKind, Type, UnaryOp,
};

use super::{NeverClaim, Refusal};

/// The greatest bound of a past operator: a loop is unrolled that far.
const MAX_BACK: usize = 1 << 16;

/// A formula, by its index; operands have smaller ones.
pub type NodeId = u32;

/// A formula in negation normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// An atom, or its negation.
    Literal {
        /// The index of the atom.
        atom: u32,
        /// The polarity.
        holds: bool,
    },
    /// Both.
    And(NodeId, NodeId),
    /// One of them at least.
    Or(NodeId, NodeId),
    /// In the next state.
    Next(NodeId),
    /// A future operator.
    Ahead(Scan<NodeId>),
    /// A past operator.
    Back(Scan<NodeId>),
}

/// A future or past operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scan<T> {
    /// The quantifier over states.
    pub reach: Reach,
    /// For some state: what holds in those nearer than it (until). For all: what releases those
    /// farther than it. Absent if there is none.
    pub side: Option<T>,
    /// What holds there.
    pub main: T,
    /// The distance bounds; unbounded if absent.
    pub bounds: Option<(usize, usize)>,
    /// Its value before state 0; irrelevant for future operators.
    pub outside: bool,
}

/// A quantifier over states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// In some.
    Some,
    /// In all.
    All,
}

/// An operator of the source language.
struct Operator {
    path: Option<PathQuantifier>,
    is_back: bool,
    search: Scan<ExprId>,
}

/// Several formulas with shared subformulas.
#[derive(Clone, Debug, Default)]
pub struct Normal {
    /// All of them, operands first.
    pub nodes: Vec<Node>,
    /// The atoms.
    pub atoms: Vec<ExprId>,
    ids: FxHashMap<Node, NodeId>,
    atom_ids: FxHashMap<ExprId, u32>,
    /// A formula, and its negation.
    known: FxHashMap<ExprId, [Result<NodeId, Refusal>; 2]>,
}

impl Normal {
    /// The normal form of a claim.
    ///
    /// # Errors
    /// When no test can be asked about it.
    pub fn add_claim(
        &mut self,
        exprs: &Exprs,
        (kind, root): NeverClaim,
    ) -> Result<NodeId, Refusal> {
        if kind == PropertyKind::Compute {
            return Err(Refusal::Distance);
        }
        for id in exprs.temporal_parts(root) {
            if !self.known.contains_key(&id) {
                let both = [self.of(exprs, Literal::yes(id)), self.of(exprs, Literal::no(id))];
                self.known.insert(id, both);
            }
        }
        let main = self.known[&root][0]?;
        match kind {
            PropertyKind::Invar if exprs.ty(root) == Type::Temporal => Err(Refusal::Operator),
            PropertyKind::Invar => {
                let search =
                    Scan { reach: Reach::All, side: None, main, bounds: None, outside: true };
                Ok(self.node(Node::Ahead(search)))
            }
            _ => Ok(main),
        }
    }

    fn of(&mut self, exprs: &Exprs, whole: Literal) -> Result<NodeId, Refusal> {
        if exprs.ty(whole.formula) != Type::Temporal {
            let n_atoms = self.atoms.len() as u32;
            let atom = *self.atom_ids.entry(whole.formula).or_insert(n_atoms);
            if atom == n_atoms {
                self.atoms.push(whole.formula);
            }
            return Ok(self.node(Node::Literal { atom, holds: whole.is_true }));
        }
        match exprs.get(whole.formula) {
            Expr::Unary(UnaryOp::Not, p) => self.get(opposite(whole, p)),
            Expr::Binary(op, p, q) if !op.is_temporal() => self.connective(op, p, q, whole),
            expr => self.search(operator(exprs, expr).ok_or(Refusal::Operator)?, whole),
        }
    }

    fn connective(
        &mut self,
        op: BinaryOp,
        p: ExprId,
        q: ExprId,
        whole: Literal,
    ) -> Result<NodeId, Refusal> {
        type Join = fn(NodeId, NodeId) -> Node;
        let (both, any): (Join, Join) = match whole.is_true {
            true => (Node::And, Node::Or),
            false => (Node::Or, Node::And),
        };
        match op {
            BinaryOp::And => self.join(both, alike(whole, p), alike(whole, q)),
            BinaryOp::Or => self.join(any, alike(whole, p), alike(whole, q)),
            BinaryOp::Implies => self.join(any, opposite(whole, p), alike(whole, q)),
            BinaryOp::Xor | BinaryOp::Xnor | BinaryOp::Iff => {
                // An equivalence is two implications; an exclusive or is its negation.
                let is_equal = (op != BinaryOp::Xor) == whole.is_true;
                let (inner, outer): (Join, Join) = match is_equal {
                    true => (Node::Or, Node::And),
                    false => (Node::And, Node::Or),
                };
                let a = self.join(inner, Literal::yes(p), Literal::no(q))?;
                let b = self.join(inner, Literal::no(p), Literal::yes(q))?;
                Ok(self.node(outer(a, b)))
            }
            _ => Err(Refusal::Operator),
        }
    }

    fn join(
        &mut self,
        join: fn(NodeId, NodeId) -> Node,
        p: Literal,
        q: Literal,
    ) -> Result<NodeId, Refusal> {
        let node = join(self.get(p)?, self.get(q)?);
        Ok(self.node(node))
    }

    fn search(&mut self, operator: Operator, whole: Literal) -> Result<NodeId, Refusal> {
        let Operator { path, is_back, search } = operator;
        let Scan { reach, side, main, bounds, outside } = search;
        let refused = if whole.is_true { PathQuantifier::Some } else { PathQuantifier::All };
        if path == Some(refused) {
            return Err(Refusal::SomePath);
        }
        if is_back && bounds.is_some_and(|(_, hi)| hi > MAX_BACK) {
            return Err(Refusal::TooFar);
        }
        let reach = match (reach, whole.is_true) {
            (Reach::Some, true) | (Reach::All, false) => Reach::Some,
            (Reach::All, true) | (Reach::Some, false) => Reach::All,
        };
        let side = side.map(|side| self.get(alike(whole, side))).transpose()?;
        let main = self.get(alike(whole, main))?;
        let search = Scan { reach, side, main, bounds, outside: outside == whole.is_true };
        Ok(self.node(match (is_back, bounds, side) {
            (true, ..) => Node::Back(search),
            (false, Some((1, 1)), None) => Node::Next(main),
            _ => Node::Ahead(search),
        }))
    }

    fn get(&self, literal: Literal) -> Result<NodeId, Refusal> {
        self.known[&literal.formula][usize::from(!literal.is_true)]
    }

    fn node(&mut self, node: Node) -> NodeId {
        let n_nodes = self.nodes.len() as NodeId;
        let id = *self.ids.entry(node).or_insert(n_nodes);
        if id == n_nodes {
            self.nodes.push(node);
        }
        id
    }
}

impl Node {
    /// Its operands.
    pub fn operands(self) -> impl Iterator<Item = NodeId> {
        let (a, b) = match self {
            Node::Literal { .. } => (None, None),
            Node::And(a, b) | Node::Or(a, b) => (Some(a), Some(b)),
            Node::Next(a) => (Some(a), None),
            Node::Ahead(search) | Node::Back(search) => (Some(search.main), search.side),
        };
        a.into_iter().chain(b)
    }
}

/// An operand with the polarity of the whole.
fn alike(whole: Literal, formula: ExprId) -> Literal {
    Literal { formula, is_true: whole.is_true }
}

/// An operand with the opposite polarity.
fn opposite(whole: Literal, formula: ExprId) -> Literal {
    Literal { formula, is_true: !whole.is_true }
}

fn operator(exprs: &Exprs, expr: Expr) -> Option<Operator> {
    let bounds = |lo, hi| {
        let [lo, hi] = [lo, hi].map(|bound| usize::try_from(exprs.constant(bound).as_int()?).ok());
        (lo? <= hi?).then_some((lo?, hi?))
    };
    match expr {
        Expr::Unary(op, p) => unary(op, p),
        Expr::Binary(op, p, q) => binary(op, p, q),
        Expr::Bounded(op, p, lo, hi) => Some(bounded(op, p, bounds(lo, hi)?)),
        Expr::BoundedUntil(path, operands, lo, hi) => {
            let &[p, q] = exprs.list(operands) else { return None };
            let bounds = Some(bounds(lo, hi)?);
            let search = Scan { side: Some(p), bounds, ..plain(Reach::Some, q) };
            Some(Operator { path: Some(path), is_back: false, search })
        }
        _ => None,
    }
}

/// Any number of steps away; before state 0 there is nothing that helps and nothing that hurts.
fn plain(reach: Reach, main: ExprId) -> Scan<ExprId> {
    Scan { reach, side: None, main, bounds: None, outside: reach == Reach::All }
}

fn unary(op: UnaryOp, p: ExprId) -> Option<Operator> {
    use PathQuantifier::{All, Some as Any};
    use UnaryOp as Op;
    let path = match op {
        Op::Ax | Op::Ag | Op::Af => Some(All),
        Op::Ex | Op::Eg | Op::Ef => Some(Any),
        _ => None,
    };
    let next = |reach| Scan { bounds: Some((1, 1)), ..plain(reach, p) };
    let search = match op {
        Op::Ax | Op::Ex | Op::X | Op::Y => next(Reach::Some),
        Op::Z => next(Reach::All),
        Op::Ag | Op::Eg | Op::G | Op::H => plain(Reach::All, p),
        Op::Af | Op::Ef | Op::F | Op::O => plain(Reach::Some, p),
        _ => return None,
    };
    let is_back = matches!(op, Op::Y | Op::Z | Op::H | Op::O);
    Some(Operator { path, is_back, search })
}

fn binary(op: BinaryOp, p: ExprId, q: ExprId) -> Option<Operator> {
    use BinaryOp as Op;
    let path = match op {
        Op::Au => Some(PathQuantifier::All),
        Op::Eu => Some(PathQuantifier::Some),
        _ => None,
    };
    let reach = match op {
        Op::Au | Op::Eu | Op::U | Op::S => Reach::Some,
        Op::V | Op::T => Reach::All,
        _ => return None,
    };
    let search = Scan { side: Some(p), ..plain(reach, q) };
    Some(Operator { path, is_back: matches!(op, Op::S | Op::T), search })
}

fn bounded(op: BoundedOp, p: ExprId, bounds: (usize, usize)) -> Operator {
    use BoundedOp as Op;
    let path = match op {
        Op::Abf | Op::Abg => Some(PathQuantifier::All),
        Op::Ebf | Op::Ebg => Some(PathQuantifier::Some),
        Op::G | Op::F | Op::H | Op::O => None,
    };
    let reach = match op {
        Op::Abf | Op::Ebf | Op::F | Op::O => Reach::Some,
        Op::Abg | Op::Ebg | Op::G | Op::H => Reach::All,
    };
    // As in NuSMV, `H [a,b] p` is the conjunction of `Y^k p`, and `Y` is false in state 0.
    let search = Scan { bounds: Some(bounds), outside: false, ..plain(reach, p) };
    Operator { path, is_back: matches!(op, Op::H | Op::O), search }
}
