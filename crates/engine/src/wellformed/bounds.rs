//! Bounds: the interval of each integer expression, and whether an expression may fail at all.
//!
//! One pass over all expressions of a model, operands first. What it says is safe, not exact.

use trapline_model::{
    BinaryOp, Domain, Expr, ExprId, FailureKind, Model, Type, UnaryOp, Value, ops,
};

/// What is known of each expression.
pub(super) struct Bounds {
    /// The least and greatest integer; `None` for what is no integer, or without bounds.
    intervals: Vec<Option<(i64, i64)>>,
    may_fail: Vec<bool>,
    /// All values, where there are few and each is known.
    fits_type: Vec<Values>,
}

/// The values of an expression that is no integer.
#[derive(Clone, Debug, PartialEq)]
enum Values {
    /// Any value of its type.
    Any,
    /// Only values of this domain.
    In(Domain),
    /// Only this one.
    One(Value),
}

impl Bounds {
    pub fn new(model: &Model) -> Bounds {
        let n_exprs = model.exprs.len();
        let mut bounds = Bounds {
            intervals: vec![None; n_exprs],
            may_fail: vec![false; n_exprs],
            fits_type: vec![Values::Any; n_exprs],
        };
        for idx in 0..n_exprs {
            let id = ExprId(idx as u32);
            let expr = model.exprs.get(id);
            bounds.intervals[idx] = bounds.interval(model, id, expr);
            bounds.may_fail[idx] = bounds.fails(model, expr);
            bounds.fits_type[idx] = bounds.values(model, expr);
        }
        bounds
    }

    pub fn may_fail(&self, id: ExprId) -> bool {
        self.may_fail[id.0 as usize]
    }

    /// Do all values certainly lie in the domain?
    pub fn fits(&self, id: ExprId, domain: &Domain) -> bool {
        match (&self.fits_type[id.0 as usize], domain) {
            (_, Domain::Bool | Domain::Word { .. }) => true,
            (_, Domain::Integer | Domain::Real | Domain::Clock) => true,
            (Values::One(value), _) => domain.contains(*value),
            (Values::In(inner), _) if inner == domain => true,
            (_, Domain::Range(lo, hi)) => {
                self.intervals[id.0 as usize].is_some_and(|(l, h)| *lo <= l && h <= *hi)
            }
            (_, Domain::Enum(_)) => false,
        }
    }

    fn values(&self, model: &Model, expr: Expr) -> Values {
        match expr {
            Expr::Const(c) => Values::One(model.exprs.constant(c)),
            Expr::Var(v) | Expr::Next(v) => Values::In(model.var(v).domain.clone()),
            Expr::Define(d) | Expr::NextDefine(d) => {
                self.fits_type[model.define(d).body.expr.0 as usize].clone()
            }
            _ => Values::Any,
        }
    }

    fn interval(&self, model: &Model, id: ExprId, expr: Expr) -> Option<(i64, i64)> {
        let of = |id: ExprId| self.intervals[id.0 as usize];
        match expr {
            Expr::Const(c) => model.exprs.constant(c).as_int().map(|i| (i, i)),
            Expr::Var(v) | Expr::Next(v) => of_domain(&model.var(v).domain),
            Expr::Define(d) | Expr::NextDefine(d) => of(model.define(d).body.expr),
            Expr::Ite(c, t, e) => match model.exprs.as_const(c) {
                Some(Value::Bool(true)) => of(t),
                Some(Value::Bool(false)) => of(e),
                _ if model.exprs.ty(e) == Type::Never => of(t),
                _ => join(of(t)?, of(e)?),
            },
            Expr::Range(lo, hi) => {
                let bound = |c| model.exprs.constant(c).as_int();
                bound(lo).zip(bound(hi))
            }
            Expr::Count(list) => Some((0, model.exprs.list(list).len() as i64)),
            Expr::Binary(BinaryOp::Union, a, b) => join(of(a)?, of(b)?),
            Expr::Binary(op, a, b) if model.exprs.ty(id) == Type::Int => {
                arithmetic(op, of(a)?, of(b)?)
            }
            Expr::Unary(UnaryOp::Neg, a) => {
                of(a).and_then(|(lo, hi)| Some((hi.checked_neg()?, lo.checked_neg()?)))
            }
            Expr::Unary(UnaryOp::Abs, a) => {
                let (lo, hi) = of(a)?;
                let greatest = lo.checked_abs()?.max(hi.checked_abs()?);
                Some((if lo <= 0 && 0 <= hi { 0 } else { lo.abs().min(hi.abs()) }, greatest))
            }
            Expr::Unary(UnaryOp::ToInt, a) => match model.exprs.ty(a) {
                Type::Bool => Some((0, 1)),
                Type::Word { signed: false, width } if width < 63 => Some((0, (1 << width) - 1)),
                Type::Word { signed: true, width } => {
                    let half = 1i128 << (width - 1);
                    Some(((-half) as i64, (half - 1) as i64))
                }
                _ => of(a),
            },
            _ => None,
        }
    }

    fn fails(&self, model: &Model, expr: Expr) -> bool {
        let inherited = || {
            let operands = model.exprs.operands(expr);
            operands.as_slice().iter().any(|&operand| self.may_fail(operand))
        };
        match expr {
            Expr::Fail(_) => true,
            Expr::Define(d) | Expr::NextDefine(d) => self.may_fail(model.define(d).body.expr),
            Expr::Ite(c, t, e) => match model.exprs.as_const(c) {
                Some(Value::Bool(true)) => self.may_fail(t),
                Some(Value::Bool(false)) => self.may_fail(e),
                _ => inherited(),
            },
            _ => self.fails_itself(model, expr) || inherited(),
        }
    }

    /// May the operator fail although its operands do not?
    pub fn fails_itself(&self, model: &Model, expr: Expr) -> bool {
        match expr {
            Expr::Binary(BinaryOp::Div | BinaryOp::Mod, _, b) => match model.exprs.as_const(b) {
                Some(value) => is_zero(value),
                None => self.intervals[b.0 as usize].is_none_or(|(lo, hi)| lo <= 0 && 0 <= hi),
            },
            Expr::Binary(BinaryOp::Shl | BinaryOp::Shr, a, b) => {
                let Type::Word { width, .. } = model.exprs.ty(a) else { return true };
                let is_safe = match (model.exprs.as_const(b), self.intervals[b.0 as usize]) {
                    (Some(Value::Word(amount)), _) => amount.to_i128() <= width.into(),
                    (_, Some((lo, hi))) => 0 <= lo && hi <= width.into(),
                    _ => false,
                };
                !is_safe
            }
            _ => false,
        }
    }
}

fn is_zero(value: Value) -> bool {
    match value {
        Value::Int(i) => i == 0,
        Value::Word(w) => w.bits == 0,
        Value::Real(r) => r.num() == 0,
        Value::Bool(_) | Value::Symbol(_) => false,
    }
}

fn of_domain(domain: &Domain) -> Option<(i64, i64)> {
    match domain {
        Domain::Range(lo, hi) => Some((*lo, *hi)),
        Domain::Enum(values) => {
            let ints: Option<Vec<i64>> = values.iter().map(|value| value.as_int()).collect();
            let ints = ints?;
            Some((*ints.iter().min()?, *ints.iter().max()?))
        }
        _ => None,
    }
}

fn join(a: (i64, i64), b: (i64, i64)) -> Option<(i64, i64)> {
    Some((a.0.min(b.0), a.1.max(b.1)))
}

/// The interval of an operator, from the values at the corners.
fn arithmetic(op: BinaryOp, a: (i64, i64), b: (i64, i64)) -> Option<(i64, i64)> {
    let corner = |x, y| match ops::binary(op, Value::Int(x), Value::Int(y)) {
        Ok(value) => value.as_int(),
        Err(FailureKind::DivisionByZero) => Some(0),
        Err(_) => None,
    };
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Min | BinaryOp::Max => {
            let corners =
                [corner(a.0, b.0)?, corner(a.0, b.1)?, corner(a.1, b.0)?, corner(a.1, b.1)?];
            Some((*corners.iter().min()?, *corners.iter().max()?))
        }
        // A quotient is never greater than the dividend, either way.
        BinaryOp::Div => {
            let greatest = a.0.checked_abs()?.max(a.1.checked_abs()?);
            let least = if a.0 >= 0 && b.0 > 0 { 0 } else { -greatest };
            Some((least, greatest))
        }
        BinaryOp::Mod => {
            let divisor = b.0.checked_abs()?.max(b.1.checked_abs()?);
            let greatest = (divisor - 1).max(0);
            let dividend = (a.0.min(0), a.1.max(0));
            Some((dividend.0.max(-greatest), dividend.1.min(greatest)))
        }
        _ => None,
    }
}
