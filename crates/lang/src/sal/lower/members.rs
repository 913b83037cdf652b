//! The values of types.

use std::rc::Rc;

use trapline_model::Value;
use trapline_source::{Diagnostic, Span};

use super::term::{ArrayTerm, DataTerm, Kind, Term, Type};
use super::{Lowerer, limits};

impl Lowerer<'_> {
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
