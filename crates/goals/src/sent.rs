//! Goals that need one more step, so that all they read is sent.
//!
//! The value that an input has in a state goes with that state, or with the step that leaves it
//! ([`trapline_model::roles::timings`]). In the last state of a test nobody sends the latter. So a goal
//! about such a value needs the step as well, as it does if the input belongs to steps.

use trapline_model::dependency::support;
use trapline_model::{ExprId, Model, Role, Scope, Timing, VarId, VarKind, roles};

use crate::goal::GoalKind;

/// The variables of states that are sent with the step.
#[derive(Clone, Debug)]
pub struct SentWithStep(Vec<VarId>);

impl SentWithStep {
    /// Those of a model.
    pub fn new(model: &Model) -> SentWithStep {
        let vars = model.var_ids().zip(roles::timings(model));
        let is_meant = |kind: VarKind, role: Role, timing: Timing| {
            kind == VarKind::State && role == Role::Input && timing == Timing::Step
        };
        let vars = vars.filter(|((_, var), timing)| is_meant(var.kind, var.role, *timing));
        SentWithStep(vars.map(|((id, _), _)| id).collect())
    }

    /// Does an expression read any of them in the current state, and in the next?
    fn read_by(&self, model: &Model, expr: ExprId) -> (bool, bool) {
        if self.0.is_empty() {
            return (false, false);
        }
        let read = support(model, [expr]);
        let is_read = |list: &[VarId]| self.0.iter().any(|var| list.binary_search(var).is_ok());
        (is_read(&read.current), is_read(&read.next))
    }

    /// The scope in which all that an expression about a state reads is sent.
    pub fn scope(&self, model: &Model, scope: Scope, expr: ExprId) -> Scope {
        match scope {
            Scope::State if self.read_by(model, expr).0 => Scope::Step,
            _ => scope,
        }
    }

    /// The goal with the step that sends what it reads.
    pub fn complete(&self, model: &mut Model, kind: GoalKind) -> GoalKind {
        let reads_next = |expr: &ExprId| self.read_by(model, *expr).1;
        match kind {
            GoalKind::State(expr) if self.read_by(model, expr).0 => GoalKind::Step(expr),
            GoalKind::Step(expr) if reads_next(&expr) => {
                GoalKind::Steps(vec![expr, model.exprs.bool(true)])
            }
            GoalKind::Steps(mut steps) if steps.last().is_some_and(reads_next) => {
                steps.push(model.exprs.bool(true));
                GoalKind::Steps(steps)
            }
            _ => kind,
        }
    }
}
