//! Replay: does the model allow this trace?
//!
//! Uses the trace alone, whatever found it, and checks every state and step against every
//! assignment and constraint of the model.

mod moves;

use std::ops::Range;

use trapline_source::Span;

use crate::eval::{Cell, Plan};
use crate::expr::{ExprId, Failure, VarId};
use crate::model::{AssignKind, ConstraintKind, Model, VarKind};
use crate::trace::Trace;
use crate::transform::Own;

/// Why the model does not allow a trace.
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
        /// The span of the assignment or constraint.
        span: Span,
    },
}

/// A piece with fewer states is not worth a thread.
const MIN_PIECE: usize = 4_096;

/// What must hold of initial states, of all states, and of steps.
struct Rules {
    plan: Plan,
    rules: Vec<Rule>,
    spans: Vec<Span>,
}

/// A model prepared for replaying many traces.
pub struct Replayer<'m> {
    model: &'m Model,
    own: Own,
    init: Rules,
    state: Rules,
    step: Rules,
    /// The variables of steps that may be left open.
    selectors: Vec<VarId>,
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
        Replayer::of_part(model, Own::all(model))
    }

    /// Checks only the model's own part of an extension.
    pub(crate) fn of_part(model: &'m Model, own: Own) -> Replayer<'m> {
        let rules = |assign_kind: AssignKind, constraint_kind: ConstraintKind| {
            let assigns = model.assigns[..own.assigns].iter().enumerate();
            let assigns = assigns.filter(|(_, a)| a.kind == assign_kind);
            let constraints = model.constraints[..own.constraints].iter().enumerate();
            let constraints = constraints.filter(|(_, c)| c.kind == constraint_kind);
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
            own,
            init: rules(AssignKind::Init, ConstraintKind::Init),
            state: rules(AssignKind::Current, ConstraintKind::Invar),
            step: rules(AssignKind::Next, ConstraintKind::Trans),
            selectors: moves::open_selectors(model, own.vars),
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

    /// Replays traces, with a thread for each processor.
    ///
    /// # Errors
    /// The first trace that the model does not allow, by its index, and why.
    pub fn replay_all(&self, traces: &[&Trace]) -> Result<(), (usize, Violation)> {
        self.walk_all(traces, Some(&self.init))
    }

    /// The same for traces that may start in any state that the invariants allow.
    ///
    /// # Errors
    /// The first trace that the model does not allow, by its index, and why.
    pub fn replay_all_from(&self, traces: &[&Trace]) -> Result<(), (usize, Violation)> {
        self.walk_all(traces, None)
    }

    fn walk_all(&self, traces: &[&Trace], init: Option<&Rules>) -> Result<(), (usize, Violation)> {
        if let [trace] = traces {
            return self.walk(trace, init).map_err(|violation| (0, violation));
        }
        let ends = ends(traces);
        let n_states = ends.last().copied().unwrap_or(0);
        let n_pieces = n_pieces(n_states);
        let before = |piece: usize| {
            let most = n_states * piece / n_pieces;
            if piece == n_pieces { traces.len() } else { ends.partition_point(|&end| end <= most) }
        };
        in_pieces(n_pieces, |piece| {
            let mut own = before(piece)..before(piece + 1);
            own.try_for_each(|idx| {
                self.walk_alone(traces[idx], init).map_err(|violation| (idx, violation))
            })
        })
    }

    fn walk(&self, trace: &Trace, init: Option<&Rules>) -> Result<(), Violation> {
        let n_states = trace.states.len();
        match n_pieces(n_states) {
            1 => self.walk_alone(trace, init),
            n_pieces => {
                check_shape(trace)?;
                in_pieces(n_pieces, |piece| {
                    let own = n_states * piece / n_pieces..n_states * (piece + 1) / n_pieces;
                    self.walk_piece(trace, own, init)
                })
            }
        }
    }

    fn walk_alone(&self, trace: &Trace, init: Option<&Rules>) -> Result<(), Violation> {
        check_shape(trace)?;
        self.walk_piece(trace, 0..trace.states.len(), init)
    }

    /// Checks some states, and the steps that lead to them.
    fn walk_piece(
        &self,
        trace: &Trace,
        own: Range<usize>,
        init: Option<&Rules>,
    ) -> Result<(), Violation> {
        let n_states = trace.states.len();
        let has_end = own.end == n_states;
        let mut cells = Vec::new();
        for idx in own {
            // Only values that are present can be wrong in other ways.
            self.check_values(trace, idx)?;
            match (idx.checked_sub(1), init) {
                (Some(before), _) => self.check_step(trace, before, idx, &mut cells)?,
                (None, Some(init)) => self.check(init, trace, 0, None, &mut cells)?,
                (None, None) => {}
            }
            self.check(&self.state, trace, idx, None, &mut cells)?;
        }
        match trace.loop_start.filter(|_| has_end) {
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
        if !self.open(trace, idx).is_empty() {
            return self.check_open_step(trace, idx, after, cells);
        }
        self.check(&self.step, trace, idx, Some(after), cells)
    }

    fn check_values(&self, trace: &Trace, idx: usize) -> Result<(), Violation> {
        let has_step = successor(trace, idx).is_some();
        for (var, declared) in self.model.var_ids().take(self.own.vars) {
            let rule = match trace.states[idx].get(var) {
                Some(value) if !declared.domain.contains(value) => Rule::Domain(var),
                None if self.selectors.contains(&var) => continue,
                None if declared.kind != VarKind::Input || has_step => Rule::Missing(var),
                _ => continue,
            };
            return Err(Violation { state: idx, rule });
        }
        Ok(())
    }

    fn check_frozen(&self, trace: &Trace, idx: usize, after: usize) -> Result<(), Violation> {
        let changed = self.model.var_ids().take(self.own.vars).find(|(var, declared)| {
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

fn check_shape(trace: &Trace) -> Result<(), Violation> {
    let n_states = trace.states.len();
    match n_states == 0 || trace.loop_start.is_some_and(|start| start >= n_states) {
        true => Err(Violation { state: 0, rule: Rule::Shape }),
        false => Ok(()),
    }
}

/// How many states there are up to the end of each trace.
fn ends(traces: &[&Trace]) -> Vec<usize> {
    let mut n_states = 0;
    let end = |trace: &&Trace| {
        n_states += trace.states.len();
        n_states
    };
    traces.iter().map(end).collect()
}

/// The number of threads worthwhile for this many states.
fn n_pieces(n_states: usize) -> usize {
    match n_states / MIN_PIECE {
        0 | 1 => 1,
        most => std::thread::available_parallelism().map_or(1, usize::from).min(most),
    }
}

/// Checks pieces in parallel; the first violation counts.
fn in_pieces<E: Send>(
    n_pieces: usize,
    look: impl Fn(usize) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let look = &look;
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..n_pieces).map(|piece| scope.spawn(move || look(piece))).collect();
        let first = look(0);
        let others = others
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(first).chain(others).collect()
    })
}

fn successor(trace: &Trace, idx: usize) -> Option<usize> {
    if idx + 1 < trace.states.len() { Some(idx + 1) } else { trace.loop_start }
}
