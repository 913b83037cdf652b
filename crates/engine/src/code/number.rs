//! Values as integers.

use trapline_model::{Domain, ExprId, Model, SymbolId, Type, Value, Word};

use crate::answer::Why;

use super::calc::{word_bounds, wrap};

/// The first symbol.
const SYMBOLS: i64 = 1 << 62;

/// The integer of a value.
///
/// # Errors
/// When it is none here.
pub fn encode(value: Value) -> Result<i64, Why> {
    match value {
        Value::Bool(b) => Ok(b.into()),
        Value::Int(i) => Ok(i),
        Value::Symbol(symbol) => Ok(SYMBOLS + i64::from(symbol.0)),
        Value::Word(w) => Ok(wrap(w.bits as i64, w.signed, w.width)),
        Value::Real(r) if r.den() == 1 => Ok(r.num()),
        Value::Real(_) => Err(Why::Unsupported("real numbers".into())),
    }
}

/// The value that an integer represents in a type.
pub fn decode(number: i64, ty: Type) -> Value {
    match ty {
        Type::Bool => Value::Bool(number != 0),
        Type::Word { signed, width } => Value::Word(Word::new(signed, width, number as u64)),
        Type::Int => Value::Int(number),
        _ if number >= SYMBOLS => Value::Symbol(SymbolId((number - SYMBOLS) as u32)),
        _ => Value::Int(number),
    }
}

/// The value that an integer represents for an expression, if it has one.
pub fn value(model: &Model, expr: ExprId, number: Option<i64>) -> Option<Value> {
    let ty = model.exprs.ty(expr);
    // An expression that is always undefined has no type.
    (ty != Type::Never).then_some(())?;
    Some(decode(number?, ty))
}

/// The bounds of a domain.
pub fn domain_bounds(domain: &Domain) -> (i64, i64) {
    match domain {
        Domain::Bool => (0, 1),
        Domain::Range(lo, hi) => (*lo, *hi),
        Domain::Word { signed, width } => word_bounds(*signed, *width),
        Domain::Enum(values) => {
            let numbers = || values.iter().filter_map(|&value| encode(value).ok());
            (numbers().min().unwrap_or(i64::MIN), numbers().max().unwrap_or(i64::MAX))
        }
        Domain::Integer | Domain::Real | Domain::Clock => (i64::MIN, i64::MAX),
    }
}
