//! Why a formula of CTL is false: a path that shows it, as far as one path can.
//!
//! It is looked for as the explicit engine does it, with sets of states instead of a graph.

use rustc_hash::FxHashSet;
use trapline_model::{Model, Type};

use crate::answer::Why;
use crate::shape::{self, Bounds, Literal, Shape};

use super::ctl::{self, Truth};
use super::fair::FairGraph;
use super::lasso;
use super::manager::Bdd;
use super::search::{Literals, Way};
use super::walk::{shortest, successor};

/// No path for a bounded operator is longer.
const MAX_STEPS: u64 = 1 << 14;

/// A path that shows a fact about a state, in which a fair path starts.
///
/// # Errors
/// When the budget runs out.
pub fn counterexample(
    fair: &FairGraph,
    model: &Model,
    fact: Literal,
    truth: &Truth,
    state: Literals,
) -> Result<Way, Why> {
    let mut way = Way { states: vec![state], loop_start: None };
    let mut facts = vec![fact];
    while way.loop_start.is_none() {
        let here = fair.system.only(last(&way))?;
        let Some(shape) = next_shape(fair, model, truth, &facts, &here)? else { break };
        facts = follow(fair, truth, shape, &mut way)?;
    }
    Ok(way)
}

/// The first shape of a path that makes one of the facts true in the state.
fn next_shape(
    fair: &FairGraph,
    model: &Model,
    truth: &Truth,
    facts: &[Literal],
    state: &Bdd,
) -> Result<Option<Shape>, Why> {
    let mut seen = FxHashSet::default();
    let mut open: Vec<Literal> = facts.iter().rev().copied().collect();
    while let Some(fact) = open.pop() {
        let is_atom = model.exprs.ty(fact.formula) != Type::Temporal;
        if is_atom || !seen.insert(fact) {
            continue;
        }
        match shape::quantified(&model.exprs, fact.formula) {
            Some(claim) if claim.exists == fact.is_true => return Ok(Some(claim.shape)),
            Some(_) => {}
            None => {
                let is_true = |formula| fair.system.manager.meets(truth.of(formula), state);
                let reasons = shape::reasons(&model.exprs, fact.formula, is_true)?;
                open.extend(reasons.into_iter().rev());
            }
        }
    }
    Ok(None)
}

/// Takes a path of this shape, and returns what is then to be shown.
fn follow(
    fair: &FairGraph,
    truth: &Truth,
    shape: Shape,
    way: &mut Way,
) -> Result<Vec<Literal>, Why> {
    let counting = |literal: Literal| truth.counting(fair, literal);
    match shape {
        Shape::Next(target) => {
            let next = successor(fair.system, last(way), &counting(target)?)?;
            way.states.push(next);
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
            walk_layers(fair, near, lo, way, |set| ctl::step_towards(fair, through, set), None)?;
            let Some(rest) = shortest(fair.system, last(way), through, &goal)? else {
                return Ok(Vec::new());
            };
            way.states.extend(rest);
            Ok(vec![target])
        }
        Shape::Stay { stay, release, bounds } => {
            let (inside, released) = (counting(stay)?, release.map(counting).transpose()?);
            let end = match bounds {
                Some(bounds) => stay_between(fair, &inside, released.as_ref(), bounds, way)?,
                None => remain(fair, &inside, released.as_ref(), way)?,
            };
            let stay = end.is_inside.then_some(stay);
            Ok(release.filter(|_| end.is_released).into_iter().chain(stay).collect())
        }
    }
}

/// What is to be shown in the last state of a path that was to stay somewhere.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    /// That it releases the path.
    is_released: bool,
    /// That it is inside.
    is_inside: bool,
}

/// Goes on inside a set to a nearest state that releases the path, or else into a fair loop.
fn remain(
    fair: &FairGraph,
    inside: &Bdd,
    released: Option<&Bdd>,
    way: &mut Way,
) -> Result<End, Why> {
    if let Some(released) = released {
        let goal = fair.system.manager.and(inside, released)?;
        if !goal.is_false()
            && let Some(rest) = shortest(fair.system, last(way), inside, &goal)?
        {
            way.states.extend(rest);
            return Ok(End { is_released: true, is_inside: true });
        }
    }
    lasso::close(fair, inside, way)?;
    Ok(End::default())
}

/// Stays in a set while within the bounds, unless the path is released before.
fn stay_between(
    fair: &FairGraph,
    inside: &Bdd,
    released: Option<&Bdd>,
    Bounds { lo, hi }: Bounds,
    way: &mut Way,
) -> Result<End, Why> {
    let manager = &fair.system.manager;
    if lo > MAX_STEPS {
        return Ok(End::default());
    }
    let long = fair.peel(inside, released, hi - lo)?;
    let step = |set: &Bdd| ctl::step_inside(fair, released, set);
    if walk_layers(fair, long, lo, way, step, released)? {
        return Ok(End { is_released: true, is_inside: false });
    }
    if hi - lo > MAX_STEPS {
        let endless = fair.staying(inside)?;
        if manager.meets(&endless, &fair.system.only(last(way))?)? {
            lasso::close(fair, inside, way)?;
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
    let is_released = walk_layers(fair, inside.clone(), hi - lo, way, step, released)?;
    Ok(End { is_released, is_inside: true })
}

/// Takes so many steps, such that after each the rest can be taken: `step` makes the set for one
/// more step, starting with the set for none. Stops in a state that is released, and says so.
fn walk_layers(
    fair: &FairGraph,
    last_set: Bdd,
    n_steps: u64,
    way: &mut Way,
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
            && fair.system.manager.meets(released, &fair.system.only(last(way))?)?
        {
            return Ok(true);
        }
        let next = successor(fair.system, last(way), layer)?;
        way.states.push(next);
    }
    Ok(false)
}

fn last(way: &Way) -> &Literals {
    way.states.last().unwrap_or_else(|| unreachable!("a path starts in a state"))
}
