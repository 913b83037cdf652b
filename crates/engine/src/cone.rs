//! Cone of influence.
//!
//! A variable that nothing in question depends on, and that no constraint reads, can be left out:
//! its assignments always give it a value, so it cannot block a path. Assignments with a cyclic
//! dependency among next values can, and are kept.

use trapline_model::dependency::{Support, circles, support};
use trapline_model::{AssignKind, ExprId, Model, VarId};

/// The variables with a cyclic dependency within the same state.
pub fn in_circles(model: &Model) -> Vec<VarId> {
    let mut arrows = Vec::new();
    for assign in &model.assigns {
        let Support { current, next } = support(model, [assign.expr]);
        let at_once = if assign.kind == AssignKind::Current { current } else { next };
        if assign.kind != AssignKind::Init {
            arrows.extend(at_once.iter().map(|var| (assign.var.0, var.0)));
        }
    }
    circles(arrows.into_iter()).into_iter().flatten().map(VarId).collect()
}

/// The dependencies of a model's variables.
pub struct Cones<'m> {
    model: &'m Model,
    reads: Vec<Vec<VarId>>,
    /// What constraints read, and what can block a path.
    always: Vec<VarId>,
}

impl<'m> Cones<'m> {
    /// Analyses all assignments and constraints.
    pub fn new(model: &'m Model) -> Cones<'m> {
        let mut reads: Vec<Vec<VarId>> = vec![Vec::new(); model.vars.len()];
        for assign in &model.assigns {
            reads[assign.var.0 as usize].extend(support(model, [assign.expr]).all());
        }
        let constraints = model.constraints.iter().map(|constraint| constraint.body.expr);
        let mut always = support(model, constraints).all();
        always.extend(in_circles(model));
        Cones { model, reads, always }
    }

    /// The variables that these expressions depend on, and those that can block a path, sorted.
    pub fn of(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<VarId> {
        let mut stack = support(self.model, roots).all();
        stack.extend(&self.always);
        let mut is_kept = vec![false; self.reads.len()];
        while let Some(var) = stack.pop() {
            if !std::mem::replace(&mut is_kept[var.0 as usize], true) {
                stack.extend(&self.reads[var.0 as usize]);
            }
        }
        (0..is_kept.len() as u32).map(VarId).filter(|var| is_kept[var.0 as usize]).collect()
    }
}

/// The variables that these expressions depend on, and those that can block a path, sorted.
pub fn cone(model: &Model, roots: impl IntoIterator<Item = ExprId>) -> Vec<VarId> {
    Cones::new(model).of(roots)
}
