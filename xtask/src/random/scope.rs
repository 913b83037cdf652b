//! What an expression of a random model may read, and the generator of expressions.
//!
//! Variables are ordered. Where a circular dependency would be an error, an assignment reads only
//! variables before its target, so that models are free of cycles by construction.

use fastrand::Rng;

use super::types::Ty;

/// What an expression reads, or what it may read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// The current values of variables before this position.
    pub current: usize,
    /// The next values of variables before this position.
    pub next: usize,
    /// Inputs.
    pub inputs: bool,
    /// Frozen variables.
    pub frozen: bool,
    /// The next values of frozen variables.
    pub next_frozen: bool,
}

impl Reads {
    /// Only constants.
    pub const NOTHING: Reads =
        Reads { current: 0, next: 0, inputs: false, frozen: true, next_frozen: true };
    /// One state.
    pub const STATE: Reads = Reads { current: usize::MAX, ..Reads::NOTHING };
    /// A step.
    pub const STEP: Reads = Reads { next: usize::MAX, inputs: true, ..Reads::STATE };
    /// What an atom of LTL may read: NuSMV crashes on the next value of a frozen variable.
    pub const LTL: Reads = Reads { next_frozen: false, ..Reads::STEP };

    fn includes(self, other: Reads) -> bool {
        other.current <= self.current
            && other.next <= self.next
            && (self.inputs || !other.inputs)
            && (self.frozen || !other.frozen)
            && (self.next_frozen || !other.next_frozen)
    }

    /// What an expression inside `next` may read where the whole may read this.
    pub fn inside_next(self) -> Reads {
        let current = self.next;
        Reads { current, frozen: self.next_frozen, ..Reads::NOTHING }
    }

    /// What `next` of an expression that reads this reads; nothing if it can't be.
    pub fn after_next(self) -> Option<Reads> {
        let is_state = self.next == 0 && !self.inputs;
        let next = Reads { next: self.current, next_frozen: self.frozen, ..Reads::default() };
        is_state.then_some(next)
    }

    /// What two expressions read together.
    pub fn and(self, other: Reads) -> Reads {
        Reads {
            current: self.current.max(other.current),
            next: self.next.max(other.next),
            inputs: self.inputs || other.inputs,
            frozen: self.frozen || other.frozen,
            next_frozen: self.next_frozen || other.next_frozen,
        }
    }
}

/// Something with a name that expressions can read.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// How it is written.
    pub name: String,
    /// Its values.
    pub ty: Ty,
    /// What reading it reads.
    pub reads: Reads,
}

/// An array that expressions can read with an index of their own.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// The least index.
    pub lo: i64,
    /// The greatest index.
    pub hi: i64,
    /// What reading an element gives and reads.
    pub element: Leaf,
}

/// Writes expressions over what it knows.
pub struct Writer<'r> {
    /// Where choices come from.
    pub rng: &'r mut Rng,
    /// What there is to read.
    pub leaves: Vec<Leaf>,
    /// Arrays.
    pub rows: Vec<Row>,
    /// Defines that may be sets: only a right-hand side can read them.
    pub choices: Vec<Leaf>,
    /// What was read since it was last cleared.
    pub need: Reads,
}

impl Writer<'_> {
    /// Is this one of so many?
    pub fn one_in(&mut self, n: u8) -> bool {
        self.rng.u8(..n) == 0
    }

    /// One of these.
    pub fn pick(&mut self, list: &[&'static str]) -> &'static str {
        list[self.rng.usize(..list.len())]
    }

    /// Something to read, as an expression names it.
    pub fn leaf(&mut self, may: Reads, is_wanted: impl Fn(&Ty) -> bool) -> Option<Leaf> {
        let mut found = Vec::new();
        for leaf in self.leaves.iter().filter(|leaf| is_wanted(&leaf.ty)) {
            if may.includes(leaf.reads) {
                found.push((leaf.name.clone(), leaf.reads, &leaf.ty));
            }
            if let Some(reads) = leaf.reads.after_next().filter(|reads| may.includes(*reads))
                && reads.next > 0
            {
                found.push((format!("next({})", leaf.name), reads, &leaf.ty));
            }
        }
        let idx = (!found.is_empty()).then(|| self.rng.usize(..found.len()))?;
        let (name, reads, ty) = found.swap_remove(idx);
        self.need = self.need.and(reads);
        Some(Leaf { name, ty: ty.clone(), reads })
    }

    /// A define that may be a set of values of this type.
    pub fn defined_choice(&mut self, may: Reads, ty: &Ty) -> Option<String> {
        let fits = |leaf: &&Leaf| ty.includes(&leaf.ty) && may.includes(leaf.reads);
        let leaf = self.choices.iter().find(fits)?;
        self.need = self.need.and(leaf.reads);
        Some(leaf.name.clone())
    }

    /// An array whose elements may be read.
    pub fn row(&mut self, may: Reads, is_wanted: impl Fn(&Ty) -> bool) -> Option<Row> {
        let fits = |row: &&Row| is_wanted(&row.element.ty) && may.includes(row.element.reads);
        let rows: Vec<Row> = self.rows.iter().filter(fits).cloned().collect();
        let row = rows.get(self.rng.usize(..rows.len().max(1)))?.clone();
        self.need = self.need.and(row.element.reads);
        Some(row)
    }

    /// Writes `next` of something; without it if nothing is read, since NuSMV does not see that
    /// `next(1)` is 1.
    pub fn next(&mut self, may: Reads, write: impl FnOnce(&mut Self, Reads) -> String) -> String {
        let before = std::mem::take(&mut self.need);
        let inner = write(self, may.inside_next());
        let reads = self.need.after_next().unwrap_or_default();
        self.need = before.and(reads);
        if reads.next > 0 { format!("next({inner})") } else { inner }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_moves_what_is_read_to_the_next_state() {
        let reads = Reads { current: 3, frozen: true, ..Reads::default() };
        let next = reads.after_next().unwrap();
        assert_eq!((next.current, next.next, next.next_frozen), (0, 3, true));
        assert!(Reads { inputs: true, ..reads }.after_next().is_none());
        assert!(!Reads::LTL.includes(next) && Reads::STEP.includes(next));
    }
}
