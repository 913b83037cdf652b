//! From contexts to a model.
//!
//! Declarations are evaluated top to bottom ([`contexts`]), by a machine that substitutes and unfolds
//! ([`machine`]). The chosen module becomes a tree of base modules ([`modules`]) whose variables are
//! shared as composition says ([`bind`]); each base module then adds its definitions and commands to the
//! model ([`sections`], [`steps`]).

mod bind;
mod bounds;
mod builtin;
mod choose;
mod compare;
mod compose;
mod contexts;
mod cycles;
mod declare;
mod fitting;
mod lookup;
mod machine;
mod main_module;
mod members;
mod modules;
mod operators;
mod parts;
mod properties;
mod sections;
mod shown;
mod steps;
mod targets;
mod term;
mod types;
mod unfold;
mod update;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{Clause, Model, Value, decide};
use trapline_source::{Diagnostic, Diagnostics, SourceFile, Span};

use super::Sal;
use super::syntax::{Context, ModuleId, NameId, Names, NodeId};
use crate::Loader;
use contexts::Instance;
use modules::Main;
use term::{DataId, EnumId, InstanceId, Place, Type};

/// How much is unfolded before we give up.
mod limits {
    /// Evaluations inside each other: of types inside types, and of contexts inside contexts.
    pub const NESTED: usize = 60;
    /// Steps of the machine.
    pub const STEPS: usize = 5_000_000;
    /// What waits for a value.
    pub const FRAMES: usize = 250_000;
    /// Values of a type that are listed, elements of an array, cases of a quantifier.
    pub const MEMBERS: usize = 100_000;
    /// Levels of a value or a type.
    pub const LEVELS: usize = 60;
    /// Parts of a value or a type that is written down: each level may double them.
    pub const PARTS: usize = 2_000_000;
    /// Contexts with their parameters.
    pub const CONTEXTS: usize = 1000;
    /// Scalars that the variables of a model are made of.
    pub const VARIABLES: usize = 200_000;
    /// Base modules of a model.
    pub const MODULES: usize = 20_000;
}

/// An enumeration.
#[derive(Clone, Debug)]
struct EnumInfo {
    name: String,
    values: Vec<Value>,
}

/// A datatype.
#[derive(Clone, Debug)]
struct DataInfo {
    name: String,
    /// How many levels its values have.
    depth: usize,
    constructors: Vec<ConstructorInfo>,
    /// What stands for each constructor in a variable.
    tags: Vec<Value>,
}

#[derive(Clone, Debug)]
struct ConstructorInfo {
    name: NameId,
    fields: Vec<(NameId, Type)>,
}

/// What is read together.
#[derive(Debug)]
pub struct Job<'a> {
    /// The context.
    pub context: Context,
    /// The names that occur in it.
    pub names: Names,
    /// Expressions over the chosen module: those of the user's, and then those of goals.
    pub asked: Vec<Asked>,
    /// How many of them are the user's.
    pub n_expressions: usize,
    /// Contexts whose only module watches the chosen one.
    pub observers: Vec<Context>,
    /// The chosen module or theorem, if the user says which one.
    pub main: Option<ModuleId>,
    /// Where the context comes from.
    pub file: &'a SourceFile,
    /// Gives further contexts.
    pub loader: &'a dyn Loader,
}

/// An expression that stands elsewhere than in the context.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// The expression.
    pub node: NodeId,
    /// May it be a temporal formula?
    pub is_formula: bool,
}

/// What was lowered.
#[derive(Debug)]
pub struct Lowered {
    /// The model.
    pub model: Model,
    /// The expressions, each unless something is wrong with it.
    pub asked: Vec<Option<Clause>>,
}

struct Lowerer<'a> {
    model: Model,
    diagnostics: Diagnostics,
    names: Names,
    file: &'a SourceFile,
    loader: &'a dyn Loader,
    /// The contexts that were read, by name.
    contexts: FxHashMap<String, Option<Rc<Context>>>,
    instances: Vec<Instance>,
    enums: Vec<EnumInfo>,
    datas: Vec<DataInfo>,
    /// The names of the model's variables.
    taken: FxHashSet<String>,
    /// The last number behind each name that was taken more than once.
    numbers: FxHashMap<String, usize>,
    /// What its base modules are called, and how many would be called so.
    labels: FxHashMap<String, usize>,
    /// Where reading a context is inside reading others.
    n_contexts_open: usize,
    n_nested: usize,
    n_steps: usize,
    /// Was something unfolded without end?
    gave_up: bool,
    /// May temporal operators stand here?
    in_formula: bool,
    /// Which logics a formula has used: of paths, of trees.
    logics: (bool, bool),
    /// May names be primed here?
    may_prime: bool,
    bounds: FxHashMap<trapline_model::ExprId, Option<(i64, i64)>>,
}

/// Lowers the chosen module of a context. What is wrong with goals goes to the findings.
pub fn lower(job: Job<'_>, diagnostics: &mut Diagnostics, findings: &mut Diagnostics) -> Lowered {
    let Job { context, names, asked, n_expressions, observers, main, file, loader, .. } = job;
    let mut lowerer = Lowerer::new(names, file, loader);
    let mut clauses = Vec::new();
    let chosen = lowerer.choose_main(Rc::new(context), main);
    if let Some(main) = chosen.and_then(|main| lowerer.compose(main, observers))
        && let Some(place) = lowerer.whole(&main)
    {
        let (own, goals) = asked.split_at(n_expressions);
        clauses.extend(own.iter().map(|&asked| lowerer.asked(asked, &place)));
        let before = std::mem::take(&mut lowerer.diagnostics);
        clauses.extend(goals.iter().map(|&asked| lowerer.asked(asked, &place)));
        let found = std::mem::replace(&mut lowerer.diagnostics, before);
        found.list().iter().for_each(|finding| findings.push(finding.clone()));
    }
    let found = &lowerer.diagnostics;
    found.list().iter().for_each(|finding| diagnostics.push(finding.clone()));
    if !diagnostics.has_errors() {
        decide::find_sites(&mut lowerer.model);
    }
    Lowered { model: lowerer.model, asked: clauses }
}

impl<'a> Lowerer<'a> {
    fn new(names: Names, file: &'a SourceFile, loader: &'a dyn Loader) -> Lowerer<'a> {
        Lowerer {
            model: Model::new(&Sal),
            diagnostics: Diagnostics::new(),
            names,
            file,
            loader,
            contexts: FxHashMap::default(),
            instances: Vec::new(),
            enums: Vec::new(),
            datas: Vec::new(),
            taken: FxHashSet::default(),
            numbers: FxHashMap::default(),
            labels: FxHashMap::default(),
            n_contexts_open: 0,
            n_nested: 0,
            n_steps: 0,
            gave_up: false,
            in_formula: false,
            logics: (false, false),
            may_prime: false,
            bounds: FxHashMap::default(),
        }
    }

    /// The variables, the steps and the properties of the chosen module. What is asked of it stands in
    /// the place that is given.
    fn whole(&mut self, main: &Main) -> Option<Place> {
        let system = self.bind(main)?;
        self.behaviour(&system);
        self.properties(main, &system.place);
        Some(system.place)
    }

    /// An expression that stands elsewhere than in the context.
    fn asked(&mut self, asked: Asked, place: &Place) -> Option<Clause> {
        (self.may_prime, self.in_formula, self.logics) = (true, asked.is_formula, (false, false));
        let start = self.model.occurrences.len();
        let term = self.eval(asked.node, place, true);
        (self.may_prime, self.in_formula) = (false, false);
        let expr = self.as_condition(&term, place, asked.node)?;
        Some(self.clause_from(start, expr, self.span(place, asked.node)))
    }

    /// An expression with its occurrence, if one was added from here on.
    fn clause_from(&self, start: usize, expr: trapline_model::ExprId, span: Span) -> Clause {
        let n_occurrences = self.model.occurrences.len();
        let last = trapline_model::OccId(n_occurrences.saturating_sub(1) as u32);
        let is_added = n_occurrences > start && self.model.occurrences.get(last).expr == expr;
        Clause { expr, occ: is_added.then_some(last), span }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn instance(&self, id: InstanceId) -> &Instance {
        &self.instances[id.0 as usize]
    }

    fn context(&self, place: &Place) -> Rc<Context> {
        Rc::clone(&self.instance(place.instance).context)
    }

    fn span(&self, place: &Place, node: NodeId) -> Span {
        self.instance(place.instance).context.node(node).span
    }

    fn text(&self, id: NameId) -> &str {
        self.names.text(id)
    }

    /// A name for a variable that no other has.
    fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_string();
        while !self.taken.insert(name.clone()) {
            let number = self.numbers.entry(wanted.to_string()).or_insert(1);
            *number += 1;
            name = format!("{wanted}_{number}");
        }
        name
    }

    fn enum_info(&self, id: EnumId) -> &EnumInfo {
        &self.enums[id.0 as usize]
    }

    fn data_info(&self, id: DataId) -> &DataInfo {
        &self.datas[id.0 as usize]
    }
}
