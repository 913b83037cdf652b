//! Properties that are to be decided, whatever the engine.

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
    /// By computation trees.
    Ctl,
    /// By paths.
    Ltl,
    /// By distances.
    Compute,
}

/// A property that is to be decided.
#[derive(Clone, Copy, Debug)]
pub struct Obligation {
    /// Its place in the answer.
    pub idx: usize,
    /// How it is decided.
    pub logic: Logic,
    /// What it says.
    pub formula: Formula,
}

/// Everything that a formula consists of.
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

/// Does an expression read an input, or something of the next state that may have changed?
pub fn is_about_steps(model: &Model, expr: ExprId) -> bool {
    let reads = model.exprs.info(expr).reads;
    let changes = |var: &VarId| model.var(*var).kind != VarKind::Frozen;
    reads.any(Reads::INPUT)
        || reads.any(Reads::NEXT) && dependency::support(model, [expr]).next.iter().any(changes)
}

/// Has a formula an operator of CTL?
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

/// All expressions of fairness.
pub fn fairness(model: &Model) -> impl Iterator<Item = ExprId> + '_ {
    let compassion = model.compassion.iter().flat_map(|(p, q)| [p.expr, q.expr]);
    model.justice.iter().map(|clause| clause.expr).chain(compassion)
}

/// Does a formula, or fairness, read inputs?
pub fn reads_inputs(model: &Model, formula: Formula) -> bool {
    let read = roots(formula).into_iter().chain(fairness(model));
    read.into_iter().any(|expr| model.exprs.info(expr).reads.any(Reads::INPUT))
}

impl Obligation {
    /// Is it decided by looking at states or steps one by one?
    pub fn is_invariant(&self) -> bool {
        matches!(self.logic, Logic::Start | Logic::StateInvariant | Logic::StepInvariant)
    }

    /// The target that shows that it holds somewhere.
    pub fn target(&self) -> Target {
        let expr = roots(self.formula)[0];
        match self.logic {
            Logic::Start | Logic::StateInvariant => Target::State(expr),
            _ => Target::Step(expr),
        }
    }
}

/// Adds a finding, unless another search has had one of its kind.
pub fn note(checked: &mut Checked, finding: Finding) {
    let kind = std::mem::discriminant(&finding);
    if !checked.findings.iter().any(|known| std::mem::discriminant(known) == kind) {
        checked.findings.push(finding);
    }
}

/// What two searches took.
pub fn sum(a: Stats, b: Stats) -> Stats {
    Stats {
        n_states: a.n_states.saturating_add(b.n_states),
        n_steps: a.n_steps + b.n_steps,
        depth: a.depth.max(b.depth),
    }
}
