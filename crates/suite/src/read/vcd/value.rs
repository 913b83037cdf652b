//! Values in a dump, as texts that the type of a variable gives a meaning.

use std::borrow::Cow;

use trapline_model::{Domain, Ratio, Type, Value, Word};

use crate::read::Reader;
use crate::read::names::Entity;
use crate::read::value;

/// A value as it is written.
#[derive(Clone, Copy)]
pub(super) enum Raw<'t> {
    Bits(&'t str),
    Real(&'t str),
    /// Not in the standard, but understood by viewers.
    Text(&'t str),
}

/// How the bits of a signal are read.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    /// Is it declared as a number with a sign?
    pub is_signed: bool,
    pub width: u32,
}

/// May a scalar have this value? Those of VHDL besides 0, 1, x and z are written too.
pub(super) fn is_bit(c: char) -> bool {
    "01xXzZuUwWlLhH-".contains(c)
}

/// What a value is of something; `None` if it is unknown.
pub(super) fn text<'t>(
    reader: &Reader<'_>,
    entity: Entity,
    kind: Kind,
    raw: Raw<'t>,
) -> Option<Cow<'t, str>> {
    match raw {
        Raw::Bits(bits) => {
            let is_known = |c: char| "01lLhH".contains(c);
            if !bits.is_empty() && bits.chars().all(is_bit) && !bits.chars().all(is_known) {
                return None;
            }
            let number = number(bits);
            Some(number.map_or(bits.into(), |it| of_number(reader, entity, kind, it).into()))
        }
        Raw::Real(text) if text.eq_ignore_ascii_case("nan") => None,
        Raw::Real(text) => Some(match text.parse().ok().and_then(ratio) {
            Some(ratio) if ratio.den() == 1 => ratio.num().to_string().into(),
            Some(ratio) => format!("{}/{}", ratio.num(), ratio.den()).into(),
            None => text.into(),
        }),
        Raw::Text("?") => None,
        Raw::Text(text) => Some(unescaped(text)),
    }
}

fn number(bits: &str) -> Option<u64> {
    let bits: String = bits.chars().map(|c| if "1hH".contains(c) { '1' } else { c }).collect();
    let bits: String = bits.chars().map(|c| if "lL".contains(c) { '0' } else { c }).collect();
    let digits = bits.trim_start_matches('0');
    match digits.is_empty() {
        true => (!bits.is_empty()).then_some(0),
        false => u64::from_str_radix(digits, 2).ok(),
    }
}

/// A number as a value of something.
fn of_number(reader: &Reader<'_>, entity: Entity, kind: Kind, number: u64) -> String {
    let plain = number.to_string();
    let signed = signed(kind.width, number).to_string();
    let model = reader.model;
    match reader.kind(entity) {
        value::Kind::Of(&Domain::Word { signed, width })
        | value::Kind::Typed(Type::Word { signed, width }) => {
            let word = Word { signed, width, bits: number };
            let is_inside = number <= Word::mask(width);
            if is_inside { word.to_i128().to_string() } else { plain }
        }
        value::Kind::Of(Domain::Enum(members))
            if members.iter().all(|member| matches!(member, Value::Symbol(_))) =>
        {
            // An enumeration of another language has numbers for its members.
            let member = usize::try_from(number).ok().and_then(|idx| members.get(idx));
            member.map_or(plain, |&member| model.show(member))
        }
        _ if kind.is_signed => signed,
        value::Kind::Of(domain) => {
            let is_value = |number: &str| {
                number.parse().is_ok_and(|number| domain.contains(Value::Int(number)))
            };
            if !is_value(&plain) && is_value(&signed) { signed } else { plain }
        }
        value::Kind::Typed(_) => plain,
    }
}

/// A number of so many bits, the first of which is the sign.
fn signed(width: u32, number: u64) -> i128 {
    let is_negative = (1..=64).contains(&width) && number >> (width - 1) == 1;
    i128::from(number) - if is_negative { 1i128 << width } else { 0 }
}

/// The simplest ratio that is written as this number: a convergent of its continued fraction.
fn ratio(number: f64) -> Option<Ratio> {
    let (size, sign) = (number.abs(), if number < 0.0 { -1 } else { 1 });
    let ([mut num_before, mut num], [mut den_before, mut den]) = ([0i128, 1], [1i128, 0]);
    let mut rest = size;
    while rest.is_finite() && rest < 1e18 {
        let whole = rest.floor();
        let next = |now: i128, before: i128| (whole as i128).checked_mul(now)?.checked_add(before);
        (num_before, num) = (num, next(num, num_before)?);
        (den_before, den) = (den, next(den, den_before)?);
        if num as f64 / den as f64 == size {
            return Ratio::new(sign * num, den);
        }
        rest = 1.0 / (rest - whole);
    }
    None
}

/// A text in which bytes are written as in C.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        let code = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        let (byte, length) = match (first, after) {
            (b'\\', [b'x', digits @ ..]) if digits.len() >= 2 => match code(&digits[..2]) {
                Some(byte) => (byte, 4),
                None => (b'\\', 1),
            },
            (b'\\', [escaped @ (b'\\' | b'?'), ..]) => (*escaped, 2),
            _ => (*first, 1),
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
    // An empty text is no word, so it is written as this.
    if bytes == [0] {
        bytes.clear();
    }
    String::from_utf8_lossy(&bytes).into_owned().into()
}
