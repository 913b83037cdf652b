//! Lists of goals in Scheme: the little of it that scripts for `sal-atg` use.
//!
//! `(define NAME LIST)`, quoted lists of strings and lists, `list`, `append`, `goal-product`, `except`.

use std::ops::Range;

use rustc_hash::FxHashMap;
use trapline_source::{Diagnostic, Diagnostics, SourceFile, Span};

use super::goal_file::{Entry, Tree, name_of};

/// Parentheses inside each other.
const MAX_DEPTH: usize = 100;
/// Goals in a list.
const MAX_LIST: usize = 200_000;

/// What stands in the text.
#[derive(Clone, Debug)]
enum Item {
    /// `"text"`, by what is between the quotes.
    Text(Range<usize>),
    /// A word.
    Word(Range<usize>),
    /// `( ... )`
    List(Vec<Item>, Range<usize>),
    /// `'( ... )`
    Quoted(Box<Item>),
}

/// What an item means: a goal, or a list of goals.
#[derive(Clone, Debug)]
enum Value {
    Goal(Range<usize>),
    List(Vec<Value>),
}

/// The goals of `goal-list`.
pub fn goals(file: &SourceFile, findings: &mut Diagnostics) -> Vec<Entry> {
    let mut scheme = Scheme { file, findings, known: FxHashMap::default() };
    for item in read(file, scheme.findings) {
        scheme.define(&item);
    }
    let purposes = scheme.known.get("purpose-list").cloned();
    if let Some(Value::List(purposes)) = purposes
        && !purposes.is_empty()
    {
        let message = "`purpose-list` is not read";
        let help = "say what must hold along every test with --purpose";
        let finding = Diagnostic::warning("unsupported", file.span(), message);
        scheme.findings.push(finding.help(help));
    }
    let list = scheme.known.remove("goal-list");
    if list.is_none() && scheme.findings.has_errors() {
        return Vec::new();
    }
    let Some(Value::List(list)) = list else {
        let message = "there is no `goal-list` in this file";
        let help = "write `(define goal-list '(\"s1\" \"s2\"))`";
        let finding = Diagnostic::error("syntax", file.span(), message);
        scheme.findings.push(finding.help(help));
        return Vec::new();
    };
    let entry = |value: &Value| {
        let tree = tree(value, true);
        Entry { name: name_of(&file.text, &tree), tree, claim: None }
    };
    list.iter().map(entry).collect()
}

/// A goal: a list is a conjunction, a list in it a disjunction, and so on in turn.
fn tree(value: &Value, is_all: bool) -> Tree {
    match value {
        Value::Goal(range) => Tree::Leaf(range.clone()),
        Value::List(parts) => {
            let parts = parts.iter().map(|part| tree(part, !is_all)).collect();
            if is_all { Tree::All(parts) } else { Tree::Any(parts) }
        }
    }
}

struct Scheme<'a> {
    file: &'a SourceFile,
    findings: &'a mut Diagnostics,
    known: FxHashMap<String, Value>,
}

impl Scheme<'_> {
    fn wrong(&mut self, at: Range<usize>, text: &str) {
        let base = self.file.base;
        let span = Span::new(base + at.start as u32, base + at.end as u32);
        self.findings.push(Diagnostic::error("syntax", span, text));
    }

    fn define(&mut self, item: &Item) {
        let file = self.file;
        let word = |item: &Item| match item {
            Item::Word(range) => file.text[range.clone()].to_string(),
            _ => String::new(),
        };
        match item {
            Item::List(items, _) if items.len() == 3 && word(&items[0]) == "define" => {
                let name = word(&items[1]);
                if let Some(value) = self.value(&items[2]) {
                    self.known.insert(name, value);
                }
            }
            other => self.wrong(range(other), "`(define NAME LIST)` is expected here"),
        }
    }

    /// What an expression gives.
    fn value(&mut self, item: &Item) -> Option<Value> {
        match item {
            Item::Text(range) => Some(Value::Goal(range.clone())),
            Item::Word(at) => {
                let name = self.file.text[at.clone()].to_string();
                let known = self.known.get(&name).cloned();
                if known.is_none() {
                    self.wrong(at.clone(), &format!("`{name}` is not defined"));
                }
                known
            }
            Item::Quoted(item) => self.quoted(item),
            Item::List(items, at) => {
                let Some(Item::Word(function)) = items.first() else {
                    self.wrong(at.clone(), "a list of goals has a quote before it: '(\"s1\")");
                    return None;
                };
                let function = self.file.text[function.clone()].to_string();
                if let ("quote", [_, item]) = (&*function, items.as_slice()) {
                    return self.quoted(item);
                }
                let args: Option<Vec<Value>> =
                    items[1..].iter().map(|item| self.value(item)).collect();
                self.applied(&function, args?, at.clone())
            }
        }
    }

    fn quoted(&mut self, item: &Item) -> Option<Value> {
        match item {
            Item::Text(range) | Item::Word(range) => Some(Value::Goal(range.clone())),
            Item::List(items, _) => {
                let items: Option<Vec<Value>> =
                    items.iter().map(|item| self.quoted(item)).collect();
                items.map(Value::List)
            }
            Item::Quoted(item) => self.quoted(item),
        }
    }

    fn applied(&mut self, function: &str, args: Vec<Value>, at: Range<usize>) -> Option<Value> {
        let mut lists = Vec::new();
        if function == "list" {
            return Some(Value::List(args));
        }
        for arg in args {
            match arg {
                Value::List(list) => lists.push(list),
                Value::Goal(_) => {
                    self.wrong(at, &format!("`{function}` takes lists of goals"));
                    return None;
                }
            }
        }
        let list = match (function, lists.as_slice()) {
            ("append", _) => lists.concat(),
            ("goal-product", [left, right]) if left.len() * right.len() <= MAX_LIST => {
                let pair = |l: &Value, r: &Value| Value::List(vec![l.clone(), r.clone()]);
                left.iter().flat_map(|l| right.iter().map(move |r| pair(l, r))).collect()
            }
            ("except", [all, without]) => {
                let shown: Vec<String> = without.iter().map(|it| self.shown(it)).collect();
                all.iter().filter(|it| !shown.contains(&self.shown(it))).cloned().collect()
            }
            ("goal-product", [_, _]) => {
                self.wrong(at, "this list is too long");
                return None;
            }
            ("goal-product" | "except", _) => {
                self.wrong(at, &format!("`{function}` takes two lists"));
                return None;
            }
            _ => {
                let known = "`list`, `append`, `goal-product` and `except` are known";
                self.wrong(at, &format!("`{function}` is not known here: {known}"));
                return None;
            }
        };
        if list.len() > MAX_LIST {
            self.wrong(at, "this list is too long");
            return None;
        }
        Some(Value::List(list))
    }

    fn shown(&self, value: &Value) -> String {
        match value {
            Value::Goal(range) => self.file.text[range.clone()].to_string(),
            Value::List(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.shown(part)).collect();
                format!("({})", parts.join(" "))
            }
        }
    }
}

fn range(item: &Item) -> Range<usize> {
    match item {
        Item::Text(range) | Item::Word(range) | Item::List(_, range) => range.clone(),
        Item::Quoted(item) => range(item),
    }
}

/// The lists of a text.
fn read(file: &SourceFile, findings: &mut Diagnostics) -> Vec<Item> {
    let text = file.text.as_bytes();
    let mut open: Vec<(Vec<Item>, usize, bool)> = vec![(Vec::new(), 0, false)];
    let mut wrong = |at: usize, message: &str| {
        let at = file.base + at as u32;
        findings.push(Diagnostic::error("syntax", Span::new(at, at + 1), message));
    };
    let mut at = 0;
    let mut is_quoted = false;
    while at < text.len() {
        match text[at] {
            b';' => at += text[at..].iter().take_while(|byte| **byte != b'\n').count(),
            byte if byte.is_ascii_whitespace() => at += 1,
            b'\'' => {
                is_quoted = true;
                at += 1;
            }
            b'(' => {
                if open.len() > MAX_DEPTH {
                    wrong(at, "lists are nested too deeply here");
                    return Vec::new();
                }
                open.push((Vec::new(), at, std::mem::take(&mut is_quoted)));
                at += 1;
            }
            b')' => {
                let Some((items, start, is_quoted)) = open.pop().filter(|_| !open.is_empty())
                else {
                    wrong(at, "this parenthesis closes nothing");
                    return Vec::new();
                };
                at += 1;
                let mut item = Item::List(items, start..at);
                if is_quoted {
                    item = Item::Quoted(Box::new(item));
                }
                if let Some((outer, ..)) = open.last_mut() {
                    outer.push(item);
                }
            }
            b'"' => {
                let start = at + 1;
                let length = text[start..].iter().position(|byte| *byte == b'"');
                let Some(length) = length else {
                    wrong(at, "this text has no end");
                    return Vec::new();
                };
                at = start + length + 1;
                if let Some((items, ..)) = open.last_mut() {
                    items.push(Item::Text(start..start + length));
                }
            }
            _ => {
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"()\";'".contains(byte);
                let length = text[at..].iter().position(is_end).unwrap_or(text.len() - at).max(1);
                if let Some((items, ..)) = open.last_mut() {
                    items.push(Item::Word(at..at + length));
                }
                at += length;
            }
        }
    }
    if open.len() > 1 {
        wrong(open.last().map_or(0, |(_, start, _)| *start), "this parenthesis is not closed");
        return Vec::new();
    }
    open.pop().map_or(Vec::new(), |(items, ..)| items)
}
