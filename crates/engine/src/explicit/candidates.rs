//! Partial evaluation of constraints over unbound variables.
//!
//! Traverses the connectives of a constraint down to bound nodes and unbound comparisons, to answer
//! two questions: can it still become true, and which values does it leave a variable?

use rustc_hash::{FxHashMap, FxHashSet};

use crate::code::{Calc, Coder, Op, Reg};

/// For a slot, nodes one of which must equal it.
pub type Candidates = FxHashMap<Reg, Vec<Reg>>;

/// With more candidates the whole domain is used.
const MAX_CANDIDATES: usize = 64;

/// When each node became ready; 0 if it is not.
pub type ReadyAt = [u32];

/// A Boolean connective.
#[derive(Clone)]
enum Connective {
    Not(Reg),
    /// A chain of conjunctions, ready members first in the order in which they became ready, so
    /// that a longer ready prefix reuses what was computed for a shorter one.
    All(Vec<Reg>),
    /// A chain of disjunctions, likewise.
    Any(Vec<Reg>),
    Same(Reg, Reg),
    Differ(Reg, Reg),
    Select(Reg, Reg, Reg),
}

/// A node that is true if a constraint can still become true; constant 1 when nothing is known.
pub fn possible(coder: &mut Coder, root: Reg, ready_at: &ReadyAt) -> Reg {
    // Whether each node can be true, and whether it can be false.
    let mut can: FxHashMap<Reg, (Reg, Reg)> = FxHashMap::default();
    let always = coder.constant(1);
    for reg in connectives(coder, root, ready_at) {
        let ways = match connective(coder, reg, ready_at) {
            _ if (ready_at[reg as usize] > 0) => (reg, coder.not(reg)),
            None => (always, always),
            Some(Connective::Not(a)) => {
                let (can_be, can_not) = can[&a];
                (can_not, can_be)
            }
            Some(Connective::All(members)) => {
                let (first, never) = (always, coder.constant(0));
                members.iter().fold((first, never), |(all, none), member| {
                    let (can_be, can_not) = can[member];
                    (coder.and(all, can_be), coder.or(none, can_not))
                })
            }
            Some(Connective::Any(members)) => {
                let (first, never) = (always, coder.constant(0));
                members.iter().fold((never, first), |(any, none), member| {
                    let (can_be, can_not) = can[member];
                    (coder.or(any, can_be), coder.and(none, can_not))
                })
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

/// Adds the candidate values that a constraint leaves to some slots.
pub fn collect(
    coder: &mut Coder,
    root: Reg,
    free: &FxHashSet<Reg>,
    ready_at: &ReadyAt,
    found: &mut Candidates,
) {
    let (no, yes) = (coder.constant(0), coder.constant(1));
    // The candidates if a node is to be true, and if it is to be false.
    let mut leaves: FxHashMap<Reg, [Leaves; 2]> = FxHashMap::default();
    for reg in connectives(coder, root, ready_at) {
        let of = |a: Reg| -> [&Leaves; 2] { [&leaves[&a][0], &leaves[&a][1]] };
        let both = match connective(coder, reg, ready_at) {
            _ if coder.as_const(reg).is_some() => match reg == yes {
                true => [Leaves::anything(), Leaves::Nothing],
                false => [Leaves::Nothing, Leaves::anything()],
            },
            _ if (ready_at[reg as usize] > 0) => [Leaves::anything(), Leaves::anything()],
            _ if free.contains(&reg) => [Leaves::one(reg, yes), Leaves::one(reg, no)],
            Some(Connective::Not(a)) => [of(a)[1].clone(), of(a)[0].clone()],
            Some(Connective::All(members)) => {
                let ways = |way: usize| members.iter().map(move |&member| (member, way));
                [all(ways(0), &leaves), any(ways(1), &leaves)]
            }
            Some(Connective::Any(members)) => {
                let ways = |way: usize| members.iter().map(move |&member| (member, way));
                [any(ways(0), &leaves), all(ways(1), &leaves)]
            }
            Some(Connective::Select(c, t, e)) => [0, 1].map(|way| {
                let (then, other) = (of(c)[0].and(of(t)[way]), of(c)[1].and(of(e)[way]));
                then.or(&other)
            }),
            _ => [equation(coder, reg, free, ready_at), Leaves::anything()],
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

/// The conjuncts of a condition.
pub fn conjuncts(coder: &Coder, cond: Reg) -> Vec<Reg> {
    chain(coder, Calc::And, cond, &[])
}

/// The disjuncts of a constraint: as written, or the branches of a `case` whose conditions are
/// bound.
pub fn disjuncts(coder: &mut Coder, root: Reg, ready_at: &ReadyAt) -> Vec<Reg> {
    let mut members = Vec::new();
    let mut stack = vec![root];
    while let Some(reg) = stack.pop() {
        match connective(coder, reg, ready_at) {
            _ if ready_at[reg as usize] > 0 => members.push(reg),
            Some(Connective::Any(parts)) => stack.extend(parts.into_iter().rev()),
            Some(Connective::Select(c, t, e)) if ready_at[c as usize] > 0 => {
                let not = coder.not(c);
                let (then, other) = (coder.and(c, t), coder.and(not, e));
                members.push(then);
                // The rest of a long chain is split too, each branch under its conditions.
                members.extend(guarded(coder, not, e, ready_at).unwrap_or(vec![other]));
            }
            _ => members.push(reg),
        }
    }
    let never = coder.constant(0);
    members.retain(|member| *member != never);
    members
}

/// The branches of a chain of `?:`, under a condition.
fn guarded(coder: &mut Coder, cond: Reg, root: Reg, ready_at: &ReadyAt) -> Option<Vec<Reg>> {
    let mut members = Vec::new();
    let (mut above, mut reg) = (cond, root);
    loop {
        let known = reg as usize >= ready_at.len();
        let Op::Select(c, t, e) = coder.op(reg) else { break };
        if known || !is_truth(coder, reg) || ready_at.get(c as usize).is_none_or(|&at| at == 0) {
            break;
        }
        let here = coder.and(above, c);
        members.push(coder.and(here, t));
        let not = coder.not(c);
        above = coder.and(above, not);
        reg = e;
    }
    if members.is_empty() {
        return None;
    }
    members.push(coder.and(above, reg));
    Some(members)
}

/// Candidates if all of these hold (polarity 0 is true, 1 is false).
fn all(
    members: impl Iterator<Item = (Reg, usize)>,
    leaves: &FxHashMap<Reg, [Leaves; 2]>,
) -> Leaves {
    members.fold(Leaves::anything(), |all, (member, way)| all.and(&leaves[&member][way]))
}

/// Candidates if one of them holds.
fn any(
    members: impl Iterator<Item = (Reg, usize)>,
    leaves: &FxHashMap<Reg, [Leaves; 2]>,
) -> Leaves {
    members.fold(Leaves::Nothing, |any, (member, way)| any.or(&leaves[&member][way]))
}

/// Candidates from an equation with one side bound.
fn equation(coder: &Coder, reg: Reg, free: &FxHashSet<Reg>, ready_at: &ReadyAt) -> Leaves {
    let Op::Binary(Calc::Eq, a, b) = coder.op(reg) else { return Leaves::anything() };
    match [(a, b), (b, a)].into_iter().find(|(x, y)| free.contains(x) && ready_at[*y as usize] > 0)
    {
        Some((slot, value)) => Leaves::one(slot, value),
        None => Leaves::anything(),
    }
}

/// Candidate values left to slots.
#[derive(Clone, Debug)]
enum Leaves {
    /// The condition is unsatisfiable.
    Nothing,
    /// These slots take one of these values; the others are unconstrained.
    Some(FxHashMap<Reg, Vec<Reg>>),
}

impl Leaves {
    fn anything() -> Leaves {
        Leaves::Some(FxHashMap::default())
    }

    fn one(slot: Reg, value: Reg) -> Leaves {
        Leaves::Some([(slot, vec![value])].into_iter().collect())
    }

    /// Conjunction: each slot takes the smaller candidate set.
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

    /// Disjunction: candidate sets are united.
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

/// The connective nodes above bound or non-Boolean-connective nodes, operands first.
fn connectives(coder: &Coder, root: Reg, ready_at: &ReadyAt) -> Vec<Reg> {
    let mut stack = vec![root];
    let mut seen = FxHashSet::default();
    while let Some(reg) = stack.pop() {
        if !seen.insert(reg) || (ready_at[reg as usize] > 0) {
            continue;
        }
        match connective(coder, reg, ready_at) {
            None => {}
            Some(Connective::Not(a)) => stack.push(a),
            Some(Connective::All(members) | Connective::Any(members)) => stack.extend(members),
            Some(Connective::Same(a, b) | Connective::Differ(a, b)) => stack.extend([a, b]),
            Some(Connective::Select(c, t, e)) => stack.extend([c, t, e]),
        }
    }
    let mut nodes: Vec<Reg> = seen.into_iter().collect();
    nodes.sort_unstable();
    nodes
}

fn connective(coder: &Coder, reg: Reg, ready_at: &ReadyAt) -> Option<Connective> {
    let is_truth = |reg: Reg| is_truth(coder, reg);
    match coder.op(reg) {
        Op::Binary(Calc::Xor, a, b) if coder.as_const(b) == Some(1) && is_truth(a) => {
            Some(Connective::Not(a))
        }
        Op::Binary(calc, a, b) if is_truth(a) && is_truth(b) => match calc {
            Calc::And => Some(Connective::All(chain(coder, Calc::And, reg, ready_at))),
            Calc::Or => Some(Connective::Any(chain(coder, Calc::Or, reg, ready_at))),
            Calc::Eq => Some(Connective::Same(a, b)),
            Calc::Xor => Some(Connective::Differ(a, b)),
            _ => None,
        },
        Op::Select(c, t, e) if is_truth(t) && is_truth(e) => Some(Connective::Select(c, t, e)),
        _ => None,
    }
}

/// The members of a chain of conjunctions or disjunctions.
fn chain(coder: &Coder, calc: Calc, root: Reg, ready_at: &ReadyAt) -> Vec<Reg> {
    let mut members = Vec::new();
    let mut stack = vec![root];
    let mut seen = FxHashSet::default();
    while let Some(reg) = stack.pop() {
        match coder.op(reg) {
            _ if !seen.insert(reg) => {}
            Op::Binary(op, a, b)
                if op == calc
                    && ready_at.get(reg as usize).is_none_or(|&at| at == 0)
                    && is_truth(coder, a)
                    && is_truth(coder, b) =>
            {
                stack.extend([a, b]);
            }
            _ => members.push(reg),
        }
    }
    members.sort_unstable_by_key(|&reg| match ready_at.get(reg as usize) {
        None | Some(0) => (u32::MAX, reg),
        Some(&time) => (time, reg),
    });
    members
}

fn is_truth(coder: &Coder, reg: Reg) -> bool {
    let (lo, hi) = coder.bounds(reg);
    lo >= 0 && hi <= 1
}
