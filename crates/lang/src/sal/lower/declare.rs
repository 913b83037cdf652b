//! What a context declares: types, constants and functions; modules and theorems are noted.

use std::cell::OnceCell;
use std::rc::Rc;

use trapline_model::{Domain, Value};
use trapline_source::{Diagnostic, Span};

use super::contexts::Member;
use super::term::{Closure, DataId, EnumId, InstanceId, Kind, Place, Term, Type};
use super::{ConstructorInfo, DataInfo, EnumInfo, Lowerer, limits};
use crate::sal::syntax::{Constructor, Context, DeclKind, Name, NodeId, TypeDef, VarDecl};

impl Lowerer<'_> {
    /// Evaluates a declaration.
    pub(super) fn declare(&mut self, id: InstanceId, context: &Rc<Context>, idx: usize) {
        let decl = &context.decls[idx];
        let place = Place::of(id);
        match &decl.kind {
            DeclKind::Type(definition) => self.declare_type(id, decl.name, definition),
            DeclKind::Context(other) => {
                let member = match self.referred(other, &place) {
                    Some(other) => Member::Context(other),
                    None => Member::Term(Term::Poison),
                };
                self.introduce(id, decl.name, member);
            }
            DeclKind::Module { .. } => self.introduce_module(id, decl.name, idx),
            DeclKind::Assertion { .. } => {}
            DeclKind::Constant { params, ty, value: Some(value) } => {
                let term = self.constant_value(decl.name, params, (*ty, *value), &place);
                self.introduce(id, decl.name, Member::Term(term));
            }
            DeclKind::Constant { params, value: None, .. } if params.is_empty() => {
                self.introduce(id, decl.name, Member::Open(idx));
            }
            DeclKind::Constant { .. } => {
                let text = "functions without a definition are not supported";
                let help = "give it a definition, or make it an array constant";
                self.report(Diagnostic::error("unsupported", decl.name.span, text).help(help));
                self.introduce(id, decl.name, Member::Term(Term::Poison));
            }
            DeclKind::Import { context, renamed } => self.import(id, context, renamed),
        }
    }

    fn constant_value(
        &mut self,
        name: Name,
        params: &[VarDecl],
        (ty, value): (NodeId, NodeId),
        place: &Place,
    ) -> Term {
        if !params.is_empty() {
            let flat = params.iter();
            let flat = flat.flat_map(|var| var.names.iter().map(|name| (*name, var.ty)));
            return Term::Function(Rc::new(Closure {
                name: Some(name),
                params: flat.collect(),
                result: Some(ty),
                types: OnceCell::new(),
                body: value,
                place: place.clone(),
            }));
        }
        let declared = self.type_at(ty, place);
        let term = self.eval(value, place, false);
        let span = self.span(place, value);
        match declared {
            Some(ty) => self.fitting(&term, &ty, span),
            None => Term::Poison,
        }
    }

    fn declare_type(&mut self, id: InstanceId, name: Name, definition: &TypeDef) {
        let place = Place::of(id);
        let ty = match definition {
            TypeDef::Type(node) => self.type_at(*node, &place),
            TypeDef::Enumeration(constants) => Some(self.declare_enum(id, name, constants)),
            TypeDef::Datatype(constructors) => self.declare_datatype(id, name, constructors),
            TypeDef::Scalarset(size) | TypeDef::Ringset(size) => self.ring(*size, &place),
            TypeDef::Uninterpreted => Some(Type::Uninterpreted(name)),
        };
        self.introduce(id, name, Member::Term(ty.map_or(Term::Poison, Term::Type)));
    }

    fn declare_enum(&mut self, id: InstanceId, name: Name, constants: &[Name]) -> Type {
        let enum_id = EnumId(self.enums.len() as u32);
        let values = self.symbols(constants.iter().map(|constant| constant.id));
        let name = self.text(name.id).to_string();
        self.model.types.push((name.clone(), Domain::Enum(values.clone().into())));
        self.enums.push(EnumInfo { name, values: values.clone() });
        for (constant, value) in constants.iter().zip(values) {
            let expr = self.model.exprs.value(value);
            let term = Term::scalar(expr, Kind::Enum(enum_id));
            self.introduce(id, *constant, Member::Term(term));
        }
        Type::Enum(enum_id)
    }

    fn symbols(&mut self, names: impl Iterator<Item = crate::sal::syntax::NameId>) -> Vec<Value> {
        let symbols = &mut self.model.symbols;
        names.map(|name| Value::Symbol(symbols.intern(self.names.text(name)))).collect()
    }

    fn declare_datatype(
        &mut self,
        id: InstanceId,
        name: Name,
        constructors: &[Constructor],
    ) -> Option<Type> {
        self.introduce(id, name, Member::Unfinished);
        let place = Place::of(id);
        let mut infos = Vec::new();
        let mut depth = 1;
        for constructor in constructors {
            let mut fields = Vec::new();
            for field in &constructor.fields {
                let ty = self.type_at(field.ty, &place)?;
                depth = depth.max(ty.depth() + 1);
                fields.extend(field.names.iter().map(|name| (name.id, ty.clone())));
            }
            infos.push(ConstructorInfo { name: constructor.name.id, fields });
        }
        if depth > limits::LEVELS {
            let text = format!("this type has more than {} levels", limits::LEVELS);
            self.report(Diagnostic::error("too-deep", name.span, text));
            return None;
        }
        let tags = self.symbols(constructors.iter().map(|constructor| constructor.name.id));
        let data = DataId(self.datas.len() as u32);
        let text = self.text(name.id).to_string();
        self.datas.push(DataInfo { name: text, depth, constructors: infos, tags });
        self.declare_constructors(id, data, constructors);
        Some(Type::Data(data, depth))
    }

    /// The names that a datatype brings with it: constructors, recognisers, accessors.
    fn declare_constructors(&mut self, id: InstanceId, data: DataId, all: &[Constructor]) {
        let mut accessors: Vec<Name> = Vec::new();
        for (idx, constructor) in all.iter().enumerate() {
            let value = match constructor.fields.is_empty() {
                true => self.construct(data, idx, Vec::new()),
                false => Term::Constructor(data, idx as u32),
            };
            self.introduce(id, constructor.name, Member::Term(value));
            let recogniser = format!("{}?", self.text(constructor.name.id));
            let recogniser = self.names.intern(&recogniser);
            let name = Name { id: recogniser, span: constructor.name.span };
            self.introduce(id, name, Member::Term(Term::Recogniser(data, idx as u32)));
            accessors.extend(constructor.fields.iter().flat_map(|field| &field.names));
        }
        accessors.sort_by_key(|name| name.id);
        accessors.dedup_by_key(|name| name.id);
        for name in accessors {
            self.introduce(id, name, Member::Term(Term::Accessor(data, name.id)));
        }
    }

    fn ring(&mut self, size: NodeId, place: &Place) -> Option<Type> {
        let span = self.span(place, size);
        let term = self.eval(size, place, false);
        match self.constant(&term) {
            Some(Value::Int(size)) if size >= 1 => Some(Type::Ring(size)),
            _ if term.is_poison() => None,
            _ => {
                let text = "the size of a scalarset or ringset is a constant of at least 1";
                self.report(Diagnostic::error("not-constant", span, text));
                None
            }
        }
    }

    /// A constant of any value, made when it is first used: a variable that never changes.
    pub(super) fn open_constant(&mut self, id: InstanceId, idx: usize) -> Term {
        let context = Rc::clone(&self.instance(id).context);
        let decl = &context.decls[idx];
        let DeclKind::Constant { ty, .. } = &decl.kind else {
            unreachable!("only a constant may be open")
        };
        let place = Place::of(id);
        let term = match self.type_at(*ty, &place) {
            Some(ty) => {
                let name = self.text(decl.name.id).to_string();
                let kind = trapline_model::VarKind::Frozen;
                let span: Span = decl.name.span;
                self.variable(&name, &ty, (trapline_model::Role::Internal, kind), span)
            }
            None => Term::Poison,
        };
        let members = &mut self.instances[id.0 as usize].members;
        members.insert(decl.name.id, Member::Term(term.clone()));
        term
    }
}
