//! Contexts with their actual parameters: each is evaluated once, top to bottom.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use trapline_source::{Diagnostic, SourceFile, Span};

use super::term::{InstanceId, Place, Term, Type};
use super::{Lowerer, limits};
use crate::close::closest;
use crate::sal::syntax::{Context, ContextRef, DeclKind, Name, NameId};
use crate::sal::{library, parser};

/// A context with its actual parameters.
#[derive(Debug)]
pub struct Instance {
    /// What it says.
    pub context: Rc<Context>,
    /// Its actual parameters, as they are shown.
    pub actuals: String,
    /// What is declared in it so far, besides modules and theorems: a function may have the name of
    /// a module.
    pub members: FxHashMap<NameId, Member>,
    /// Its modules, by their declarations.
    pub modules: FxHashMap<NameId, usize>,
    /// What it imports, with the other names of what is in it.
    pub imports: Vec<(InstanceId, Vec<(NameId, NameId)>)>,
    /// Were all its declarations read?
    pub is_complete: bool,
}

/// What a name means in a context.
#[derive(Clone, Debug)]
pub enum Member {
    /// A type or a value.
    Term(Term),
    /// A constant of any value, by its declaration: it becomes a variable when it is first used.
    Open(usize),
    /// A datatype whose own fields are being read.
    Unfinished,
    /// Another context.
    Context(InstanceId),
}

impl Lowerer<'_> {
    /// The context with this name, read from its file if it is not known.
    pub(super) fn load(&mut self, name: Name, from: InstanceId) -> Option<Rc<Context>> {
        let text = self.text(name.id).to_string();
        if let Some(known) = self.contexts.get(&text) {
            return known.clone();
        }
        let path = format!("{text}.sal");
        let own = self.instance(from).context.span;
        let loaded = match (self.loader.load(&path, self.file), library::find(&text)) {
            (Ok(file), _) => self.read_context(&file, name),
            (Err(_), Some(file)) => self.read_context(&file, name),
            (Err(why), None) => {
                let message = format!("there is no context `{text}`: {why}");
                let help = "contexts are files beside this one, or in a folder that the environment \
                            variable SALCONTEXTPATH names";
                let span = if name.span == Span::default() { own } else { name.span };
                self.report(Diagnostic::error("no-context", span, message).help(help));
                None
            }
        };
        self.contexts.insert(text, loaded.clone());
        loaded
    }

    fn read_context(&mut self, file: &SourceFile, name: Name) -> Option<Rc<Context>> {
        let context = parser::parse(file, &mut self.names, &mut self.diagnostics)?;
        if context.name.id != name.id {
            let (own, wanted) = (self.text(context.name.id), self.text(name.id));
            let message = format!("this file is `{wanted}.sal`, and its context is `{own}`");
            let help = "a context has the name of its file";
            self.report(Diagnostic::error("no-context", context.name.span, message).help(help));
            return None;
        }
        Some(Rc::new(context))
    }

    /// A context that another one names, with its actual parameters.
    pub(super) fn referred(&mut self, to: &ContextRef, place: &Place) -> Option<InstanceId> {
        let actuals: Vec<Term> =
            to.actuals.iter().map(|&node| self.eval(node, place, false)).collect();
        if actuals.iter().any(Term::is_poison) {
            return None;
        }
        self.context_of(to.name, &actuals, place)
    }

    /// A context by its name or by what the place calls it, with its actual parameters.
    pub(super) fn context_of(
        &mut self,
        name: Name,
        actuals: &[Term],
        place: &Place,
    ) -> Option<InstanceId> {
        let instance = self.instance(place.instance);
        if let (Some(Member::Context(known)), []) = (instance.members.get(&name.id), actuals) {
            return Some(*known);
        }
        if instance.context.name.id == name.id && actuals.is_empty() {
            return Some(place.instance);
        }
        let context = self.load(name, place.instance)?;
        self.instantiate(context, actuals, name.span)
    }

    /// A context with its actual parameters.
    pub(super) fn instantiate(
        &mut self,
        context: Rc<Context>,
        actuals: &[Term],
        span: Span,
    ) -> Option<InstanceId> {
        let shown: Vec<String> = actuals.iter().map(|actual| self.shown(actual)).collect();
        let shown = shown.join(", ");
        let name = context.name.id;
        let known = self
            .instances
            .iter()
            .position(|instance| instance.context.name.id == name && instance.actuals == shown);
        let text = self.text(name).to_string();
        if let Some(known) = known {
            if !self.instances[known].is_complete {
                let message = format!("the context `{text}` needs itself before it is complete");
                let help = "move what both need into a third context";
                self.report(Diagnostic::error("circular-contexts", span, message).help(help));
                return None;
            }
            return Some(InstanceId(known as u32));
        }
        let is_too_much =
            self.instances.len() >= limits::CONTEXTS || self.n_contexts_open >= limits::NESTED;
        if is_too_much {
            let message = format!("`{text}` needs further contexts without end");
            self.report(Diagnostic::error("circular-contexts", span, message));
            return None;
        }
        if context.params.len() != actuals.len() {
            let wanted = super::builtin::parameters(context.params.len());
            let message = format!("the context `{text}` takes {wanted}, not {}", actuals.len());
            self.report(Diagnostic::error("wrong-arguments", span, message));
            return None;
        }
        let id = InstanceId(self.instances.len() as u32);
        self.instances.push(Instance {
            context: Rc::clone(&context),
            actuals: shown,
            members: FxHashMap::default(),
            modules: FxHashMap::default(),
            imports: Vec::new(),
            is_complete: false,
        });
        self.n_contexts_open += 1;
        self.parameters(id, &context, actuals, span);
        for idx in 0..context.decls.len() {
            self.declare(id, &context, idx);
        }
        self.n_contexts_open -= 1;
        self.instances[id.0 as usize].is_complete = true;
        Some(id)
    }

    fn parameters(&mut self, id: InstanceId, context: &Context, actuals: &[Term], span: Span) {
        for (param, actual) in context.params.iter().zip(actuals) {
            let value = match param.ty {
                None => self.as_type(actual, span).map_or(Term::Poison, Term::Type),
                Some(ty) => match self.type_at(ty, &Place::of(id)) {
                    Some(ty) => self.fitting(actual, &ty, span),
                    None => Term::Poison,
                },
            };
            self.introduce(id, param.name, Member::Term(value));
        }
    }

    /// A constant as a value of a type; one that is none of its values is reported.
    pub(super) fn fitting(&mut self, term: &Term, ty: &Type, span: Span) -> Term {
        let value = self.coerce(term, ty, span);
        if !value.is_poison() && !self.is_in_type(&value, ty, span) {
            let (value, ty) = (self.shown(&value), self.describe_type(ty));
            let message = format!("{value} is not a value of {ty}");
            self.report(Diagnostic::error("not-a-value", span, message));
            return Term::Poison;
        }
        value
    }

    /// Notes a module, unless there is one of its name.
    pub(super) fn introduce_module(&mut self, id: InstanceId, name: Name, decl: usize) {
        let known = *self.instances[id.0 as usize].modules.entry(name.id).or_insert(decl);
        if known != decl {
            self.declared_twice(id, name);
        }
    }

    /// Gives a name its meaning, unless it has one.
    pub(super) fn introduce(&mut self, id: InstanceId, name: Name, member: Member) {
        let members = &mut self.instances[id.0 as usize].members;
        let is_known = match members.get(&name.id) {
            None | Some(Member::Unfinished) => false,
            Some(_) => true,
        };
        match is_known {
            true => self.declared_twice(id, name),
            false => drop(members.insert(name.id, member)),
        }
    }

    fn declared_twice(&mut self, id: InstanceId, name: Name) {
        let context = Rc::clone(&self.instance(id).context);
        let before = context
            .params
            .iter()
            .map(|param| param.name)
            .chain(context.decls.iter().map(|decl| decl.name))
            .find(|other| other.id == name.id && other.span != name.span);
        let message = format!("`{}` is declared twice", self.text(name.id));
        let mut error = Diagnostic::error("declared-twice", name.span, message);
        if let Some(before) = before {
            error = error.label(before.span, "also here");
        }
        self.report(error.help("give one another name"));
    }

    /// Imports all of a context.
    pub(super) fn import(
        &mut self,
        id: InstanceId,
        context: &ContextRef,
        renamed: &[(Name, Name)],
    ) {
        let Some(imported) = self.referred(context, &Place::of(id)) else { return };
        if imported == id {
            let message = format!("the context `{}` imports itself", self.text(context.name.id));
            let help = "what it declares is known without that";
            let error = Diagnostic::error("circular-contexts", context.name.span, message);
            self.report(error.help(help));
            return;
        }
        for (old, _) in renamed {
            let known = self.instance(imported);
            if !known.members.contains_key(&old.id) && !known.modules.contains_key(&old.id) {
                let (own, of) = (self.text(old.id), self.text(context.name.id));
                let message = format!("`{of}` has nothing called `{own}`");
                self.report(Diagnostic::error("unknown-name", old.span, message));
            }
        }
        let renamed = renamed.iter().map(|(old, new)| (old.id, new.id)).collect();
        self.instances[id.0 as usize].imports.push((imported, renamed));
    }

    /// The declaration of a module, with where it stands: in the context or in one that it imports.
    pub(super) fn module_named(
        &mut self,
        name: Name,
        id: InstanceId,
    ) -> Option<(InstanceId, usize)> {
        let found = self.find(id, name.id, |instance, name| instance.modules.get(&name).copied());
        if found.is_none() {
            let text = self.text(name.id).to_string();
            let is_other = self.member(id, name.id).is_some();
            let message = match is_other {
                true => format!("`{text}` is not a module"),
                false => format!("there is no module `{text}`"),
            };
            let mut error = Diagnostic::error("unknown-name", name.span, message);
            if let Some(help) = self.closest_module(id, &text) {
                error = error.help(help);
            }
            self.report(error);
        }
        found
    }

    fn closest_module(&self, id: InstanceId, text: &str) -> Option<String> {
        let decls = self.instance(id).context.decls.iter();
        let modules = decls.filter(|decl| matches!(decl.kind, DeclKind::Module { .. }));
        let names = modules.map(|decl| self.text(decl.name.id));
        closest(text, names).map(|close| format!("did you mean `{close}`?"))
    }

    /// What a name means in a context or in what it imports, and in which.
    pub(super) fn member(&self, id: InstanceId, name: NameId) -> Option<(InstanceId, Member)> {
        self.find(id, name, |instance, name| instance.members.get(&name).cloned())
    }

    fn find<T>(
        &self,
        id: InstanceId,
        name: NameId,
        of: impl Fn(&Instance, NameId) -> Option<T>,
    ) -> Option<(InstanceId, T)> {
        let mut stack = vec![(id, name)];
        for _ in 0..limits::CONTEXTS {
            let (id, name) = stack.pop()?;
            let instance = self.instance(id);
            if let Some(found) = of(instance, name) {
                return Some((id, found));
            }
            for (imported, renamed) in &instance.imports {
                let old = renamed.iter().find(|(_, new)| *new == name).map(|(old, _)| *old);
                let is_renamed = renamed.iter().any(|(old, _)| *old == name);
                match old {
                    Some(old) => stack.push((*imported, old)),
                    None if !is_renamed => stack.push((*imported, name)),
                    None => {}
                }
            }
        }
        None
    }
}
