//! What the operators do to values.

use crate::expr::FailureKind;
use crate::op::{BinaryOp, UnaryOp};
use crate::value::{Ratio, Value, Word};

type Outcome = Result<Value, FailureKind>;

/// Applies an operator to a value. Temporal operators have none.
///
/// # Errors
/// When the result does not exist or fit.
pub fn unary(op: UnaryOp, value: Value) -> Outcome {
    use UnaryOp as Op;
    Ok(match (op, value) {
        (Op::Not, Value::Bool(b)) => Value::Bool(!b),
        (Op::Not, Value::Word(w)) => Value::Word(Word::new(w.signed, w.width, !w.bits)),
        (Op::Neg, Value::Int(i)) => Value::Int(i.checked_neg().ok_or(FailureKind::Overflow)?),
        (Op::Neg, Value::Word(w)) => Value::Word(w.wrap(-w.to_i128())),
        (Op::Neg, Value::Real(r)) => real(Ratio::new(-(r.num() as i128), r.den() as i128))?,
        (Op::Abs, Value::Int(i)) => Value::Int(i.checked_abs().ok_or(FailureKind::Overflow)?),
        (Op::Abs, Value::Word(w)) => Value::Word(w.wrap(w.to_i128().abs())),
        (Op::Abs, Value::Real(r)) => real(Ratio::new((r.num() as i128).abs(), r.den() as i128))?,
        (Op::ToBool, Value::Bool(b)) => Value::Bool(b),
        (Op::ToBool, Value::Int(i)) => Value::Bool(i != 0),
        (Op::ToBool, Value::Word(w)) => Value::Bool(w.bits != 0),
        (Op::ToWord1, Value::Bool(b)) => Value::Word(Word::new(false, 1, u64::from(b))),
        (Op::ToSigned, Value::Word(w)) => Value::Word(Word { signed: true, ..w }),
        (Op::ToUnsigned, Value::Word(w)) => Value::Word(Word { signed: false, ..w }),
        (Op::ToInt, Value::Bool(b)) => Value::Int(i64::from(b)),
        (Op::ToInt, Value::Int(i)) => Value::Int(i),
        (Op::ToInt, Value::Word(w)) => int(w.to_i128())?,
        (Op::Floor, Value::Int(i)) => Value::Int(i),
        (Op::Floor, Value::Real(r)) => Value::Int(r.floor()),
        _ => unreachable!("the type checker admits no {op:?} of {value:?}"),
    })
}

/// Applies an operator to two values. Sets and temporal operators are not values.
///
/// # Errors
/// When the result does not exist or fit.
pub fn binary(op: BinaryOp, left: Value, right: Value) -> Outcome {
    use BinaryOp as Op;
    match op {
        Op::Eq => return Ok(Value::Bool(equal(left, right))),
        Op::Ne => return Ok(Value::Bool(!equal(left, right))),
        _ => {}
    }
    match (left, right) {
        (Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(logic(op, a, b))),
        (Value::Int(a), Value::Int(b)) => integers(op, a, b),
        (Value::Word(a), Value::Word(b)) => words(op, a, b),
        (Value::Word(a), Value::Int(b)) => shift(op, a, b.into()),
        (Value::Real(a), Value::Real(b)) => reals(op, a, b),
        (Value::Real(a), Value::Int(b)) => reals(op, a, whole(b)),
        (Value::Int(a), Value::Real(b)) => reals(op, whole(a), b),
        _ => unreachable!("the type checker admits no {left:?} {op:?} {right:?}"),
    }
}

/// The bits from `high` to `low`.
pub fn bit_select(word: Word, high: u8, low: u8) -> Word {
    Word::new(false, high - low + 1, word.bits >> low)
}

/// The word with another width: a signed word keeps its sign bit in front.
pub fn resize(word: Word, width: u8) -> Word {
    if width >= word.width || !word.signed {
        return Word::new(word.signed, width, word.to_i128() as u64);
    }
    let sign = word.bits >> (word.width - 1) & 1;
    Word::new(true, width, (word.bits & Word::mask(width - 1)) | sign << (width - 1))
}

fn equal(left: Value, right: Value) -> bool {
    match (left, right) {
        (Value::Int(a), Value::Real(b)) | (Value::Real(b), Value::Int(a)) => whole(a) == b,
        _ => left == right,
    }
}

fn logic(op: BinaryOp, a: bool, b: bool) -> bool {
    match op {
        BinaryOp::And => a && b,
        BinaryOp::Or => a || b,
        BinaryOp::Xor => a != b,
        BinaryOp::Xnor | BinaryOp::Iff => a == b,
        BinaryOp::Implies => !a || b,
        _ => unreachable!("the type checker admits no {op:?} of Booleans"),
    }
}

fn integers(op: BinaryOp, a: i64, b: i64) -> Outcome {
    use BinaryOp as Op;
    if matches!(op, Op::Div | Op::Mod) && b == 0 {
        return Err(FailureKind::DivisionByZero);
    }
    let result = match op {
        Op::Lt => return Ok(Value::Bool(a < b)),
        Op::Le => return Ok(Value::Bool(a <= b)),
        Op::Gt => return Ok(Value::Bool(a > b)),
        Op::Ge => return Ok(Value::Bool(a >= b)),
        Op::Add => a.checked_add(b),
        Op::Sub => a.checked_sub(b),
        Op::Mul => a.checked_mul(b),
        Op::Div => a.checked_div(b),
        Op::Mod => a.checked_rem(b),
        Op::Min => Some(a.min(b)),
        Op::Max => Some(a.max(b)),
        _ => unreachable!("the type checker admits no {op:?} of integers"),
    };
    result.map(Value::Int).ok_or(FailureKind::Overflow)
}

fn words(op: BinaryOp, a: Word, b: Word) -> Outcome {
    use BinaryOp as Op;
    let (x, y) = (a.to_i128(), b.to_i128());
    let bits = |bits: u64| Ok(Value::Word(Word::new(a.signed, a.width, bits)));
    if matches!(op, Op::Div | Op::Mod) && y == 0 {
        return Err(FailureKind::DivisionByZero);
    }
    match op {
        Op::And => bits(a.bits & b.bits),
        Op::Or => bits(a.bits | b.bits),
        Op::Xor => bits(a.bits ^ b.bits),
        Op::Xnor | Op::Iff => bits(!(a.bits ^ b.bits)),
        Op::Implies => bits(!a.bits | b.bits),
        Op::Lt => Ok(Value::Bool(x < y)),
        Op::Le => Ok(Value::Bool(x <= y)),
        Op::Gt => Ok(Value::Bool(x > y)),
        Op::Ge => Ok(Value::Bool(x >= y)),
        Op::Add => Ok(Value::Word(a.wrap(x + y))),
        Op::Sub => Ok(Value::Word(a.wrap(x - y))),
        // Two factors of 64 bits have a product that fits 128 bits only when read as unsigned;
        // the low bits are the same.
        Op::Mul => bits(a.bits.wrapping_mul(b.bits)),
        Op::Div => Ok(Value::Word(a.wrap(x / y))),
        Op::Mod => Ok(Value::Word(a.wrap(x % y))),
        Op::Min => Ok(Value::Word(if x < y { a } else { b })),
        Op::Max => Ok(Value::Word(if x < y { b } else { a })),
        Op::Shl | Op::Shr => shift(op, a, y),
        Op::Concat => {
            let joined = Word::new(false, a.width + b.width, 0);
            // A shift by 64 is no shift: then there is nothing above `b`.
            let high = a.bits.checked_shl(b.width.into()).unwrap_or(0);
            Ok(Value::Word(Word { bits: high | b.bits, ..joined }))
        }
        _ => unreachable!("the type checker admits no {op:?} of words"),
    }
}

fn shift(op: BinaryOp, word: Word, amount: i128) -> Outcome {
    if amount < 0 || amount > i128::from(word.width) {
        return Err(FailureKind::ShiftOutOfRange);
    }
    Ok(Value::Word(match op {
        BinaryOp::Shl => word.wrap(((word.bits as u128) << amount) as i128),
        // Shifting the number itself brings in copies of the sign.
        BinaryOp::Shr => word.wrap(word.to_i128() >> amount),
        _ => unreachable!("the type checker admits no {op:?} of a word and an integer"),
    }))
}

fn reals(op: BinaryOp, a: Ratio, b: Ratio) -> Outcome {
    use BinaryOp as Op;
    match op {
        Op::Lt => Ok(Value::Bool(a < b)),
        Op::Le => Ok(Value::Bool(a <= b)),
        Op::Gt => Ok(Value::Bool(a > b)),
        Op::Ge => Ok(Value::Bool(a >= b)),
        Op::Add => real(a.combine(b, |[n, d, m, e]| (n * e + m * d, d * e))),
        Op::Sub => real(a.combine(b, |[n, d, m, e]| (n * e - m * d, d * e))),
        Op::Mul => real(a.combine(b, |[n, d, m, e]| (n * m, d * e))),
        Op::Div if b.num() == 0 => Err(FailureKind::DivisionByZero),
        Op::Div => real(a.combine(b, |[n, d, m, e]| (n * e, d * m))),
        Op::Min => Ok(Value::Real(a.min(b))),
        Op::Max => Ok(Value::Real(a.max(b))),
        _ => unreachable!("the type checker admits no {op:?} of reals"),
    }
}

fn whole(int: i64) -> Ratio {
    Ratio::new(int.into(), 1).unwrap_or_else(|| unreachable!("an i64 over 1 fits"))
}

fn int(number: i128) -> Outcome {
    number.try_into().map(Value::Int).map_err(|_| FailureKind::Overflow)
}

fn real(ratio: Option<Ratio>) -> Outcome {
    ratio.map(Value::Real).ok_or(FailureKind::Overflow)
}
