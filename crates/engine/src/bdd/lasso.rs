//! Fair loops: a way that never ends.

use crate::answer::Why;

use super::fair::{FairGraph, Justice};
use super::manager::Bdd;
use super::search::{Literals, Way};
use super::walk::{path, shortest};

/// Goes on to a fair loop inside a set, and around it. There must be one.
///
/// # Errors
/// When the budget runs out.
pub fn close(fair: &FairGraph, inside: &Bdd, way: &mut Way) -> Result<(), Why> {
    let system = fair.system;
    let manager = &system.manager;
    let inside = manager.and(inside, &fair.states)?;
    let recurrent = fair.recurrent(&inside)?;
    let stem = shortest(system, last(way), &inside, &recurrent)?;
    way.states.extend(stem.unwrap_or_else(|| unreachable!("a fair path starts in this state")));
    // From one component to a later one, until one has all that a fair path meets.
    let component = loop {
        let here = system.only(last(way))?;
        let after = forward(fair, &here, &recurrent)?;
        let component = fair.closure(&manager.and(&here, &after)?, &after, u64::MAX)?;
        if !component.is_false() && is_fair(fair, &component)? {
            break component;
        }
        let later = manager.minus(&after, &component)?;
        let next = shortest(system, last(way), &recurrent, &later)?;
        way.states.extend(next.unwrap_or_else(|| unreachable!("a fair loop comes later")));
    };
    let start = way.states.len() - 1;
    for justice in &fair.fairness.justice {
        meet(fair, &component, justice, start, way)?;
    }
    for (p, q) in &fair.fairness.compassion {
        if manager.meets(p, &component)? {
            meet(fair, &component, &Justice::States(q.clone()), start, way)?;
        }
    }
    let first = system.only(&way.states[start][..system.state_bits.len()])?;
    let here = system.only(&last(way)[..system.state_bits.len()])?;
    let is_back = way.states.len() - 1 > start && manager.meets(&here, &first)?;
    if !is_back {
        let rest = path(system, here, &component, &first)?;
        way.states.extend(rest.unwrap_or_else(|| unreachable!("a component is connected")));
    }
    way.states.pop();
    way.loop_start = Some(start);
    Ok(())
}

/// The states after one or more steps from a set, inside another.
fn forward(fair: &FairGraph, start: &Bdd, inside: &Bdd) -> Result<Bdd, Why> {
    let manager = &fair.system.manager;
    let mut frontier = start.clone();
    let mut all = manager.constant(false);
    while !frontier.is_false() {
        let next = manager.and(&fair.system.image(&frontier)?, inside)?;
        frontier = manager.minus(&next, &all)?;
        all = manager.or(&all, &frontier)?;
        manager.tidy()?;
    }
    Ok(all)
}

/// Can a fair path stay in a component?
fn is_fair(fair: &FairGraph, component: &Bdd) -> Result<bool, Why> {
    let manager = &fair.system.manager;
    for justice in &fair.fairness.justice {
        let is_met = match justice {
            Justice::States(states) => manager.meets(states, component)?,
            Justice::Steps(steps) => !fair.taking(steps, component)?.is_false(),
        };
        if !is_met {
            return Ok(false);
        }
    }
    for (p, q) in &fair.fairness.compassion {
        if manager.meets(p, component)? && !manager.meets(q, component)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Goes on inside a component until a constraint has been met since the start of the loop.
fn meet(
    fair: &FairGraph,
    component: &Bdd,
    justice: &Justice,
    start: usize,
    way: &mut Way,
) -> Result<(), Why> {
    let system = fair.system;
    let manager = &system.manager;
    let goal = match justice {
        Justice::States(states) => {
            for state in &way.states[start..] {
                let state = system.only(&state[..system.state_bits.len()])?;
                if manager.meets(&state, states)? {
                    return Ok(());
                }
            }
            manager.and(states, component)?
        }
        Justice::Steps(steps) => fair.taking(steps, component)?,
    };
    let rest = shortest(system, last(way), component, &goal)?;
    way.states.extend(rest.unwrap_or_else(|| unreachable!("a component is connected")));
    if let Justice::Steps(steps) = justice {
        let here = last(way)[..system.state_bits.len()].to_vec();
        let taken = manager.and(steps, &system.only(&here)?)?;
        let after = system.relation.after(manager, &taken)?;
        let next = system.pick(&manager.and(&after, component)?);
        let inputs = system.inputs(&here, &next, Some(steps))?;
        if let Some(last) = way.states.last_mut() {
            last.truncate(system.state_bits.len());
            last.extend(inputs);
        }
        way.states.push(next);
    }
    Ok(())
}

fn last(way: &Way) -> &Literals {
    way.states.last().unwrap_or_else(|| unreachable!("a path starts in a state"))
}
