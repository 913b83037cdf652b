//! The operators of SMV and how tightly they bind.

use crate::smv::lexer::Token;
use crate::smv::syntax::{Binary, Bounded, Unary};

/// Levels of precedence, loosest first.
pub mod level {
    use crate::yard::LOOSEST;

    pub const IMPLIES: u8 = LOOSEST;
    pub const IFF: u8 = 2;
    pub const ITE: u8 = 3;
    pub const OR: u8 = 4;
    pub const AND: u8 = 5;
    pub const UNTIL: u8 = 6;
    pub const TEMPORAL: u8 = 7;
    pub const RELATION: u8 = 8;
    pub const IN: u8 = 9;
    pub const UNION: u8 = 10;
    pub const RANGE: u8 = 11;
    pub const SHIFT: u8 = 12;
    pub const SUM: u8 = 13;
    pub const PRODUCT: u8 = 14;
    pub const CONCAT: u8 = 15;
    pub const PREFIX: u8 = 16;
}

/// The infix operator that a token is, with its level. All but `->` associate to the left.
#[inline]
pub fn infix(token: Token) -> Option<(Binary, u8)> {
    Some(match token {
        Token::Implies => (Binary::Implies, level::IMPLIES),
        Token::Iff => (Binary::Iff, level::IFF),
        Token::Or | Token::COr => (Binary::Or, level::OR),
        Token::Xor => (Binary::Xor, level::OR),
        Token::Xnor => (Binary::Xnor, level::OR),
        Token::And | Token::CAnd => (Binary::And, level::AND),
        Token::U => (Binary::U, level::UNTIL),
        Token::S => (Binary::S, level::UNTIL),
        Token::V => (Binary::V, level::UNTIL),
        Token::T => (Binary::T, level::UNTIL),
        Token::Eq | Token::CEq => (Binary::Eq, level::RELATION),
        Token::Ne => (Binary::Ne, level::RELATION),
        Token::Lt => (Binary::Lt, level::RELATION),
        Token::Le => (Binary::Le, level::RELATION),
        Token::Gt => (Binary::Gt, level::RELATION),
        Token::Ge => (Binary::Ge, level::RELATION),
        Token::In => (Binary::In, level::IN),
        Token::Union => (Binary::Union, level::UNION),
        Token::DotDot => (Binary::Range, level::RANGE),
        Token::Shl => (Binary::Shl, level::SHIFT),
        Token::Shr => (Binary::Shr, level::SHIFT),
        Token::Rol => (Binary::Rol, level::SHIFT),
        Token::Ror => (Binary::Ror, level::SHIFT),
        Token::Plus => (Binary::Add, level::SUM),
        Token::Minus => (Binary::Sub, level::SUM),
        Token::Times => (Binary::Mul, level::PRODUCT),
        Token::Divide => (Binary::Div, level::PRODUCT),
        Token::Mod => (Binary::Mod, level::PRODUCT),
        Token::Concat => (Binary::Concat, level::CONCAT),
        _ => return None,
    })
}

/// The temporal prefix operator that a token is.
pub fn temporal(token: Token) -> Option<Unary> {
    Some(match token {
        Token::Ex => Unary::Ex,
        Token::Ax => Unary::Ax,
        Token::Ef => Unary::Ef,
        Token::Af => Unary::Af,
        Token::Eg => Unary::Eg,
        Token::Ag => Unary::Ag,
        Token::X => Unary::X,
        Token::Y => Unary::Y,
        Token::Z => Unary::Z,
        Token::G => Unary::G,
        Token::H => Unary::H,
        Token::F => Unary::F,
        Token::O => Unary::O,
        _ => return None,
    })
}

/// The operator that `G [lo, hi]` and the like are.
pub fn with_bounds(op: Unary) -> Option<Bounded> {
    Some(match op {
        Unary::G => Bounded::G,
        Unary::F => Bounded::F,
        Unary::H => Bounded::H,
        Unary::O => Bounded::O,
        _ => return None,
    })
}

/// The operator that `EBF lo..hi` and the like are.
pub fn bounded(token: Token) -> Option<Bounded> {
    Some(match token {
        Token::Ebf => Bounded::Ebf,
        Token::Abf => Bounded::Abf,
        Token::Ebg => Bounded::Ebg,
        Token::Abg => Bounded::Abg,
        _ => return None,
    })
}

/// The function with one argument that a token is.
pub fn function(token: Token) -> Option<Unary> {
    Some(match token {
        Token::Abs => Unary::Abs,
        Token::Next => Unary::Next,
        Token::Bool => Unary::Bool,
        Token::Word1 => Unary::Word1,
        Token::Signed => Unary::Signed,
        Token::Unsigned => Unary::Unsigned,
        Token::ToInt => Unary::ToInt,
        Token::SizeOf => Unary::SizeOf,
        _ => return None,
    })
}

/// The function with two arguments that a token is.
pub fn function2(token: Token) -> Option<Binary> {
    Some(match token {
        Token::Min => Binary::Min,
        Token::Max => Binary::Max,
        Token::Extend => Binary::Extend,
        Token::Resize => Binary::Resize,
        Token::UwConst => Binary::UwConst,
        Token::SwConst => Binary::SwConst,
        _ => return None,
    })
}
