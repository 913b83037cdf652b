//! Expressions that have a value everywhere, for tools that want one even where it does not count.
//!
//! NuSMV rejects a property in which a `case` is not exhaustive, or something is divided by zero, in
//! any state at all. So what can fail gets some value there: a `case` that of its last branch, a
//! division that by one. Where an expression has a value, it keeps it.

use rustc_hash::FxHashMap;
use trapline_model::{BinaryOp, Expr, ExprId, Model, Type, UnaryOp, Value, Word};

use crate::defined::{Defined, can_fail};
use crate::logic;

/// That an expression has a value and is true, said in such a way that it always has one.
pub fn holds(model: &mut Model, defined: &mut Defined, expr: ExprId) -> ExprId {
    if !can_fail(model, std::iter::once(expr)) {
        return expr;
    }
    let has_value = defined.defined(model, expr);
    let both = logic::and(&mut model.exprs, has_value, expr);
    total(model, both)
}

/// The expression with some value wherever it has none. Defines that can fail are written out.
pub fn total(model: &mut Model, root: ExprId) -> ExprId {
    let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let mut stack = vec![root];
    while let Some(&id) = stack.last() {
        let operands = operands(model, id);
        let height = stack.len();
        stack.extend(operands.iter().filter(|operand| !known.contains_key(operand)));
        if stack.len() == height {
            stack.pop();
            let made = of_node(model, id, &operands, &known);
            known.insert(id, made);
        }
    }
    known[&root]
}

/// What has to be total before an expression is: a define that can fail is its body.
fn operands(model: &mut Model, id: ExprId) -> Vec<ExprId> {
    match model.exprs.get(id) {
        Expr::Define(define) | Expr::NextDefine(define) => {
            let body = model.define(define).body.expr;
            if !can_fail(model, std::iter::once(body)) {
                return Vec::new();
            }
            let is_next = matches!(model.exprs.get(id), Expr::NextDefine(_));
            vec![if is_next { model.exprs.prime(body) } else { body }]
        }
        // What comes after the last branch is never asked for.
        Expr::Ite(c, t, e) if matches!(model.exprs.get(e), Expr::Fail(_)) => vec![c, t],
        expr => model.exprs.operands(expr).as_slice().to_vec(),
    }
}

fn of_node(
    model: &mut Model,
    id: ExprId,
    operands: &[ExprId],
    known: &FxHashMap<ExprId, ExprId>,
) -> ExprId {
    let ty = model.exprs.ty(id);
    match model.exprs.get(id) {
        Expr::Define(_) | Expr::NextDefine(_) => operands.first().map_or(id, |body| known[body]),
        Expr::Ite(_, t, e) if matches!(model.exprs.get(e), Expr::Fail(_)) => known[&t],
        Expr::Binary(op @ (BinaryOp::Div | BinaryOp::Mod), a, b) => {
            let by = or_else(model, known[&b], 1, zero_of);
            model.exprs.add(Expr::Binary(op, known[&a], by), ty)
        }
        Expr::Binary(op @ (BinaryOp::Shl | BinaryOp::Shr), a, b) => {
            let Type::Word { width, .. } = ty else { return id };
            let by = or_else(model, known[&b], 0, |exprs, by| too_far(exprs, by, width));
            model.exprs.add(Expr::Binary(op, known[&a], by), ty)
        }
        expr => {
            let mut parts = operands.iter().map(|operand| known[operand]);
            let mapped = model.exprs.map_operands(expr, |operand| parts.next().unwrap_or(operand));
            if mapped == expr { id } else { model.exprs.add(mapped, ty) }
        }
    }
}

/// The number, or another one where it is wrong.
fn or_else(
    model: &mut Model,
    number: ExprId,
    other: u64,
    is_wrong: impl Fn(&mut trapline_model::Exprs, ExprId) -> Option<ExprId>,
) -> ExprId {
    let exprs = &mut model.exprs;
    let ty = exprs.ty(number);
    let other = match ty {
        Type::Word { signed, width } => Value::Word(Word::new(signed, width, other)),
        _ => Value::Int(other as i64),
    };
    let Some(is_wrong) = is_wrong(exprs, number) else { return number };
    let other = exprs.value(other);
    exprs.add(Expr::Ite(is_wrong, other, number), ty)
}

/// That a number is zero, unless it is a constant that is not.
fn zero_of(exprs: &mut trapline_model::Exprs, number: ExprId) -> Option<ExprId> {
    let zero = match exprs.ty(number) {
        Type::Word { signed, width } => Value::Word(Word::new(signed, width, 0)),
        _ => Value::Int(0),
    };
    match exprs.as_const(number) {
        Some(value) if value != zero => None,
        _ => Some(logic::equals(exprs, number, zero)),
    }
}

/// That a word of this width can't be shifted so far, unless it plainly can.
fn too_far(exprs: &mut trapline_model::Exprs, by: ExprId, width: u8) -> Option<ExprId> {
    let width = i64::from(width);
    if let Some(Value::Int(constant)) = exprs.as_const(by) {
        return if (0..=width).contains(&constant) { None } else { Some(exprs.bool(true)) };
    }
    let number = match exprs.ty(by) {
        Type::Word { .. } => exprs.add(Expr::Unary(UnaryOp::ToInt, by), Type::Int),
        _ => by,
    };
    let [least, greatest] = [0, width].map(|end| exprs.value(Value::Int(end)));
    let is_below = logic::binary(exprs, BinaryOp::Lt, number, least);
    let is_above = logic::binary(exprs, BinaryOp::Gt, number, greatest);
    Some(logic::or(exprs, is_below, is_above))
}
