//! Boolean expressions with constants folded, so that goals read well.

use trapline_model::{BinaryOp, Expr, ExprId, Exprs, Type, UnaryOp, Value};

/// Is it this constant?
pub fn is(exprs: &Exprs, expr: ExprId, value: bool) -> bool {
    exprs.as_const(expr) == Some(Value::Bool(value))
}

/// `!a`
pub fn not(exprs: &mut Exprs, a: ExprId) -> ExprId {
    match exprs.get(a) {
        Expr::Unary(UnaryOp::Not, inner) if exprs.ty(a) == Type::Bool => inner,
        Expr::Const(_) => {
            let value = is(exprs, a, true);
            exprs.bool(!value)
        }
        _ => exprs.not(a),
    }
}

/// `a`, or `!a`
pub fn literal(exprs: &mut Exprs, a: ExprId, holds: bool) -> ExprId {
    if holds { a } else { not(exprs, a) }
}

/// `a & b`
pub fn and(exprs: &mut Exprs, a: ExprId, b: ExprId) -> ExprId {
    if is(exprs, a, false) || is(exprs, b, true) || a == b {
        return a;
    }
    if is(exprs, a, true) || is(exprs, b, false) {
        return b;
    }
    binary(exprs, BinaryOp::And, a, b)
}

/// `a | b`
pub fn or(exprs: &mut Exprs, a: ExprId, b: ExprId) -> ExprId {
    if is(exprs, a, true) || is(exprs, b, false) || a == b {
        return a;
    }
    if is(exprs, a, false) || is(exprs, b, true) {
        return b;
    }
    binary(exprs, BinaryOp::Or, a, b)
}

/// `a xor b`
pub fn xor(exprs: &mut Exprs, a: ExprId, b: ExprId) -> ExprId {
    if a == b {
        return exprs.bool(false);
    }
    match (exprs.as_const(a), exprs.as_const(b)) {
        (Some(Value::Bool(value)), _) => literal(exprs, b, !value),
        (_, Some(Value::Bool(value))) => literal(exprs, a, !value),
        _ => binary(exprs, BinaryOp::Xor, a, b),
    }
}

/// `c ? t : e` of Booleans.
pub fn ite(exprs: &mut Exprs, c: ExprId, t: ExprId, e: ExprId) -> ExprId {
    if is(exprs, c, true) || t == e {
        return t;
    }
    if is(exprs, c, false) {
        return e;
    }
    let (yes, no) = (is(exprs, t, true), is(exprs, e, false));
    match (yes, no) {
        (true, true) => c,
        (true, false) => or(exprs, c, e),
        (false, true) => and(exprs, c, t),
        _ => exprs.add(Expr::Ite(c, t, e), Type::Bool),
    }
}

/// A Boolean operator over two operands.
pub fn binary(exprs: &mut Exprs, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
    exprs.add(Expr::Binary(op, a, b), Type::Bool)
}

/// `expr = value`; a Boolean is itself or its negation.
pub fn equals(exprs: &mut Exprs, expr: ExprId, value: Value) -> ExprId {
    match value {
        Value::Bool(holds) => literal(exprs, expr, holds),
        _ => {
            let value = exprs.value(value);
            binary(exprs, BinaryOp::Eq, expr, value)
        }
    }
}

/// That a value is what an expression gives, or in the set that it gives.
pub fn is_given(exprs: &mut Exprs, value: ExprId, by: ExprId) -> ExprId {
    match exprs.ty(by) {
        Type::Never => exprs.bool(false),
        Type::Set(_) => binary(exprs, BinaryOp::In, value, by),
        Type::Bool if exprs.as_const(by).is_some() => {
            let holds = is(exprs, by, true);
            literal(exprs, value, holds)
        }
        Type::Bool => binary(exprs, BinaryOp::Iff, value, by),
        _ => binary(exprs, BinaryOp::Eq, value, by),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_vanish() {
        let mut exprs = Exprs::default();
        let (yes, no) = (exprs.bool(true), exprs.bool(false));
        let a = exprs.add(Expr::Var(trapline_model::VarId(0)), Type::Bool);
        let not_a = not(&mut exprs, a);
        assert_eq!(not(&mut exprs, not_a), a);
        for (x, y, both, any, different) in [
            (yes, a, a, yes, not_a),
            (a, yes, a, yes, not_a),
            (no, a, no, a, a),
            (a, no, no, a, a),
            (a, a, a, a, no),
        ] {
            assert_eq!(and(&mut exprs, x, y), both);
            assert_eq!(or(&mut exprs, x, y), any);
            assert_eq!(xor(&mut exprs, x, y), different);
        }
        assert_eq!(ite(&mut exprs, a, yes, no), a);
        assert_eq!(ite(&mut exprs, yes, a, no), a);
        assert_eq!(ite(&mut exprs, no, a, not_a), not_a);
    }
}
