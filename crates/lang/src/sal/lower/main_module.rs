//! Which module is meant: the one that the user names, or the one that all others are parts of.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_source::Diagnostic;

use super::Lowerer;
use super::modules::{Main, Movement, Tree, TreeKind};
use super::term::{InstanceId, Place};
use crate::sal::syntax::{Context, DeclKind, ModuleId, ModuleKind, NameId};

impl Lowerer<'_> {
    /// The chosen module as a tree: the one that an expression says, or the top one.
    pub(super) fn choose_main(
        &mut self,
        context: Rc<Context>,
        main: Option<ModuleId>,
    ) -> Option<Main> {
        let name = self.text(context.name.id).to_string();
        self.contexts.insert(name, Some(Rc::clone(&context)));
        if let Some(main) = main {
            return self.main_expression(&context, main);
        }
        if !context.params.is_empty() {
            self.no_actuals(&context);
            return None;
        }
        let instance = self.instantiate(Rc::clone(&context), &[], context.name.span)?;
        let decl = self.top_module(&context)?;
        let name = context.decls[decl].name;
        self.own_module(instance, decl, name.id)
    }

    /// Reports that a context needs parameters, and none are given.
    fn no_actuals(&mut self, context: &Context) {
        let name = self.text(context.name.id);
        let text = format!("the context `{name}` has parameters, and no values for them");
        let actuals = vec!["3"; context.params.len()].join(", ");
        let modules = context.decls.iter().rev();
        let mut modules = modules.filter(|decl| matches!(decl.kind, DeclKind::Module { .. }));
        let module = modules.next().map_or("system", |decl| self.text(decl.name.id));
        let help =
            format!("name an instance with --main, as in --main '{name}{{{actuals}}}!{module}'");
        let span = context.name.span;
        self.report(Diagnostic::error("no-main-module", span, text).help(help));
    }

    /// A module of the main context without parameters.
    fn own_module(&mut self, instance: InstanceId, decl: usize, name: NameId) -> Option<Main> {
        let key = super::modules::ModuleKey { instance, decl, actuals: String::new() };
        let body = self.module_body(&key)?;
        let name = self.text(name).to_string();
        let tree = self.tree(body, &Place::of(instance), &name)?;
        let span = self.declared_module(&key).0;
        Some(Main { context: instance, tree, key: Some(key), theorem: None, name, span })
    }

    /// What `--main` says: `system`, `m[3]`, `bakery{5, 15}!system`.
    fn main_expression(&mut self, context: &Rc<Context>, module: ModuleId) -> Option<Main> {
        let span = context.module(module).span;
        let own = context.name.id;
        let outer = match &context.module(module).kind {
            // Its actual parameters stand in no context yet: they are constants.
            ModuleKind::Instance { context: Some(other), .. } if other.name.id == own => {
                let mut empty = (**context).clone();
                empty.params.clear();
                empty.decls.clear();
                let shell = self.instantiate(Rc::new(empty), &[], span)?;
                let place = Place::of(shell);
                let actuals: Vec<_> =
                    other.actuals.iter().map(|&node| self.eval(node, &place, false)).collect();
                if actuals.iter().any(super::term::Term::is_poison) {
                    return None;
                }
                self.instances[shell.0 as usize].actuals = "\u{0}".into();
                self.instantiate(Rc::clone(context), &actuals, span)?
            }
            _ if !context.params.is_empty() => {
                self.no_actuals(context);
                return None;
            }
            _ => self.instantiate(Rc::clone(context), &[], span)?,
        };
        if let ModuleKind::Instance { context: other, name, actuals } = &context.module(module).kind
            && other.as_ref().is_none_or(|other| other.name.id == own)
            && actuals.is_empty()
            && !self.instance(outer).modules.contains_key(&name.id)
            && let Some(theorem) = assertion(context, name.id)
        {
            return self.main_of_theorem(outer, context, theorem);
        }
        let place = Place::of(outer);
        let key = match &context.module(module).kind {
            ModuleKind::Instance { context: Some(other), name, actuals }
                if other.name.id == own && actuals.is_empty() =>
            {
                let (instance, decl) = self.module_named(*name, outer)?;
                Some((super::modules::ModuleKey { instance, decl, actuals: String::new() }, None))
            }
            ModuleKind::Instance { .. } => {
                self.instance_at(module, &place).map(|(key, place)| (key, Some(place)))
            }
            _ => None,
        };
        let (key, inner) = match key {
            Some((key, inner)) => (Some(key), inner),
            None => (None, None),
        };
        let (name, body) = match &key {
            Some(key) => (self.declared_module(key).1, self.module_body(key)?),
            None => ("main".into(), module),
        };
        let place = match (&key, inner) {
            (_, Some(inner)) => inner,
            (Some(key), None) => Place::of(key.instance),
            (None, None) => place,
        };
        let span = key.as_ref().map_or(span, |key| self.declared_module(key).0);
        let tree = self.tree(body, &place, &name)?;
        Some(Main { context: outer, tree, key, theorem: None, name, span })
    }

    /// The module that a theorem is about.
    fn main_of_theorem(
        &mut self,
        instance: InstanceId,
        context: &Rc<Context>,
        decl: usize,
    ) -> Option<Main> {
        let decl = &context.decls[decl];
        let DeclKind::Assertion { module, .. } = &decl.kind else { return None };
        let place = Place::of(instance);
        let tree = self.tree(*module, &place, "")?;
        // What is in the module has the same names as if the module had been chosen.
        let text = match &context.module(*module).kind {
            ModuleKind::Instance { name, .. } => self.text(name.id).to_string(),
            _ => self.text(decl.name.id).to_string(),
        };
        let (theorem, span) = (Some(decl.name.id), decl.name.span);
        Some(Main { context: instance, tree, key: None, theorem, name: text, span })
    }

    /// The module that no other one is made of.
    fn top_module(&mut self, context: &Rc<Context>) -> Option<usize> {
        let modules = context.decls.iter().enumerate();
        let modules: Vec<usize> = modules
            .filter(|(_, decl)| matches!(decl.kind, DeclKind::Module { .. }))
            .map(|(idx, _)| idx)
            .collect();
        let used = parts(context);
        let has_no_params = |&idx: &usize| match &context.decls[idx].kind {
            DeclKind::Module { params, .. } => params.is_empty(),
            _ => false,
        };
        let whole: Vec<usize> = modules.iter().copied().filter(has_no_params).collect();
        let top: Vec<usize> = whole
            .iter()
            .copied()
            .filter(|&idx| !used.contains(&context.decls[idx].name.id))
            .collect();
        let named = |wanted: &str| {
            whole.iter().copied().find(|&idx| self.text(context.decls[idx].name.id) == wanted)
        };
        let chosen = match top.as_slice() {
            [only] => Some(*only),
            [] if whole.len() == 1 => Some(whole[0]),
            _ => named("main").or_else(|| named("system")),
        };
        if chosen.is_some() {
            return chosen;
        }
        let shown = if top.is_empty() { &whole } else { &top };
        let names: Vec<String> = shown
            .iter()
            .map(|&idx| format!("`{}`", self.text(context.decls[idx].name.id)))
            .collect();
        let name = self.text(context.name.id);
        let (text, help) = match (modules.is_empty(), names.is_empty()) {
            (true, _) => (
                format!("the context `{name}` has no modules"),
                "a model is a module: `m: MODULE = BEGIN ... END;`".to_string(),
            ),
            (false, true) => (
                format!("every module of `{name}` has parameters"),
                "name an instance with --main, as in --main 'm[3]'".to_string(),
            ),
            (false, false) => (
                format!("the context `{name}` has several modules"),
                format!("say which one is meant with --main: {}", names.join(", ")),
            ),
        };
        let span = context.name.span;
        self.report(Diagnostic::error("no-main-module", span, text).help(help));
        None
    }

    /// The chosen module together with those that watch it.
    pub(super) fn compose(&mut self, mut main: Main, observers: Vec<Context>) -> Option<Main> {
        for observer in observers {
            let context = Rc::new(observer);
            let name = self.text(context.name.id).to_string();
            self.contexts.insert(name, Some(Rc::clone(&context)));
            let instance = self.instantiate(Rc::clone(&context), &[], context.name.span)?;
            let decl = self.top_module(&context)?;
            let watching = self.own_module(instance, decl, context.decls[decl].name.id)?;
            let span = main.tree.span;
            let interface = main.tree.interface.clone();
            let part = super::modules::Part { tree: main.tree, paths: FxHashMap::default() };
            let (parts, interface) =
                self.join(Movement::Sync, vec![part], interface, watching.tree)?;
            let kind = TreeKind::Composed(Movement::Sync, parts);
            main.tree = Tree { kind, interface, span };
        }
        Some(main)
    }
}

/// The theorem of this name, by its declaration.
fn assertion(context: &Context, name: NameId) -> Option<usize> {
    context
        .decls
        .iter()
        .position(|decl| decl.name.id == name && matches!(decl.kind, DeclKind::Assertion { .. }))
}

/// The modules that others of a context are made of.
fn parts(context: &Context) -> FxHashSet<NameId> {
    let mut used = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut stack: Vec<ModuleId> = Vec::new();
    for decl in &context.decls {
        if let DeclKind::Module { body, .. } = &decl.kind {
            stack.push(*body);
        }
    }
    while let Some(module) = stack.pop() {
        if !seen.insert(module) {
            continue;
        }
        match &context.module(module).kind {
            ModuleKind::Base(_) => {}
            ModuleKind::Instance { context: other, name, .. } => {
                if other.as_ref().is_none_or(|other| other.name.id == context.name.id) {
                    used.insert(name.id);
                }
            }
            ModuleKind::Sync(l, r) | ModuleKind::Async(l, r) | ModuleKind::Observe(l, r) => {
                stack.extend([*l, *r]);
            }
            ModuleKind::MultiSync { body, .. }
            | ModuleKind::MultiAsync { body, .. }
            | ModuleKind::Hide(_, body)
            | ModuleKind::Export(_, body)
            | ModuleKind::Rename(_, body)
            | ModuleKind::With(_, body) => stack.push(*body),
        }
    }
    used
}
