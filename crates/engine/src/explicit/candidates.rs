//! What a constraint says while some of the variables that it reads have no value.
//!
//! Both questions are answered by walking the connectives of the constraint down to what is
//! known and to comparisons that are not: can it still become true, and which values does it
//! leave to a variable?

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{Calc, Coder, Op, Reg};

/// For a slot, nodes of which one has its value.
pub type Candidates = FxHashMap<Reg, Vec<Reg>>;

/// More candidates are not kept: the domain will do.
const MAX_CANDIDATES: usize = 64;

/// A connective of truth values.
#[derive(Clone, Copy)]
enum Connective {
    Not(Reg),
    And(Reg, Reg),
    Or(Reg, Reg),
    Same(Reg, Reg),
    Differ(Reg, Reg),
    Select(Reg, Reg, Reg),
}

/// A node that says whether a constraint can still become true; 1 when nothing is known.
pub fn possible(coder: &mut Coder, root: Reg, is_ready: &[bool]) -> Reg {
    // Whether each node can be true, and whether it can be false.
    let mut can: FxHashMap<Reg, (Reg, Reg)> = FxHashMap::default();
    let always = coder.constant(1);
    for reg in connectives(coder, root, is_ready) {
        let ways = match connective(coder, reg) {
            _ if is_ready[reg as usize] => (reg, coder.not(reg)),
            None => (always, always),
            Some(Connective::Not(a)) => {
                let (can_be, can_not) = can[&a];
                (can_not, can_be)
            }
            Some(Connective::And(a, b)) => {
                let ((a1, a0), (b1, b0)) = (can[&a], can[&b]);
                (coder.and(a1, b1), coder.or(a0, b0))
            }
            Some(Connective::Or(a, b)) => {
                let ((a1, a0), (b1, b0)) = (can[&a], can[&b]);
                (coder.or(a1, b1), coder.and(a0, b0))
            }
            Some(Connective::Same(a, b)) => same(coder, can[&a], can[&b]),
            Some(Connective::Differ(a, b)) => {
                let (can_be, can_not) = same(coder, can[&a], can[&b]);
                (can_not, can_be)
            }
            Some(Connective::Select(c, t, e)) => {
                let ((c1, c0), (t1, t0), (e1, e0)) = (can[&c], can[&t], can[&e]);
                (either(coder, (c1, t1), (c0, e1)), either(coder, (c1, t0), (c0, e0)))
            }
        };
        can.insert(reg, ways);
    }
    can[&root].0
}

/// `a & b | c & d`
fn either(coder: &mut Coder, (a, b): (Reg, Reg), (c, d): (Reg, Reg)) -> Reg {
    let (left, right) = (coder.and(a, b), coder.and(c, d));
    coder.or(left, right)
}

fn same(coder: &mut Coder, (a1, a0): (Reg, Reg), (b1, b0): (Reg, Reg)) -> (Reg, Reg) {
    (either(coder, (a1, b1), (a0, b0)), either(coder, (a1, b0), (a0, b1)))
}

/// Adds what a constraint leaves to each of some slots, where that is little.
pub fn collect(
    coder: &mut Coder,
    root: Reg,
    free: &FxHashSet<Reg>,
    is_ready: &[bool],
    found: &mut Candidates,
) {
    let (no, yes) = (coder.constant(0), coder.constant(1));
    // What a node leaves when it is to be true, and when it is to be false.
    let mut leaves: FxHashMap<Reg, [Leaves; 2]> = FxHashMap::default();
    for reg in connectives(coder, root, is_ready) {
        let of = |a: Reg| -> [&Leaves; 2] { [&leaves[&a][0], &leaves[&a][1]] };
        let both = match connective(coder, reg) {
            _ if coder.as_const(reg).is_some() => match reg == yes {
                true => [Leaves::anything(), Leaves::Nothing],
                false => [Leaves::Nothing, Leaves::anything()],
            },
            _ if is_ready[reg as usize] => [Leaves::anything(), Leaves::anything()],
            _ if free.contains(&reg) => [Leaves::one(reg, yes), Leaves::one(reg, no)],
            Some(Connective::Not(a)) => [of(a)[1].clone(), of(a)[0].clone()],
            Some(Connective::And(a, b)) => [of(a)[0].and(of(b)[0]), of(a)[1].or(of(b)[1])],
            Some(Connective::Or(a, b)) => [of(a)[0].or(of(b)[0]), of(a)[1].and(of(b)[1])],
            Some(Connective::Select(c, t, e)) => [0, 1].map(|way| {
                let (then, other) = (of(c)[0].and(of(t)[way]), of(c)[1].and(of(e)[way]));
                then.or(&other)
            }),
            _ => [equation(coder, reg, free, is_ready), Leaves::anything()],
        };
        leaves.insert(reg, both);
    }
    if let Leaves::Some(slots) = &leaves[&root][0] {
        for (&slot, values) in slots {
            let is_better = found.get(&slot).is_none_or(|known| values.len() < known.len());
            if is_better {
                found.insert(slot, values.clone());
            }
        }
    }
}

/// What an equation with one side known leaves to the other.
fn equation(coder: &Coder, reg: Reg, free: &FxHashSet<Reg>, is_ready: &[bool]) -> Leaves {
    let Op::Binary(Calc::Eq, a, b) = coder.op(reg) else { return Leaves::anything() };
    match [(a, b), (b, a)].into_iter().find(|(x, y)| free.contains(x) && is_ready[*y as usize]) {
        Some((slot, value)) => Leaves::one(slot, value),
        None => Leaves::anything(),
    }
}

/// What is left to slots.
#[derive(Clone, Debug)]
enum Leaves {
    /// The condition can't be met.
    Nothing,
    /// These slots have one of these values, the others any.
    Some(FxHashMap<Reg, Vec<Reg>>),
}

impl Leaves {
    fn anything() -> Leaves {
        Leaves::Some(FxHashMap::default())
    }

    fn one(slot: Reg, value: Reg) -> Leaves {
        Leaves::Some([(slot, vec![value])].into_iter().collect())
    }

    /// Both conditions are met: each slot has what the stricter one leaves.
    fn and(&self, other: &Leaves) -> Leaves {
        let (Leaves::Some(a), Leaves::Some(b)) = (self, other) else { return Leaves::Nothing };
        let (mut all, fewer) = if a.len() >= b.len() { (a.clone(), b) } else { (b.clone(), a) };
        for (&slot, values) in fewer {
            match all.get(&slot) {
                Some(known) if known.len() <= values.len() => {}
                _ => {
                    all.insert(slot, values.clone());
                }
            }
        }
        Leaves::Some(all)
    }

    /// One of the conditions is met.
    fn or(&self, other: &Leaves) -> Leaves {
        let (a, b) = match (self, other) {
            (Leaves::Nothing, _) => return other.clone(),
            (_, Leaves::Nothing) => return self.clone(),
            (Leaves::Some(a), Leaves::Some(b)) => (a, b),
        };
        let mut all = FxHashMap::default();
        for (&slot, values) in a {
            let Some(others) = b.get(&slot) else { continue };
            let mut both = values.clone();
            both.extend(others.iter().filter(|value| !values.contains(value)));
            if both.len() <= MAX_CANDIDATES {
                all.insert(slot, both);
            }
        }
        Leaves::Some(all)
    }
}

/// The nodes between a constraint and what is known or no connective, operands first.
fn connectives(coder: &Coder, root: Reg, is_ready: &[bool]) -> Vec<Reg> {
    let mut stack = vec![root];
    let mut seen = FxHashSet::default();
    while let Some(reg) = stack.pop() {
        if !seen.insert(reg) || is_ready[reg as usize] {
            continue;
        }
        match connective(coder, reg) {
            None => {}
            Some(Connective::Not(a)) => stack.push(a),
            Some(
                Connective::And(a, b)
                | Connective::Or(a, b)
                | Connective::Same(a, b)
                | Connective::Differ(a, b),
            ) => stack.extend([a, b]),
            Some(Connective::Select(c, t, e)) => stack.extend([c, t, e]),
        }
    }
    let mut nodes: Vec<Reg> = seen.into_iter().collect();
    nodes.sort_unstable();
    nodes
}

fn connective(coder: &Coder, reg: Reg) -> Option<Connective> {
    let is_truth = |reg: Reg| {
        let (lo, hi) = coder.bounds(reg);
        lo >= 0 && hi <= 1
    };
    match coder.op(reg) {
        Op::Binary(Calc::Xor, a, b) if coder.as_const(b) == Some(1) && is_truth(a) => {
            Some(Connective::Not(a))
        }
        Op::Binary(calc, a, b) if is_truth(a) && is_truth(b) => match calc {
            Calc::And => Some(Connective::And(a, b)),
            Calc::Or => Some(Connective::Or(a, b)),
            Calc::Eq => Some(Connective::Same(a, b)),
            Calc::Xor => Some(Connective::Differ(a, b)),
            _ => None,
        },
        Op::Select(c, t, e) if is_truth(t) && is_truth(e) => Some(Connective::Select(c, t, e)),
        _ => None,
    }
}
