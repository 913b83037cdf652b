//! A clause arena, for clauses of two or more literals.

use super::super::solver::Lit;

/// A clause offset.
pub type ClauseRef = u32;

/// Header words: the length, and the level of the clause.
const HEAD: usize = 2;

/// An irredundant clause.
const NEEDED: u32 = 0;
/// A deleted clause.
const GONE: u32 = u32::MAX;

/// Clauses.
#[derive(Default)]
pub struct Clauses {
    words: Vec<u32>,
}

impl Clauses {
    /// Adds a clause that must stay.
    pub fn add(&mut self, lits: &[Lit]) -> ClauseRef {
        self.push(lits, NEEDED)
    }

    /// Adds a learnt clause with its literal block distance.
    pub fn add_learnt(&mut self, lits: &[Lit], n_levels: u32) -> ClauseRef {
        self.push(lits, n_levels.max(1))
    }

    fn push(&mut self, lits: &[Lit], worth: u32) -> ClauseRef {
        let place = self.words.len() as ClauseRef;
        self.words.extend([lits.len() as u32, worth]);
        self.words.extend(lits.iter().map(|lit| lit.code() as u32));
        place
    }

    /// The number of literals.
    #[inline]
    pub fn len(&self, place: ClauseRef) -> usize {
        self.words[place as usize] as usize
    }

    /// A literal of a clause.
    #[inline]
    pub fn lit(&self, place: ClauseRef, idx: usize) -> Lit {
        Lit::from_code(self.words[place as usize + HEAD + idx])
    }

    /// The literals of a clause.
    #[inline]
    pub fn lits(&self, place: ClauseRef) -> impl Iterator<Item = Lit> + '_ {
        let first = place as usize + HEAD;
        self.words[first..first + self.len(place)].iter().map(|&code| Lit::from_code(code))
    }

    /// Exchanges two literals.
    #[inline]
    pub fn swap(&mut self, place: ClauseRef, a: usize, b: usize) {
        let first = place as usize + HEAD;
        self.words.swap(first + a, first + b);
    }

    /// Deletes a clause.
    pub fn remove(&mut self, place: ClauseRef) {
        self.words[place as usize + 1] = GONE;
    }

    /// True if it is deleted.
    #[inline]
    pub fn is_gone(&self, place: ClauseRef) -> bool {
        self.words[place as usize + 1] == GONE
    }

    /// The literal block distance of a learnt clause; 0 for others.
    pub fn n_levels(&self, place: ClauseRef) -> u32 {
        self.words[place as usize + 1]
    }

    /// All clauses that are not deleted.
    pub fn iter(&self) -> impl Iterator<Item = ClauseRef> + '_ {
        let mut place = 0;
        std::iter::from_fn(move || {
            while place < self.words.len() {
                let this = place as ClauseRef;
                place += HEAD + self.len(this);
                if !self.is_gone(this) {
                    return Some(this);
                }
            }
            None
        })
    }
}
