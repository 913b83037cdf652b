//! When an expression has a value.
//!
//! A change can leave a `case` without a branch, or divide by zero. Where a right-hand side has no
//! value it allows nothing, so that has to be said beside what it says where it has one.

use rustc_hash::FxHashMap;
use trapline_model::{BinaryOp, Expr, ExprId, Exprs, Type, UnaryOp, Value};

use crate::logic;

/// When expressions have a value, as far as somebody has asked. It belongs to one pool.
#[derive(Debug, Default)]
pub struct Defined {
    known: FxHashMap<ExprId, ExprId>,
}

impl Defined {
    /// That an expression has a value: `TRUE` where nothing in it can fail. A connective has one
    /// as soon as one operand decides it.
    pub fn defined(&mut self, exprs: &mut Exprs, root: ExprId) -> ExprId {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            let height = stack.len();
            let operands = exprs.operands(exprs.get(id));
            let unknown = operands.as_slice().iter().filter(|op| !self.known.contains_key(op));
            stack.extend(unknown);
            if stack.len() == height {
                stack.pop();
                let has_value = self.of_node(exprs, id);
                self.known.insert(id, has_value);
            }
        }
        self.known[&root]
    }

    /// The operands are known.
    fn of_node(&self, exprs: &mut Exprs, id: ExprId) -> ExprId {
        let known = &self.known;
        match exprs.get(id) {
            Expr::Fail(_) => exprs.bool(false),
            Expr::Ite(c, t, e) => {
                let chosen = logic::ite(exprs, c, known[&t], known[&e]);
                logic::and(exprs, known[&c], chosen)
            }
            Expr::Binary(BinaryOp::And, a, b) => decided(exprs, [a, b], [false, false], known),
            Expr::Binary(BinaryOp::Or, a, b) => decided(exprs, [a, b], [true, true], known),
            Expr::Binary(BinaryOp::Implies, a, b) => decided(exprs, [a, b], [false, true], known),
            Expr::Unary(UnaryOp::Not, a) => known[&a],
            Expr::Binary(BinaryOp::Div | BinaryOp::Mod, a, b) => {
                let both = logic::and(exprs, known[&a], known[&b]);
                let is_zero = is_zero(exprs, b);
                let is_other = logic::not(exprs, is_zero);
                logic::and(exprs, both, is_other)
            }
            expr => {
                let operands = exprs.operands(expr).as_slice().to_vec();
                let always = exprs.bool(true);
                let all = operands.iter().map(|operand| known[operand]);
                all.fold(always, |all, one| logic::and(exprs, all, one))
            }
        }
    }
}

/// Is there something in these that may have no value?
pub fn can_fail(exprs: &Exprs, roots: impl Iterator<Item = ExprId>) -> bool {
    let is_risky = |id: &ExprId| {
        matches!(exprs.get(*id), Expr::Fail(_) | Expr::Binary(BinaryOp::Div | BinaryOp::Mod, ..))
    };
    exprs.reachable(roots).iter().any(is_risky)
}

/// Both have a value, or one has the value that decides.
fn decided(
    exprs: &mut Exprs,
    operands: [ExprId; 2],
    deciding: [bool; 2],
    known: &FxHashMap<ExprId, ExprId>,
) -> ExprId {
    let [a, b] = operands.map(|operand| known[&operand]);
    let mut any = logic::and(exprs, a, b);
    if logic::is(exprs, any, true) {
        return any;
    }
    for (operand, value) in operands.into_iter().zip(deciding) {
        let literal = logic::literal(exprs, operand, value);
        let alone = logic::and(exprs, known[&operand], literal);
        any = logic::or(exprs, any, alone);
    }
    any
}

fn is_zero(exprs: &mut Exprs, expr: ExprId) -> ExprId {
    let zero = match exprs.ty(expr) {
        Type::Word { signed, width } => Value::Word(trapline_model::Word::new(signed, width, 0)),
        _ => Value::Int(0),
    };
    match exprs.as_const(expr) {
        Some(value) => exprs.bool(value == zero),
        None => logic::equals(exprs, expr, zero),
    }
}
