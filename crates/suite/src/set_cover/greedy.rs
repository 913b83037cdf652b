//! Fast heuristics: greedy, then removal of redundant tests, then exchanges.
//!
//! Chvátal's greedy heuristic ("A greedy heuristic for the set-covering problem", 1979): always the
//! test of least cost per gain. A pair goal counts fully for the set that completes an alternative
//! and a little for the first of the two. The costs are the caller's: with reduced costs, the same
//! function is the Lagrangian heuristic.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::core::{Alternative, Core, Cost};
use super::lists::Lists;

/// Weight of a goal.
const WHOLE: i64 = 64;

/// Weight of all first halves of a pair goal.
const HALF: i64 = 32;

/// A cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The tests, by their indices in the problem.
    pub chosen: Vec<usize>,
    /// What they cost.
    pub cost: Cost,
}

impl Choice {
    /// With the two costs exchanged.
    pub fn turned(&self) -> Choice {
        Choice { chosen: self.chosen.clone(), cost: self.cost.turned() }
    }
}

/// The first cost of each test.
pub fn own_costs(core: &Core) -> Vec<i64> {
    let most = i64::MAX as u64 >> 1;
    core.costs.iter().map(|cost| cost.first.min(most) as i64).collect()
}

/// Selects tests until all is covered, each with the least of `costs` per gain.
pub fn cover(core: &Core, costs: &[i64]) -> Choice {
    let mut state = State::new(core);
    let mut queue: BinaryHeap<Entry> =
        (0..core.tests.len()).filter_map(|test| state.entry(test, costs)).collect();
    let mut picked = Vec::new();
    while let Some(entry) = queue.pop() {
        match state.entry(entry.test.0, costs) {
            Some(now) if now == entry => {
                picked.push(entry.test.0);
                let raised = state.choose(entry.test.0);
                queue.extend(raised.into_iter().filter_map(|test| state.entry(test, costs)));
            }
            Some(now) => queue.push(now),
            None => {}
        }
    }
    state.drop_superfluous(&mut picked);
    state.exchange(&mut picked);
    let cost = picked.iter().fold(core.spent, |sum, &test| sum.plus(core.costs[test]));
    let mut chosen = core.chosen.clone();
    chosen.extend(picked.iter().map(|&test| core.tests[test]));
    Choice { chosen, cost }
}

/// A queue entry, ordered by cost per gain, then by index.
#[derive(PartialEq)]
struct Entry {
    rate: f64,
    test: Reverse<usize>,
}

impl Eq for Entry {}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        other.rate.total_cmp(&self.rate).then(self.test.cmp(&other.test))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct State<'a> {
    core: &'a Core,
    columns: Lists,
    /// For each set the goals with an alternative that contains it.
    uses: Vec<Vec<u32>>,
    n_hits: Vec<u32>,
    /// The gain of hitting a set.
    worth: Vec<i64>,
    /// The gain of each test.
    gains: Vec<i64>,
}

impl<'a> State<'a> {
    fn new(core: &'a Core) -> State<'a> {
        let mut uses = vec![Vec::new(); core.sets.len()];
        for (goal, alternatives) in core.goals.iter().enumerate() {
            for set in alternatives.iter().flat_map(|alternative| alternative.sets) {
                if uses[set as usize].last() != Some(&(goal as u32)) {
                    uses[set as usize].push(goal as u32);
                }
            }
        }
        let worth = core.required.iter().map(|price| if price.is_some() { WHOLE } else { 0 });
        let mut state = State {
            core,
            columns: core.columns(),
            uses,
            n_hits: vec![0; core.sets.len()],
            worth: worth.collect(),
            gains: vec![0; core.tests.len()],
        };
        for goal in &core.goals {
            state.add_worth(goal, 1, &mut Vec::new());
        }
        for (set, &worth) in core.sets.iter().zip(&state.worth) {
            set.iter().for_each(|&test| state.gains[test as usize] += worth);
        }
        state
    }

    fn entry(&self, test: usize, costs: &[i64]) -> Option<Entry> {
        let (cost, gain) = (costs[test] as f64, self.gains[test] as f64);
        let rate = if cost > 0.0 { cost / gain } else { cost * gain };
        (gain > 0.0).then_some(Entry { rate, test: Reverse(test) })
    }

    /// Selects a test; returns the tests whose gain may have increased.
    fn choose(&mut self, test: usize) -> Vec<usize> {
        let hit: Vec<u32> = self.columns.get(test).to_vec();
        let new: Vec<u32> =
            hit.iter().copied().filter(|&set| self.n_hits[set as usize] == 0).collect();
        let mut goals: Vec<u32> =
            new.iter().flat_map(|&set| self.uses[set as usize].iter().copied()).collect();
        goals.sort_unstable();
        goals.dedup();
        goals.retain(|&goal| !self.is_met(goal));
        let mut changed: Vec<(u32, i64)> = Vec::new();
        let core = self.core;
        for &goal in &goals {
            self.add_worth(&core.goals[goal as usize], -1, &mut changed);
        }
        for &set in &new {
            let worth = &mut self.worth[set as usize];
            changed.push((set, -std::mem::take(worth)));
        }
        hit.iter().for_each(|&set| self.n_hits[set as usize] += 1);
        goals.retain(|&goal| !self.is_met(goal));
        for &goal in &goals {
            self.add_worth(&core.goals[goal as usize], 1, &mut changed);
        }
        self.spread(changed)
    }

    fn spread(&mut self, mut changed: Vec<(u32, i64)>) -> Vec<usize> {
        changed.sort_unstable();
        let mut raised = Vec::new();
        for run in changed.chunk_by(|a, b| a.0 == b.0) {
            let change: i64 = run.iter().map(|(_, change)| change).sum();
            for &test in self.core.sets.get(run[0].0 as usize) {
                self.gains[test as usize] += change;
                if change > 0 {
                    raised.push(test as usize);
                }
            }
        }
        raised.sort_unstable();
        raised.dedup();
        raised
    }

    /// Adds the gain of the sets for an unmet goal, `sign` times, and records the changes.
    fn add_worth(&mut self, goal: &[Alternative], sign: i64, changed: &mut Vec<(u32, i64)>) {
        let half = (HALF / goal.len() as i64).max(1);
        for &Alternative { sets: [a, b], .. } in goal {
            let is_open = [a, b].map(|set| self.n_hits[set as usize] == 0);
            let worth = if a == b || is_open != [true; 2] { WHOLE } else { half };
            let sides = if a == b { &[a][..] } else { &[a, b] };
            for &set in sides.iter().filter(|&&set| self.n_hits[set as usize] == 0) {
                self.worth[set as usize] += sign * worth;
                changed.push((set, sign * worth));
            }
        }
    }

    fn is_met(&self, goal: u32) -> bool {
        let is_hit = |set: u32| self.n_hits[set as usize] > 0;
        self.core.goals[goal as usize]
            .iter()
            .any(|alternative| alternative.sets.map(is_hit) == [true; 2])
    }

    /// Removes a test. Returns the sets that become uncovered.
    fn take_out(&mut self, test: usize) -> Vec<u32> {
        let mut lacking = Vec::new();
        self.columns.get(test).iter().for_each(|&set| self.n_hits[set as usize] -= 1);
        for &set in self.columns.get(test).iter().filter(|&&set| self.n_hits[set as usize] == 0) {
            let is_needed = self.core.required[set as usize].is_some()
                || self.uses[set as usize].iter().any(|&goal| !self.is_met(goal));
            if is_needed {
                lacking.push(set);
            }
        }
        lacking
    }

    fn put_in(&mut self, test: usize) {
        self.columns.get(test).iter().for_each(|&set| self.n_hits[set as usize] += 1);
    }

    /// Most expensive first.
    fn drop_superfluous(&mut self, picked: &mut Vec<usize>) {
        picked.sort_by_key(|&test| Reverse((self.core.costs[test], test)));
        picked.retain(|&test| {
            let is_needed = !self.take_out(test).is_empty();
            if is_needed {
                self.put_in(test);
            }
            is_needed
        });
    }

    /// Exchanges tests for cheaper ones that hit everything only the old one hit.
    fn exchange(&mut self, picked: &mut [usize]) {
        let core = self.core;
        for test in picked {
            let lacking = self.take_out(*test);
            let smallest =
                lacking.iter().map(|&set| core.sets.get(set as usize)).min_by_key(|set| set.len());
            let cheaper =
                smallest.into_iter().flatten().map(|&other| other as usize).filter(|&other| {
                    core.costs[other] < core.costs[*test]
                        && lacking
                            .iter()
                            .all(|set| self.columns.get(other).binary_search(set).is_ok())
                });
            if let Some(best) = cheaper.min_by_key(|&other| (core.costs[other], other)) {
                *test = best;
            }
            self.put_in(*test);
        }
    }
}
