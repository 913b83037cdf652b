//! The internal form of the problem: a hitting set over sets of tests.
//!
//! A goal met by any of some tests is a *required* set. Any other goal has alternatives, each of
//! two sets that must both be hit (or of one, named twice). A core is also a node of the search,
//! with the tests chosen so far. It carries the prices of the relaxation (see `price`), so that a
//! child starts from the prices of its parent; any prices give a valid bound, good ones a tight
//! bound.

use rustc_hash::FxHashMap;

use super::draft::{Draft, sorted};
use super::lists::Lists;
use super::{Need, Objective, Problem};

/// A lexicographic cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// Minimised first.
    pub first: u64,
    /// Breaks ties.
    pub second: u64,
}

impl Cost {
    /// The sum.
    pub fn plus(self, other: Cost) -> Cost {
        Cost {
            first: self.first.saturating_add(other.first),
            second: self.second.saturating_add(other.second),
        }
    }

    /// With the two costs exchanged.
    pub fn turned(self) -> Cost {
        Cost { first: self.second, second: self.first }
    }
}

/// An alternative of a goal: hit both sets, which may be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The sets, the lower number first.
    pub sets: [u32; 2],
    /// The price of hitting each.
    pub prices: [i64; 2],
}

/// Sets of tests and which of them must be hit.
#[derive(Clone, Debug, Default)]
pub struct Core {
    /// The tests' indices in the problem.
    pub tests: Vec<usize>,
    /// What each test costs.
    pub costs: Vec<Cost>,
    /// Sets of positions in `tests`, ascending, none empty, no two the same.
    pub sets: Lists,
    /// The price of each required set; `None` for a set that is only part of alternatives.
    pub required: Vec<Option<i64>>,
    /// Goals of more than one alternative.
    pub goals: Vec<Vec<Alternative>>,
    /// The price of a unit of the second cost, where that is limited.
    pub limit_price: i64,
    /// Tests chosen so far, by their indices in the problem.
    pub chosen: Vec<usize>,
    /// What they cost.
    pub spent: Cost,
}

impl Core {
    /// The problem without the goals that the kept tests meet or that nothing meets.
    pub fn new(problem: &Problem, objective: Objective) -> Core {
        let cost = |&n_steps| match objective {
            Objective::FewestTests => Cost { first: 1, second: n_steps },
            Objective::FewestSteps => Cost { first: n_steps, second: 1 },
        };
        let costs: Vec<Cost> = problem.n_steps.iter().map(cost).collect();
        let mut draft = Draft::default();
        for need in &problem.goals {
            match need {
                Need::Any(tests) => draft.require(sorted(tests), 0),
                Need::Pair(pairs) => draft.pair(&problem.evaluations, pairs),
            }
        }
        let tests = (0..costs.len()).collect();
        let whole = draft.finish(&Core { tests, costs, ..Core::default() });
        let mut fates = vec![Fate::Open; whole.tests.len()];
        let mut keep = problem.keep.clone();
        keep.sort_unstable();
        keep.dedup();
        let mut spent = Cost::default();
        for &test in &keep {
            spent = spent.plus(cost(&problem.n_steps[test]));
            if let Ok(place) = whole.tests.binary_search(&test) {
                fates[place] = Fate::Kept;
            }
        }
        let is_implied = vec![false; whole.sets.len()];
        let Some(core) = whole.simplified(&fates, &is_implied) else {
            unreachable!("no test was dropped")
        };
        Core { chosen: keep, spent, ..core }
    }

    /// With the two costs exchanged.
    pub fn turned(&self) -> Core {
        let mut core = self.clone();
        core.costs.iter_mut().for_each(|cost| *cost = cost.turned());
        core.spent = core.spent.turned();
        core
    }

    /// For each test the sets that it is in.
    pub fn columns(&self) -> Lists {
        self.sets.turned(self.tests.len())
    }

    /// True if nothing is left to cover.
    pub fn is_done(&self) -> bool {
        self.sets.len() == 0
    }

    /// The work of one pass over all entries.
    pub fn work(&self) -> u64 {
        let n_alternatives: usize = self.goals.iter().map(Vec::len).sum();
        ((self.sets.n_items() + 2 * n_alternatives + self.tests.len()) / 64 + 1) as u64
    }

    /// The residual core after including some tests and excluding others. Sets that are `implied`
    /// are hit by whatever hits the rest. `None` if it is infeasible.
    pub fn simplified(&self, fates: &[Fate], is_implied: &[bool]) -> Option<Core> {
        let sets = self.sets.iter().zip(is_implied);
        let left = sets.map(|(set, &is_hit)| if is_hit { Left::Hit } else { left_of(set, fates) });
        let lists: Vec<Left> = left.collect();
        let mut draft = Draft::default();
        for (left, price) in lists.iter().zip(&self.required) {
            if let (Left::Tests(tests), &Some(price)) = (left, price) {
                if tests.is_empty() {
                    return None;
                }
                draft.require(tests.clone(), price);
            }
        }
        for goal in &self.goals {
            self.simplify_goal(goal, &lists, &mut draft)?;
        }
        let mut core = draft.finish(self);
        core.chosen.clone_from(&self.chosen);
        core.spent = self.spent;
        for (place, _) in fates.iter().enumerate().filter(|(_, fate)| **fate == Fate::Chosen) {
            core.chosen.push(self.tests[place]);
            core.spent = core.spent.plus(self.costs[place]);
        }
        Some(core)
    }

    fn simplify_goal(&self, goal: &[Alternative], lists: &[Left], draft: &mut Draft) -> Option<()> {
        let mut single: Option<(Vec<u32>, i64)> = None;
        let mut pairs = Vec::new();
        for alternative in goal {
            let open = [0, 1].map(|side| {
                let set = alternative.sets[side] as usize;
                match &lists[set] {
                    Left::Tests(tests) if self.required[set].is_none() => Some(tests),
                    _ => None,
                }
            });
            match open {
                [None, None] => return Some(()),
                [Some(a), Some(b)] if a.is_empty() || b.is_empty() => {}
                [Some(a), Some(b)] if a != b => pairs.push(((a, b), alternative.prices)),
                [Some(tests), _] | [_, Some(tests)] => {
                    let price = alternative.prices[0].max(alternative.prices[1]);
                    let (all, most) = single.get_or_insert_default();
                    all.extend(tests);
                    *most = price.max(*most);
                }
            }
        }
        let mut alternatives: Vec<Alternative> = Vec::new();
        if let Some((tests, price)) = single.filter(|(tests, _)| !tests.is_empty()) {
            let set = draft.set(sorted(&tests));
            alternatives.push(Alternative { sets: [set; 2], prices: [price, 0] });
        }
        for ((a, b), prices) in pairs {
            let sets = [draft.set(a.clone()), draft.set(b.clone())];
            alternatives.push(Alternative { sets, prices });
        }
        draft.goal(alternatives)
    }

    /// The connected components, smallest first.
    pub fn components(&self) -> Vec<Core> {
        let mut union = Union { parents: (0..self.tests.len()).collect() };
        for set in self.sets.iter() {
            set.iter().for_each(|&test| union.join(set[0], test));
        }
        for goal in &self.goals {
            for set in goal.iter().flat_map(|alternative| alternative.sets) {
                let first = self.sets.get(goal[0].sets[0] as usize)[0];
                union.join(first, self.sets.get(set as usize)[0]);
            }
        }
        self.split(&mut union)
    }

    fn split(&self, union: &mut Union) -> Vec<Core> {
        let mut drafts: FxHashMap<usize, Draft> = FxHashMap::default();
        let mut root_of = |set: u32| union.root(self.sets.get(set as usize)[0] as usize);
        for (set, price) in self.required.iter().enumerate() {
            if let &Some(price) = price {
                let draft = drafts.entry(root_of(set as u32)).or_default();
                draft.require(self.sets.get(set).to_vec(), price);
            }
        }
        for goal in &self.goals {
            let draft = drafts.entry(root_of(goal[0].sets[0])).or_default();
            let moved = goal.iter().map(|alternative| {
                let sets = alternative.sets.map(|set| self.sets.get(set as usize).to_vec());
                Alternative { sets: sets.map(|tests| draft.set(tests)), ..*alternative }
            });
            let moved = moved.collect();
            if draft.goal(moved).is_none() {
                unreachable!("a goal has alternatives")
            }
        }
        let mut cores: Vec<Core> = drafts.into_values().map(|draft| draft.finish(self)).collect();
        cores.sort_by_key(|core| (core.work(), core.tests.first().copied()));
        cores
    }
}

/// The decision on a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Open.
    Open,
    /// Included.
    Chosen,
    /// Included, and counted before.
    Kept,
    /// Excluded.
    Dropped,
}

/// The remainder of a set.
enum Left {
    Hit,
    Tests(Vec<u32>),
}

fn left_of(set: &[u32], fates: &[Fate]) -> Left {
    let is_in = |&test: &u32| matches!(fates[test as usize], Fate::Chosen | Fate::Kept);
    if set.iter().any(is_in) {
        return Left::Hit;
    }
    Left::Tests(set.iter().copied().filter(|&test| fates[test as usize] == Fate::Open).collect())
}

/// Union-find over tests.
struct Union {
    parents: Vec<usize>,
}

impl Union {
    fn root(&mut self, mut test: usize) -> usize {
        while self.parents[test] != test {
            self.parents[test] = self.parents[self.parents[test]];
            test = self.parents[test];
        }
        test
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a as usize), self.root(b as usize));
        let (low, high) = (a.min(b), a.max(b));
        self.parents[high] = low;
    }
}
