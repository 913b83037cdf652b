//! The values that are still possible.

use trapline_model::eval::ValueSet;
use trapline_model::{Domain, Value};

/// Possible values of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Possible {
    /// Every value of a domain, by position, from the one at `start` on, round to the one before
    /// it; the first `n_taken` are used up.
    All {
        /// The domain.
        domain: Domain,
        /// The position of the first value.
        start: u64,
        /// How many are used up.
        n_taken: u64,
    },
    /// These.
    List(Vec<Value>),
}

/// Domains up to this size are listed when a value is ruled out.
pub(super) const MAX_LISTED: u64 = 1 << 16;

impl Possible {
    /// Every value of a domain.
    pub fn all(domain: &Domain) -> Possible {
        Possible::All { domain: domain.clone(), start: 0, n_taken: 0 }
    }

    /// How many there are; `None` is infinitely many.
    pub fn size(&self) -> Option<u64> {
        match self {
            Possible::All { domain, n_taken, .. } => domain.size().map(|size| size - n_taken),
            Possible::List(values) => Some(values.len() as u64),
        }
    }

    /// The only one left.
    pub fn single(&self) -> Option<Value> {
        match self {
            Possible::All { domain, start, n_taken } => {
                let size = domain.size()?;
                (size - n_taken == 1).then(|| domain.value(around(*start, *n_taken, size)))
            }
            Possible::List(values) => match values.as_slice() {
                [value] => Some(*value),
                _ => None,
            },
        }
    }

    /// Is this one of them?
    pub fn contains(&self, value: Value) -> bool {
        match self {
            Possible::All { domain, .. } => domain.contains(value),
            Possible::List(values) => values.contains(&value),
        }
    }

    /// Those that are also in a set; `None` when nothing changes.
    pub fn intersect(&self, set: &ValueSet) -> Option<Possible> {
        match self {
            Possible::All { domain, .. } => {
                if set.n_entries() > MAX_LISTED {
                    return self.retain(|value| set.contains(value));
                }
                let mut values: Vec<Value> = Vec::new();
                for value in set.iter().filter(|&value| domain.contains(value)) {
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
                Some(Possible::List(values))
            }
            Possible::List(_) => self.retain(|value| set.contains(value)),
        }
    }

    /// Those that pass a test; `None` when nothing changes, or there are too many to look at.
    pub fn retain(&self, test: impl Fn(Value) -> bool) -> Option<Possible> {
        let kept: Vec<Value> = match self {
            Possible::All { domain, .. } => {
                let size = domain.size().filter(|&size| size <= MAX_LISTED)?;
                (0..size).map(|idx| domain.value(idx)).filter(|&value| test(value)).collect()
            }
            Possible::List(values) => values.iter().copied().filter(|&value| test(value)).collect(),
        };
        (Some(kept.len() as u64) != self.size()).then_some(Possible::List(kept))
    }

    /// Puts them into a random order.
    pub fn shuffle(&mut self, rng: &mut fastrand::Rng) {
        match self {
            Possible::All { domain, start, .. } => {
                if let Some(size) = domain.size() {
                    *start = rng.u64(0..size);
                }
            }
            Possible::List(values) => rng.shuffle(values),
        }
    }

    /// Takes the first one out.
    pub fn take_first(&mut self) -> Option<Value> {
        match self {
            Possible::All { domain, start, n_taken } => {
                let size = domain.size()?;
                if *n_taken == size {
                    return None;
                }
                *n_taken += 1;
                Some(domain.value(around(*start, *n_taken - 1, size)))
            }
            Possible::List(values) => (!values.is_empty()).then(|| values.remove(0)),
        }
    }
}

/// The position so many places on, round the end.
fn around(start: u64, places: u64, size: u64) -> u64 {
    ((u128::from(start) + u128::from(places)) % u128::from(size)) as u64
}
