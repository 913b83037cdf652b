//! Binary operations and their interval arithmetic.

/// A binary operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Calc {
    /// Bitwise.
    And,
    /// Bitwise.
    Or,
    /// Bitwise.
    Xor,
    /// Equality.
    Eq,
    /// Less than.
    Lt,
    /// Less than, unsigned.
    UnsignedLt,
    /// Wrapping sum.
    Add,
    /// Wrapping difference.
    Sub,
    /// Wrapping product.
    Mul,
    /// Quotient, truncated towards zero; 0 for a zero divisor.
    Div,
    /// Remainder with the sign of the dividend; 0 for a zero divisor.
    Rem,
    /// Unsigned quotient.
    UnsignedDiv,
    /// Unsigned remainder.
    UnsignedRem,
    /// Left shift.
    Shl,
    /// Arithmetic right shift.
    Shr,
    /// Logical right shift.
    UnsignedShr,
    /// True if the sum overflows.
    AddOverflows,
    /// True if the difference overflows.
    SubOverflows,
    /// True if the product overflows.
    MulOverflows,
}

impl Calc {
    /// True if it is commutative.
    pub fn is_symmetric(self) -> bool {
        matches!(self, Calc::And | Calc::Or | Calc::Xor | Calc::Eq | Calc::Add | Calc::Mul)
    }

    /// Its result.
    #[inline(always)]
    pub fn apply(self, a: i64, b: i64) -> i64 {
        match self {
            Calc::And => a & b,
            Calc::Or => a | b,
            Calc::Xor => a ^ b,
            Calc::Eq => i64::from(a == b),
            Calc::Lt => i64::from(a < b),
            Calc::UnsignedLt => i64::from((a as u64) < b as u64),
            Calc::Add => a.wrapping_add(b),
            Calc::Sub => a.wrapping_sub(b),
            Calc::Mul => a.wrapping_mul(b),
            Calc::Div => {
                if b == 0 {
                    0
                } else {
                    a.wrapping_div(b)
                }
            }
            Calc::Rem => {
                if b == 0 {
                    0
                } else {
                    a.wrapping_rem(b)
                }
            }
            Calc::UnsignedDiv => (a as u64).checked_div(b as u64).unwrap_or(0) as i64,
            Calc::UnsignedRem => (a as u64).checked_rem(b as u64).unwrap_or(0) as i64,
            Calc::Shl => {
                if (b as u64) < 64 {
                    a << b
                } else {
                    0
                }
            }
            Calc::Shr => a >> (b as u64).min(63),
            Calc::UnsignedShr => {
                if (b as u64) < 64 {
                    (a as u64 >> b) as i64
                } else {
                    0
                }
            }
            Calc::AddOverflows => i64::from(a.checked_add(b).is_none()),
            Calc::SubOverflows => i64::from(a.checked_sub(b).is_none()),
            Calc::MulOverflows => i64::from(a.checked_mul(b).is_none()),
        }
    }

    /// An interval that contains the result.
    pub fn bounds(self, (a, b): (i64, i64), (x, y): (i64, i64)) -> (i64, i64) {
        const TRUTH: (i64, i64) = (0, 1);
        let fit = |numbers: &[i128]| {
            let (lo, hi) = (numbers.iter().min(), numbers.iter().max());
            let narrow = |n: Option<&i128>| n.and_then(|n| i64::try_from(*n).ok());
            narrow(lo).zip(narrow(hi))
        };
        let [p, q, r, s] = [a, b, x, y].map(i128::from);
        let exact = match self {
            Calc::Add | Calc::AddOverflows => fit(&[p + r, q + s]),
            Calc::Sub | Calc::SubOverflows => fit(&[p - s, q - r]),
            Calc::Mul | Calc::MulOverflows => fit(&[p * r, p * s, q * r, q * s]),
            _ => None,
        };
        match self {
            Calc::Eq if b < x || y < a => (0, 0),
            Calc::Lt if b < x => (1, 1),
            Calc::Lt if a >= y => (0, 0),
            Calc::UnsignedLt if a >= 0 && b < x => (1, 1),
            Calc::Eq | Calc::Lt | Calc::UnsignedLt => TRUTH,
            Calc::AddOverflows | Calc::SubOverflows | Calc::MulOverflows => {
                if exact.is_some() {
                    (0, 0)
                } else {
                    TRUTH
                }
            }
            Calc::Add | Calc::Sub | Calc::Mul => exact.unwrap_or((i64::MIN, i64::MAX)),
            Calc::And if a >= 0 && x >= 0 => (0, b.min(y)),
            Calc::Or | Calc::Xor if a >= 0 && x >= 0 => (0, ones(b.max(y))),
            Calc::Div if a >= 0 && x > 0 => (a / y, b / x),
            Calc::Rem if a >= 0 && x > 0 => (0, b.min(y - 1)),
            Calc::Rem if x > 0 => ((1 - y).max(a.min(0)), (y - 1).min(b.max(0))),
            _ => (i64::MIN, i64::MAX),
        }
    }
}

/// The least number of the form 1...1 that is not less.
fn ones(number: i64) -> i64 {
    if number == 0 { 0 } else { i64::MAX >> (number.leading_zeros() - 1) }
}

/// Truncation to a word.
#[inline(always)]
pub fn wrap(number: i64, signed: bool, width: u8) -> i64 {
    let unused = 64 - u32::from(width);
    match signed {
        true => number << unused >> unused,
        false => ((number as u64) << unused >> unused) as i64,
    }
}

/// The bounds of a word.
pub fn word_bounds(signed: bool, width: u8) -> (i64, i64) {
    match (signed, width) {
        (_, 64..) => (i64::MIN, i64::MAX),
        (true, _) => (-1 << (width - 1), (1 << (width - 1)) - 1),
        (false, _) => (0, ((1u64 << width) - 1) as i64),
    }
}
