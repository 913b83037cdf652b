//! The initial variable order.
//!
//! Variables that occur together should be close together. FORCE (Aloul, Markov and Sakallah,
//! *FORCE: a fast and easy-to-implement variable-ordering heuristic*) repeatedly moves every
//! variable to the centre of gravity of the rules it occurs in, as long as their total span
//! decreases. Numbers that are compared or added get their bits interleaved.

use rustc_hash::FxHashMap;
use trapline_model::VarId;

use crate::code::{Calc, Coder, Op, Reg, Slot};

/// Iteration limit of FORCE; more have not been seen to help.
const MAX_ITERATIONS: usize = 60;
/// Numbers of at least this many bits are worth interleaving.
const WIDE: usize = 3;
/// Larger sets of numbers are not interleaved.
const MAX_INTERLEAVED: usize = 6;

/// Orders of the items `0..n` in which the sets have small spans, most promising first. Placing
/// `pairs` close together is a secondary aim.
pub fn candidates(n_items: usize, sets: &[Vec<usize>], pairs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let given: Vec<usize> = (0..n_items).collect();
    // The order of first occurrence is often a good starting point too.
    let mut is_seen = vec![false; n_items];
    let mut mentioned: Vec<usize> = Vec::new();
    for &item in sets.iter().flatten().chain(&given) {
        if !std::mem::replace(&mut is_seen[item], true) {
            mentioned.push(item);
        }
    }
    let mut all = vec![improve(given.clone(), sets), improve(mentioned, sets), given];
    all.sort_by_key(|order| span(order, sets));
    if !pairs.is_empty() {
        let fine = [sets, pairs].concat();
        all.push(improve(all[0].clone(), &fine));
    }
    all.dedup();
    all
}

fn improve(start: Vec<usize>, sets: &[Vec<usize>]) -> Vec<usize> {
    let mut best = start;
    let mut least = span(&best, sets);
    let mut order = best.clone();
    for _ in 0..MAX_ITERATIONS {
        order = iterate(&order, sets);
        let now = span(&order, sets);
        if now >= least {
            break;
        }
        least = now;
        best.clone_from(&order);
    }
    best
}

/// One iteration of FORCE: moves every item to the mean of the centres of its sets.
fn iterate(order: &[usize], sets: &[Vec<usize>]) -> Vec<usize> {
    let position = positions(order);
    let mut sums = vec![(0.0, 0.0); order.len()];
    for set in sets.iter().filter(|set| set.len() > 1) {
        let centre = set.iter().map(|&item| position[item] as f64).sum::<f64>() / set.len() as f64;
        for &item in set {
            sums[item].0 += centre;
            sums[item].1 += 1.0;
        }
    }
    let place = |item: usize| match sums[item] {
        (_, 0.0) => position[item] as f64,
        (sum, n_sets) => sum / n_sets,
    };
    let mut moved = order.to_vec();
    moved.sort_by(|&a, &b| place(a).total_cmp(&place(b)));
    moved
}

fn positions(order: &[usize]) -> Vec<usize> {
    let mut position = vec![0; order.len()];
    for (place, &item) in order.iter().enumerate() {
        position[item] = place;
    }
    position
}

/// Total span of the sets.
fn span(order: &[usize], sets: &[Vec<usize>]) -> usize {
    let position = positions(order);
    let reach = |set: &Vec<usize>| {
        let places = || set.iter().map(|&item| position[item]);
        places().max().unwrap_or(0) - places().min().unwrap_or(0)
    };
    sets.iter().map(reach).sum()
}

/// Sets of variables that are compared or added, so that their bits should be interleaved.
pub fn related(coder: &Coder, width: &dyn Fn(VarId) -> usize) -> Vec<Vec<VarId>> {
    let mut leader: FxHashMap<VarId, VarId> = FxHashMap::default();
    let mut members: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
    for &op in coder.ops() {
        let Op::Binary(calc, a, b) = op else { continue };
        let is_tie = matches!(
            calc,
            Calc::Add | Calc::Sub | Calc::Lt | Calc::UnsignedLt | Calc::Eq | Calc::Xor
        );
        if !is_tie {
            continue;
        }
        let mut vars = [terms(coder, a), terms(coder, b)].concat();
        vars.retain(|&var| width(var) >= WIDE);
        vars.sort_unstable();
        vars.dedup();
        if vars.len() > MAX_INTERLEAVED {
            continue;
        }
        for pair in vars.windows(2) {
            unite(&mut leader, &mut members, pair[0], pair[1]);
        }
    }
    let mut sets: Vec<Vec<VarId>> = members.into_values().filter(|set| set.len() > 1).collect();
    sets.iter_mut().for_each(|set| set.sort_unstable());
    sets.sort_unstable();
    sets
}

/// Pairs of variables that are compared with one another.
pub fn compared(coder: &Coder) -> Vec<[VarId; 2]> {
    let mut pairs = Vec::new();
    for &op in coder.ops() {
        let Op::Binary(Calc::Lt | Calc::UnsignedLt | Calc::Eq | Calc::Xor, a, b) = op else {
            continue;
        };
        for a in terms(coder, a) {
            pairs.extend(terms(coder, b).into_iter().filter(|b| *b != a).map(|b| [a, b]));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn unite(
    leader: &mut FxHashMap<VarId, VarId>,
    members: &mut FxHashMap<VarId, Vec<VarId>>,
    a: VarId,
    b: VarId,
) {
    let [a, b] = [a, b].map(|var| {
        members.entry(*leader.entry(var).or_insert(var)).or_insert_with(|| vec![var]);
        leader[&var]
    });
    if a == b || members[&a].len() + members[&b].len() > MAX_INTERLEAVED {
        return;
    }
    for var in members.remove(&b).unwrap_or_default() {
        leader.insert(var, a);
        members.entry(a).or_default().push(var);
    }
}

/// The variables that a sum or a conditional ranges over.
fn terms(coder: &Coder, reg: Reg) -> Vec<VarId> {
    let mut vars = Vec::new();
    let mut stack = vec![reg];
    // A few terms are enough.
    for _ in 0..32 {
        let Some(reg) = stack.pop() else { break };
        match coder.op(reg) {
            Op::Slot(Slot::Current(var) | Slot::Next(var)) => vars.push(var),
            Op::Binary(Calc::Add | Calc::Sub, a, b) => stack.extend([a, b]),
            Op::Select(_, a, b) => stack.extend([a, b]),
            Op::Wrap(a, ..) => stack.push(a),
            _ => {}
        }
    }
    vars
}
