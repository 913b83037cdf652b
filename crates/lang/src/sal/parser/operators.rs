//! The operators of SAL and how tightly they bind.

use crate::sal::syntax::Binary;
use crate::sal::token::Token;

/// Levels of precedence, loosest first.
pub mod level {
    use crate::yard::LOOSEST;

    /// `LAMBDA`, `FORALL`, `EXISTS`, `LET`: the body goes on as far as it can.
    pub const BINDER: u8 = LOOSEST;
    pub const IFF: u8 = BINDER + 1;
    pub const IMPLIES: u8 = IFF + 1;
    pub const XOR: u8 = IMPLIES + 1;
    pub const OR: u8 = XOR + 1;
    pub const AND: u8 = OR + 1;
    pub const NOT: u8 = AND + 1;
    pub const COMPARISON: u8 = NOT + 1;
    pub const WITH: u8 = COMPARISON + 1;
    pub const SUM: u8 = WITH + 1;
    pub const PRODUCT: u8 = SUM + 1;
    pub const SIGN: u8 = PRODUCT + 1;
    /// `ARRAY I OF`: what follows is a type and has no operators.
    pub const ARRAY: u8 = SIGN + 1;
}

/// The operator between operands that a token is, with its level. All but `=>` associate to the left.
#[inline]
pub fn infix(token: Token) -> Option<(Binary, u8)> {
    Some(match token {
        Token::Iff => (Binary::Iff, level::IFF),
        Token::Therefore => (Binary::Implies, level::IMPLIES),
        Token::Xor => (Binary::Xor, level::XOR),
        Token::Or => (Binary::Or, level::OR),
        Token::And => (Binary::And, level::AND),
        Token::Eq => (Binary::Eq, level::COMPARISON),
        Token::Ne => (Binary::Ne, level::COMPARISON),
        Token::Lt => (Binary::Lt, level::COMPARISON),
        Token::Le => (Binary::Le, level::COMPARISON),
        Token::Gt => (Binary::Gt, level::COMPARISON),
        Token::Ge => (Binary::Ge, level::COMPARISON),
        Token::Plus => (Binary::Add, level::SUM),
        Token::Minus => (Binary::Sub, level::SUM),
        Token::Star => (Binary::Mul, level::PRODUCT),
        Token::Slash => (Binary::Divide, level::PRODUCT),
        Token::Div => (Binary::Div, level::PRODUCT),
        Token::Mod => (Binary::Mod, level::PRODUCT),
        _ => return None,
    })
}
