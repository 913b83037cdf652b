//! The types of expressions and the domains of variables.

use std::sync::Arc;

use crate::value::{Value, Word};

/// The type of an expression. Ranges and enumerations of numbers are integers here, as in NuSMV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A truth value.
    Bool,
    /// An integer.
    Int,
    /// A symbolic constant.
    Symbol,
    /// A symbolic constant or an integer.
    Mixed,
    /// A word of bits.
    Word {
        /// True if it is signed.
        signed: bool,
        /// The number of bits.
        width: u8,
    },
    /// A rational number.
    Real,
    /// A set of values, from which an assignment chooses.
    Set(SetOf),
    /// A formula with temporal operators.
    Temporal,
    /// No value at all: an expression that always fails.
    Never,
}

/// What the members of a set are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetOf {
    /// Truth values.
    Bool,
    /// Integers.
    Int,
    /// Symbolic constants.
    Symbol,
    /// Symbolic constants, integers and Booleans, of more than one kind.
    Mixed,
    /// Rational numbers.
    Real,
}

/// The values that a variable may take.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// `boolean`
    Bool,
    /// `lo..hi`, both included.
    Range(i64, i64),
    /// `{a, b, 3}`, in the order of the text, none twice.
    Enum(Arc<[Value]>),
    /// `word[n]`
    Word {
        /// True if it is signed.
        signed: bool,
        /// The number of bits.
        width: u8,
    },
    /// `integer`, without bounds.
    Integer,
    /// `real`
    Real,
    /// `clock`
    Clock,
}

impl Type {
    /// The set of this; sets stay as they are. There are no sets of words.
    pub fn to_set(self) -> Option<SetOf> {
        Some(match self {
            Type::Bool => SetOf::Bool,
            Type::Int => SetOf::Int,
            Type::Symbol => SetOf::Symbol,
            Type::Mixed => SetOf::Mixed,
            Type::Real => SetOf::Real,
            Type::Set(of) => of,
            Type::Word { .. } | Type::Temporal | Type::Never => return None,
        })
    }

    /// The least type that holds the values of both; `None` when there is none.
    pub fn join(self, other: Type) -> Option<Type> {
        match (self, other) {
            _ if self == other => Some(self),
            (Type::Never, t) | (t, Type::Never) => Some(t),
            (Type::Set(_), _) | (_, Type::Set(_)) => {
                self.to_set()?.join(other.to_set()?).map(Type::Set)
            }
            (Type::Int | Type::Mixed, Type::Symbol | Type::Mixed)
            | (Type::Symbol | Type::Mixed, Type::Int | Type::Mixed | Type::Symbol) => {
                Some(Type::Mixed)
            }
            (Type::Int, Type::Real) | (Type::Real, Type::Int) => Some(Type::Real),
            _ => None,
        }
    }
}

impl SetOf {
    /// The least type of sets that holds the members of both.
    pub fn join(self, other: SetOf) -> Option<SetOf> {
        match (self, other) {
            _ if self == other => Some(self),
            (SetOf::Real, SetOf::Int) | (SetOf::Int, SetOf::Real) => Some(SetOf::Real),
            (SetOf::Real, _) | (_, SetOf::Real) => None,
            _ => Some(SetOf::Mixed),
        }
    }

    /// The type of one member.
    pub fn member(self) -> Type {
        match self {
            SetOf::Bool => Type::Bool,
            SetOf::Int => Type::Int,
            SetOf::Symbol => Type::Symbol,
            SetOf::Mixed => Type::Mixed,
            SetOf::Real => Type::Real,
        }
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Bool => f.write_str("boolean"),
            Type::Int => f.write_str("integer"),
            Type::Symbol => f.write_str("symbolic"),
            Type::Mixed => f.write_str("symbolic or integer"),
            Type::Word { signed: false, width } => write!(f, "unsigned word[{width}]"),
            Type::Word { signed: true, width } => write!(f, "signed word[{width}]"),
            Type::Real => f.write_str("real"),
            Type::Set(of) => write!(f, "set of {}", of.member()),
            Type::Temporal => f.write_str("temporal formula"),
            Type::Never => f.write_str("no value"),
        }
    }
}

impl Domain {
    /// The type of a variable of this domain.
    pub fn ty(&self) -> Type {
        match self {
            Domain::Bool => Type::Bool,
            Domain::Range(..) | Domain::Integer => Type::Int,
            Domain::Word { signed, width } => Type::Word { signed: *signed, width: *width },
            Domain::Real | Domain::Clock => Type::Real,
            Domain::Enum(values) => values
                .iter()
                .fold(Type::Never, |ty, value| ty.join(value.ty()).unwrap_or(Type::Mixed)),
        }
    }

    /// How many values there are; `None` when there is no end of them. A word of 64 bits counts
    /// one value less than it has.
    pub fn size(&self) -> Option<u64> {
        match self {
            Domain::Bool => Some(2),
            Domain::Range(lo, hi) => u64::try_from(*hi as i128 - *lo as i128 + 1).ok(),
            Domain::Enum(values) => Some(values.len() as u64),
            Domain::Word { width, .. } => {
                Some(1u64.checked_shl(u32::from(*width)).unwrap_or(u64::MAX))
            }
            Domain::Integer | Domain::Real | Domain::Clock => None,
        }
    }

    /// The value at a position below [`Domain::size`].
    pub fn value(&self, idx: u64) -> Value {
        match self {
            Domain::Bool => Value::Bool(idx == 1),
            Domain::Range(lo, _) => Value::Int((*lo as i128 + idx as i128) as i64),
            Domain::Enum(values) => values[idx as usize],
            Domain::Word { signed, width } => Value::Word(Word::new(*signed, *width, idx)),
            Domain::Integer | Domain::Real | Domain::Clock => {
                unreachable!("unbounded domains have no positions")
            }
        }
    }

    /// Is this one of the values?
    pub fn contains(&self, value: Value) -> bool {
        match (self, value) {
            (Domain::Bool, Value::Bool(_)) | (Domain::Integer, Value::Int(_)) => true,
            (Domain::Real | Domain::Clock, Value::Int(_) | Value::Real(_)) => true,
            (Domain::Range(lo, hi), Value::Int(i)) => *lo <= i && i <= *hi,
            (Domain::Enum(values), _) => values.contains(&value),
            (Domain::Word { signed, width }, Value::Word(w)) => {
                w.signed == *signed && w.width == *width
            }
            _ => false,
        }
    }
}
