//! Detects cyclic dependencies between assignments of the same state.

use rustc_hash::FxHashSet;
use trapline_model::dependency::support;
use trapline_model::{AssignKind, ExprId, Model, VarId};

/// What assignments read in the state that they assign, initially and in later states.
pub struct Circles {
    first: Vec<Vec<VarId>>,
    others: Vec<Vec<VarId>>,
}

impl Circles {
    /// The dependencies of a model's assignments.
    pub fn new(model: &Model) -> Circles {
        let none = || vec![Vec::new(); model.vars.len()];
        let mut circles = Circles { first: none(), others: none() };
        for assign in &model.assigns {
            circles.assign(assign.kind, assign.var, at_once(model, assign.kind, [assign.expr]));
        }
        circles
    }

    /// What a variable with these definitions would read; `None` if it would depend on itself.
    pub fn allow(
        &self,
        model: &Model,
        kind: AssignKind,
        var: VarId,
        exprs: impl IntoIterator<Item = ExprId>,
    ) -> Option<Vec<VarId>> {
        let reads = at_once(model, kind, exprs);
        let is_free = |graph: &[Vec<VarId>]| !leads_to(graph, &reads, var);
        let is_allowed = match kind {
            AssignKind::Init => is_free(&self.first),
            AssignKind::Next => is_free(&self.others),
            AssignKind::Current => is_free(&self.first) && is_free(&self.others),
        };
        is_allowed.then_some(reads)
    }

    /// Records the dependencies of a new assignment.
    pub fn assign(&mut self, kind: AssignKind, var: VarId, reads: Vec<VarId>) {
        if kind != AssignKind::Next {
            self.first[var.0 as usize].extend(&reads);
        }
        if kind != AssignKind::Init {
            self.others[var.0 as usize].extend(reads);
        }
    }
}

fn at_once(model: &Model, kind: AssignKind, exprs: impl IntoIterator<Item = ExprId>) -> Vec<VarId> {
    let support = support(model, exprs);
    match kind {
        AssignKind::Next => support.next,
        AssignKind::Init | AssignKind::Current => support.current,
    }
}

fn leads_to(graph: &[Vec<VarId>], from: &[VarId], to: VarId) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = from.to_vec();
    while let Some(var) = stack.pop() {
        if var == to {
            return true;
        }
        if seen.insert(var) {
            stack.extend(&graph[var.0 as usize]);
        }
    }
    false
}
