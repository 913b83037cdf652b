//! Lasso-shaped paths: a stem followed by a fair cycle.

use crate::answer::Why;

use super::fair::{FairGraph, Justice};
use super::manager::Bdd;
use super::search::{Literals, Path};
use super::walk::{deepest, nonempty_path, shortest, successor, visited};

/// Attempts to close the cycle near the start before trying as far away as possible.
const MAX_MISSES: usize = 8;

/// Extends the path by a stem to a fair cycle inside a set, and by the cycle, which must exist.
///
/// # Errors
/// When the budget runs out.
pub fn close(fair: &FairGraph, inside: &Bdd, path: &mut Path) -> Result<(), Why> {
    let system = fair.system;
    let manager = &system.manager;
    let inside = manager.and(inside, &fair.states)?;
    let recurrent = fair.recurrent(&inside)?;
    let stem = shortest(system, last(path), &inside, &recurrent)?;
    path.states.extend(stem.unwrap_or_else(|| unreachable!("a fair path starts in this state")));
    let loop_start = if fair.fairness.compassion.is_empty() {
        go_around(fair, &recurrent, path)?
    } else {
        go_around_component(fair, &recurrent, path)?
    };
    // The last state repeats the first of the cycle.
    path.states.pop();
    path.loop_start = Some(loop_start);
    Ok(())
}

/// Visits one constraint after the other and returns to the start. If the start is out of reach,
/// the path has moved to a later component, and the search starts over there. Returns the start of
/// the cycle.
fn go_around(fair: &FairGraph, recurrent: &Bdd, path: &mut Path) -> Result<usize, Why> {
    let system = fair.system;
    let mut n_missed = 0;
    loop {
        let start = path.states.len() - 1;
        for justice in &fair.fairness.justice {
            meet(fair, recurrent, justice, start, path)?;
        }
        if go_back(fair, recurrent, start, path)? {
            return Ok(start);
        }
        n_missed += 1;
        if path.states.len() - 1 == start {
            let next = if n_missed > MAX_MISSES {
                deepest(system, last(path), recurrent)?
            } else {
                vec![successor(system, last(path), recurrent)?]
            };
            path.states.extend(next);
        }
    }
}

/// The same with compassion: moves from component to later component until one contains a fair
/// cycle.
fn go_around_component(fair: &FairGraph, recurrent: &Bdd, path: &mut Path) -> Result<usize, Why> {
    let system = fair.system;
    let manager = &system.manager;
    let component = loop {
        let here = system.only(last(path))?;
        let next = manager.and(&system.image(&here)?, recurrent)?;
        let after = visited(system, next, recurrent, recurrent)?;
        let component = fair.closure(&manager.and(&here, &after)?, &after, u64::MAX)?;
        if !component.is_false() && is_fair(fair, &component)? {
            break component;
        }
        let later = manager.minus(&after, &component)?;
        let next = shortest(system, last(path), recurrent, &later)?;
        path.states.extend(next.unwrap_or_else(|| unreachable!("a fair loop comes later")));
    };
    let start = path.states.len() - 1;
    for justice in &fair.fairness.justice {
        meet(fair, &component, justice, start, path)?;
    }
    for (p, q) in &fair.fairness.compassion {
        if manager.meets(p, &component)? {
            meet(fair, &component, &Justice::States(q.clone()), start, path)?;
        }
    }
    if !go_back(fair, &component, start, path)? {
        unreachable!("a component is connected");
    }
    Ok(start)
}

/// Returns to an earlier state of the path, if possible.
fn go_back(fair: &FairGraph, inside: &Bdd, start: usize, path: &mut Path) -> Result<bool, Why> {
    let system = fair.system;
    let first = system.only(&path.states[start][..system.state_bits.len()])?;
    let here = system.only(&last(path)[..system.state_bits.len()])?;
    if path.states.len() - 1 > start && system.manager.meets(&here, &first)? {
        return Ok(true);
    }
    let rest = nonempty_path(system, here, inside, &first)?;
    let is_possible = rest.is_some();
    path.states.extend(rest.into_iter().flatten());
    Ok(is_possible)
}

/// True if a fair path can stay in the component.
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

/// Continues inside a component until a constraint has been met since the start of the cycle.
fn meet(
    fair: &FairGraph,
    component: &Bdd,
    justice: &Justice,
    start: usize,
    path: &mut Path,
) -> Result<(), Why> {
    let system = fair.system;
    let manager = &system.manager;
    let goal = match justice {
        Justice::States(states) => {
            for state in &path.states[start..] {
                let state = system.only(&state[..system.state_bits.len()])?;
                if manager.meets(&state, states)? {
                    return Ok(());
                }
            }
            manager.and(states, component)?
        }
        Justice::Steps(steps) => fair.taking(steps, component)?,
    };
    let rest = shortest(system, last(path), component, &goal)?;
    path.states.extend(rest.unwrap_or_else(|| unreachable!("a component is connected")));
    if let Justice::Steps(steps) = justice {
        let here = last(path)[..system.state_bits.len()].to_vec();
        let taken = manager.and(steps, &system.only(&here)?)?;
        let after = system.relation.after(manager, &taken)?;
        let next = system.pick(&manager.and(&after, component)?);
        let inputs = system.inputs(&here, &next, Some(steps))?;
        if let Some(last) = path.states.last_mut() {
            last.truncate(system.state_bits.len());
            last.extend(inputs);
        }
        path.states.push(next);
    }
    Ok(())
}

fn last(path: &Path) -> &Literals {
    path.states.last().unwrap_or_else(|| unreachable!("a path starts in a state"))
}
