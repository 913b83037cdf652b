//! The interval of each integer, so that what is declared for it has a finite type.
//!
//! What it says is safe, not exact: SAL takes away states in which a value is outside its type.

use rustc_hash::FxHashMap;
use trapline_model::transform::substitute::bottom_up;
use trapline_model::{BinaryOp, Domain, Expr, ExprId, Model, Type, UnaryOp, Value};

/// The least and the greatest value; `None` for what is no integer, or has no bounds.
pub(super) type Interval = Option<(i64, i64)>;

/// The intervals of expressions, as far as they were asked for.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    known: FxHashMap<ExprId, Interval>,
}

impl Bounds {
    /// The interval of an expression. Bodies of definitions are those of the model.
    pub fn of(&mut self, model: &Model, id: ExprId) -> Interval {
        let parts = |_: &mut (), id: ExprId| match model.exprs.get(id) {
            Expr::Define(d) | Expr::NextDefine(d) => vec![model.define(d).body.expr],
            expr => model.exprs.operands(expr).as_slice().to_vec(),
        };
        bottom_up(&mut (), &mut self.known, id, parts, |(), id, parts, known| {
            let parts: Vec<Interval> = parts.iter().map(|part| known[part]).collect();
            interval(model, id, &parts)
        });
        self.known[&id]
    }
}

/// May a divisor in an expression be zero? `known` remembers what was found out.
pub(super) fn may_fail(
    model: &Model,
    bounds: &mut Bounds,
    known: &mut FxHashMap<ExprId, bool>,
    id: ExprId,
) -> bool {
    let parts = |_: &mut Bounds, id: ExprId| match model.exprs.get(id) {
        Expr::Define(d) | Expr::NextDefine(d) => vec![model.define(d).body.expr],
        expr => model.exprs.operands(expr).as_slice().to_vec(),
    };
    bottom_up(bounds, known, id, parts, |bounds, id, parts, known| {
        let may_be_zero = match model.exprs.get(id) {
            Expr::Binary(BinaryOp::Div | BinaryOp::Mod, _, b) => match model.exprs.as_const(b) {
                Some(Value::Real(ratio)) => ratio.num() == 0,
                Some(value) => number(value) == Some(0),
                None => bounds.of(model, b).is_none_or(|(lo, hi)| lo <= 0 && 0 <= hi),
            },
            _ => false,
        };
        may_be_zero || parts.iter().any(|part| known[part])
    });
    known[&id]
}

/// The interval of the values of a variable.
pub(super) fn of_domain(domain: &Domain) -> Interval {
    match domain {
        Domain::Range(lo, hi) => Some((*lo, *hi)),
        Domain::Enum(values) => {
            let all: Option<Vec<i64>> = values.iter().map(|value| value.as_int()).collect();
            let all = all?;
            Some((*all.iter().min()?, *all.iter().max()?))
        }
        Domain::Word { signed, width } => of_word(*signed, *width),
        Domain::Bool | Domain::Integer | Domain::Real | Domain::Clock => None,
    }
}

/// The interval of the numbers that words represent.
pub(super) fn of_word(signed: bool, width: u8) -> Interval {
    let size = 1i128.checked_shl(width.into())?;
    let (lo, hi) = if signed { (-size / 2, size / 2 - 1) } else { (0, size - 1) };
    Some((lo.try_into().ok()?, hi.try_into().ok()?))
}

fn interval(model: &Model, id: ExprId, parts: &[Interval]) -> Interval {
    let exprs = &model.exprs;
    if let Type::Word { signed, width } = exprs.ty(id) {
        return of_word(signed, width);
    }
    match exprs.get(id) {
        Expr::Const(c) => exprs.constant(c).as_int().map(|i| (i, i)),
        Expr::Var(v) | Expr::Next(v) => of_domain(&model.var(v).domain),
        Expr::Define(_) | Expr::NextDefine(_) => parts[0],
        Expr::Ite(_, t, e) => match (exprs.ty(t), exprs.ty(e)) {
            (_, Type::Never) => parts[1],
            (Type::Never, _) => parts[2],
            _ => join(parts[1]?, parts[2]?),
        },
        Expr::Range(lo, hi) => exprs.constant(lo).as_int().zip(exprs.constant(hi).as_int()),
        Expr::Count(list) => Some((0, exprs.list(list).len() as i64)),
        Expr::Binary(BinaryOp::Union, ..) => join(parts[0]?, parts[1]?),
        Expr::Binary(op, ..) if exprs.ty(id) == Type::Int => arithmetic(op, parts[0]?, parts[1]?),
        Expr::Unary(UnaryOp::Neg, _) => {
            let (lo, hi) = parts[0]?;
            Some((hi.checked_neg()?, lo.checked_neg()?))
        }
        Expr::Unary(UnaryOp::Abs, _) => {
            let (lo, hi) = parts[0]?;
            let greatest = lo.checked_abs()?.max(hi.checked_abs()?);
            Some((if lo <= 0 && 0 <= hi { 0 } else { lo.abs().min(hi.abs()) }, greatest))
        }
        Expr::Unary(UnaryOp::ToInt, a) => match exprs.ty(a) {
            Type::Bool => Some((0, 1)),
            _ => parts[0],
        },
        _ => None,
    }
}

fn join(a: (i64, i64), b: (i64, i64)) -> Interval {
    Some((a.0.min(b.0), a.1.max(b.1)))
}

fn arithmetic(op: BinaryOp, (a, b): (i64, i64), (c, d): (i64, i64)) -> Interval {
    let of = |values: [Option<i64>; 4]| {
        let values: Option<Vec<i64>> = values.into_iter().collect();
        let values = values?;
        Some((*values.iter().min()?, *values.iter().max()?))
    };
    match op {
        BinaryOp::Add => Some((a.checked_add(c)?, b.checked_add(d)?)),
        BinaryOp::Sub => Some((a.checked_sub(d)?, b.checked_sub(c)?)),
        BinaryOp::Mul => {
            of([a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)])
        }
        // A quotient is no greater than what is divided, a remainder smaller than the divisor.
        BinaryOp::Div => {
            let greatest = a.checked_abs()?.max(b.checked_abs()?);
            Some((if a >= 0 && c >= 0 { 0 } else { -greatest }, greatest))
        }
        BinaryOp::Mod => {
            let most = c.checked_abs()?.max(d.checked_abs()?).checked_sub(1)?.max(0);
            Some((if a >= 0 { 0 } else { -most }, if b <= 0 { 0 } else { most }))
        }
        BinaryOp::Min => Some((a.min(c), b.min(d))),
        BinaryOp::Max => Some((a.max(c), b.max(d))),
        _ => None,
    }
}

/// The integer, of a number or a word.
pub(super) fn number(value: Value) -> Option<i128> {
    match value {
        Value::Int(i) => Some(i.into()),
        Value::Word(word) => Some(word.to_i128()),
        _ => None,
    }
}
