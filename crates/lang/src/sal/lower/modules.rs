//! A module as a tree of base modules, and what each part of the tree shares with those around it.
//!
//! From the inside out: every part has an interface, the variables that those around it may name. What
//! they are is decided from the outside in, by [`super::bind`].

use std::rc::Rc;

use rustc_hash::FxHashMap;
use trapline_source::{Diagnostic, Span};

use super::term::{Index, InstanceId, Place, Type};
use super::types::is_same;
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
struct At {
    place: Place,
    depth: usize,
    label: String,
}

impl Lowerer<'_> {
    /// The tree of a module expression, as seen from a place.
    pub(super) fn tree(&mut self, module: ModuleId, place: &Place, label: &str) -> Option<Tree> {
        let mut n_bases = 0;
        let at = At { place: place.clone(), depth: 0, label: label.into() };
        self.tree_at(module, &at, &mut n_bases)
    }

    fn tree_at(&mut self, module: ModuleId, at: &At, n_bases: &mut usize) -> Option<Tree> {
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

    /// Parts with `||` or `[]` between them: the same operator throughout.
    fn chain(
        &mut self,
        module: ModuleId,
        at: &At,
        n_bases: &mut usize,
        span: Span,
    ) -> Option<Tree> {
        let context = self.context(&at.place);
        let is_async = matches!(context.module(module).kind, ModuleKind::Async(..));
        let mut links = Vec::new();
        let mut observers = Vec::new();
        let mut first = module;
        loop {
            first = match &context.module(first).kind {
                ModuleKind::Sync(l, r) if !is_async => {
                    links.push(*r);
                    *l
                }
                ModuleKind::Observe(l, r) if !is_async => {
                    observers.push(*r);
                    links.push(*r);
                    *l
                }
                ModuleKind::Async(l, r) if is_async => {
                    links.push(*r);
                    *l
                }
                _ => break,
            };
        }
        let movement = if is_async { Movement::Async } else { Movement::Sync };
        let at = At { label: String::new(), ..at.deeper() };
        let mut whole: Option<(Vec<Part>, Vec<Shared>)> = None;
        for link in std::iter::once(first).chain(links.into_iter().rev()) {
            let tree = self.tree_at(link, &at, n_bases)?;
            if observers.contains(&link) && !self.only_observes(&tree) {
                let text = "an observer has nothing but definitions, and this one has more";
                let help = "compose it with `||` instead";
                let span = context.module(link).span;
                self.report(Diagnostic::error("bad-composition", span, text).help(help));
                return None;
            }
            whole = Some(match whole {
                None => {
                    let interface = tree.interface.clone();
                    (vec![Part { tree, paths: FxHashMap::default() }], interface)
                }
                Some((parts, interface)) => self.join(movement, parts, interface, tree)?,
            });
        }
        let (parts, interface) = whole?;
        Some(Tree { kind: TreeKind::Composed(movement, parts), interface, span })
    }

    /// Has a part nothing but definitions?
    fn only_observes(&self, tree: &Tree) -> bool {
        match &tree.kind {
            TreeKind::Base(module, place, _) => {
                let context = self.context(place);
                let ModuleKind::Base(base) = &context.module(*module).kind else { return true };
                [&base.initialization, &base.transition]
                    .iter()
                    .all(|section| section.definitions.is_empty() && section.commands.is_none())
            }
            TreeKind::Composed(_, parts) => parts.iter().all(|part| self.only_observes(&part.tree)),
            TreeKind::Renamed(_, inner) | TreeKind::Same(inner) => self.only_observes(inner),
        }
    }

    /// Adds a part to those before it.
    pub(super) fn join(
        &mut self,
        movement: Movement,
        mut parts: Vec<Part>,
        mut interface: Vec<Shared>,
        tree: Tree,
    ) -> Option<(Vec<Part>, Vec<Shared>)> {
        let mut paths: FxHashMap<NameId, Vec<Inside>> = FxHashMap::default();
        let places: FxHashMap<NameId, usize> =
            interface.iter().enumerate().map(|(idx, shared)| (shared.name, idx)).collect();
        for other in &tree.interface {
            let Some(&idx) = places.get(&other.name) else {
                interface.push(other.clone());
                continue;
            };
            let own = &mut interface[idx];
            if (own.class, other.class) == (Class::Local, Class::Local) {
                let both = vec![own.ty.clone(), other.ty.clone()];
                own.ty = Type::Tuple(both.into());
                for part in parts.iter_mut().filter(|part| part.has(other.name)) {
                    part.paths.entry(other.name).or_default().insert(0, Inside::Component(0));
                }
                paths.insert(other.name, vec![Inside::Component(1)]);
                if own.ty.depth() > limits::LEVELS {
                    let text = "too many of these modules have a local variable of one name";
                    let span = other.span;
                    self.report(Diagnostic::error("too-deep", span, text));
                    return None;
                }
                continue;
            }
            own.class = match shared_class(movement, own.class, other.class) {
                Ok(class) => class,
                Err(why) => {
                    let text = format!("`{}` {why}", self.text(other.name));
                    let before = own.span;
                    let error = Diagnostic::error("bad-composition", other.span, text);
                    let error = error.label(before, "the other one is declared here");
                    self.report(error.help("rename one of them: `RENAME x TO y IN m`"));
                    return None;
                }
            };
            if !is_same(&own.ty, &other.ty) {
                let (before, types) = (own.span, (own.ty.clone(), other.ty.clone()));
                let (l, r) = (self.describe_type(&types.0), self.describe_type(&types.1));
                let text = format!(
                    "`{}` is {r} here and {l} in a module beside it",
                    self.text(other.name)
                );
                let error = Diagnostic::error("type-mismatch", other.span, text);
                self.report(error.label(before, "the other one is declared here"));
                return None;
            }
        }
        parts.push(Part { tree, paths });
        Some((parts, interface))
    }

    /// A module for each value of a type.
    fn multi(
        &mut self,
        (movement, name, ty, body): (Movement, Name, NodeId, ModuleId),
        at: &At,
        n_bases: &mut usize,
        span: Span,
    ) -> Option<Tree> {
        let ty_span = self.span(&at.place, ty);
        let index = self.type_at(ty, &at.place).and_then(|ty| self.index(&ty, ty_span))?;
        let mut parts = Vec::new();
        for (position, member) in index.members.iter().enumerate() {
            let place = at.place.binding([(name.id, member.clone())]);
            let shown = self.shown(member);
            let label = match at.label.is_empty() {
                true => format!("[{shown}]"),
                false => format!("{}[{shown}]", at.label),
            };
            let inner = At { place, depth: at.depth + 1, label: String::new() };
            let mut tree = self.tree_at(body, &inner, n_bases)?;
            relabel(&mut tree, &shown, &label);
            let locals = tree.interface.iter().filter(|shared| shared.class == Class::Local);
            let paths = locals.map(|local| (local.name, vec![Inside::Element(position)])).collect();
            parts.push(Part { tree, paths });
        }
        let interface = self.multi_interface(movement, &parts, &index)?;
        Some(Tree { kind: TreeKind::Composed(movement, parts), interface, span })
    }

    fn multi_interface(
        &mut self,
        movement: Movement,
        parts: &[Part],
        index: &Rc<Index>,
    ) -> Option<Vec<Shared>> {
        let mut interface = Vec::new();
        for shared in &parts.first()?.tree.interface {
            let wrong = match shared.class {
                Class::Output => Some("an output"),
                Class::Global if movement == Movement::Sync => Some("global"),
                _ => None,
            };
            if let (Some(what), true) = (wrong, parts.len() > 1) {
                let name = self.text(shared.name);
                let text = format!("`{name}` is {what}, and every one of these modules has it");
                let help = format!(
                    "make it an element of an array: `WITH OUTPUT all: ARRAY T OF U (|| (i: T): \
                     RENAME {name} TO all[i] IN m)`"
                );
                self.report(Diagnostic::error("bad-composition", shared.span, text).help(help));
                return None;
            }
            let mut shared = shared.clone();
            if shared.class == Class::Local {
                shared.ty = Type::Array(Rc::new((Rc::clone(index), shared.ty)));
                if shared.ty.depth() > limits::LEVELS {
                    let text = "a local variable is an array of too many levels";
                    self.report(Diagnostic::error("too-deep", shared.span, text));
                    return None;
                }
            }
            interface.push(shared);
        }
        Some(interface)
    }

    /// `LOCAL x IN m`, `OUTPUT x IN m`
    fn reclassed(
        &mut self,
        mut tree: Tree,
        names: &[Name],
        class: Class,
        span: Span,
    ) -> Option<Tree> {
        let mut interface = std::mem::take(&mut tree.interface);
        for name in names {
            let found = interface.iter_mut().find(|shared| shared.name == name.id);
            let is_right = found.as_ref().is_some_and(|shared| match class {
                Class::Local => matches!(shared.class, Class::Output | Class::Global),
                _ => shared.class == Class::Global,
            });
            match found {
                Some(shared) if is_right => shared.class = class,
                _ => {
                    let wanted = match class {
                        Class::Local => "not an output or global variable",
                        _ => "not a global variable",
                    };
                    let text = format!("`{}` is {wanted} of this module", self.text(name.id));
                    self.report(Diagnostic::error("bad-composition", name.span, text));
                    return None;
                }
            }
        }
        tree.interface = interface.clone();
        Some(Tree { kind: TreeKind::Same(Box::new(tree)), interface, span })
    }

    /// `RENAME x TO y IN m`
    fn renamed(
        &mut self,
        tree: Tree,
        pairs: &[(Lhs, Lhs)],
        place: &Place,
        span: Span,
    ) -> Option<Tree> {
        let mut interface = tree.interface.clone();
        interface.retain(|shared| pairs.iter().all(|(from, _)| from.name.id != shared.name));
        let mut renamed: Vec<(NameId, Lhs, Place)> = Vec::new();
        for (from, to) in pairs {
            if renamed.iter().any(|(name, ..)| *name == from.name.id) {
                let text = format!("`{}` is renamed twice", self.text(from.name.id));
                self.report(Diagnostic::error("bad-composition", from.span, text));
                return None;
            }
            let known = tree.interface.iter().find(|shared| shared.name == from.name.id);
            let Some(known) = known.filter(|_| from.path.is_empty()) else {
                let text =
                    format!("`{}` is not a variable of this module", self.text(from.name.id));
                let help = "whole variables of the module are renamed";
                self.report(Diagnostic::error("bad-composition", from.span, text).help(help));
                return None;
            };
            let known = known.clone();
            if !to.path.is_empty() && known.class == Class::Global {
                let text = "a global variable can't become a part of another variable";
                self.report(Diagnostic::error("bad-composition", to.span, text));
                return None;
            }
            if to.path.is_empty() {
                interface.push(Shared { name: to.name.id, span: to.span, ..known });
            }
            renamed.push((from.name.id, to.clone(), place.clone()));
        }
        let mut seen: FxHashMap<NameId, Span> = FxHashMap::default();
        for shared in &interface {
            if let Some(before) = seen.insert(shared.name, shared.span) {
                let text = format!("the module has two variables `{}` now", self.text(shared.name));
                let error = Diagnostic::error("bad-composition", shared.span, text);
                self.report(error.label(before, "the other one is this"));
                return None;
            }
        }
        Some(Tree { kind: TreeKind::Renamed(renamed, Box::new(tree)), interface, span })
    }

    /// `WITH OUTPUT x: T m`
    fn with_vars(&mut self, tree: Tree, added: Vec<Shared>, span: Span) -> Option<Tree> {
        let mut interface = tree.interface.clone();
        for shared in added {
            match interface.iter_mut().find(|known| known.name == shared.name) {
                // What the module calls so by renaming is this one.
                Some(known) if is_same(&known.ty, &shared.ty) => *known = shared,
                Some(known) => {
                    let before = known.span;
                    let text = format!("`{}` has another type inside", self.text(shared.name));
                    let error = Diagnostic::error("type-mismatch", shared.span, text);
                    self.report(error.label(before, "declared here"));
                    return None;
                }
                None => interface.push(shared),
            }
        }
        Some(Tree { kind: TreeKind::Same(Box::new(tree)), interface, span })
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
    fn deeper(&self) -> At {
        At { depth: self.depth + 1, ..self.clone() }
    }
}

impl Part {
    /// Has it a variable of this name?
    fn has(&self, name: NameId) -> bool {
        self.tree.interface.iter().any(|shared| shared.name == name)
    }
}

/// The class of a variable that two modules share, or why they can't.
fn shared_class(movement: Movement, own: Class, other: Class) -> Result<Class, &'static str> {
    match (own, other) {
        (Class::Local, _) | (_, Class::Local) => {
            Err("is local to one of these modules and visible in the other")
        }
        (Class::Input, class) | (class, Class::Input) => Ok(class),
        (Class::Global, Class::Global) if movement == Movement::Async => Ok(Class::Global),
        (Class::Global, Class::Global) => Err("is global in two modules that move together"),
        _ => Err("is controlled by two modules"),
    }
}

/// Names the base modules below after the value that tells this part from its neighbours.
fn relabel(tree: &mut Tree, shown: &str, alone: &str) {
    match &mut tree.kind {
        TreeKind::Base(_, _, label) if label.is_empty() => *label = alone.into(),
        TreeKind::Base(_, _, label) => {
            let own = in_brackets(shown);
            if !label.ends_with(&own) {
                label.push_str(&own);
            }
        }
        TreeKind::Composed(_, parts) => {
            parts.iter_mut().for_each(|part| relabel(&mut part.tree, shown, alone));
        }
        TreeKind::Renamed(_, inner) | TreeKind::Same(inner) => relabel(inner, shown, alone),
    }
}

fn in_brackets(actuals: &str) -> String {
    match actuals {
        "" => String::new(),
        _ => format!("[{actuals}]"),
    }
}
