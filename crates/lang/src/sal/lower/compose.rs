//! Modules made of others: what the whole shares with those around it.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use trapline_source::{Diagnostic, Span};

use super::fitting::is_same;
use super::modules::{At, Inside, Movement, Part, Shared, Tree, TreeKind, in_brackets};
use super::term::{Index, Place, Type};
use super::{Lowerer, limits};
use crate::sal::syntax::{Class, Lhs, ModuleId, ModuleKind, Name, NameId, NodeId};

impl Lowerer<'_> {
    /// Parts with `||` or `[]` between them: the same operator throughout.
    pub(super) fn chain(
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
    pub(super) fn multi(
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
    pub(super) fn reclassed(
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
    pub(super) fn renamed(
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
    pub(super) fn with_vars(&mut self, tree: Tree, added: Vec<Shared>, span: Span) -> Option<Tree> {
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
