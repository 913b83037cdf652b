//! Translates expressions into formulas.
//!
//! Bounds become chains of single steps. `F [lo, hi] p` counts down the remaining time, and `O [lo,
//! hi] p` records how long ago `p` held, as a unary counter: few states, and chains with a common
//! prefix are shared.

use rustc_hash::FxHashMap;
use trapline_model::{BinaryOp, BoundedOp, Expr, ExprId, Exprs, Type, UnaryOp, Value};

use super::formula::{FALSE, Lit, Pool, TRUE};
use crate::Why;

/// Maximum number of steps that the bounds of a formula may span.
const MAX_STEPS: u64 = 4096;

/// Translates a formula of LTL.
///
/// # Errors
/// When there are other operators in it, or bounds that are too large.
pub fn translate(exprs: &Exprs, formula: ExprId, pool: &mut Pool) -> Result<Lit, Why> {
    let mut known: FxHashMap<ExprId, Lit> = FxHashMap::default();
    let mut n_steps = 0;
    for id in exprs.temporal_parts(formula) {
        let of = |operand: ExprId| known[&operand];
        let lit = match exprs.get(id) {
            _ if exprs.ty(id) != Type::Temporal => atom(exprs, id, pool),
            Expr::Unary(op, p) => unary(op, of(p), pool).ok_or_else(not_ltl)?,
            Expr::Binary(op, p, q) => binary(op, of(p), of(q), pool).ok_or_else(not_ltl)?,
            Expr::Bounded(op, p, lo, hi) => {
                let bounds = bounds([lo, hi].map(|bound| exprs.constant(bound)))?;
                n_steps = bounds.1.saturating_add(n_steps);
                if n_steps > MAX_STEPS {
                    let text = format!("bounds of temporal operators beyond {MAX_STEPS} steps");
                    return Err(Why::Unsupported(text));
                }
                bounded(op, of(p), bounds, pool).ok_or_else(not_ltl)?
            }
            _ => return Err(not_ltl()),
        };
        known.insert(id, lit);
    }
    Ok(known[&formula])
}

fn atom(exprs: &Exprs, id: ExprId, pool: &mut Pool) -> Lit {
    match exprs.as_const(id) {
        Some(Value::Bool(true)) => TRUE,
        Some(Value::Bool(false)) => FALSE,
        _ => pool.atom(id),
    }
}

fn unary(op: UnaryOp, p: Lit, pool: &mut Pool) -> Option<Lit> {
    Some(match op {
        UnaryOp::Not => !p,
        UnaryOp::X => pool.next(p),
        UnaryOp::F => pool.until(TRUE, p),
        UnaryOp::G => pool.globally(p),
        UnaryOp::Y => pool.before(p),
        UnaryOp::Z => !pool.before(!p),
        UnaryOp::O => pool.since(TRUE, p),
        UnaryOp::H => !pool.since(TRUE, !p),
        _ => return None,
    })
}

fn binary(op: BinaryOp, p: Lit, q: Lit, pool: &mut Pool) -> Option<Lit> {
    Some(match op {
        BinaryOp::And => pool.and(p, q),
        BinaryOp::Or => pool.or(p, q),
        BinaryOp::Implies => pool.or(!p, q),
        BinaryOp::Iff | BinaryOp::Xnor => pool.iff(p, q),
        BinaryOp::Xor => !pool.iff(p, q),
        BinaryOp::U => pool.until(p, q),
        BinaryOp::V => pool.release(p, q),
        BinaryOp::S => pool.since(p, q),
        BinaryOp::T => !pool.since(!p, !q),
        _ => return None,
    })
}

fn bounded(op: BoundedOp, p: Lit, (lo, hi): (u64, u64), pool: &mut Pool) -> Option<Lit> {
    match op {
        BoundedOp::F => Some(within(p, (lo, hi), pool)),
        BoundedOp::G => Some(!within(!p, (lo, hi), pool)),
        BoundedOp::O | BoundedOp::H => {
            let p = (0..lo).fold(p, |p, _| pool.before(p));
            Some((lo..hi).fold(p, |chain, _| {
                let before = pool.before(chain);
                if op == BoundedOp::O { pool.or(p, before) } else { pool.and(p, before) }
            }))
        }
        _ => None,
    }
}

/// `F [lo, hi] p`
fn within(p: Lit, (lo, hi): (u64, u64), pool: &mut Pool) -> Lit {
    let chain = (lo..hi).fold(p, |chain, _| {
        let later = pool.next(chain);
        pool.or(p, later)
    });
    (0..lo).fold(chain, |chain, _| pool.next(chain))
}

fn bounds(bounds: [Value; 2]) -> Result<(u64, u64), Why> {
    let [lo, hi] = bounds.map(|bound| bound.as_int().and_then(|i| u64::try_from(i).ok()));
    match (lo, hi) {
        (Some(lo), Some(hi)) if lo <= hi => Ok((lo, hi)),
        _ => Err(Why::Unsupported("empty or negative bounds of a temporal operator".into())),
    }
}

fn not_ltl() -> Why {
    Why::Unsupported("operators in an LTL formula that are not of LTL".into())
}
