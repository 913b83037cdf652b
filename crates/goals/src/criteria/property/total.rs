//! Decides whether an expression is total. What an observer reads must be: a step in which the
//! observer is undefined would be lost, and the model changed.

use trapline_engine::Budget;
use trapline_engine::code::Coder;
use trapline_engine::solve::{Problem, Search, Slot, Values};
use trapline_model::dependency::support;
use trapline_model::{ExprId, Model};

/// Work limit of the question.
pub const MAX_WORK: u64 = 1_000_000;

/// True if it is known to be defined in every state and step of the types. Intervals often show
/// this; for a `case` that lists all values, a search does.
pub fn is_total(model: &Model, expr: ExprId, budget: &Budget<'_>) -> bool {
    let mut coder = Coder::new(model);
    let Ok((_, fails)) = coder.truth(expr, false) else { return false };
    coder.as_const(fails) == Some(0) || !may_fail(model, expr, budget)
}

fn may_fail(model: &Model, expr: ExprId, budget: &Budget<'_>) -> bool {
    let mut problem = Problem::default();
    problem.escape(model, expr, None);
    let support = support(model, [expr]);
    let current = support.current.iter().map(|&var| Slot::Current(var));
    let slots = current.chain(support.next.iter().map(|&var| Slot::Next(var))).collect();
    let unknown = vec![None; model.vars.len()];
    let values = Values { current: unknown.clone(), next: unknown };
    let mut search = Search::new(model, &problem, slots, values, budget);
    !matches!(search.next(&mut None), Ok(None))
}
