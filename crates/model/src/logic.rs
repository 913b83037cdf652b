//! Boolean expressions, with constants folded so that they read well.
//!
//! [`Exprs::add`], [`Exprs::unary`] and [`Exprs::binary`] create nodes verbatim: for what must stay
//! as written. The other constructors fold constants. Folding `and`, `or` and `implies` changes no
//! value and no failure, since one operand of these may be controlling.

use rustc_hash::FxHashSet;

use crate::expr::{Expr, ExprId, Exprs};
use crate::op::{BinaryOp, UnaryOp};
use crate::types::Type;
use crate::value::Value;

impl Exprs {
    /// A unary operator, verbatim.
    pub fn unary(&mut self, op: UnaryOp, operand: ExprId) -> ExprId {
        self.add(Expr::Unary(op, operand))
    }

    /// A binary operator, verbatim.
    pub fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        self.add(Expr::Binary(op, left, right))
    }

    /// True for the constant `TRUE`.
    pub fn is_true(&self, expr: ExprId) -> bool {
        self.as_const(expr) == Some(Value::Bool(true))
    }

    /// True for the constant `FALSE`.
    pub fn is_false(&self, expr: ExprId) -> bool {
        self.as_const(expr) == Some(Value::Bool(false))
    }

    /// Not `a`.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        match (self.as_const(a), self.get(a)) {
            (Some(Value::Bool(value)), _) => self.bool(!value),
            (_, Expr::Unary(UnaryOp::Not, inner)) => inner,
            _ => self.unary(UnaryOp::Not, a),
        }
    }

    /// `a`, or not `a`.
    pub fn literal(&mut self, a: ExprId, holds: bool) -> ExprId {
        if holds { a } else { self.not(a) }
    }

    /// Both.
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if self.is_false(a) || self.is_true(b) || a == b {
            return a;
        }
        if self.is_true(a) || self.is_false(b) {
            return b;
        }
        self.binary(BinaryOp::And, a, b)
    }

    /// One of them, or both.
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if self.is_true(a) || self.is_false(b) || a == b {
            return a;
        }
        if self.is_false(a) || self.is_true(b) {
            return b;
        }
        self.binary(BinaryOp::Or, a, b)
    }

    /// `b` where `a` holds.
    pub fn implies(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if self.is_true(a) || self.is_true(b) {
            return b;
        }
        if self.is_false(a) || self.is_false(b) {
            return self.not(a);
        }
        self.binary(BinaryOp::Implies, a, b)
    }

    /// Both or none.
    pub fn iff(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.as_const(a), self.as_const(b)) {
            (Some(Value::Bool(value)), _) => self.literal(b, value),
            (_, Some(Value::Bool(value))) => self.literal(a, value),
            _ => self.binary(BinaryOp::Iff, a, b),
        }
    }

    /// One of them and not both.
    pub fn xor(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if a == b {
            return self.bool(false);
        }
        match (self.as_const(a), self.as_const(b)) {
            (Some(Value::Bool(value)), _) => self.literal(b, !value),
            (_, Some(Value::Bool(value))) => self.literal(a, !value),
            _ => self.binary(BinaryOp::Xor, a, b),
        }
    }

    /// All of them; `TRUE` when there are none.
    pub fn all(&mut self, exprs: impl IntoIterator<Item = ExprId>) -> ExprId {
        let none = self.bool(true);
        exprs.into_iter().fold(none, |all, expr| self.and(all, expr))
    }

    /// At least one of them; `FALSE` when there are none.
    pub fn any(&mut self, exprs: impl IntoIterator<Item = ExprId>) -> ExprId {
        let none = self.bool(false);
        exprs.into_iter().fold(none, |any, expr| self.or(any, expr))
    }

    /// The operands of a chain of one operator, in order, each once: what the chain shares is not
    /// expanded. For operators to which it makes no difference how often an operand is given.
    pub fn chain(&self, op: BinaryOp, root: ExprId) -> Vec<ExprId> {
        let mut operands = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            match self.get(id) {
                _ if !seen.insert(id) => {}
                Expr::Binary(of, a, b) if of == op => stack.extend([b, a]),
                _ => operands.push(id),
            }
        }
        operands
    }

    /// `c ? t : e` of Booleans, of which the condition has a value.
    pub fn ite(&mut self, c: ExprId, t: ExprId, e: ExprId) -> ExprId {
        if self.is_true(c) || t == e {
            return t;
        }
        if self.is_false(c) {
            return e;
        }
        match (self.is_true(t), self.is_false(e)) {
            (true, true) => c,
            (true, false) => self.or(c, e),
            (false, true) => self.and(c, t),
            (false, false) => self.add(Expr::Ite(c, t, e)),
        }
    }

    /// `a = b`, verbatim.
    pub fn eq(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Eq, a, b)
    }

    /// That an expression has this value; a Boolean is itself or its negation.
    pub fn has_value(&mut self, expr: ExprId, value: Value) -> ExprId {
        match value {
            Value::Bool(holds) => self.literal(expr, holds),
            _ => {
                let value = self.value(value);
                self.eq(expr, value)
            }
        }
    }

    /// That a value is what an expression gives, or in the set that it gives.
    pub fn is_given(&mut self, value: ExprId, by: ExprId) -> ExprId {
        match self.ty(by) {
            Type::Never => self.bool(false),
            Type::Set(_) => self.binary(BinaryOp::In, value, by),
            Type::Bool => self.iff(value, by),
            _ => self.eq(value, by),
        }
    }
}
