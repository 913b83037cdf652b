//! Answers at random without a search, where assignments leave only choices open.
//!
//! Variables that nothing is assigned to draw a value of their type, all alike; then assignments
//! are evaluated in an order in which each reads what is known, and a set gives one of its members,
//! all alike. What a constraint forbids is drawn again. So every answer may come, as often as its
//! draws say. Models whose constraints forbid almost everything need a search.

use fastrand::Rng;
use rustc_hash::FxHashSet;
use trapline_budget::{Budget, Exhausted};
use trapline_model::eval::{Cell, Plan, ValueSet};
use trapline_model::{Domain, ExprId, Model, Value};

use super::propagate::{fits, make_real};
use super::{Demand, Problem, Rule, Slot, Values, When};

/// So often values are drawn before somebody has to search.
const MAX_DRAWS: u64 = 8;

/// A problem in an order for drawing its values.
pub struct Draw {
    free: Vec<(Slot, Domain, u64)>,
    stages: Vec<Stage>,
    size: u64,
}

/// Rules that read no more than is known after the stages before.
struct Stage {
    when: When,
    plan: Plan,
    /// What each root gives, or that it must be true.
    targets: Vec<Option<(Slot, Domain)>>,
}

impl Draw {
    /// Prepares the values of these slots; `None` if a search must find them, because variables
    /// have infinitely many values, are assigned each other, or are given.
    pub fn new(model: &Model, problem: &Problem, slots: &[Slot]) -> Option<Draw> {
        let open: FxHashSet<Slot> = slots.iter().copied().collect();
        let assigned: FxHashSet<Slot> =
            problem.rules.iter().filter_map(|rule| target(rule)).map(|(slot, _)| slot).collect();
        // What is given is no choice, and may differ from what is assigned.
        if !assigned.is_subset(&open) {
            return None;
        }
        let mut free = Vec::new();
        for &slot in slots.iter().filter(|slot| !assigned.contains(slot)) {
            let (Slot::Current(var) | Slot::Next(var)) = slot;
            let domain = &model.var(var).domain;
            free.push((slot, domain.clone(), domain.size()?));
        }
        let stages = stages(model, problem, assigned)?;
        let instrs = stages.iter().map(|stage| stage.plan.instrs().len() as u64);
        let size = instrs.sum::<u64>() + slots.len() as u64;
        Some(Draw { free, stages, size })
    }

    /// An answer that meets more constraints too; `None` if none was drawn.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn draw(
        &self,
        mut values: Values,
        more: &Problem,
        rng: &mut Rng,
        budget: &Budget<'_>,
    ) -> Result<Option<Values>, Exhausted> {
        let mut cells = Vec::new();
        for _ in 0..MAX_DRAWS {
            budget.spend(self.size + more.size())?;
            let is_drawn = self.draw_once(&mut values, rng, &mut cells);
            let mut holds = |rule: &Rule| {
                rule.run(&values, &mut cells);
                rule.plan.root(0, &cells).as_bool() == Some(true)
            };
            if is_drawn && more.rules.iter().all(|rule| holds(rule)) {
                return Ok(Some(values));
            }
        }
        Ok(None)
    }

    fn draw_once(&self, values: &mut Values, rng: &mut Rng, cells: &mut Vec<Cell>) -> bool {
        for (slot, domain, size) in &self.free {
            values.set(*slot, Some(domain.value(rng.u64(0..*size))));
        }
        self.stages.iter().all(|stage| {
            match stage.when {
                When::Here => stage.plan.run(&values.current, &values.next, cells),
                When::There => stage.plan.run(&values.next, &[], cells),
            }
            stage.targets.iter().enumerate().all(|(idx, target)| {
                let cell = stage.plan.root(idx, cells);
                let Some((slot, domain)) = target else { return cell.as_bool() == Some(true) };
                let value = member(cell, domain, rng);
                values.set(*slot, value);
                value.is_some()
            })
        })
    }
}

fn target(rule: &Rule) -> Option<(Slot, Domain)> {
    match &rule.demand {
        Demand::Choose(slot, domain) => Some((*slot, domain.clone())),
        _ => None,
    }
}

/// Rules in an order in which each reads what is known; `None` if some are assigned each other.
fn stages(model: &Model, problem: &Problem, mut open: FxHashSet<Slot>) -> Option<Vec<Stage>> {
    let mut stages = Vec::new();
    let mut rules: Vec<&Rule> = problem.rules.iter().map(AsRef::as_ref).collect();
    while !rules.is_empty() {
        let is_ready = |rule: &&Rule| !rule.reads.iter().any(|slot| open.contains(slot));
        let (ready, waiting): (Vec<&Rule>, Vec<&Rule>) = rules.into_iter().partition(is_ready);
        if ready.is_empty() {
            return None;
        }
        for when in [When::Here, When::There] {
            let meant = ready.iter().filter(|rule| rule.when == when);
            let (exprs, targets): (Vec<ExprId>, Vec<_>) =
                meant.map(|rule| (rule.expr, target(rule))).unzip();
            if !exprs.is_empty() {
                stages.push(Stage { when, plan: Plan::new(model, &exprs), targets });
            }
        }
        for (slot, _) in ready.into_iter().filter_map(target) {
            open.remove(&slot);
        }
        rules = waiting;
    }
    Some(stages)
}

/// A value of a cell, all alike; none if one lies outside the domain.
fn member(cell: &Cell, domain: &Domain, rng: &mut Rng) -> Option<Value> {
    let mut value = match cell {
        Cell::Value(value) => Some(*value).filter(|&value| domain.contains(value)),
        Cell::Set(set) if !set.is_partial && fits(set, domain) => one_of(set, rng),
        Cell::Set(_) | Cell::Fail(_) | Cell::Unknown => None,
    }?;
    if matches!(domain, Domain::Real | Domain::Clock) {
        make_real(&mut value);
    }
    Some(value)
}

fn one_of(set: &ValueSet, rng: &mut Rng) -> Option<Value> {
    if let ([], [(lo, hi)]) = (set.values.as_slice(), set.ranges.as_slice()) {
        return (lo <= hi).then(|| Value::Int(rng.i64(*lo..=*hi)));
    }
    let mut members: Vec<Value> = Vec::new();
    for member in set.iter() {
        if !members.contains(&member) {
            members.push(member);
        }
    }
    rng.choice(members)
}
