//! `property`: every requirement as an observer automaton, with non-vacuity of its subformulas.
//!
//! An observer reads a path and tracks the remaining obligation: its states and edges are goals, so
//! that a suite exercises everything a requirement distinguishes, and not only paths on which it
//! holds vacuously. `observer` builds it from a `formula` by way of `residual`s; `vacuity` has the
//! goals for the subformulas.

mod formula;
mod observer;
mod residual;
#[cfg(test)]
mod tests;
mod total;
mod vacuity;

use trapline_engine::sat::linear::same_in_ltl;
use trapline_model::{
    Domain, Expr, ExprId, Formula, Model, OccId, Property, PropertyKind, Scope, UnaryOp, Value,
};
use trapline_source::Span;

use self::observer::{Observer, State, number, observe};
use self::total::{MAX_WORK, is_total};
use super::Criterion;
use crate::builder::{Builder, in_scope};
use crate::goal::GoalKind;
use crate::site_name;

/// Maximum length of condition texts.
const MAX_TEXT: usize = 200;

/// Every requirement as an observer automaton, with non-vacuity of its subformulas.
pub const CRITERION: Criterion = Criterion {
    name: "property",
    about: "each property as an observer: its states and transitions, and non-vacuous satisfaction",
    add,
};

/// A property that goals are derived from.
struct Requirement {
    /// Its number among the properties.
    idx: usize,
    /// Its key in ids.
    key: String,
    /// Its logic.
    kind: PropertyKind,
    /// Its formula.
    expr: ExprId,
    /// Where it stands.
    span: Span,
}

fn add(builder: &mut Builder<'_>) {
    for (idx, property) in builder.model.properties.clone().iter().enumerate() {
        if !is_wanted(builder, property) {
            continue;
        }
        let key = property.name.clone().unwrap_or_else(|| format!("property{idx}"));
        let (kind, span) = (property.kind, property.span);
        match property.formula {
            Formula::Holds(clause) if kind != PropertyKind::Compute => {
                let requirement = Requirement { idx, key, kind, expr: clause.expr, span };
                add_observer(builder, &requirement);
                add_parts(builder, &requirement, clause.occ);
            }
            Formula::Unsupported(what) => {
                builder.leave_out(span, format!("{key} is not supported ({what}): left out"));
            }
            _ => builder.leave_out(span, format!("{key} is no claim: left out")),
        }
    }
}

fn add_parts(builder: &mut Builder<'_>, requirement: &Requirement, root: Option<OccId>) {
    // The expansion of a PSL operator is not in the text.
    if requirement.kind == PropertyKind::Psl {
        let text = format!("{} is PSL: its parts are left out", requirement.key);
        builder.leave_out(requirement.span, text);
    } else if let Some(root) = root {
        vacuity::add(builder, requirement, root);
    }
}

/// True if it is in a selected module and about something selected.
pub(super) fn is_wanted(builder: &Builder<'_>, property: &Property) -> bool {
    let (options, model) = (builder.options, &builder.model);
    let is_inside = |module: &Span| site_name::is_inside(property.span, *module);
    if !options.within.is_empty() && !options.within.iter().any(is_inside) {
        return false;
    }
    let reads = |expr: ExprId| {
        model.exprs.reachable([expr]).into_iter().any(|id| match model.exprs.get(id) {
            Expr::Var(var) | Expr::Next(var) => options.is_on(&model.var(var).name),
            Expr::Define(id) | Expr::NextDefine(id) => options.is_on(&model.define(id).name),
            _ => false,
        })
    };
    match property.formula {
        _ if options.on.is_empty() => true,
        Formula::Holds(clause) => reads(clause.expr),
        Formula::Min(from, to) | Formula::Max(from, to) => reads(from.expr) || reads(to.expr),
        Formula::Unsupported(_) => false,
    }
}

fn add_observer(builder: &mut Builder<'_>, requirement: &Requirement) {
    match observer(builder, requirement) {
        Ok(observer) => {
            let places = watch(builder, requirement, &observer);
            add_states(builder, requirement, &observer, &places);
            add_edges(builder, requirement, &observer, &places);
        }
        Err(why) => {
            let text = format!("{} gets no observer: {why}", requirement.key);
            builder.leave_out(requirement.span, text);
        }
    }
}

/// The observer of a property, or why there is none.
fn observer(builder: &mut Builder<'_>, requirement: &Requirement) -> Result<Observer, String> {
    let formula = in_ltl(&mut builder.model, requirement)
        .ok_or("it is not known to say the same as a formula of LTL")?;
    let observer = observe(&mut builder.model.exprs, formula).map_err(|why| why.to_string())?;
    if let Some(value) = observer.states[0].sink {
        let value = builder.model.show(Value::Bool(value));
        return Err(format!("it is {value} whatever happens"));
    }
    let n_edges: usize = observer.states.iter().map(|state| state.edges.len()).sum();
    let (n_goals, limit) = (observer.states.len() - 1 + n_edges, builder.options.limit);
    if n_goals > limit {
        return Err(format!("it would make {n_goals} goals, more than {limit}"));
    }
    let is_total = |atom: ExprId| is_total(&builder.model, atom, &builder.aside(MAX_WORK));
    match observer.atoms.iter().find(|atom| !is_total(**atom)) {
        Some(&atom) => Err(format!("{} may have no value", clip(builder.show(atom)))),
        None => Ok(observer),
    }
}

/// The property in LTL, if it has an equivalent.
fn in_ltl(model: &mut Model, requirement: &Requirement) -> Option<ExprId> {
    let expr = requirement.expr;
    match requirement.kind {
        PropertyKind::Invar => Some(model.exprs.unary(UnaryOp::G, expr)),
        PropertyKind::Ctl => same_in_ltl(model, expr),
        PropertyKind::Ltl | PropertyKind::Psl => Some(expr),
        PropertyKind::Compute => None,
    }
}

/// Adds the observer to the model, and a state predicate for each of its states.
fn watch(builder: &mut Builder<'_>, requirement: &Requirement, observer: &Observer) -> Vec<ExprId> {
    let n_states = observer.states.len();
    if n_states == 1 {
        return vec![builder.model.exprs.bool(true)];
    }
    let name = format!("__observer_{}", requirement.idx);
    let domain = Domain::Range(0, n_states as i64 - 1);
    let var = builder.model.add_monitor(&name, domain, requirement.span, |model, read| {
        (model.exprs.value(number(0)), observer.next(&mut model.exprs, read))
    });
    let read = builder.model.var_expr(var);
    let exprs = &mut builder.model.exprs;
    (0..n_states).map(|state| exprs.has_value(read, number(state))).collect()
}

fn add_states(
    builder: &mut Builder<'_>,
    requirement: &Requirement,
    observer: &Observer,
    places: &[ExprId],
) {
    let Requirement { key, span, .. } = requirement;
    for (idx, state) in observer.states.iter().enumerate().skip(1) {
        let left = describe(builder, state);
        let text = format!("the observer of {key} is in state {idx} ({left})");
        builder.add(&format!("{key}:state{idx}"), text, *span, GoalKind::State(places[idx]));
    }
}

fn add_edges(
    builder: &mut Builder<'_>,
    requirement: &Requirement,
    observer: &Observer,
    places: &[ExprId],
) {
    let Requirement { key, span, .. } = requirement;
    for (from, state) in observer.states.iter().enumerate() {
        for edge in &state.edges {
            let to = edge.to;
            let whole = builder.model.exprs.and(places[from], edge.condition);
            // An invariant applies to deadlock states too.
            let target = match requirement.kind {
                PropertyKind::Invar => in_scope(&builder.model, Scope::State, whole),
                _ => GoalKind::Step(whole),
            };
            let when = clip(builder.show(edge.condition));
            let text = format!("the observer of {key} goes from state {from} to {to} by {when}");
            builder.add(&format!("{key}:edge{from}-{to}"), text, *span, target);
        }
    }
}

/// The meaning of an observer state, in words.
fn describe(builder: &Builder<'_>, state: &State) -> String {
    match (state.sink, state.residual) {
        (Some(true), _) => "whatever comes, the property is met".into(),
        (Some(false), _) => "the property is violated".into(),
        (None, Some(expr)) => format!("residual: {}", clip(builder.show(expr))),
        (None, None) => "with an residual that is too long to be shown".into(),
    }
}

fn clip(text: String) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text,
    }
}
