//! Never-claims: which of them a state or a step violates, and which a single path.

use trapline_engine::cluster::is_total;
use trapline_engine::obligation::fairness;
use trapline_engine::sat::linear;
use trapline_engine::{Budget, Finding, Outcome, Proof, bdd, explicit};
use trapline_model::{
    BinaryOp, Expr, ExprId, Model, PropertyKind, Reads, Type, UnaryOp, VarKind, goal,
};

use crate::traps::{Trap, with_traps};

/// Formulas with deeper nesting are left to the engine.
const MAX_DEPTH: usize = 64;

/// What is known of the paths of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paths {
    /// Every path can be extended to an infinite fair one.
    GoOn,
    /// Some may end, or be unfair.
    MayEnd,
}

/// What is known of the paths of a model without a search.
pub fn paths(model: &Model) -> Paths {
    match is_total(model) && fairness(model).next().is_none() {
        true => Paths::GoOn,
        false => Paths::MayEnd,
    }
}

/// Work limit of the deadlock search.
const MAX_WORK: u64 = 20_000_000;

/// What is known of the paths of a model after a deadlock search.
pub fn paths_by_search(model: &Model, budget: &Budget<'_>) -> Paths {
    if paths(model) == Paths::GoOn || fairness(model).next().is_some() {
        return paths(model);
    }
    let mut model = model.clone();
    let Some(no_claim) = no_claim(&mut model) else { return Paths::MayEnd };
    let model = with_traps(model, [Trap { kind: PropertyKind::Ctl, expr: no_claim }].into_iter());
    for engine in [explicit::ENGINE, bdd::ENGINE] {
        let part = budget.part(Some(MAX_WORK));
        let checked = (engine.check)(&model, &[0], &part);
        if let Outcome::True(Proof::AllStates { .. }) = checked.outcomes[0] {
            let is_end = |finding: &Finding| matches!(finding, Finding::DeadEnd { .. });
            let may_end = checked.findings.iter().any(is_end);
            return if may_end { Paths::MayEnd } else { Paths::GoOn };
        }
    }
    Paths::MayEnd
}

/// A property that holds in all states, so that all of them are visited.
fn no_claim(model: &mut Model) -> Option<ExprId> {
    let (var, _) = model.var_ids().find(|(_, var)| var.kind == VarKind::State)?;
    let read = model.var_expr(var);
    let same = model.exprs.eq(read, read);
    Some(model.exprs.unary(UnaryOp::Ag, same))
}

/// The state or step that violates a claim, if it is about nothing else. Temporal properties are
/// interpreted over infinite fair paths, so every path must be one.
pub fn as_target(
    model: &mut Model,
    paths: Paths,
    kind: PropertyKind,
    expr: ExprId,
) -> Option<goal::Target> {
    if kind != PropertyKind::Invar && paths == Paths::MayEnd {
        return None;
    }
    let shows = match (kind, model.exprs.get(expr)) {
        (PropertyKind::Ctl | PropertyKind::Ltl, Expr::Unary(_, body)) => {
            shown_by(model, body, MAX_DEPTH)?
        }
        _ => shown_by(model, expr, MAX_DEPTH)?,
    };
    let violated = violated(model, kind, expr)?;
    Some(match shows {
        Shows::Step => goal::Target::Step(violated),
        Shows::State => goal::Target::State(violated),
    })
}

/// What demonstrates a violation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    State,
    Step,
}

/// What demonstrates the violation of a one-step formula, if it is always the same.
fn shown_by(model: &Model, formula: ExprId, depth: usize) -> Option<Shows> {
    let depth = depth.checked_sub(1)?;
    if model.exprs.ty(formula) == Type::Bool {
        let is_step = model.exprs.info(formula).reads.any(Reads::STEP);
        return Some(if is_step { Shows::Step } else { Shows::State });
    }
    match model.exprs.get(formula) {
        Expr::Unary(UnaryOp::Ax | UnaryOp::X, _) => Some(Shows::Step),
        Expr::Binary(op, a, b) => {
            let (a, b) = (shown_by(model, a, depth)?, shown_by(model, b, depth)?);
            match op {
                // One of them suffices, and a test may end with it.
                BinaryOp::And => (a == b).then_some(a),
                _ if a == Shows::Step => Some(a),
                _ => Some(b),
            }
        }
        _ => None,
    }
}

/// The predicate that a state or step of an infinite fair path satisfies iff it violates a claim
/// that is about nothing else.
pub fn violated(model: &mut Model, kind: PropertyKind, expr: ExprId) -> Option<ExprId> {
    use UnaryOp as Op;
    match kind {
        PropertyKind::Invar => Some(model.exprs.not(expr)),
        PropertyKind::Ctl | PropertyKind::Ltl => match model.exprs.get(expr) {
            Expr::Unary(Op::Ag | Op::G, body) => violation(model, body, MAX_DEPTH),
            _ => None,
        },
        PropertyKind::Psl | PropertyKind::Compute => None,
    }
}

/// The violation condition of a one-step formula: some step from here satisfies it.
fn violation(model: &mut Model, formula: ExprId, depth: usize) -> Option<ExprId> {
    let depth = depth.checked_sub(1)?;
    if model.exprs.ty(formula) == Type::Bool {
        return Some(model.exprs.not(formula));
    }
    let is_plain = |model: &Model, expr: ExprId| {
        model.exprs.ty(expr) == Type::Bool && !model.exprs.info(expr).reads.any(Reads::NEXT)
    };
    match model.exprs.get(formula) {
        Expr::Unary(UnaryOp::Ax | UnaryOp::X, inner)
            if is_plain(model, inner) && !model.exprs.info(inner).reads.any(Reads::INPUT) =>
        {
            let next = model.exprs.prime(inner);
            Some(model.exprs.not(next))
        }
        // Some step violates one of them.
        Expr::Binary(BinaryOp::And, a, b) => {
            let (a, b) = (violation(model, a, depth)?, violation(model, b, depth)?);
            Some(model.exprs.or(a, b))
        }
        // Some step violates both; that is one step if one of them is a state formula.
        Expr::Binary(BinaryOp::Or, a, b) if is_plain(model, a) || is_plain(model, b) => {
            let (a, b) = (violation(model, a, depth)?, violation(model, b, depth)?);
            Some(model.exprs.and(a, b))
        }
        Expr::Binary(BinaryOp::Implies, a, b) if is_plain(model, a) => {
            let b = violation(model, b, depth)?;
            Some(model.exprs.and(a, b))
        }
        _ => None,
    }
}

/// True if a single path can show the violation of a claim.
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
