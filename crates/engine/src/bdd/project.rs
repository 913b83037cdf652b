//! The combinations of values that expressions take in reachable states.
//!
//! The states are partitioned by one bit of the values at a time.

use trapline_model::{ExprId, Model, Reads};

use crate::answer::{Projected, Projection, Start, Why};
use crate::code::value;
use trapline_budget::Budget;

use super::goals::Goal;
use super::manager::Bdd;
use super::reach;
use super::search::RingSearch;
use super::system::System;

/// All combinations of values, each with a shortest trace.
pub fn project(model: &Model, exprs: &[ExprId], start: &Start, budget: &Budget) -> Projected {
    let mut projected = Projected::default();
    let is_step = exprs.iter().any(|&expr| model.exprs.info(expr).reads.any(Reads::STEP));
    let (states, steps) = if is_step { (&[][..], exprs) } else { (exprs, &[][..]) };
    let result = System::new(model, states, steps, budget).and_then(|system| {
        let mut search = RingSearch::new(&system, start)?;
        let found = run(&mut search, exprs, is_step, &mut projected);
        projected.stats = search.stats();
        found
    });
    projected.incomplete = result.err();
    projected
}

fn run(
    search: &mut RingSearch,
    exprs: &[ExprId],
    is_step: bool,
    projected: &mut Projected,
) -> Result<(), Why> {
    let system = search.system;
    let manager = &system.manager;
    let mut values = Vec::new();
    for &expr in exprs {
        values.push(system.value(expr)?);
    }
    system.forget();
    // The union of the regions found so far.
    let mut seen = manager.constant(false);
    let mut all = manager.constant(true);
    if is_step {
        for part in &system.relation.parts {
            all = manager.and(&all, part)?;
        }
    }
    while let Some(ring) = search.rings.last() {
        let at = search.rings.len() - 1;
        let open = manager.minus(&manager.and(ring, &all)?, &seen)?;
        for (set, combination) in split(system, &values, open)? {
            seen = manager.or(&seen, &set)?;
            let goal = goal(system, set, is_step)?;
            let trace = reach::trace(search, &goal, at)?;
            let numbers = combination.iter().zip(exprs);
            let values =
                numbers.map(|(number, &expr)| value(search.system.model, expr, *number)).collect();
            projected.values.push(Projection { values, trace });
        }
        search.note(1);
        if !search.step()? {
            break;
        }
    }
    Ok(())
}

fn goal(system: &System, set: Bdd, is_step: bool) -> Result<Goal, Why> {
    if !is_step {
        return Ok(Goal { steps: Vec::new(), rest: Vec::new(), set });
    }
    let before = system.relation.before(&system.manager, &set)?;
    let rest = vec![system.manager.constant(true)];
    Ok(Goal { steps: vec![set], rest, set: before })
}

/// One combination of values, and the region of all states (reachable or not) that take it.
type Split = (Bdd, Vec<Option<i64>>);

/// Partitions a set by the values of expressions.
fn split(system: &System, values: &[(Vec<Bdd>, Bdd)], set: Bdd) -> Result<Vec<Split>, Why> {
    let manager = &system.manager;
    // The block, the region in which the values so far are taken, and these values.
    let mut parts = vec![(set, manager.constant(true), Vec::new())];
    parts.retain(|(set, ..)| !set.is_false());
    for (bits, fails) in values {
        let mut next = Vec::new();
        for (set, region, numbers) in parts {
            let failed = manager.and(&set, fails)?;
            if !failed.is_false() {
                let mut numbers: Vec<Option<i64>> = numbers.clone();
                numbers.push(None);
                next.push((failed, manager.and(&region, fails)?, numbers));
            }
            let rest = (manager.minus(&set, fails)?, manager.minus(&region, fails)?);
            for (set, region, number) in split_by(system, bits, rest)? {
                let mut numbers = numbers.clone();
                numbers.push(Some(number));
                next.push((set, region, numbers));
            }
        }
        parts = next;
    }
    Ok(parts.into_iter().map(|(_, region, numbers)| (region, numbers)).collect())
}

/// Partitions a block, and its region, by the value of a number.
fn split_by(
    system: &System,
    bits: &[Bdd],
    (set, region): (Bdd, Bdd),
) -> Result<Vec<(Bdd, Bdd, i64)>, Why> {
    let manager = &system.manager;
    let mut parts = vec![(set, region, 0i64)];
    parts.retain(|(set, ..)| !set.is_false());
    for (idx, bit) in bits.iter().enumerate().rev() {
        let mut next = Vec::new();
        // The first bit is the sign bit, extended indefinitely.
        let weight = if idx + 1 == bits.len() { -1 << idx } else { 1i64 << idx };
        for (set, region, number) in parts {
            for (bit, weight) in [(bit.negated(), 0), (bit.clone(), weight)] {
                let set = manager.and(&set, &bit)?;
                if !set.is_false() {
                    let region = manager.and(&region, &bit)?;
                    next.push((set, region, number.wrapping_add(weight)));
                }
            }
        }
        parts = next;
    }
    Ok(parts)
}
