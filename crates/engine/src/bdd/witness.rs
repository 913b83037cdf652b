//! Counterexamples to CTL formulas, as far as a single path can show them.
//!
//! The same construction as in the explicit engine, on sets of states instead of a graph.

use trapline_model::Model;

use crate::answer::Why;
use crate::shape::{self, Bounds, End, Literal, Shape};

use super::ctl::{self, Truth};
use super::fair::FairGraph;
use super::lasso;
use super::manager::Bdd;
use super::search::{Literals, Path};
use super::walk::{shortest, successor};

/// Length limit of paths for bounded operators.
const MAX_STEPS: u64 = 1 << 14;

/// A path that demonstrates a fact about a state, from which a fair path starts.
///
/// # Errors
/// When the budget runs out.
pub fn counterexample(
    fair: &FairGraph,
    model: &Model,
    fact: Literal,
    truth: &Truth,
    state: Literals,
) -> Result<Path, Why> {
    let mut path = Path { states: vec![state], loop_start: None };
    let mut facts = vec![fact];
    while path.loop_start.is_none() {
        let here = fair.system.only(last(&path))?;
        let is_true = |formula| fair.system.manager.meets(truth.of(formula), &here);
        let Some(shape) = shape::first_shape(&model.exprs, &facts, is_true)? else { break };
        facts = follow(fair, truth, shape, &mut path)?;
    }
    Ok(path)
}

/// Follows a path of this shape, and returns the facts left to demonstrate at its end.
fn follow(
    fair: &FairGraph,
    truth: &Truth,
    shape: Shape,
    path: &mut Path,
) -> Result<Vec<Literal>, Why> {
    let counting = |literal: Literal| truth.counting(fair, literal);
    match shape {
        Shape::Next(target) => {
            let next = successor(fair.system, last(path), &counting(target)?)?;
            path.states.push(next);
            Ok(vec![target])
        }
        Shape::Reach { through, target, bounds } => {
            let through = through.map(counting).transpose()?;
            let through = through.as_ref().unwrap_or(&fair.states);
            let goal = counting(target)?;
            let Bounds { lo, hi } = bounds.unwrap_or(Bounds { lo: 0, hi: u64::MAX });
            if lo > MAX_STEPS {
                return Ok(Vec::new());
            }
            let near = match lo {
                0 => goal.clone(),
                _ => fair.closure(&goal, through, hi - lo)?,
            };
            walk_layers(fair, near, lo, path, |set| ctl::step_towards(fair, through, set), None)?;
            let Some(rest) = shortest(fair.system, last(path), through, &goal)? else {
                return Ok(Vec::new());
            };
            path.states.extend(rest);
            Ok(vec![target])
        }
        Shape::Stay { stay, release, bounds } => {
            let (inside, released) = (counting(stay)?, release.map(counting).transpose()?);
            let end = match bounds {
                Some(bounds) => stay_between(fair, &inside, released.as_ref(), bounds, path)?,
                None => remain(fair, &inside, released.as_ref(), path)?,
            };
            let stay = end.is_inside.then_some(stay);
            Ok(release.filter(|_| end.is_released).into_iter().chain(stay).collect())
        }
    }
}

/// Continues inside a set to a nearest releasing state, or else into a fair cycle.
fn remain(
    fair: &FairGraph,
    inside: &Bdd,
    released: Option<&Bdd>,
    path: &mut Path,
) -> Result<End, Why> {
    if let Some(released) = released {
        let goal = fair.system.manager.and(inside, released)?;
        if !goal.is_false()
            && let Some(rest) = shortest(fair.system, last(path), inside, &goal)?
        {
            path.states.extend(rest);
            return Ok(End { is_released: true, is_inside: true });
        }
    }
    lasso::close(fair, inside, path)?;
    Ok(End::default())
}

/// Stays in a set while within the bounds, unless released earlier.
fn stay_between(
    fair: &FairGraph,
    inside: &Bdd,
    released: Option<&Bdd>,
    Bounds { lo, hi }: Bounds,
    path: &mut Path,
) -> Result<End, Why> {
    let manager = &fair.system.manager;
    if lo > MAX_STEPS {
        return Ok(End::default());
    }
    let long = fair.peel(inside, released, hi - lo)?;
    let step = |set: &Bdd| ctl::step_inside(fair, released, set);
    if walk_layers(fair, long, lo, path, step, released)? {
        return Ok(End { is_released: true, is_inside: false });
    }
    if hi - lo > MAX_STEPS {
        let endless = fair.staying(inside)?;
        if manager.meets(&endless, &fair.system.only(last(path))?)? {
            lasso::close(fair, inside, path)?;
        }
        return Ok(End::default());
    }
    let step = |set: &Bdd| {
        let mut before = fair.before(set)?;
        if let Some(released) = released {
            before = manager.or(&before, released)?;
        }
        manager.and(&before, inside)
    };
    let is_released = walk_layers(fair, inside.clone(), hi - lo, path, step, released)?;
    Ok(End { is_released, is_inside: true })
}

/// Takes `n_steps` steps through layers: `last_set` is the last, and `step` computes the layer
/// before another. Returns true if it stopped early, at a releasing state.
fn walk_layers(
    fair: &FairGraph,
    last_set: Bdd,
    n_steps: u64,
    path: &mut Path,
    step: impl Fn(&Bdd) -> Result<Bdd, Why>,
    released: Option<&Bdd>,
) -> Result<bool, Why> {
    let mut layers = vec![last_set];
    for _ in 1..n_steps {
        let Some(layer) = layers.last() else { break };
        layers.push(step(layer)?);
    }
    for layer in layers.iter().take(n_steps as usize).rev() {
        if let Some(released) = released
            && fair.system.manager.meets(released, &fair.system.only(last(path))?)?
        {
            return Ok(true);
        }
        let next = successor(fair.system, last(path), layer)?;
        path.states.push(next);
    }
    Ok(false)
}

fn last(path: &Path) -> &Literals {
    path.states.last().unwrap_or_else(|| unreachable!("a path starts in a state"))
}
