//! Dual prices of requirements, such that no walk collects more than its number of steps.
//!
//! This is the dual of a linear program: minimise the steps of fractional walks that meet each
//! requirement once. Its constraints are all walks, exponentially many, so violated ones are added
//! as they are found (Kelley, *The Cutting-Plane Method*, 1960); the separation problem is a
//! longest path. Instead of the optimum of the current program, the midpoint between it and
//! feasible prices is separated, which needs far fewer cuts (Ben-Ameur and Neto, 2007).
//!
//! A walk may collect a price whenever it meets the requirement. Some requirements are remembered,
//! so that a walk collects them only once: then the price of a distant requirement can be as high
//! as its distance (as with the ng-routes of Baldacci, Mingozzi and Roberti, 2011).
//!
//! Prices are integers, in fractions of a step, and their feasibility is checked exactly.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use trapline_engine::{Budget, Why};

use super::program::Program;
use crate::goal_graph::{GoalGraph, Step};

/// Price units per step.
const UNIT: i64 = 1 << 10;

/// Number of remembered requirements, in successive attempts.
const REMEMBERED: [usize; 3] = [0, 2, 4];

/// Maximum number of search states: nodes with the set of remembered requirements.
const MAX_PLACES: usize = 1 << 20;

/// Cuts added per round.
const MAX_WALKS: usize = 24;

/// Maximum number of rounds of an attempt.
const MAX_ROUNDS: usize = 400;

/// Tolerance for improvements.
const TINY: f64 = 1e-6;

/// Maximum number of pivots per round.
const MAX_PIVOTS: usize = 5_000;

/// The lower bound: the sum of all prices. `depths` are the distances of the requirements.
pub fn fewest_steps(graph: &GoalGraph, depths: &[u64], budget: &Budget<'_>) -> u64 {
    let mut best = vec![0; graph.n_needs];
    for n_remembered in REMEMBERED {
        let n_places = graph.n_nodes() << n_remembered;
        if n_remembered > graph.n_needs || n_places > MAX_PLACES {
            break;
        }
        let mut order: Vec<usize> = (0..graph.n_needs).collect();
        order.sort_by_key(|&need| (std::cmp::Reverse(depths[need]), need));
        order.truncate(n_remembered);
        let market = Market::new(graph, &order);
        if market.raise(&mut best, depths, budget).is_err() {
            break;
        }
    }
    let total: i64 = best.iter().sum();
    total.unsigned_abs().div_ceil(UNIT.unsigned_abs())
}

/// The separation problem over walks with memory.
struct Market<'t> {
    graph: &'t GoalGraph,
    n_remembered: usize,
    /// For each label, its remembered requirements, as bits.
    bits: Vec<usize>,
    /// For each label, the remembered requirements with their bits, and the others.
    remembered: Vec<Vec<(usize, usize)>>,
    others: Vec<Vec<usize>>,
}

/// A cut: how often a walk collects each price, and its number of steps.
struct Collected {
    times: Vec<(usize, f64)>,
    n_steps: usize,
}

/// The predecessor of a search state on a best walk, and the step.
type Back = Option<(usize, Step)>;

/// The maximum gain (collected prices minus steps) of a walk to each search state.
struct Gains {
    of_place: Vec<i64>,
    backs: Vec<Back>,
    /// Search states to be expanded.
    waiting: VecDeque<usize>,
    is_waiting: Vec<bool>,
    /// Search states with a positive gain: violated constraints.
    over: Vec<usize>,
}

impl Gains {
    /// Updates the gain of a search state.
    fn come(&mut self, place: usize, gain: i64, back: Back) {
        if gain <= self.of_place[place] {
            return;
        }
        self.of_place[place] = gain;
        self.backs[place] = back;
        if gain > 0 {
            self.over.push(place);
        } else if !std::mem::replace(&mut self.is_waiting[place], true) {
            self.waiting.push_back(place);
        }
    }
}

impl<'t> Market<'t> {
    fn new(graph: &'t GoalGraph, remembered: &[usize]) -> Market<'t> {
        let bit = |need: &usize| remembered.iter().position(|one| one == need).map(|at| 1 << at);
        let split = |set: &Vec<usize>| {
            set.iter().filter_map(|need| Some((*need, bit(need)?))).collect::<Vec<_>>()
        };
        let with: Vec<Vec<(usize, usize)>> = graph.sets.iter().map(split).collect();
        let rest = |set: &Vec<usize>| {
            set.iter().copied().filter(|need| bit(need).is_none()).collect::<Vec<_>>()
        };
        Market {
            graph,
            n_remembered: remembered.len(),
            bits: with.iter().map(|set| set.iter().fold(0, |all, (_, bit)| all | bit)).collect(),
            remembered: with,
            others: graph.sets.iter().map(rest).collect(),
        }
    }

    /// Raises prices as far as possible.
    fn raise(&self, best: &mut Vec<i64>, depths: &[u64], budget: &Budget<'_>) -> Result<(), Why> {
        // Prices in steps are small enough for both number types.
        let most: Vec<f64> = depths.iter().map(|&depth| depth.min(1 << 40) as f64).collect();
        let mut program = Program::new(&most);
        let whole = |steps: f64| (steps * UNIT as f64) as i64;
        for _ in 0..MAX_ROUNDS {
            let aim = program.numbers();
            let total: f64 = aim.iter().sum();
            let reached = (best.iter().sum::<i64>() - 1).div_euclid(UNIT);
            if whole(total - TINY).div_euclid(UNIT) <= reached {
                return Ok(());
            }
            let middle = |(&best, &aim): (&i64, &f64)| (best + whole(aim)) / 2;
            let asked: Vec<i64> = best.iter().zip(&aim).map(middle).collect();
            let Some(walks) = self.broken(&asked, budget)? else {
                if asked.iter().sum::<i64>() <= best.iter().sum::<i64>() {
                    return Ok(());
                }
                *best = asked;
                continue;
            };
            if walks.is_empty() {
                return Ok(());
            }
            for walk in walks {
                program.add(&walk.times, walk.n_steps as f64);
            }
            let Some(n_pivots) = program.solve(MAX_PIVOTS) else { return Ok(()) };
            budget.spend((n_pivots * program.size()) as u64 / 32 + 1)?;
            program.prune();
        }
        Ok(())
    }

    /// Walks that violate the prices; `None` if they are feasible.
    fn broken(&self, prices: &[i64], budget: &Budget<'_>) -> Result<Option<Vec<Collected>>, Why> {
        let n_places = self.graph.n_nodes() << self.n_remembered;
        budget.allows(n_places as u64 * 32)?;
        let mut gains = Gains {
            of_place: vec![i64::MIN; n_places],
            backs: vec![None; n_places],
            waiting: VecDeque::new(),
            is_waiting: vec![false; n_places],
            over: Vec::new(),
        };
        for start in &self.graph.starts {
            // What an initial state meets has no price.
            gains.come(self.place(start.to, self.bits[start.set as usize]), 0, None);
        }
        self.walk_on(&mut gains, prices, budget)?;
        let Gains { of_place, backs, mut over, .. } = gains;
        over.sort_by_key(|&place| (std::cmp::Reverse(of_place[place]), place));
        over.dedup();
        Ok((!over.is_empty()).then(|| self.collected(&over, &backs, prices)))
    }

    /// Relaxes until a fixpoint, or until there are enough violated walks.
    fn walk_on(&self, gains: &mut Gains, prices: &[i64], budget: &Budget<'_>) -> Result<(), Why> {
        let of_set: Vec<i64> =
            self.others.iter().map(|set| set.iter().map(|&need| prices[need]).sum()).collect();
        while let Some(place) = gains.waiting.pop_front() {
            gains.is_waiting[place] = false;
            let memory = place & ((1 << self.n_remembered) - 1);
            let steps = self.graph.steps((place >> self.n_remembered) as u32);
            budget.spend(1 + steps.len() as u64 / 16)?;
            for step in steps {
                let set = step.set as usize;
                let new = self.remembered[set].iter().filter(|(_, bit)| memory & bit == 0);
                let paid = of_set[set] + new.map(|(need, _)| prices[*need]).sum::<i64>();
                let there = self.place(step.to, memory | self.bits[set]);
                let gain = gains.of_place[place] + paid - UNIT;
                gains.come(there, gain, Some((place, *step)));
            }
            if gains.over.len() > MAX_WALKS * 8 {
                break;
            }
        }
        Ok(())
    }

    fn place(&self, node: u32, memory: usize) -> usize {
        (node as usize) << self.n_remembered | memory
    }

    /// The distinct cuts of some walks.
    fn collected(&self, over: &[usize], backs: &[Back], prices: &[i64]) -> Vec<Collected> {
        let mut seen: FxHashSet<(Vec<usize>, usize)> = FxHashSet::default();
        let mut walks = Vec::new();
        for &end in over {
            let walk = self.walk(end, backs);
            let n_steps = walk.len();
            let mut needs: Vec<usize> = walk.into_iter().flatten().collect();
            needs.sort_unstable();
            let paid: i64 = needs.iter().map(|&need| prices[need]).sum();
            if paid <= n_steps as i64 * UNIT || !seen.insert((needs.clone(), n_steps)) {
                continue;
            }
            let times = needs.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f64));
            walks.push(Collected { times: times.collect(), n_steps });
            if walks.len() == MAX_WALKS {
                break;
            }
        }
        walks
    }

    /// What each step of the walk to a search state collects. If the walk has a cycle, only the
    /// cycle: it can be repeated for ever.
    fn walk(&self, end: usize, backs: &[Back]) -> Vec<Vec<usize>> {
        let mut places = vec![end];
        let mut steps = Vec::new();
        let mut seen: FxHashSet<usize> = FxHashSet::from_iter([end]);
        while let Some((before, step)) = backs[places[places.len() - 1]] {
            steps.push((before, step));
            places.push(before);
            if !seen.insert(before) {
                let first = places.iter().position(|&place| place == before).unwrap_or(0);
                steps.drain(..first);
                break;
            }
        }
        let collected = steps.into_iter().map(|(before, step)| {
            let memory = before & ((1 << self.n_remembered) - 1);
            let set = step.set as usize;
            let new = self.remembered[set].iter().filter(|(_, bit)| memory & bit == 0);
            let new = new.map(|(need, _)| *need);
            new.chain(self.others[set].iter().copied()).collect()
        });
        collected.collect()
    }
}
