//! Finds the sites of a model: the points where its author made a decision.
//!
//! Traverses the occurrences of every right-hand side and constraint from the root down. The reach
//! condition grows along the path: in branch *i* of a `case`, that its guard holds and the earlier
//! ones do not; inside a process, that it runs; in a guarded command, that it is taken. Each `case`
//! becomes an ordered group on the way.

use crate::expr::ExprId;
use crate::group::{Alternative, GroupId, Guard, Relation, SiteGroup};
use crate::model::{AssignKind, ConstraintKind, Model};
use crate::site::{OccId, Reach, ReachId, Scope, Shape, Site, SiteKind, SiteTarget};
use crate::types::Type;

/// A node of the traversal: an occurrence, its reach condition, and whether its value is the value
/// of the whole.
struct Visit {
    occ: OccId,
    reach: Option<ReachId>,
    is_value: bool,
}

/// Fills in [`Model::sites`].
pub fn find_sites(model: &mut Model) {
    group_sites(model);
    let mut roots: Vec<(OccId, Option<ExprId>, Scope, SiteTarget)> = Vec::new();
    for (idx, define) in model.defines.iter().enumerate() {
        let reads = model.exprs.info(define.body.expr).reads;
        let is_step = reads.any(crate::Reads::STEP);
        let scope = if is_step { Scope::Step } else { Scope::State };
        let target = SiteTarget::Define(crate::DefineId(idx as u32));
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
            let target = SiteTarget::Assign { var: assign.var, assign_idx, part_idx };
            roots.extend(part.body.occ.map(|occ| (occ, part.when, scope, target)));
        }
    }
    for (idx, constraint) in model.constraints.iter().enumerate() {
        let scope = match constraint.kind {
            ConstraintKind::Init => Scope::Init,
            ConstraintKind::Invar => Scope::State,
            ConstraintKind::Trans => Scope::Step,
        };
        let target = SiteTarget::Constraint(idx as u32);
        roots.extend(constraint.body.occ.map(|occ| (occ, None, scope, target)));
    }
    for (occ, when, scope, target) in roots {
        // A name or a constant decides nothing.
        if model.occurrences.get(occ).shape != Shape::Leaf {
            let reach = when.map(|when| after(model, None, when, true));
            sites_below(model, Visit { occ, reach, is_value: true }, scope, target);
        }
    }
}

/// The sites of groups that the language made: guards, and the values that alternatives give.
fn group_sites(model: &mut Model) {
    for group_idx in 0..model.groups.len() as u32 {
        let group = model.groups[group_idx as usize].clone();
        let (id, scope) = (GroupId(group_idx), group.scope);
        let counts = group.when.map(|when| after(model, None, when, true));
        for (idx, alternative) in group.alternatives.iter().enumerate() {
            let index = idx as u32;
            let reach = evaluated(model, &group, idx, counts);
            let (decision, span) = (alternative.guard.occ(), alternative.span);
            let (kind, target) =
                (SiteKind::Branch { group: id, index }, SiteTarget::Guard(id, index));
            model.sites.push(Site { kind, scope, decision, reach, target, span });
            sites_below(model, Visit { occ: decision, reach, is_value: false }, scope, target);
            let taken = model.taken(&group, idx);
            let taken = Some(after(model, None, taken, true));
            for (given, occ) in alternative.written() {
                let target = SiteTarget::Given(id, index, given as u32);
                sites_below(model, Visit { occ, reach: taken, is_value: true }, scope, target);
            }
        }
    }
}

/// What must hold for a guard to be evaluated so that it counts. One that holds counts only if its
/// alternative is taken: where free alternatives overlap, the others show nothing.
fn evaluated(
    model: &mut Model,
    group: &SiteGroup,
    idx: usize,
    counts: Option<ReachId>,
) -> Option<ReachId> {
    let guard = model.guard(group, idx, None);
    match (&group.alternatives[idx].guard, group.alternatives[idx].taken) {
        (Guard::Else(..), taken) => Some(after(model, counts, taken.unwrap_or(guard), true)),
        (Guard::Written(_), None) => counts,
        (Guard::Written(_), Some(taken)) => {
            let counting = model.exprs.implies(guard, taken);
            Some(after(model, counts, counting, true))
        }
    }
}

/// Adds a condition to a reach condition.
fn after(model: &mut Model, before: Option<ReachId>, condition: ExprId, holds: bool) -> ReachId {
    model.reaches.push(Reach { before, condition, holds });
    ReachId(model.reaches.len() as u32 - 1)
}

fn sites_below(model: &mut Model, root: Visit, scope: Scope, target: SiteTarget) {
    let has_branches = has_branches(model, root.occ);
    let mut stack = vec![root];
    let add = |model: &mut Model, kind, decision, reach, span| {
        model.sites.push(Site { kind, scope, decision, reach, target, span });
    };
    while let Some(Visit { occ, reach, is_value }) = stack.pop() {
        let occurrence = model.occurrences.get(occ);
        match occurrence.shape {
            Shape::Leaf | Shape::Named => {}
            Shape::Case => {
                let children = model.occurrences.children(occ);
                let mut reach = reach;
                let first = stack.len();
                let group = ordered(model, occ, &children, scope);
                for (index, branch) in children.chunks_exact(2).enumerate() {
                    let (guard, value) = (branch[0], branch[1]);
                    let kind = SiteKind::Branch { group, index: index as u32 };
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
            Shape::Operator | Shape::Next | Shape::Event(_) | Shape::When | Shape::Row => {
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

/// The group that a `case` is.
fn ordered(model: &mut Model, whole: OccId, children: &[OccId], scope: Scope) -> GroupId {
    let branch = |branch: &[OccId]| {
        let [guard, value] = [branch[0], branch[1]].map(|occ| model.occurrences.get(occ).span);
        Alternative {
            label: None,
            guard: Guard::Written(branch[0]),
            possible: None,
            taken: None,
            gives: Vec::new(),
            branches: Vec::new(),
            span: guard.to(value),
        }
    };
    let alternatives = children.chunks_exact(2).map(branch).collect();
    let span = model.occurrences.get(whole).span;
    model.groups.push(SiteGroup {
        relation: Relation::Ordered,
        scope,
        name: String::new(),
        when: None,
        alternatives,
        whole: Some(whole),
        selector: None,
        constraint: None,
        span,
    });
    GroupId(model.groups.len() as u32 - 1)
}

/// Is there a `case` or `?:` in the subtree?
fn has_branches(model: &Model, occ: OccId) -> bool {
    model
        .occurrences
        .subtree(occ)
        .any(|inner| matches!(model.occurrences.get(inner).shape, Shape::Case | Shape::Ite))
}
