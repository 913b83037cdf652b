//! `x IN S`: a value that is one of several.

use trapline_model::{BinaryOp, Clause, Domain, Expr, ExprId, Value, VarId};
use trapline_source::{Diagnostic, Span};

use super::Lowerer;
use super::sections::{Effect, Gift, Simple};
use super::targets::{Location, Section, Target};
use super::term::{SetTerm, Term, Type};
use crate::sal::syntax::Op;

impl Lowerer<'_> {
    /// What `lhs IN set` does.
    pub(super) fn chosen_effect(
        &mut self,
        simple: &Simple<'_>,
        target: &Target,
        section: Section,
    ) -> Option<Effect> {
        let span = self.span(&simple.place, simple.value);
        let [location] = target.locations.as_slice() else {
            let text = "the index of an element on the left of `IN` can't depend on the state";
            let help = "choose the value of an auxiliary variable, and assign that";
            self.report(Diagnostic::error("unsupported", simple.lhs.span, text).help(help));
            return None;
        };
        let given = match section {
            Section::Transition => {
                let exprs = &mut self.model.exprs;
                location.term.map(&mut |expr| exprs.prime(expr))
            }
            Section::Definition | Section::Initialization => location.term.clone(),
        };
        let context = self.context(&simple.place);
        if let Op::Comprehension(name) = context.node(simple.value).op {
            let operands = context.operands(simple.value);
            let ty = self.type_at(operands[0], &simple.place)?;
            let wanted = self.coerce(&given, &ty, span);
            if wanted.is_poison() {
                return None;
            }
            let place = simple.place.binding([(name.id, wanted.clone())]);
            let body = self.eval(operands[1], &place, false);
            let holds = self.as_condition(&body, &place, operands[1])?;
            return self.any_of_type(&wanted, &ty, holds, (location, simple.lhs.span));
        }
        let start = self.model.occurrences.len();
        let term = self.eval(simple.value, &simple.place, true);
        match &term {
            Term::Set(set) => {
                for (_, member) in &set.members {
                    if self.coerce(member, &target.ty, span).is_poison() {
                        return None;
                    }
                }
                let direct = match set.expr {
                    Some(expr) if self.all_fit(set, location) => {
                        let clause = self.clause_from(start, expr, span);
                        self.scalar_gift(clause, (location, simple.lhs.span))
                    }
                    _ => None,
                };
                match direct {
                    Some(gift) => Some(Effect { gifts: vec![gift], rules: Vec::new() }),
                    None => {
                        self.model.occurrences.truncate(start);
                        let holds = self.is_member(&given, set)?;
                        self.any_of_type(&given, &target.ty, holds, (location, simple.lhs.span))
                    }
                }
            }
            Term::Function(_) | Term::Array(_) => {
                self.model.occurrences.truncate(start);
                let holds = match &term {
                    Term::Array(array) => self.element_at(array, &given, span),
                    function => self.applied(function, given.clone(), span),
                };
                let holds = self.as_condition(&holds, &simple.place, simple.value)?;
                let ty = self.domain_of(&term).unwrap_or_else(|| target.ty.clone());
                self.any_of_type(&given, &ty, holds, (location, simple.lhs.span))
            }
            Term::Type(ty) => {
                self.model.occurrences.truncate(start);
                let always = self.model.exprs.bool(true);
                self.any_of_type(&given, &ty.clone(), always, (location, simple.lhs.span))
            }
            Term::Poison => None,
            other => {
                let text = format!("`IN` takes a set, and this is {}", self.describe(other));
                let help = "for a single value write `=`";
                self.report(Diagnostic::error("type-mismatch", span, text).help(help));
                None
            }
        }
    }

    /// Is every member of a set one of the values of a scalar, whatever the state is?
    fn all_fit(&mut self, set: &SetTerm, location: &Location) -> bool {
        let leaf = location.term.as_scalar().map(|scalar| self.model.exprs.get(scalar.expr));
        let Some(Expr::Var(var)) = leaf else { return false };
        let domain = self.model.var(var).domain.clone();
        set.members.iter().all(|(_, member)| {
            member.as_scalar().is_some_and(|scalar| self.fits(scalar.expr, &domain).is_none())
        })
    }

    /// A scalar with a set that its value is taken from.
    fn scalar_gift(
        &self,
        value: Clause,
        (location, target_span): (&Location, Span),
    ) -> Option<Gift> {
        let Expr::Var(var) = self.model.exprs.get(location.term.as_scalar()?.expr) else {
            return None;
        };
        let only_if = location.only_if;
        Some(Gift { var, value, only_if, fits: None, target_span })
    }

    /// Any value of a type for which something holds.
    fn any_of_type(
        &mut self,
        given: &Term,
        ty: &Type,
        holds: ExprId,
        (location, target_span): (&Location, Span),
    ) -> Option<Effect> {
        let mut effect = Effect::default();
        for leaf in location.term.leaves()? {
            let Expr::Var(var) = self.model.exprs.get(leaf.expr) else { continue };
            let Some(set) = self.all_values(var) else {
                let text = "`IN` can't choose among infinitely many values";
                self.report(Diagnostic::error("unsupported", target_span, text));
                return None;
            };
            let value = Clause::unwritten(set, target_span);
            effect.gifts.push(Gift { var, value, only_if: None, fits: None, target_span });
        }
        if let ([gift], Some(set)) = (effect.gifts.as_mut_slice(), self.set_of_type(ty))
            && self.model.exprs.is_true(holds)
            && self.fits(set, &self.model.var(gift.var).domain.clone()).is_none()
        {
            gift.value = Clause::unwritten(set, target_span);
            return Some(effect);
        }
        let rule = match self.in_type(given, ty, target_span) {
            Some(is_in) => self.model.exprs.and(is_in, holds),
            None => holds,
        };
        if !self.model.exprs.is_true(rule) {
            effect.rules.push(rule);
        }
        Some(effect)
    }

    fn set_of_type(&mut self, ty: &Type) -> Option<ExprId> {
        let domain = self.domain(ty)?;
        let has_predicate = matches!(ty, Type::Refined(refined) if refined.members.is_none());
        if has_predicate { None } else { self.set_of(&domain) }
    }

    /// The set of all values of a variable, if there is an end of them.
    fn all_values(&mut self, var: VarId) -> Option<ExprId> {
        let domain = self.model.var(var).domain.clone();
        self.set_of(&domain)
    }

    fn set_of(&mut self, domain: &Domain) -> Option<ExprId> {
        let exprs = &mut self.model.exprs;
        let values: Vec<Value> = match domain {
            Domain::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Domain::Range(lo, hi) if lo == hi => vec![Value::Int(*lo)],
            Domain::Range(lo, hi) => return Some(exprs.range(*lo, *hi)),
            Domain::Enum(values) => values.to_vec(),
            _ => return None,
        };
        let mut values = values.into_iter().map(|value| exprs.value(value)).collect::<Vec<_>>();
        let mut set = values.pop()?;
        while let Some(value) = values.pop() {
            set = exprs.add(Expr::Binary(BinaryOp::Union, value, set));
        }
        Some(set)
    }

    /// The type of what a predicate is applied to.
    fn domain_of(&mut self, predicate: &Term) -> Option<Type> {
        match predicate {
            Term::Array(array) => Some(array.index.ty.clone()),
            Term::Function(closure) => {
                let params = closure.params.iter();
                let types: Option<Vec<Type>> =
                    params.map(|(_, ty)| self.type_at(*ty, &closure.place)).collect();
                match types?.as_slice() {
                    [one] => Some(one.clone()),
                    several => Some(Type::Tuple(several.into())),
                }
            }
            _ => None,
        }
    }
}
