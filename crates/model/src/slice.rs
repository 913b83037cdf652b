//! Slicing: the part of a model that some expressions need.

use rustc_hash::FxHashSet;

use crate::dependency::{dependencies, support};
use crate::expr::{ExprId, VarId};
use crate::model::{Model, VarKind};

/// The variables that can influence these expressions, sorted.
///
/// Every kind of constraint counts, so what is left out can neither change nor stop what is kept,
/// provided that it can always go on by itself: [`slice`] refuses where that is not plain.
pub fn cone(model: &Model, roots: &[ExprId]) -> Vec<VarId> {
    let on = dependencies(model).on;
    let mut cone: FxHashSet<VarId> = FxHashSet::default();
    let mut stack = support(model, roots.iter().copied()).all();
    while let Some(var) = stack.pop() {
        if cone.insert(var) {
            stack.extend(&on[var.0 as usize]);
        }
    }
    let mut list: Vec<VarId> = cone.into_iter().collect();
    list.sort_unstable();
    list
}

/// The model without the variables outside a cone, and without what is said of them. Ids stay:
/// a variable that is dropped becomes frozen and free, and nothing reads it.
///
/// Returns `None` when something outside the cone is constrained, because it might have no way
/// to go on, which would end the runs of the whole model too.
pub fn slice(model: &Model, cone: &[VarId]) -> Option<Model> {
    let is_kept = |var: VarId| cone.binary_search(&var).is_ok();
    let mut sliced = model.clone();
    for constraint in &model.constraints {
        let vars = support(model, [constraint.body.expr]).all();
        // A constraint without variables may be false: it belongs to every part.
        if vars.iter().any(|var| !is_kept(*var)) {
            return None;
        }
    }
    sliced.assigns.retain(|assign| is_kept(assign.var));
    sliced.sites.clear();
    sliced.groups.clear();
    for (idx, var) in sliced.vars.iter_mut().enumerate() {
        if !is_kept(VarId(idx as u32)) {
            var.kind = VarKind::Frozen;
        }
    }
    Some(sliced)
}
