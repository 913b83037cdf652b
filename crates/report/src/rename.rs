//! Other names for variables and values, from a table that the user wrote.
//!
//! ```text
//! # the implementation's names
//! WaterPres     = pressure.sensor
//! Reset : On    = 1
//! *     : TRUE  = yes
//! trap*         =
//! ```
//!
//! A line renames a variable, or a value of a variable. `*` in the name of a variable stands for
//! any characters; where several lines fit, the first one counts. A variable that is renamed to
//! nothing is left out. A new value is a number or a truth value if it looks like one, and a text
//! otherwise or in quotation marks.

use std::fmt;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::trace::{State, Trace};
use trapline_model::{Array, Domain, Model, Role, Value, Var, VarKind};
use trapline_source::Span;

use crate::defines::Defines;
use crate::formats::trace::Titled;

/// At most so many lines are reported of one table.
const MAX_WRONG: usize = 20;

/// A table of names.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    lines: Vec<Line>,
}

/// A line that says something.
#[derive(Clone, Debug)]
struct Line {
    number: usize,
    /// Which variables.
    name: String,
    /// Which of their values; `None` for the variables themselves.
    value: Option<String>,
    /// What they become.
    becomes: String,
    /// Is that a text, whatever it looks like?
    is_quoted: bool,
}

/// What is wrong in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongLine {
    /// The line, counted from one.
    pub number: usize,
    /// What is wrong.
    pub message: String,
}

/// Traces under other names. Definitions are variables in them.
#[derive(Clone, Debug)]
pub struct Renamed {
    /// A model without rules.
    pub model: Model,
    /// The traces.
    pub traces: Vec<Trace>,
    /// The new name of each old one.
    names: FxHashMap<String, String>,
}

impl fmt::Display for WrongLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.number, self.message)
    }
}

impl Renaming {
    /// Reads a table.
    ///
    /// # Errors
    /// Every line that can't be read.
    pub fn parse(text: &str) -> Result<Renaming, Vec<WrongLine>> {
        let mut renaming = Renaming::default();
        let mut wrong = Vec::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (idx, line) in text.lines().enumerate() {
            if wrong.len() == MAX_WRONG {
                break;
            }
            match parse_line(idx + 1, line) {
                Ok(line) => renaming.lines.extend(line),
                Err(message) => wrong.push(WrongLine { number: idx + 1, message }),
            }
        }
        if wrong.is_empty() { Ok(renaming) } else { Err(wrong) }
    }

    /// The traces under their new names.
    ///
    /// # Errors
    /// Lines that fit nothing, and names that would be given twice.
    pub fn apply(&self, model: &Model, list: &[Titled<'_>]) -> Result<Renamed, Vec<WrongLine>> {
        let mut work = Work::new(self, model);
        work.add_columns(model);
        for titled in list {
            work.add_trace(model, titled.trace);
        }
        work.finish(model)
    }
}

impl Renamed {
    /// A test under its new names.
    pub fn titled<'a>(&'a self, idx: usize, old: &Titled<'_>) -> Titled<'a> {
        let name = |name: &String| self.names.get(name).cloned();
        let open = old.open.iter().map(|names| {
            // What is left out may still be why the rest of a test can't be judged.
            names.iter().map(|old| name(old).unwrap_or_else(|| old.clone())).collect()
        });
        Titled {
            title: old.title.clone(),
            trace: &self.traces[idx],
            goals: old.goals.clone(),
            open: open.collect(),
        }
    }
}

/// A line, if it says anything.
fn parse_line(number: usize, line: &str) -> Result<Option<Line>, String> {
    let line = uncommented(line).trim();
    if line.is_empty() {
        return Ok(None);
    }
    let Some((left, right)) = line.split_once('=') else {
        return Err("expected `name = other` or `name : value = other`".into());
    };
    let (name, value) = match left.split_once(':') {
        Some((name, value)) => (name.trim(), Some(value.trim().to_string())),
        None => (left.trim(), None),
    };
    if name.is_empty() || value.as_ref().is_some_and(String::is_empty) {
        return Err("there is nothing before the `=` or the `:`".into());
    }
    let right = right.trim();
    let (becomes, is_quoted) = match right.strip_prefix('"') {
        Some(_) => match serde_json::from_str(right) {
            Ok(text) => (text, true),
            Err(_) => return Err("a text in quotation marks is written as in JSON".into()),
        },
        None => (right.to_string(), false),
    };
    if value.is_some() && becomes.is_empty() && !is_quoted {
        return Err("a value can't be left out; write `\"\"` for an empty text".into());
    }
    Ok(Some(Line { number, name: name.into(), value, becomes, is_quoted }))
}

/// A line without its comment. Names may contain `#`, so one begins only after a blank.
fn uncommented(line: &str) -> &str {
    let mut is_free = true;
    let mut is_quoted = false;
    for (idx, c) in line.char_indices() {
        if c == '#' && is_free && !is_quoted {
            return &line[..idx];
        }
        is_quoted ^= c == '"';
        is_free = c.is_whitespace();
    }
    line
}

/// Does a pattern, in which `*` stands for any characters, fit a name?
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(part) = last.replace(part) {
            match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

/// A column of the new model.
struct Column {
    /// Its place among the old variables and definitions.
    source: usize,
    /// The lines about its values.
    lines: Vec<usize>,
    /// The new values of old ones.
    values: FxHashMap<Value, Value>,
    seen: FxHashSet<Value>,
    members: Vec<Value>,
}

/// A renaming that is under way.
struct Work<'r> {
    renaming: &'r Renaming,
    is_used: Vec<bool>,
    wrong: Vec<WrongLine>,
    columns: Vec<Column>,
    defines: Defines,
    renamed: Renamed,
}

impl<'r> Work<'r> {
    fn new(renaming: &'r Renaming, old: &Model) -> Work<'r> {
        let mut model = Model::default();
        // Symbols keep their ids, so old values are values of the new model.
        model.symbols = old.symbols.clone();
        Work {
            renaming,
            is_used: vec![false; renaming.lines.len()],
            wrong: Vec::new(),
            columns: Vec::new(),
            defines: Defines::new(old),
            renamed: Renamed { model, traces: Vec::new(), names: FxHashMap::default() },
        }
    }

    fn add_columns(&mut self, old: &Model) {
        let vars = old.vars.iter().map(|var| (var.name.as_str(), var.role, var.kind));
        let defines = old.defines.iter().enumerate().map(|(idx, define)| {
            let is_step = self.defines.is_step(idx);
            let kind = if is_step { VarKind::Input } else { VarKind::State };
            (define.name.as_str(), define.role, kind)
        });
        let all: Vec<(&str, Role, VarKind)> = vars.chain(defines).collect();
        let mut taken: FxHashMap<String, &str> = FxHashMap::default();
        for (source, (name, role, kind)) in all.into_iter().enumerate() {
            let (new, number) = self.new_name(name);
            if new.is_empty() {
                continue;
            }
            if let Some(other) = taken.insert(new.clone(), name) {
                let message = format!("`{other}` and `{name}` would both be called `{new}`");
                self.wrong.push(WrongLine { number, message });
            }
            self.renamed.names.insert(name.into(), new.clone());
            let (domain, span) = (Domain::Bool, Span::default());
            self.renamed.model.vars.push(Var { name: new, kind, domain, role, span });
            self.columns.push(Column {
                source,
                lines: self.value_lines(name),
                values: FxHashMap::default(),
                seen: FxHashSet::default(),
                members: Vec::new(),
            });
        }
    }

    /// The new name of a variable, and the line that gives it.
    fn new_name(&mut self, name: &str) -> (String, usize) {
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

    fn add_trace(&mut self, old: &Model, trace: &Trace) {
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

    fn new_value(&mut self, old: &Model, column: usize, value: Value) -> Value {
        if let Some(&new) = self.columns[column].values.get(&value) {
            return new;
        }
        let text = old.show(value);
        let is_meant = |idx: &&usize| self.renaming.lines[**idx].value.as_deref() == Some(&*text);
        let line = self.columns[column].lines.iter().find(is_meant).copied();
        let new = match line {
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

    fn finish(mut self, old: &Model) -> Result<Renamed, Vec<WrongLine>> {
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
        let n_vars = old.vars.len();
        for (idx, column) in self.columns.iter().enumerate() {
            let domain = match column.source < n_vars && column.lines.is_empty() {
                true => old.vars[column.source].domain.clone(),
                false => domain(&column.members),
            };
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
