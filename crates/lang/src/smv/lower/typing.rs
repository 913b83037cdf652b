//! The type rules of NuSMV 2.6, as two functions over types.

use trapline_model::{BinaryOp as Bin, SetOf, Type, UnaryOp as Un, Word};

/// The type of an operator over an operand of this type; `None` where it is an error.
pub(super) fn unary(op: Un, operand: Type) -> Option<Type> {
    match (op, operand) {
        (Un::Not, Type::Bool | Type::Word { .. } | Type::Temporal) => Some(operand),
        (Un::Neg, Type::Int | Type::Word { .. } | Type::Real) => Some(operand),
        (Un::Abs, Type::Int | Type::Real) => Some(operand),
        (Un::ToBool, Type::Int | Type::Word { signed: false, width: 1 }) => Some(Type::Bool),
        (Un::ToWord1, Type::Bool) => Some(Type::Word { signed: false, width: 1 }),
        (Un::ToSigned, Type::Word { signed: false, width }) => {
            Some(Type::Word { signed: true, width })
        }
        (Un::ToUnsigned, Type::Word { signed: true, width }) => {
            Some(Type::Word { signed: false, width })
        }
        (Un::ToInt, Type::Bool | Type::Int | Type::Word { .. }) => Some(Type::Int),
        (Un::Floor, Type::Int | Type::Real) => Some(Type::Int),
        (_, Type::Bool | Type::Temporal) if op.is_temporal() => Some(Type::Temporal),
        _ => None,
    }
}

/// The type of an operator over operands of these types; `None` where it is an error.
pub(super) fn binary(op: Bin, left: Type, right: Type) -> Option<Type> {
    let same_words = left == right && matches!(left, Type::Word { .. });
    match op {
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
            let amount = matches!(right, Type::Int | Type::Word { signed: false, .. });
            (amount && matches!(left, Type::Word { .. })).then_some(left)
        }
        Bin::Concat => match (left, right) {
            (Type::Word { width: a, .. }, Type::Word { width: b, .. }) => {
                let width = a + b;
                (width <= Word::MAX_WIDTH).then_some(Type::Word { signed: false, width })
            }
            _ => None,
        },
        Bin::Union => left.to_set()?.join(right.to_set()?).map(Type::Set),
        Bin::In => {
            let (left, right) = (left.to_set()?, right.to_set()?);
            let fits = left == right
                || left == SetOf::Mixed
                || right == SetOf::Mixed
                || left.join(right) == Some(SetOf::Real);
            fits.then_some(Type::Bool)
        }
        Bin::Eu | Bin::Au | Bin::U | Bin::S | Bin::V | Bin::T => {
            let formula = |ty| matches!(ty, Type::Bool | Type::Temporal);
            (formula(left) && formula(right)).then_some(Type::Temporal)
        }
    }
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

/// May a variable of the first type be assigned an expression of the second?
pub(super) fn assignable(var: Type, value: Type) -> bool {
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
