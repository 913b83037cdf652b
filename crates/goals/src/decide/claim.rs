//! Never-claims: which of them a state or a step violates, and which a single path.

use trapline_engine::bundle::is_total;
use trapline_engine::claim::fairness;
use trapline_engine::sat::linear;
use trapline_model::{BinaryOp, Expr, ExprId, Model, PropertyKind, Reads, Type, UnaryOp, goal};

use crate::logic;

/// Formulas with deeper nesting are left to the engine.
const MAX_DEPTH: usize = 64;

/// The state or step that violates a claim, if that is all it speaks of. Claims about paths speak
/// of infinite and fair ones, so that every path must be.
pub fn as_target(model: &mut Model, kind: PropertyKind, expr: ExprId) -> Option<goal::Target> {
    let is_certain = || is_total(model) && fairness(model).next().is_none();
    if kind != PropertyKind::Invar && !is_certain() {
        return None;
    }
    let violated = violated(model, kind, expr)?;
    let is_step = model.exprs.info(violated).reads.any(Reads::STEP);
    Some(if is_step { goal::Target::Step(violated) } else { goal::Target::State(violated) })
}

/// What is true of a state or step of an infinite fair path exactly if it violates a claim that
/// speaks of nothing else.
pub fn violated(model: &mut Model, kind: PropertyKind, expr: ExprId) -> Option<ExprId> {
    use UnaryOp as Op;
    match kind {
        PropertyKind::Invar => Some(logic::not(&mut model.exprs, expr)),
        PropertyKind::Ctl | PropertyKind::Ltl => match model.exprs.get(expr) {
            Expr::Unary(Op::Ag | Op::G, body) => violation(model, body, MAX_DEPTH),
            _ => None,
        },
        PropertyKind::Psl | PropertyKind::Compute => None,
    }
}

/// When a formula of one step is violated: some step from here makes this true.
fn violation(model: &mut Model, formula: ExprId, depth: usize) -> Option<ExprId> {
    let depth = depth.checked_sub(1)?;
    if model.exprs.ty(formula) == Type::Bool {
        return Some(logic::not(&mut model.exprs, formula));
    }
    let is_plain = |model: &Model, expr: ExprId| {
        model.exprs.ty(expr) == Type::Bool && !model.exprs.info(expr).reads.any(Reads::NEXT)
    };
    match model.exprs.get(formula) {
        Expr::Unary(UnaryOp::Ax | UnaryOp::X, inner)
            if is_plain(model, inner) && !model.exprs.info(inner).reads.any(Reads::INPUT) =>
        {
            let next = model.exprs.prime(inner);
            Some(logic::not(&mut model.exprs, next))
        }
        // Some step violates one of them.
        Expr::Binary(BinaryOp::And, a, b) => {
            let (a, b) = (violation(model, a, depth)?, violation(model, b, depth)?);
            Some(logic::or(&mut model.exprs, a, b))
        }
        // Some step violates both; that is one step if one of them is about the state alone.
        Expr::Binary(BinaryOp::Or, a, b) if is_plain(model, a) || is_plain(model, b) => {
            let (a, b) = (violation(model, a, depth)?, violation(model, b, depth)?);
            Some(logic::and(&mut model.exprs, a, b))
        }
        Expr::Binary(BinaryOp::Implies, a, b) if is_plain(model, a) => {
            let b = violation(model, b, depth)?;
            Some(logic::and(&mut model.exprs, a, b))
        }
        _ => None,
    }
}

/// Can a single path show that a claim is violated?
pub fn has_path(model: &mut Model, kind: PropertyKind, expr: ExprId) -> bool {
    match kind {
        PropertyKind::Ltl | PropertyKind::Invar => true,
        PropertyKind::Ctl => {
            model.exprs.ty(expr) == Type::Bool || linear::same_in_ltl(model, expr).is_some()
        }
        PropertyKind::Psl => true,
        PropertyKind::Compute => false,
    }
}
