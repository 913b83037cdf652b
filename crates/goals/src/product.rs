//! Products: all conjunctions of a goal of one criterion with a goal of another.

use trapline_model::Model;
use trapline_source::Span;

use crate::builder::{Builder, Notice};
use crate::criteria;
use crate::goal::{Goal, GoalKind};

/// Larger products are skipped.
const MAX_GOALS: usize = 1_000_000;

/// Adds the product of two criteria. Goals that are not about a single state or step are skipped.
pub fn add(builder: &mut Builder<'_>, left: &str, right: &str) {
    let span = Span::default();
    let name = format!("{left}*{right}");
    let sides = [left, right].map(|criterion| {
        let goals = criteria::goals(builder, criterion);
        let n_all = goals.len();
        let single: Vec<Goal> = goals.into_iter().filter(is_single).collect();
        if single.len() < n_all {
            let n_left = n_all - single.len();
            let text = format!(
                "{name}: {n_left} goals of {criterion} are not about a single state or step: left \
                 out"
            );
            builder.notices.push(Notice { span, text, is_limit: false, is_caveat: false });
        }
        single
    });
    let [left, right] = sides;
    let n_goals = left.len().saturating_mul(right.len());
    if n_goals > MAX_GOALS {
        let text = format!("{name} has {n_goals} goals, more than {MAX_GOALS}: left out");
        return builder.notices.push(Notice { span, text, is_limit: false, is_caveat: false });
    }
    let mut n_left = 0;
    for first in &left {
        for second in &right {
            if builder.is_cut() {
                return;
            }
            let both = conjunction(&mut builder.model, &first.kind, &second.kind);
            n_left += usize::from(both.is_none());
            if let Some(target) = both {
                builder.goals.push(Goal {
                    id: format!("product:{}*{}", first.id, second.id),
                    criterion: name.clone(),
                    text: format!("{}, and {}", first.text, second.text),
                    span: first.span,
                    kind: target,
                    is_property: false,
                });
            }
        }
    }
    if n_left > 0 {
        let text = format!("{name}: {n_left} of an initial state and a step: left out");
        builder.notices.push(Notice { span, text, is_limit: false, is_caveat: false });
    }
}

fn is_single(goal: &Goal) -> bool {
    matches!(goal.kind, GoalKind::Initial(_) | GoalKind::State(_) | GoalKind::Step(_))
}

/// Conjunction of two targets: initial if one of them is, a step if one of them is.
fn conjunction(model: &mut Model, first: &GoalKind, second: &GoalKind) -> Option<GoalKind> {
    let (a, b) = (expr(first)?, expr(second)?);
    let both = model.exprs.and(a, b);
    Some(match (first, second) {
        // A step from an initial state is not a single target.
        (GoalKind::Initial(_), GoalKind::Step(_)) | (GoalKind::Step(_), GoalKind::Initial(_)) => {
            return None;
        }
        (GoalKind::Initial(_), _) | (_, GoalKind::Initial(_)) => GoalKind::Initial(both),
        (GoalKind::Step(_), _) | (_, GoalKind::Step(_)) => GoalKind::Step(both),
        _ => GoalKind::State(both),
    })
}

fn expr(target: &GoalKind) -> Option<trapline_model::ExprId> {
    match target {
        GoalKind::Initial(expr) | GoalKind::State(expr) | GoalKind::Step(expr) => Some(*expr),
        GoalKind::Steps(_) | GoalKind::Pair(_) | GoalKind::Trap(..) | GoalKind::Fault(_) => None,
    }
}
