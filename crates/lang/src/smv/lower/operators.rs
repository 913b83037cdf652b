//! The operators and literals of the syntax, as those of the model.

use trapline_model::{BinaryOp, BoundedOp, Ratio, UnaryOp, Value, Word};

use super::super::syntax::{Binary, Bounded, Literal, Unary};

pub(super) fn literal(literal: Literal) -> Value {
    match literal {
        Literal::Int(int) => Value::Int(int),
        Literal::Word { signed, width, bits } => Value::Word(Word::new(signed, width, bits)),
        Literal::Real(num, den) => Value::Real(
            Ratio::new(num.into(), den.into())
                .unwrap_or_else(|| unreachable!("the parser checks that a real fits")),
        ),
    }
}

pub(super) fn is_ctl_unary(op: Unary) -> bool {
    matches!(op, Unary::Ex | Unary::Ax | Unary::Ef | Unary::Af | Unary::Eg | Unary::Ag)
}

/// The operator of the model; `sizeof` and `next` have none.
pub(super) fn unary_op(op: Unary) -> Option<UnaryOp> {
    Some(match op {
        Unary::Next | Unary::SizeOf => return None,
        Unary::Not => UnaryOp::Not,
        Unary::Neg => UnaryOp::Neg,
        Unary::Abs => UnaryOp::Abs,
        Unary::Bool => UnaryOp::ToBool,
        Unary::Word1 => UnaryOp::ToWord1,
        Unary::Signed => UnaryOp::ToSigned,
        Unary::Unsigned => UnaryOp::ToUnsigned,
        Unary::ToInt => UnaryOp::ToInt,
        Unary::Floor => UnaryOp::Floor,
        Unary::Ex => UnaryOp::Ex,
        Unary::Ax => UnaryOp::Ax,
        Unary::Ef => UnaryOp::Ef,
        Unary::Af => UnaryOp::Af,
        Unary::Eg => UnaryOp::Eg,
        Unary::Ag => UnaryOp::Ag,
        Unary::X => UnaryOp::X,
        Unary::Y => UnaryOp::Y,
        Unary::Z => UnaryOp::Z,
        Unary::G => UnaryOp::G,
        Unary::H => UnaryOp::H,
        Unary::F => UnaryOp::F,
        Unary::O => UnaryOp::O,
    })
}

pub(super) fn binary_op(op: Binary) -> BinaryOp {
    match op {
        Binary::And => BinaryOp::And,
        Binary::Or => BinaryOp::Or,
        Binary::Xor => BinaryOp::Xor,
        Binary::Xnor => BinaryOp::Xnor,
        Binary::Implies => BinaryOp::Implies,
        Binary::Iff => BinaryOp::Iff,
        Binary::Eq => BinaryOp::Eq,
        Binary::Ne => BinaryOp::Ne,
        Binary::Lt => BinaryOp::Lt,
        Binary::Le => BinaryOp::Le,
        Binary::Gt => BinaryOp::Gt,
        Binary::Ge => BinaryOp::Ge,
        Binary::In => BinaryOp::In,
        Binary::Union => BinaryOp::Union,
        Binary::Shl => BinaryOp::Shl,
        Binary::Shr => BinaryOp::Shr,
        Binary::Add => BinaryOp::Add,
        Binary::Sub => BinaryOp::Sub,
        Binary::Mul => BinaryOp::Mul,
        Binary::Div => BinaryOp::Div,
        Binary::Mod => BinaryOp::Mod,
        Binary::Concat => BinaryOp::Concat,
        Binary::Min => BinaryOp::Min,
        Binary::Max => BinaryOp::Max,
        Binary::Eu => BinaryOp::Eu,
        Binary::Au => BinaryOp::Au,
        Binary::U => BinaryOp::U,
        Binary::S => BinaryOp::S,
        Binary::V => BinaryOp::V,
        Binary::T => BinaryOp::T,
        Binary::Range
        | Binary::Extend
        | Binary::Resize
        | Binary::UwConst
        | Binary::SwConst
        | Binary::Rol
        | Binary::Ror => {
            unreachable!("operators that the model does not have are lowered apart")
        }
    }
}

pub(super) fn bounded_op(op: Bounded) -> BoundedOp {
    match op {
        Bounded::Ebf => BoundedOp::Ebf,
        Bounded::Abf => BoundedOp::Abf,
        Bounded::Ebg => BoundedOp::Ebg,
        Bounded::Abg => BoundedOp::Abg,
        Bounded::G => BoundedOp::G,
        Bounded::F => BoundedOp::F,
        Bounded::H => BoundedOp::H,
        Bounded::O => BoundedOp::O,
        Bounded::Ebu | Bounded::Abu => unreachable!("bounded until has two operands"),
    }
}
