//! Counterexamples to CTL formulas, as far as a single path can show them.
//!
//! A formula that is false in a state negates a fact that is true there. As long as the fact
//! asserts a path of some shape, such a path is followed, a shortest one where breadth-first search
//! finds it, and at its end the question becomes what the shape asserts of that state. Of several
//! true facts, the first that asserts a path is shown. The construction ends at atoms, at
//! universally quantified facts, and at infinite paths.

mod bounded;
mod lasso;
#[cfg(test)]
mod tests;
mod walk;

use fixedbitset::FixedBitSet;
use trapline_model::Model;
use trapline_model::expr::ExprId;

use super::ctl::Truth;
use super::fair::FairGraph;
use super::graph::{Path, StateId};
use crate::shape::{self, End, Literal, Shape};
use crate::{Budget, Why};

/// A path from a state in which the formula is false and a fair path starts. It has a mark for each
/// state, and if it is a lasso, its loop is fair.
///
/// # Errors
/// When the budget runs out.
pub fn counterexample(
    fair: &FairGraph,
    model: &Model,
    formula: ExprId,
    truth: &Truth,
    state: StateId,
    budget: &Budget,
) -> Result<Path, Why> {
    let mut path = Path::default();
    push(&mut path, state);
    let mut facts = vec![Literal::no(formula)];
    loop {
        let state = last(&path) as usize;
        let is_true = |formula| Ok(truth.of(formula).contains(state));
        let Some(shape) = shape::first_shape(&model.exprs, &facts, is_true)? else {
            return Ok(path);
        };
        facts = follow(fair, truth, shape, &mut path, budget)?;
    }
}

/// Follows a path of this shape, and returns the facts left to demonstrate at its end.
fn follow(
    fair: &FairGraph,
    truth: &Truth,
    shape: Shape,
    path: &mut Path,
    budget: &Budget,
) -> Result<Vec<Literal>, Why> {
    let counting = |literal: Literal| {
        let mut set = truth.set(literal);
        set.intersect_with(&fair.states);
        set
    };
    match shape {
        Shape::Next(target) => {
            let goal = counting(target);
            take(path, walk::step(fair.graph, last(path), |state| goal.contains(state as usize)));
            Ok(vec![target])
        }
        Shape::Reach { through, target, bounds } => {
            let (through, goal) = (through.map(counting), counting(target));
            let through = through.as_ref().unwrap_or(&fair.states);
            let is_shown = match bounds {
                Some(bounds) => bounded::reach(fair, through, &goal, bounds, path, budget)?,
                None => reach(fair, through, &goal, path, budget)?,
            };
            Ok(if is_shown { vec![target] } else { Vec::new() })
        }
        Shape::Stay { stay, release, bounds } => {
            let (inside, released) = (counting(stay), release.map(counting));
            let released = released.unwrap_or_else(|| fair.backward.none());
            let end = match bounds {
                Some(bounds) => bounded::stay(fair, &inside, &released, bounds, path, budget)?,
                None => remain(fair, &inside, &released, path, budget)?,
            };
            let stay = end.is_inside.then_some(stay);
            Ok(release.filter(|_| end.is_released).into_iter().chain(stay).collect())
        }
    }
}

/// Continues to a nearest goal state, unless the path is already there. Returns false if there is
/// none.
fn reach(
    fair: &FairGraph,
    through: &FixedBitSet,
    goal: &FixedBitSet,
    path: &mut Path,
    budget: &Budget,
) -> Result<bool, Why> {
    if goal.contains(last(path) as usize) {
        return Ok(true);
    }
    let is_on_way = |state: StateId| through.contains(state as usize);
    let is_goal = |state: StateId| goal.contains(state as usize);
    let way = walk::shortest(fair.graph, last(path), is_on_way, is_goal, budget)?;
    let is_found = way.is_some();
    take(path, way.into_iter().flatten());
    Ok(is_found)
}

/// Continues inside a set to a nearest releasing state, or else into a fair cycle.
fn remain(
    fair: &FairGraph,
    inside: &FixedBitSet,
    released: &FixedBitSet,
    path: &mut Path,
    budget: &Budget,
) -> Result<End, Why> {
    let goal = inside & released;
    if !goal.is_clear() && reach(fair, inside, &goal, path, budget)? {
        return Ok(End { is_released: true, is_inside: true });
    }
    lasso::close(fair, inside, path, budget)?;
    Ok(End::default())
}

fn last(path: &Path) -> StateId {
    path.states.last().copied().unwrap_or_else(|| unreachable!("a path starts in a state"))
}

fn push(path: &mut Path, state: StateId) {
    path.states.push(state);
    path.marks.push(None);
}

fn take(path: &mut Path, way: impl IntoIterator<Item = StateId>) {
    way.into_iter().for_each(|state| push(path, state));
}
