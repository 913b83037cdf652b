//! The obligations that formulas impose on the next state, for a given letter.
//!
//! Each formula becomes a disjunction of **terms**: a set of formulas for the next state, and the
//! untils that are postponed. This is the transition function of the alternating automaton of
//! Gastin and Oddoux (*Fast LTL to Büchi automata translation*), with acceptance on transitions as
//! in Couvreur's tableau (*On-the-fly verification of linear temporal logic*). We know the letter,
//! so no literals remain, and keep only the minimal terms at every node. Bounded operators count
//! down one step at a time and are never unrolled.

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::formula::{FALSE, Formula, FormulaId, Pool};
use super::past::bit;
use crate::{Budget, Why};

/// Maximum number of terms of a formula.
const MAX_TERMS: usize = 1 << 12;
/// Maximum number of pairs of terms joined at a time.
const MAX_PAIRS: usize = 1 << 18;

/// One way to satisfy a set of formulas in a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Term {
    /// What must hold in the next state, sorted.
    pub next: Vec<FormulaId>,
    /// The postponed untils, sorted.
    pub postponed: Vec<FormulaId>,
}

/// The truth values of all literals in a step.
#[derive(Clone, Copy, Debug)]
pub struct Letter<'a> {
    /// Of the atoms.
    pub atoms: &'a [usize],
    /// Of the past formulas.
    pub past: &'a FixedBitSet,
}

/// The minimal terms of a conjunction, in the form of [`normalise`].
///
/// # Errors
/// When there are too many terms, or the budget runs out.
pub fn expand(
    pool: &mut Pool,
    conjuncts: &[FormulaId],
    letter: Letter,
    budget: &Budget,
) -> Result<Vec<Term>, Why> {
    let mut terms: FxHashMap<FormulaId, Vec<Term>> = FxHashMap::default();
    for id in needed(pool, conjuncts) {
        let of_id = terms_of(pool, id, letter, &terms, budget)?;
        terms.insert(id, of_id);
    }
    let mut all = conjunction(conjuncts.iter().map(|id| &*terms[id]), budget)?;
    for term in &mut all {
        normalise(pool, &mut term.next);
    }
    minimal(all, budget)
}

/// Drops formulas implied by others from a sorted set, such that the terms stay the same: `p`
/// beside `G p`, `a U b` beside `b`, a bounded operator beside a stricter one.
pub fn normalise(pool: &Pool, set: &mut Vec<FormulaId>) {
    if set.len() < 2 {
        return;
    }
    let mut implied: FxHashSet<FormulaId> = FxHashSet::default();
    for &id in &*set {
        if let Formula::Release(FALSE, p) = pool.get(id) {
            implied.insert(p);
            implied.extend(pool.conjuncts(p));
        }
    }
    let has = |set: &[FormulaId], id: FormulaId| set.binary_search(&id).is_ok();
    let mut bounded: FxHashMap<FormulaId, Vec<Formula>> = FxHashMap::default();
    for &id in &*set {
        let formula = pool.get(id);
        match formula {
            Formula::Until(_, p) | Formula::Within(0, _, p) if has(set, p) => implied.insert(id),
            Formula::Throughout(0, _, p) => implied.insert(p),
            _ => false,
        };
        if let Formula::Within(_, _, p) | Formula::Throughout(_, _, p) = formula {
            bounded.entry(p).or_default().push(formula);
        }
    }
    set.retain(|&id| match pool.get(id) {
        _ if implied.contains(&id) => false,
        formula @ (Formula::Within(_, _, p) | Formula::Throughout(_, _, p)) => {
            !bounded[&p].iter().any(|&other| other != formula && is_stricter(other, formula))
        }
        _ => true,
    });
}

/// True if the first bounded operator implies the second, of the same operand.
fn is_stricter(first: Formula, second: Formula) -> bool {
    match (first, second) {
        (Formula::Within(lo, hi, _), Formula::Within(wide_lo, wide_hi, _))
        | (Formula::Throughout(wide_lo, wide_hi, _), Formula::Throughout(lo, hi, _)) => {
            wide_lo <= lo && hi <= wide_hi
        }
        _ => false,
    }
}

/// The formulas whose terms are needed, operands first.
fn needed(pool: &Pool, conjuncts: &[FormulaId]) -> Vec<FormulaId> {
    let mut seen: FxHashSet<FormulaId> = FxHashSet::default();
    let mut stack = conjuncts.to_vec();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        match pool.get(id) {
            Formula::And(..) => stack.extend(pool.conjuncts(id)),
            Formula::Or(..) => stack.extend(pool.disjuncts(id)),
            Formula::Until(a, b) | Formula::Release(a, b) => stack.extend([a, b]),
            Formula::Within(0, _, a) | Formula::Throughout(0, _, a) => stack.push(a),
            _ => {}
        }
    }
    let mut needed: Vec<FormulaId> = seen.into_iter().collect();
    needed.sort_unstable();
    needed
}

fn terms_of(
    pool: &mut Pool,
    id: FormulaId,
    letter: Letter,
    known: &FxHashMap<FormulaId, Vec<Term>>,
    budget: &Budget,
) -> Result<Vec<Term>, Why> {
    let truth = |value: bool| if value { vec![Term::default()] } else { Vec::new() };
    let next = |pool: &Pool, id| {
        if id == FALSE {
            return Vec::new();
        }
        vec![Term { next: pool.conjuncts(id), postponed: Vec::new() }]
    };
    match pool.get(id) {
        Formula::Const(value) => Ok(truth(value)),
        Formula::Atom(atom, value) => Ok(truth(bit(letter.atoms, atom) == value)),
        Formula::Past(idx, value) => Ok(truth(letter.past.contains(idx as usize) == value)),
        Formula::And(..) => {
            conjunction(pool.conjuncts(id).iter().map(|part| &*known[part]), budget)
        }
        Formula::Or(..) => {
            let parts = pool.disjuncts(id);
            minimal(parts.iter().flat_map(|part| known[part].iter().cloned()).collect(), budget)
        }
        Formula::Next(a) => Ok(next(pool, a)),
        Formula::Until(a, b) => {
            let wait = [Term { next: vec![id], postponed: vec![id] }];
            let mut terms = conjunction([&*known[&a], &wait].into_iter(), budget)?;
            terms.extend_from_slice(&known[&b]);
            minimal(terms, budget)
        }
        Formula::Release(a, b) => {
            let mut terms = known[&a].clone();
            terms.push(Term { next: vec![id], postponed: Vec::new() });
            conjunction([&*known[&b], &terms].into_iter(), budget)
        }
        Formula::Within(0, hi, a) => {
            let later = pool.within(0, hi - 1, a);
            let mut terms = next(pool, later);
            terms.extend_from_slice(&known[&a]);
            minimal(terms, budget)
        }
        Formula::Throughout(0, hi, a) => {
            let later = pool.throughout(0, hi - 1, a);
            conjunction([&*known[&a], &next(pool, later)].into_iter(), budget)
        }
        Formula::Within(lo, hi, a) => {
            let later = pool.within(lo - 1, hi - 1, a);
            Ok(next(pool, later))
        }
        Formula::Throughout(lo, hi, a) => {
            let later = pool.throughout(lo - 1, hi - 1, a);
            Ok(next(pool, later))
        }
    }
}

/// The minimal terms that take one term of each factor.
fn conjunction<'t>(
    factors: impl Iterator<Item = &'t [Term]> + Clone,
    budget: &Budget,
) -> Result<Vec<Term>, Why> {
    if factors.clone().any(<[Term]>::is_empty) {
        return Ok(Vec::new());
    }
    // Factors with a single term are joined at once: there may be very many.
    let single = factors.clone().filter(|factor| factor.len() == 1).flatten();
    let mut base = Term::default();
    for term in single {
        base.next.extend(&term.next);
        base.postponed.extend(&term.postponed);
    }
    for set in [&mut base.next, &mut base.postponed] {
        set.sort_unstable();
        set.dedup();
    }
    let mut terms = vec![base];
    for factor in factors.filter(|factor| factor.len() > 1) {
        check_size(terms.len().saturating_mul(factor.len()), MAX_PAIRS)?;
        let pairs = terms.iter().flat_map(|term| factor.iter().map(move |other| (term, other)));
        let joined = pairs.map(|(term, other)| Term {
            next: union(&term.next, &other.next),
            postponed: union(&term.postponed, &other.postponed),
        });
        terms = minimal(joined.collect(), budget)?;
    }
    Ok(terms)
}

/// Keeps the terms that are minimal in both obligations and postponed untils.
fn minimal(mut terms: Vec<Term>, budget: &Budget) -> Result<Vec<Term>, Why> {
    if terms.len() < 2 {
        return Ok(terms);
    }
    terms.sort_by_key(|term| term.next.len() + term.postponed.len());
    let mut kept: Vec<Term> = Vec::new();
    for term in terms {
        budget.spend(1 + kept.len() as u64 / 16)?;
        let is_better = |other: &Term| {
            is_subset(&other.next, &term.next) && is_subset(&other.postponed, &term.postponed)
        };
        if !kept.iter().any(is_better) {
            kept.push(term);
        }
    }
    check_size(kept.len(), MAX_TERMS)?;
    Ok(kept)
}

fn check_size(n_terms: usize, limit: usize) -> Result<(), Why> {
    match n_terms > limit {
        true => Err(Why::Unsupported("a temporal formula with so many alternatives".into())),
        false => Ok(()),
    }
}

fn is_subset(part: &[FormulaId], whole: &[FormulaId]) -> bool {
    let mut rest = whole.iter();
    part.len() <= whole.len() && part.iter().all(|id| rest.any(|other| other == id))
}

fn union(a: &[FormulaId], b: &[FormulaId]) -> Vec<FormulaId> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a, b);
    while let (Some(&x), Some(&y)) = (a.first(), b.first()) {
        all.push(x.min(y));
        a = if x <= y { &a[1..] } else { a };
        b = if y <= x { &b[1..] } else { b };
    }
    all.extend_from_slice(a);
    all.extend_from_slice(b);
    all
}
