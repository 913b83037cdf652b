//! Scopes: what names denote, and their declaration.

use rustc_hash::FxHashMap;
use trapline_model::{Array, Expr, name};
use trapline_source::{Diagnostic, Span};

use super::super::syntax::{self, Code, NameId, Op, Unary};
use super::cells::CellId;
use super::declare::{Instance, ScopeId};
use super::{Lowerer, Operand};

/// What a name denotes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entity {
    /// A variable or array that has no type yet.
    Declared(Span),
    /// A variable, an array, an instance.
    Known(Operand, Span),
    /// A define or a formal parameter.
    Cell(CellId, Span),
}

/// What the names of each scope denote. Those of the main module, which in a flat model are all of
/// them, are indexed by their number alone.
pub(super) struct ScopedNames {
    main: Vec<Option<Entity>>,
    inner: FxHashMap<(ScopeId, NameId), Entity>,
}

impl ScopedNames {
    pub fn new(n_names: usize) -> ScopedNames {
        ScopedNames { main: vec![None; n_names], inner: FxHashMap::default() }
    }

    pub fn get(&self, scope: ScopeId, name: NameId) -> Option<Entity> {
        match scope {
            ScopeId::MAIN => self.main[name.0 as usize],
            _ => self.inner.get(&(scope, name)).copied(),
        }
    }

    /// All declared names of all scopes.
    pub fn declared(&self) -> impl Iterator<Item = (NameId, Entity)> + '_ {
        let main = self.main.iter().enumerate();
        let main = main.filter_map(|(idx, entity)| entity.map(|e| (NameId(idx as u32), e)));
        main.chain(self.inner.iter().map(|(&(_, name), &entity)| (name, entity)))
    }

    /// Returns what the name stood for before.
    pub fn insert(&mut self, scope: ScopeId, name: NameId, entity: Entity) -> Option<Entity> {
        match scope {
            ScopeId::MAIN => self.main[name.0 as usize].replace(entity),
            _ => self.inner.insert((scope, name), entity),
        }
    }
}

impl Lowerer<'_> {
    pub fn full_name(&self, scope: ScopeId, name: Code) -> String {
        let instance = &self.instances[scope.0 as usize].name;
        name::member(instance, &dotted(self.program, self.code(name)))
    }

    /// Declares a name in a scope. A dotted or indexed one may go into an instance, even one that
    /// a parameter stands for, so it waits until all instances are made.
    pub fn declare(&mut self, scope: ScopeId, name: Code, entity: Entity) {
        match self.code(name) {
            [syntax::Node { op: Op::Ident(name), .. }] => self.declare_one(scope, *name, entity),
            _ => self.dotted.push((scope, name, entity)),
        }
    }

    /// Declares the dotted and indexed names, those of fewer parts first: another one may begin with
    /// them.
    pub fn declare_dotted(&mut self) {
        let mut dotted = std::mem::take(&mut self.dotted);
        dotted.sort_by_key(|(_, name, _)| declared_steps(self.code(*name)).len());
        for (scope, name, entity) in dotted {
            let Some((scope, last)) = self.enter(scope, name) else { continue };
            if let Entity::Cell(cell, _) = entity {
                // Its full name is that of the instance it went into.
                self.cells[cell.0 as usize].define = Some(self.member_name(scope, last));
            }
            match last {
                Last::Name(name) => self.declare_one(scope, name, entity),
                Last::Number(number) => {
                    if let Some(first) = self.numbers.insert((scope, number), entity) {
                        self.declared_twice(&number.to_string(), entity, first);
                    }
                }
            }
        }
    }

    pub fn declare_one(&mut self, scope: ScopeId, name: NameId, entity: Entity) {
        if let Some(first) = self.names.insert(scope, name, entity) {
            let text = self.name(name).to_string();
            self.declared_twice(&text, entity, first);
        }
    }

    fn declared_twice(&mut self, name: &str, entity: Entity, first: Entity) {
        let text = format!("`{name}` is declared twice");
        let error = Diagnostic::error("duplicate-name", entity.span(), text);
        self.report(error.label(first.span(), "first declared here"));
    }

    pub fn redeclare(&mut self, scope: ScopeId, name: Code, entity: Entity) {
        if let Some((scope, last)) = self.enter(scope, name) {
            match last {
                Last::Name(name) => drop(self.names.insert(scope, name, entity)),
                Last::Number(number) => drop(self.numbers.insert((scope, number), entity)),
            }
        }
    }

    /// Walks (and makes) the name spaces that a dotted or indexed declaration goes through.
    fn enter(&mut self, mut scope: ScopeId, name: Code) -> Option<(ScopeId, Last)> {
        let mut steps = declared_steps(self.code(name)).into_iter().peekable();
        while let Some(step) = steps.next() {
            if steps.peek().is_none() {
                return Some((scope, step));
            }
            let found = match step {
                Last::Name(name) => self.names.get(scope, name),
                Last::Number(number) => self.numbers.get(&(scope, number)).copied(),
            };
            scope = match found {
                None => {
                    let space = self.add_name_space(scope, step);
                    let span = self.program.span(name);
                    let entity = Entity::Known(Operand::Instance(space), span);
                    match step {
                        Last::Name(name) => drop(self.names.insert(scope, name, entity)),
                        Last::Number(number) => drop(self.numbers.insert((scope, number), entity)),
                    }
                    space
                }
                Some(entity) => self.enter_entity(scope, step, entity, name)?,
            };
        }
        None
    }

    /// The name space of something that is declared itself.
    fn enter_entity(
        &mut self,
        scope: ScopeId,
        step: Last,
        entity: Entity,
        name: Code,
    ) -> Option<ScopeId> {
        let operand = match entity {
            Entity::Cell(cell, _) if !self.cells[cell.0 as usize].is_define => {
                self.lower_cell(cell);
                self.cell(cell)
            }
            Entity::Known(operand @ (Operand::Instance(_) | Operand::Instances(_)), _) => operand,
            Entity::Known(Operand::Poison, _) => return None,
            Entity::Declared(_) | Entity::Known(..) | Entity::Cell(..) => {
                return Some(self.space_beside(scope, step));
            }
        };
        match operand {
            Operand::Instance(inner) => Some(inner),
            Operand::Poison => None,
            _ => {
                let text = "only an instance of a module has members";
                self.report(Diagnostic::error("no-member", self.program.span(name), text));
                None
            }
        }
    }

    /// The name space for `a.b`, where `a` is a variable or a define, as translated models have it.
    fn space_beside(&mut self, parent: ScopeId, step: Last) -> ScopeId {
        let name = self.member_name(parent, step);
        match self.spaces.get(&name) {
            Some(&space) => space,
            None => {
                let space = self.add_name_space(parent, step);
                self.spaces.insert(name, space);
                space
            }
        }
    }

    /// Refuses elements that are declared beside their array.
    pub fn refuse_elements(&mut self, array: &str, declared: Span) {
        let Some(&space) = self.spaces.get(array) else { return };
        let beside = self.numbers.iter().filter(|((scope, _), _)| *scope == space);
        let mut beside: Vec<(i64, Span)> =
            beside.map(|(&(_, number), entity)| (number, entity.span())).collect();
        beside.sort_unstable_by_key(|(number, _)| *number);
        for (number, span) in beside {
            let text = format!("`{array}[{number}]` is declared beside the array `{array}`");
            let error = Diagnostic::error("duplicate-name", span, text);
            self.report(error.label(declared, "its elements are declared here"));
        }
    }

    /// The name space beside what an operand is the value of.
    pub fn space_of(&self, operand: Operand) -> Option<ScopeId> {
        if self.spaces.is_empty() {
            return None;
        }
        let name = match operand {
            Operand::Expr(expr) => match self.model.exprs.get(expr) {
                Expr::Var(var) => &self.model.var(var).name,
                Expr::Define(define) => &self.model.defines[define.0 as usize].name,
                _ => return None,
            },
            Operand::Array(array) => {
                let Expr::Var(first) = self.model.exprs.get(self.arrays.elements(array)[0]) else {
                    return None;
                };
                let arrays = &self.model.arrays;
                let idx = arrays.binary_search_by_key(&first.0, |array| array.elements.start);
                // A part of an array has no name of its own.
                let is_whole = |whole: &&Array| whole.dims == self.arrays.dims(array);
                &arrays.get(idx.ok()?).filter(is_whole)?.name
            }
            _ => return None,
        };
        self.spaces.get(name).copied()
    }

    fn member_name(&self, scope: ScopeId, step: Last) -> String {
        let outer = &self.instances[scope.0 as usize].name;
        match step {
            Last::Name(own) => name::member(outer, self.name(own)),
            Last::Number(number) => name::element(outer, number),
        }
    }

    fn add_name_space(&mut self, parent: ScopeId, step: Last) -> ScopeId {
        let scope = ScopeId(self.instances.len() as u32);
        let process = self.instances[parent.0 as usize].process;
        let name = self.member_name(parent, step);
        let (module, pending) = (None, Vec::new());
        self.instances.push(Instance { module, parent: Some(parent), name, process, pending });
        scope
    }
}

impl Entity {
    pub fn span(self) -> Span {
        match self {
            Entity::Declared(span) | Entity::Known(_, span) | Entity::Cell(_, span) => span,
        }
    }
}
/// A step of a declared name.
#[derive(Clone, Copy, Debug)]
enum Last {
    Name(NameId),
    Number(i64),
}

fn declared_steps(nodes: &[syntax::Node]) -> Vec<Last> {
    let mut steps = Vec::new();
    let mut sign = 1;
    for node in nodes {
        match node.op {
            Op::Ident(name) | Op::Dot(name) => steps.push(Last::Name(name)),
            Op::DotNumber(number) | Op::Int(number) => steps.push(Last::Number(number.into())),
            Op::Unary(Unary::Neg) => sign = -1,
            Op::Index => {
                if let Some(Last::Number(number)) = steps.last_mut() {
                    *number *= sign;
                }
                sign = 1;
            }
            op => debug_assert!(false, "{op:?} in a declared name"),
        }
    }
    steps
}

/// A declared name or a dotted constant as text.
pub(super) fn dotted(program: &syntax::Program, nodes: &[syntax::Node]) -> String {
    let mut text = String::new();
    let mut index = 0;
    for node in nodes {
        match node.op {
            Op::Ident(own) | Op::Dot(own) => name::push_member(&mut text, program.name(own)),
            Op::DotNumber(number) => name::push_member(&mut text, &number.to_string()),
            Op::Int(int) => index = i64::from(int),
            Op::Unary(Unary::Neg) => index = -index,
            Op::Index => text = name::element(&text, index),
            _ => {}
        }
    }
    text
}
