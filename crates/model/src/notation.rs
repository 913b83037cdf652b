//! How files write values, whatever language the model is written in.
//!
//! Suites and traces outlive the models that they were made from and are read by other tools, so
//! this notation is fixed. It is NuSMV's: `TRUE`, `-3`, `High`, `0ud8_12`, `-0sd4_8`, `f'1/3`.

use crate::model::Model;
use crate::value::{Value, Word};

/// A value as files write it.
pub fn value(model: &Model, value: Value) -> String {
    match value {
        Value::Bool(true) => "TRUE".into(),
        Value::Bool(false) => "FALSE".into(),
        Value::Int(i) => i.to_string(),
        Value::Symbol(s) => model.symbols.name(s).into(),
        Value::Word(w) => word(w),
        Value::Real(r) => format!("f'{}/{}", r.num(), r.den()),
    }
}

/// A value in the ids of goals. The variable before it determines its type.
pub fn key(model: &Model, value: Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Symbol(s) => model.symbols.name(s).into(),
        Value::Word(w) => w.to_i128().to_string(),
        Value::Real(r) if r.den() == 1 => r.num().to_string(),
        Value::Real(r) => format!("{}/{}", r.num(), r.den()),
    }
}

/// A word: its sign, kind, width and number.
pub fn word(word: Word) -> String {
    let number = word.to_i128();
    let sign = if number < 0 { "-" } else { "" };
    let kind = if word.signed { 's' } else { 'u' };
    format!("{sign}0{kind}d{}_{}", word.width, number.unsigned_abs())
}
