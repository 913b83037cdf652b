//! Automata for LTL with past, constructed on the fly.
//!
//! The automaton is a generalised Büchi automaton with acceptance on transitions. A state is a
//! set of formulas that the rest of the word must meet, in negation normal form, and the history
//! that past subformulas depend on. Steps are computed for one letter at a time, when they are
//! first asked for (Couvreur, *On-the-fly verification of linear temporal logic*; Gastin and
//! Oddoux, *Fast LTL to Büchi automata translation*), see [`expand`]. We differ in the past:
//! instead of two-way automata, it is a deterministic function of the history ([`past`]), and the
//! truth of a future formula below a past operator is guessed in every step, with the formula or
//! its negation added to what the rest of the word must meet.

mod expand;
mod formula;
mod intern;
mod past;
mod recurrent;
mod translate;

#[cfg(test)]
pub(super) mod tests;

use std::ops::Range;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use trapline_model::{ExprId, Exprs};

use self::expand::{Letter, Term, expand, normalise};
use self::formula::FormulaId;
use self::intern::Interner;
use self::translate::{Translation, translate, untils};
use crate::{Budget, Why};

/// A state of the automaton.
pub type LocationId = u32;
/// The id of a letter: the truth values of all atoms.
pub type LetterId = u32;

/// The language an automaton accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// The words that satisfy the formula.
    Satisfying,
    /// The words that violate it.
    Violating,
}

/// A transition of the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Its target state.
    pub to: LocationId,
    /// Which acceptance sets it belongs to, see [`Automaton::accepts`].
    pub mark: u32,
}

/// An automaton.
#[derive(Clone, Debug)]
pub struct Automaton {
    formulas: Translation,
    initial: LocationId,
    /// The formulas with an acceptance set each, sorted.
    untils: Vec<FormulaId>,
    sets: Interner<FormulaId>,
    histories: Interner<u32>,
    /// Each a set of formulas and a history.
    locations: Interner<u32>,
    letters: Interner<usize>,
    /// For each kind of move its acceptance sets, as a bit set.
    marks: Interner<usize>,
    moves: Vec<Move>,
    known: FxHashMap<(LocationId, LetterId), Range<u32>>,
}

impl Automaton {
    /// The automaton of a formula of LTL.
    ///
    /// # Errors
    /// When there are other operators in the formula, or too much past.
    pub fn new(exprs: &Exprs, formula: ExprId, words: Words) -> Result<Automaton, Why> {
        let formulas = translate(exprs, formula)?;
        let root = formulas.root[usize::from(words == Words::Violating)];
        let mut roots = vec![root];
        if formulas.pool.has_past(root) {
            roots.extend(formulas.guesses.iter().flatten());
        }
        let mut automaton = Automaton {
            untils: untils(&formulas.pool, &roots),
            formulas,
            initial: 0,
            sets: Interner::default(),
            histories: Interner::default(),
            locations: Interner::default(),
            letters: Interner::default(),
            marks: Interner::default(),
            moves: Vec::new(),
            known: FxHashMap::default(),
        };
        automaton.histories.intern(automaton.formulas.past.initial());
        let mut set = automaton.formulas.pool.conjuncts(root);
        normalise(&automaton.formulas.pool, &mut set);
        automaton.initial = automaton.location(&set, INITIAL_HISTORY);
        Ok(automaton)
    }

    /// The maximal non-temporal subformulas: the atoms of letters.
    pub fn atoms(&self) -> &[ExprId] {
        &self.formulas.atoms
    }

    /// The initial state.
    pub fn initial(&self) -> LocationId {
        self.initial
    }

    /// Number of states found so far.
    pub fn n_locations(&self) -> usize {
        self.locations.len()
    }

    /// Number of acceptance sets. A word is accepted if some run on it takes moves of each of them
    /// infinitely often.
    pub fn n_acceptance_sets(&self) -> usize {
        self.untils.len()
    }

    /// The acceptance sets of moves with this mark, as blocks of bits.
    pub fn accepts(&self, mark: u32) -> &[usize] {
        self.marks.get(mark)
    }

    /// The states in which an accepting run can stay for ever, as far as moves are known.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn recurrent(&self, budget: &Budget) -> Result<FixedBitSet, Why> {
        recurrent::recurrent(self, budget)
    }

    /// The id of a letter.
    pub fn letter(&mut self, atoms: &FixedBitSet) -> LetterId {
        self.letters.intern(atoms.as_slice())
    }

    /// The moves of a state with a letter.
    ///
    /// # Errors
    /// When there are too many of them, or the budget runs out.
    pub fn moves(
        &mut self,
        location: LocationId,
        letter: LetterId,
        budget: &Budget,
    ) -> Result<&[Move], Why> {
        let range = match self.known.get(&(location, letter)) {
            Some(range) => range.clone(),
            None => self.find_moves(location, letter, budget)?,
        };
        Ok(&self.moves[range.start as usize..range.end as usize])
    }

    fn find_moves(
        &mut self,
        location: LocationId,
        letter: LetterId,
        budget: &Budget,
    ) -> Result<Range<u32>, Why> {
        let &[set, history] = self.locations.get(location) else {
            unreachable!("a location is a set and a history");
        };
        let set = self.sets.get(set).to_vec();
        let history = self.histories.get(history).to_vec();
        let has_past = self.has_past(&set);
        let n_guesses = if has_past { self.formulas.guesses.len() } else { 0 };
        let start = self.moves.len() as u32;
        let mut values = FixedBitSet::new();
        let mut after = Vec::new();
        for guesses in 0..1u32 << n_guesses {
            let Automaton { formulas, letters, .. } = self;
            let atoms = letters.get(letter);
            if has_past {
                formulas.past.step(&history, atoms, guesses, &mut values, &mut after);
            }
            let mut demands = set.clone();
            for (guess_idx, pair) in formulas.guesses.iter().take(n_guesses).enumerate() {
                let is_false = guesses >> guess_idx & 1 == 0;
                demands.extend(formulas.pool.conjuncts(pair[usize::from(is_false)]));
            }
            demands.sort_unstable();
            demands.dedup();
            budget.spend(1 + demands.len() as u64)?;
            let letter = Letter { atoms, past: &values };
            let terms = expand(&mut formulas.pool, &demands, letter, budget)?;
            self.add_moves(&terms, &after, start);
        }
        let range = start..self.moves.len() as u32;
        self.known.insert((location, letter), range.clone());
        Ok(range)
    }

    fn add_moves(&mut self, terms: &[Term], history: &[u32], start: u32) {
        for term in terms {
            // History that no longer matters is dropped, so that more states coincide.
            let history = match self.has_past(&term.next) {
                true => self.histories.intern(history),
                false => INITIAL_HISTORY,
            };
            let step =
                Move { to: self.location(&term.next, history), mark: self.mark(&term.postponed) };
            if !self.moves[start as usize..].contains(&step) {
                self.moves.push(step);
            }
        }
    }

    fn has_past(&self, set: &[FormulaId]) -> bool {
        set.iter().any(|&id| self.formulas.pool.has_past(id))
    }

    fn location(&mut self, set: &[FormulaId], history: u32) -> LocationId {
        let set = self.sets.intern(set);
        self.locations.intern(&[set, history])
    }

    fn mark(&mut self, postponed: &[FormulaId]) -> u32 {
        let mut sets = FixedBitSet::with_capacity(self.untils.len());
        sets.insert_range(..);
        for until in postponed {
            if let Ok(idx) = self.untils.binary_search(until) {
                sets.remove(idx);
            }
        }
        self.marks.intern(sets.as_slice())
    }
}

/// The id of the history before the first step.
const INITIAL_HISTORY: u32 = 0;
