//! Paths through sets of states.

use crate::answer::Why;

use super::manager::Bdd;
use super::search::Literals;
use super::system::System;

/// A successor of the state in a set; one must exist.
///
/// # Errors
/// When the budget runs out.
pub fn successor(system: &System, state: &Literals, set: &Bdd) -> Result<Literals, Why> {
    let after = system.image(&system.only(&state[..system.state_bits.len()])?)?;
    let after = system.manager.and(&after, set)?;
    if after.is_false() {
        unreachable!("the state has a successor in the set");
    }
    Ok(system.pick(&after))
}

/// The states visited by paths from `start` with all but the last state in `through` and all but
/// the first in `inside`.
///
/// # Errors
/// When the budget runs out.
pub fn visited(system: &System, start: Bdd, through: &Bdd, inside: &Bdd) -> Result<Bdd, Why> {
    let manager = &system.manager;
    let mut frontier = start.clone();
    let mut all = start;
    while !frontier.is_false() {
        let image = system.image(&manager.and(&frontier, through)?)?;
        frontier = manager.minus(&manager.and(&image, inside)?, &all)?;
        all = manager.or(&all, &frontier)?;
        manager.tidy()?;
    }
    Ok(all)
}

/// The states after this one on a shortest path through a set to a goal, which need not lie in the
/// set; empty if the state is in the goal.
///
/// # Errors
/// When the budget runs out.
pub fn shortest(
    system: &System,
    from: &Literals,
    through: &Bdd,
    goal: &Bdd,
) -> Result<Option<Vec<Literals>>, Why> {
    let start = system.only(&from[..system.state_bits.len()])?;
    if system.manager.meets(&start, goal)? {
        return Ok(Some(Vec::new()));
    }
    nonempty_path(system, start, through, goal)
}

/// The same, with at least one step.
///
/// # Errors
/// When the budget runs out.
pub fn nonempty_path(
    system: &System,
    start: Bdd,
    through: &Bdd,
    goal: &Bdd,
) -> Result<Option<Vec<Literals>>, Why> {
    let (rings, hit) = rings(system, start, through, goal)?;
    if hit.is_false() { Ok(None) } else { Ok(Some(back(system, &rings, &hit)?)) }
}

/// The states after this one on a path through a set to a state at maximal distance.
///
/// # Errors
/// When the budget runs out.
pub fn deepest(system: &System, from: &Literals, through: &Bdd) -> Result<Vec<Literals>, Why> {
    let start = system.only(&from[..system.state_bits.len()])?;
    let nowhere = system.manager.constant(false);
    let (mut rings, _) = rings(system, start, through, &nowhere)?;
    let furthest = rings.pop().unwrap_or(nowhere);
    if rings.is_empty() { Ok(Vec::new()) } else { back(system, &rings, &furthest) }
}

/// The breadth-first layers of a search through a set, up to the first step into a goal, and the
/// goal states that it reaches.
fn rings(system: &System, start: Bdd, through: &Bdd, goal: &Bdd) -> Result<(Vec<Bdd>, Bdd), Why> {
    let manager = &system.manager;
    let mut rings = vec![start.clone()];
    let mut seen = manager.constant(false);
    let mut frontier = start;
    loop {
        let next = manager.minus(&system.image(&frontier)?, &seen)?;
        let hit = manager.and(&next, goal)?;
        frontier = manager.and(&next, through)?;
        if !hit.is_false() || frontier.is_false() {
            return Ok((rings, hit));
        }
        seen = manager.or(&seen, &frontier)?;
        rings.push(frontier.clone());
        manager.tidy()?;
    }
}

/// Backtracks from a state of a set after the last layer to the first layer, which is left out.
fn back(system: &System, rings: &[Bdd], set: &Bdd) -> Result<Vec<Literals>, Why> {
    let mut states = vec![system.pick(set)];
    for ring in rings[1..].iter().rev() {
        let Some(last) = states.last() else { break };
        let steps = system.manager.and(ring, &system.next_only(last)?)?;
        let before = system.relation.before(&system.manager, &steps)?;
        states.push(system.pick(&before));
    }
    states.reverse();
    Ok(states)
}
