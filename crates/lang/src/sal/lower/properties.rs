//! Theorems about the chosen module.

use trapline_model::{
    BinaryOp, Clause, Expr, ExprId, Formula, Property, PropertyKind, Type as ExprType, UnaryOp,
};
use trapline_source::{Diagnostic, Span};

use super::Lowerer;
use super::modules::Main;
use super::term::Place;
use crate::sal::syntax::{Claim, Decl, DeclKind, ModuleId, ModuleKind};

impl Lowerer<'_> {
    /// Adds the theorems that are about the chosen module.
    pub(super) fn properties(&mut self, main: &Main, place: &Place) {
        let outer = Place::of(main.context);
        let context = self.context(&outer);
        let mut others: Vec<(Span, String)> = Vec::new();
        for decl in &context.decls {
            let DeclKind::Assertion { module, claim } = &decl.kind else { continue };
            if main.theorem.is_some_and(|theorem| theorem != decl.name.id) {
                continue;
            }
            let is_meant = main.theorem.is_some() || self.is_about(*module, main, &outer);
            if !is_meant {
                others.push((decl.name.span, self.text(decl.name.id).to_string()));
                continue;
            }
            match claim {
                Claim::Holds(node) => {
                    let property = self.property(decl, *node, place, main);
                    self.model.properties.extend(property);
                }
                Claim::Implements(other) => self.model.properties.push(Property {
                    kind: PropertyKind::Invar,
                    name: Some(self.text(decl.name.id).to_string()),
                    formula: Formula::Unsupported(
                        "`IMPLEMENTS` is not supported: state what is to hold as a formula",
                    ),
                    instance: None,
                    span: decl.name.span.to(context.module(*other).span),
                }),
            }
        }
        self.model.properties.sort_by_key(|property| property.kind);
        let Some((span, first)) = others.first().cloned() else { return };
        let text = match others.len() {
            1 => format!("`{first}` is about another module than `{}`", main.name),
            n => {
                format!("`{first}` and {} more are about other modules than `{}`", n - 1, main.name)
            }
        };
        let help = "choose that module, or the theorem itself, with --main";
        self.report(Diagnostic::warning("other-module", span, text).help(help));
    }

    /// Is a theorem about the chosen module?
    fn is_about(&mut self, module: ModuleId, main: &Main, place: &Place) -> bool {
        let context = self.context(place);
        let is_named = matches!(context.module(module).kind, ModuleKind::Instance { .. });
        if !is_named || main.key.is_none() {
            return false;
        }
        self.instance_at(module, place).is_some_and(|(key, _)| Some(key) == main.key)
    }

    fn property(
        &mut self,
        decl: &Decl,
        node: crate::sal::syntax::NodeId,
        place: &Place,
        main: &Main,
    ) -> Option<Property> {
        let mut place = place.clone();
        place.instance = main.context;
        (self.in_formula, self.logics) = (true, (false, false));
        let term = self.eval(node, &place, false);
        self.in_formula = false;
        let expr = self.as_condition(&term, &place, node)?;
        let span = self.span(&place, node);
        let (kind, expr) = self.classified(expr);
        Some(Property {
            kind,
            name: Some(self.text(decl.name.id).to_string()),
            formula: Formula::Holds(Clause::unwritten(expr, span)),
            instance: None,
            span: decl.span,
        })
    }

    /// The logic of a formula: what always holds is an invariant, also in states that lead nowhere.
    pub(super) fn classified(&mut self, expr: ExprId) -> (PropertyKind, ExprId) {
        // Several invariants, one of which may stand for many: `FORALL (i: T): G(p(i))`.
        let parts = self.model.exprs.chain(BinaryOp::And, expr);
        let inner = parts.iter().map(|part| match self.model.exprs.get(*part) {
            Expr::Unary(UnaryOp::G | UnaryOp::Ag, inner)
                if self.model.exprs.ty(inner) != ExprType::Temporal =>
            {
                Some(inner)
            }
            _ => None,
        });
        match inner.collect::<Option<Vec<ExprId>>>() {
            Some(inner) => (PropertyKind::Invar, self.conjunction(inner)),
            None if self.logics.1 => (PropertyKind::Ctl, expr),
            None => (PropertyKind::Ltl, expr),
        }
    }
}
