//! The options of a choice.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{Domain, Value};

use crate::answer::Why;

use super::super::classes;
use super::super::program::Options;
use super::{Decision, Scheduler, cone};
use crate::code::{Calc, Choice, Members, Op, Reg, Slot, encode};

/// A choice with more options is rejected.
const MAX_OPTIONS: u64 = 1 << 26;
/// A larger set is not listed.
const MAX_LISTED: u64 = 4096;

impl Scheduler<'_, '_> {
    /// The options of a slot that can be chosen now.
    pub(super) fn options(&mut self, slot: Reg) -> Result<Decision, Why> {
        let options = match self.assigns.remove(&slot) {
            Some(code) => {
                let choices = self.coder.members(&code);
                match n_members(&choices) <= MAX_LISTED {
                    true => Options::Listed(self.listed(slot, &choices, code.fails)),
                    false => {
                        self.require_member(slot, &choices, code.fails);
                        self.domain(slot)?
                    }
                }
            }
            None if self.is_reducible(slot) => {
                self.grow();
                let all = self.domain(slot)?;
                let roots = self.roots();
                classes::representatives(self.coder, slot, all, &roots, &self.is_needed)
            }
            None => match self.candidates.remove(&slot) {
                Some(values) => {
                    let listed = values.iter().map(|&value| (self.fits(slot, value), value));
                    let listed = listed.collect();
                    Options::Listed(self.distinct(listed))
                }
                None => self.domain(slot)?,
            },
        };
        self.grow();
        Ok(Decision { slot, options })
    }

    /// Assignments depend on each other cyclically: one of them becomes a constraint.
    pub(super) fn break_circle(&mut self) -> Result<Decision, Why> {
        let slot = self.unbound[0];
        let Some(code) = self.assigns.remove(&slot) else {
            unreachable!("what is not assigned can be chosen")
        };
        let choices = self.coder.members(&code);
        self.require_member(slot, &choices, code.fails);
        let options = self.domain(slot)?;
        self.grow();
        Ok(Decision { slot, options })
    }

    /// Turns an assignment into a constraint.
    fn require_member(&mut self, slot: Reg, choices: &[Choice], fails: Reg) {
        let is_member = self.coder.is_member(slot, choices);
        let cond = self.coder.or(is_member, fails);
        self.grow();
        self.require(cond);
    }

    /// Adds a constraint.
    pub(super) fn require(&mut self, cond: Reg) {
        let unbound: FxHashSet<Reg> = self.unbound.iter().copied().collect();
        let reads = cone(self.coder, [cond]);
        for &reg in reads.iter().filter(|reg| unbound.contains(reg)) {
            self.readers.entry(reg).or_default().push(self.constraints.len());
        }
        self.constraints.push(cond);
        self.need(reads);
    }

    /// The members of a set one by one. A member outside the slot's type is a failure.
    fn listed(&mut self, slot: Reg, choices: &[Choice], fails: Reg) -> Vec<(Reg, Reg)> {
        // A failing lane continues with an arbitrary value, so that it is reported at the end.
        let (any, _) = self.coder.bounds(slot);
        let mut listed = vec![(fails, self.coder.constant(any))];
        for choice in choices {
            match choice.members {
                Members::One(value) => {
                    let fits = self.fits(slot, value);
                    let misses = self.coder.not(fits);
                    let misses = self.coder.and(choice.guard, misses);
                    self.fails = self.coder.or(self.fails, misses);
                    listed.push((choice.guard, value));
                }
                Members::Range(lo, hi) => {
                    for number in lo..=hi {
                        let value = self.coder.constant(number);
                        let fits = self.fits(slot, value);
                        let misses = self.coder.not(fits);
                        let misses = self.coder.and(choice.guard, misses);
                        self.fails = self.coder.or(self.fails, misses);
                        listed.push((self.coder.and(choice.guard, fits), value));
                    }
                }
            }
        }
        self.distinct(listed)
    }

    /// Drops options whose value equals that of an earlier one: everything after the choice would
    /// be repeated, exponentially often after many choices.
    fn distinct(&mut self, options: Vec<(Reg, Reg)>) -> Vec<(Reg, Reg)> {
        let mut merged: Vec<(Reg, Reg)> = Vec::new();
        let mut places: FxHashMap<Reg, usize> = FxHashMap::default();
        for (guard, value) in options {
            let place = *places.entry(value).or_insert(merged.len());
            match merged.get_mut(place) {
                Some(known) => known.0 = self.coder.or(known.0, guard),
                None => merged.push((guard, value)),
            }
        }
        // Constants come first: they are distinct.
        merged.sort_by_key(|&(_, value)| self.coder.as_const(value).is_none());
        let n_constants = merged.partition_point(|&(_, v)| self.coder.as_const(v).is_some());
        for idx in n_constants..merged.len() {
            let (mut guard, value) = merged[idx];
            for &(other_guard, other) in &merged[..idx] {
                let is_same = self.coder.calc(Calc::Eq, value, other);
                let is_again = self.coder.and(other_guard, is_same);
                let is_new = self.coder.not(is_again);
                guard = self.coder.and(guard, is_new);
            }
            merged[idx].0 = guard;
        }
        self.grow();
        let never = self.coder.constant(0);
        merged.retain(|(guard, _)| *guard != never);
        merged
    }

    /// True if the value of a node is in the domain of a slot.
    pub(super) fn fits(&mut self, slot: Reg, value: Reg) -> Reg {
        let fits = match self.domain_of(slot) {
            Domain::Enum(values) => {
                let mut any = self.coder.constant(0);
                for number in values.iter().filter_map(|&value| encode(value).ok()) {
                    let number = self.coder.constant(number);
                    let is_this = self.coder.calc(Calc::Eq, value, number);
                    any = self.coder.or(any, is_this);
                }
                self.known_to_fit(&values, value).unwrap_or(any)
            }
            _ => {
                let (lo, hi) = self.coder.bounds(slot);
                self.coder.is_between(value, lo, hi)
            }
        };
        self.grow();
        fits
    }

    /// A node all of whose leaves are members needs no test.
    fn known_to_fit(&mut self, values: &[Value], value: Reg) -> Option<Reg> {
        let numbers: FxHashSet<i64> = values.iter().filter_map(|&v| encode(v).ok()).collect();
        let mut stack = vec![value];
        let mut seen = FxHashSet::default();
        while let Some(reg) = stack.pop() {
            if !seen.insert(reg) {
                continue;
            }
            match self.coder.op(reg) {
                Op::Const(number) if numbers.contains(&number) => {}
                Op::Select(_, t, e) => stack.extend([t, e]),
                Op::Slot(_) => match self.domain_of(reg) {
                    Domain::Enum(others)
                        if others
                            .iter()
                            .all(|&v| encode(v).is_ok_and(|n| numbers.contains(&n))) => {}
                    _ => return None,
                },
                _ => return None,
            }
        }
        Some(self.coder.constant(1))
    }

    /// True if the slot is an input of which one value per equivalence class suffices.
    fn is_reducible(&self, slot: Reg) -> bool {
        let is_input = matches!(self.coder.op(slot), Op::Slot(Slot::Current(_)));
        is_input && !self.needs_all_inputs && !self.candidates.contains_key(&slot)
    }

    fn domain_of(&self, slot: Reg) -> Domain {
        let Op::Slot(Slot::Current(var) | Slot::Next(var)) = self.coder.op(slot) else {
            unreachable!("only slots are chosen")
        };
        self.coder.model.var(var).domain.clone()
    }

    pub(super) fn domain_size(&self, slot: Reg) -> Result<u64, Why> {
        let size = self.domain_of(slot).size();
        size.ok_or_else(|| Why::Unsupported("variables without bounds".into()))
    }

    fn domain(&self, slot: Reg) -> Result<Options, Why> {
        let n_options = self.domain_size(slot)?;
        // In completion most values are pinned.
        if n_options > MAX_OPTIONS && !self.needs_all_inputs {
            let text = format!("a choice between {n_options} values");
            return Err(Why::Unsupported(text));
        }
        Ok(match self.domain_of(slot) {
            Domain::Enum(values) => {
                Options::Values(values.iter().filter_map(|&value| encode(value).ok()).collect())
            }
            _ => {
                let (lo, hi) = self.coder.bounds(slot);
                Options::Range(lo, hi)
            }
        })
    }
}

/// Number of members of a set, all guards assumed true.
pub(super) fn n_members(choices: &[Choice]) -> u64 {
    let size = |choice: &Choice| match choice.members {
        Members::One(_) => 1,
        Members::Range(lo, hi) => (hi as i128 - lo as i128 + 1).clamp(0, u64::MAX as i128) as u64,
    };
    choices.iter().map(size).fold(0, u64::saturating_add)
}
