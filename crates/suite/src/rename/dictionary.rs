//! A model under other names, and the way between its values and those of the old one.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_engine::possible::{Exchange, Output};
use trapline_model::{DefineId, Domain, Expr, ExprId, Model, Role, Type, Value, VarId, notation};

use super::WrongLine;
use super::work::Work;

/// A value of a type with more values than this can't be renamed.
const MAX_VALUES: u64 = 1 << 16;

/// A model under other names, and the way between its values and those of the old one.
#[derive(Clone, Debug)]
pub struct Dictionary {
    /// The model under its new names, without rules. Definitions are variables in it.
    pub model: Model,
    /// What each new variable was.
    entries: Vec<Entry>,
    /// The new variable of each old variable and definition.
    places: FxHashMap<Output, usize>,
}

#[derive(Clone, Debug)]
struct Entry {
    old: Output,
    /// The new values of old ones; without any, values stay as they are.
    new_values: FxHashMap<Value, Value>,
    /// The old values of new ones; `None` for those that stand for several.
    old_values: FxHashMap<Value, Option<Value>>,
}

impl Entry {
    fn new(old: Output, new_values: FxHashMap<Value, Value>) -> Entry {
        let mut old_values: FxHashMap<Value, Option<Value>> = FxHashMap::default();
        for (&value, &becomes) in &new_values {
            let known = old_values.entry(becomes).or_insert(Some(value));
            *known = known.filter(|known| *known == value);
        }
        Entry { old, new_values, old_values }
    }
}

impl Dictionary {
    /// What a value is called; `None` if its variable is left out.
    pub fn new_of(&self, old: Output, value: Value) -> Option<(VarId, Value)> {
        let &place = self.places.get(&old)?;
        let value = self.entries[place].new_values.get(&value).copied().unwrap_or(value);
        Some((VarId(place as u32), value))
    }

    /// What an exchange means that was made under the new names.
    ///
    /// # Errors
    /// A value that stands for several, or for none.
    pub fn old_exchange(&self, new: &Exchange) -> Result<Exchange, String> {
        let mut old = Exchange::default();
        for &(var, value) in &new.inputs {
            if let (Output::Var(var), value) = self.old_of(var, value)? {
                old.inputs.push((var, value));
            }
        }
        for &(output, value) in &new.outputs {
            if let Output::Var(var) = output {
                old.outputs.push(self.old_of(var, value)?);
            }
        }
        Ok(old)
    }

    fn old_of(&self, new: VarId, value: Value) -> Result<(Output, Value), String> {
        let entry = &self.entries[new.0 as usize];
        let wrong = |what: &str| {
            let (value, name) = (self.model.show(value), &self.model.var(new).name);
            Err(format!("`{value}` {what} of `{name}`"))
        };
        match entry.old_values.get(&value) {
            Some(Some(old)) => Ok((entry.old, *old)),
            Some(None) => wrong("stands for several values"),
            None if entry.old_values.is_empty() => Ok((entry.old, value)),
            // The least range that holds the new values may hold others too.
            None => wrong("is no value"),
        }
    }

    /// Is a variable or definition left out?
    pub fn leaves_out(&self, old: Output) -> bool {
        !self.places.contains_key(&old)
    }
}

impl Work<'_> {
    /// Renames every value that something can have.
    pub(super) fn add_values(&mut self, old: &Model) {
        for idx in 0..self.columns.len() {
            let source = self.columns[idx].source;
            let domain = match source.checked_sub(old.vars.len()) {
                None => old.vars[source].domain.clone(),
                Some(define) => domain_of(old, old.defines[define].body.expr),
            };
            match domain.size() {
                _ if self.columns[idx].lines.is_empty() => self.columns[idx].domain = Some(domain),
                Some(size) if size <= MAX_VALUES => {
                    for at in 0..size {
                        self.new_value(old, idx, domain.value(at));
                    }
                    self.check_values(old, idx);
                }
                _ => {
                    self.refuse_numbers(idx);
                    self.columns[idx].domain = Some(domain);
                }
            }
        }
    }

    /// What the implementation shows must tell the values of an output apart.
    fn check_values(&mut self, old: &Model, idx: usize) {
        let new = &self.renamed.model.vars[idx];
        let mut taken: FxHashMap<String, Value> = FxHashMap::default();
        let mut pairs: Vec<(Value, Value)> =
            self.columns[idx].values.iter().map(|(old, new)| (*old, *new)).collect();
        pairs.sort_by_key(|(value, _)| (self.value_line(old, idx, *value), old.show(*value)));
        for (value, becomes) in pairs.into_iter().filter(|_| new.role == Role::Output) {
            // A number and a symbol may look the same.
            let becomes = notation::value(&self.renamed.model, becomes);
            let Some(other) = taken.insert(becomes.clone(), value) else { continue };
            let (one, two) = (old.show(other), old.show(value));
            let line = self.value_line(old, idx, value).map_or(0, |line| self.line(line).0);
            let message = format!(
                "`{one}` and `{two}` of the output `{}` would both be `{becomes}`",
                new.name
            );
            self.wrong.push(WrongLine { number: line, message });
        }
    }

    /// Where there are too many values, none can be renamed. Lines about others may fit by chance.
    fn refuse_numbers(&mut self, idx: usize) {
        let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        for line in self.columns[idx].lines.clone() {
            let (number, text) = self.line(line);
            if text.is_some_and(is_number) {
                let name = &self.renamed.model.vars[idx].name;
                let message = format!("`{name}` has too many values for one to be renamed");
                self.wrong.push(WrongLine { number, message });
            }
        }
    }

    pub(super) fn into_dictionary(mut self, old: &Model) -> Result<Dictionary, Vec<WrongLine>> {
        for var in old.vars.iter().filter(|var| var.role == Role::Input) {
            let (name, number) = self.new_name(&var.name);
            if name.is_empty() {
                let message = format!(
                    "`{}` is an input, so it can't be left out; if nobody sends it, it is internal \
                     (--internal)",
                    var.name
                );
                self.wrong.push(WrongLine { number, message });
            }
        }
        let columns = self.columns.iter_mut();
        let entries = columns.map(|column| {
            let old = match column.source.checked_sub(old.vars.len()) {
                None => Output::Var(VarId(column.source as u32)),
                Some(define) => Output::Define(DefineId(define as u32)),
            };
            Entry::new(old, std::mem::take(&mut column.values))
        });
        let entries: Vec<Entry> = entries.collect();
        let model = self.finish(old)?.model;
        let places = entries.iter().enumerate().map(|(place, entry)| (entry.old, place)).collect();
        Ok(Dictionary { model, entries, places })
    }
}

/// The values that a definition may have.
fn domain_of(model: &Model, expr: ExprId) -> Domain {
    match model.exprs.ty(expr) {
        Type::Bool => Domain::Bool,
        Type::Int => Domain::Integer,
        Type::Word { signed, width } => Domain::Word { signed, width },
        Type::Real => Domain::Real,
        Type::Symbol | Type::Mixed => Domain::Enum(outcomes(model, expr)),
        Type::Set(_) | Type::Temporal | Type::Never => Domain::Enum(Arc::new([])),
    }
}

/// What an expression with symbolic values may be: the ends of its branches.
fn outcomes(model: &Model, root: ExprId) -> Arc<[Value]> {
    let mut values = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(expr) = stack.pop() {
        if !seen.insert(expr) {
            continue;
        }
        match model.exprs.get(expr) {
            Expr::Const(value) => values.push(model.exprs.constant(value)),
            Expr::Var(var) | Expr::Next(var) => {
                let domain = &model.var(var).domain;
                let size = domain.size().filter(|&size| size <= MAX_VALUES).unwrap_or(0);
                values.extend((0..size).map(|at| domain.value(at)));
            }
            Expr::Define(define) | Expr::NextDefine(define) => {
                stack.push(model.define(define).body.expr);
            }
            Expr::Ite(_, then, other) => stack.extend([other, then]),
            _ => {}
        }
    }
    let mut known = FxHashSet::default();
    values.retain(|value| known.insert(*value));
    values.into()
}
