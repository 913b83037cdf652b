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

/// The variables that these expressions depend on, and those that can end a path, sorted.
pub fn cone(model: &Model, roots: impl IntoIterator<Item = ExprId>) -> Vec<VarId> {
    let constraints = model.constraints.iter().map(|constraint| constraint.body.expr);
    let read = support(model, roots.into_iter().chain(constraints));
    let mut reads: Vec<Vec<VarId>> = vec![Vec::new(); model.vars.len()];
    for assign in &model.assigns {
        reads[assign.var.0 as usize].extend(support(model, [assign.expr]).all());
    }
    let mut stack = read.all();
    stack.extend(in_circles(model));
    let mut is_kept = vec![false; model.vars.len()];
    while let Some(var) = stack.pop() {
        if !std::mem::replace(&mut is_kept[var.0 as usize], true) {
            stack.extend(&reads[var.0 as usize]);
        }
    }
    (0..model.vars.len() as u32).map(VarId).filter(|var| is_kept[var.0 as usize]).collect()
}
