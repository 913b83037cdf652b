//! When an expression has a value.
//!
//! A change can leave a `case` without a branch, or divide by zero. Where a right-hand side has no
//! value it allows nothing, so that has to be said beside what it says where it has one.

use rustc_hash::FxHashMap;
use trapline_model::{BinaryOp, Expr, ExprId, Exprs, Type, UnaryOp, Value};

use crate::logic;

/// That an expression has a value: `TRUE` where nothing in it can fail. A connective has one as
/// soon as one operand decides it.
pub fn defined(exprs: &mut Exprs, root: ExprId) -> ExprId {
    let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let always = exprs.bool(true);
    for id in exprs.reachable([root]) {
        let has_value = match exprs.get(id) {
            Expr::Fail(_) => exprs.bool(false),
            Expr::Ite(c, t, e) => {
                let chosen = logic::ite(exprs, c, known[&t], known[&e]);
                logic::and(exprs, known[&c], chosen)
            }
            Expr::Binary(BinaryOp::And, a, b) => decided(exprs, [a, b], [false, false], &known),
            Expr::Binary(BinaryOp::Or, a, b) => decided(exprs, [a, b], [true, true], &known),
            Expr::Binary(BinaryOp::Implies, a, b) => {
                decided(exprs, [a, b], [false, true], &known)
            }
            Expr::Unary(UnaryOp::Not, a) => known[&a],
            Expr::Binary(BinaryOp::Div | BinaryOp::Mod, a, b) => {
                let both = logic::and(exprs, known[&a], known[&b]);
                let is_zero = is_zero(exprs, b);
                let is_other = logic::not(exprs, is_zero);
                logic::and(exprs, both, is_other)
            }
            expr => {
                let operands = exprs.operands(expr).as_slice().to_vec();
                let all = operands.iter().map(|operand| known[operand]);
                all.fold(always, |all, one| logic::and(exprs, all, one))
            }
        };
        known.insert(id, has_value);
    }
    known[&root]
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
        Type::Word { signed, width } => {
            Value::Word(trapline_model::Word::new(signed, width, 0))
        }
        _ => Value::Int(0),
    };
    match exprs.as_const(expr) {
        Some(value) => exprs.bool(value == zero),
        None => logic::equals(exprs, expr, zero),
    }
}
