//! Equivalence classes of input values.
//!
//! An input is often read only through expressions over it alone: a pressure that is only compared
//! with two limits has three distinguishable values. Two values are equivalent if all maximal
//! expressions over the input alone agree on them; one representative per class suffices.

use rustc_hash::{FxHashMap, FxHashSet};

use super::program::Options;
use crate::code::{Coder, Op, Reg, operands};

/// Inputs with more values are not partitioned.
const MAX_VALUES: u64 = 1 << 16;

/// The options of an input, one representative per class. The roots are observed directly.
pub fn representatives(
    coder: &Coder,
    slot: Reg,
    all: Options,
    roots: &FxHashSet<Reg>,
    is_needed: &[bool],
) -> Options {
    let own = own_nodes(coder, slot, is_needed);
    let is_own: FxHashSet<Reg> = own.iter().copied().collect();
    let is_seen = |reg: &Reg| {
        let mut users = coder.users(*reg).iter().filter(|user| is_needed[**user as usize]);
        roots.contains(reg) || users.any(|user| !is_own.contains(user))
    };
    let seen: Vec<Reg> = own.iter().copied().filter(is_seen).collect();
    let n_options = all.n_options();
    // Then all values are distinguishable.
    if seen.contains(&slot) || n_options > MAX_VALUES {
        return all;
    }
    let mut classes = FxHashSet::default();
    let mut kept = Vec::new();
    let mut numbers: FxHashMap<Reg, i64> = FxHashMap::default();
    for idx in 0..n_options {
        let number = match &all {
            Options::Values(values) => values[idx as usize],
            Options::Range(lo, _) => lo.wrapping_add(idx as i64),
            Options::Listed(_) => return all,
        };
        evaluate(coder, &own, slot, number, &mut numbers);
        let class: Vec<i64> = seen.iter().map(|reg| numbers[reg]).collect();
        if classes.insert(class) {
            kept.push(number);
        }
    }
    Options::Values(kept)
}

/// The needed nodes that depend on a single slot, in order.
fn own_nodes(coder: &Coder, slot: Reg, is_needed: &[bool]) -> Vec<Reg> {
    let mut own: FxHashSet<Reg> = FxHashSet::default();
    own.insert(slot);
    // Users have greater numbers than their operands, so the least comes first.
    let mut open: std::collections::BTreeSet<Reg> = coder.users(slot).iter().copied().collect();
    while let Some(reg) = open.pop_first() {
        let is_own = |operand: Reg| own.contains(&operand) || coder.as_const(operand).is_some();
        if is_needed[reg as usize] && operands(coder.op(reg)).all(is_own) {
            own.insert(reg);
            open.extend(coder.users(reg));
        }
    }
    let mut own: Vec<Reg> = own.into_iter().collect();
    own.sort_unstable();
    own
}

fn evaluate(coder: &Coder, own: &[Reg], slot: Reg, number: i64, numbers: &mut FxHashMap<Reg, i64>) {
    numbers.clear();
    numbers.insert(slot, number);
    for &reg in own.iter().filter(|reg| **reg != slot) {
        let of = |operand: Reg| match coder.op(operand) {
            Op::Const(number) => number,
            _ => numbers[&operand],
        };
        numbers.insert(reg, coder.op(reg).compute(of));
    }
}
