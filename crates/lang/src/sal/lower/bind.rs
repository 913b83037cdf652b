//! The variables of a system, and which of them each base module means by its names.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{
    Argument, Array, Clause, Constraint, ConstraintKind, Domain, Expr, ModuleInstance, Role, Value,
    Var, VarId, VarKind,
};
use trapline_source::{Diagnostic, Span};

use super::fitting::is_same;
use super::modules::{Inside, Main, Movement, Shared, Tree, TreeKind};
use super::term::{ArrayTerm, Binding, DataTerm, Place, Term, Type};
use super::{Lowerer, limits};
use crate::sal::syntax::{Access, Class, Lhs, ModuleId, NameId};

/// A composed system.
#[derive(Debug)]
pub struct System {
    /// What the names of its interface mean, in the context of the chosen module.
    pub place: Place,
    /// Its base modules.
    pub bases: Vec<BaseModule>,
    /// How they move.
    pub moves: Moves,
    /// What it is called.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
}

/// A base module of a system.
#[derive(Debug)]
pub struct BaseModule {
    /// Its text.
    pub module: ModuleId,
    /// What the names in it mean.
    pub place: Place,
    /// Its variables.
    pub vars: FxHashMap<NameId, Owned>,
    /// What it is called.
    pub label: String,
    /// Where its text stands.
    pub span: Span,
}

/// A variable as a base module has it.
#[derive(Clone, Debug)]
pub struct Owned {
    /// Who controls it.
    pub class: Class,
    /// Its type.
    pub ty: Type,
    /// What it means.
    pub term: Term,
}

/// How base modules move.
#[derive(Debug)]
pub enum Moves {
    /// One of them, by its index.
    Base(usize),
    /// All together.
    Sync(Vec<Moves>),
    /// One of these.
    Async(Vec<Moves>),
}

type Names = FxHashMap<NameId, (Term, Type)>;

impl Lowerer<'_> {
    /// Makes the variables of a system, and gives each base module its own.
    pub(super) fn bind(&mut self, main: &Main) -> Option<System> {
        let mut names: Names = FxHashMap::default();
        let mut bindings = Vec::new();
        for shared in &main.tree.interface {
            let Shared { name, class, ty, span } = shared;
            let role = match class {
                Class::Input => Role::Input,
                Class::Output | Class::Global => Role::Output,
                Class::Local => Role::Internal,
            };
            let text = self.text(*name).to_string();
            let term = self.variable(&text, ty, (role, VarKind::State), *span);
            if term.is_poison() {
                return None;
            }
            bindings.push(Binding { name: *name, term: term.clone(), is_variable: true });
            names.insert(*name, (term, ty.clone()));
        }
        self.model.instances.push(ModuleInstance { name: String::new(), params: Vec::new() });
        let mut bases = Vec::new();
        let moves = self.bind_tree(&main.tree, &names, &mut bases)?;
        if !self.is_controlled_once(main, &bases) {
            return None;
        }
        let place = Place::of(main.context).within(bindings);
        Some(System { place, bases, moves, name: main.name.clone(), span: main.span })
    }

    /// Reports what two modules control, or a module and the environment: renaming can do that.
    fn is_controlled_once(&mut self, main: &Main, bases: &[BaseModule]) -> bool {
        let inputs: FxHashSet<VarId> = self.inputs();
        let mut owners: FxHashMap<VarId, (usize, Class)> = FxHashMap::default();
        for (idx, base) in bases.iter().enumerate() {
            for owned in base.vars.values().filter(|owned| owned.class != Class::Input) {
                for leaf in owned.term.leaves().into_iter().flatten() {
                    let Expr::Var(var) = self.model.exprs.get(leaf.expr) else { continue };
                    let first = owners.insert(var, (idx, owned.class));
                    let is_shared = first.is_some_and(|(first, class)| {
                        first != idx && (class, owned.class) != (Class::Global, Class::Global)
                    });
                    let what = match (inputs.contains(&var), is_shared) {
                        (true, _) => "an input of the whole, and a module controls it",
                        (_, true) => "controlled by two modules",
                        _ => continue,
                    };
                    let text = format!("`{}` is {what}", self.model.var(var).name);
                    let help = "rename the variables of these modules to different ones";
                    let error = Diagnostic::error("bad-composition", main.span, text);
                    self.report(error.label(base.span, "by this module").help(help));
                    return false;
                }
            }
        }
        true
    }

    fn inputs(&self) -> FxHashSet<VarId> {
        let vars = self.model.vars.iter().enumerate();
        let inputs = vars.filter(|(_, var)| var.role == Role::Input);
        inputs.map(|(idx, _)| VarId(idx as u32)).collect()
    }

    fn bind_tree(
        &mut self,
        tree: &Tree,
        names: &Names,
        bases: &mut Vec<BaseModule>,
    ) -> Option<Moves> {
        match &tree.kind {
            TreeKind::Base(module, place, label) => {
                let base = self.base_module(tree, (*module, place, label), names)?;
                bases.push(base);
                Some(Moves::Base(bases.len() - 1))
            }
            TreeKind::Composed(movement, parts) => {
                let mut moves = Vec::new();
                for part in parts {
                    let mut own = names.clone();
                    for (name, path) in &part.paths {
                        let (term, ty) = names.get(name)?.clone();
                        let inside = path.iter().try_fold((term, ty), |(term, ty), step| {
                            Some((part_of(&term, *step)?, type_inside(&ty, *step)?))
                        })?;
                        own.insert(*name, inside);
                    }
                    match (movement, self.bind_tree(&part.tree, &own, bases)?) {
                        (Movement::Sync, Moves::Sync(inner))
                        | (Movement::Async, Moves::Async(inner)) => moves.extend(inner),
                        (_, inner) => moves.push(inner),
                    }
                }
                Some(match movement {
                    Movement::Sync => Moves::Sync(moves),
                    Movement::Async => Moves::Async(moves),
                })
            }
            TreeKind::Renamed(pairs, inner) => {
                let mut own = names.clone();
                for (name, to, place) in pairs {
                    let known = inner.interface.iter().find(|shared| shared.name == *name)?;
                    let target = self.renamed_to(to, place, names, &known.ty)?;
                    own.insert(*name, (target, known.ty.clone()));
                }
                self.bind_tree(inner, &own, bases)
            }
            TreeKind::Same(inner) => self.bind_tree(inner, names, bases),
        }
    }

    /// What a variable is renamed to.
    fn renamed_to(&mut self, to: &Lhs, place: &Place, names: &Names, own: &Type) -> Option<Term> {
        let Some((mut term, mut ty)) = names.get(&to.name.id).cloned() else {
            let text = format!("there is no variable `{}` around this", self.text(to.name.id));
            let help = "declare it: `WITH OUTPUT all: ARRAY T OF U m`";
            self.report(Diagnostic::error("unknown-name", to.span, text).help(help));
            return None;
        };
        let mut indices = to.indices.iter();
        for access in &to.path {
            let step = match (access, &ty) {
                (Access::Index | Access::Apply(1), Type::Array(array)) => {
                    let node = *indices.next()?;
                    let span = self.span(place, node);
                    let index = self.eval(node, place, false);
                    let index = self.coerce(&index, &array.0.ty.clone(), span);
                    let position = self.key(&index).and_then(|key| array.0.positions.get(&key));
                    if position.is_none() && !index.is_poison() {
                        let text = "this index is not constant, or not in the array";
                        self.report(Diagnostic::error("not-constant", span, text));
                    }
                    Inside::Element(*position?)
                }
                (Access::Field(name), Type::Record(fields)) => {
                    Inside::Component(fields.iter().position(|(own, _)| own == name)?)
                }
                (Access::Component(number), Type::Tuple(_)) => {
                    Inside::Component((*number as usize).checked_sub(1)?)
                }
                _ => {
                    let text = "there is no such part of this variable";
                    self.report(Diagnostic::error("bad-composition", to.span, text));
                    return None;
                }
            };
            (term, ty) = (part_of(&term, step)?, type_inside(&ty, step)?);
        }
        if !is_same(&ty, own) {
            let (is, wanted) = (self.describe_type(own), self.describe_type(&ty));
            let text = format!("a variable of the type {is} can't become one of the type {wanted}");
            self.report(Diagnostic::error("type-mismatch", to.span, text));
            return None;
        }
        Some(term)
    }

    fn base_module(
        &mut self,
        tree: &Tree,
        (module, place, label): (ModuleId, &Place, &str),
        names: &Names,
    ) -> Option<BaseModule> {
        let mut vars = FxHashMap::default();
        let mut bindings = Vec::new();
        let mut params = Vec::new();
        for shared in &tree.interface {
            let (term, _) = names.get(&shared.name)?.clone();
            let text = self.text(shared.name).to_string();
            self.local_names(&text, &shared.ty, &term, &mut params);
            bindings.push(Binding { name: shared.name, term: term.clone(), is_variable: true });
            vars.insert(shared.name, Owned { class: shared.class, ty: shared.ty.clone(), term });
        }
        let name = self.label(if label.is_empty() { "module" } else { label });
        self.model.instances.push(ModuleInstance { name: name.clone(), params });
        let place = place.within(bindings);
        Some(BaseModule { module, place, vars, label: name, span: tree.span })
    }

    /// A name for a base module that no other has: `m`, `m_2`.
    fn label(&mut self, wanted: &str) -> String {
        let number = self.labels.entry(wanted.to_string()).or_insert(0);
        *number += 1;
        if *number == 1 {
            return wanted.to_string();
        }
        let label = format!("{wanted}_{number}");
        self.label(&label)
    }

    /// What the text of a module calls the variables that it has.
    fn local_names(
        &self,
        name: &str,
        ty: &Type,
        term: &Term,
        params: &mut Vec<(String, Argument)>,
    ) {
        match (ty, term) {
            (_, Term::Scalar(scalar)) => {
                params.push((name.to_string(), Argument::Expr(scalar.expr)));
            }
            (Type::Refined(refined), _) => self.local_names(name, &refined.base, term, params),
            (Type::Tuple(types), Term::Tuple(parts)) => {
                for (idx, (ty, part)) in types.iter().zip(parts.iter()).enumerate() {
                    self.local_names(&format!("{name}.{}", idx + 1), ty, part, params);
                }
            }
            (Type::Record(types), Term::Record(parts)) => {
                for ((field, ty), (_, part)) in types.iter().zip(parts.iter()) {
                    let name = format!("{name}.{}", self.text(*field));
                    self.local_names(&name, ty, part, params);
                }
            }
            (Type::Array(array), Term::Array(parts)) => {
                for (member, part) in array.0.members.iter().zip(&parts.elements) {
                    let name = format!("{name}[{}]", self.shown(member));
                    self.local_names(&name, &array.1, part, params);
                }
            }
            _ => {}
        }
    }

    /// A variable of any type: one of the model for each scalar in it.
    pub(super) fn variable(
        &mut self,
        name: &str,
        ty: &Type,
        about: (Role, VarKind),
        span: Span,
    ) -> Term {
        if let Some(domain) = self.domain(ty) {
            if self.model.vars.len() >= limits::VARIABLES {
                let text = format!("there are more than {} variables here", limits::VARIABLES);
                self.report(Diagnostic::error("too-large", span, text));
                return Term::Poison;
            }
            let var = self.scalar_variable(name, domain, about, span);
            let expr = self.model.var_expr(var);
            let term = Term::scalar(expr, self.kind(ty));
            if let Type::Refined(refined) = ty
                && refined.members.is_none()
            {
                self.keep_in_type(&term, ty, span);
            }
            return term;
        }
        match ty {
            Type::Tuple(types) => {
                let mut parts = Vec::new();
                for (idx, ty) in types.iter().enumerate() {
                    let part = self.variable(&format!("{name}.{}", idx + 1), ty, about, span);
                    if part.is_poison() {
                        return part;
                    }
                    parts.push(part);
                }
                Term::Tuple(parts.into())
            }
            Type::Record(fields) => {
                let mut parts = Vec::new();
                for (field, ty) in fields.iter() {
                    let name = format!("{name}.{}", self.text(*field));
                    let part = self.variable(&name, ty, about, span);
                    if part.is_poison() {
                        return part;
                    }
                    parts.push((*field, part));
                }
                Term::Record(parts.into())
            }
            Type::Array(array) => self.array_variable(name, array, about, span),
            Type::Data(id, _) => self.data_variable(name, *id, about, span),
            Type::Refined(refined) => {
                let term = self.variable(name, &refined.base, about, span);
                if !term.is_poison() {
                    self.keep_in_type(&term, ty, span);
                }
                term
            }
            _ => {
                let text = format!("a variable can't be of the type {}", self.describe_type(ty));
                let help = "variables are of finite types, and of numbers";
                self.report(Diagnostic::error("unsupported", span, text).help(help));
                Term::Poison
            }
        }
    }

    fn scalar_variable(
        &mut self,
        name: &str,
        domain: Domain,
        (role, kind): (Role, VarKind),
        span: Span,
    ) -> VarId {
        let name = self.fresh(name);
        self.model.vars.push(Var { name, kind, domain, role, timing: None, span });
        VarId(self.model.vars.len() as u32 - 1)
    }

    fn array_variable(
        &mut self,
        name: &str,
        array: &(Rc<super::term::Index>, Type),
        about: (Role, VarKind),
        span: Span,
    ) -> Term {
        let first = self.model.vars.len() as u32;
        let mut elements = Vec::new();
        for member in array.0.members.iter() {
            let name = format!("{name}[{}]", self.shown(member));
            let element = self.variable(&name, &array.1, about, span);
            if element.is_poison() {
                return Term::Poison;
            }
            elements.push(element);
        }
        if let Some(dims) = self.dims(array) {
            let elements = first..self.model.vars.len() as u32;
            self.model.arrays.push(Array { name: name.into(), dims, elements });
        }
        Term::Array(Rc::new(ArrayTerm { index: Rc::clone(&array.0), elements }))
    }

    /// The bounds of an array of scalars whose indices are numbers without gaps.
    fn dims(&self, array: &(Rc<super::term::Index>, Type)) -> Option<Vec<(i64, i64)>> {
        let mut dims = Vec::new();
        let mut next = Some(array);
        while let Some(array) = next {
            let numbers = array.0.members.iter().map(|member| self.constant(member)?.as_int());
            let numbers: Vec<i64> = numbers.collect::<Option<_>>()?;
            if numbers.windows(2).any(|pair| pair[0] + 1 != pair[1]) {
                return None;
            }
            dims.push((*numbers.first()?, *numbers.last()?));
            next = match &array.1 {
                Type::Array(inner) => Some(inner),
                element if self.domain(element).is_none() => return None,
                _ => None,
            };
        }
        Some(dims)
    }

    fn data_variable(
        &mut self,
        name: &str,
        id: super::term::DataId,
        about: (Role, VarKind),
        span: Span,
    ) -> Term {
        let info = self.data_info(id).clone();
        let domain = Domain::Enum(info.tags.clone().into());
        let var = self.scalar_variable(name, domain, about, span);
        let tag = self.model.var_expr(var);
        let all: Vec<NameId> =
            info.constructors.iter().flat_map(|it| &it.fields).map(|(field, _)| *field).collect();
        let mut fields = Vec::new();
        for constructor in &info.constructors {
            let mut own = Vec::new();
            for (field, ty) in &constructor.fields {
                let is_shared = all.iter().filter(|other| *other == field).count() > 1;
                let name = match is_shared {
                    true => format!("{name}.{}.{}", self.text(constructor.name), self.text(*field)),
                    false => format!("{name}.{}", self.text(*field)),
                };
                let part = self.variable(&name, ty, about, span);
                if part.is_poison() {
                    return Term::Poison;
                }
                own.push(part);
            }
            fields.push(own);
        }
        for ((constructor, own), &value) in info.constructors.iter().zip(&fields).zip(&info.tags) {
            self.keep_unused(tag, value, own, constructor, span);
        }
        Term::Data(Rc::new(DataTerm { data: id, tag, fields }))
    }

    /// The fields of constructors that did not make a value have one fixed value.
    fn keep_unused(
        &mut self,
        tag: trapline_model::ExprId,
        value: Value,
        own: &[Term],
        constructor: &super::ConstructorInfo,
        span: Span,
    ) {
        let is_used = self.model.exprs.has_value(tag, value);
        for (part, (_, ty)) in own.iter().zip(&constructor.fields) {
            let fixed = self.first(ty);
            if let Some(is_fixed) = self.equal(part, &fixed) {
                let rule = self.model.exprs.or(is_used, is_fixed);
                self.constrain(ConstraintKind::Invar, rule, span);
            }
        }
    }

    /// A variable never leaves a type that its scalars alone do not tell.
    fn keep_in_type(&mut self, term: &Term, ty: &Type, span: Span) {
        if let Some(is_in) = self.in_type(term, ty, span) {
            self.constrain(ConstraintKind::Invar, is_in, span);
        }
    }

    /// Adds a constraint that nobody wrote as one.
    pub(super) fn constrain(
        &mut self,
        kind: ConstraintKind,
        expr: trapline_model::ExprId,
        span: Span,
    ) {
        if !self.model.exprs.is_true(expr) {
            self.model.constraints.push(Constraint { kind, body: Clause::unwritten(expr, span) });
        }
    }
}

/// A part of a value.
fn part_of(term: &Term, step: Inside) -> Option<Term> {
    match (term, step) {
        (Term::Tuple(parts), Inside::Component(idx)) => parts.get(idx).cloned(),
        (Term::Record(fields), Inside::Component(idx)) => {
            fields.get(idx).map(|(_, term)| term.clone())
        }
        (Term::Array(array), Inside::Element(idx)) => array.elements.get(idx).cloned(),
        _ => None,
    }
}

fn type_inside(ty: &Type, step: Inside) -> Option<Type> {
    match (ty, step) {
        (Type::Tuple(parts), Inside::Component(idx)) => parts.get(idx).cloned(),
        (Type::Record(fields), Inside::Component(idx)) => fields.get(idx).map(|(_, ty)| ty.clone()),
        (Type::Array(array), Inside::Element(_)) => Some(array.1.clone()),
        _ => None,
    }
}
