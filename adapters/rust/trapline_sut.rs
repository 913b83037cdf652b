//! Connects an implementation in Rust to `trapline run`. Copy this file; it needs nothing else.
//!
//! ```text
//! mod trapline_sut;
//! use trapline_sut::{Implementation, Inputs, Outputs, Stop, serve};
//!
//! struct Valve { level: i64 }
//!
//! impl Implementation for Valve {
//!     fn reset(&mut self, _inputs: &Inputs) -> Result<Outputs, Stop> {
//!         self.level = 0;
//!         Ok(Outputs::new().with("alarm", false))
//!     }
//!
//!     fn step(&mut self, inputs: &Inputs) -> Result<Outputs, Stop> {
//!         self.level += inputs.int("flow")?;
//!         Ok(Outputs::new().with("alarm", self.level > 10))
//!     }
//! }
//!
//! fn main() -> std::io::Result<()> {
//!     serve(&mut Valve { level: 0 })
//! }
//! ```
//!
//! Return `Err(Stop::Refused(why))` where the implementation takes no such input, and
//! `Err(Stop::Error(why))` where it can't go on; a panic is an error too. Print to standard error
//! only: standard output holds the answers.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::io::{BufRead, Read, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};

const MAX_LINE: u64 = 1 << 20;
const MAX_DEPTH: usize = 64;

/// What is tested.
pub trait Implementation {
    /// Starts anew with the inputs of the first state.
    fn reset(&mut self, inputs: &Inputs) -> Result<Outputs, Stop>;

    /// Takes a step with these inputs.
    fn step(&mut self, inputs: &Inputs) -> Result<Outputs, Stop>;
}

/// Why there are no outputs.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The implementation takes no such input now.
    Refused(String),
    /// It can't go on.
    Error(String),
}

/// A value of an input or output.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(String),
    List(Vec<Value>),
}

/// What was sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs(BTreeMap<String, Value>);

/// What is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outputs(Vec<(String, Value)>);

impl Inputs {
    /// A value, if it was sent.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// A truth value.
    pub fn bool(&self, name: &str) -> Result<bool, Stop> {
        match self.need(name)? {
            Value::Bool(value) => Ok(*value),
            _ => Err(wrong(format!("the input `{name}` is no truth value"))),
        }
    }

    /// An integer; words are sent as `0ud8_12`.
    pub fn int(&self, name: &str) -> Result<i64, Stop> {
        let value = match self.need(name)? {
            Value::Int(value) => Some(*value),
            Value::Text(text) => word(text),
            _ => None,
        };
        value.ok_or_else(|| wrong(format!("the input `{name}` is no integer of 64 bits")))
    }

    /// A number; fractions are sent as `f'1/3`.
    pub fn real(&self, name: &str) -> Result<f64, Stop> {
        let value = match self.need(name)? {
            Value::Int(value) => Some(*value as f64),
            Value::Real(value) => Some(*value),
            Value::Text(text) => fraction(text),
            _ => None,
        };
        value.ok_or_else(|| wrong(format!("the input `{name}` is no number")))
    }

    /// A text.
    pub fn text(&self, name: &str) -> Result<&str, Stop> {
        match self.need(name)? {
            Value::Text(value) => Ok(value),
            _ => Err(wrong(format!("the input `{name}` is no text"))),
        }
    }

    /// The elements of an array.
    pub fn list(&self, name: &str) -> Result<&[Value], Stop> {
        match self.need(name)? {
            Value::List(value) => Ok(value),
            _ => Err(wrong(format!("the input `{name}` is no array"))),
        }
    }

    fn need(&self, name: &str) -> Result<&Value, Stop> {
        self.get(name).ok_or_else(|| wrong(format!("the request has no input `{name}`")))
    }
}

impl Outputs {
    /// No outputs yet.
    pub fn new() -> Outputs {
        Outputs::default()
    }

    /// These and one more.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Outputs {
        self.0.push((name.into(), value.into()));
        self
    }
}

fn wrong(text: impl Into<String>) -> Stop {
    Stop::Error(text.into())
}

fn word(text: &str) -> Option<i64> {
    let (head, digits) = text.split_once('_')?;
    let digits = if head.starts_with('-') { format!("-{digits}") } else { digits.into() };
    digits.parse().ok()
}

fn fraction(text: &str) -> Option<f64> {
    let (above, below) = text.strip_prefix("f'")?.split_once('/')?;
    Some(above.parse::<f64>().ok()? / below.parse::<f64>().ok()?)
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Value {
        Value::Int(value.into())
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Real(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Text(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::Text(value)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Value {
        Value::List(values.into_iter().map(Into::into).collect())
    }
}

/// Answers requests until there are no more.
pub fn serve(implementation: &mut dyn Implementation) -> std::io::Result<()> {
    let (mut requests, mut answers) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        if requests.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let answer = if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
            requests.skip_until(b'\n')?;
            Err(wrong(format!("the request has more than {MAX_LINE} bytes")))
        } else if line.trim_ascii().is_empty() {
            continue;
        } else {
            answer(implementation, &line)
        };
        answers.write_all(written(&answer).as_bytes())?;
        answers.flush()?;
    }
}

fn answer(implementation: &mut dyn Implementation, line: &[u8]) -> Result<Outputs, Stop> {
    let text = std::str::from_utf8(line).map_err(|_| wrong("the request is not UTF-8"))?;
    let mut reader = Reader { rest: text };
    let (is_reset, inputs) = reader.request().map_err(|why| wrong(format!("the request {why}")))?;
    let call = AssertUnwindSafe(|| match is_reset {
        true => implementation.reset(&inputs),
        false => implementation.step(&inputs),
    });
    catch_unwind(call).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(wrong(format!("it panicked: {}", text.unwrap_or("no message"))))
    })
}

fn written(answer: &Result<Outputs, Stop>) -> String {
    let mut text = String::from("{");
    match answer {
        Ok(outputs) => {
            text += "\"outputs\": {";
            for (idx, (name, value)) in outputs.0.iter().enumerate() {
                text += if idx == 0 { "" } else { ", " };
                quote(&mut text, name);
                text += ": ";
                write_value(&mut text, value);
            }
            text += "}";
        }
        Err(Stop::Refused(why)) => {
            text += "\"refused\": ";
            quote(&mut text, why);
        }
        Err(Stop::Error(why)) => {
            text += "\"error\": ";
            quote(&mut text, why);
        }
    }
    text + "}\n"
}

fn write_value(text: &mut String, value: &Value) {
    match value {
        Value::Bool(value) => *text += &value.to_string(),
        Value::Int(value) => *text += &value.to_string(),
        Value::Real(value) => *text += &value.to_string(),
        Value::Text(value) => quote(text, value),
        Value::List(values) => {
            *text += "[";
            for (idx, value) in values.iter().enumerate() {
                *text += if idx == 0 { "" } else { ", " };
                write_value(text, value);
            }
            *text += "]";
        }
    }
}

fn quote(text: &mut String, value: &str) {
    text.push('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c < ' ' => *text += &format!("\\u{:04x}", c as u32),
            c => text.push(c),
        }
    }
    text.push('"');
}

/// Reads JSON.
struct Reader<'t> {
    rest: &'t str,
}

type Parsed<T> = Result<T, &'static str>;

impl Reader<'_> {
    /// A request: is it a reset, and its inputs.
    fn request(&mut self) -> Parsed<(bool, Inputs)> {
        self.need('{')?;
        let is_reset = match self.text()?.as_str() {
            "reset" => true,
            "step" => false,
            _ => return Err("is neither a reset nor a step"),
        };
        self.need(':')?;
        self.need('{')?;
        let mut inputs = Inputs::default();
        if !self.takes('}') {
            loop {
                let name = self.text()?;
                self.need(':')?;
                if let Some(value) = self.value(0)? {
                    inputs.0.insert(name, value);
                }
                if !self.takes(',') {
                    break;
                }
            }
            self.need('}')?;
        }
        self.need('}')?;
        match self.rest.trim_start().is_empty() {
            true => Ok((is_reset, inputs)),
            false => Err("goes on behind its end"),
        }
    }

    /// A value; `None` is null.
    fn value(&mut self, depth: usize) -> Parsed<Option<Value>> {
        self.rest = self.rest.trim_start();
        if self.takes('[') {
            return self.list(depth).map(Some);
        }
        if self.rest.starts_with('"') {
            return self.text().map(|text| Some(Value::Text(text)));
        }
        let is_end = |c: char| c.is_whitespace() || ",:[]{}\"".contains(c);
        let (word, rest) = self.rest.split_at(self.rest.find(is_end).unwrap_or(self.rest.len()));
        self.rest = rest;
        let is_number = word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        match word {
            "true" => Ok(Some(Value::Bool(true))),
            "false" => Ok(Some(Value::Bool(false))),
            "null" => Ok(None),
            _ if !is_number => Err("has something that is no value, or an object among its inputs"),
            _ => match (word.parse(), word.parse()) {
                (Ok(value), _) => Ok(Some(Value::Int(value))),
                (_, Ok(value)) => Ok(Some(Value::Real(value))),
                _ => Err("has something that is no number"),
            },
        }
    }

    fn list(&mut self, depth: usize) -> Parsed<Value> {
        let mut values = Vec::new();
        if depth == MAX_DEPTH {
            return Err("is nested too deeply");
        }
        if !self.takes(']') {
            loop {
                values.push(self.value(depth + 1)?.ok_or("has a null in an array")?);
                if !self.takes(',') {
                    break;
                }
            }
            self.need(']')?;
        }
        Ok(Value::List(values))
    }

    fn text(&mut self) -> Parsed<String> {
        self.need('"')?;
        let mut text = String::new();
        loop {
            match self.next().ok_or("has a text without an end")? {
                '"' => return Ok(text),
                '\\' => text.push(self.escape()?),
                c if c < ' ' => return Err("has a control character in a text"),
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Parsed<char> {
        const BAD: &str = "has an escape that means nothing";
        match self.next().ok_or(BAD)? {
            c @ ('"' | '\\' | '/') => Ok(c),
            'b' => Ok('\u{8}'),
            'f' => Ok('\u{c}'),
            'n' => Ok('\n'),
            'r' => Ok('\r'),
            't' => Ok('\t'),
            'u' => {
                let first = self.hex().ok_or(BAD)?;
                let units = match self.rest.strip_prefix("\\u") {
                    Some(rest) if (0xd800..0xdc00).contains(&first) => {
                        self.rest = rest;
                        vec![first, self.hex().ok_or(BAD)?]
                    }
                    _ => vec![first],
                };
                let mut chars = char::decode_utf16(units);
                match (chars.next(), chars.next()) {
                    (Some(Ok(c)), None) => Ok(c),
                    _ => Err(BAD),
                }
            }
            _ => Err(BAD),
        }
    }

    fn hex(&mut self) -> Option<u16> {
        let digits = self.rest.get(..4).filter(|it| it.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.rest = &self.rest[4..];
        u16::from_str_radix(digits, 16).ok()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn takes(&mut self, c: char) -> bool {
        match self.rest.trim_start().strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn need(&mut self, c: char) -> Parsed<()> {
        if self.takes(c) {
            Ok(())
        } else {
            Err("is not an object of flat inputs")
        }
    }
}
