//! Constants, variables and their initial values.

use rustc_hash::FxHashMap;
use trapline_model::{
    Assign, AssignKind, AssignPart, Clause, Define, Domain, Expr, ExprId, Reads, Role, Timing,
    Type, Value, Var, VarId, VarKind, eval,
};
use trapline_source::{Diagnostic, Span};

use super::expression::Place;
use super::{Lowerer, Meaning};
use crate::close::closest;
use crate::scr::syntax::{Code, Name, NameId, Op, TableKind, VariableKind};

impl Lowerer<'_, '_> {
    pub(super) fn declare(&mut self) {
        let types = self.types();
        self.constants();
        for idx in 0..self.spec.variables.len() {
            self.variable(idx, &types);
        }
    }

    /// Introduces a name, unless it is known.
    pub(super) fn introduce(&mut self, name: Name, meaning: Meaning) -> bool {
        if let Some(&(known, before)) = self.meanings.get(&name.id) {
            if known == meaning && matches!(meaning, Meaning::Symbol(_)) {
                return true;
            }
            let text = self.name(name);
            let message = format!("`{text}` is declared twice");
            let diagnostic = Diagnostic::error("declared-twice", name.span, message);
            self.error(diagnostic.label(before, "also here").help("give one another name"));
            return false;
        }
        self.meanings.insert(name.id, (meaning, name.span));
        true
    }

    /// The constants, in an order in which each knows those that it uses.
    pub(super) fn constants(&mut self) {
        let is_new = |&idx: &usize| {
            let name = self.spec.constants[idx].name;
            !matches!(self.meanings.get(&name.id), Some((_, span)) if *span == name.span)
        };
        let open: Vec<usize> = (0..self.spec.constants.len()).filter(is_new).collect();
        let (mut n_missing, users) = self.dependencies(&open);
        let mut ready: Vec<usize> =
            open.iter().copied().filter(|idx| n_missing[idx] == 0).collect();
        let mut n_left = open.len();
        while n_left > 0 {
            if ready.is_empty() {
                let left = open.iter().filter(|idx| n_missing[idx] > 0);
                let names: Vec<Name> = left.map(|&idx| self.spec.constants[idx].name).collect();
                self.circle("constants", &names, "give one of them a value");
                self.wrong.extend(names.iter().map(|name| name.id));
                return;
            }
            n_left -= ready.len();
            let mut next = Vec::new();
            for idx in std::mem::take(&mut ready) {
                self.declare_constant(idx);
                for user in users.get(&idx).into_iter().flatten() {
                    let missing = n_missing.entry(*user).or_default();
                    *missing -= 1;
                    if *missing == 0 {
                        next.push(*user);
                    }
                }
            }
            next.sort_unstable();
            ready = next;
        }
    }

    /// How many others of some constants each of them waits for, and who waits for it.
    fn dependencies(
        &self,
        open: &[usize],
    ) -> (FxHashMap<usize, usize>, FxHashMap<usize, Vec<usize>>) {
        let mut named: FxHashMap<NameId, Vec<usize>> = FxHashMap::default();
        for &idx in open {
            named.entry(self.spec.constants[idx].name.id).or_default().push(idx);
        }
        let mut n_missing: FxHashMap<usize, usize> = open.iter().map(|&idx| (idx, 0)).collect();
        let mut users: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for &idx in open {
            let nodes = self.spec.nodes(self.spec.constants[idx].value).iter();
            let mut used: Vec<NameId> = nodes
                .filter_map(|node| match node.op {
                    Op::Name(id) => Some(id),
                    _ => None,
                })
                .collect();
            used.sort_unstable_by_key(|id| id.0);
            used.dedup();
            for &other in used.iter().filter_map(|id| named.get(id)).flatten() {
                *n_missing.entry(idx).or_default() += 1;
                users.entry(other).or_default().push(idx);
            }
        }
        (n_missing, users)
    }

    fn declare_constant(&mut self, idx: usize) {
        let constant = self.spec.constants[idx];
        let Some((value, _)) = self.constant(constant.value) else {
            self.wrong.insert(constant.name.id);
            return;
        };
        let expr = self.model.exprs.value(value);
        let span = constant.name.span;
        let body = Clause { expr, occ: None, span };
        let id = trapline_model::DefineId(self.model.defines.len() as u32);
        if self.introduce(constant.name, Meaning::Constant(id)) {
            let name = self.name(constant.name).into();
            self.model.defines.push(Define { name, body, role: Role::Internal });
        }
    }

    /// The value of an expression that reads no variable.
    pub(super) fn constant(&mut self, code: Code) -> Option<(Value, Span)> {
        let clause = self.value(code, Place::State)?;
        if self.model.exprs.info(clause.expr).reads != Reads::NOTHING {
            let message = "a constant is expected here, and this reads a variable";
            self.error(Diagnostic::error("not-constant", clause.span, message));
            return None;
        }
        match eval::constant(&self.model, clause.expr) {
            Ok(value) => Some((value, clause.span)),
            Err(failure) => {
                let message = format!("this has no value: {}", failure.kind);
                self.error(Diagnostic::error("not-constant", clause.span, message));
                None
            }
        }
    }

    fn variable(&mut self, idx: usize, types: &FxHashMap<NameId, Domain>) {
        let variable = self.spec.variables[idx];
        // Its own type does not know it.
        let Some(domain) = self.domain(variable.ty, types) else {
            self.wrong.insert(variable.name.id);
            return;
        };
        let is_class = variable.kind == VariableKind::ModeClass;
        if is_class && !matches!(domain, Domain::Enum(_)) {
            let message = format!("the modes of `{}` are not listed", self.name(variable.name));
            let diagnostic = Diagnostic::error("bad-type", variable.ty.span, message);
            self.error(diagnostic.help("write them as a set, as in {Off, On}"));
            self.wrong.insert(variable.name.id);
            return;
        }
        let id = VarId(self.model.vars.len() as u32);
        if !self.introduce(variable.name, Meaning::Variable(id, idx)) {
            return;
        }
        let (role, timing) = match variable.kind {
            VariableKind::Monitored => (Role::Input, Some(Timing::State)),
            VariableKind::Controlled => (Role::Output, None),
            VariableKind::Term | VariableKind::ModeClass => (Role::Internal, None),
        };
        self.model.vars.push(Var {
            name: self.name(variable.name).into(),
            kind: VarKind::State,
            domain,
            role,
            timing,
            span: variable.name.span,
        });
    }

    pub(super) fn initial_values(&mut self) {
        for idx in 0..self.spec.variables.len() {
            let variable = self.spec.variables[idx];
            let Some(&(Meaning::Variable(var, own), _)) = self.meanings.get(&variable.name.id)
            else {
                continue;
            };
            if own != idx {
                continue;
            }
            let table = self.spec.table(variable.name.id).map(|table| table.kind);
            match variable.init {
                Some(init) => self.initial_value(var, init, table),
                None if matches!(table, Some(TableKind::Mode | TableKind::Event)) => {
                    let name = self.name(variable.name);
                    let message = format!("`{name}` has no initial value");
                    let help = format!(
                        "its table only says how it changes: add INIT, as in `{name} : type INIT value`"
                    );
                    self.error(
                        Diagnostic::error("no-initial-value", variable.name.span, message)
                            .help(help),
                    );
                }
                None => {}
            }
        }
    }

    fn initial_value(&mut self, var: VarId, init: Code, table: Option<TableKind>) {
        if self.is_unknown_value(var, init) {
            return;
        }
        let Some(clause) = self.value(init, Place::State) else { return };
        if self.model.exprs.info(clause.expr).reads != Reads::NOTHING {
            let message = "an initial value is a constant, and this reads a variable";
            self.error(Diagnostic::error("not-constant", clause.span, message));
            return;
        }
        if !self.fits(var, clause.expr, clause.span) {
            return;
        }
        if table == Some(TableKind::Condition) {
            self.check_initial(var, clause);
            return;
        }
        let parts = vec![AssignPart { body: clause, when: None, target_span: clause.span }];
        self.model.assigns.push(Assign { kind: AssignKind::Init, var, expr: clause.expr, parts });
    }

    /// Is it a single name that nobody knows, where one of listed values is expected? That is reported.
    pub(super) fn is_unknown_value(&mut self, var: VarId, code: Code) -> bool {
        let &[node] = self.spec.nodes(code) else { return false };
        let (Op::Name(id), Domain::Enum(values)) = (node.op, &self.model.var(var).domain) else {
            return false;
        };
        if self.meanings.contains_key(&id) || self.wrong.contains(&id) {
            return false;
        }
        let text = self.spec.name(id);
        let declared = self.model.var(var);
        let shown: Vec<String> = values.iter().map(|&value| self.model.show(value)).collect();
        let help = match closest(text, shown.iter().map(String::as_str)) {
            Some(close) => format!("did you mean `{close}`?"),
            None => {
                format!("`{}` takes {}", declared.name, self.model.show_type(&declared.domain))
            }
        };
        let message = format!("`{text}` is no value of `{}`", declared.name);
        self.error(Diagnostic::error("not-a-value", node.span, message).help(help));
        true
    }

    /// Is what a constant says of the type of a variable? Otherwise that is reported.
    pub(super) fn fits(&mut self, var: VarId, expr: ExprId, span: Span) -> bool {
        let domain = self.model.var(var).domain.clone();
        let name = self.model.var(var).name.clone();
        let mut wrong = None;
        let mut stack = vec![expr];
        while let Some(expr) = stack.pop() {
            match self.model.exprs.get(expr) {
                Expr::Binary(trapline_model::BinaryOp::Union, a, b) => stack.extend([a, b]),
                Expr::Range(lo, hi) => {
                    let ends = [lo, hi].map(|end| self.model.exprs.constant(end));
                    wrong = ends.into_iter().find(|end| !domain.contains(*end)).or(wrong);
                }
                _ => {
                    let value = eval::constant(&self.model, expr).ok();
                    wrong = value.filter(|value| !domain.contains(*value)).or(wrong);
                }
            }
        }
        let ty = self.model.exprs.ty(expr);
        let is_other_kind = wrong.is_none() && !is_assignable(&domain, ty);
        if wrong.is_none() && !is_other_kind {
            return true;
        }
        let shown = wrong.map_or("this".into(), |value| format!("`{}`", self.model.show(value)));
        let message = format!("{shown} is no value of `{name}`");
        let takes = format!("`{name}` takes {}", self.model.show_type(&domain));
        self.error(Diagnostic::error("not-a-value", span, message).help(takes));
        false
    }
}

/// May a variable with these values be given something of a type?
pub fn is_assignable(domain: &Domain, ty: Type) -> bool {
    let ty = match ty {
        Type::Set(of) => of.member(),
        ty => ty,
    };
    // A number and a symbolic value join to what may be either, which neither is.
    let is_either = |joined: Type| joined != Type::Mixed || [domain.ty(), ty].contains(&joined);
    domain.ty().join(ty).is_some_and(is_either)
        && (domain.ty() == Type::Bool) == (ty == Type::Bool)
        && !(domain.ty() == Type::Int && ty == Type::Real)
}
