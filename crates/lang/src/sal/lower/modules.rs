//! A module as a tree of base modules, and what each part of the tree shares with those around it.
//!
//! From the inside out: every part has an interface, the variables that those around it may name. What
//! they are is decided from the outside in, by [`super::bind`].

use std::rc::Rc;

use rustc_hash::FxHashMap;
use trapline_source::{Diagnostic, Span};

use super::term::{InstanceId, Place, Type};
use super::{Lowerer, limits};
use crate::sal::syntax::{
    Class, DeclKind, Lhs, ModuleId, ModuleKind, Name, NameId, NodeId, VarDecl,
};

/// The chosen module.
#[derive(Debug)]
pub struct Main {
    /// The context that it was chosen in.
    pub context: InstanceId,
    /// The module.
    pub tree: Tree,
    /// Which module it is, if it has a name: theorems about it are properties of the model.
    pub key: Option<ModuleKey>,
    /// The theorem that it was chosen by.
    pub theorem: Option<NameId>,
    /// What it is called.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
}

/// A module by its declaration and its actual parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleKey {
    /// The context that declares it.
    pub instance: InstanceId,
    /// Which declaration it is.
    pub decl: usize,
    /// The actual parameters, as they are shown.
    pub actuals: String,
}

/// A part of a system.
#[derive(Debug)]
pub struct Tree {
    /// What it is made of.
    pub kind: TreeKind,
    /// Its variables, those that it hides too.
    pub interface: Vec<Shared>,
    /// Where it stands.
    pub span: Span,
}

/// What a part is made of.
#[derive(Debug)]
pub enum TreeKind {
    /// A base module, and what its names mean.
    Base(ModuleId, Place, String),
    /// Parts that move together, or of which one moves.
    Composed(Movement, Vec<Part>),
    /// A part some of whose variables are others, or parts of others.
    Renamed(Vec<(NameId, Lhs, Place)>, Box<Tree>),
    /// The same part, other names being visible.
    Same(Box<Tree>),
}

/// How parts move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// All of them with every step.
    Sync,
    /// One of them with every step.
    Async,
}

/// One of several parts.
#[derive(Debug)]
pub struct Part {
    /// The part.
    pub tree: Tree,
    /// Where its own variables are in those of the whole of the same name, if they are a part of them.
    pub paths: FxHashMap<NameId, Vec<Inside>>,
}

/// A part of a variable that stands for the variables of several parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// A component of a tuple, counted from 0.
    Component(usize),
    /// An element of an array, by its position.
    Element(usize),
}

/// A variable that a part shares with those around it.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Its name.
    pub name: NameId,
    /// Who controls it.
    pub class: Class,
    /// Its type.
    pub ty: Type,
    /// Its declaration.
    pub span: Span,
}

/// Where a module stands: its place, how deep it is, what modules around it declare by `WITH`.
#[derive(Clone)]
pub(super) struct At {
    pub(super) place: Place,
    pub(super) depth: usize,
    pub(super) label: String,
}

impl Lowerer<'_> {
    /// The tree of a module expression, as seen from a place.
    pub(super) fn tree(&mut self, module: ModuleId, place: &Place, label: &str) -> Option<Tree> {
        let mut n_bases = 0;
        let at = At { place: place.clone(), depth: 0, label: label.into() };
        self.tree_at(module, &at, &mut n_bases)
    }

    pub(super) fn tree_at(
        &mut self,
        module: ModuleId,
        at: &At,
        n_bases: &mut usize,
    ) -> Option<Tree> {
        let context = self.context(&at.place);
        let span = context.module(module).span;
        if at.depth > limits::NESTED {
            let text = "modules are nested too deeply here, or contain each other";
            self.report(Diagnostic::error("too-deep", span, text));
            return None;
        }
        match &context.module(module).kind {
            ModuleKind::Base(_) => self.base_tree(module, at, n_bases, span),
            ModuleKind::Instance { .. } => {
                let (key, inner) = self.instance_at(module, &at.place)?;
                let name = self.declared_module(&key).1;
                let label = match at.label.is_empty() {
                    true => format!("{name}{}", in_brackets(&key.actuals)),
                    false => at.label.clone(),
                };
                let body = self.module_body(&key)?;
                let at = At { place: inner, depth: at.depth + 1, label };
                self.tree_at(body, &at, n_bases)
            }
            ModuleKind::Sync(..) | ModuleKind::Async(..) | ModuleKind::Observe(..) => {
                self.chain(module, at, n_bases, span)
            }
            ModuleKind::MultiSync { index, ty, body } => {
                let multi = (Movement::Sync, *index, *ty, *body);
                self.multi(multi, at, n_bases, span)
            }
            ModuleKind::MultiAsync { index, ty, body } => {
                let multi = (Movement::Async, *index, *ty, *body);
                self.multi(multi, at, n_bases, span)
            }
            ModuleKind::Hide(names, body) => {
                let tree = self.tree_at(*body, &at.deeper(), n_bases)?;
                self.reclassed(tree, names, Class::Local, span)
            }
            ModuleKind::Export(names, body) => {
                let tree = self.tree_at(*body, &at.deeper(), n_bases)?;
                self.reclassed(tree, names, Class::Output, span)
            }
            ModuleKind::Rename(pairs, body) => {
                let tree = self.tree_at(*body, &at.deeper(), n_bases)?;
                self.renamed(tree, pairs, &at.place, span)
            }
            ModuleKind::With(vars, body) => {
                let added = self.shared_vars(vars, &at.place)?;
                let tree = self.tree_at(*body, &at.deeper(), n_bases)?;
                self.with_vars(tree, added, span)
            }
        }
    }

    fn base_tree(
        &mut self,
        module: ModuleId,
        at: &At,
        n_bases: &mut usize,
        span: Span,
    ) -> Option<Tree> {
        *n_bases += 1;
        if *n_bases > limits::MODULES {
            let text = format!("this is made of more than {} modules", limits::MODULES);
            self.report(Diagnostic::error("too-large", span, text));
            return None;
        }
        let context = self.context(&at.place);
        let ModuleKind::Base(base) = &context.module(module).kind else {
            unreachable!("asked for a base module alone")
        };
        let interface = self.shared_vars(&base.vars, &at.place)?;
        let kind = TreeKind::Base(module, at.place.clone(), at.label.clone());
        Some(Tree { kind, interface, span })
    }

    /// Declared variables with their types.
    fn shared_vars(&mut self, vars: &[(Class, VarDecl)], place: &Place) -> Option<Vec<Shared>> {
        let mut interface: Vec<Shared> = Vec::new();
        let mut known: FxHashMap<NameId, Span> = FxHashMap::default();
        let mut is_right = true;
        for (class, var) in vars {
            let Some(ty) = self.type_at(var.ty, place) else {
                is_right = false;
                continue;
            };
            for name in &var.names {
                if let Some(before) = known.insert(name.id, name.span) {
                    let text = format!("`{}` is declared twice", self.text(name.id));
                    let error = Diagnostic::error("declared-twice", name.span, text);
                    self.report(error.label(before, "also here").help("give one another name"));
                    is_right = false;
                    continue;
                }
                let (class, ty, span) = (*class, ty.clone(), name.span);
                interface.push(Shared { name: name.id, class, ty, span });
            }
        }
        is_right.then_some(interface)
    }

    /// Which module is named, and where its text stands: with its parameters bound.
    pub(super) fn instance_at(
        &mut self,
        module: ModuleId,
        place: &Place,
    ) -> Option<(ModuleKey, Place)> {
        let from = self.context(place);
        let ModuleKind::Instance { context, name, actuals } = &from.module(module).kind else {
            unreachable!("asked for a named module alone")
        };
        let id = match context {
            Some(context) => self.referred(context, place)?,
            None => place.instance,
        };
        let (instance, decl) = self.module_named(*name, id)?;
        let context = Rc::clone(&self.instance(instance).context);
        let DeclKind::Module { params, .. } = &context.decls[decl].kind else {
            unreachable!("a module was asked for")
        };
        let flat: Vec<(Name, NodeId)> =
            params.iter().flat_map(|var| var.names.iter().map(|name| (*name, var.ty))).collect();
        if flat.len() != actuals.len() {
            let wanted = super::builtin::parameters(flat.len());
            let name = self.text(name.id);
            let text = format!("`{name}` takes {wanted}, not {}", actuals.len());
            self.report(Diagnostic::error("wrong-arguments", from.module(module).span, text));
            return None;
        }
        let mut inner = Place::of(instance);
        let mut shown = Vec::new();
        for ((param, ty), &actual) in flat.iter().zip(actuals) {
            let ty = self.type_at(*ty, &inner)?;
            let value = self.eval(actual, place, false);
            let value = self.fitting(&value, &ty, self.span(place, actual));
            if value.is_poison() {
                return None;
            }
            shown.push(self.shown(&value));
            inner = inner.binding([(param.id, value)]);
        }
        Some((ModuleKey { instance, decl, actuals: shown.join(",") }, inner))
    }

    /// What a module is called, behind where it is declared.
    pub(super) fn declared_module(&self, key: &ModuleKey) -> (Span, String) {
        let name = self.instance(key.instance).context.decls[key.decl].name;
        (name.span, self.text(name.id).to_string())
    }

    /// The text of a declared module.
    pub(super) fn module_body(&self, key: &ModuleKey) -> Option<ModuleId> {
        match &self.instance(key.instance).context.decls[key.decl].kind {
            DeclKind::Module { body, .. } => Some(*body),
            _ => None,
        }
    }
}

impl At {
    pub(super) fn deeper(&self) -> At {
        At { depth: self.depth + 1, ..self.clone() }
    }
}

impl Part {
    /// Has it a variable of this name?
    pub(super) fn has(&self, name: NameId) -> bool {
        self.tree.interface.iter().any(|shared| shared.name == name)
    }
}

pub(super) fn in_brackets(actuals: &str) -> String {
    match actuals {
        "" => String::new(),
        _ => format!("[{actuals}]"),
    }
}
