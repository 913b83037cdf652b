//! The value of a formula at each position of a word, as a number: the first position by which it
//! is certainly false, [`NEVER`] where it is not false.
//!
//! A conjunction is false as soon as one operand is, a disjunction when both are: so they are the
//! minimum and maximum of two numbers, and every operator in negation normal form is built from
//! these. Truncating the word after position `m` makes exactly the numbers above `m` true, which is
//! the weak semantics: one pass evaluates every prefix of a test.
//!
//! On a lasso all violations are known; where one needs the loop, its number is that of the last
//! position.

use super::normal::{Reach, Scan};

/// Not false.
pub const NEVER: u32 = u32::MAX;

/// The value of a formula in each position.
pub type Column = Vec<u32>;

/// The positions of a test. A loop is unrolled until the truth of past formulas becomes periodic.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// How many positions there are.
    pub len: usize,
    /// The length of the loop at the end.
    pub period: Option<usize>,
}

impl Word {
    fn last(self) -> u32 {
        self.len as u32 - 1
    }

    /// The value at the position after the last one.
    fn after(self, column: &[u32]) -> u32 {
        match self.period {
            Some(period) if column[self.len - period] != NEVER => self.last(),
            _ => NEVER,
        }
    }

    /// A literal that is false at these positions, which is known `delay` steps later.
    pub fn literal(self, is_false: impl Iterator<Item = bool>, delay: u32) -> Column {
        let number = |(i, is_false)| match is_false {
            true => (i as u32 + delay).min(self.last()),
            false => NEVER,
        };
        is_false.take(self.len).enumerate().map(number).collect()
    }

    /// In the next state.
    pub fn next(self, p: &[u32]) -> Column {
        let mut column = p[1..].to_vec();
        column.push(self.after(p));
        column
    }

    /// A future operator.
    pub fn ahead(self, search: Scan<&[u32]>) -> Column {
        match search.bounds {
            Some(bounds) => self.ahead_within(search, bounds),
            None => self.ahead_ever(search),
        }
    }

    fn ahead_ever(self, search: Scan<&[u32]>) -> Column {
        let mut later = NEVER;
        if let Some(period) = self.period {
            // One iteration of the loop computes its entry value, from the least or greatest
            // fixpoint.
            if search.reach == Reach::Some {
                later = self.last();
            }
            for i in (self.len - period..self.len).rev() {
                later = search.here(i, later);
            }
            later = if later == NEVER { NEVER } else { self.last() };
        }
        let mut column = vec![NEVER; self.len];
        for i in (0..self.len).rev() {
            later = search.here(i, later);
            column[i] = later;
        }
        column
    }

    fn ahead_within(self, search: Scan<&[u32]>, (lo, hi): (usize, usize)) -> Column {
        let mut column = search.main.to_vec();
        // Beyond the end of the word nothing changes; within it, the loop wraps around.
        let n_skipped = match self.period {
            Some(period) if lo > self.len => self.len + (lo - self.len) % period,
            _ => lo.min(self.len),
        };
        for _ in 0..(hi - lo).min(self.len) {
            self.shift(&mut column, |i, later| search.here(i, later));
        }
        for _ in 0..n_skipped {
            self.shift(&mut column, |i, later| search.past(i, later));
        }
        column
    }

    fn shift(self, column: &mut [u32], value: impl Fn(usize, u32) -> u32) {
        let after = self.after(column);
        for i in 0..self.len {
            let later = column.get(i + 1).copied().unwrap_or(after);
            column[i] = value(i, later);
        }
    }

    /// A past operator.
    pub fn back(self, search: Scan<&[u32]>) -> Column {
        let outside = if search.outside { NEVER } else { 0 };
        let Some((lo, hi)) = search.bounds else {
            let mut before = outside;
            let values = (0..self.len).map(|i| {
                // Nothing is known of a position before the test has reached it.
                before = search.here(i, before).max(i as u32);
                before
            });
            return values.collect();
        };
        let mut column = search.main.to_vec();
        let mut shift = |value: &dyn Fn(usize, u32) -> u32| {
            for i in (0..self.len).rev() {
                let before = if i == 0 { outside } else { column[i - 1] };
                column[i] = value(i, before).max(i as u32);
            }
        };
        for _ in 0..(hi - lo).min(self.len) {
            shift(&|i, before| search.here(i, before));
        }
        for _ in 0..lo.min(self.len) {
            shift(&|_, before| before);
        }
        column
    }
}

impl Scan<&[u32]> {
    /// The value at a position within the bounds, given that at the position beyond.
    fn here(&self, i: usize, beyond: u32) -> u32 {
        match self.reach {
            Reach::Some => self.main[i].max(self.past(i, beyond)),
            Reach::All => self.main[i].min(self.past(i, beyond)),
        }
    }

    /// The same at a position that is below the lower bound.
    fn past(&self, i: usize, beyond: u32) -> u32 {
        match (self.reach, self.side) {
            (Reach::Some, Some(side)) => side[i].min(beyond),
            (Reach::All, Some(side)) => side[i].max(beyond),
            (_, None) => beyond,
        }
    }
}
