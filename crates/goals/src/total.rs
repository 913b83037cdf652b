//! Expressions that have a value everywhere, for tools that want one even where it does not count.
//!
//! NuSMV rejects a property in which a `case` is not exhaustive, or something is divided by zero, in
//! any state at all. So what can fail gets some value there: a `case` that of its last branch, a
//! division that by one. Where an expression has a value, it keeps it.

use rustc_hash::FxHashMap;
use trapline_model::transform::substitute::{bottom_up, with_parts};
use trapline_model::{BinaryOp, Expr, ExprId, Exprs, Model, Type, Value, Word};

use crate::defined::{Defined, is_shift, is_zero};

/// That an expression has a value and is true, said in such a way that it always has one.
pub fn holds(model: &mut Model, defined: &mut Defined, expr: ExprId) -> ExprId {
    if !defined.can_fail(model, expr) {
        return expr;
    }
    let has_value = defined.defined(model, expr);
    let both = model.exprs.and(has_value, expr);
    total(model, defined, both)
}

/// The expression with some value wherever it has none. Defines that can fail are written out.
pub fn total(model: &mut Model, defined: &mut Defined, root: ExprId) -> ExprId {
    let mut total = std::mem::take(&mut defined.total);
    bottom_up(model, &mut total, root, |model, id| operands(model, defined, id), of_node);
    defined.total = total;
    defined.total[&root]
}

/// What has to be total before an expression is: a define that can fail is its body.
fn operands(model: &mut Model, defined: &mut Defined, id: ExprId) -> Vec<ExprId> {
    match model.exprs.get(id) {
        Expr::Define(define) | Expr::NextDefine(define) => {
            let body = model.define(define).body.expr;
            if !defined.can_fail(model, body) {
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
    match model.exprs.get(id) {
        Expr::Define(_) | Expr::NextDefine(_) => operands.first().map_or(id, |body| known[body]),
        Expr::Ite(_, t, e) if matches!(model.exprs.get(e), Expr::Fail(_)) => known[&t],
        Expr::Binary(op @ (BinaryOp::Div | BinaryOp::Mod), a, b) => {
            let is_wrong = is_zero(&mut model.exprs, known[&b]);
            let by = or_else(&mut model.exprs, known[&b], 1, is_wrong);
            model.exprs.binary(op, known[&a], by)
        }
        Expr::Binary(op @ (BinaryOp::Shl | BinaryOp::Shr), a, b) => {
            let is_right = is_shift(&mut model.exprs, id, known[&b]);
            let is_wrong = model.exprs.not(is_right);
            let by = or_else(&mut model.exprs, known[&b], 0, is_wrong);
            model.exprs.binary(op, known[&a], by)
        }
        _ => with_parts(&mut model.exprs, id, operands, known),
    }
}

/// The number, or another one where it is wrong.
fn or_else(exprs: &mut Exprs, number: ExprId, other: u64, is_wrong: ExprId) -> ExprId {
    if exprs.is_false(is_wrong) {
        return number;
    }
    let other = match exprs.ty(number) {
        Type::Word { signed, width } => Value::Word(Word::new(signed, width, other)),
        _ => Value::Int(other as i64),
    };
    let other = exprs.value(other);
    exprs.add(Expr::Ite(is_wrong, other, number))
}
