//! Expressions compiled to code over integers.
//!
//! Every value is an `i64`: a truth value is 0 or 1, an integer or a word is itself (an unsigned
//! 64-bit word its bits), a symbol a number far away from all integers. Nodes are hash-consed,
//! constants are folded, and interval analysis decides comparisons. An expression may be undefined
//! (division by zero, no branch of a `case`): whether it is, is a truth value of its own, computed
//! by the same code, and usually the constant 0.
//!
//! Nothing here uses the model's evaluator, which replays what this code finds.

mod calc;
mod compile;
mod number;

use rustc_hash::FxHashMap;
use trapline_model::{ExprId, Model, VarId};

pub use calc::{Calc, wrap};
pub use number::{decode, encode, value};

use calc::word_bounds;
use number::domain_bounds;

/// A node number. Operands have smaller numbers.
pub type Reg = u32;

/// One node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A constant.
    Const(i64),
    /// A variable whose value is supplied externally.
    Slot(Slot),
    /// A binary operation on numbers or truth values.
    Binary(Calc, Reg, Reg),
    /// If-then-else.
    Select(Reg, Reg, Reg),
    /// Truncation to a word: signed or not, of this width.
    Wrap(Reg, bool, u8),
}

impl Op {
    /// The number of a node that is no slot, from those of its operands.
    #[inline]
    pub fn compute(self, of: impl Fn(Reg) -> i64) -> i64 {
        match self {
            Op::Const(number) => number,
            Op::Slot(_) => unreachable!("slots are not computed"),
            Op::Binary(calc, a, b) => calc.apply(of(a), of(b)),
            Op::Select(c, t, e) => {
                if of(c) != 0 {
                    of(t)
                } else {
                    of(e)
                }
            }
            Op::Wrap(a, signed, width) => wrap(of(a), signed, width),
        }
    }
}

/// A variable in one of the two states of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// In the state before the step; of an input, in the step.
    Current(VarId),
    /// In the state after the step.
    Next(VarId),
}

/// A compiled expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// Its value.
    pub value: Compiled,
    /// True if it is undefined. Then the value is arbitrary.
    pub fails: Reg,
}

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Compiled {
    /// A single value.
    One(Reg),
    /// A set of values: the members of the choices whose guard is 1.
    Set(Vec<Choice>),
}

/// Some members of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// True if they belong to the set.
    pub guard: Reg,
    /// The members.
    pub members: Members,
}

/// Members of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// One.
    One(Reg),
    /// All integers from one to another.
    Range(i64, i64),
}

/// The code of some expressions of a model.
pub struct Coder<'m> {
    /// The model.
    pub model: &'m Model,
    ops: Vec<Op>,
    bounds: Vec<(i64, i64)>,
    users: Vec<Vec<Reg>>,
    known: FxHashMap<Op, Reg>,
    done: FxHashMap<(ExprId, bool), Code>,
    /// True if the next value of a frozen variable is compiled as its current one. In NuSMV too, an
    /// expression that reads nothing else of the next state is a state expression.
    pub freezes: bool,
}

impl<'m> Coder<'m> {
    /// No code yet.
    pub fn new(model: &'m Model) -> Coder<'m> {
        Coder {
            model,
            ops: Vec::new(),
            bounds: Vec::new(),
            users: Vec::new(),
            known: FxHashMap::default(),
            done: FxHashMap::default(),
            freezes: false,
        }
    }

    /// All nodes.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// A node.
    pub fn op(&self, reg: Reg) -> Op {
        self.ops[reg as usize]
    }

    /// The nodes that have this operand.
    pub fn users(&self, reg: Reg) -> &[Reg] {
        &self.users[reg as usize]
    }

    /// The interval of a node.
    pub fn bounds(&self, reg: Reg) -> (i64, i64) {
        self.bounds[reg as usize]
    }

    /// The value of a constant node.
    pub fn as_const(&self, reg: Reg) -> Option<i64> {
        match self.op(reg) {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }

    /// A constant.
    pub fn constant(&mut self, value: i64) -> Reg {
        self.intern(Op::Const(value), (value, value))
    }

    /// A variable.
    pub fn slot(&mut self, slot: Slot) -> Reg {
        let (Slot::Current(var) | Slot::Next(var)) = slot;
        let bounds = domain_bounds(&self.model.var(var).domain);
        self.intern(Op::Slot(slot), bounds)
    }

    /// Negation of a truth value.
    pub fn not(&mut self, a: Reg) -> Reg {
        let one = self.constant(1);
        self.calc(Calc::Xor, a, one)
    }

    /// Conjunction of truth values.
    pub fn and(&mut self, a: Reg, b: Reg) -> Reg {
        self.calc(Calc::And, a, b)
    }

    /// Disjunction of truth values.
    pub fn or(&mut self, a: Reg, b: Reg) -> Reg {
        self.calc(Calc::Or, a, b)
    }

    /// If-then-else.
    pub fn select(&mut self, c: Reg, t: Reg, e: Reg) -> Reg {
        match self.as_const(c) {
            Some(0) => return e,
            Some(_) => return t,
            None if t == e => return t,
            None => {}
        }
        match (self.as_const(t), self.as_const(e)) {
            (Some(1), Some(0)) => return c,
            (Some(0), Some(1)) => return self.not(c),
            (Some(1), _) if self.is_truth(e) => return self.or(c, e),
            (_, Some(0)) if self.is_truth(t) => return self.and(c, t),
            _ => {}
        }
        let ((a, b), (x, y)) = (self.bounds(t), self.bounds(e));
        self.intern(Op::Select(c, t, e), (a.min(x), b.max(y)))
    }

    /// Truncation to a word.
    pub fn wrap(&mut self, a: Reg, signed: bool, width: u8) -> Reg {
        match width {
            0 => return self.constant(0),
            64.. => return a,
            _ => {}
        }
        let bounds @ (lo, hi) = word_bounds(signed, width);
        let (least, greatest) = self.bounds(a);
        if lo <= least && greatest <= hi {
            return a;
        }
        match self.as_const(a) {
            Some(number) => self.constant(wrap(number, signed, width)),
            None => self.intern(Op::Wrap(a, signed, width), bounds),
        }
    }

    /// A binary operation, simplified.
    pub fn calc(&mut self, calc: Calc, a: Reg, b: Reg) -> Reg {
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.constant(calc.apply(x, y));
        }
        // Canonical order: constants on the right, other operands sorted, so that more is shared.
        let (a, b) = match calc.is_symmetric() && (self.as_const(a).is_some() || a > b) {
            true if self.as_const(b).is_none() => (b, a),
            _ => (a, b),
        };
        if let Some(known) = self.simpler(calc, a, b) {
            return known;
        }
        let bounds = calc.bounds(self.bounds(a), self.bounds(b));
        if bounds.0 == bounds.1 {
            return self.constant(bounds.0);
        }
        self.intern(Op::Binary(calc, a, b), bounds)
    }

    fn simpler(&mut self, calc: Calc, a: Reg, b: Reg) -> Option<Reg> {
        let constant = self.as_const(b);
        let both = self.is_truth(a) && self.is_truth(b);
        match (calc, constant) {
            (Calc::And, Some(0)) => Some(b),
            (Calc::And, Some(1)) if both => Some(a),
            (Calc::Or, Some(1)) if both => Some(b),
            (Calc::Or | Calc::Xor | Calc::Add | Calc::Sub, Some(0)) => Some(a),
            (Calc::Eq, Some(1)) if both => Some(a),
            (Calc::Eq, Some(0)) if both => Some(self.not(a)),
            (Calc::And | Calc::Or, _) if a == b => Some(a),
            (Calc::Eq, _) if a == b => Some(self.constant(1)),
            (Calc::Xor, Some(1)) => match self.op(a) {
                Op::Binary(Calc::Xor, inner, one) if one == b => Some(inner),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_truth(&self, reg: Reg) -> bool {
        let (lo, hi) = self.bounds(reg);
        lo >= 0 && hi <= 1
    }

    fn intern(&mut self, op: Op, bounds: (i64, i64)) -> Reg {
        if let Some(&known) = self.known.get(&op) {
            return known;
        }
        let reg = self.ops.len() as Reg;
        for operand in operands(op) {
            self.users[operand as usize].push(reg);
        }
        self.users.push(Vec::new());
        self.ops.push(op);
        self.bounds.push(bounds);
        self.known.insert(op, reg);
        reg
    }
}

/// The operands of a node.
pub fn operands(op: Op) -> impl Iterator<Item = Reg> {
    let (few, n_operands) = match op {
        Op::Const(_) | Op::Slot(_) => ([0; 3], 0),
        Op::Wrap(a, ..) => ([a, 0, 0], 1),
        Op::Binary(_, a, b) => ([a, b, 0], 2),
        Op::Select(c, t, e) => ([c, t, e], 3),
    };
    few.into_iter().take(n_operands)
}
