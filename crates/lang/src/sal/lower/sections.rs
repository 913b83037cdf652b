//! Definitions: which variables of the model are given which values, and what must hold for that.

use trapline_model::{Clause, Expr, ExprId, VarId};
use trapline_source::{Diagnostic, Span};

use super::Lowerer;
use super::bind::BaseModule;
use super::targets::{Location, Section};
use super::term::{Place, Term};
use crate::sal::syntax::{Definition, Lhs, NodeId, Op};

/// A definition for one choice of what it ranges over.
#[derive(Debug)]
pub(super) struct Simple<'c> {
    pub lhs: &'c Lhs,
    pub is_in: bool,
    pub value: NodeId,
    pub place: Place,
}

/// What a definition does.
#[derive(Debug, Default)]
pub(super) struct Effect {
    /// The scalars that are given values.
    pub gifts: Vec<Gift>,
    /// What else must hold afterwards: that a value is in a set which is no expression of the model.
    pub rules: Vec<ExprId>,
}

/// A scalar that is given a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gift {
    /// The scalar.
    pub var: VarId,
    /// Its value, or a set that contains it.
    pub value: Clause,
    /// When it is given one. `None`: always.
    pub only_if: Option<ExprId>,
    /// What must hold for the value to be one of the variable's. `None`: it always is.
    pub fits: Option<ExprId>,
    /// The left-hand side.
    pub target_span: Span,
}

impl Lowerer<'_> {
    /// Definitions one by one, those that range over types for each value.
    pub(super) fn simple<'c>(
        &mut self,
        definitions: &'c [Definition],
        place: &Place,
    ) -> Vec<Simple<'c>> {
        let mut all = Vec::new();
        let mut stack: Vec<(&'c Definition, Place)> =
            definitions.iter().rev().map(|definition| (definition, place.clone())).collect();
        while let Some((definition, place)) = stack.pop() {
            match definition {
                Definition::Simple { lhs, is_in, value, .. } => {
                    all.push(Simple { lhs, is_in: *is_in, value: *value, place });
                }
                Definition::Forall { vars, body, .. } => {
                    let Some(choices) = self.choices(vars, &place) else { continue };
                    for (place, _) in choices.into_iter().rev() {
                        let inner = body.iter().rev();
                        stack.extend(inner.map(|definition| (definition, place.clone())));
                    }
                }
            }
        }
        all
    }

    /// What the definitions of a section or of a command do.
    pub(super) fn effects(
        &mut self,
        definitions: &[Definition],
        base: &BaseModule,
        place: &Place,
        section: Section,
    ) -> Vec<Effect> {
        let mut effects = Vec::new();
        for simple in self.simple(definitions, place) {
            self.may_prime = section == Section::Transition;
            let effect = self.effect(&simple, base, section);
            self.may_prime = false;
            effects.extend(effect);
        }
        self.check_twice(&effects);
        effects
    }

    fn effect(
        &mut self,
        simple: &Simple<'_>,
        base: &BaseModule,
        section: Section,
    ) -> Option<Effect> {
        let target = self.target(simple.lhs, base, &simple.place, section)?;
        if simple.is_in {
            return self.chosen_effect(simple, &target, section);
        }
        if self.mentions_itself(simple, section) {
            return None;
        }
        let start = self.model.occurrences.len();
        let is_scalar = self.domain(&target.ty).is_some();
        let term = self.eval(simple.value, &simple.place, is_scalar);
        let span = self.span(&simple.place, simple.value);
        let value = self.coerce(&term, &target.ty, span);
        let Some(leaves) = value.leaves() else {
            self.model.occurrences.truncate(start);
            return None;
        };
        if leaves
            .iter()
            .any(|leaf| self.model.exprs.ty(leaf.expr) == trapline_model::Type::Temporal)
        {
            return None;
        }
        let rule = self.refinement(&value, &target.ty, span);
        let mut effect = Effect::default();
        for location in &target.locations {
            let Some(own) = location.term.leaves() else { continue };
            for (leaf, value) in own.iter().zip(&leaves) {
                let clause = self.clause_from(start, value.expr, span);
                effect.gifts.extend(self.gift(leaf.expr, clause, location, simple.lhs.span));
            }
            if let Some(rule) = rule {
                effect.rules.push(self.only_if(location, rule));
            }
        }
        Some(effect)
    }

    /// Does the value of a whole variable mention that variable in the same state? That is reported.
    /// Wider circles are constraints.
    fn mentions_itself(&mut self, simple: &Simple<'_>, section: Section) -> bool {
        let (name, is_step) = (simple.lhs.name.id, section == Section::Transition);
        let context = self.context(&simple.place);
        let mut stack = vec![simple.value];
        let mut found = None;
        while let Some(node) = stack.pop().filter(|_| simple.lhs.path.is_empty()) {
            match context.node(node).op {
                Op::Primed(id) if is_step && id == name => found = Some(node),
                Op::Name(id) if !is_step && id == name => found = Some(node),
                _ => stack.extend(context.operands(node)),
            }
        }
        if found.is_some() {
            let name = self.text(name).to_string();
            let (shown, help) = match is_step {
                true => (format!("{name}'"), format!("read the value before the step: `{name}`")),
                false => {
                    let help = "values that fulfil a condition are chosen by `x IN {v: T | ...}`";
                    (name, help.to_string())
                }
            };
            let text = format!("`{shown}` is given a value that depends on `{shown}` itself");
            let error = Diagnostic::error("circular-assignment", simple.lhs.span, text);
            self.report(error.help(help));
        }
        found.is_some()
    }

    /// What must hold of a value for it to be in a type beyond what its scalars tell.
    fn refinement(&mut self, value: &Term, ty: &super::term::Type, span: Span) -> Option<ExprId> {
        match ty {
            super::term::Type::Refined(refined) if refined.members.is_none() => {
                self.in_type(value, ty, span)
            }
            _ => None,
        }
    }

    fn only_if(&mut self, location: &Location, rule: ExprId) -> ExprId {
        match location.only_if {
            Some(only_if) => self.model.exprs.implies(only_if, rule),
            None => rule,
        }
    }

    /// A scalar with the value that it is given.
    pub(super) fn gift(
        &mut self,
        leaf: ExprId,
        value: Clause,
        location: &Location,
        target_span: Span,
    ) -> Option<Gift> {
        let Expr::Var(var) = self.model.exprs.get(leaf) else { return None };
        let domain = self.model.var(var).domain.clone();
        let fits = self.fits(value.expr, &domain);
        let fits = fits.filter(|fits| !self.model.exprs.is_true(*fits));
        Some(Gift { var, value, only_if: location.only_if, fits, target_span })
    }

    /// Reports what is given two values at once.
    fn check_twice(&mut self, effects: &[Effect]) {
        let mut seen: rustc_hash::FxHashMap<VarId, (usize, Span)> =
            rustc_hash::FxHashMap::default();
        let mut reported: Vec<Span> = Vec::new();
        for (idx, effect) in effects.iter().enumerate() {
            for gift in &effect.gifts {
                let known = seen.entry(gift.var).or_insert((idx, gift.target_span));
                let (first, before) = *known;
                if first == idx || reported.contains(&gift.target_span) {
                    continue;
                }
                reported.push(gift.target_span);
                let name = self.model.var(gift.var).name.clone();
                let text = match gift.only_if {
                    None => format!("`{name}` is given a value twice"),
                    Some(_) => format!("`{name}` may be given a value twice"),
                };
                let error = Diagnostic::error("assigned-twice", gift.target_span, text);
                let help = "give it one value; several elements of an array are changed together \
                            by `a' = a WITH [i] := x WITH [j] := y`";
                self.report(error.label(before, "the other one is here").help(help));
            }
        }
    }
}
