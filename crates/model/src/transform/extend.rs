//! Adding to a model: variables, definitions, rules and properties behind its own.
//!
//! Additions get fresh names, and no span. Existing ids are stable, so that expressions, targets
//! and traces of the old model keep their meaning in the new one.

use std::ops::{Deref, DerefMut};

use trapline_source::Span;

use super::Lift;
use crate::expr::{DefineId, ExprId, Reads, VarId};
use crate::model::{
    Assign, AssignKind, AssignPart, Clause, Constraint, ConstraintKind, Define, Formula, Model,
    Property, PropertyKind, Role, Var, VarKind,
};
use crate::name;
use crate::replay::Replayer;
use crate::trace::State;
use crate::types::Domain;

/// A model with more behind what it had of its own.
#[derive(Clone, Debug)]
pub struct Extension {
    model: Model,
    own: Own,
}

/// How much of an extended model is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own {
    /// Number of its variables.
    pub vars: usize,
    /// Number of its assignments.
    pub assigns: usize,
    /// Number of its constraints.
    pub constraints: usize,
}

impl Own {
    /// All of a model.
    pub fn all(model: &Model) -> Own {
        Own {
            vars: model.vars.len(),
            assigns: model.assigns.len(),
            constraints: model.constraints.len(),
        }
    }
}

impl Extension {
    /// Everything that the model has is its own.
    pub fn new(model: Model) -> Extension {
        Extension { own: Own::all(&model), model }
    }

    /// How much is its own.
    pub fn own(&self) -> Own {
        self.own
    }

    /// How many variables were added.
    pub fn n_added(&self) -> usize {
        self.model.vars.len() - self.own.vars
    }

    /// Is there a variable that was added?
    pub fn has_added(&self) -> bool {
        self.n_added() > 0
    }

    /// Was this variable added?
    pub fn is_added(&self, var: VarId) -> bool {
        var.0 as usize >= self.own.vars
    }

    /// The lift to the model before the extension.
    pub fn back(&self) -> Lift {
        Lift::First(self.own.vars)
    }

    /// Replays traces on the model before anything was added.
    pub fn before(&self) -> Replayer<'_> {
        Replayer::of_part(&self.model, self.own)
    }

    /// A state of the model before, with room for what was added.
    pub fn widen(&self, state: &mut State) {
        state.values.resize(self.model.vars.len(), None);
    }

    /// The model with all that was added.
    pub fn into_model(self) -> Model {
        self.model
    }
}

impl Deref for Extension {
    type Target = Model;

    fn deref(&self) -> &Model {
        &self.model
    }
}

impl DerefMut for Extension {
    fn deref_mut(&mut self) -> &mut Model {
        &mut self.model
    }
}

impl Model {
    /// A fresh identifier with this prefix.
    pub fn fresh_name(&self, wanted: &str) -> String {
        let base: String =
            wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let is_free = |name: &str| {
            let used = |other: &str| name::first_word(other) == name;
            !self.vars.iter().any(|var| used(&var.name))
                && !self.defines.iter().any(|define| used(&define.name))
                && self.symbols.find(name).is_none()
        };
        let mut name = base.clone();
        // Every variable that is added makes the next number larger, so that few are tried.
        let mut number = self.vars.len();
        while !is_free(&name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }

    /// A name for an internal variable: no language can write it, so that it is fresh without a
    /// check.
    pub fn hidden_name(&self, what: &str) -> String {
        format!("({what} {})", self.vars.len())
    }

    /// Adds a variable, under a name that nothing else has.
    pub fn declare(&mut self, var: Var) -> VarId {
        self.vars.push(var);
        VarId(self.vars.len() as u32 - 1)
    }

    /// Adds an internal variable.
    pub fn add_var(&mut self, name: String, kind: VarKind, domain: Domain, span: Span) -> VarId {
        self.declare(Var { name, kind, domain, role: Role::Internal, timing: None, span })
    }

    /// Adds an internal definition, under a fresh name with this prefix.
    pub fn add_define(&mut self, name: &str, expr: ExprId, span: Span) -> DefineId {
        let (name, body) = (self.fresh_name(name), Clause::unwritten(expr, span));
        self.defines.push(Define { name, body, role: Role::Internal });
        DefineId(self.defines.len() as u32 - 1)
    }

    /// Adds a variable that watches the model: it has a first value and a value after each step,
    /// and so changes nothing.
    pub fn add_monitor(
        &mut self,
        name: &str,
        domain: Domain,
        span: Span,
        values: impl FnOnce(&mut Model, ExprId) -> (ExprId, ExprId),
    ) -> VarId {
        let name = self.fresh_name(name);
        let var = self.add_var(name, VarKind::State, domain, span);
        let read = self.var_expr(var);
        let (first, next) = values(self, read);
        self.assign(AssignKind::Init, var, first, span);
        self.assign(AssignKind::Next, var, next, span);
        var
    }

    /// Adds a derived assignment.
    pub fn assign(&mut self, kind: AssignKind, var: VarId, expr: ExprId, span: Span) {
        let body = Clause::unwritten(expr, span);
        let part = AssignPart { body, when: None, target_span: span };
        self.assigns.push(Assign { kind, var, expr, parts: vec![part] });
    }

    /// Adds a derived constraint.
    pub fn constrain(&mut self, kind: ConstraintKind, expr: ExprId, span: Span) {
        self.constraints.push(Constraint { kind, body: Clause::unwritten(expr, span) });
    }

    /// Says something of all states, or of all steps if it reads inputs or the next state. Every
    /// path of the new model is one of the old.
    pub fn require(&mut self, expr: ExprId, span: Span) {
        let kind = match self.exprs.info(expr).reads.any(Reads::STEP) {
            true => ConstraintKind::Trans,
            false => ConstraintKind::Invar,
        };
        self.constrain(kind, expr, span);
    }

    /// Takes every step away: only initial states are left.
    pub fn forbid_steps(&mut self) {
        let never = self.exprs.bool(false);
        self.constrain(ConstraintKind::Trans, never, Span::default());
    }

    /// Says that something holds infinitely often on every fair path.
    pub fn add_justice(&mut self, expr: ExprId, span: Span) {
        self.justice.push(Clause::unwritten(expr, span));
    }

    /// Adds a derived property.
    pub fn add_property(&mut self, kind: PropertyKind, name: Option<String>, formula: Formula) {
        let span = Span::default();
        self.properties.push(Property { kind, name, formula, instance: None, span });
    }
}
