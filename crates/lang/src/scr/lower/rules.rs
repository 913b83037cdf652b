//! How the environment moves, and what is to be proved.

use trapline_model::{
    Clause, Constraint, ConstraintKind, ExprId, Formula, Property, PropertyKind, Reads, Type, VarId,
};
use trapline_source::{Diagnostic, Span};

use super::Lowerer;
use super::expression::Place;
use crate::scr::syntax::Inputs;

impl Lowerer<'_, '_> {
    pub(super) fn environment(&mut self) {
        let inputs: Vec<VarId> =
            self.model.var_ids().map(|(var, _)| var).filter(|&var| self.is_input(var)).collect();
        let first = self.spec.variables.first().map_or(Span::default(), |v| v.name.span);
        if let Some(expr) = self.changes(&inputs) {
            let body = Clause { expr, occ: None, span: first };
            self.model.constraints.push(Constraint { kind: ConstraintKind::Trans, body });
        }
        for rule in &self.spec.assumptions {
            let Some(clause) = self.condition(rule.body, Place::Step) else { continue };
            let is_step = self.model.exprs.info(clause.expr).reads.any(Reads::STEP);
            let kind = if is_step { ConstraintKind::Trans } else { ConstraintKind::Invar };
            let body = Clause { span: rule.span, ..clause };
            self.model.constraints.push(Constraint { kind, body });
        }
    }

    /// How many inputs change in a step; nothing if that does not matter.
    fn changes(&mut self, inputs: &[VarId]) -> Option<ExprId> {
        let options = self.spec.options;
        let changed: Vec<ExprId> = inputs.iter().map(|&var| self.is_changed(var)).collect();
        let exprs = &mut self.model.exprs;
        if options.inputs == Inputs::Any {
            return (!options.stutter && !inputs.is_empty()).then(|| exprs.any(changed));
        }
        // What is before an input and behind it stays; these parts are shared.
        let yes = exprs.bool(true);
        let mut behind = vec![yes];
        for &changed in changed.iter().rev() {
            let stays = exprs.not(changed);
            let rest = behind[behind.len() - 1];
            behind.push(exprs.and(stays, rest));
        }
        behind.reverse();
        let mut before = yes;
        let mut one = if options.stutter { behind[0] } else { exprs.bool(false) };
        for (idx, &changed) in changed.iter().enumerate() {
            let others = exprs.and(before, behind[idx + 1]);
            let alone = exprs.and(changed, others);
            one = exprs.or(one, alone);
            let stays = exprs.not(changed);
            before = exprs.and(before, stays);
        }
        (!inputs.is_empty()).then_some(one)
    }

    /// That a variable has another value after the step.
    pub(super) fn is_changed(&mut self, var: VarId) -> ExprId {
        let old = self.model.var_expr(var);
        let new = self.model.exprs.prime(old);
        self.model.exprs.binary(trapline_model::BinaryOp::Ne, new, old)
    }

    pub(super) fn properties(&mut self) {
        let mut properties: Vec<Property> = Vec::new();
        for property in &self.spec.properties {
            let place = match property.kind {
                PropertyKind::Invar => Place::Step,
                _ => Place::Formula,
            };
            let Some(clause) = self.condition(property.body, place) else { continue };
            let name = property.name.map(|name| self.name(name).to_string());
            if properties.iter().any(|known| name.is_some() && known.name == name) {
                let span = property.name.map_or(property.span, |name| name.span);
                let message = format!("two properties are called `{}`", name.unwrap_or_default());
                let error = Diagnostic::error("declared-twice", span, message);
                self.error(error.help("give one another name"));
                continue;
            }
            // A formula without temporal operators is about the initial states, which no assertion means.
            let formula = Formula::Holds(clause);
            let (kind, span) = (property.kind, property.span);
            let is_formula = self.model.exprs.ty(clause.expr) == Type::Temporal;
            if kind != PropertyKind::Invar && !is_formula {
                let message =
                    "this has no temporal operator, so it speaks of the initial state only";
                let help = "write AG or G before it, or put it into ASSERT";
                let warning = Diagnostic::warning("no-temporal-operator", span, message);
                self.error(warning.help(help));
            }
            properties.push(Property { kind, name, formula, instance: None, span });
        }
        properties.sort_by_key(|property| property.kind);
        self.model.properties = properties;
    }
}
