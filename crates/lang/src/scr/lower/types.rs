//! Types: the values that variables may have.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{Domain, Value};
use trapline_source::{Diagnostic, Span};

use super::survey::sizes;
use super::{Lowerer, Meaning};
use crate::scr::syntax::{Code, Name, NameId, Op, TypeExpr, TypeKind};

/// A set with more values is refused.
const MAX_LISTED: i64 = 100_000;

impl Lowerer<'_, '_> {
    /// The values that the types list, and the types by their names.
    pub(super) fn types(&mut self) -> FxHashMap<NameId, Domain> {
        self.symbols();
        let mut types: FxHashMap<NameId, Domain> = FxHashMap::default();
        let mut open: Vec<usize> = (0..self.spec.types.len()).collect();
        // A type may be named after another one that comes later; bounds are constants.
        self.constants();
        while !open.is_empty() {
            let n_before = open.len();
            open.retain(|&idx| {
                let declared = self.spec.types[idx];
                let alias = self.alias(declared.ty);
                let is_open =
                    |name: Name| !types.contains_key(&name.id) && !self.wrong.contains(&name.id);
                if alias.is_some_and(is_open) {
                    return true;
                }
                let Some(domain) = self.domain(declared.ty, &types) else {
                    self.wrong.insert(declared.name.id);
                    return false;
                };
                if types.contains_key(&declared.name.id) {
                    let text = self.name(declared.name);
                    let message = format!("the type `{text}` is declared twice");
                    let diagnostic =
                        Diagnostic::error("declared-twice", declared.name.span, message);
                    self.error(diagnostic.help("give one another name"));
                }
                self.model.types.push((self.name(declared.name).into(), domain.clone()));
                types.insert(declared.name.id, domain);
                false
            });
            if open.len() == n_before {
                break;
            }
        }
        self.open_types(&open, &types);
        types
    }

    /// Types that are named after types that do not exist, or after each other.
    fn open_types(&mut self, open: &[usize], types: &FxHashMap<NameId, Domain>) {
        let declared = |id: NameId| open.iter().any(|&idx| self.spec.types[idx].name.id == id);
        let is_circle = |idx: usize| {
            self.alias(self.spec.types[idx].ty).is_some_and(|alias| declared(alias.id))
        };
        let (circle, others): (Vec<usize>, Vec<usize>) =
            open.iter().copied().partition(|&idx| is_circle(idx));
        let names: Vec<Name> = circle.iter().map(|&idx| self.spec.types[idx].name).collect();
        for &idx in &others {
            self.domain(self.spec.types[idx].ty, types);
        }
        if others.is_empty() {
            self.circle("types", &names, "write the values of one of them");
        }
        for &idx in open {
            self.wrong.insert(self.spec.types[idx].name.id);
        }
    }

    /// Reports declarations that need each other.
    pub(super) fn circle(&mut self, what: &str, names: &[Name], help: &str) {
        let Some((first, others)) = names.split_first() else { return };
        let shown: Vec<String> =
            names.iter().map(|name| format!("`{}`", self.name(*name))).collect();
        let message = match others {
            [] => format!("{} is defined by itself", shown[0]),
            _ => format!("the {what} {} are defined by each other", shown.join(", ")),
        };
        let error = Diagnostic::error("circular", first.span, message).help(help);
        let label = |error: Diagnostic, name: &Name| error.label(name.span, "in the circle");
        self.error(others.iter().take(4).fold(error, label));
    }

    /// The name that a type is another name for.
    fn alias(&self, ty: TypeExpr) -> Option<Name> {
        let TypeKind::Of(code) = ty.kind else { return None };
        match self.spec.nodes(code) {
            [node] => match node.op {
                Op::Name(id) => Some(Name { id, span: node.span }),
                _ => None,
            },
            _ => None,
        }
    }

    /// What the sets of all types list are values.
    fn symbols(&mut self) {
        let types = self.spec.types.iter().map(|declared| declared.ty);
        let types: Vec<TypeExpr> =
            types.chain(self.spec.variables.iter().map(|variable| variable.ty)).collect();
        for ty in types {
            let TypeKind::Of(code) = ty.kind else { continue };
            let nodes = self.spec.nodes(code);
            if !matches!(nodes.last().map(|root| root.op), Some(Op::Set(_))) {
                continue;
            }
            for node in nodes {
                if let Op::Name(id) = node.op {
                    let symbol = Value::Symbol(self.model.symbols.intern(self.spec.name(id)));
                    self.introduce(Name { id, span: node.span }, Meaning::Symbol(symbol));
                }
            }
        }
    }

    /// The values of a type; what is wrong with it is reported.
    pub(super) fn domain(
        &mut self,
        ty: TypeExpr,
        types: &FxHashMap<NameId, Domain>,
    ) -> Option<Domain> {
        let code = match ty.kind {
            TypeKind::Bool => return Some(Domain::Bool),
            TypeKind::Integer => return Some(Domain::Integer),
            TypeKind::Real => return Some(Domain::Real),
            TypeKind::Of(code) => code,
        };
        if let Some(name) = self.alias(ty) {
            return self.named_type(name, types);
        }
        match self.spec.nodes(code).last().map(|node| node.op)? {
            Op::Range => self.range_type(code, ty.span),
            Op::Set(_) => self.set_type(code, ty.span),
            _ => {
                let message = "this is no type";
                let help = "write Boolean, a range a..b, a set {a, b} or the name of a type";
                self.error(Diagnostic::error("unknown-type", ty.span, message).help(help));
                None
            }
        }
    }

    fn named_type(&mut self, name: Name, types: &FxHashMap<NameId, Domain>) -> Option<Domain> {
        self.used[name.id.0 as usize] = true;
        if let Some(domain) = types.get(&name.id) {
            return Some(domain.clone());
        }
        if !self.wrong.contains(&name.id) {
            let message = format!("there is no type `{}`", self.name(name));
            let help = "declare it in TYPES, or write Boolean, a range a..b or a set {a, b}";
            self.error(Diagnostic::error("unknown-type", name.span, message).help(help));
        }
        None
    }

    fn range_type(&mut self, code: Code, span: Span) -> Option<Domain> {
        let ends = self.parts(code);
        let (lo, hi) = (self.integer(ends[0])?, self.integer(ends[1])?);
        if lo > hi {
            let message = format!("the range {lo}..{hi} has no values");
            self.error(Diagnostic::error("empty-type", span, message));
            return None;
        }
        Some(Domain::Range(lo, hi))
    }

    fn set_type(&mut self, code: Code, span: Span) -> Option<Domain> {
        let mut values = Vec::new();
        let mut known: FxHashSet<Value> = FxHashSet::default();
        for member in self.parts(code) {
            let (listed, span) = self.listed(member, MAX_LISTED - values.len() as i64)?;
            for value in listed {
                if !known.insert(value) {
                    let message = format!("`{}` is listed twice", self.model.show(value));
                    self.error(Diagnostic::error("declared-twice", span, message));
                    return None;
                }
                values.push(value);
            }
        }
        let is_bool = |value: &Value| matches!(value, Value::Bool(_));
        if !values.iter().any(is_bool) {
            return Some(Domain::Enum(values.into()));
        }
        if values.len() == 2 && values.iter().all(is_bool) {
            return Some(Domain::Bool);
        }
        let message = "True and False are values of Boolean alone";
        self.error(Diagnostic::error("bad-type", span, message));
        None
    }

    /// The values that a member of a set stands for, so many at most.
    fn listed(&mut self, member: Code, room: i64) -> Option<(Vec<Value>, Span)> {
        let is_range = self.spec.nodes(member).last().map(|node| node.op) == Some(Op::Range);
        let ends = if is_range { self.parts(member) } else { vec![member, member] };
        let (Some((lo, span)), Some((hi, _))) = (self.constant(ends[0]), self.constant(ends[1]))
        else {
            return None;
        };
        match (lo, hi) {
            (Value::Int(lo), Value::Int(hi)) if hi.saturating_sub(lo) < room => {
                Some(((lo..=hi).map(Value::Int).collect(), span))
            }
            (lo, hi) if lo == hi => Some((vec![lo], span)),
            _ => {
                let message = "this is too large to be a part of a set";
                self.error(Diagnostic::error("bad-type", span, message));
                None
            }
        }
    }

    /// The operands of the root of an expression.
    fn parts(&self, code: Code) -> Vec<Code> {
        let sizes = sizes(self.spec.nodes(code));
        let mut parts = Vec::new();
        let mut end = code.end - 1;
        while end > code.start {
            let size = sizes[(end - 1 - code.start) as usize];
            parts.push(Code { start: end - size, end });
            end -= size;
        }
        parts.reverse();
        parts
    }

    fn integer(&mut self, code: Code) -> Option<i64> {
        let (value, span) = self.constant(code)?;
        let found = value.as_int();
        if found.is_none() {
            let message = "a bound of a range is an integer";
            self.error(Diagnostic::error("bad-type", span, message));
        }
        found
    }
}
