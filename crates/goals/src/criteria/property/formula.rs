//! LTL formulas in negation normal form, over atoms that one state or step decides.
//!
//! Hash-consed, operands first, so passes are loops. Negation is at the atoms only; `G p` is `FALSE
//! V p`, `F p` is `TRUE U p`, and bounds are unrolled.

use std::fmt;

use rustc_hash::FxHashMap;
use trapline_model::{BinaryOp, BoundedOp, Expr, ExprId, Exprs, Type, UnaryOp, Value};

/// Maximum number of atoms: a state of an observer branches on them.
const MAX_ATOMS: usize = 16;
/// Maximum number of operators, counted as printed.
const MAX_SIZE: u64 = 1000;
/// Maximum bound of an operator.
const MAX_BOUND: i64 = 64;

/// A node of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// What a node says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// `TRUE` or `FALSE`
    Const(bool),
    /// An atom, by its index, or its negation.
    Literal(usize, bool),
    /// Both.
    And(NodeId, NodeId),
    /// At least one.
    Or(NodeId, NodeId),
    /// In the next state.
    Next(NodeId),
    /// `U`
    Until(NodeId, NodeId),
    /// `V`
    Release(NodeId, NodeId),
}

/// A formula.
#[derive(Clone, Debug)]
pub struct Formula {
    /// What it says.
    pub root: NodeId,
    /// The atoms, without negations.
    pub atoms: Vec<ExprId>,
    nodes: Vec<Node>,
    /// The printed size of each node.
    sizes: Vec<u64>,
    known: FxHashMap<Node, NodeId>,
}

/// Why a formula has no observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unobservable {
    /// It has past operators.
    Past,
    /// It has path quantifiers.
    Branching,
    /// A bound is too large.
    Bound,
    /// It has too many operators.
    Size,
    /// It has too many atoms.
    Atoms,
    /// A residual has too many alternatives.
    Alternatives,
    /// The observer has too many states.
    States(usize),
    /// It has too many edges.
    Edges(usize),
    /// One of its states distinguishes too many cases.
    Cases(usize),
}

impl fmt::Display for Unobservable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unobservable::Past => write!(f, "it has an operator about the past"),
            Unobservable::Branching => write!(f, "it has an operator about several paths"),
            Unobservable::Bound => write!(f, "it has a bound that is empty or above {MAX_BOUND}"),
            Unobservable::Size => write!(f, "it has more than {MAX_SIZE} operators"),
            Unobservable::Atoms => write!(f, "it has more than {MAX_ATOMS} different conditions"),
            Unobservable::Alternatives => write!(f, "it can be met in too many ways"),
            Unobservable::States(max) => write!(f, "it would have more than {max} states"),
            Unobservable::Edges(max) => write!(f, "it would have more than {max} edges"),
            Unobservable::Cases(max) => write!(f, "it would tell more than {max} cases apart"),
        }
    }
}

/// A formula and its negation.
#[derive(Clone, Copy)]
struct Both {
    yes: NodeId,
    no: NodeId,
}

impl Both {
    fn negated(self) -> Both {
        Both { yes: self.no, no: self.yes }
    }
}

impl Formula {
    /// Reads a formula of LTL.
    ///
    /// # Errors
    /// Where it is something else or too large.
    pub fn new(exprs: &Exprs, root: ExprId) -> Result<Formula, Unobservable> {
        let mut formula = Formula {
            root: NodeId(0),
            atoms: Vec::new(),
            nodes: Vec::new(),
            sizes: Vec::new(),
            known: FxHashMap::default(),
        };
        let mut read: FxHashMap<ExprId, Both> = FxHashMap::default();
        for id in exprs.temporal_parts(root) {
            let both = match exprs.ty(id) {
                Type::Temporal => formula.temporal(exprs, exprs.get(id), &read)?,
                _ => formula.atom(exprs, id)?,
            };
            read.insert(id, both);
        }
        formula.root = read[&root].yes;
        if formula.size(formula.root) > MAX_SIZE {
            return Err(Unobservable::Size);
        }
        Ok(formula)
    }

    /// The node.
    pub fn get(&self, id: NodeId) -> Node {
        self.nodes[id.0 as usize]
    }

    /// How many operators it would be printed with.
    pub fn size(&self, id: NodeId) -> u64 {
        self.sizes[id.0 as usize]
    }

    /// True if they are opposite literals.
    pub fn are_opposite(&self, a: NodeId, b: NodeId) -> bool {
        match (self.get(a), self.get(b)) {
            (Node::Literal(a, yes), Node::Literal(b, no)) => a == b && yes != no,
            _ => false,
        }
    }

    fn atom(&mut self, exprs: &Exprs, id: ExprId) -> Result<Both, Unobservable> {
        if let Some(Value::Bool(value)) = exprs.as_const(id) {
            return Ok(Both { yes: self.truth(value), no: self.truth(!value) });
        }
        let (mut atom, mut holds) = (id, true);
        while let Expr::Unary(UnaryOp::Not, inner) = exprs.get(atom) {
            (atom, holds) = (inner, !holds);
        }
        let known = self.atoms.iter().position(|&other| other == atom);
        let atom_idx = known.unwrap_or(self.atoms.len());
        if known.is_none() {
            self.atoms.push(atom);
        }
        if self.atoms.len() > MAX_ATOMS {
            return Err(Unobservable::Atoms);
        }
        let yes = self.make(Node::Literal(atom_idx, holds));
        Ok(Both { yes, no: self.make(Node::Literal(atom_idx, !holds)) })
    }

    fn temporal(
        &mut self,
        exprs: &Exprs,
        expr: Expr,
        read: &FxHashMap<ExprId, Both>,
    ) -> Result<Both, Unobservable> {
        match expr {
            Expr::Unary(op, a) => self.unary(op, read[&a]),
            Expr::Binary(op, a, b) => self.binary(op, read[&a], read[&b]),
            Expr::Bounded(op, a, lo, hi) => {
                let bounds = [lo, hi].map(|bound| exprs.constant(bound).as_int());
                self.bounded(op, read[&a], bounds)
            }
            _ => Err(Unobservable::Branching),
        }
    }

    fn unary(&mut self, op: UnaryOp, a: Both) -> Result<Both, Unobservable> {
        use UnaryOp as Op;
        Ok(match op {
            Op::Not => a.negated(),
            Op::X => self.next(a),
            Op::G => self.always(a),
            Op::F => self.always(a.negated()).negated(),
            Op::Y | Op::Z | Op::H | Op::O => return Err(Unobservable::Past),
            _ => return Err(Unobservable::Branching),
        })
    }

    fn binary(&mut self, op: BinaryOp, a: Both, b: Both) -> Result<Both, Unobservable> {
        use BinaryOp as Op;
        Ok(match op {
            Op::And => self.both(a, b),
            Op::Or => self.both(a.negated(), b.negated()).negated(),
            Op::Implies => self.both(a, b.negated()).negated(),
            Op::Iff | Op::Xnor => self.same(a, b),
            Op::Xor => self.same(a, b).negated(),
            Op::U => self.until(a, b),
            Op::V => self.until(a.negated(), b.negated()).negated(),
            Op::S | Op::T => return Err(Unobservable::Past),
            _ => return Err(Unobservable::Branching),
        })
    }

    /// `G [lo, hi] p` is `X^lo (p & X (p & ...))`.
    fn bounded(
        &mut self,
        op: BoundedOp,
        a: Both,
        bounds: [Option<i64>; 2],
    ) -> Result<Both, Unobservable> {
        let a = match op {
            BoundedOp::G => a,
            BoundedOp::F => a.negated(),
            BoundedOp::H | BoundedOp::O => return Err(Unobservable::Past),
            _ => return Err(Unobservable::Branching),
        };
        let [Some(lo @ 0..), Some(hi @ ..=MAX_BOUND)] = bounds else {
            return Err(Unobservable::Bound);
        };
        if lo > hi {
            return Err(Unobservable::Bound);
        }
        let mut whole = a;
        for _ in lo..hi {
            let later = self.next(whole);
            whole = self.both(a, later);
        }
        for _ in 0..lo {
            whole = self.next(whole);
        }
        Ok(if op == BoundedOp::F { whole.negated() } else { whole })
    }

    fn both(&mut self, a: Both, b: Both) -> Both {
        Both { yes: self.and(a.yes, b.yes), no: self.or(a.no, b.no) }
    }

    fn same(&mut self, a: Both, b: Both) -> Both {
        let (on, off) = (self.both(a, b), self.both(a.negated(), b.negated()));
        self.both(on.negated(), off.negated()).negated()
    }

    fn always(&mut self, a: Both) -> Both {
        let never = Both { yes: self.truth(false), no: self.truth(true) };
        self.until(never.negated(), a.negated()).negated()
    }

    fn next(&mut self, a: Both) -> Both {
        let [yes, no] = [a.yes, a.no].map(|inner| match self.get(inner) {
            Node::Const(_) => inner,
            _ => self.make(Node::Next(inner)),
        });
        Both { yes, no }
    }

    fn until(&mut self, a: Both, b: Both) -> Both {
        // `b U b`, `FALSE U b` and `a U TRUE` need no operator, nor does `F F b`.
        let is_future = |node| match node {
            Node::Until(left, _) => self.get(left) == Node::Const(true),
            _ => false,
        };
        let always_left = self.get(a.yes) == Node::Const(true);
        let is_plain = a.yes == b.yes
            || self.get(a.yes) == Node::Const(false)
            || matches!(self.get(b.yes), Node::Const(_))
            || (always_left && is_future(self.get(b.yes)));
        if is_plain {
            return b;
        }
        let yes = self.make(Node::Until(a.yes, b.yes));
        Both { yes, no: self.make(Node::Release(a.no, b.no)) }
    }

    fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.get(a), self.get(b)) {
            (Node::Const(false), _) | (_, Node::Const(true)) => a,
            (Node::Const(true), _) | (_, Node::Const(false)) => b,
            _ if a == b => a,
            _ if self.are_opposite(a, b) => self.truth(false),
            _ => self.make(Node::And(a.min(b), a.max(b))),
        }
    }

    fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.get(a), self.get(b)) {
            (Node::Const(true), _) | (_, Node::Const(false)) => a,
            (Node::Const(false), _) | (_, Node::Const(true)) => b,
            _ if a == b => a,
            _ if self.are_opposite(a, b) => self.truth(true),
            _ => self.make(Node::Or(a.min(b), a.max(b))),
        }
    }

    fn truth(&mut self, value: bool) -> NodeId {
        self.make(Node::Const(value))
    }

    fn make(&mut self, node: Node) -> NodeId {
        if let Some(&id) = self.known.get(&node) {
            return id;
        }
        let below = match node {
            Node::Const(_) | Node::Literal(..) => 0,
            Node::Next(a) => self.size(a),
            Node::And(a, b) | Node::Or(a, b) | Node::Until(a, b) | Node::Release(a, b) => {
                self.size(a).saturating_add(self.size(b))
            }
        };
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.sizes.push(below.saturating_add(1));
        self.known.insert(node, id);
        id
    }
}
