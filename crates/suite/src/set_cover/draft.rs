//! A core under construction: sets deduplicated, goals normalised.

use rustc_hash::FxHashMap;

use super::core::{Alternative, Core};

/// A core under construction: sets are numbered in order of insertion.
#[derive(Default)]
pub struct Draft {
    ids: FxHashMap<Vec<u32>, u32>,
    required: Vec<Option<i64>>,
    goals: Vec<Vec<Alternative>>,
}

impl Draft {
    /// The number of a set.
    pub fn set(&mut self, tests: Vec<u32>) -> u32 {
        let next = self.required.len() as u32;
        let id = *self.ids.entry(tests).or_insert(next);
        if id == next {
            self.required.push(None);
        }
        id
    }

    /// Requires a set; an empty one is ignored.
    pub fn require(&mut self, tests: Vec<u32>, price: i64) {
        if !tests.is_empty() {
            let id = self.set(tests);
            self.raise(id, price);
        }
    }

    fn raise(&mut self, set: u32, price: i64) {
        let old = &mut self.required[set as usize];
        *old = Some(old.unwrap_or(0).saturating_add(price));
    }

    /// Adds a goal; `None` when it has no alternative.
    pub fn goal(&mut self, mut alternatives: Vec<Alternative>) -> Option<()> {
        for alternative in &mut alternatives {
            if alternative.sets[0] > alternative.sets[1] {
                alternative.sets.reverse();
                alternative.prices.reverse();
            }
        }
        alternatives.sort_by_key(|alternative| alternative.sets);
        alternatives.dedup_by_key(|alternative| alternative.sets);
        match alternatives.as_slice() {
            [] => return None,
            [only] => {
                let Alternative { sets: [a, b], prices } = *only;
                self.raise(a, prices[0]);
                self.raise(b, prices[1]);
            }
            _ => self.goals.push(alternatives),
        }
        Some(())
    }

    /// Adds a pair goal. Evaluations with the same partners are merged, which leaves two required
    /// sets for a complete bipartite goal.
    pub fn pair(&mut self, evaluations: &[Vec<usize>], pairs: &[(usize, usize)]) {
        let mut lists: Vec<Vec<u32>> = Vec::new();
        let mut places: FxHashMap<usize, u32> = FxHashMap::default();
        let mut place = |evaluation: usize| {
            *places.entry(evaluation).or_insert_with(|| {
                lists.push(sorted(&evaluations[evaluation]));
                lists.len() as u32 - 1
            })
        };
        let mut edges: Vec<(u32, u32)> =
            pairs.iter().map(|&(left, right)| (place(left), place(right))).collect();
        edges.retain(|&(a, b)| !lists[a as usize].is_empty() && !lists[b as usize].is_empty());
        while merge_twins(&mut lists, &mut edges) {}
        let alternatives = edges.iter().map(|&(a, b)| {
            let sets = [a, b].map(|place| self.set(lists[place as usize].clone()));
            Alternative { sets, prices: [0; 2] }
        });
        let alternatives = alternatives.collect();
        // A goal without alternatives is infeasible.
        let _ = self.goal(alternatives);
    }

    /// The core of these sets, without the tests of `whole` that are in none, in an order that
    /// depends only on the insertion order.
    pub fn finish(self, whole: &Core) -> Core {
        let mut goals = self.goals;
        merge_goals(&mut goals);
        let mut by_id: Vec<&[u32]> = vec![&[]; self.required.len()];
        for (tests, &id) in &self.ids {
            by_id[id as usize] = tests;
        }
        let mut is_used: Vec<bool> = self.required.iter().map(Option::is_some).collect();
        for alternative in goals.iter().flatten() {
            alternative.sets.iter().for_each(|&set| is_used[set as usize] = true);
        }
        let mut core = Core { limit_price: whole.limit_price, ..Core::default() };
        let mut places = vec![u32::MAX; whole.tests.len()];
        for (set, _) in is_used.iter().enumerate().filter(|(_, is_used)| **is_used) {
            by_id[set].iter().for_each(|&test| places[test as usize] = 0);
        }
        for (test, place) in places.iter_mut().enumerate().filter(|(_, place)| **place == 0) {
            *place = core.tests.len() as u32;
            core.tests.push(whole.tests[test]);
            core.costs.push(whole.costs[test]);
        }
        let mut ids = vec![u32::MAX; is_used.len()];
        for (set, _) in is_used.iter().enumerate().filter(|(_, is_used)| **is_used) {
            ids[set] = core.sets.len() as u32;
            core.sets.push(by_id[set].iter().map(|&test| places[test as usize]));
            core.required.push(self.required[set]);
        }
        for alternative in goals.iter_mut().flatten() {
            alternative.sets = alternative.sets.map(|set| ids[set as usize]);
        }
        Core { goals, ..core }
    }
}

/// Merges goals with the same alternatives.
fn merge_goals(goals: &mut Vec<Vec<Alternative>>) {
    let mut seen: FxHashMap<Vec<[u32; 2]>, usize> = FxHashMap::default();
    let mut kept: Vec<Vec<Alternative>> = Vec::new();
    for goal in goals.drain(..) {
        let key = goal.iter().map(|alternative| alternative.sets).collect();
        let place = *seen.entry(key).or_insert(kept.len());
        if let Some(same) = kept.get_mut(place) {
            for (old, new) in same.iter_mut().zip(&goal) {
                old.prices = [0, 1].map(|side| old.prices[side].saturating_add(new.prices[side]));
            }
        } else {
            kept.push(goal);
        }
    }
    *goals = kept;
}

/// Merges sets with the same partners. Returns true if anything changed.
fn merge_twins(lists: &mut [Vec<u32>], edges: &mut Vec<(u32, u32)>) -> bool {
    let mut partners: Vec<Vec<u32>> = vec![Vec::new(); lists.len()];
    for &(a, b) in edges.iter() {
        partners[a as usize].push(b);
        partners[b as usize].push(a);
    }
    let mut firsts: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    let mut into: Vec<u32> = (0..lists.len() as u32).collect();
    for (place, list) in partners.iter_mut().enumerate().filter(|(_, list)| !list.is_empty()) {
        list.sort_unstable();
        list.dedup();
        // A set that is its own partner must be hit alone, and is not merged.
        if !list.contains(&(place as u32)) {
            into[place] = *firsts.entry(list.clone()).or_insert(place as u32);
        }
    }
    let mut has_changed = false;
    for place in 0..lists.len() {
        let first = into[place] as usize;
        if first != place {
            let more = std::mem::take(&mut lists[place]);
            lists[first].extend(more);
            has_changed = true;
        }
    }
    if has_changed {
        lists.iter_mut().for_each(|list| *list = sorted(list));
        edges.iter_mut().for_each(|edge| *edge = (into[edge.0 as usize], into[edge.1 as usize]));
        edges.sort_unstable();
        edges.dedup();
    }
    has_changed
}

/// Sorted and deduplicated.
pub fn sorted<T: Copy + TryInto<u32>>(tests: &[T]) -> Vec<u32> {
    let number = |&test: &T| match test.try_into() {
        Ok(test) => test,
        Err(_) => unreachable!("more tests than memory holds"),
    };
    let mut tests: Vec<u32> = tests.iter().map(number).collect();
    tests.sort_unstable();
    tests.dedup();
    tests
}
