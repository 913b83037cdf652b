//! The type of a node, from its operator and the types of its operands.
//!
//! The rules are those of NuSMV 2.6. A language that is more generous converts operands before
//! it makes the node; one that is stricter checks first. [`crate::Exprs`] asks here for every
//! new node, so no expression of a model has a type that its structure does not give it.

use crate::op::{BinaryOp as Bin, UnaryOp as Un};
use crate::types::{SetOf, Type};
use crate::value::Word;

/// Why a node has no type. `lower` reports it in the terms of its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeError {
    /// An operand has a type that the operator does not take.
    Operand {
        /// The position of the operand, from 0.
        idx: usize,
        /// The expected type.
        expected: Expected,
        /// The actual type.
        found: Type,
    },
    /// The bits that are selected are not in the word.
    Bits {
        /// The first one.
        high: u8,
        /// The last one.
        low: u8,
        /// How many the word has.
        width: u8,
    },
    /// The resulting word would have this many bits.
    Width(u16),
}

/// What an operator takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A Boolean.
    Bool,
    /// A Boolean, or a formula with temporal operators.
    Formula,
    /// A Boolean, a formula or a word.
    Logical,
    /// An integer or a real.
    Number,
    /// An integer, a real or a word.
    Numeric,
    /// An integer or a word.
    Integral,
    /// A Boolean, an integer or a word.
    Discrete,
    /// An integer, or an unsigned word of one bit.
    IntOrBit,
    /// An integer or an unsigned word.
    Amount,
    /// A word.
    Word,
    /// A signed word.
    Signed,
    /// An unsigned word.
    Unsigned,
    /// A set, or what can be a member of one.
    Member,
    /// One value, not a set or a formula.
    Single,
    /// A value or a set, not a formula.
    Value,
    /// What goes together with an operand of this type.
    With(Type),
}

type Typed = Result<Type, TypeError>;

/// The type of an operator over one operand.
///
/// # Errors
/// When it does not take an operand of this type.
pub fn unary(op: Un, operand: Type) -> Typed {
    let width = if let Type::Word { width, .. } = operand { width } else { 1 };
    let (expected, typed) = match op {
        Un::Not => (Expected::Logical, operand),
        Un::Neg => (Expected::Numeric, operand),
        Un::Abs => (Expected::Number, operand),
        Un::ToBool => (Expected::IntOrBit, Type::Bool),
        Un::ToWord1 => (Expected::Bool, Type::Word { signed: false, width: 1 }),
        Un::ToSigned => (Expected::Unsigned, Type::Word { signed: true, width }),
        Un::ToUnsigned => (Expected::Signed, Type::Word { signed: false, width }),
        Un::ToInt => (Expected::Discrete, Type::Int),
        Un::Floor => (Expected::Number, Type::Int),
        Un::Ex | Un::Ax | Un::Ef | Un::Af | Un::Eg | Un::Ag => (Expected::Formula, Type::Temporal),
        Un::X | Un::Y | Un::Z | Un::G | Un::H | Un::F | Un::O => {
            (Expected::Formula, Type::Temporal)
        }
    };
    expected.check(0, operand).map(|()| typed)
}

/// The type of an operator over two operands.
///
/// # Errors
/// When it does not take operands of these types.
pub fn binary(op: Bin, left: Type, right: Type) -> Typed {
    let same_words = left == right && matches!(left, Type::Word { .. });
    let typed = match op {
        Bin::And | Bin::Or | Bin::Xor | Bin::Xnor | Bin::Implies | Bin::Iff => {
            match (left, right) {
                (Type::Bool, Type::Bool) => Some(Type::Bool),
                (Type::Bool | Type::Temporal, Type::Bool | Type::Temporal) => Some(Type::Temporal),
                _ => same_words.then_some(left),
            }
        }
        Bin::Eq | Bin::Ne => (same_words || comparable(left, right)).then_some(Type::Bool),
        Bin::Lt | Bin::Le | Bin::Gt | Bin::Ge => {
            (same_words || number(left, right).is_some()).then_some(Type::Bool)
        }
        Bin::Add | Bin::Sub | Bin::Mul | Bin::Div | Bin::Min | Bin::Max => match same_words {
            true => Some(left),
            false => number(left, right),
        },
        Bin::Mod => (same_words || (left == Type::Int && right == Type::Int)).then_some(left),
        Bin::Shl | Bin::Shr => {
            let is_amount = matches!(right, Type::Int | Type::Word { signed: false, .. });
            (is_amount && matches!(left, Type::Word { .. })).then_some(left)
        }
        Bin::Concat => match (left, right) {
            (Type::Word { width: a, .. }, Type::Word { width: b, .. }) => {
                return word_of(false, u16::from(a) + u16::from(b));
            }
            _ => None,
        },
        Bin::Union => sets(left, right).and_then(|(left, right)| left.join(right)).map(Type::Set),
        Bin::In => {
            let fits = |(left, right): (SetOf, SetOf)| {
                left == right
                    || left == SetOf::Mixed
                    || right == SetOf::Mixed
                    || left.join(right) == Some(SetOf::Real)
            };
            sets(left, right).is_some_and(fits).then_some(Type::Bool)
        }
        Bin::Eu | Bin::Au | Bin::U | Bin::S | Bin::V | Bin::T => {
            return formula([left, right]);
        }
    };
    typed.ok_or_else(|| wrong_operand(op, left, right))
}

/// The type of `c ? t : e`.
///
/// # Errors
/// When the condition is not Boolean, or the branches have no type in common.
pub fn ite(condition: Type, then: Type, other: Type) -> Typed {
    Expected::Bool.check(0, condition)?;
    Expected::Value.check(1, then)?;
    Expected::Value.check(2, other)?;
    let error = TypeError::Operand { idx: 2, expected: Expected::With(then), found: other };
    then.join(other).ok_or(error)
}

/// The type of the bits from `high` to `low`.
///
/// # Errors
/// When it is no word, or has no such bits.
pub fn bit_select(word: Type, high: u8, low: u8) -> Typed {
    match word {
        Type::Word { width, .. } if low <= high && high < width => {
            Ok(Type::Word { signed: false, width: high - low + 1 })
        }
        Type::Word { width, .. } => Err(TypeError::Bits { high, low, width }),
        _ => Err(TypeError::Operand { idx: 0, expected: Expected::Word, found: word }),
    }
}

/// The type of a word that is brought to another width.
///
/// # Errors
/// When it is no word, or no word is so wide.
pub fn resize(word: Type, width: u8) -> Typed {
    match word {
        Type::Word { signed, .. } => word_of(signed, width.into()),
        _ => Err(TypeError::Operand { idx: 0, expected: Expected::Word, found: word }),
    }
}

/// The type of what counts those that hold.
///
/// # Errors
/// When one of them is not Boolean.
pub fn count(operands: impl IntoIterator<Item = Type>) -> Typed {
    each(operands, Expected::Bool, Type::Int)
}

/// The type of a temporal operator over these.
///
/// # Errors
/// When one of them is no formula.
pub fn formula(operands: impl IntoIterator<Item = Type>) -> Typed {
    each(operands, Expected::Formula, Type::Temporal)
}

/// May a variable of the first type be assigned an expression of the second?
pub fn assignable(var: Type, value: Type) -> bool {
    let member = match value {
        Type::Set(of) => of.member(),
        other => other,
    };
    match (var, member) {
        _ if var == member => true,
        (Type::Mixed, Type::Int | Type::Symbol) | (Type::Real, Type::Int) => true,
        _ => value == Type::Never,
    }
}

fn each(operands: impl IntoIterator<Item = Type>, expected: Expected, whole: Type) -> Typed {
    for (idx, operand) in operands.into_iter().enumerate() {
        expected.check(idx, operand)?;
    }
    Ok(whole)
}

fn comparable(left: Type, right: Type) -> bool {
    match (left, right) {
        (Type::Bool, Type::Bool) | (Type::Symbol, Type::Symbol) => true,
        (Type::Mixed, Type::Int | Type::Symbol | Type::Mixed) => true,
        (Type::Int | Type::Symbol, Type::Mixed) => true,
        _ => number(left, right).is_some(),
    }
}

fn number(left: Type, right: Type) -> Option<Type> {
    match (left, right) {
        (Type::Int, Type::Int) => Some(Type::Int),
        (Type::Int | Type::Real, Type::Int | Type::Real) => Some(Type::Real),
        _ => None,
    }
}

fn sets(left: Type, right: Type) -> Option<(SetOf, SetOf)> {
    Some((left.to_set()?, right.to_set()?))
}

fn word_of(signed: bool, width: u16) -> Typed {
    match u8::try_from(width) {
        Ok(width @ 1..=Word::MAX_WIDTH) => Ok(Type::Word { signed, width }),
        _ => Err(TypeError::Width(width)),
    }
}

/// The operand to blame: the left one if no right one would do, else the right one.
fn wrong_operand(op: Bin, left: Type, right: Type) -> TypeError {
    let with_left = Expected::With(left);
    let (expected_left, expected_right) = match op {
        Bin::And | Bin::Or | Bin::Xor | Bin::Xnor | Bin::Implies | Bin::Iff => {
            (Expected::Logical, with_left)
        }
        Bin::Eq | Bin::Ne => (Expected::Single, with_left),
        Bin::Lt | Bin::Le | Bin::Gt | Bin::Ge | Bin::Min | Bin::Max => {
            (Expected::Numeric, with_left)
        }
        Bin::Add | Bin::Sub | Bin::Mul | Bin::Div => (Expected::Numeric, with_left),
        Bin::Mod => (Expected::Integral, with_left),
        Bin::Shl | Bin::Shr => (Expected::Word, Expected::Amount),
        Bin::Concat => (Expected::Word, Expected::Word),
        Bin::Union | Bin::In => (Expected::Member, with_left),
        Bin::Eu | Bin::Au | Bin::U | Bin::S | Bin::V | Bin::T => {
            (Expected::Formula, Expected::Formula)
        }
    };
    let right = TypeError::Operand { idx: 1, expected: expected_right, found: right };
    expected_left.check(0, left).err().unwrap_or(right)
}

impl Expected {
    fn check(self, idx: usize, found: Type) -> Result<(), TypeError> {
        let fits = match self {
            Expected::Bool => found == Type::Bool,
            Expected::Formula => matches!(found, Type::Bool | Type::Temporal),
            Expected::Logical => matches!(found, Type::Bool | Type::Temporal | Type::Word { .. }),
            Expected::Number => matches!(found, Type::Int | Type::Real),
            Expected::Numeric => matches!(found, Type::Int | Type::Real | Type::Word { .. }),
            Expected::Integral => matches!(found, Type::Int | Type::Word { .. }),
            Expected::Discrete => matches!(found, Type::Bool | Type::Int | Type::Word { .. }),
            Expected::IntOrBit => {
                matches!(found, Type::Int | Type::Word { signed: false, width: 1 })
            }
            Expected::Amount => matches!(found, Type::Int | Type::Word { signed: false, .. }),
            Expected::Word => matches!(found, Type::Word { .. }),
            Expected::Signed => matches!(found, Type::Word { signed: true, .. }),
            Expected::Unsigned => matches!(found, Type::Word { signed: false, .. }),
            Expected::Member => found.to_set().is_some(),
            Expected::Single => !matches!(found, Type::Set(_) | Type::Temporal | Type::Never),
            Expected::Value => found != Type::Temporal,
            // Only a rule over both operands knows.
            Expected::With(_) => true,
        };
        if fits { Ok(()) } else { Err(TypeError::Operand { idx, expected: self, found }) }
    }
}
