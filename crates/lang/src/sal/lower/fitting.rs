//! Whether a value is one of a type, and the value as one of it.

use std::rc::Rc;

use trapline_model::{ExprId, Value};
use trapline_source::{Diagnostic, Span};

use super::Lowerer;
use super::term::{ArrayTerm, Closure, Kind, Refined, Term, Type};

impl Lowerer<'_> {
    /// What must hold for a value to be in a type; `None` if it always is.
    pub(super) fn in_type(&mut self, term: &Term, ty: &Type, span: Span) -> Option<ExprId> {
        let parts: Vec<(Term, Type)> = match (term, ty) {
            (_, Type::Refined(refined)) => return self.in_refined(term, refined, span),
            (Term::Scalar(scalar), _) => {
                let domain = self.domain(ty)?;
                return self.fits(scalar.expr, &domain);
            }
            (Term::Tuple(parts), Type::Tuple(types)) => {
                parts.iter().cloned().zip(types.iter().cloned()).collect()
            }
            (Term::Record(parts), Type::Record(types)) => {
                let types = types.iter().map(|(_, ty)| ty.clone());
                parts.iter().map(|(_, term)| term.clone()).zip(types).collect()
            }
            (Term::Array(array), Type::Array(wanted)) => {
                array.elements.iter().map(|it| (it.clone(), wanted.1.clone())).collect()
            }
            (Term::Data(data), Type::Data(id, _)) => {
                let info = self.data_info(*id).clone();
                let types = info.constructors.iter().map(|it| it.fields.iter());
                let both = data.fields.iter().zip(types);
                both.flat_map(|(own, types)| {
                    own.iter().cloned().zip(types.map(|(_, ty)| ty.clone())).collect::<Vec<_>>()
                })
                .collect()
            }
            _ => return None,
        };
        let rules: Vec<ExprId> =
            parts.iter().filter_map(|(term, ty)| self.in_type(term, ty, span)).collect();
        (!rules.is_empty()).then(|| self.model.exprs.all(rules))
    }

    fn in_refined(&mut self, term: &Term, refined: &Refined, span: Span) -> Option<ExprId> {
        match (&refined.members, &refined.predicate) {
            (Some(members), _) => {
                if let (Term::Scalar(scalar), Some(domain)) =
                    (term, self.domain_of_members(members))
                {
                    return self.fits(scalar.expr, &domain);
                }
                let always = self.model.exprs.bool(true);
                let members = members.iter().map(|member| (always, member.clone())).collect();
                self.is_member(term, &super::term::SetTerm { expr: None, members })
            }
            (None, Some(predicate)) => {
                let base = self.in_type(term, &refined.base, span);
                let holds = self.call_aside(predicate, vec![term.clone()], span);
                let holds = holds.as_scalar()?.expr;
                Some(base.map_or(holds, |base| self.model.exprs.and(base, holds)))
            }
            (None, None) => self.in_type(term, &refined.base, span),
        }
    }

    /// A value as one of a type: what fits no value of the type by its form is reported, whether it
    /// is in a range is not asked.
    pub(super) fn coerce(&mut self, term: &Term, ty: &Type, span: Span) -> Term {
        match self.fitted(term, ty, span) {
            Some(term) => term,
            None => {
                if !term.is_poison() {
                    let (is, wanted) = (self.describe(term), self.describe_type(ty));
                    let text = format!("this is {is}, and {wanted} is expected");
                    self.report(Diagnostic::error("type-mismatch", span, text));
                }
                Term::Poison
            }
        }
    }

    fn fitted(&mut self, term: &Term, ty: &Type, span: Span) -> Option<Term> {
        match (term, ty) {
            (Term::Poison, _) => Some(Term::Poison),
            (_, Type::Refined(refined)) => self.fitted(term, &refined.base, span),
            (Term::Scalar(scalar), _) => {
                let kind = match (scalar.kind, ty) {
                    (Kind::Bool, Type::Bool) => Kind::Bool,
                    (Kind::Number | Kind::Ring(_), Type::Integer { .. } | Type::Real) => {
                        Kind::Number
                    }
                    (Kind::Number, Type::Ring(size)) => Kind::Ring(*size),
                    (Kind::Ring(own), Type::Ring(size)) if own == *size => Kind::Ring(own),
                    (Kind::Enum(own), Type::Enum(id)) if own == *id => Kind::Enum(own),
                    _ => return None,
                };
                Some(Term::scalar(scalar.expr, kind))
            }
            (Term::Tuple(parts), Type::Tuple(types)) if parts.len() == types.len() => {
                let parts = parts.iter().zip(types.iter());
                let parts: Option<Vec<Term>> =
                    parts.map(|(part, ty)| self.fitted(part, ty, span)).collect();
                parts.map(|parts| Term::Tuple(parts.into()))
            }
            (Term::Record(fields), Type::Record(types)) if fields.len() == types.len() => {
                let fields = fields.iter().zip(types.iter());
                let fitted = fields.map(|((name, term), (wanted, ty))| {
                    let term = (name == wanted).then(|| self.fitted(term, ty, span))??;
                    Some((*name, term))
                });
                fitted.collect::<Option<Vec<_>>>().map(|fields| Term::Record(fields.into()))
            }
            (Term::Array(array), Type::Array(wanted))
                if array.elements.len() == wanted.0.members.len() =>
            {
                let is_same = array.index.members.iter().zip(wanted.0.members.iter());
                let mut is_same = is_same.map(|(own, other)| self.key(own) == self.key(other));
                if !is_same.all(|is| is) {
                    return None;
                }
                let elements: Option<Vec<Term>> = array
                    .elements
                    .iter()
                    .map(|element| self.fitted(element, &wanted.1, span))
                    .collect();
                let index = Rc::clone(&wanted.0);
                elements.map(|elements| Term::Array(Rc::new(ArrayTerm { index, elements })))
            }
            (Term::Function(_) | Term::Set(_), Type::Array(wanted)) => {
                let mut elements = Vec::new();
                for member in wanted.0.members.iter() {
                    let value = self.applied(term, member.clone(), span);
                    elements.push(self.fitted(&value, &wanted.1, span)?);
                }
                let index = Rc::clone(&wanted.0);
                Some(Term::Array(Rc::new(ArrayTerm { index, elements })))
            }
            (
                Term::Function(_)
                | Term::Array(_)
                | Term::Set(_)
                | Term::Builtin(_)
                | Term::Constructor(..)
                | Term::Recogniser(..)
                | Term::Accessor(..),
                Type::Function,
            ) => Some(term.clone()),
            (Term::Data(data), Type::Data(id, _)) if data.data == *id => Some(term.clone()),
            _ => None,
        }
    }

    /// A function applied to one value, beside the evaluation that goes on.
    pub(super) fn applied(&mut self, function: &Term, arg: Term, span: Span) -> Term {
        match function {
            Term::Function(closure) => self.call_aside(closure, vec![arg], span),
            Term::Set(set) => {
                let is_in = self.is_member(&arg, set);
                is_in.map_or(Term::Poison, Term::boolean)
            }
            _ => Term::Poison,
        }
    }

    fn call_aside(&mut self, closure: &Closure, mut args: Vec<Term>, span: Span) -> Term {
        if let [Term::Tuple(parts)] = args.as_slice()
            && parts.len() == closure.params.len()
            && parts.len() > 1
        {
            args = parts.to_vec();
        }
        if args.len() != closure.params.len() {
            let wanted = super::builtin::arguments(closure.params.len());
            let text = format!("this function takes {wanted}, not {}", args.len());
            self.report(Diagnostic::error("wrong-arguments", span, text));
            return Term::Poison;
        }
        let mut bindings = Vec::new();
        for ((name, node), arg) in closure.params.iter().zip(args) {
            let Some(ty) = self.type_at(*node, &closure.place) else { return Term::Poison };
            bindings.push((name.id, self.coerce(&arg, &ty, span)));
        }
        let place = closure.place.binding(bindings);
        self.eval(closure.body, &place, false)
    }

    /// Is a constant a value of a type? What is not constant is not asked.
    pub(super) fn is_in_type(&mut self, term: &Term, ty: &Type, span: Span) -> bool {
        match (term, ty) {
            (Term::Scalar(_), _) if self.constant(term).is_none() => true,
            (_, Type::Refined(refined)) => {
                if !self.is_in_type(term, &refined.base, span) {
                    return false;
                }
                match (&refined.members, &refined.predicate) {
                    (Some(members), _) => {
                        let key = self.key(term);
                        members.iter().any(|member| self.key(member) == key)
                    }
                    (None, Some(predicate)) => {
                        let holds = self.call_aside(predicate, vec![term.clone()], span);
                        self.constant(&holds) != Some(Value::Bool(false))
                    }
                    (None, None) => true,
                }
            }
            (_, Type::Integer { lo, hi }) => match self.constant(term) {
                Some(Value::Int(number)) => {
                    lo.is_none_or(|lo| lo <= number) && hi.is_none_or(|hi| number <= hi)
                }
                _ => false,
            },
            (_, Type::Ring(size)) => {
                matches!(self.constant(term), Some(Value::Int(number)) if (0..*size).contains(&number))
            }
            _ => true,
        }
    }
}

/// Do two types have the same values?
pub(super) fn is_same(left: &Type, right: &Type) -> bool {
    let all =
        |l: &[Type], r: &[Type]| l.len() == r.len() && l.iter().zip(r).all(|(l, r)| is_same(l, r));
    match (left, right) {
        (Type::Bool, Type::Bool)
        | (Type::Real, Type::Real)
        | (Type::Function, Type::Function)
        | (Type::Text, Type::Text) => true,
        (Type::Integer { lo, hi }, Type::Integer { lo: other_lo, hi: other_hi }) => {
            (lo, hi) == (other_lo, other_hi)
        }
        (Type::Enum(l), Type::Enum(r)) => l == r,
        (Type::Ring(l), Type::Ring(r)) => l == r,
        (Type::Data(l, _), Type::Data(r, _)) => l == r,
        (Type::Uninterpreted(l), Type::Uninterpreted(r)) => l.id == r.id,
        (Type::Tuple(l), Type::Tuple(r)) => all(l, r),
        (Type::Record(l), Type::Record(r)) => {
            l.len() == r.len()
                && l.iter().zip(r.iter()).all(|(l, r)| l.0 == r.0 && is_same(&l.1, &r.1))
        }
        (Type::Array(l), Type::Array(r)) => is_same(&l.0.ty, &r.0.ty) && is_same(&l.1, &r.1),
        (Type::Refined(l), Type::Refined(r)) => match (&l.members, &r.members) {
            // Predicates are not compared.
            (None, None) => is_same(&l.base, &r.base),
            (Some(own), Some(other)) => {
                own.len() == other.len()
                    && own.iter().zip(other.iter()).all(|(l, r)| {
                        let leaves = |term: &Term| {
                            term.leaves()
                                .map(|all| all.iter().map(|it| it.expr).collect::<Vec<_>>())
                        };
                        leaves(l) == leaves(r)
                    })
            }
            _ => false,
        },
        // A subtype that is a whole range.
        (Type::Refined(refined), Type::Integer { .. })
        | (Type::Integer { .. }, Type::Refined(refined)) => {
            let other = if matches!(left, Type::Refined(_)) { right } else { left };
            let n_members = refined.members.as_ref().map(|members| members.len() as i128);
            let n_other = match other {
                Type::Integer { lo: Some(lo), hi: Some(hi) } => {
                    Some(i128::from(*hi) - i128::from(*lo) + 1)
                }
                _ => None,
            };
            n_members.is_some() && n_members == n_other && is_same(&refined.base, other)
        }
        _ => false,
    }
}
