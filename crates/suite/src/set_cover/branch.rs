//! Branch and bound: minimises the first cost, with proof, under a limit on the second.
//!
//! Depth first, branching on the test that the prices favour in the smallest required set, first
//! included, then excluded. At each node: reductions, a bound, reduced-cost fixing (Balas and Ho,
//! 1980), and one greedy solution by reduced costs. When the budget runs out, the bound is the
//! minimum over all open nodes.

use std::rc::Rc;

use fastrand::Rng;
use rustc_hash::FxHashSet;
use trapline_engine::Budget;

use super::core::{Core, Fate};
use super::greedy::{self, Choice};
use super::price::{self, Aim, Relaxed, Scale};
use super::reduce::{self, Order};

/// Rounds of a bound, at the root in each pass and below.
const N_ROOT_ROUNDS: u32 = 40;
const N_ROUNDS: u32 = 30;

/// The initial step length, at the root and below.
const ROOT_STEP: f64 = 1.0;
const STEP: f64 = 0.2;

/// Passes at the root, each with the variables fixed by the previous one.
const N_ROOT_TURNS: u32 = 30;

/// Unsuccessful attempts of local search.
const N_SHAKES: u64 = 200;

/// The fraction of the incumbent that is kept, and the perturbation of costs.
const KEPT: f64 = 0.7;
const BLUR: f64 = 0.4;

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The incumbent.
    pub best: Choice,
    /// The lower bound on the first cost within the limit.
    pub bound: u64,
}

/// An open node.
struct Open {
    core: Rc<Core>,
    decision: Option<(usize, Fate)>,
    bound: u64,
    step: f64,
}

/// Which covers are improvements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seek {
    /// Those of a lower first cost than the incumbent.
    Better,
    /// Those of the same first cost as well.
    AsGood,
}

struct BranchAndBound<'a> {
    seek: Seek,
    limit: Option<u64>,
    scale: Scale,
    best: Choice,
    budget: &'a Budget<'a>,
}

/// Searches for a cover of a lower first cost than `start`, with the second cost within `limit`.
/// Without a limit the second cost only breaks ties.
pub fn minimise(core: Core, limit: Option<u64>, start: Choice, budget: &Budget) -> Outcome {
    let bound = core.spent.first;
    let Some(scale) = Scale::new(&core) else {
        return Outcome { bound, best: start };
    };
    let mut search = BranchAndBound { seek: Seek::Better, limit, scale, best: start, budget };
    let root = search.root(core);
    if let Some(root) = &root {
        search.shake(&root.core);
    }
    let mut open: Vec<Open> = root.iter().flat_map(|root| search.branch(root)).collect();
    while let Some(node) = open.pop() {
        if node.bound >= search.best.cost.first {
            continue;
        }
        if budget.spend(node.core.work()).is_err() {
            open.push(node);
            break;
        }
        let left = search.visit(&node, N_ROUNDS);
        open.extend(left.iter().flat_map(|node| search.branch(node)));
    }
    let least = open.iter().map(|node| node.bound).min().unwrap_or(u64::MAX);
    Outcome { bound: least.min(search.best.cost.first), best: search.best }
}

/// Reduces a core to covers of no higher first cost than `start`, with the best cover found on the
/// way. `None` if nothing is left: then `start` is optimal.
pub fn narrow(core: Core, start: Choice, budget: &Budget) -> (Option<Core>, Choice) {
    let Some(scale) = Scale::new(&core) else {
        return (Some(core), start);
    };
    let mut search = BranchAndBound { seek: Seek::AsGood, limit: None, scale, best: start, budget };
    let root = search.root(core);
    (root.map(|root| Rc::unwrap_or_clone(root.core)), search.best)
}

impl BranchAndBound<'_> {
    /// The root, bounded as well as possible. Its prices are reinitialised.
    fn root(&mut self, mut core: Core) -> Option<Open> {
        let columns = core.columns();
        price::first_prices(&mut core, &columns, self.scale);
        let bound = core.spent.first;
        let mut root = Open { core: Rc::new(core), decision: None, bound, step: ROOT_STEP };
        for _ in 0..N_ROOT_TURNS {
            root = self.visit(&root, N_ROOT_ROUNDS)?;
            if root.step < price::LEAST_STEP || self.budget.spend(0).is_err() {
                break;
            }
        }
        Some(root)
    }

    /// The cutoff value of the first cost.
    fn ceiling(&self) -> u64 {
        match self.seek {
            Seek::Better => self.best.cost.first,
            Seek::AsGood => self.best.cost.first.saturating_add(1),
        }
    }

    /// Bounds and reduces a node; `None` if it is pruned. A visit that the budget cuts short leaves
    /// more, never less.
    fn visit(&mut self, node: &Open, n_rounds: u32) -> Option<Open> {
        let core = match node.decision {
            Some(decision) => decided(&node.core, [decision])?,
            None => Core::clone(&node.core),
        };
        let mut core = self.reduced(core)?;
        let columns = core.columns();
        let room = self.ceiling().checked_sub(core.spent.first + 1)?;
        let enough = room as i64 * self.scale.unit + 1;
        let limit = self.limit.map(|limit| limit.saturating_sub(core.spent.second));
        let aim = Aim { limit, enough, n_rounds, step: node.step };
        let relaxed = price::relax(&mut core, &columns, self.scale, aim, self.budget);
        let bound = node.bound.max(core.spent.first + self.scale.whole(relaxed.value));
        if bound >= self.ceiling() {
            return None;
        }
        if self.budget.spend(core.work()).is_ok() {
            self.offer(greedy::cover(&core, &relaxed.reduced));
        }
        if bound >= self.ceiling() {
            return None;
        }
        let fixed = self.fixed(&core, &relaxed);
        if !fixed.is_empty() {
            core = self.reduced(decided(&core, fixed)?)?;
        }
        Some(Open { core: Rc::new(core), decision: None, bound, step: relaxed.step })
    }

    /// Reduces a core; `None` if no decision is left in it.
    fn reduced(&mut self, core: Core) -> Option<Core> {
        let order = match (self.seek, self.limit) {
            (Seek::Better, None) => Order::First,
            _ => Order::Both,
        };
        let core = reduce::reduce(core, order, self.budget)?;
        if self.limit.is_some_and(|limit| core.spent.second > limit) {
            return None;
        }
        if core.is_done() {
            self.offer(Choice { cost: core.spent, chosen: core.chosen });
            return None;
        }
        Some(core)
    }

    /// Updates the incumbent.
    fn offer(&mut self, choice: Choice) {
        let is_within = self.limit.is_none_or(|limit| choice.cost.second <= limit);
        if is_within && choice.cost < self.best.cost {
            self.best = choice;
        }
    }

    /// Local search: most tests of the incumbent are kept and the rest chosen anew, by perturbed
    /// costs.
    fn shake(&mut self, core: &Core) {
        let mut rng = Rng::with_seed(0);
        let mut n_idle = 0;
        while n_idle < N_SHAKES {
            if self.budget.spend(3 * core.work()).is_err() {
                return;
            }
            let best: FxHashSet<usize> = self.best.chosen.iter().copied().collect();
            let mut is_kept = |test: &usize| best.contains(&core.tests[*test]) && rng.f64() < KEPT;
            let kept: Vec<usize> = (0..core.tests.len()).filter(&mut is_kept).collect();
            let Some(rest) = decided(core, kept.into_iter().map(|test| (test, Fate::Chosen)))
            else {
                unreachable!("no test was dropped")
            };
            let mut costs = price::reduced(&rest, self.scale, self.limit);
            for cost in &mut costs {
                *cost += (*cost as f64 * BLUR * (rng.f64() - 0.5)) as i64;
            }
            let before = self.best.cost;
            self.offer(greedy::cover(&rest, &costs));
            n_idle = if self.best.cost < before { 0 } else { n_idle + 1 };
        }
    }

    /// Reduced-cost fixing: tests whose opposite value would reach the incumbent's cost.
    fn fixed(&self, core: &Core, relaxed: &Relaxed) -> Vec<(usize, Fate)> {
        let is_too_much = |change: i64| {
            let bound = self.scale.whole(relaxed.value.saturating_add(change));
            core.spent.first.saturating_add(bound) >= self.ceiling()
        };
        let reduced = relaxed.reduced.iter().enumerate();
        let fixed = reduced.filter(|(_, reduced)| is_too_much(reduced.saturating_abs()));
        fixed
            .map(|(test, &reduced)| (test, if reduced < 0 { Fate::Chosen } else { Fate::Dropped }))
            .collect()
    }

    /// The two children of a node, the more promising last.
    fn branch(&self, node: &Open) -> [Open; 2] {
        let core = &node.core;
        let reduced = price::reduced(core, self.scale, self.limit);
        let required = core.sets.iter().zip(&core.required).filter(|(_, price)| price.is_some());
        let smallest = required.map(|(set, _)| set).min_by_key(|set| set.len());
        let all = 0..core.tests.len();
        let favoured = match smallest {
            Some(set) => set.iter().map(|&test| test as usize).min_by_key(|&test| reduced[test]),
            None => all.min_by_key(|&test| reduced[test]),
        };
        let Some(test) = favoured else { unreachable!("a core that is not done has tests") };
        [Fate::Dropped, Fate::Chosen].map(|fate| Open {
            core: Rc::clone(core),
            decision: Some((test, fate)),
            bound: node.bound,
            step: STEP,
        })
    }
}

/// A core with these tests decided.
fn decided(core: &Core, decisions: impl IntoIterator<Item = (usize, Fate)>) -> Option<Core> {
    let mut fates = vec![Fate::Open; core.tests.len()];
    for (test, fate) in decisions {
        fates[test] = fate;
    }
    core.simplified(&fates, &vec![false; core.sets.len()])
}
