//! `mcdc-unique`, `mcdc-masking`, `mcdc-coupled`: the effect of every condition demonstrated by a
//! pair of evaluations, in three readings (Chilenski, *An investigation of three forms of MC/DC*,
//! for the first two).

use super::Criterion;
use crate::builder::Builder;
use crate::decision::Decision;
use crate::goal::{GoalKind, Pair, Reading};
use crate::pairs::{Evaluation, MAX_CONDITIONS, Observed, Point, Seen};
use crate::site_name::NamedSite;
use crate::visibility::flip;

/// No other condition changes.
pub const UNIQUE: Criterion = Criterion {
    name: "mcdc-unique",
    about: "MC/DC: a pair in which only one condition changes, and the decision with it",
    add: |builder| add(builder, Reading::Unique),
};

/// Masked conditions may change.
pub const MASKING: Criterion = Criterion {
    name: "mcdc-masking",
    about: "MC/DC: a pair in which a condition determines the decision both times; others may change (also: fp)",
    add: |builder| add(builder, Reading::Masking),
};

/// Coupled conditions may change.
pub const COUPLED: Criterion = Criterion {
    name: "mcdc-coupled",
    about: "MC/DC: unique where the model allows it, else as few other changes as possible",
    add: |builder| add(builder, Reading::Coupled),
};

fn add(builder: &mut Builder<'_>, reading: Reading) {
    let places: Vec<(NamedSite, Decision)> = builder.decisions(|n_conditions| n_conditions);
    if builder.points.is_none() {
        let points = places.iter().map(|(place, decision)| point(builder, place, decision));
        builder.points = Some(points.collect());
    }
    let points = builder.points.clone().unwrap_or_default();
    for (point_idx, (place, decision)) in places.iter().enumerate() {
        let is_whole = !matches!(
            points[point_idx].evaluations.first(),
            Some(Evaluation { seen: Seen::One { .. }, .. })
        );
        if !is_whole && reading != Reading::Masking {
            let text = format!(
                "{} has too many conditions to list what could serve: only mcdc-masking is derived",
                place.text
            );
            builder.leave_out(place.site.span, text);
            continue;
        }
        for (idx, condition) in decision.conditions.iter().enumerate() {
            let how = match reading {
                Reading::Unique => "alone",
                Reading::Coupled => "with as little else as possible",
                Reading::Masking => "where it decides",
            };
            let seen = if builder.is_observable() { ", seen at an output" } else { "" };
            let shown = builder.show(condition.expr);
            let text = format!("{shown} changes {} {how}{seen}", place.text);
            let pair = Pair { decision: point_idx, condition: idx, reading };
            let key = format!("{}:{}", place.key, idx + 1);
            builder.add(&key, text, condition.span, GoalKind::Pair(pair));
        }
    }
}

fn point(builder: &mut Builder<'_>, place: &NamedSite, decision: &Decision) -> Point {
    let assignments = assignments(decision, builder.options.limit);
    let evaluations: Vec<Evaluation> = match assignments {
        Some(assignments) => {
            assignments.into_iter().map(|bits| evaluation(builder, place, decision, bits)).collect()
        }
        None => regions(builder, place, decision),
    };
    let mut scope = place.site.scope;
    for evaluation in &evaluations {
        scope = builder.sent.scope(&builder.model, scope, evaluation.expr);
    }
    let point = Point { decision: decision.clone(), scope, evaluations };
    match builder.is_observable() {
        true => Point { evaluations: observed(builder, place, &point), ..point },
        false => point,
    }
}

/// Each evaluation once for every condition that determines the decision in it: whether that matters at an
/// output differs between conditions.
fn observed(builder: &mut Builder<'_>, place: &NamedSite, point: &Point) -> Vec<Evaluation> {
    let mut list = Vec::new();
    for condition in 0..point.decision.conditions.len() {
        for idx in point.serving(condition) {
            let evaluation = point.evaluations[idx];
            let fault = flip::fault(builder, place, condition, evaluation.expr);
            list.push(Evaluation { observed: Some(Observed { condition, fault }), ..evaluation });
        }
    }
    list
}

/// The assignments in which some condition determines the decision; `None` if there are too many.
fn assignments(decision: &Decision, limit: usize) -> Option<Vec<u64>> {
    let n_conditions = decision.conditions.len();
    if n_conditions > MAX_CONDITIONS {
        return None;
    }
    let values: Vec<bool> = (0..1u64 << n_conditions).map(|bits| decision.value(bits)).collect();
    let decides = |bits: &u64| {
        let flipped = |idx: usize| values[(*bits ^ 1 << idx) as usize];
        (0..n_conditions).any(|idx| flipped(idx) != values[*bits as usize])
    };
    let all: Vec<u64> =
        (0..1u64 << n_conditions).filter(decides).take(limit.saturating_add(1)).collect();
    (all.len() <= limit).then_some(all)
}

fn evaluation(
    builder: &mut Builder<'_>,
    place: &NamedSite,
    decision: &Decision,
    bits: u64,
) -> Evaluation {
    let exprs = &mut builder.model.exprs;
    let mut expr = place.reach;
    for (idx, condition) in decision.conditions.iter().enumerate() {
        let literal = exprs.literal(condition.expr, bits >> idx & 1 == 1);
        expr = exprs.and(expr, literal);
    }
    let value = decision.value(bits);
    Evaluation { expr, seen: Seen::All(bits), value, observed: None }
}

/// Four regions per condition: it determines the decision, and it and the decision are true or
/// false.
fn regions(builder: &mut Builder<'_>, place: &NamedSite, decision: &Decision) -> Vec<Evaluation> {
    let whole = builder.model.occurrences.get(place.site.decision).expr;
    let exprs = &mut builder.model.exprs;
    let derivatives = decision.derivatives(exprs);
    let mut regions = Vec::new();
    for (idx, condition) in decision.conditions.iter().enumerate() {
        for (holds, value) in [(true, true), (false, false), (true, false), (false, true)] {
            let parts = [
                place.reach,
                derivatives[idx],
                exprs.literal(condition.expr, holds),
                exprs.literal(whole, value),
            ];
            let expr = parts.into_iter().reduce(|all, part| exprs.and(all, part));
            let seen = Seen::One { condition: idx, holds };
            regions.extend(expr.map(|expr| Evaluation { expr, seen, value, observed: None }));
        }
    }
    regions
}
