//! Reachability of many targets in one search.

use trapline_model::Model;
use trapline_model::goal::Target;
use trapline_model::trace::Trace;

use crate::answer::{Reached, Start, Verdict, Why};
use crate::credit::{Depth, credit, mark_beyond, within};
use trapline_budget::Budget;

use super::backward::Backward;
use super::goals::{Goal, Tree};
use super::manager::Bdd;
use super::search::{Path, RingSearch};
use super::system::System;

/// Decides which targets are reachable.
pub fn reach(model: &Model, targets: &[Target], start: &Start, budget: &Budget) -> Reached {
    let unknown = |why: Why| Reached {
        verdicts: vec![Verdict::Unknown(why); targets.len()],
        ..Reached::default()
    };
    let (mut states, mut steps) = (Vec::new(), Vec::new());
    for target in targets {
        match target {
            Target::State(expr) => states.push(*expr),
            Target::Step(expr) => steps.push(*expr),
            Target::Steps(exprs) => steps.extend(exprs),
        }
    }
    match System::new(model, &states, &steps, budget) {
        Ok(system) => search(&system, targets, start).unwrap_or_else(unknown),
        Err(why) => unknown(why),
    }
}

fn search(system: &System, targets: &[Target], start: &Start) -> Result<Reached, Why> {
    let mut goals = Vec::new();
    for target in targets {
        goals.push(Goal::new(system, target, true)?);
    }
    system.forget();
    let sets: Vec<Bdd> = goals.iter().map(|goal| goal.set.clone()).collect();
    let mut tree = Tree::new(&system.manager, &sets)?;
    let mut rings = vec![None; targets.len()];
    let mut search = RingSearch::new(system, start)?;
    let mut open = None;
    if let Err(why) = run(&mut search, &mut tree, &mut rings) {
        open = Some(why);
    }
    let depth =
        |goal: &Goal, ring: &Option<usize>| Some(Depth::shortest((*ring)? + goal.steps.len()));
    let depths: Vec<Option<Depth>> =
        goals.iter().zip(&rings).map(|(goal, ring)| depth(goal, ring)).collect();
    let open = match open {
        Some(why) => Verdict::Unknown(why),
        None => Verdict::Unreachable(search.proof()),
    };
    let near = within(system.budget, &depths);
    let mut reached = credit(system.model, targets, &near, &open, |idx| {
        let path = path_to_goal(&search, &goals[idx], rings[idx].unwrap_or(0))?;
        search.trace(&path)
    });
    mark_beyond(&mut reached.verdicts, &depths, &near);
    Ok(Reached { stats: search.stats(), ..reached })
}

/// Searches until nothing is open or a fixpoint is reached.
fn run(search: &mut RingSearch, tree: &mut Tree, rings: &mut [Option<usize>]) -> Result<(), Why> {
    let mut backward = Backward::new(search);
    while let Some(ring) = search.rings.last() {
        let at = search.rings.len() - 1;
        for hit in tree.hits(&search.system.manager, ring)? {
            rings[hit] = Some(at);
        }
        search.note(tree.n_open);
        if tree.n_open > 0 {
            let budget = search.system.budget;
            if budget.wants_nearest() && rings.iter().any(Option::is_some) {
                return Err(Why::Nearer);
            }
            budget.reaches(search.rings.len() as u64)?;
        }
        if tree.n_open == 0 || !search.step()? {
            break;
        }
        search.n_back = backward.proceed(search, tree)?;
        if search.n_back.is_some() {
            break;
        }
    }
    Ok(())
}

/// A shortest path on which a goal is met.
///
/// # Errors
/// When the budget runs out.
pub fn path_to_goal(search: &RingSearch, goal: &Goal, ring: usize) -> Result<Path, Why> {
    let system = search.system;
    let manager = &system.manager;
    let set = manager.and(&search.rings[ring], &goal.set)?;
    let mut path = search.path_to(ring, &set)?;
    for (step, rest) in goal.steps.iter().zip(&goal.rest) {
        let Some(last) = path.states.last_mut() else { break };
        let steps = manager.and(step, &system.only(last)?)?;
        let steps = manager.and(&steps, &manager.shift(rest)?)?;
        let next = system.pick(&system.relation.after(manager, &steps)?);
        last.extend(system.inputs(last, &next, Some(step))?);
        path.states.push(next);
    }
    Ok(path)
}

/// A shortest trace on which a goal is met.
///
/// # Errors
/// When the budget runs out.
pub fn trace(search: &RingSearch, goal: &Goal, ring: usize) -> Result<Trace, Why> {
    search.trace(&path_to_goal(search, goal, ring)?)
}
