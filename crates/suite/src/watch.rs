//! What the variables that watch a model see along a trace of it.
//!
//! Goals about sequences and properties read variables that criteria have added to the model. Each
//! has one first value, and one value after each step, so that they follow from the trace.

use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Plan};
use trapline_model::trace::Trace;
use trapline_model::{AssignKind, ExprId, Model, VarId};

/// The variables that watch a model, ready to watch.
pub struct Watchers {
    n_vars: usize,
    n_own: usize,
    first: Vec<Round>,
    next: Vec<Round>,
}

/// Variables none of which reads what another one sees at the same time.
struct Round {
    vars: Vec<VarId>,
    plan: Plan,
}

impl Watchers {
    /// Those of a model behind its own variables.
    pub fn new(model: &Model, n_own: usize) -> Watchers {
        let rules = |kind: AssignKind| {
            let assigns = model.assigns.iter();
            let own: Vec<(VarId, ExprId)> = assigns
                .filter(|assign| assign.kind == kind && assign.var.0 as usize >= n_own)
                .map(|assign| (assign.var, assign.expr))
                .collect();
            rounds(model, kind, &own)
        };
        Watchers {
            n_vars: model.vars.len(),
            n_own,
            first: rules(AssignKind::Init),
            next: rules(AssignKind::Next),
        }
    }

    /// Are there any?
    pub fn is_empty(&self) -> bool {
        self.n_vars == self.n_own
    }

    /// The trace with what they see.
    pub fn watch(&self, trace: &Trace) -> Trace {
        let mut trace = trace.clone();
        if self.is_empty() {
            return trace;
        }
        let mut cells = Vec::new();
        for state in &mut trace.states {
            state.values.resize(self.n_vars, None);
        }
        for idx in 0..trace.states.len() {
            let rules = if idx == 0 { &self.first } else { &self.next };
            for Round { vars, plan } in rules {
                match idx.checked_sub(1) {
                    None => plan.run(&trace.states[0].values, &[], &mut cells),
                    Some(before) => {
                        let (from, to) = (&trace.states[before], &trace.states[idx]);
                        plan.run(&from.values, &to.values, &mut cells);
                    }
                }
                for (root_idx, var) in vars.iter().enumerate() {
                    let seen = match plan.root(root_idx, &cells) {
                        Cell::Value(value) => Some(*value),
                        _ => None,
                    };
                    trace.states[idx].values[var.0 as usize] = seen;
                }
            }
        }
        trace
    }
}

/// Rules in their order, as many together as can be.
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
