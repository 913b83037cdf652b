//! Giving the names of a table to a model and its traces.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::trace::{State, Trace};
use trapline_model::{Array, Domain, Model, Role, Timing, Value, Var, VarKind, roles};
use trapline_source::Span;

use super::{Line, MAX_WRONG, Renamed, Renaming, WrongLine, fits};
use crate::defines::Defines;

/// A column of the new model.
pub(super) struct Column {
    /// Its index among the old variables and definitions.
    pub(super) source: usize,
    /// The lines about its values.
    pub(super) lines: Vec<usize>,
    /// Its domain, if that is not the least one of its new values.
    pub(super) domain: Option<Domain>,
    /// The new values of old ones.
    pub(super) values: FxHashMap<Value, Value>,
    seen: FxHashSet<Value>,
    members: Vec<Value>,
}

/// A renaming in progress.
pub(super) struct Work<'r> {
    renaming: &'r Renaming,
    is_used: Vec<bool>,
    pub(super) wrong: Vec<WrongLine>,
    pub(super) columns: Vec<Column>,
    defines: Defines,
    pub(super) renamed: Renamed,
}

impl<'r> Work<'r> {
    pub(super) fn new(renaming: &'r Renaming, old: &Model) -> Work<'r> {
        // Symbols keep their ids, so old values are values of the new model.
        let model = Model { symbols: old.symbols.clone(), ..Model::new(old.syntax) };
        Work {
            renaming,
            is_used: vec![false; renaming.lines.len()],
            wrong: Vec::new(),
            columns: Vec::new(),
            defines: Defines::new(old),
            renamed: Renamed { model, traces: Vec::new(), names: FxHashMap::default() },
        }
    }

    pub(super) fn add_columns(&mut self, old: &Model) {
        let timings = roles::timings(old);
        let vars = old.vars.iter().zip(timings);
        let vars = vars.map(|(var, timing)| (var.name.as_str(), var.role, var.kind, Some(timing)));
        let defines = old.defines.iter().enumerate().map(|(idx, define)| {
            let is_step = self.defines.is_step(idx);
            let kind = if is_step { VarKind::Input } else { VarKind::State };
            (define.name.as_str(), define.role, kind, None)
        });
        let all: Vec<(&str, Role, VarKind, Option<Timing>)> = vars.chain(defines).collect();
        let mut taken: FxHashMap<String, (&str, usize)> = FxHashMap::default();
        for (source, (name, role, kind, timing)) in all.into_iter().enumerate() {
            let (new, number) = self.new_name(name);
            if new.is_empty() {
                continue;
            }
            if let Some((other, its_number)) = taken.insert(new.clone(), (name, number)) {
                let message = format!("`{other}` and `{name}` would both be called `{new}`");
                // One of them may have that name without a line.
                let number = if number == 0 { its_number } else { number };
                self.wrong.push(WrongLine { number, message });
            }
            self.renamed.names.insert(name.into(), new.clone());
            let (domain, span) = (Domain::Bool, Span::default());
            self.renamed.model.declare(Var { name: new, kind, domain, role, timing, span });
            let lines = self.value_lines(name);
            let var = old.vars.get(source).filter(|_| lines.is_empty());
            self.columns.push(Column {
                source,
                domain: var.map(|var| var.domain.clone()),
                lines,
                values: FxHashMap::default(),
                seen: FxHashSet::default(),
                members: Vec::new(),
            });
        }
    }

    /// The new name of a variable, and the line that gives it.
    pub(super) fn new_name(&mut self, name: &str) -> (String, usize) {
        let lines = self.renaming.lines.iter().enumerate();
        let mut lines = lines.filter(|(_, line)| line.value.is_none() && fits(&line.name, name));
        let Some((idx, line)) = lines.next() else { return (name.into(), 0) };
        self.is_used[idx] = true;
        (line.becomes.clone(), line.number)
    }

    fn value_lines(&self, name: &str) -> Vec<usize> {
        let lines = self.renaming.lines.iter().enumerate();
        let lines = lines.filter(|(_, line)| line.value.is_some() && fits(&line.name, name));
        lines.map(|(idx, _)| idx).collect()
    }

    pub(super) fn add_trace(&mut self, old: &Model, trace: &Trace) {
        let mut states = Vec::with_capacity(trace.states.len());
        for (idx, state) in trace.states.iter().enumerate() {
            let mut values = state.values.clone();
            values.extend(self.defines.values(trace, idx));
            let new = (0..self.columns.len()).map(|column| {
                let value = values[self.columns[column].source]?;
                Some(self.new_value(old, column, value))
            });
            states.push(State { values: new.collect() });
        }
        self.renamed.traces.push(Trace { states, loop_start: trace.loop_start });
    }

    pub(super) fn new_value(&mut self, old: &Model, column: usize, value: Value) -> Value {
        if let Some(&new) = self.columns[column].values.get(&value) {
            return new;
        }
        let new = match self.value_line(old, column, value) {
            None => value,
            Some(idx) => {
                self.is_used[idx] = true;
                read_value(&mut self.renamed.model, &self.renaming.lines[idx])
            }
        };
        let column = &mut self.columns[column];
        column.values.insert(value, new);
        if column.seen.insert(new) {
            column.members.push(new);
        }
        new
    }

    /// The line about a value.
    pub(super) fn value_line(&self, old: &Model, column: usize, value: Value) -> Option<usize> {
        let text = old.show(value);
        let is_meant = |idx: &&usize| self.renaming.lines[**idx].value.as_deref() == Some(&*text);
        self.columns[column].lines.iter().find(is_meant).copied()
    }

    /// The number of a line in the text, and the value that it is about.
    pub(super) fn line(&self, idx: usize) -> (usize, Option<&str>) {
        let line = &self.renaming.lines[idx];
        (line.number, line.value.as_deref())
    }

    pub(super) fn finish(mut self, old: &Model) -> Result<Renamed, Vec<WrongLine>> {
        let unused =
            self.renaming.lines.iter().zip(&self.is_used).filter(|(_, is_used)| !**is_used);
        for (line, _) in unused {
            let knows = |name: &str| fits(&line.name, name);
            let mut names = old.vars.iter().map(|var| var.name.as_str());
            let mut defines = old.defines.iter().map(|define| define.name.as_str());
            // A value that no test has is no mistake, but a variable that is not there is.
            if !names.any(knows) && !defines.any(knows) {
                let message = format!("there is no variable or definition `{}`", line.name);
                self.wrong.push(WrongLine { number: line.number, message });
            }
        }
        if !self.wrong.is_empty() {
            self.wrong.sort_by_key(|wrong| wrong.number);
            self.wrong.truncate(MAX_WRONG);
            return Err(self.wrong);
        }
        for (idx, column) in self.columns.iter().enumerate() {
            let domain = column.domain.clone().unwrap_or_else(|| domain(&column.members));
            self.renamed.model.vars[idx].domain = domain;
        }
        self.keep_arrays(old);
        Ok(self.renamed)
    }

    /// Arrays whose elements are all there, under names that are still those of elements.
    fn keep_arrays(&mut self, old: &Model) {
        let n_vars = old.vars.len() as u32;
        let arrays = old.arrays.iter().map(|array| (array, 0));
        let arrays = arrays.chain(old.define_arrays.iter().map(|array| (array, n_vars)));
        let places: FxHashMap<usize, usize> =
            self.columns.iter().enumerate().map(|(idx, column)| (column.source, idx)).collect();
        for (array, offset) in arrays {
            let sources = array.elements.start + offset..array.elements.end + offset;
            let Some(&first) = places.get(&(sources.start as usize)) else { continue };
            let is_kept = |(idx, source): (usize, u32)| {
                let name = match source.checked_sub(n_vars) {
                    None => &old.vars[source as usize].name,
                    Some(define) => &old.defines[define as usize].name,
                };
                places.get(&(source as usize)) == Some(&(first + idx))
                    && self.renamed.names.get(name) == Some(name)
            };
            let length = sources.len() as u32;
            if sources.enumerate().all(is_kept) {
                let elements = first as u32..first as u32 + length;
                let (name, dims) = (array.name.clone(), array.dims.clone());
                self.renamed.model.arrays.push(Array { name, dims, elements });
            }
        }
    }
}

/// The value that a line gives.
fn read_value(model: &mut Model, line: &Line) -> Value {
    let text = line.becomes.as_str();
    match (text, text.parse()) {
        _ if line.is_quoted => Value::Symbol(model.symbols.intern(text)),
        (_, Ok(number)) => Value::Int(number),
        ("TRUE" | "true", _) => Value::Bool(true),
        ("FALSE" | "false", _) => Value::Bool(false),
        _ => Value::Symbol(model.symbols.intern(text)),
    }
}

/// The least domain of values.
fn domain(members: &[Value]) -> Domain {
    let all = |is_one: fn(&Value) -> bool| members.iter().all(is_one);
    let ints = members.iter().filter_map(|value| value.as_int());
    let kinds: FxHashSet<_> = members
        .iter()
        .map(|value| match value {
            Value::Word(word) => Some((word.signed, word.width)),
            _ => None,
        })
        .collect();
    let word = match kinds.iter().next() {
        Some(&Some((signed, width))) if kinds.len() == 1 => Some((signed, width)),
        _ => None,
    };
    match (ints.clone().min(), ints.max(), word) {
        (_, _, Some((signed, width))) => Domain::Word { signed, width },
        _ if all(|value| matches!(value, Value::Bool(_))) => Domain::Bool,
        (Some(lo), Some(hi), _) if all(|value| matches!(value, Value::Int(_))) => {
            Domain::Range(lo, hi)
        }
        _ if all(|value| matches!(value, Value::Int(_) | Value::Real(_))) => Domain::Real,
        _ => Domain::Enum(members.iter().copied().collect::<Arc<[Value]>>()),
    }
}
