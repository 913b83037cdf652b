//! The operators of PSL and how tightly they bind.

use crate::smv::lexer::PslToken;
use crate::smv::syntax::{Binary, Op, Psl};

/// Levels of precedence, loosest first.
pub mod level {
    use crate::yard::LOOSEST;

    pub const ALWAYS: u8 = LOOSEST;
    pub const IMPLIES: u8 = 2;
    pub const NEXT: u8 = 3;
    pub const BEFORE: u8 = 4;
    pub const UNTIL: u8 = 5;
    pub const ABORT: u8 = 6;
    pub const X: u8 = 7;
    pub const IN: u8 = 8;
    pub const ITE: u8 = 9;
    pub const OR_OR: u8 = 10;
    pub const AND_AND: u8 = 11;
    pub const OR: u8 = 12;
    pub const XOR: u8 = 13;
    pub const AND: u8 = 14;
    pub const EQ: u8 = 15;
    pub const LT: u8 = 16;
    pub const SHIFT: u8 = 17;
    pub const SUM: u8 = 18;
    pub const PRODUCT: u8 = 19;
    pub const PREFIX: u8 = 20;
}

/// The infix operator that a token is, with its level. All associate to the left.
pub fn infix(token: PslToken) -> Option<(Op, u8)> {
    Some(match token {
        PslToken::Binary(op) => (Op::Binary(op), binary_level(op)),
        PslToken::OrOr => (Op::Binary(Binary::Or), level::OR_OR),
        PslToken::AndAnd => (Op::Binary(Binary::And), level::AND_AND),
        PslToken::Plus => (Op::Binary(Binary::Add), level::SUM),
        PslToken::Minus => (Op::Binary(Binary::Sub), level::SUM),
        PslToken::Before(op) => (Op::Psl(op), level::BEFORE),
        PslToken::Until(op) => (Op::Psl(op), level::UNTIL),
        PslToken::UntilStrong => (Op::Binary(Binary::U), level::UNTIL),
        PslToken::Abort => (Op::Psl(Psl::Abort), level::ABORT),
        _ => return None,
    })
}

fn binary_level(op: Binary) -> u8 {
    match op {
        Binary::Implies | Binary::Iff => level::IMPLIES,
        Binary::In | Binary::Union => level::IN,
        Binary::Or => level::OR,
        Binary::Xor | Binary::Xnor => level::XOR,
        Binary::And => level::AND,
        Binary::Eq | Binary::Ne => level::EQ,
        Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => level::LT,
        Binary::Shl | Binary::Shr | Binary::Rol | Binary::Ror => level::SHIFT,
        _ => level::PRODUCT,
    }
}
