//! Lower bounds by Lagrangian relaxation, in integers.
//!
//! Every required set offers a price for hitting it, and so does every side of every alternative of
//! a goal; a goal pays for its cheapest alternative. A test earns the prices of its sets. For any
//! prices, the sum of all prices paid minus the profits of tests (earnings beyond their cost) is a
//! lower bound: a cover costs at least what it earns minus these profits, and it earns all that is
//! paid. A limit on the second cost is one more price, which is added to each test's cost and
//! credited for the limit.
//!
//! The volume algorithm (Barahona and Anbil, "The volume algorithm: producing primal solutions with
//! a subgradient method", 2000) looks for good prices: each step starts at the best prices so far
//! and follows a running average of the subgradients. On a random problem of 300 tests
//! and 1,000 goals, subgradient steps with momentum stopped 9 % below the optimum of the linear
//! program, these 1.5 %; on one of walks the former were a little better. Floating-point numbers decide
//! only how far a step goes: prices, costs and the bound itself are integers, in units of a small
//! part of a cost, and rounded down.

use trapline_engine::Budget;

use super::core::{Core, Cost};
use super::lists::Lists;

/// The finest unit of prices.
const FINEST: u32 = 20;

/// The price of the limit is at most this many times the greatest cost.
const LIMIT_FACTOR: i64 = 8;

/// Rounds without improvement after which the step length is halved.
const PATIENCE: u32 = 12;

/// Minimum step length.
pub const LEAST_STEP: f64 = 0.001;

/// Weight of the latest subgradient in the running average.
const TURN: f64 = 0.1;

/// Prices, and the bound they prove.
#[derive(Clone, Debug)]
pub struct Relaxed {
    /// The lower bound, in units of [`Scale`].
    pub value: i64,
    /// The reduced cost of each test.
    pub reduced: Vec<i64>,
    /// The current step length.
    pub step: f64,
}

/// A unit of prices for which no sum overflows.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// One unit of cost.
    pub unit: i64,
    /// The maximum price.
    cap: i64,
    limit_cap: i64,
}

impl Scale {
    /// The finest for this core and its children; `None` if the costs are too large.
    pub fn new(core: &Core) -> Option<Scale> {
        let n_alternatives: usize = core.goals.iter().map(Vec::len).sum();
        let n_sums = core.sets.len() + core.goals.len() + 2 * n_alternatives + core.tests.len() + 1;
        let most = core.costs.iter().map(|cost| cost.first).max().unwrap_or(0).max(1);
        let room = (1_u64 << 60) / (LIMIT_FACTOR as u64 + 1) / (n_sums as u64);
        let fits = |bits: &u32| most.checked_mul(1 << bits).is_some_and(|cost| cost <= room);
        let bits = (0..=FINEST).rev().find(fits)?;
        let unit = 1_i64 << bits;
        let limit_unit = i64::try_from(dearest(core)).ok()?;
        let cap = most as i64 * unit * (LIMIT_FACTOR + 1);
        Some(Scale { unit, cap, limit_cap: most as i64 * unit * LIMIT_FACTOR / limit_unit })
    }

    /// Rounded up to a whole cost.
    pub fn whole(&self, value: i64) -> u64 {
        (value.max(0) as u64).div_ceil(self.unit as u64)
    }
}

/// Parameters of the search for prices.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// The remaining limit on the second cost.
    pub limit: Option<u64>,
    /// A bound that suffices.
    pub enough: i64,
    /// Maximum number of rounds.
    pub n_rounds: u32,
    /// The initial step length, relative to a Polyak step.
    pub step: f64,
}

/// Improves the prices of the core and returns the best bound. At least one round is made.
pub fn relax(core: &mut Core, columns: &Lists, scale: Scale, aim: Aim, budget: &Budget) -> Relaxed {
    let point = evaluate(core, scale, aim.limit);
    let mut direction = gradient(core, columns, &point, aim.limit);
    let mut best = Relaxed { value: point.value, reduced: point.reduced, step: aim.step };
    let mut best_prices = prices_of(core);
    let mut n_idle = 0;
    for _ in 1..aim.n_rounds {
        let is_over = budget.spend(core.work()).is_err();
        if is_over || best.value >= aim.enough || best.step < LEAST_STEP {
            break;
        }
        let length = best.step * gap(best.value, aim.enough);
        if !climb(core, &best_prices, &direction, length, scale) {
            break;
        }
        let point = evaluate(core, scale, aim.limit);
        let gradient = gradient(core, columns, &point, aim.limit);
        let is_ahead =
            direction.iter().zip(&gradient).map(|(old, new)| old * new).sum::<f64>() > 0.0;
        for (old, new) in direction.iter_mut().zip(gradient) {
            *old += TURN * (new - *old);
        }
        n_idle += 1;
        if point.value > best.value {
            let step = if is_ahead { (best.step * 1.1).min(2.0) } else { best.step };
            best = Relaxed { value: point.value, reduced: point.reduced, step };
            best_prices = prices_of(core);
            n_idle = 0;
        } else if n_idle >= PATIENCE {
            (best.step, n_idle) = (best.step * 0.66, 0);
        }
    }
    set_prices(core, &best_prices);
    best
}

/// The target of a step: part of the way to a bound that suffices.
fn gap(value: i64, enough: i64) -> f64 {
    let whole = (enough as f64 - value as f64).max(1.0);
    whole.min((value as f64 / 20.0).max(whole / 10.0))
}

/// The reduced cost of each test.
pub fn reduced(core: &Core, scale: Scale, limit: Option<u64>) -> Vec<i64> {
    evaluate(core, scale, limit).reduced
}

/// Initial prices: each set offers the least cost share of its tests.
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

/// All prices in one list: of required sets, of alternatives, of the limit.
fn prices_of(core: &Core) -> Vec<i64> {
    let required = core.required.iter().flatten().copied();
    let goals = core.goals.iter().flatten().flat_map(|alternative| alternative.prices);
    required.chain(goals).chain([core.limit_price]).collect()
}

fn set_prices(core: &mut Core, prices: &[i64]) {
    let required = core.required.iter_mut().flatten();
    let goals = core.goals.iter_mut().flatten().flat_map(|alternative| &mut alternative.prices);
    let all = required.chain(goals).chain([&mut core.limit_price]);
    all.zip(prices).for_each(|(price, &new)| *price = new);
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
    let cost = |cost: &Cost| {
        cost.first as i64 * scale.unit
            + limit_price * if limit_price > 0 { cost.second as i64 } else { 0 }
    };
    let mut reduced: Vec<i64> = core.costs.iter().map(cost).collect();
    for (set, &offer) in core.sets.iter().zip(&offers).filter(|(_, offer)| **offer > 0) {
        set.iter().for_each(|&test| reduced[test as usize] -= offer);
    }
    value += reduced.iter().filter(|&&reduced| reduced < 0).sum::<i64>();
    // If the credit for the limit exceeds all sums, there is no bound.
    let back = i128::from(limit_price) * i128::from(limit.unwrap_or(0));
    let value = i64::try_from((i128::from(value) - back).max(-(1 << 62))).unwrap_or(i64::MIN);
    Point { value, reduced, cheapest }
}

/// The subgradient: what each price demands, minus what is selected at these prices.
fn gradient(core: &Core, columns: &Lists, point: &Point, limit: Option<u64>) -> Vec<f64> {
    let mut lacks = vec![1.0; core.sets.len()];
    let mut second = 0.0;
    for (test, _) in point.reduced.iter().enumerate().filter(|(_, reduced)| **reduced < 0) {
        columns.get(test).iter().for_each(|&set| lacks[set as usize] -= 1.0);
        second += core.costs[test].second as f64;
    }
    let over = limit.map_or(0.0, |limit| (second - limit as f64) / dearest(core) as f64);
    let required = core.required.iter().zip(&lacks).filter(|(price, _)| price.is_some());
    let mut gradient: Vec<f64> = required.map(|(_, &lack)| lack).collect();
    for (goal, &cheapest) in core.goals.iter().zip(&point.cheapest) {
        for (place, alternative) in goal.iter().enumerate() {
            let unasked = if place == cheapest { 0.0 } else { 1.0 };
            gradient.extend(alternative.sets.map(|set| lacks[set as usize] - unasked));
        }
    }
    gradient.push(over);
    gradient
}

/// A step along a direction, scaled to the step length. Returns false at a stationary point.
fn climb(core: &mut Core, from: &[i64], direction: &[f64], length: f64, scale: Scale) -> bool {
    let is_free = |&(&price, &change): &(&i64, &f64)| price > 0 || change > 0.0;
    let free = from.iter().zip(direction).filter(is_free);
    let norm: f64 = free.map(|(_, change)| change * change).sum();
    if norm == 0.0 {
        return false;
    }
    let moved = |price: i64, change: f64, cap: i64| {
        price.saturating_add((length / norm * change).round() as i64).clamp(0, cap)
    };
    let mut prices: Vec<i64> = from
        .iter()
        .zip(direction)
        .map(|(&price, &change)| moved(price, change, scale.cap))
        .collect();
    if let (Some(price), Some(old), Some(change)) =
        (prices.last_mut(), from.last(), direction.last())
    {
        *price = moved(*old, change / dearest(core) as f64, scale.limit_cap);
    }
    set_prices(core, &prices);
    true
}

/// The greatest second cost, at least one.
fn dearest(core: &Core) -> u64 {
    core.costs.iter().map(|cost| cost.second).max().unwrap_or(0).max(1)
}
