//! The common fragment of CTL and LTL: universal path quantifiers, and in a combination at most one
//! temporal operand (Maidl, *The common fragment of CTL and LTL*).

use trapline_model::{BinaryOp, Expr, ExprId, Model, Type, UnaryOp};

use crate::cluster::is_total;

/// Maximum nesting depth.
const MAX_DEPTH: usize = 100;

/// The equivalent LTL formula, if every path is infinite.
pub fn linear(model: &mut Model, formula: ExprId) -> Option<ExprId> {
    if !is_total(model) || !model.compassion.is_empty() {
        return None;
    }
    same_in_ltl(model, formula)
}

/// The LTL formula that is equivalent on infinite paths, whether or not all paths are infinite.
pub fn same_in_ltl(model: &mut Model, formula: ExprId) -> Option<ExprId> {
    says(model, formula, true, MAX_DEPTH)
}

/// The LTL formula for a formula, or its negation, on all paths.
fn says(model: &mut Model, formula: ExprId, wanted: bool, depth: usize) -> Option<ExprId> {
    use UnaryOp as Op;
    let depth = depth.checked_sub(1)?;
    let is_plain = |model: &Model, expr: ExprId| model.exprs.ty(expr) == Type::Bool;
    if is_plain(model, formula) {
        return Some(if wanted { formula } else { model.exprs.not(formula) });
    }
    let (op, inner) = match model.exprs.get(formula) {
        Expr::Unary(op, inner) => (op, inner),
        Expr::Binary(op, a, b) => return both(model, (op, a, b), wanted, depth),
        _ => return None,
    };
    let op = match (op, wanted) {
        (Op::Not, _) => return says(model, inner, !wanted, depth),
        (Op::Ag, true) | (Op::Ef, false) => Op::G,
        (Op::Ax, true) | (Op::Ex, false) => Op::X,
        (Op::Af, true) | (Op::Eg, false) if is_plain(model, inner) => Op::F,
        _ => return None,
    };
    let inner = says(model, inner, wanted, depth)?;
    Some(model.exprs.unary(op, inner))
}

fn both(
    model: &mut Model,
    (op, a, b): (BinaryOp, ExprId, ExprId),
    wanted: bool,
    depth: usize,
) -> Option<ExprId> {
    let is_plain = [a, b].map(|expr| model.exprs.ty(expr) == Type::Bool);
    let one_is_plain = is_plain[0] || is_plain[1];
    let op = match (op, wanted) {
        (BinaryOp::Au, true) | (BinaryOp::Eu, false) if is_plain == [true, true] => {
            let until = model.exprs.binary(BinaryOp::U, a, b);
            return Some(match wanted {
                true => until,
                false => model.exprs.unary(UnaryOp::Not, until),
            });
        }
        (BinaryOp::And, true) => BinaryOp::And,
        (BinaryOp::Or, false) => BinaryOp::And,
        (BinaryOp::Or, true) if one_is_plain => BinaryOp::Or,
        (BinaryOp::And, false) if one_is_plain => BinaryOp::Or,
        (BinaryOp::Implies, true) if one_is_plain => {
            let (a, b) = (says(model, a, false, depth)?, says(model, b, true, depth)?);
            return Some(model.exprs.binary(BinaryOp::Or, a, b));
        }
        (BinaryOp::Implies, false) => {
            let (a, b) = (says(model, a, true, depth)?, says(model, b, false, depth)?);
            return Some(model.exprs.binary(BinaryOp::And, a, b));
        }
        _ => return None,
    };
    let (a, b) = (says(model, a, wanted, depth)?, says(model, b, wanted, depth)?);
    Some(model.exprs.binary(op, a, b))
}
