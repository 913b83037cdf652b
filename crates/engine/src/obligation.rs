//! Proof obligations: properties to be decided, independent of the engine.

use trapline_model::goal::Target;
use trapline_model::{
    BinaryOp, BoundedOp, Expr, ExprId, Formula, Model, PropertyKind, Reads, Type, UnaryOp, VarId,
    VarKind, dependency,
};

use crate::answer::{Checked, Finding, Stats};

/// How a property is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// In every initial state.
    Start,
    /// In every state.
    StateInvariant,
    /// In every step.
    StepInvariant,
    /// On computation trees.
    Ctl,
    /// On paths.
    Ltl,
    /// As a distance.
    Compute,
}

/// A property to be decided.
#[derive(Clone, Copy, Debug)]
pub struct Obligation {
    /// Its index in the answer.
    pub idx: usize,
    /// How it is decided.
    pub logic: Logic,
    /// Its formula.
    pub formula: Formula,
}

/// The root expressions of a formula.
pub fn roots(formula: Formula) -> Vec<ExprId> {
    match formula {
        Formula::Holds(clause) => vec![clause.expr],
        Formula::Min(from, to) | Formula::Max(from, to) => vec![from.expr, to.expr],
        Formula::Unsupported(_) => Vec::new(),
    }
}

/// How a property is decided.
pub fn logic(model: &Model, kind: PropertyKind, formula: Formula) -> Logic {
    match kind {
        PropertyKind::Invar if roots(formula).iter().any(|&e| is_about_steps(model, e)) => {
            Logic::StepInvariant
        }
        PropertyKind::Invar => Logic::StateInvariant,
        PropertyKind::Ctl => Logic::Ctl,
        PropertyKind::Compute => Logic::Compute,
        PropertyKind::Psl if is_branching(model, formula) => Logic::Ctl,
        PropertyKind::Ltl | PropertyKind::Psl => Logic::Ltl,
    }
}

/// True if an expression reads an input or a next value that may differ from the current one.
pub fn is_about_steps(model: &Model, expr: ExprId) -> bool {
    let reads = model.exprs.info(expr).reads;
    let changes = |var: &VarId| model.var(*var).kind != VarKind::Frozen;
    reads.any(Reads::INPUT)
        || reads.any(Reads::NEXT) && dependency::support(model, [expr]).next.iter().any(changes)
}

/// True if a formula has a CTL operator.
fn is_branching(model: &Model, formula: Formula) -> bool {
    use UnaryOp as Op;
    let is_ctl = |id: ExprId| match model.exprs.get(id) {
        Expr::Unary(op, _) => {
            matches!(op, Op::Ex | Op::Ax | Op::Ef | Op::Af | Op::Eg | Op::Ag)
        }
        Expr::Binary(op, ..) => matches!(op, BinaryOp::Eu | BinaryOp::Au),
        Expr::Bounded(op, ..) => {
            matches!(op, BoundedOp::Ebf | BoundedOp::Abf | BoundedOp::Ebg | BoundedOp::Abg)
        }
        Expr::BoundedUntil(..) => true,
        _ => false,
    };
    let parts = model.exprs.reachable(roots(formula));
    parts.into_iter().filter(|&id| model.exprs.ty(id) == Type::Temporal).any(is_ctl)
}

/// All expressions of fairness constraints.
pub fn fairness(model: &Model) -> impl Iterator<Item = ExprId> + '_ {
    let compassion = model.compassion.iter().flat_map(|(p, q)| [p.expr, q.expr]);
    model.justice.iter().map(|clause| clause.expr).chain(compassion)
}

/// True if a formula or a fairness constraint reads inputs.
pub fn reads_inputs(model: &Model, formula: Formula) -> bool {
    let read = roots(formula).into_iter().chain(fairness(model));
    read.into_iter().any(|expr| model.exprs.info(expr).reads.any(Reads::INPUT))
}

impl Obligation {
    /// True if it is decided on single states or steps.
    pub fn is_invariant(&self) -> bool {
        matches!(self.logic, Logic::Start | Logic::StateInvariant | Logic::StepInvariant)
    }

    /// The target that is met where it holds.
    pub fn target(&self) -> Target {
        let expr = roots(self.formula)[0];
        match self.logic {
            Logic::Start | Logic::StateInvariant => Target::State(expr),
            _ => Target::Step(expr),
        }
    }
}

/// Adds a finding, unless one of its kind is already recorded.
pub fn note(checked: &mut Checked, finding: Finding) {
    let kind = std::mem::discriminant(&finding);
    if !checked.findings.iter().any(|known| std::mem::discriminant(known) == kind) {
        checked.findings.push(finding);
    }
}

/// The sum of the statistics of two searches.
pub fn sum(a: Stats, b: Stats) -> Stats {
    Stats {
        n_states: a.n_states.saturating_add(b.n_states),
        n_steps: a.n_steps + b.n_steps,
        depth: a.depth.max(b.depth),
    }
}
