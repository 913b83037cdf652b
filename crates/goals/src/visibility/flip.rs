//! Conditions whose effect must arrive at an output (Whalen, Gay, You, Heimdahl, Staats, *Observable modified
//! condition/decision coverage*, 2013).
//!
//! An evaluation of a condition counts only if it matters: a copy of the model in which the condition has
//! the opposite value in this evaluation, and is the model again from then on, must show other outputs. So
//! such an evaluation is a [`Fault`] that acts once. A condition that occurs several times in a decision is
//! one condition, and has the opposite value wherever it occurs there, as in the derivative `dD/dc`. Whatever
//! reads a definition in that state sees what it is then. Tagging the paths along which an effect travels,
//! as the paper does, is the special case of one path; here effects may also cancel each other.

use std::fmt;
use std::rc::Rc;

use trapline_engine::impossible::{Question, impossible};
use trapline_model::roles::is_about_step;
use trapline_model::transform::Change;
use trapline_model::{Clause, ExprId, Model, OccId, Role, Scope, SiteTarget};
use trapline_source::Span;

use super::Fault;
use crate::builder::Builder;
use crate::decision::{Decision, places};
use crate::goal::GoalKind;
use crate::mutate::group::{Function, OVERLAP_WORK};
use crate::mutate::{apply, replace};
use crate::site_name::NamedSite;

/// The changes that flip the conditions of a decision, in their order.
pub type Flips = Rc<[Change]>;

/// Which decision is meant: an occurrence, and what it decides.
pub type Place = (SiteTarget, OccId);

/// Why the conditions of a decision are not flipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Obstacle {
    /// It is in a constraint.
    Constraint,
    /// It is in a guarded command, or in a row of a table that may apply beside others then.
    Group,
    /// It decides the value of an input.
    Input,
    /// The model does not record how its expression was built.
    Unrecorded,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Obstacle::Constraint => "in a constraint",
            Obstacle::Group => {
                "of a guarded command, or of a table where several rows may apply then"
            }
            Obstacle::Input => "for the value of an input",
            Obstacle::Unrecorded => "in an expression that was simplified",
        })
    }
}

/// Keeps the decisions whose conditions can be flipped.
pub fn retain(builder: &mut Builder<'_>, found: &mut Vec<(NamedSite, Decision)>) {
    let mut left_out: Vec<(Obstacle, Span)> = Vec::new();
    flip_guards(builder, found);
    found.retain(|(place, decision)| {
        let key = key(place);
        if builder.flips.contains_key(&key) {
            return true;
        }
        match flips(&mut builder.model, place, decision) {
            Ok(flips) => {
                builder.flips.insert(key, flips);
                true
            }
            Err(obstacle) => {
                left_out.push((obstacle, place.site.span));
                false
            }
        }
    });
    left_out.sort_by_key(|(obstacle, _)| *obstacle);
    for same in left_out.chunk_by(|a, b| a.0 == b.0) {
        let (obstacle, span) = same[0];
        let text = match same.len() {
            1 => format!("observability does not support a decision {obstacle}: left out"),
            n => format!(
                "observability does not support a decision {obstacle}: this one and {} more are left out",
                n - 1
            ),
        };
        builder.leave_out(span, text);
    }
}

/// Flips the conditions of tables, where a row that is evaluated wrongly does not make two apply: then the
/// table still gives one value, or none.
fn flip_guards(builder: &mut Builder<'_>, found: &[(NamedSite, Decision)]) {
    let mut flipped: Vec<(Place, Vec<Function>)> = Vec::new();
    for (place, decision) in found {
        let SiteTarget::Guard(id, idx) = place.site.target else { continue };
        let (key, model) = (key(place), &mut builder.model);
        if builder.flips.contains_key(&key) {
            continue;
        }
        let functions = decision.conditions.iter().map(|condition| {
            let own = places(model, place.site.decision, condition.expr);
            let opposite = model.exprs.not(condition.expr);
            let root = replace::replace_all(model, place.site.decision, &own, opposite)?;
            Function::of_guard(model, (id, idx as usize), root)
        });
        flipped.extend(functions.collect::<Option<Vec<_>>>().map(|functions| (key, functions)));
    }
    let all = flipped.iter().flat_map(|(_, functions)| functions);
    let questions: Vec<Question> = all.map(Function::question).collect();
    if questions.is_empty() {
        return;
    }
    let mut answers =
        impossible(&builder.model, &questions, &builder.aside(OVERLAP_WORK)).into_iter();
    for (key, functions) in flipped {
        let excludes: Vec<bool> = answers.by_ref().take(functions.len()).collect();
        if excludes.iter().all(|excludes| *excludes) {
            let changes = functions.into_iter().map(Function::change);
            builder.flips.insert(key, changes.collect());
        }
    }
}

fn key(place: &NamedSite) -> Place {
    (place.site.target, place.site.decision)
}

/// The fault that shows a condition of a decision at the outputs wherever something holds that is evaluated
/// together with it; its number. The decision is one that [`retain`] kept.
pub fn fault(
    builder: &mut Builder<'_>,
    place: &NamedSite,
    condition: usize,
    evaluated: ExprId,
) -> usize {
    let change = builder.flips[&key(place)][condition].clone();
    let when = when(&builder.model, place, evaluated);
    builder.faults.push(Fault { when, change, is_lasting: false });
    builder.faults.len() - 1
}

/// The state or step in which a decision is evaluated.
fn when(model: &Model, place: &NamedSite, evaluated: ExprId) -> GoalKind {
    let is_step = match place.site.target {
        SiteTarget::Define(id) => is_about_step(model, model.define(id)),
        _ => place.site.scope == Scope::Step,
    };
    match place.site.scope {
        Scope::Init => GoalKind::Initial(evaluated),
        _ if is_step => GoalKind::Step(evaluated),
        _ => GoalKind::State(evaluated),
    }
}

fn flips(model: &mut Model, place: &NamedSite, decision: &Decision) -> Result<Flips, Obstacle> {
    let target = place.site.target;
    let whole = match target {
        SiteTarget::Constraint(_) => return Err(Obstacle::Constraint),
        SiteTarget::Guard(..) | SiteTarget::Given(..) => return Err(Obstacle::Group),
        SiteTarget::Assign { var, .. } if model.var(var).role == Role::Input => {
            return Err(Obstacle::Input);
        }
        SiteTarget::Assign { assign_idx, part_idx, .. } => {
            model.assigns[assign_idx as usize].parts[part_idx as usize].body.occ
        }
        SiteTarget::Define(id) => model.define(id).body.occ,
    };
    let whole = whole.ok_or(Obstacle::Unrecorded)?;
    let flips = decision.conditions.iter().map(|condition| {
        let own = places(model, place.site.decision, condition.expr);
        let opposite = model.exprs.not(condition.expr);
        let root = replace::replace_all(model, whole, &own, opposite)?;
        Some(change(model, target, root))
    });
    flips.collect::<Option<Flips>>().ok_or(Obstacle::Unrecorded)
}

/// The change of a right-hand side to this one.
fn change(model: &mut Model, target: SiteTarget, root: ExprId) -> Change {
    match target {
        SiteTarget::Define(id) => Change::Define(id, root),
        SiteTarget::Assign { assign_idx, part_idx, .. } => {
            let mut assign = model.assigns[assign_idx as usize].clone();
            let body = &mut assign.parts[part_idx as usize].body;
            *body = Clause::unwritten(root, body.span);
            assign.expr = apply::meaning(model, &assign);
            Change::Assign(assign_idx as usize, assign)
        }
        _ => unreachable!("no other decision has flips"),
    }
}
