//! Replay: does the model allow this trace?
//!
//! Looks at the trace alone, whoever found it, and checks every state and step against every
//! assignment and constraint of the model.

use trapline_source::Span;

use crate::eval::{Cell, Plan};
use crate::expr::{ExprId, Failure, VarId};
use crate::model::{AssignKind, ConstraintKind, Model, VarKind};
use crate::trace::Trace;

/// Why a trace is none of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The state where it shows; for a step, the state after it.
    pub state: usize,
    /// What is violated.
    pub rule: Rule,
}

/// What a trace can violate.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// The trace has no states, or its loop starts beyond its end.
    Shape,
    /// The variable has no value.
    Missing(VarId),
    /// The variable has a value outside its domain.
    Domain(VarId),
    /// The frozen variable changed.
    Frozen(VarId),
    /// The assignment with this index does not give this value.
    Assign(usize),
    /// The constraint with this index is false.
    Constraint(usize),
    /// The assignment or constraint has no value here.
    Failure {
        /// Why.
        failure: Failure,
        /// The place of the assignment or constraint.
        span: Span,
    },
}

/// What must hold of initial states, of all states, and of steps.
struct Rules {
    plan: Plan,
    rules: Vec<Rule>,
    spans: Vec<Span>,
}

/// A model prepared for replaying many traces.
pub struct Replayer<'m> {
    model: &'m Model,
    init: Rules,
    state: Rules,
    step: Rules,
}

/// Replays one trace.
///
/// # Errors
/// The first state or step that the model does not allow.
pub fn replay(model: &Model, trace: &Trace) -> Result<(), Violation> {
    Replayer::new(model).replay(trace)
}

impl<'m> Replayer<'m> {
    /// Prepares a model.
    pub fn new(model: &'m Model) -> Replayer<'m> {
        let rules = |assign_kind: AssignKind, constraint_kind: ConstraintKind| {
            let assigns = model.assigns.iter().enumerate().filter(|(_, a)| a.kind == assign_kind);
            let constraints =
                model.constraints.iter().enumerate().filter(|(_, c)| c.kind == constraint_kind);
            let all: Vec<(ExprId, Rule, Span)> = assigns
                .map(|(idx, a)| (a.expr, Rule::Assign(idx), a.parts[0].body.span))
                .chain(
                    constraints.map(|(idx, c)| (c.body.expr, Rule::Constraint(idx), c.body.span)),
                )
                .collect();
            let exprs: Vec<ExprId> = all.iter().map(|(expr, ..)| *expr).collect();
            Rules {
                plan: Plan::new(model, &exprs),
                spans: all.iter().map(|(.., span)| *span).collect(),
                rules: all.into_iter().map(|(_, rule, _)| rule).collect(),
            }
        };
        Replayer {
            model,
            init: rules(AssignKind::Init, ConstraintKind::Init),
            state: rules(AssignKind::Current, ConstraintKind::Invar),
            step: rules(AssignKind::Next, ConstraintKind::Trans),
        }
    }

    /// Replays one trace.
    ///
    /// # Errors
    /// The first state or step that the model does not allow.
    pub fn replay(&self, trace: &Trace) -> Result<(), Violation> {
        self.walk(trace, Some(&self.init))
    }

    /// Replays one trace that may start in any state that the invariants allow.
    ///
    /// # Errors
    /// The first state or step that the model does not allow.
    pub fn replay_from(&self, trace: &Trace) -> Result<(), Violation> {
        self.walk(trace, None)
    }

    fn walk(&self, trace: &Trace, init: Option<&Rules>) -> Result<(), Violation> {
        let n_states = trace.states.len();
        if n_states == 0 || trace.loop_start.is_some_and(|start| start >= n_states) {
            return Err(Violation { state: 0, rule: Rule::Shape });
        }
        let mut cells = Vec::new();
        for idx in 0..n_states {
            // Only values that are there can be wrong in other ways.
            self.check_values(trace, idx)?;
            match (idx.checked_sub(1), init) {
                (Some(before), _) => self.check_step(trace, before, idx, &mut cells)?,
                (None, Some(init)) => self.check(init, trace, 0, None, &mut cells)?,
                (None, None) => {}
            }
            self.check(&self.state, trace, idx, None, &mut cells)?;
        }
        match trace.loop_start {
            Some(start) => self.check_step(trace, n_states - 1, start, &mut cells),
            None => Ok(()),
        }
    }

    fn check_step(
        &self,
        trace: &Trace,
        idx: usize,
        after: usize,
        cells: &mut Vec<Cell>,
    ) -> Result<(), Violation> {
        self.check_frozen(trace, idx, after)?;
        self.check(&self.step, trace, idx, Some(after), cells)
    }

    fn check_values(&self, trace: &Trace, idx: usize) -> Result<(), Violation> {
        let has_step = successor(trace, idx).is_some();
        for (var, declared) in self.model.var_ids() {
            let rule = match trace.states[idx].get(var) {
                Some(value) if !declared.domain.contains(value) => Rule::Domain(var),
                None if declared.kind != VarKind::Input || has_step => Rule::Missing(var),
                _ => continue,
            };
            return Err(Violation { state: idx, rule });
        }
        Ok(())
    }

    fn check_frozen(&self, trace: &Trace, idx: usize, after: usize) -> Result<(), Violation> {
        let changed = self.model.var_ids().find(|(var, declared)| {
            declared.kind == VarKind::Frozen
                && trace.states[idx].get(*var) != trace.states[after].get(*var)
        });
        match changed {
            Some((var, _)) => Err(Violation { state: after, rule: Rule::Frozen(var) }),
            None => Ok(()),
        }
    }

    fn check(
        &self,
        rules: &Rules,
        trace: &Trace,
        idx: usize,
        after: Option<usize>,
        cells: &mut Vec<Cell>,
    ) -> Result<(), Violation> {
        let next = after.map_or(&[][..], |after| &trace.states[after].values);
        rules.plan.run(&trace.states[idx].values, next, cells);
        let target_state = after.unwrap_or(idx);
        for (root_idx, rule) in rules.rules.iter().enumerate() {
            let cell = rules.plan.root(root_idx, cells);
            let holds = match (rule, cell) {
                (_, Cell::Fail(failure)) => {
                    let span = rules.spans[root_idx];
                    let rule = Rule::Failure { failure: *failure, span };
                    return Err(Violation { state: target_state, rule });
                }
                (Rule::Assign(assign_idx), cell) => {
                    let var = self.model.assigns[*assign_idx].var;
                    let value = trace.states[target_state].get(var);
                    match cell.members().zip(value) {
                        Some((members, value)) => members.contains(value),
                        None => false,
                    }
                }
                (_, cell) => cell.as_bool() == Some(true),
            };
            if !holds {
                return Err(Violation { state: target_state, rule: rule.clone() });
            }
        }
        Ok(())
    }
}

fn successor(trace: &Trace, idx: usize) -> Option<usize> {
    if idx + 1 < trace.states.len() { Some(idx + 1) } else { trace.loop_start }
}
