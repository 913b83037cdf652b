//! The values that a variable takes in a suite, and so what it can be.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde_json::Value as Json;
use trapline_model::{Domain, Symbols, Value};

use crate::read::members::scalar;
use crate::read::value::word_kind;

/// Values of one variable.
#[derive(Default)]
pub(super) struct Seen {
    truths: BTreeSet<bool>,
    ints: BTreeSet<i64>,
    /// Reals that are no integers.
    has_reals: bool,
    /// The kinds of words: signed or not, and their width.
    words: BTreeSet<(bool, u8)>,
    has_symbols: bool,
    /// All that is text, each once, in the order of the suite.
    texts: Vec<String>,
    known: FxHashSet<String>,
}

impl Seen {
    pub(super) fn add(&mut self, json: &Json) {
        if let Some(truth) = json.as_bool() {
            self.truths.insert(truth);
            return;
        }
        let Some(text) = scalar(json) else { return };
        let is_number = !json.is_string();
        match text.parse() {
            Ok(int) if is_number => {
                self.ints.insert(int);
                return;
            }
            _ => {}
        }
        match (is_real(&text) || is_number, word_kind(&text)) {
            (true, _) => self.has_reals = true,
            (false, Some(kind)) => {
                self.words.insert(kind);
            }
            (false, None) => self.has_symbols = true,
        }
        if !self.known.contains(text.as_ref()) {
            self.known.insert(text.to_string());
            self.texts.push(text.into_owned());
        }
    }

    /// The least domain that holds the values. Where they are of several kinds, texts are symbols.
    pub(super) fn domain(&self, symbols: &mut Symbols) -> Domain {
        let has = |is_there: bool| usize::from(is_there);
        let n_kinds = has(!self.truths.is_empty())
            + has(!self.ints.is_empty() || self.has_reals)
            + self.words.len()
            + has(self.has_symbols);
        match (n_kinds, self.words.first()) {
            (0, _) => Domain::Bool,
            (1, Some(&(signed, width))) => Domain::Word { signed, width },
            (1, _) if !self.truths.is_empty() => Domain::Bool,
            (1, _) if self.has_reals => Domain::Real,
            (1, _) if !self.has_symbols => match (self.ints.first(), self.ints.last()) {
                (Some(&lo), Some(&hi)) => Domain::Range(lo, hi),
                _ => Domain::Integer,
            },
            _ => {
                let truths = self.truths.iter().copied().map(Value::Bool);
                let ints = self.ints.iter().copied().map(Value::Int);
                let texts = self.texts.iter().map(|text| Value::Symbol(symbols.intern(text)));
                Domain::Enum(truths.chain(ints).chain(texts).collect::<Arc<[Value]>>())
            }
        }
    }
}

/// Is it a real as we write one?
fn is_real(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    text.strip_prefix("f'").is_some_and(|rest| rest.contains('/'))
}
