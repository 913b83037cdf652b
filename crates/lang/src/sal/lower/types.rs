//! Types: their members, whether a value fits them, and which scalars they are made of.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use trapline_model::{Domain, ExprId, Value};
use trapline_source::{Diagnostic, Span};

use super::machine::At;
use super::term::{ArrayTerm, Closure, DataTerm, Index, Kind, Place, Refined, Scalar, Term, Type};
use super::{Lowerer, limits};
use crate::sal::syntax::NodeId;

impl Lowerer<'_> {
    /// The type that a node stands for.
    pub(super) fn type_at(&mut self, node: NodeId, place: &Place) -> Option<Type> {
        let term = self.eval(node, place, false);
        self.as_type(&term, self.span(place, node))
    }

    /// The type that a term is. A set is the subtype of its members.
    pub(super) fn as_type(&mut self, term: &Term, span: Span) -> Option<Type> {
        match term {
            Term::Type(ty) => Some(ty.clone()),
            Term::Poison => None,
            Term::Set(set) => {
                if set.members.iter().any(|(is_in, _)| !self.model.exprs.is_true(*is_in)) {
                    let text = "this type depends on the state: types are constant";
                    self.report(Diagnostic::error("not-constant", span, text));
                    return None;
                }
                let members: Rc<[Term]> =
                    set.members.iter().map(|(_, term)| term.clone()).collect();
                if members.is_empty() {
                    let text = "this type has no values";
                    self.report(Diagnostic::error("empty-type", span, text));
                    return None;
                }
                let base = self.hull(&members.iter().collect::<Vec<_>>());
                Some(Type::Refined(Rc::new(Refined {
                    base,
                    members: Some(members),
                    predicate: None,
                })))
            }
            Term::Function(closure) if closure.params.len() == 1 => {
                let (name, node) = closure.params[0];
                let base = self.type_at(node, &closure.place)?;
                if self.is_finite(&base) {
                    let text = format!(
                        "`{}` is a function, and a type is expected here",
                        self.text(name.id)
                    );
                    self.report(Diagnostic::error("not-a-type", span, text));
                    return None;
                }
                let predicate = Some(Rc::clone(closure));
                Some(Type::Refined(Rc::new(Refined { base, members: None, predicate })))
            }
            other => {
                let text = format!("this is {}, and a type is expected here", self.describe(other));
                self.report(Diagnostic::error("not-a-type", span, text));
                None
            }
        }
    }

    /// A type that holds a constant.
    pub(super) fn type_of(&self, term: &Term) -> Type {
        match term {
            Term::Scalar(Scalar { kind, .. }) => match kind {
                Kind::Bool => Type::Bool,
                Kind::Number => Type::Integer { lo: None, hi: None },
                Kind::Enum(id) => Type::Enum(*id),
                Kind::Ring(size) => Type::Ring(*size),
            },
            Term::Tuple(parts) => {
                Type::Tuple(parts.iter().map(|part| self.type_of(part)).collect())
            }
            Term::Record(fields) => Type::Record(
                fields.iter().map(|(name, term)| (*name, self.type_of(term))).collect(),
            ),
            Term::Array(array) => {
                let first = array.elements.first();
                let element = first.map_or(Type::Bool, |first| self.type_of(first));
                Type::Array(Rc::new((Rc::clone(&array.index), element)))
            }
            Term::Data(data) => Type::Data(data.data, self.datas[data.data.0 as usize].depth),
            _ => Type::Function,
        }
    }

    /// The least type that holds constants of one type, the numbers in it being ranges.
    fn hull(&self, members: &[&Term]) -> Type {
        let Some(first) = members.first() else { return Type::Function };
        let parts = |idx: usize| -> Vec<&Term> {
            members.iter().filter_map(|member| member.parts().get(idx).copied()).collect()
        };
        match first {
            Term::Scalar(Scalar { kind: Kind::Number, .. }) => {
                let numbers = members.iter().filter_map(|member| self.constant(member)?.as_int());
                let numbers: Vec<i64> = numbers.collect();
                match numbers.len() == members.len() {
                    true => Type::Integer {
                        lo: numbers.iter().min().copied(),
                        hi: numbers.iter().max().copied(),
                    },
                    false => Type::Real,
                }
            }
            Term::Tuple(own) => {
                Type::Tuple((0..own.len()).map(|idx| self.hull(&parts(idx))).collect())
            }
            Term::Record(own) => {
                let fields = own.iter().enumerate();
                Type::Record(fields.map(|(idx, it)| (it.0, self.hull(&parts(idx)))).collect())
            }
            Term::Array(own) => {
                let all = members.iter().flat_map(|member| member.parts()).collect::<Vec<_>>();
                Type::Array(Rc::new((Rc::clone(&own.index), self.hull(&all))))
            }
            other => self.type_of(other),
        }
    }

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

    fn domain_of_members(&self, members: &[Term]) -> Option<Domain> {
        let values = members.iter().map(|member| self.constant(member));
        domain_of(&values.collect::<Option<Vec<Value>>>()?)
    }

    /// How many values a type has; `None` if there is no end of them.
    pub(super) fn n_members(&self, ty: &Type) -> Option<u128> {
        Some(match ty {
            Type::Bool => 2,
            Type::Integer { lo, hi } => {
                u128::try_from(i128::from((*hi)?) - i128::from((*lo)?) + 1).unwrap_or(0)
            }
            Type::Enum(id) => self.enums[id.0 as usize].values.len() as u128,
            Type::Ring(size) => u128::try_from(*size).unwrap_or(0),
            Type::Tuple(parts) => self.n_combined(parts.iter())?,
            Type::Record(fields) => self.n_combined(fields.iter().map(|(_, ty)| ty))?,
            Type::Array(array) => {
                let n_elements = self.n_members(&array.1)?;
                let exponent = u32::try_from(array.0.members.len()).unwrap_or(u32::MAX);
                n_elements.saturating_pow(exponent)
            }
            Type::Data(id, _) => {
                let constructors = &self.datas[id.0 as usize].constructors;
                let counts = constructors.iter().map(|constructor| {
                    self.n_combined(constructor.fields.iter().map(|(_, ty)| ty))
                });
                counts.sum::<Option<u128>>()?
            }
            Type::Refined(refined) => refined.members.as_ref()?.len() as u128,
            Type::Real | Type::Function | Type::Uninterpreted(_) | Type::Text => return None,
        })
    }

    fn n_combined<'t>(&self, types: impl Iterator<Item = &'t Type>) -> Option<u128> {
        types.map(|ty| self.n_members(ty)).try_fold(1u128, |all, n| Some(all.saturating_mul(n?)))
    }

    /// Is there an end of its values?
    pub(super) fn is_finite(&self, ty: &Type) -> bool {
        self.n_members(ty).is_some()
    }

    /// All values of a type, if they are not too many.
    pub(super) fn members(&mut self, ty: &Type, span: Span) -> Option<Rc<[Term]>> {
        if let Type::Refined(refined) = ty
            && let Some(members) = &refined.members
        {
            return Some(Rc::clone(members));
        }
        let n_members = self.n_members(ty);
        let wrong = match n_members {
            None => Some(format!("{} has infinitely many values", self.describe_type(ty))),
            Some(n) if n > limits::MEMBERS as u128 => {
                Some(format!("{} has {} values", self.describe_type(ty), count(n)))
            }
            Some(_) => None,
        };
        if let Some(text) = wrong {
            let help =
                format!("types whose values are listed may have at most {}", limits::MEMBERS);
            self.report(Diagnostic::error("too-large", span, text).help(help));
            return None;
        }
        Some(self.listed(ty).into())
    }

    /// All values of a finite type.
    fn listed(&mut self, ty: &Type) -> Vec<Term> {
        let kind = self.kind(ty);
        match ty {
            Type::Bool => {
                [false, true].map(|value| Term::boolean(self.model.exprs.bool(value))).into()
            }
            Type::Integer { lo: Some(lo), hi: Some(hi) } => self.numbers(*lo, *hi, kind),
            Type::Ring(size) => self.numbers(0, size - 1, kind),
            Type::Enum(id) => {
                let values = self.enums[id.0 as usize].values.clone();
                let exprs = &mut self.model.exprs;
                values.into_iter().map(|value| Term::scalar(exprs.value(value), kind)).collect()
            }
            Type::Tuple(parts) => {
                let all: Vec<Vec<Term>> = parts.iter().map(|part| self.listed(part)).collect();
                product(&all).into_iter().map(|parts| Term::Tuple(parts.into())).collect()
            }
            Type::Record(fields) => {
                let all: Vec<Vec<Term>> = fields.iter().map(|(_, ty)| self.listed(ty)).collect();
                let names: Vec<_> = fields.iter().map(|(name, _)| *name).collect();
                let record =
                    |parts: Vec<Term>| Term::Record(names.iter().copied().zip(parts).collect());
                product(&all).into_iter().map(record).collect()
            }
            Type::Array(array) => {
                let elements = self.listed(&array.1);
                let all = vec![elements; array.0.members.len()];
                let array = |elements| {
                    Term::Array(Rc::new(ArrayTerm { index: Rc::clone(&array.0), elements }))
                };
                product(&all).into_iter().map(array).collect()
            }
            Type::Data(id, _) => {
                let data = self.datas[id.0 as usize].clone();
                let mut all = Vec::new();
                for (idx, constructor) in data.constructors.iter().enumerate() {
                    let fields: Vec<Vec<Term>> =
                        constructor.fields.iter().map(|(_, ty)| self.listed(ty)).collect();
                    for fields in product(&fields) {
                        all.push(self.construct(*id, idx, fields));
                    }
                }
                all
            }
            Type::Refined(refined) => {
                refined.members.as_ref().map_or(Vec::new(), |members| members.to_vec())
            }
            _ => Vec::new(),
        }
    }

    fn numbers(&mut self, lo: i64, hi: i64, kind: Kind) -> Vec<Term> {
        let exprs = &mut self.model.exprs;
        (lo..=hi).map(|number| Term::scalar(exprs.value(Value::Int(number)), kind)).collect()
    }

    /// Some value of a finite type.
    pub(super) fn first(&mut self, ty: &Type) -> Term {
        let kind = self.kind(ty);
        match ty {
            Type::Bool => Term::boolean(self.model.exprs.bool(false)),
            Type::Integer { lo, hi } => {
                let number = lo.or(*hi).unwrap_or(0);
                Term::scalar(self.model.exprs.value(Value::Int(number)), kind)
            }
            Type::Real | Type::Ring(_) => Term::scalar(self.model.exprs.value(Value::Int(0)), kind),
            Type::Enum(id) => {
                let value = self.enums[id.0 as usize].values[0];
                Term::scalar(self.model.exprs.value(value), kind)
            }
            Type::Tuple(parts) => Term::Tuple(parts.iter().map(|part| self.first(part)).collect()),
            Type::Record(fields) => {
                Term::Record(fields.iter().map(|(name, ty)| (*name, self.first(ty))).collect())
            }
            Type::Array(array) => {
                let element = self.first(&array.1);
                let elements = vec![element; array.0.members.len()];
                Term::Array(Rc::new(ArrayTerm { index: Rc::clone(&array.0), elements }))
            }
            Type::Data(id, _) => {
                let types: Vec<Type> = self.datas[id.0 as usize].constructors[0]
                    .fields
                    .iter()
                    .map(|(_, ty)| ty.clone())
                    .collect();
                let fields = types.iter().map(|ty| self.first(ty)).collect();
                self.construct(*id, 0, fields)
            }
            Type::Refined(refined) => match refined.members.as_ref().and_then(|all| all.first()) {
                Some(first) => first.clone(),
                None => self.first(&refined.base),
            },
            Type::Function | Type::Uninterpreted(_) | Type::Text => Term::Poison,
        }
    }

    /// A value of a datatype.
    pub(super) fn construct(
        &mut self,
        id: super::term::DataId,
        constructor: usize,
        fields: Vec<Term>,
    ) -> Term {
        let data = self.datas[id.0 as usize].clone();
        let tag = self.model.exprs.value(data.tags[constructor]);
        let all =
            data.constructors.iter().enumerate().map(|(idx, other)| match idx == constructor {
                true => fields.clone(),
                false => other.fields.iter().map(|(_, ty)| self.first(ty)).collect(),
            });
        let fields = all.collect();
        Term::Data(Rc::new(DataTerm { data: id, tag, fields }))
    }

    /// What scalars of a type are.
    pub(super) fn kind(&self, ty: &Type) -> Kind {
        match ty {
            Type::Bool => Kind::Bool,
            Type::Enum(id) => Kind::Enum(*id),
            Type::Ring(size) => Kind::Ring(*size),
            Type::Refined(refined) => self.kind(&refined.base),
            _ => Kind::Number,
        }
    }

    /// The values of a variable of a scalar type.
    pub(super) fn domain(&self, ty: &Type) -> Option<Domain> {
        Some(match ty {
            Type::Bool => Domain::Bool,
            Type::Integer { lo: Some(lo), hi: Some(hi) } => Domain::Range(*lo, *hi),
            Type::Integer { .. } => Domain::Integer,
            Type::Real => Domain::Real,
            Type::Ring(size) => Domain::Range(0, size - 1),
            Type::Enum(id) => Domain::Enum(self.enums[id.0 as usize].values.clone().into()),
            Type::Refined(refined) => match &refined.members {
                None => self.domain(&refined.base)?,
                Some(members) => self.domain_of_members(members)?,
            },
            _ => return None,
        })
    }

    /// The value of a constant scalar.
    pub(super) fn constant(&self, term: &Term) -> Option<Value> {
        self.model.exprs.as_const(term.as_scalar()?.expr)
    }

    /// The scalars of a constant, which tell it from all others of its type.
    pub(super) fn key(&self, term: &Term) -> Option<Vec<Value>> {
        let leaves = term.leaves()?;
        leaves.into_iter().map(|leaf| self.model.exprs.as_const(leaf.expr)).collect()
    }

    /// A type as an index.
    pub(super) fn index(&mut self, ty: &Type, span: Span) -> Option<Rc<Index>> {
        let members = self.members(ty, span)?;
        let mut positions = FxHashMap::default();
        for (position, member) in members.iter().enumerate() {
            positions.insert(self.key(member)?, position);
        }
        Some(Rc::new(Index { ty: ty.clone(), members, positions }))
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

    /// Is a term nested no deeper than what recursion over it can bear? If not, it is reported.
    pub(super) fn is_shallow(&mut self, term: &Term, at: &At) -> bool {
        let is_compound = !term.parts().is_empty();
        if is_compound && term.has_more_parts_than(limits::PARTS) {
            let span = self.span(&at.place, at.node);
            let text = format!("this value has more than {} parts", limits::PARTS);
            self.report(Diagnostic::error("too-large", span, text));
            return false;
        }
        let is_shallow = !is_compound || term.depth() <= limits::LEVELS;
        if !is_shallow {
            let span = self.span(&at.place, at.node);
            let text = format!("this value has more than {} levels", limits::LEVELS);
            self.report(Diagnostic::error("too-deep", span, text));
        }
        is_shallow
    }

    /// A compound type, unless it is nested too deeply.
    pub(super) fn compound(&mut self, ty: Type, span: Span) -> Term {
        if ty.has_more_parts_than(limits::PARTS) {
            let text = format!("this type has more than {} parts", limits::PARTS);
            self.report(Diagnostic::error("too-large", span, text));
            return Term::Poison;
        }
        if ty.depth() > limits::LEVELS {
            let text = format!("this type has more than {} levels", limits::LEVELS);
            self.report(Diagnostic::error("too-deep", span, text));
            return Term::Poison;
        }
        Term::Type(ty)
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

/// A domain with these values.
fn domain_of(values: &[Value]) -> Option<Domain> {
    let numbers: Option<Vec<i64>> = values.iter().map(|value| value.as_int()).collect();
    if let Some(mut numbers) = numbers {
        numbers.sort_unstable();
        let is_dense = numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        if let (true, Some(&lo), Some(&hi)) = (is_dense, numbers.first(), numbers.last()) {
            return Some(Domain::Range(lo, hi));
        }
    }
    if values.len() == 2 && values.iter().all(|value| value.as_bool().is_some()) {
        return Some(Domain::Bool);
    }
    (!values.is_empty()).then(|| Domain::Enum(values.into()))
}

/// Every choice of one of each, the last fastest.
fn product(all: &[Vec<Term>]) -> Vec<Vec<Term>> {
    let mut chosen: Vec<Vec<Term>> = vec![Vec::new()];
    for choices in all {
        let extend = |before: &Vec<Term>| {
            let extended = choices.iter().map(|choice| {
                let mut one = before.clone();
                one.push(choice.clone());
                one
            });
            extended.collect::<Vec<_>>()
        };
        chosen = chosen.iter().flat_map(extend).collect();
    }
    chosen
}

/// A number for people.
fn count(n: u128) -> String {
    match n {
        u128::MAX => "more than 10^38".into(),
        _ => n.to_string(),
    }
}
