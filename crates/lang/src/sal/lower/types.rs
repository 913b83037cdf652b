//! Types: their members, whether a value fits them, and which scalars they are made of.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use trapline_model::{Domain, Value};
use trapline_source::{Diagnostic, Span};

use super::machine::At;
use super::term::{Index, Kind, Place, Refined, Scalar, Term, Type};
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

    pub(super) fn domain_of_members(&self, members: &[Term]) -> Option<Domain> {
        let values = members.iter().map(|member| self.constant(member));
        domain_of(&values.collect::<Option<Vec<Value>>>()?)
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
