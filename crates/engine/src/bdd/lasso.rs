//! Fair loops: a way that never ends.

use crate::answer::Why;

use super::fair::{FairGraph, Justice};
use super::manager::Bdd;
use super::search::{Literals, Way};
use super::walk::{deepest, path, shortest, successor, visited};

/// So often a loop is looked for near the start, before it is looked for as far away as possible.
const MAX_MISSES: usize = 8;

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
    let loop_start = if fair.fairness.compassion.is_empty() {
        go_around(fair, &recurrent, way)?
    } else {
        go_around_component(fair, &recurrent, way)?
    };
    // The last state is the first of the loop again.
    way.states.pop();
    way.loop_start = Some(loop_start);
    Ok(())
}

/// Meets one constraint after the other and goes back to where it started. If there is no way
/// back, a later component has been reached, and there it begins again. Where does the loop start?
fn go_around(fair: &FairGraph, recurrent: &Bdd, way: &mut Way) -> Result<usize, Why> {
    let system = fair.system;
    let mut n_missed = 0;
    loop {
        let start = way.states.len() - 1;
        for justice in &fair.fairness.justice {
            meet(fair, recurrent, justice, start, way)?;
        }
        if go_back(fair, recurrent, start, way)? {
            return Ok(start);
        }
        n_missed += 1;
        if way.states.len() - 1 == start {
            let next = if n_missed > MAX_MISSES {
                deepest(system, last(way), recurrent)?
            } else {
                vec![successor(system, last(way), recurrent)?]
            };
            way.states.extend(next);
        }
    }
}

/// The same with compassion: from one component to a later one, until one has all that a fair path
/// meets.
fn go_around_component(fair: &FairGraph, recurrent: &Bdd, way: &mut Way) -> Result<usize, Why> {
    let system = fair.system;
    let manager = &system.manager;
    let component = loop {
        let here = system.only(last(way))?;
        let next = manager.and(&system.image(&here)?, recurrent)?;
        let after = visited(system, next, recurrent, recurrent)?;
        let component = fair.closure(&manager.and(&here, &after)?, &after, u64::MAX)?;
        if !component.is_false() && is_fair(fair, &component)? {
            break component;
        }
        let later = manager.minus(&after, &component)?;
        let next = shortest(system, last(way), recurrent, &later)?;
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
    if !go_back(fair, &component, start, way)? {
        unreachable!("a component is connected");
    }
    Ok(start)
}

/// Goes back to a state of the way, if that is possible.
fn go_back(fair: &FairGraph, inside: &Bdd, start: usize, way: &mut Way) -> Result<bool, Why> {
    let system = fair.system;
    let first = system.only(&way.states[start][..system.state_bits.len()])?;
    let here = system.only(&last(way)[..system.state_bits.len()])?;
    if way.states.len() - 1 > start && system.manager.meets(&here, &first)? {
        return Ok(true);
    }
    let rest = path(system, here, inside, &first)?;
    let is_possible = rest.is_some();
    way.states.extend(rest.into_iter().flatten());
    Ok(is_possible)
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
