//! Lower bounds by Lagrangian relaxation, in integers.
//!
//! Every required set offers a price to whoever hits it, and so does every side of every
//! alternative of a goal; a goal pays for its cheapest alternative. A test earns the prices of
//! its sets. Whatever the prices are, no choice costs less than all that is paid, less what tests
//! earn beyond their cost: a chosen set of tests costs at least what it earns less those profits,
//! and it earns all that is paid. A limit on the second cost is one more price, by which each
//! test gets dearer and from which the limit is given back.
//!
//! Subgradient steps (Held and Karp, 1971) look for good prices. Floating-point numbers decide
//! only how far a step goes: prices, costs and the bound itself are integers, in units of a small
//! part of a cost, and rounded down.

use trapline_engine::Budget;

use super::core::Core;
use super::lists::Lists;

/// The finest unit of prices.
const FINEST: u32 = 20;

/// The price of the limit is at most so many times the greatest cost.
const LIMIT_FACTOR: i64 = 8;

/// Rounds without a better bound, after which steps are halved.
const PATIENCE: u32 = 8;

/// Prices and what is known by them.
#[derive(Clone, Debug)]
pub struct Relaxed {
    /// No choice costs less, in units of [`Scale`].
    pub value: i64,
    /// For each test its cost less what it earns.
    pub reduced: Vec<i64>,
}

/// The unit of prices, for which no sum overflows.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// A cost of one.
    pub unit: i64,
    /// No price is higher.
    cap: i64,
    limit_cap: i64,
}

impl Scale {
    /// The finest for this core and all smaller ones; `None` if the costs are too great.
    pub fn new(core: &Core) -> Option<Scale> {
        let n_alternatives: usize = core.goals.iter().map(Vec::len).sum();
        let n_sums = core.sets.len() + core.goals.len() + 2 * n_alternatives + core.tests.len() + 1;
        let most = core.costs.iter().map(|cost| cost.first).max().unwrap_or(0).max(1);
        let dearest = core.costs.iter().map(|cost| cost.second).max().unwrap_or(0).max(1);
        let room = (1_u64 << 60) / (LIMIT_FACTOR as u64 + 1) / (n_sums as u64);
        let fits = |bits: &u32| most.checked_mul(1 << bits).is_some_and(|cost| cost <= room);
        let bits = (0..=FINEST).rev().find(fits)?;
        let unit = 1_i64 << bits;
        let cap = most as i64 * unit * (LIMIT_FACTOR + 1);
        Some(Scale { unit, cap, limit_cap: most as i64 * unit * LIMIT_FACTOR / dearest as i64 })
    }

    /// The least whole cost that is no less.
    pub fn whole(&self, value: i64) -> u64 {
        (value.max(0) as u64).div_ceil(self.unit as u64)
    }
}

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// What is left of the limit on the second cost.
    pub limit: Option<u64>,
    /// A bound of so much is enough.
    pub enough: i64,
    /// Rounds at most.
    pub n_rounds: u32,
    /// The length of the first steps, 1 being what would reach the aim on a line.
    pub step: f64,
}

/// Improves the prices of the core; the bound for the best of them. One round is always made.
pub fn relax(core: &mut Core, columns: &Lists, scale: Scale, aim: Aim, budget: &Budget) -> Relaxed {
    let mut best = Relaxed { value: i64::MIN, reduced: Vec::new() };
    let mut best_prices = Prices::of(core);
    let (mut step, mut n_idle) = (aim.step, 0);
    for round in 0..aim.n_rounds.max(1) {
        let point = evaluate(core, scale, aim.limit);
        n_idle += 1;
        if point.value > best.value {
            best_prices = Prices::of(core);
            best = Relaxed { value: point.value, reduced: point.reduced.clone() };
            n_idle = 0;
        }
        let is_over = budget.spend(core.work()).is_err();
        if is_over || best.value >= aim.enough || step < 0.004 || round + 1 >= aim.n_rounds {
            break;
        }
        if n_idle >= PATIENCE {
            best_prices.restore(core);
            (step, n_idle) = (step / 2.0, 0);
            continue;
        }
        if !climb(core, columns, &point, scale, aim, step) {
            break;
        }
    }
    best_prices.restore(core);
    best
}

/// For each test its cost less what it earns.
pub fn reduced(core: &Core, scale: Scale, limit: Option<u64>) -> Vec<i64> {
    evaluate(core, scale, limit).reduced
}

/// A start: each set offers the least share of a cost that a test can have.
pub fn first_prices(core: &mut Core, columns: &Lists, scale: Scale) {
    let share = |test: u32| {
        let cost = core.costs[test as usize].first as i64 * scale.unit;
        cost / (columns.get(test as usize).len() as i64).max(1)
    };
    let shares: Vec<i64> = core
        .sets
        .iter()
        .map(|set| set.iter().map(|&test| share(test)).min().unwrap_or(0))
        .collect();
    for (price, &share) in core.required.iter_mut().zip(&shares) {
        *price = price.map(|_| share);
    }
    for alternative in core.goals.iter_mut().flatten() {
        alternative.prices = alternative.sets.map(|set| shares[set as usize] / 2);
    }
    core.limit_price = 0;
}

/// The prices of a core, set aside.
struct Prices {
    required: Vec<Option<i64>>,
    goals: Vec<[i64; 2]>,
    limit: i64,
}

impl Prices {
    fn of(core: &Core) -> Prices {
        let goals = core.goals.iter().flatten().map(|alternative| alternative.prices).collect();
        Prices { required: core.required.clone(), goals, limit: core.limit_price }
    }

    fn restore(&self, core: &mut Core) {
        core.required.clone_from(&self.required);
        for (alternative, &prices) in core.goals.iter_mut().flatten().zip(&self.goals) {
            alternative.prices = prices;
        }
        core.limit_price = self.limit;
    }
}

struct Point {
    value: i64,
    reduced: Vec<i64>,
    /// For each goal its cheapest alternative.
    cheapest: Vec<usize>,
}

fn evaluate(core: &Core, scale: Scale, limit: Option<u64>) -> Point {
    let mut value: i64 = core.required.iter().flatten().sum();
    let mut offers: Vec<i64> = core.required.iter().map(|price| price.unwrap_or(0)).collect();
    let mut cheapest = Vec::with_capacity(core.goals.len());
    for goal in &core.goals {
        let totals = goal.iter().map(|alternative| alternative.prices[0] + alternative.prices[1]);
        let least = totals.enumerate().min_by_key(|&(_, total)| total);
        let Some((place, total)) = least else { unreachable!("a goal has alternatives") };
        value += total;
        cheapest.push(place);
        for alternative in goal {
            for (set, price) in alternative.sets.into_iter().zip(alternative.prices) {
                offers[set as usize] += price;
            }
        }
    }
    let limit_price = if limit.is_some() { core.limit_price } else { 0 };
    let cost = |cost: &super::core::Cost| {
        cost.first as i64 * scale.unit
            + limit_price * if limit_price > 0 { cost.second as i64 } else { 0 }
    };
    let mut reduced: Vec<i64> = core.costs.iter().map(cost).collect();
    for (set, &offer) in core.sets.iter().zip(&offers).filter(|(_, offer)| **offer > 0) {
        set.iter().for_each(|&test| reduced[test as usize] -= offer);
    }
    value += reduced.iter().filter(|&&reduced| reduced < 0).sum::<i64>();
    // What the limit gives back may be more than any sum here; then the bound is nothing.
    let back = i128::from(limit_price) * i128::from(limit.unwrap_or(0));
    let value = i64::try_from((i128::from(value) - back).max(-(1 << 62))).unwrap_or(i64::MIN);
    Point { value, reduced, cheapest }
}

/// One step along the subgradient. Was there anywhere to go?
fn climb(
    core: &mut Core,
    columns: &Lists,
    point: &Point,
    scale: Scale,
    aim: Aim,
    step: f64,
) -> bool {
    let mut lacks = vec![1_i64; core.sets.len()];
    let mut second = 0_u64;
    for (test, _) in point.reduced.iter().enumerate().filter(|(_, reduced)| **reduced < 0) {
        columns.get(test).iter().for_each(|&set| lacks[set as usize] -= 1);
        second = second.saturating_add(core.costs[test].second);
    }
    let dearest = core.costs.iter().map(|cost| cost.second).max().unwrap_or(0).max(1) as f64;
    let over = aim.limit.map_or(0.0, |limit| (second as f64 - limit as f64) / dearest);
    let is_stuck = |price: i64, lack: i64| lack == 0 || (price == 0 && lack < 0);
    let mut norm = if core.limit_price == 0 && over < 0.0 { 0.0 } else { over * over };
    for (price, &lack) in core.required.iter().zip(&lacks) {
        norm += if price.is_none_or(|price| is_stuck(price, lack)) {
            0.0
        } else {
            (lack * lack) as f64
        };
    }
    let lack_of = |is_cheapest: bool, set: u32| lacks[set as usize] - i64::from(!is_cheapest);
    for (goal, &cheapest) in core.goals.iter().zip(&point.cheapest) {
        for (place, alternative) in goal.iter().enumerate() {
            for (set, price) in alternative.sets.into_iter().zip(alternative.prices) {
                let lack = lack_of(place == cheapest, set);
                norm += if is_stuck(price, lack) { 0.0 } else { (lack * lack) as f64 };
            }
        }
    }
    if norm == 0.0 {
        return false;
    }
    let length = step * (aim.enough.saturating_sub(point.value)) as f64 / norm;
    let moved = |price: i64, lack: i64| {
        let change = (length * lack as f64).round() as i64;
        price.saturating_add(change).clamp(0, scale.cap)
    };
    for (price, &lack) in core.required.iter_mut().zip(&lacks) {
        *price = price.map(|price| moved(price, lack));
    }
    for (goal, &cheapest) in core.goals.iter_mut().zip(&point.cheapest) {
        for (place, alternative) in goal.iter_mut().enumerate() {
            for side in [0, 1] {
                let lack = lack_of(place == cheapest, alternative.sets[side]);
                alternative.prices[side] = moved(alternative.prices[side], lack);
            }
        }
    }
    let change = (length * over / dearest).round() as i64;
    core.limit_price = core.limit_price.saturating_add(change).clamp(0, scale.limit_cap);
    true
}
