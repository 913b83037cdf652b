//! The types of variables in random models.

use fastrand::Rng;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    /// `boolean`.
    Bool,
    /// `lo..hi`.
    Range(i64, i64),
    /// An enumeration of integers.
    Ints(&'static [i64]),
    /// An enumeration of symbols.
    Symbols(&'static [&'static str]),
    /// An enumeration of both.
    Mixed(&'static [&'static str]),
    /// A word.
    Word(WordTy),
}

/// The type of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordTy {
    /// Has it a sign?
    pub is_signed: bool,
    /// How many bits it has.
    pub width: u32,
}

/// All symbols.
pub const NAMES: &[&str] = &["red", "green", "blue", "idle", "busy", "done"];

const RANGES: &[(i64, i64)] = &[(0, 1), (0, 2), (0, 3), (0, 5), (0, 7), (-1, 1), (-3, 2), (2, 4)];
const INTS: &[&[i64]] = &[&[0, 2], &[1, 3, 6], &[-2, 0, 5], &[4, 1, 2]];
const SYMBOLS: &[&[&str]] =
    &[&["red", "green"], &["red", "green", "blue"], &["idle", "busy", "done"], &["blue", "idle"]];
const MIXED: &[&[&str]] = &[&["0", "red"], &["1", "2", "idle"], &["green", "3"]];

impl Ty {
    /// Any type; small ones and Booleans more often.
    pub fn any(rng: &mut Rng) -> Ty {
        match rng.u8(..14) {
            0..=3 => Ty::Bool,
            4..=6 => {
                let (lo, hi) = RANGES[rng.usize(..RANGES.len())];
                Ty::Range(lo, hi)
            }
            7 => Ty::Ints(INTS[rng.usize(..INTS.len())]),
            8..=10 => Ty::Symbols(SYMBOLS[rng.usize(..SYMBOLS.len())]),
            11 => Ty::Mixed(MIXED[rng.usize(..MIXED.len())]),
            _ => Ty::Word(WordTy { is_signed: rng.u8(..3) == 0, width: rng.u32(1..=5) }),
        }
    }

    /// As SMV writes it.
    pub fn text(&self) -> String {
        match self {
            Ty::Bool => "boolean".into(),
            Ty::Range(lo, hi) => format!("{lo}..{hi}"),
            Ty::Ints(values) => {
                let values: Vec<String> = values.iter().map(i64::to_string).collect();
                format!("{{{}}}", values.join(", "))
            }
            Ty::Symbols(names) | Ty::Mixed(names) => format!("{{{}}}", names.join(", ")),
            Ty::Word(WordTy { is_signed: true, width }) => format!("signed word[{width}]"),
            Ty::Word(WordTy { is_signed: false, width }) => format!("word[{width}]"),
        }
    }

    /// How many values it has.
    pub fn size(&self) -> u64 {
        match self {
            Ty::Bool => 2,
            Ty::Range(lo, hi) => (hi - lo + 1).unsigned_abs(),
            Ty::Ints(values) => values.len() as u64,
            Ty::Symbols(names) | Ty::Mixed(names) => names.len() as u64,
            Ty::Word(ty) => 1 << ty.width,
        }
    }

    /// One of its values.
    pub fn constant(&self, rng: &mut Rng) -> String {
        match self {
            Ty::Bool => ["TRUE", "FALSE"][rng.usize(..2)].into(),
            Ty::Range(lo, hi) => integer(rng.i64(lo..=hi)),
            Ty::Ints(values) => integer(values[rng.usize(..values.len())]),
            Ty::Symbols(names) | Ty::Mixed(names) => names[rng.usize(..names.len())].into(),
            Ty::Word(ty) => ty.constant(rng),
        }
    }

    /// Its least and its greatest integer, if it has only integers.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        match self {
            Ty::Range(lo, hi) => Some((*lo, *hi)),
            Ty::Ints(values) => values.iter().min().copied().zip(values.iter().max().copied()),
            _ => None,
        }
    }

    /// Can every value of the other one be assigned to it?
    pub fn includes(&self, other: &Ty) -> bool {
        match (self, other) {
            (Ty::Symbols(mine) | Ty::Mixed(mine), Ty::Symbols(names)) => {
                names.iter().all(|name| mine.contains(name))
            }
            (Ty::Range(lo, hi), _) => other.bounds().is_some_and(|(a, b)| *lo <= a && b <= *hi),
            _ => self == other,
        }
    }
}

impl WordTy {
    /// One of its values.
    pub fn constant(self, rng: &mut Rng) -> String {
        let WordTy { is_signed, width } = self;
        let bits = rng.u64(..1 << width);
        let sign = if is_signed { 's' } else { 'u' };
        match rng.u8(..3) {
            0 if !is_signed => format!("0ud{width}_{bits}"),
            1 if !is_signed => format!("uwconst({bits}, {width})"),
            _ => {
                let digits = width as usize;
                format!("0{sign}b{width}_{bits:0digits$b}")
            }
        }
    }

    /// Its least and its greatest value.
    pub fn bounds(self) -> (i64, i64) {
        if self.is_signed {
            (-(1 << (self.width - 1)), (1 << (self.width - 1)) - 1)
        } else {
            (0, (1 << self.width) - 1)
        }
    }
}

/// An integer that can stand anywhere in an expression.
pub fn integer(value: i64) -> String {
    if value < 0 { format!("({value})") } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_includes_the_integers_inside_it() {
        assert!(Ty::Range(-3, 5).includes(&Ty::Ints(&[-2, 0, 5])));
        assert!(!Ty::Range(0, 5).includes(&Ty::Range(-1, 1)));
        assert!(!Ty::Ints(&[0, 2]).includes(&Ty::Range(0, 1)));
    }

    #[test]
    fn a_word_has_as_many_values_as_its_bounds_say() {
        for width in 1..=5 {
            for is_signed in [false, true] {
                let (lo, hi) = WordTy { is_signed, width }.bounds();
                assert_eq!(hi - lo + 1, 1 << width);
            }
        }
    }
}
