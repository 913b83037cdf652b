//! Concrete values of variables and expressions.

use std::cmp::Ordering;

use crate::types::Type;

/// A symbolic constant, by its index in [`crate::Symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// `TRUE` or `FALSE`
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A symbolic constant.
    Symbol(SymbolId),
    /// A word.
    Word(Word),
    /// A rational number.
    Real(Ratio),
}

/// A word of 1 to 64 bits. Bits above the width are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word {
    /// True if it is signed.
    pub signed: bool,
    /// The number of bits.
    pub width: u8,
    /// The bits.
    pub bits: u64,
}

/// A rational number in lowest terms with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    num: i64,
    den: i64,
}

impl Value {
    /// Its type.
    pub fn ty(self) -> Type {
        match self {
            Value::Bool(_) => Type::Bool,
            Value::Int(_) => Type::Int,
            Value::Symbol(_) => Type::Symbol,
            Value::Word(w) => Type::Word { signed: w.signed, width: w.width },
            Value::Real(_) => Type::Real,
        }
    }

    /// The Boolean, if it is one.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// The integer, if it is one.
    pub fn as_int(self) -> Option<i64> {
        match self {
            Value::Int(i) => Some(i),
            _ => None,
        }
    }
}

impl Word {
    /// The greatest width, as in NuSMV.
    pub const MAX_WIDTH: u8 = 64;

    /// A word of these bits; those above the width are dropped.
    pub fn new(signed: bool, width: u8, bits: u64) -> Word {
        Word { signed, width, bits: bits & Word::mask(width) }
    }

    /// All bits of a width.
    pub fn mask(width: u8) -> u64 {
        if width >= 64 { u64::MAX } else { (1 << width) - 1 }
    }

    /// The number that the word represents.
    pub fn to_i128(self) -> i128 {
        let is_negative = self.signed && self.bits >> (self.width - 1) & 1 == 1;
        let below = self.bits as i128;
        if is_negative { below - (1i128 << self.width) } else { below }
    }

    /// The word of the same kind for a number; it wraps.
    pub fn wrap(self, number: i128) -> Word {
        Word::new(self.signed, self.width, number as u64)
    }
}

impl Ratio {
    /// `num / den` in lowest terms; `None` when it does not fit or `den` is zero.
    pub fn new(num: i128, den: i128) -> Option<Ratio> {
        if den == 0 {
            return None;
        }
        let divisor = gcd(num.unsigned_abs(), den.unsigned_abs()) as i128 * den.signum();
        let (num, den) = (num / divisor, den / divisor);
        Some(Ratio { num: num.try_into().ok()?, den: den.try_into().ok()? })
    }

    /// The numerator.
    pub fn num(self) -> i64 {
        self.num
    }

    /// The denominator, always positive.
    pub fn den(self) -> i64 {
        self.den
    }

    /// The greatest integer that is not greater.
    pub fn floor(self) -> i64 {
        self.num.div_euclid(self.den)
    }

    /// Applies an arithmetic operator to numerators and denominators.
    pub(crate) fn combine(
        self,
        other: Ratio,
        op: impl Fn([i128; 4]) -> (i128, i128),
    ) -> Option<Ratio> {
        let parts = [self.num, self.den, other.num, other.den].map(i128::from);
        let (num, den) = op(parts);
        Ratio::new(num, den)
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        let left = self.num as i128 * other.den as i128;
        left.cmp(&(other.num as i128 * self.den as i128))
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}
