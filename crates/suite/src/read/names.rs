//! Resolves the names in a suite, and stores their values.

use rustc_hash::FxHashMap;
use trapline_model::{Array, DefineId, GroupId, Model, Value, VarId};

use super::error::Wrong;
use super::value::{self, Kind};
use super::{At, PartialState, Reader};

/// What a name denotes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named<'m> {
    One(Entity),
    /// An array of variables or definitions, the first of them, and how to go on from it.
    Array(&'m Array, fn(u32) -> Entity),
}

/// What has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Entity {
    Var(VarId),
    Define(DefineId),
    /// Which command was taken.
    Command(VarId, GroupId),
}

/// All names of a model.
pub(super) struct Names<'m>(FxHashMap<&'m str, Named<'m>>);

impl<'m> Names<'m> {
    pub(super) fn new(model: &'m Model) -> Names<'m> {
        let mut names = FxHashMap::default();
        let of_var: fn(u32) -> Entity = |idx| Entity::Var(VarId(idx));
        let of_define: fn(u32) -> Entity = |idx| Entity::Define(DefineId(idx));
        for (arrays, of) in [(&model.arrays, of_var), (&model.define_arrays, of_define)] {
            names.extend(arrays.iter().map(|a| (a.name.as_str(), Named::Array(a, of))));
        }
        let defines = model.defines.iter().zip(0..);
        names.extend(defines.map(|(d, idx)| (d.name.as_str(), Named::One(of_define(idx)))));
        let vars = model.vars.iter().zip(0..);
        names.extend(vars.map(|(v, idx)| (v.name.as_str(), Named::One(of_var(idx)))));
        if let Some((var, group)) = model.command() {
            names.insert("command", Named::One(Entity::Command(var, group)));
        }
        Names(names)
    }

    pub(super) fn find(&self, name: &str) -> Option<Named<'m>> {
        self.0.get(name).copied()
    }
}

impl Reader<'_> {
    /// Notes the value of a variable or definition that a text gives under its full name.
    pub(super) fn set_named(
        &mut self,
        state: &mut PartialState,
        name: &str,
        text: &str,
        at: At<'_>,
    ) {
        match self.names.find(name) {
            Some(Named::One(target)) => self.set(state, target, text, at),
            Some(Named::Array(..)) => {
                let expected = "an array: its elements have values of their own".into();
                let (name, given) = (name.into(), text.into());
                self.wrong(at, Wrong::Value { name, given, expected });
            }
            None => self.wrong(at, Wrong::UnknownName(name.into())),
        }
    }

    /// Notes a value.
    pub(super) fn set(&mut self, state: &mut PartialState, target: Entity, text: &str, at: At<'_>) {
        let kind = self.kind(target);
        let value = match target {
            Entity::Command(var, group) => self
                .model
                .group(group)
                .find(text)
                .map(|idx| self.model.var(var).domain.value(idx as u64)),
            Entity::Var(_) | Entity::Define(_) => value::parse(self.model, kind, text),
        };
        match value {
            Some(value) => self.note(state, target, value, at),
            None => {
                let expected = value::describe(self.model, kind);
                let (name, given) = (self.name(target).into(), shortened(text));
                self.wrong(at, Wrong::Value { name, given, expected });
            }
        }
    }

    fn note(&mut self, state: &mut PartialState, target: Entity, value: Value, at: At<'_>) {
        let old = match target {
            Entity::Var(var) | Entity::Command(var, _) => state.vars[var.0 as usize].replace(value),
            Entity::Define(define) => {
                let old = state.defines.iter().find(|(known, _)| *known == define);
                let old = old.map(|(_, value)| *value);
                if old.is_none() {
                    state.defines.push((define, value));
                }
                old
            }
        };
        if old.is_some_and(|old| old != value) {
            self.wrong(at, Wrong::Twice(self.name(target).into()));
        }
    }

    pub(super) fn kind(&self, target: Entity) -> Kind<'_> {
        match target {
            Entity::Var(var) | Entity::Command(var, _) => Kind::Of(&self.model.var(var).domain),
            Entity::Define(define) => {
                Kind::Typed(self.model.exprs.ty(self.model.define(define).body.expr))
            }
        }
    }

    pub(super) fn name(&self, target: Entity) -> &str {
        match target {
            Entity::Var(var) => &self.model.var(var).name,
            Entity::Command(..) => "command",
            Entity::Define(define) => &self.model.define(define).name,
        }
    }
}

/// A text that fits into a message.
pub(crate) fn shortened(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into(),
    }
}
