//! Monitor variables: their values along a trace of the model.
//!
//! Goals about sequences and properties read variables that criteria have added to the model.
//! Monitors are deterministic, so that their values follow from the trace.

mod split;

use trapline_model::columns::LANES;
use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Plan, Valuation};
use trapline_model::trace::{State, Trace};
use trapline_model::transform::Extension;
use trapline_model::{AssignKind, ExprId, Model, VarId};

use split::Split;

/// The monitors of a model, compiled.
pub struct Monitors {
    n_vars: usize,
    n_own: usize,
    first: Vec<Round>,
    next: Vec<Round>,
    /// The same with the model-only conditions factored out.
    split: Split,
}

/// Monitors that do not read each other's current values.
struct Round {
    vars: Vec<VarId>,
    plan: Plan,
}

impl Monitors {
    /// The monitors of an extended model.
    pub fn new(model: &Extension) -> Monitors {
        let rules = |kind: AssignKind| -> Vec<(VarId, ExprId)> {
            let assigns = model.assigns.iter();
            assigns
                .filter(|assign| assign.kind == kind && model.is_added(assign.var))
                .map(|assign| (assign.var, assign.expr))
                .collect()
        };
        let next = rules(AssignKind::Next);
        Monitors {
            n_vars: model.vars.len(),
            n_own: model.own().vars,
            first: rounds(model, AssignKind::Init, &rules(AssignKind::Init)),
            split: Split::new(model, &next),
            next: rounds(model, AssignKind::Next, &next),
        }
    }

    /// Are there any?
    pub fn is_empty(&self) -> bool {
        self.n_vars == self.n_own
    }

    /// The trace extended by the values of the monitors.
    pub fn observe(&self, mut trace: Trace) -> Trace {
        if self.is_empty() || trace.states.is_empty() {
            return trace;
        }
        for state in &mut trace.states {
            state.values.resize(self.n_vars, None);
        }
        let states = &mut trace.states;
        let mut cells = Vec::new();
        for round in &self.first {
            round.plan.run(&states[0].values, &[], &mut cells);
            round.see(&cells, &mut states[0]);
        }
        let mut facts = self.split.facts();
        for start in (1..states.len()).step_by(LANES) {
            let end = states.len().min(start + LANES);
            facts.find(&states[start - 1..end]);
            for idx in start..end {
                let (before, after) = states.split_at_mut(idx);
                let (from, to) = (&before[idx - 1], &mut after[0]);
                if !facts.step(from, to, idx - start, &mut cells) {
                    step(&self.next, &from.values, to, &mut cells);
                }
            }
        }
        trace
    }
}

/// The values after a step.
fn step(rounds: &[Round], from: &Valuation, to: &mut State, cells: &mut Vec<Cell>) {
    for round in rounds {
        round.plan.run(from, &to.values, cells);
        round.see(cells, to);
    }
}

impl Round {
    /// Stores computed values.
    fn see(&self, cells: &[Cell], state: &mut State) {
        for (root_idx, var) in self.vars.iter().enumerate() {
            let seen = match self.plan.root(root_idx, cells) {
                Cell::Value(value) => Some(*value),
                _ => None,
            };
            state.values[var.0 as usize] = seen;
        }
    }
}

/// Assignments in dependency order, grouped into rounds.
fn rounds(model: &Model, kind: AssignKind, rules: &[(VarId, ExprId)]) -> Vec<Round> {
    let mut rounds: Vec<(Vec<VarId>, Vec<ExprId>)> = Vec::new();
    for &(var, expr) in rules {
        let reads = support(model, [expr]);
        let at_once = if kind == AssignKind::Init { reads.current } else { reads.next };
        match rounds.last_mut() {
            Some((vars, exprs)) if !vars.iter().any(|var| at_once.contains(var)) => {
                vars.push(var);
                exprs.push(expr);
            }
            _ => rounds.push((vec![var], vec![expr])),
        }
    }
    let round =
        |(vars, exprs): (Vec<VarId>, Vec<ExprId>)| Round { plan: Plan::new(model, &exprs), vars };
    rounds.into_iter().map(round).collect()
}
