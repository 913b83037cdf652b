//! What expressions and types mean: scalars of the model, and whatever is made of them.
//!
//! Evaluation is symbolic. A scalar is an expression of the model; records, arrays and the like exist
//! only here, and a variable of such a type is a variable of the model for each scalar in it.

use std::cell::OnceCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use trapline_model::{ExprId, Value};

use super::builtin::Builtin;
use crate::sal::syntax::{Name, NameId, NodeId};

/// An enumeration, by its index in the lowerer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EnumId(pub u32);

/// A datatype, by its index in the lowerer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DataId(pub u32);

/// A context with its actual parameters, by its index in the lowerer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InstanceId(pub u32);

/// What an expression means.
#[derive(Clone, Debug)]
pub enum Term {
    /// Nothing: what is wrong was reported.
    Poison,
    /// A Boolean, a number or a constant of an enumeration.
    Scalar(Scalar),
    /// A tuple.
    Tuple(Rc<[Term]>),
    /// A record, its fields in the order of their ids.
    Record(Rc<[(NameId, Term)]>),
    /// An array, or a function from a finite type.
    Array(Rc<ArrayTerm>),
    /// A value of a datatype.
    Data(Rc<DataTerm>),
    /// A finite set.
    Set(Rc<SetTerm>),
    /// A function that is unfolded where it is applied.
    Function(Rc<Closure>),
    /// A function of the language.
    Builtin(Builtin),
    /// A constructor of a datatype, by its index.
    Constructor(DataId, u32),
    /// Whether a value was made by a constructor.
    Recogniser(DataId, u32),
    /// A field of a datatype.
    Accessor(DataId, NameId),
    /// A type.
    Type(Type),
}

/// A scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// What it means.
    pub expr: ExprId,
    /// What it may be compared with.
    pub kind: Kind,
}

/// What a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A Boolean, or a temporal formula.
    Bool,
    /// A number.
    Number,
    /// A constant of an enumeration.
    Enum(EnumId),
    /// A member of a scalarset or ringset of this size.
    Ring(i64),
}

/// An array.
#[derive(Clone, Debug)]
pub struct ArrayTerm {
    /// What it is indexed by.
    pub index: Rc<Index>,
    /// An element for each member of the index type.
    pub elements: Vec<Term>,
}

/// An index type.
#[derive(Debug)]
pub struct Index {
    /// The type.
    pub ty: Type,
    /// Its members, all constant.
    pub members: Rc<[Term]>,
    /// Where a member is, by its scalars.
    pub positions: FxHashMap<Vec<Value>, usize>,
}

/// A value of a datatype: which constructor made it, and the fields of each. Those of the other
/// constructors have some fixed value.
#[derive(Clone, Debug)]
pub struct DataTerm {
    /// The datatype.
    pub data: DataId,
    /// The constructor, as a constant of an enumeration.
    pub tag: ExprId,
    /// By constructor, its fields.
    pub fields: Vec<Vec<Term>>,
}

/// A finite set: each member with the condition that it is one.
#[derive(Clone, Debug)]
pub struct SetTerm {
    /// The set as an expression of the model, where it is one and never empty.
    pub expr: Option<ExprId>,
    /// The members.
    pub members: Vec<(ExprId, Term)>,
}

/// A function and what the names in it mean.
#[derive(Debug)]
pub struct Closure {
    /// What it is called, if it has a name.
    pub name: Option<Name>,
    /// The parameters and where their types are written.
    pub params: Vec<(Name, NodeId)>,
    /// Where the type of the result is written, if it is.
    pub result: Option<NodeId>,
    /// The types of the parameters and then of the result, once they are known.
    pub types: OnceCell<Vec<Type>>,
    /// What it gives.
    pub body: NodeId,
    /// Where it stands.
    pub place: Place,
}

impl Closure {
    /// How many types are declared: those of the parameters, and of the result if it has one.
    pub fn n_types(&self) -> usize {
        self.params.len() + usize::from(self.result.is_some())
    }
}

/// Where an expression stands: what its names mean.
#[derive(Clone, Debug)]
pub struct Place {
    /// The context.
    pub instance: InstanceId,
    /// What is bound around it, innermost first.
    pub scope: Option<Rc<Scope>>,
}

/// Names that are bound together, and those bound around them.
#[derive(Debug, Default)]
pub struct Scope {
    /// The names.
    pub bindings: Vec<Binding>,
    /// What is around.
    pub outer: Option<Rc<Scope>>,
}

/// What a name means.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The name.
    pub name: NameId,
    /// What it means.
    pub term: Term,
    /// May it be primed?
    pub is_variable: bool,
}

/// A type: a set of values.
#[derive(Clone, Debug)]
pub enum Type {
    /// `BOOLEAN`
    Bool,
    /// `INTEGER`, `NATURAL` and ranges.
    Integer {
        /// The least number.
        lo: Option<i64>,
        /// The greatest.
        hi: Option<i64>,
    },
    /// `REAL`
    Real,
    /// An enumeration.
    Enum(EnumId),
    /// A scalarset or ringset.
    Ring(i64),
    /// `[T, U]`
    Tuple(Rc<[Type]>),
    /// `[# f: T #]`, the fields in the order of their ids.
    Record(Rc<[(NameId, Type)]>),
    /// `ARRAY I OF T`, and `[I -> T]` where `I` is finite.
    Array(Rc<(Rc<Index>, Type)>),
    /// `[T -> U]` otherwise: for constants alone.
    Function,
    /// A datatype, with how many levels its values have.
    Data(DataId, usize),
    /// `{x: T | p}`
    Refined(Rc<Refined>),
    /// Nothing is known of it but its name.
    Uninterpreted(Name),
    /// Strings.
    Text,
}

/// A subtype.
#[derive(Debug)]
pub struct Refined {
    /// What it is a part of.
    pub base: Type,
    /// The members, if the type is finite.
    pub members: Option<Rc<[Term]>>,
    /// What they have in common, if they can't be listed.
    pub predicate: Option<Rc<Closure>>,
}

impl Term {
    /// A scalar.
    pub fn scalar(expr: ExprId, kind: Kind) -> Term {
        Term::Scalar(Scalar { expr, kind })
    }

    /// A Boolean.
    pub fn boolean(expr: ExprId) -> Term {
        Term::scalar(expr, Kind::Bool)
    }

    /// The scalar, if it is one.
    pub fn as_scalar(&self) -> Option<Scalar> {
        match self {
            Term::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    /// Was something wrong with it?
    pub fn is_poison(&self) -> bool {
        matches!(self, Term::Poison)
    }

    /// The terms that it is made of; none of a scalar.
    pub fn parts(&self) -> Vec<&Term> {
        match self {
            Term::Tuple(parts) => parts.iter().collect(),
            Term::Record(fields) => fields.iter().map(|(_, term)| term).collect(),
            Term::Array(array) => array.elements.iter().collect(),
            Term::Data(data) => data.fields.iter().flatten().collect(),
            _ => Vec::new(),
        }
    }

    /// How many levels it has.
    pub fn depth(&self) -> usize {
        // Built from the inside out, each level checked against the limit, so this is shallow.
        1 + self.parts().into_iter().map(Term::depth).max().unwrap_or(0)
    }

    /// Has it more parts, at all levels, than this?
    pub fn has_more_parts_than(&self, limit: usize) -> bool {
        let mut n_parts = 0;
        let mut stack = vec![self];
        while let Some(term) = stack.pop() {
            n_parts += 1;
            if n_parts > limit {
                return true;
            }
            stack.extend(term.parts());
        }
        false
    }

    /// All its scalars, in order; `None` if there is anything else in it.
    pub fn leaves(&self) -> Option<Vec<Scalar>> {
        let mut leaves = Vec::new();
        let mut stack = vec![self];
        while let Some(term) = stack.pop() {
            match term {
                Term::Scalar(scalar) => leaves.push(*scalar),
                Term::Data(data) => {
                    leaves.push(Scalar { expr: data.tag, kind: Kind::Number });
                    stack.extend(term.parts().into_iter().rev());
                }
                Term::Tuple(_) | Term::Record(_) | Term::Array(_) => {
                    stack.extend(term.parts().into_iter().rev());
                }
                _ => return None,
            }
        }
        Some(leaves)
    }

    /// The same with other scalars. Which kind they have does not change.
    pub fn map(&self, of: &mut dyn FnMut(ExprId) -> ExprId) -> Term {
        match self {
            Term::Scalar(scalar) => Term::scalar(of(scalar.expr), scalar.kind),
            Term::Tuple(parts) => Term::Tuple(parts.iter().map(|part| part.map(of)).collect()),
            Term::Record(fields) => {
                Term::Record(fields.iter().map(|(name, term)| (*name, term.map(of))).collect())
            }
            Term::Array(array) => Term::Array(Rc::new(ArrayTerm {
                index: Rc::clone(&array.index),
                elements: array.elements.iter().map(|element| element.map(of)).collect(),
            })),
            Term::Data(data) => {
                let tag = of(data.tag);
                let field = |fields: &Vec<Term>, of: &mut dyn FnMut(ExprId) -> ExprId| {
                    fields.iter().map(|field| field.map(of)).collect()
                };
                let fields = data.fields.iter().map(|fields| field(fields, of)).collect();
                Term::Data(Rc::new(DataTerm { data: data.data, tag, fields }))
            }
            other => other.clone(),
        }
    }
}

impl Place {
    /// A place in a context, outside everything else.
    pub fn of(instance: InstanceId) -> Place {
        Place { instance, scope: None }
    }

    /// A place in which further names are bound.
    pub fn within(&self, bindings: Vec<Binding>) -> Place {
        let scope = Scope { bindings, outer: self.scope.clone() };
        Place { instance: self.instance, scope: Some(Rc::new(scope)) }
    }

    /// A place in which names stand for constants.
    pub fn binding(&self, bindings: impl IntoIterator<Item = (NameId, Term)>) -> Place {
        let bind = |(name, term)| Binding { name, term, is_variable: false };
        self.within(bindings.into_iter().map(bind).collect())
    }

    /// What a name is bound to.
    pub fn find(&self, name: NameId) -> Option<&Binding> {
        let mut scope = self.scope.as_deref();
        while let Some(current) = scope {
            let found = current.bindings.iter().rev().find(|binding| binding.name == name);
            if found.is_some() {
                return found;
            }
            scope = current.outer.as_deref();
        }
        None
    }
}

impl Drop for Scope {
    /// Without recursion: scopes nest as deeply as expressions.
    fn drop(&mut self) {
        let mut outer = self.outer.take();
        while let Some(scope) = outer {
            outer = Rc::into_inner(scope).and_then(|mut scope| scope.outer.take());
        }
    }
}

impl Type {
    /// Has it more parts, at all levels, than this? The elements of an array count once.
    pub fn has_more_parts_than(&self, limit: usize) -> bool {
        let mut n_parts = 0;
        let mut stack = vec![self];
        while let Some(ty) = stack.pop() {
            n_parts += 1;
            if n_parts > limit {
                return true;
            }
            match ty {
                Type::Tuple(parts) => stack.extend(parts.iter()),
                Type::Record(fields) => stack.extend(fields.iter().map(|(_, ty)| ty)),
                Type::Array(array) => stack.extend([&array.1, &array.0.ty]),
                Type::Refined(refined) => stack.push(&refined.base),
                _ => {}
            }
        }
        false
    }

    /// How many levels it has.
    pub fn depth(&self) -> usize {
        // Built from the inside out, each level checked against the limit, so this is shallow.
        1 + match self {
            Type::Tuple(parts) => parts.iter().map(Type::depth).max().unwrap_or(0),
            Type::Record(fields) => fields.iter().map(|(_, ty)| ty.depth()).max().unwrap_or(0),
            Type::Array(array) => array.1.depth().max(array.0.ty.depth()),
            Type::Refined(refined) => refined.base.depth(),
            Type::Data(_, depth) => *depth,
            _ => 0,
        }
    }
}
