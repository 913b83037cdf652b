//! Schedules the enumeration: in which order unknown variables are bound, and when constraints
//! prune.
//!
//! A variable assigned a single value needs no choice: it is bound as soon as its right-hand side
//! is. When no such variable is left, the one with the fewest options is chosen: the members of its
//! assigned set, or the candidate values that the constraints leave it (see [`super::candidates`]),
//! or its whole domain. Where a constraint lists the steps of the model one by one, the program
//! forks over them. After every binding each constraint that reads the variable drops the lanes in
//! which it can no longer become true.

mod live;
mod options;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::answer::Why;
use trapline_budget::Budget;

use super::candidates::{self, Candidates};
use super::program::{Options, Program, Stage};
use crate::code::{Code, Coder, Compiled, Members, Op, Reg, Slot, operands};
use live::find_live;
use options::n_members;

/// Maximum number of branches of a program.
const MAX_FORKS: usize = 1 << 12;
/// Nodes examined per unit of work.
const NODES_PER_WORK: u64 = 16;

/// An enumeration problem.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// Slots whose values are given.
    pub given: Vec<Slot>,
    /// Slots to be enumerated.
    pub unknown: Vec<Slot>,
    /// The value of a slot is a member of this set.
    pub assigns: Vec<(Slot, Code)>,
    /// Constraints: a truth value, and where it is undefined.
    pub constraints: Vec<(Reg, Reg)>,
    /// What is read at the end.
    pub outputs: Vec<Reg>,
    /// Observed at the end: any value will do that leads to the same outputs.
    pub shown: Vec<Reg>,
    /// True if all values of inputs must be tried, even equivalent ones.
    pub needs_all_inputs: bool,
}

/// Compiles the program that enumerates all values of the unknown slots.
///
/// # Errors
/// When a choice has far too many options, or a domain has no end.
pub fn schedule(coder: &mut Coder, problem: Problem, budget: &Budget) -> Result<Program, Why> {
    let mut scheduler = Scheduler::new(coder, problem);
    scheduler.run(budget)?;
    let Scheduler { mut stages, mut outputs, shown, .. } = scheduler;
    outputs.extend(shown);
    let n_cuts = find_live(coder, &mut stages, &outputs);
    Ok(Program { ops: coder.ops().to_vec(), stages, n_cuts })
}

/// A possible next choice: best one that others wait for, then one with the fewest options.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    is_unread: bool,
    n_options: u64,
    slot: Reg,
}

/// The next choice.
struct Decision {
    slot: Reg,
    options: Options,
}

struct Scheduler<'c, 'm> {
    coder: &'c mut Coder<'m>,
    /// Slots not bound yet.
    unbound: Vec<Reg>,
    /// Assignments not used yet.
    assigns: FxHashMap<Reg, Code>,
    constraints: Vec<Reg>,
    /// Constraints that read a slot.
    readers: FxHashMap<Reg, Vec<usize>>,
    /// Conditions that have already dropped lanes.
    filtered: FxHashSet<Reg>,
    /// Slots that some assignment reads.
    awaited: FxHashSet<Reg>,
    candidates: Candidates,
    /// When each node became ready; 0 for those that are not.
    ready_at: Vec<u32>,
    now: u32,
    is_emitted: Vec<bool>,
    is_needed: Vec<bool>,
    /// Nodes that are ready and not yet computed.
    fresh: Vec<Reg>,
    /// What is read at the end.
    outputs: Vec<Reg>,
    /// What is shown at the end.
    shown: Vec<Reg>,
    fails: Reg,
    /// The constant 1.
    one: Reg,
    needs_all_inputs: bool,
    /// True if the program may still fork. Nested forks would multiply.
    can_fork: bool,
    stages: Vec<Stage>,
}

impl<'c, 'm> Scheduler<'c, 'm> {
    fn new(coder: &'c mut Coder<'m>, problem: Problem) -> Scheduler<'c, 'm> {
        let (mut fails, one) = (coder.constant(0), coder.constant(1));
        let unbound: Vec<Reg> = problem.unknown.iter().map(|&slot| coder.slot(slot)).collect();
        let given: Vec<Reg> = problem.given.iter().map(|&slot| coder.slot(slot)).collect();
        for (_, code) in &problem.assigns {
            fails = coder.or(fails, code.fails);
        }
        // Undefined lanes are kept to the end, where they are reported.
        let mut constraints = Vec::new();
        for (value, fail) in problem.constraints {
            fails = coder.or(fails, fail);
            let cond = coder.or(value, fail);
            constraints.extend(candidates::conjuncts(coder, cond));
        }
        let assigns = problem.assigns.into_iter().map(|(slot, code)| (coder.slot(slot), code));
        let mut scheduler = Scheduler {
            assigns: assigns.collect(),
            coder,
            unbound,
            constraints,
            readers: FxHashMap::default(),
            filtered: FxHashSet::default(),
            awaited: FxHashSet::default(),
            candidates: Candidates::default(),
            ready_at: Vec::new(),
            now: 1,
            is_emitted: Vec::new(),
            is_needed: Vec::new(),
            fresh: Vec::new(),
            outputs: problem.outputs,
            shown: problem.shown,
            fails,
            one,
            needs_all_inputs: problem.needs_all_inputs,
            can_fork: true,
            stages: Vec::new(),
        };
        scheduler.grow();
        scheduler.find_readers();
        scheduler.find_needed();
        for reg in given {
            scheduler.mark_ready(reg);
        }
        for idx in 0..scheduler.constraints.len() {
            scheduler.prune(idx);
        }
        scheduler.emit_ready();
        scheduler
    }

    fn run(&mut self, budget: &Budget) -> Result<(), Why> {
        loop {
            // Scheduling a large model takes long, in proportion to its nodes.
            budget.spend(1 + self.coder.ops().len() as u64 / NODES_PER_WORK)?;
            self.bind_determined();
            match self.best()? {
                _ if self.unbound.is_empty() => break,
                None => {
                    let decision = self.break_circle()?;
                    self.take(decision);
                }
                Some(best) => {
                    let may_fork = best.n_options > 1 && std::mem::take(&mut self.can_fork);
                    if may_fork && let Some((constraint_idx, members)) = self.disjunction() {
                        return self.fork(constraint_idx, members, budget);
                    }
                    let decision = self.options(best.slot)?;
                    self.take(decision);
                }
            }
        }
        let mut outputs = self.outputs.clone();
        outputs.push(self.fails);
        self.emit(&outputs);
        let fails = Some(self.fails).filter(|&reg| self.coder.as_const(reg) != Some(0));
        self.stages.push(Stage::End { fails });
        Ok(())
    }

    /// The longest constraint that is a disjunction whose members all leave little open, as in
    /// models that list their steps one by one.
    fn disjunction(&mut self) -> Option<(usize, Vec<Reg>)> {
        let unbound: FxHashSet<Reg> = self.unbound.iter().copied().collect();
        let mut longest: Option<(usize, Vec<Reg>)> = None;
        for idx in 0..self.constraints.len() {
            let cond = self.constraints[idx];
            if self.ready(cond) {
                continue;
            }
            let members = candidates::disjuncts(self.coder, cond, &self.ready_at);
            self.grow();
            let n_most = longest.as_ref().map_or(1, |(_, members)| members.len());
            if members.len() <= n_most || members.len() > MAX_FORKS {
                continue;
            }
            let decides = |member: &Reg| {
                let mut found = Candidates::default();
                candidates::collect(self.coder, *member, &unbound, &self.ready_at, &mut found);
                found.values().filter(|values| values.len() == 1).count() > 1
            };
            if members.iter().all(decides) {
                longest = Some((idx, members));
            }
        }
        longest
    }

    /// Continues with each member of a disjunction in turn.
    fn fork(
        &mut self,
        constraint_idx: usize,
        members: Vec<Reg>,
        budget: &Budget,
    ) -> Result<(), Why> {
        let fork = self.stages.len();
        self.stages.push(Stage::Fork { starts: Vec::new() });
        let mut starts = Vec::new();
        for &member in &members {
            starts.push(self.stages.len());
            let mut branch = Scheduler {
                coder: &mut *self.coder,
                unbound: self.unbound.clone(),
                assigns: self.assigns.clone(),
                constraints: self.constraints.clone(),
                readers: self.readers.clone(),
                filtered: self.filtered.clone(),
                awaited: self.awaited.clone(),
                candidates: Candidates::default(),
                ready_at: self.ready_at.clone(),
                now: self.now,
                is_emitted: self.is_emitted.clone(),
                is_needed: self.is_needed.clone(),
                fresh: Vec::new(),
                outputs: self.outputs.clone(),
                shown: self.shown.clone(),
                fails: self.fails,
                one: self.one,
                needs_all_inputs: self.needs_all_inputs,
                can_fork: false,
                stages: std::mem::take(&mut self.stages),
            };
            branch.restrict(constraint_idx, member);
            branch.run(budget)?;
            self.stages = branch.stages;
        }
        self.stages[fork] = Stage::Fork { starts };
        Ok(())
    }

    /// Replaces a disjunction by one of its members.
    fn restrict(&mut self, constraint_idx: usize, member: Reg) {
        self.grow();
        let always = self.one;
        self.constraints[constraint_idx] = always;
        // Only what this member needs is computed here.
        self.is_needed.fill(false);
        self.find_needed();
        for cond in candidates::conjuncts(self.coder, member) {
            self.require(cond);
            self.prune(self.constraints.len() - 1);
        }
        self.emit_ready();
    }

    fn find_readers(&mut self) {
        let unbound: FxHashSet<Reg> = self.unbound.iter().copied().collect();
        for (idx, &cond) in self.constraints.iter().enumerate() {
            for reg in cone(self.coder, [cond]) {
                if unbound.contains(&reg) {
                    self.readers.entry(reg).or_default().push(idx);
                }
            }
        }
    }

    fn find_needed(&mut self) {
        let assigned: Vec<Reg> = self.assigns.values().flat_map(regs_of).collect();
        let read = cone(self.coder, assigned);
        let is_slot = |reg: &Reg| matches!(self.coder.op(*reg), Op::Slot(_));
        self.awaited = read.iter().copied().filter(is_slot).collect();
        let mut roots = self.outputs.clone();
        roots.push(self.fails);
        roots.extend(&self.constraints);
        self.need(read);
        let others = cone(self.coder, roots);
        self.need(others);
    }

    /// Everything that is read directly, not only as an operand.
    fn roots(&self) -> FxHashSet<Reg> {
        let assigned = self.assigns.values().flat_map(regs_of);
        let others = self.outputs.iter().chain(&self.constraints).copied();
        assigned.chain(others).chain([self.fails]).collect()
    }

    fn need(&mut self, regs: Vec<Reg>) {
        for reg in regs {
            self.is_needed[reg as usize] = true;
            if self.ready(reg) {
                self.fresh.push(reg);
            }
        }
    }

    /// Binds slots that need no choice.
    fn bind_determined(&mut self) {
        loop {
            let is_determined = |slot: &Reg| match self.assigns.get(slot) {
                Some(Code { value: Compiled::One(reg), .. }) => self.ready(*reg),
                _ => false,
            };
            let Some(position) = self.unbound.iter().position(is_determined) else { return };
            let slot = self.unbound[position];
            let value = match self.assigns.remove(&slot) {
                Some(Code { value: Compiled::One(reg), .. }) => reg,
                _ => unreachable!("it was looked at above"),
            };
            let fits = self.fits(slot, value);
            let misses = self.coder.not(fits);
            self.fails = self.coder.or(self.fails, misses);
            self.grow();
            self.take(Decision { slot, options: Options::Listed(vec![(self.one, value)]) });
        }
    }

    /// The best next choice; `None` if there is none.
    fn best(&mut self) -> Result<Option<Candidate>, Why> {
        self.refresh_candidates();
        let mut best: Option<Candidate> = None;
        for &slot in &self.unbound {
            let n_options = match (self.assigns.get(&slot), self.candidates.get(&slot)) {
                (Some(code), _) if !regs_of(code).all(|reg| self.ready(reg)) => continue,
                (Some(Code { value: Compiled::Set(choices), .. }), _) => n_members(choices),
                (Some(_), _) => 1,
                (None, Some(values)) => values.len() as u64,
                (None, None) => self.domain_size(slot)?,
            };
            // Slots that nothing reads are chosen last: they would only repeat the work of the
            // others.
            let is_unread = !self.readers.contains_key(&slot) && !self.awaited.contains(&slot);
            let candidate = Candidate { is_unread, n_options, slot };
            if best.is_none_or(|best| candidate < best) {
                best = Some(candidate);
            }
        }
        Ok(best)
    }

    /// Recomputes the candidate values of slots.
    fn refresh_candidates(&mut self) {
        let known = |slot: &Reg| self.candidates.contains_key(slot);
        if self.unbound.iter().any(known) {
            return;
        }
        let free = self.unbound.iter().copied().filter(|slot| !self.assigns.contains_key(slot));
        let free: FxHashSet<Reg> = free.filter(|slot| self.readers.contains_key(slot)).collect();
        if free.is_empty() {
            return;
        }
        for &cond in &self.constraints {
            if self.ready_at[cond as usize] == 0 {
                candidates::collect(self.coder, cond, &free, &self.ready_at, &mut self.candidates);
            }
        }
    }

    /// Emits a choice, and everything that follows from it.
    fn take(&mut self, Decision { slot, options }: Decision) {
        match &options {
            Options::Listed(listed) => {
                let roots: Vec<Reg> = listed.iter().flat_map(|&(g, value)| [g, value]).collect();
                self.emit(&roots);
            }
            Options::Values(_) | Options::Range(..) => {}
        }
        self.stages.push(match options {
            Options::Listed(listed) if listed.len() == 1 && listed[0].0 == self.one => {
                Stage::Copy { slot, value: listed[0].1 }
            }
            options => Stage::Choose { slot, options, live: Vec::new() },
        });
        self.unbound.retain(|other| *other != slot);
        self.candidates.remove(&slot);
        self.mark_ready(slot);
        for idx in self.readers.get(&slot).cloned().unwrap_or_default() {
            self.prune(idx);
        }
        self.emit_ready();
    }

    /// Drops the lanes in which a constraint can no longer become true.
    fn prune(&mut self, constraint_idx: usize) {
        let cond = self.constraints[constraint_idx];
        let possible = candidates::possible(self.coder, cond, &self.ready_at);
        self.grow();
        if self.coder.as_const(possible) == Some(1) || !self.filtered.insert(possible) {
            return;
        }
        self.emit(&[possible]);
        self.stages.push(Stage::Filter { cond: possible, live: Vec::new() });
    }

    fn ready(&self, reg: Reg) -> bool {
        self.ready_at[reg as usize] > 0
    }

    /// Marks a slot and the nodes that it determines as ready.
    fn mark_ready(&mut self, slot: Reg) {
        self.now += 1;
        let mut stack = vec![slot];
        while let Some(reg) = stack.pop() {
            if self.ready(reg) {
                continue;
            }
            self.ready_at[reg as usize] = self.now;
            if self.is_needed[reg as usize] {
                self.fresh.push(reg);
            }
            let is_ready = |user: &&Reg| operands(self.coder.op(**user)).all(|o| self.ready(o));
            stack.extend(self.coder.users(reg).iter().filter(is_ready));
        }
    }

    /// Registers nodes created since; they are ready when their operands are.
    fn grow(&mut self) {
        for reg in self.ready_at.len()..self.coder.ops().len() {
            let op = self.coder.op(reg as Reg);
            let is_slot = matches!(op, Op::Slot(_));
            let is_ready = !is_slot && operands(op).all(|operand| self.ready(operand));
            self.ready_at.push(if is_ready { self.now } else { 0 });
            self.is_emitted.push(is_slot || matches!(op, Op::Const(_)));
            self.is_needed.push(false);
        }
    }

    /// Computes all needed nodes that are ready.
    fn emit_ready(&mut self) {
        let fresh = std::mem::take(&mut self.fresh);
        self.emit(&fresh);
    }

    /// Computes these nodes and their operands.
    fn emit(&mut self, roots: &[Reg]) {
        let mut stack: Vec<Reg> = roots.to_vec();
        let mut fresh = Vec::new();
        while let Some(reg) = stack.pop() {
            if std::mem::replace(&mut self.is_emitted[reg as usize], true) {
                continue;
            }
            fresh.push(reg);
            stack.extend(operands(self.coder.op(reg)));
        }
        if fresh.is_empty() {
            return;
        }
        fresh.sort_unstable();
        match self.stages.last_mut() {
            Some(Stage::Compute(regs)) => regs.extend(fresh),
            _ => self.stages.push(Stage::Compute(fresh)),
        }
    }
}

/// The cone of some nodes, in order.
pub fn cone(coder: &Coder, roots: impl IntoIterator<Item = Reg>) -> Vec<Reg> {
    let mut stack: Vec<Reg> = roots.into_iter().collect();
    let mut seen = FxHashSet::default();
    while let Some(reg) = stack.pop() {
        if seen.insert(reg) {
            stack.extend(operands(coder.op(reg)));
        }
    }
    let mut nodes: Vec<Reg> = seen.into_iter().collect();
    nodes.sort_unstable();
    nodes
}

/// The nodes that a code refers to.
pub fn regs_of(code: &Code) -> impl Iterator<Item = Reg> {
    let mut regs = vec![code.fails];
    match &code.value {
        Compiled::One(reg) => regs.push(*reg),
        Compiled::Set(choices) => {
            for choice in choices {
                regs.push(choice.guard);
                if let Members::One(reg) = choice.members {
                    regs.push(reg);
                }
            }
        }
    }
    regs.into_iter()
}
