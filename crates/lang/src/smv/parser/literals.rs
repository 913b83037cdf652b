//! Numbers of all kinds.

use std::num::IntErrorKind;

use trapline_source::{Diagnostic, Span};

use super::Parser;
use crate::smv::syntax::{Literal, Op};

/// Words have at most this many bits.
const MAX_WIDTH: u32 = 64;

impl Parser<'_, '_> {
    /// Writes the integer that is the current token.
    pub fn integer(&mut self) -> Op {
        let value = self.integer_value();
        self.integer_op(value)
    }

    /// The value of the integer that is the current token; 0 when it is too large.
    pub fn integer_value(&mut self) -> i64 {
        let text = self.lexer.slice();
        self.integer_from(text, self.span)
    }

    /// The value of an integer; 0 when it is too large.
    pub fn integer_from(&mut self, text: &str, span: Span) -> i64 {
        text.parse().unwrap_or_else(|_| {
            self.bad_number(span, "this integer does not fit 64 bits".into());
            0
        })
    }

    /// The operand for an integer.
    pub fn integer_op(&mut self, value: i64) -> Op {
        match i32::try_from(value) {
            Ok(small) => Op::Int(small),
            Err(_) => self.literal(Literal::Int(value)),
        }
    }

    /// The operand for a word that is written as `text`.
    pub fn word(&mut self, text: &str, span: Span) -> Op {
        let literal = parse_word(text).unwrap_or_else(|message| {
            self.bad_number(span, message);
            Literal::Word { signed: false, width: 1, bits: 0 }
        });
        self.literal(literal)
    }

    /// The operand for a decimal or a fraction that is written as `text`.
    pub fn real(&mut self, text: &str, span: Span) -> Op {
        let literal = parse_real(text).unwrap_or_else(|message| {
            self.bad_number(span, message.into());
            Literal::Real(0, 1)
        });
        self.literal(literal)
    }

    fn literal(&mut self, literal: Literal) -> Op {
        self.program.literals.push(literal);
        Op::Literal(self.program.literals.len() as u32 - 1)
    }

    fn bad_number(&mut self, span: Span, message: String) {
        self.report(Diagnostic::error("bad-number", span, message));
    }
}

/// Reads `0`, `u` or `s`, a base, perhaps a width, `_`, digits.
fn parse_word(text: &str) -> Result<Literal, String> {
    let (head, digits) = text.split_once('_').unwrap_or((text, ""));
    let head = &head[1..];
    let signed = head.starts_with('s');
    let head = head.strip_prefix(['u', 's']).unwrap_or(head);
    let (base, bits_per_digit) = match head.as_bytes().first() {
        Some(b'b' | b'B') => (2, 1),
        Some(b'o' | b'O') => (8, 3),
        Some(b'h' | b'H') => (16, 4),
        _ => (10, 0),
    };
    let digits: String = digits.chars().filter(|&c| c != '_').collect();
    let width = match &head[1..] {
        "" if base == 10 => return Err("a decimal word needs a width, as in `0ud8_12`".into()),
        "" => u32::try_from(digits.len() * bits_per_digit).unwrap_or(u32::MAX),
        width => width.parse().unwrap_or(u32::MAX),
    };
    if !(1..=MAX_WIDTH).contains(&width) {
        return Err(format!("the width of a word is 1 to {MAX_WIDTH} bits"));
    }
    let bits = u64::from_str_radix(&digits, base).map_err(|error| match error.kind() {
        IntErrorKind::PosOverflow => format!("this number does not fit {width} bits"),
        _ => format!("this has digits that do not belong to base {base}"),
    })?;
    // A signed decimal is a number, not bits: the least one is written with a minus before it.
    let greatest = match (signed && base == 10, width) {
        (true, _) => 1 << (width - 1),
        (false, 64) => u64::MAX,
        (false, _) => (1 << width) - 1,
    };
    if bits > greatest {
        return Err(format!("this number does not fit {width} bits"));
    }
    Ok(Literal::Word { signed, width: width as u8, bits })
}

/// Reads `12.5`, `125e-1`, `f'25/2`.
fn parse_real(text: &str) -> Result<Literal, &'static str> {
    const TOO_LARGE: &str = "this number does not fit a fraction of 64-bit integers";
    if let Some(fraction) = text.strip_prefix(['f', 'F']) {
        let (numerator, denominator) = fraction[1..].split_once('/').unwrap_or((fraction, "1"));
        let numerator = numerator.parse().map_err(|_| TOO_LARGE)?;
        let denominator = denominator.parse().map_err(|_| TOO_LARGE)?;
        return lowest_terms(numerator, denominator).ok_or("the denominator is zero");
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // Trailing zeros carry no value and must not be what makes a number too long.
    let decimals = decimals.trim_end_matches('0');
    let numerator: i64 = format!("{whole}{decimals}").parse().map_err(|_| TOO_LARGE)?;
    let exponent: i64 = exponent.parse().map_err(|_| TOO_LARGE)?;
    let exponent = exponent.saturating_sub(decimals.len() as i64);
    if numerator == 0 {
        return Ok(Literal::Real(0, 1));
    }
    let scale = u32::try_from(exponent.unsigned_abs())
        .ok()
        .and_then(|power| 10_i64.checked_pow(power))
        .ok_or(TOO_LARGE)?;
    if exponent >= 0 {
        Ok(Literal::Real(numerator.checked_mul(scale).ok_or(TOO_LARGE)?, 1))
    } else {
        lowest_terms(numerator, scale).ok_or(TOO_LARGE)
    }
}

/// The fraction in lowest terms; nothing when the denominator is zero.
fn lowest_terms(numerator: i64, denominator: i64) -> Option<Literal> {
    let (mut a, mut b) = (numerator, denominator);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (denominator != 0).then(|| Literal::Real(numerator / a, denominator / a))
}
