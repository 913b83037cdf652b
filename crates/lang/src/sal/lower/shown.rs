//! How values and types are named in messages and in the names of variables.

use super::Lowerer;
use super::term::{Kind, Term, Type};

impl Lowerer<'_> {
    /// What a term is, for messages.
    pub(super) fn describe(&self, term: &Term) -> String {
        match term {
            Term::Poison => "something wrong".into(),
            Term::Scalar(scalar) => match scalar.kind {
                Kind::Bool => "a Boolean".into(),
                Kind::Number => "a number".into(),
                Kind::Enum(id) => format!("a value of the type `{}`", self.enum_info(id).name),
                Kind::Ring(_) => "a member of a scalarset".into(),
            },
            Term::Tuple(parts) => format!("a tuple of {} components", parts.len()),
            Term::Record(_) => "a record".into(),
            Term::Array(_) => "an array".into(),
            Term::Data(data) => {
                format!("a value of the datatype `{}`", self.data_info(data.data).name)
            }
            Term::Set(_) => "a set".into(),
            Term::Function(_)
            | Term::Builtin(_)
            | Term::Constructor(..)
            | Term::Recogniser(..)
            | Term::Accessor(..) => "a function".into(),
            Term::Type(_) => "a type".into(),
        }
    }

    /// A type, as it would be written.
    pub(super) fn describe_type(&self, ty: &Type) -> String {
        // As deep as types are, which is bounded.
        match ty {
            Type::Bool => "BOOLEAN".into(),
            Type::Integer { lo: Some(lo), hi: Some(hi) } => format!("[{lo}..{hi}]"),
            Type::Integer { lo: Some(0), hi: None } => "NATURAL".into(),
            Type::Integer { .. } => "INTEGER".into(),
            Type::Real => "REAL".into(),
            Type::Enum(id) => format!("`{}`", self.enum_info(*id).name),
            Type::Ring(size) => format!("SCALARSET({size})"),
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|ty| self.describe_type(ty)).collect();
                format!("[{}]", parts.join(", "))
            }
            Type::Record(fields) => {
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(name, ty)| format!("{}: {}", self.text(*name), self.describe_type(ty)))
                    .collect();
                format!("[# {} #]", fields.join(", "))
            }
            Type::Array(array) => {
                let (index, element) = (&array.0.ty, &array.1);
                format!("ARRAY {} OF {}", self.describe_type(index), self.describe_type(element))
            }
            Type::Function => "a function of infinitely many values".into(),
            Type::Data(id, _) => format!("`{}`", self.data_info(*id).name),
            Type::Refined(refined) => match &refined.members {
                Some(members) if members.len() <= 5 => {
                    let members: Vec<String> = members.iter().map(|it| self.shown(it)).collect();
                    format!("{{{}}}", members.join(", "))
                }
                _ => format!("a part of {}", self.describe_type(&refined.base)),
            },
            Type::Uninterpreted(name) => format!("`{}`", self.text(name.id)),
            Type::Text => "`string`".into(),
        }
    }

    /// A constant, as it would be written.
    pub(super) fn shown(&self, term: &Term) -> String {
        let all = |parts: Vec<&Term>| -> String {
            parts.into_iter().map(|part| self.shown(part)).collect::<Vec<_>>().join(",")
        };
        match term {
            Term::Scalar(scalar) => match self.model.exprs.as_const(scalar.expr) {
                Some(value) => self.model.show(value),
                None => "_".into(),
            },
            Term::Type(ty) => self.describe_type(ty),
            Term::Data(data) => {
                let tag = self.model.exprs.as_const(data.tag).map(|tag| self.model.show(tag));
                match term.parts().is_empty() {
                    true => tag.unwrap_or_default(),
                    false => format!("{}({})", tag.unwrap_or_default(), all(term.parts())),
                }
            }
            Term::Set(set) => {
                let members = set.members.iter().map(|(_, member)| member).collect();
                format!("{{{}}}", all(members))
            }
            _ => format!("({})", all(term.parts())),
        }
    }
}
