//! Finds the sites of a model: the places where its author decided something.
//!
//! Walks the occurrences of every right-hand side and constraint from the root down. What must
//! hold for a place to be evaluated grows on the way: in branch *i* of a `case`, that its guard
//! holds and those of the branches before it do not; inside a process, that it runs.

use crate::expr::ExprId;
use crate::model::{AssignKind, ConstraintKind, Model};
use crate::site::{OccId, Reach, ReachId, Scope, Shape, Site, SiteKind, Target};
use crate::types::Type;

/// A place on the way: an occurrence, what must hold there, and whether its value is the value
/// of the whole.
struct Visit {
    occ: OccId,
    reach: Option<ReachId>,
    is_value: bool,
}

/// Fills in [`Model::sites`].
pub fn find_sites(model: &mut Model) {
    let mut roots: Vec<(OccId, Option<ExprId>, Scope, Target)> = Vec::new();
    for (idx, define) in model.defines.iter().enumerate() {
        let reads = model.exprs.info(define.body.expr).reads;
        let is_step = reads.any(crate::Reads::STEP);
        let scope = if is_step { Scope::Step } else { Scope::State };
        let target = Target::Define(crate::DefineId(idx as u32));
        roots.extend(define.body.occ.map(|occ| (occ, None, scope, target)));
    }
    for (assign_idx, assign) in model.assigns.iter().enumerate() {
        let scope = match assign.kind {
            AssignKind::Init => Scope::Init,
            AssignKind::Next => Scope::Step,
            AssignKind::Current => Scope::State,
        };
        for (part_idx, part) in assign.parts.iter().enumerate() {
            let (assign_idx, part_idx) = (assign_idx as u32, part_idx as u32);
            let target = Target::Assign { var: assign.var, assign_idx, part_idx };
            roots.extend(part.body.occ.map(|occ| (occ, part.when, scope, target)));
        }
    }
    for (idx, constraint) in model.constraints.iter().enumerate() {
        let scope = match constraint.kind {
            ConstraintKind::Init => Scope::Init,
            ConstraintKind::Invar => Scope::State,
            ConstraintKind::Trans => Scope::Step,
        };
        let target = Target::Constraint(idx as u32);
        roots.extend(constraint.body.occ.map(|occ| (occ, None, scope, target)));
    }
    for (occ, when, scope, target) in roots {
        // A name or a constant decides nothing.
        if model.occurrences.get(occ).shape != Shape::Leaf {
            let reach = when.map(|when| after(model, None, when, true));
            sites_below(model, occ, reach, scope, target);
        }
    }
}

/// One more condition on the way.
fn after(model: &mut Model, before: Option<ReachId>, condition: ExprId, holds: bool) -> ReachId {
    model.reaches.push(Reach { before, condition, holds });
    ReachId(model.reaches.len() as u32 - 1)
}

fn sites_below(
    model: &mut Model,
    root: OccId,
    reach: Option<ReachId>,
    scope: Scope,
    target: Target,
) {
    let mut stack = vec![Visit { occ: root, reach, is_value: true }];
    let has_branches = has_branches(model, root);
    let add = |model: &mut Model, kind, decision, reach, span| {
        model.sites.push(Site { kind, scope, decision, reach, target, span });
    };
    while let Some(Visit { occ, reach, is_value }) = stack.pop() {
        let occurrence = model.occurrences.get(occ);
        match occurrence.shape {
            Shape::Leaf => {}
            Shape::Case => {
                let children = model.occurrences.children(occ);
                let mut reach = reach;
                let first = stack.len();
                for (index, branch) in children.chunks_exact(2).enumerate() {
                    let (guard, value) = (branch[0], branch[1]);
                    let kind = SiteKind::Branch { index: index as u32, whole: occ, value };
                    let (guard_at, value_at) =
                        (model.occurrences.get(guard), model.occurrences.get(value));
                    add(model, kind, guard, reach, guard_at.span.to(value_at.span));
                    stack.push(Visit { occ: guard, reach, is_value: false });
                    if value_at.shape != Shape::Leaf {
                        let taken = Some(after(model, reach, guard_at.expr, true));
                        stack.push(Visit { occ: value, reach: taken, is_value });
                    }
                    reach = Some(after(model, reach, guard_at.expr, false));
                }
                stack[first..].reverse();
            }
            Shape::Ite => {
                let children = model.occurrences.children(occ);
                let guard = model.occurrences.get(children[0]);
                add(model, SiteKind::If { whole: occ }, children[0], reach, guard.span);
                let taken = Some(after(model, reach, guard.expr, true));
                let other = Some(after(model, reach, guard.expr, false));
                stack.push(Visit { occ: children[2], reach: other, is_value });
                stack.push(Visit { occ: children[1], reach: taken, is_value });
                stack.push(Visit { occ: children[0], reach, is_value: false });
            }
            Shape::Operator | Shape::Next => {
                // `next` of a name is no more of a decision than the name.
                let is_name = occurrence.shape == Shape::Next && {
                    let children = model.occurrences.children(occ);
                    children.iter().all(|&c| model.occurrences.get(c).shape == Shape::Leaf)
                };
                if is_value && !is_name && model.exprs.ty(occurrence.expr) == Type::Bool {
                    add(model, SiteKind::Boolean, occ, reach, occurrence.span);
                }
                if has_branches {
                    let children = model.occurrences.children(occ);
                    let inner = children.into_iter().rev();
                    stack.extend(inner.map(|occ| Visit { occ, reach, is_value: false }));
                }
            }
        }
    }
}

/// Is there a `case` or `?:` in the subtree?
fn has_branches(model: &Model, occ: OccId) -> bool {
    model
        .occurrences
        .subtree(occ)
        .any(|inner| matches!(model.occurrences.get(inner).shape, Shape::Case | Shape::Ite))
}
