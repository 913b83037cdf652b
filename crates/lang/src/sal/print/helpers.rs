//! Functions that a context declares because SAL has no operator for them.
//!
//! A word is the number that it represents. What works on its bits is a function for its width, a sum
//! over the bits.

use std::fmt::Write as _;

/// A function of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Helper {
    /// The absolute value.
    Abs,
    /// The remainder with the sign of the left operand.
    Rem,
    /// The remainder that is never negative.
    Modulo,
    /// The quotient that is never greater.
    Floor,
    /// The number of bits of this width as a signed word.
    Signed(u8),
    /// A signed word cut to this width, keeping the sign.
    Cut(u8),
    /// The bits that both have.
    And(u8),
    /// The bits that one has.
    Or(u8),
    /// The bits that only one has.
    Xor(u8),
    /// Two to the power of a number up to this.
    Power(u8),
}

impl Helper {
    /// Its name, if that is free.
    pub fn wanted(self) -> String {
        match self {
            Helper::Abs => "abs".into(),
            Helper::Rem => "rem".into(),
            Helper::Modulo => "modulo".into(),
            Helper::Floor => "quotient".into(),
            Helper::Signed(width) => format!("signed_{width}"),
            Helper::Cut(width) => format!("cut_{width}"),
            Helper::And(width) => format!("and_{width}"),
            Helper::Or(width) => format!("or_{width}"),
            Helper::Xor(width) => format!("xor_{width}"),
            Helper::Power(most) => format!("power_{most}"),
        }
    }

    /// The functions that it is made of.
    pub fn needs(self) -> Option<Helper> {
        match self {
            Helper::Floor | Helper::Cut(_) => Some(Helper::Modulo),
            _ => None,
        }
    }

    /// Its declaration; `of` gives the names of functions.
    pub fn declaration(self, of: impl Fn(Helper) -> String) -> String {
        let name = of(self);
        match self {
            Helper::Abs => {
                format!("{name}(a: INTEGER): INTEGER = IF a < 0 THEN -a ELSE a ENDIF")
            }
            Helper::Rem => {
                format!("{name}(a: INTEGER, b: INTEGER): INTEGER = a - b * (a DIV b)")
            }
            Helper::Modulo => format!(
                "{name}(a: INTEGER, b: INTEGER): INTEGER =\n    \
                 IF a < 0 THEN b - 1 - (-a - 1) MOD b ELSE a MOD b ENDIF"
            ),
            Helper::Floor => {
                let modulo = of(Helper::Modulo);
                format!("{name}(a: INTEGER, b: INTEGER): INTEGER = (a - {modulo}(a, b)) DIV b")
            }
            Helper::Signed(width) => {
                let (half, size) = (1u64 << (width - 1), 1u64 << width);
                format!("{name}(a: INTEGER): INTEGER = IF a >= {half} THEN a - {size} ELSE a ENDIF")
            }
            Helper::Cut(width) => {
                let (half, modulo) = (1u64 << (width - 1), of(Helper::Modulo));
                format!(
                    "{name}(a: INTEGER): INTEGER =\n    \
                     IF a < 0 THEN {modulo}(a, {half}) - {half} ELSE {modulo}(a, {half}) ENDIF"
                )
            }
            Helper::And(width) => bits(&name, width, |a, b| format!("{a} = 1 AND {b} = 1")),
            Helper::Or(width) => bits(&name, width, |a, b| format!("{a} = 1 OR {b} = 1")),
            Helper::Xor(width) => bits(&name, width, |a, b| format!("{a} /= {b}")),
            Helper::Power(most) => {
                let mut text = format!("{name}(a: INTEGER): INTEGER =\n    IF a = 0 THEN 1");
                for exponent in 1..most {
                    let _ = write!(text, " ELSIF a = {exponent} THEN {}", 1u64 << exponent);
                }
                let _ = write!(text, " ELSE {} ENDIF", 1u64 << most);
                text
            }
        }
    }
}

fn bits(name: &str, width: u8, holds: impl Fn(&str, &str) -> String) -> String {
    let mut text = format!("{name}(a: INTEGER, b: INTEGER): INTEGER =");
    for bit in 0..width {
        let value = 1u64 << bit;
        let of = |word: &str| match bit {
            0 => format!("{word} MOD 2"),
            _ => format!("({word} DIV {value}) MOD 2"),
        };
        let plus = if bit == 0 { "" } else { " +" };
        let holds = holds(&of("a"), &of("b"));
        let _ = write!(text, "{plus}\n    (IF {holds} THEN {value} ELSE 0 ENDIF)");
    }
    text
}
