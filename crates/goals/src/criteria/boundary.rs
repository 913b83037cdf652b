//! `boundary`: numeric comparisons split at their boundary, then `ufp`; and the bounds of every
//! numeric variable.
//!
//! `a <= b` becomes `a < b | a = b`, and `a < b` becomes `a = b - 1 | a < b - 1`; `>=` and `>` are
//! symmetric. Words are guarded against wrap-around: `b - 1` wraps if `b` is the least value.

use trapline_model::{BinaryOp, Domain, Expr, ExprId, Type, Value, Word};

use super::Criterion;
use super::ufp::full_predicate;
use super::value::{ends, has_value};
use crate::builder::Builder;
use crate::decision::{Condition, Decision, Replacement};

/// Numeric comparisons split at their boundary, and the bounds of every numeric variable.
pub const CRITERION: Criterion = Criterion {
    name: "boundary",
    about: "numeric comparisons at their boundary, and the bounds of every numeric variable",
    add,
};

fn add(builder: &mut Builder<'_>) {
    for (place, decision) in builder.decisions(|n_conditions| 4 * n_conditions) {
        let edges: Vec<Option<Replacement>> =
            decision.conditions.iter().map(|condition| edge(builder, condition.expr)).collect();
        // A comparison with the bound of its type has no boundary, but is a comparison.
        let is_comparison = |condition: &Condition| {
            use BinaryOp as Op;
            let expr = builder.model.exprs.get(condition.expr);
            matches!(expr, Expr::Binary(Op::Lt | Op::Le | Op::Gt | Op::Ge, ..))
        };
        if decision.conditions.iter().any(is_comparison) {
            let refined: Decision = decision.refined(&edges);
            full_predicate(builder, &place, &refined);
        }
    }
    for var in builder.vars() {
        let declared = builder.model.var(var).clone();
        let is_numeric = match &declared.domain {
            Domain::Range(..) | Domain::Word { .. } => true,
            Domain::Enum(values) => values.iter().all(|value| value.as_int().is_some()),
            Domain::Bool | Domain::Integer | Domain::Real | Domain::Clock => false,
        };
        if !is_numeric {
            continue;
        }
        let [least, greatest] = match &declared.domain {
            Domain::Enum(values) => {
                let numbers = || values.iter().filter_map(|value| value.as_int());
                [numbers().min(), numbers().max()].map(|end| Value::Int(end.unwrap_or(0)))
            }
            domain => ends(domain),
        };
        for (end, value) in [("least", least), ("greatest", greatest)] {
            let target = has_value(builder, var, value);
            let text = format!("{} = {}, its {end}", declared.name, builder.model.show(value));
            builder.add(&format!("{}:{end}", declared.name), text, declared.span, target);
        }
    }
}

/// The two conditions whose disjunction is equivalent to a comparison.
fn edge(builder: &mut Builder<'_>, condition: ExprId) -> Option<Replacement> {
    let Expr::Binary(op, a, b) = builder.model.exprs.get(condition) else { return None };
    let exprs = &mut builder.model.exprs;
    let (inner, by) = match op {
        BinaryOp::Le => (BinaryOp::Lt, None),
        BinaryOp::Ge => (BinaryOp::Gt, None),
        BinaryOp::Lt => (BinaryOp::Lt, Some(BinaryOp::Sub)),
        BinaryOp::Gt => (BinaryOp::Gt, Some(BinaryOp::Add)),
        _ => return None,
    };
    let ty = exprs.ty(b);
    if exprs.ty(a) != ty {
        return None;
    }
    let (edge, guard) = match (by, ty) {
        (None, Type::Int | Type::Word { .. }) => (b, None),
        (Some(by), Type::Int) => (beside(exprs.as_const(b), by, exprs, b)?, None),
        (Some(by), Type::Word { signed, width }) => {
            let [least, greatest] = ends(&Domain::Word { signed, width });
            let end = if by == BinaryOp::Sub { least } else { greatest };
            match exprs.as_const(b) {
                // There is nothing beyond the bound.
                Some(value) if value == end => return None,
                Some(Value::Word(word)) => {
                    let step = if by == BinaryOp::Sub { -1 } else { 1 };
                    (exprs.value(Value::Word(word.wrap(word.to_i128() + step))), None)
                }
                _ => {
                    let one = exprs.value(Value::Word(Word::new(signed, width, 1)));
                    let edge = exprs.binary(by, b, one);
                    let end = exprs.value(end);
                    (edge, Some(exprs.binary(BinaryOp::Ne, b, end)))
                }
            }
        }
        _ => return None,
    };
    let mut parts =
        [(BinaryOp::Eq, edge), (inner, edge)].map(|(op, right)| exprs.binary(op, a, right));
    if let Some(guard) = guard {
        parts = parts.map(|part| exprs.and(guard, part));
    }
    Some(parts)
}

/// The neighbour of an integer; of a constant, a constant.
fn beside(
    constant: Option<Value>,
    by: BinaryOp,
    exprs: &mut trapline_model::Exprs,
    b: ExprId,
) -> Option<ExprId> {
    if let Some(Value::Int(value)) = constant {
        let value = if by == BinaryOp::Sub { value.checked_sub(1) } else { value.checked_add(1) };
        return value.map(|value| exprs.value(Value::Int(value)));
    }
    let one = exprs.value(Value::Int(1));
    Some(exprs.binary(by, b, one))
}
