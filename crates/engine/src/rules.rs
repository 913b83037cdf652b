//! What must hold of initial states and of steps.

use trapline_model::{AssignKind, ConstraintKind, ExprId, Model, VarId};
use trapline_source::Span;

/// What must hold of an initial state or a step. The state that is looked for is always the next
/// one, so that both are written alike.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The variable whose value is in the set; of a constraint, none.
    pub target: Option<VarId>,
    /// The value or the set of values, or the constraint.
    pub expr: ExprId,
    /// Is the expression about the next state?
    pub primed: bool,
    /// Where it stands.
    pub span: Span,
}

/// The rules of initial states, as far as they are about variables that are kept.
pub fn initial(model: &Model, is_kept: impl Fn(VarId) -> bool) -> Vec<Rule> {
    rules(model, is_kept, AssignKind::Init, ConstraintKind::Init)
}

/// The same of steps. That frozen variables stay is not said.
pub fn steps(model: &Model, is_kept: impl Fn(VarId) -> bool) -> Vec<Rule> {
    rules(model, is_kept, AssignKind::Next, ConstraintKind::Trans)
}

fn rules(
    model: &Model,
    is_kept: impl Fn(VarId) -> bool,
    assign_kind: AssignKind,
    constraint_kind: ConstraintKind,
) -> Vec<Rule> {
    let mut rules = Vec::new();
    for assign in model.assigns.iter().filter(|assign| is_kept(assign.var)) {
        let is_current = assign.kind == AssignKind::Current;
        if is_current || assign.kind == assign_kind {
            rules.push(Rule {
                target: Some(assign.var),
                expr: assign.expr,
                primed: is_current || assign_kind == AssignKind::Init,
                span: assign.parts.first().map_or(Span::default(), |part| part.body.span),
            });
        }
    }
    for constraint in &model.constraints {
        let is_invariant = constraint.kind == ConstraintKind::Invar;
        if is_invariant || constraint.kind == constraint_kind {
            rules.push(Rule {
                target: None,
                expr: constraint.body.expr,
                primed: is_invariant || constraint_kind == ConstraintKind::Init,
                span: constraint.body.span,
            });
        }
    }
    rules
}
