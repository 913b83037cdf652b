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
        // Beyond the end of the word nothing changes; within it, the loop wraps around.
        let n_skipped = match self.period {
            Some(period) if lo > self.len => self.len + (lo - self.len) % period,
            _ => lo.min(self.len),
        };
        let place = |i: usize, distance: usize| match (i + distance).checked_sub(self.len) {
            None => Place::Inside(i + distance),
            Some(beyond) => match self.period {
                Some(period) => Place::Again(self.len - period + beyond % period),
                None => Place::Outside(NEVER),
            },
        };
        let within = (0..self.len).map(|i| search.clamp(i)).collect();
        let column = self.slide(search.main.to_vec(), within, (hi - lo).min(self.len), place);
        let below = (0..self.len).map(|i| search.clamp_below(i)).collect();
        self.slide(column, below, n_skipped, place)
    }

    /// The column after so many steps, each of which gives every position what its clamp makes of
    /// the value at its neighbour. By doubling: what two neighbours make of a value is a clamp too.
    fn slide(
        self,
        mut column: Column,
        mut clamps: Vec<Clamp>,
        n_steps: usize,
        place: impl Fn(usize, usize) -> Place,
    ) -> Column {
        let (mut n_left, mut distance) = (n_steps, 1);
        while n_left > 0 {
            if n_left % 2 == 1 {
                let value = |i: usize| match place(i, distance) {
                    Place::Inside(at) => column[at],
                    Place::Again(at) => self.again(column[at]),
                    Place::Outside(value) => value,
                };
                column = (0..self.len).map(|i| clamps[i].of(value(i))).collect();
            }
            let inner = |i: usize| match place(i, distance) {
                Place::Inside(at) => clamps[at],
                Place::Again(at) => {
                    Clamp { least: self.again(clamps[at].least), most: self.again(clamps[at].most) }
                }
                Place::Outside(value) => Clamp { least: value, most: value },
            };
            clamps = (0..self.len).map(|i| clamps[i].after(inner(i))).collect();
            n_left /= 2;
            distance *= 2;
        }
        column
    }

    /// A value from the next turn of the loop: where it is false, all positions are needed to know.
    fn again(self, value: u32) -> u32 {
        if value == NEVER { NEVER } else { self.last() }
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
        let place = |i: usize, distance: usize| match i.checked_sub(distance) {
            Some(at) => Place::Inside(at),
            None => Place::Outside(outside),
        };
        let not_before =
            |i: usize, clamp: Clamp| Clamp { least: clamp.least.max(i as u32), ..clamp };
        let within = (0..self.len).map(|i| not_before(i, search.clamp(i))).collect();
        let column = self.slide(search.main.to_vec(), within, (hi - lo).min(self.len), place);
        let below = (0..self.len).map(|i| not_before(i, Clamp { least: 0, most: NEVER })).collect();
        self.slide(column, below, lo.min(self.len), place)
    }
}

/// Where a neighbour is.
enum Place {
    /// At this position.
    Inside(usize),
    /// At this position, in the next turn of the loop.
    Again(usize),
    /// Beyond the end or before the start, where the value is known.
    Outside(u32),
}

/// The least and the greatest number that a value may be; if they cross, it is the least.
#[derive(Clone, Copy)]
struct Clamp {
    least: u32,
    most: u32,
}

impl Clamp {
    fn of(self, value: u32) -> u32 {
        self.most.min(value).max(self.least)
    }

    /// This of what another makes of a value.
    fn after(self, inner: Clamp) -> Clamp {
        Clamp { least: self.of(inner.least), most: self.most.min(inner.most) }
    }
}

impl Scan<&[u32]> {
    /// The value at a position within the bounds, given that at the position beyond.
    fn here(&self, i: usize, beyond: u32) -> u32 {
        self.clamp(i).of(beyond)
    }

    /// What a position within the bounds makes of the value at the position beyond.
    fn clamp(&self, i: usize) -> Clamp {
        let (main, side) = (self.main[i], self.side.map(|side| side[i]));
        match self.reach {
            Reach::Some => Clamp { least: main, most: side.unwrap_or(NEVER) },
            Reach::All => Clamp { least: main.min(side.unwrap_or(0)), most: main },
        }
    }

    /// The same at a position that is below the lower bound.
    fn clamp_below(&self, i: usize) -> Clamp {
        let side = self.side.map(|side| side[i]);
        match self.reach {
            Reach::Some => Clamp { least: 0, most: side.unwrap_or(NEVER) },
            Reach::All => Clamp { least: side.unwrap_or(0), most: NEVER },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: usize = 7;

    /// What the definition says: each step looks one position further.
    fn step_by_step(word: Word, search: Scan<&[u32]>, (lo, hi): (usize, usize)) -> Column {
        let mut column = search.main.to_vec();
        for step in 0..hi {
            let after = word.after(&column);
            let later = |i: usize| column.get(i + 1).copied().unwrap_or(after);
            column = (0..word.len)
                .map(|i| match step < hi - lo {
                    true => search.clamp(i).of(later(i)),
                    false => search.clamp_below(i).of(later(i)),
                })
                .collect();
        }
        column
    }

    fn random_column(rng: &mut fastrand::Rng) -> Column {
        (0..LEN as u32).map(|i| if rng.bool() { NEVER } else { rng.u32(i..LEN as u32) }).collect()
    }

    #[test]
    fn bounds_are_met_by_doubling_as_step_by_step() {
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..20_000 {
            let period = rng.bool().then(|| rng.usize(1..=LEN));
            let word = Word { len: LEN, period };
            let (main, side) = (random_column(&mut rng), random_column(&mut rng));
            let reach = if rng.bool() { Reach::Some } else { Reach::All };
            let lo = rng.usize(0..12);
            let bounds = (lo, lo + rng.usize(0..=LEN));
            let side = rng.bool().then_some(side.as_slice());
            let search =
                Scan { reach, side, main: main.as_slice(), bounds: Some(bounds), outside: false };
            assert_eq!(word.ahead(search), step_by_step(word, search, bounds), "{search:?}");
        }
    }

    #[test]
    fn a_bound_of_a_million_costs_little_more_than_none() {
        let len = 1_000_000;
        let word = Word { len, period: None };
        let main: Column = (0..len as u32).map(|i| if i == 900_000 { i } else { NEVER }).collect();
        let bounds = Some((0, len));
        let search = Scan { reach: Reach::All, side: None, main: &main[..], bounds, outside: true };
        assert_eq!(word.ahead(search)[0], 900_000);
        assert_eq!(word.back(search)[len - 1], len as u32 - 1);
    }
}
