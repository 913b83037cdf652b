//! Which variables a question is about.
//!
//! A variable that nothing in question depends on, and that no constraint reads, can be left
//! out: its assignments always give it a value, so it can't stop a path. Assignments that read
//! each other's next values in a circle can, and are kept.

use trapline_model::dependency::{Support, circles, support};
use trapline_model::{AssignKind, ExprId, Model, VarId};

/// The variables whose assignments read each other in the same state.
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

/// What the variables of a model depend on.
pub struct Cones<'m> {
    model: &'m Model,
    reads: Vec<Vec<VarId>>,
    /// What constraints read, and what can end a path.
    always: Vec<VarId>,
}

impl<'m> Cones<'m> {
    /// Looks at all assignments and constraints.
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

    /// The variables that these expressions depend on, and those that can end a path, sorted.
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

/// The variables that these expressions depend on, and those that can end a path, sorted.
pub fn cone(model: &Model, roots: impl IntoIterator<Item = ExprId>) -> Vec<VarId> {
    Cones::new(model).of(roots)
}
