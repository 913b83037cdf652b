//! From the syntax tree to the flat model.
//!
//! Four passes, none of them recursive: instantiate the modules (names only), give the variables
//! their types, lower the bodies of defines and parameters (on demand, in the order of their
//! dependencies), then the assignments, constraints and properties of each instance. Expressions
//! are postfix code, so each one is a loop with a stack of operands.

mod arrays;
mod assigns;
mod branches;
mod cells;
mod constants;
mod declare;
mod expression;
mod items;
mod names;
mod old;
mod operators;
mod psl;
mod rotate;
mod scope;
mod types;

use rustc_hash::FxHashMap;
use trapline_model::{Argument, Clause, Exprs, Model, ModuleInstance, PropertyKind, Type, VarId};
use trapline_source::{Diagnostic, Diagnostics, Span};

use super::goal_file::Entry;
use super::print::Smv;
use super::syntax::{Code, Module, NameId, Node, Program};
use crate::{FileGoal, Options, Output};
use arrays::{ArrayRef, ArrayTable};
use cells::{Cell, CellId};
use declare::{Instance, ScopeId};
use scope::{Entity, ScopedNames};

/// What is read besides the model: texts over its main module.
#[derive(Debug, Default)]
pub struct Extras {
    /// Expressions; what is wrong with one is an error of the whole.
    pub expressions: Vec<Code>,
    /// Goals, with the code of those that could be parsed.
    pub goals: Vec<(Entry, Option<Code>)>,
    /// What is wrong with goals.
    pub findings: Diagnostics,
}

/// Lowers a text that was parsed without errors, and expressions over its main module. The
/// result is a model only if no error was pushed.
pub fn lower(
    program: &Program,
    mut extras: Extras,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Output {
    let mut output = Output::new(&Smv);
    let mut lowerer = Lowerer::new(program, options, diagnostics);
    if lowerer.run().is_some() {
        for &code in &extras.expressions {
            let logic = expression::Logic::None;
            let clause = lowerer.boolean_clause(code, ScopeId::MAIN, logic, "a constraint");
            output.expressions.extend(clause.map(|clause| clause.expr));
        }
        lowerer.diagnostics = &mut extras.findings;
        for (Entry { name, claim, .. }, code) in extras.goals {
            let clause = code.and_then(|code| lowerer.goal(code, claim));
            output.goals.push(FileGoal { name, clause, claim });
        }
    }
    output.has_no_roles = lowerer.no_inputs;
    output.model = lowerer.model;
    output.goal_findings = extras.findings;
    output
}

/// What an operand of an expression is.
#[derive(Clone, Copy, Debug)]
enum Operand {
    /// A value, a set or a formula.
    Expr(trapline_model::ExprId),
    /// A whole array, or a part of one.
    Array(ArrayRef),
    /// An instance of a module, or `self`.
    Instance(ScopeId),
    /// An array of instances: the first one, and the dimensions that are not indexed yet.
    Instances(u32),
    /// The first part of a dotted name that is not known: perhaps a symbolic constant.
    Path(u32),
    /// Something that was reported, or that is not known yet: stay silent.
    Poison,
}

/// An operand with its span and its first occurrence.
#[derive(Clone, Copy, Debug)]
struct Item {
    operand: Operand,
    span: Span,
    occ_start: usize,
}

/// Operators that were met, whatever they apply to.
#[derive(Default)]
struct Seen {
    next: bool,
    ctl: bool,
    ltl: bool,
}

/// Constants that need no lookup.
struct Common {
    bools: [trapline_model::ExprId; 2],
    ints: Vec<trapline_model::ExprId>,
}

impl Common {
    fn new(exprs: &mut Exprs) -> Common {
        let bools = [exprs.bool(false), exprs.bool(true)];
        let ints = (0..64).map(|int| exprs.value(trapline_model::Value::Int(int))).collect();
        Common { bools, ints }
    }
}

struct Lowerer<'p> {
    program: &'p Program,
    options: &'p Options,
    diagnostics: &'p mut Diagnostics,
    model: Model,
    instances: Vec<Instance>,
    names: ScopedNames,
    numbers: FxHashMap<(ScopeId, i64), Entity>,
    /// The name spaces beside variables and defines, by their full names: `a.b : t` beside `a : t`.
    spaces: FxHashMap<String, ScopeId>,
    /// Names that wait until all instances are made.
    dotted: Vec<(ScopeId, Code, Entity)>,
    /// Single names that are symbolic constants, with what declared them first.
    constants: FxHashMap<NameId, (trapline_model::ExprId, Span)>,
    /// Which names are in `constants`.
    is_constant: Vec<bool>,
    /// `FALSE`, `TRUE` and the smallest integers, which are ubiquitous.
    common: Common,
    instance_arrays: Vec<declare::InstanceArray>,
    /// The instances that each declaration created, by its scope and position.
    made: FxHashMap<(ScopeId, u32), std::ops::Range<u32>>,
    arrays: ArrayTable,
    cells: Vec<Cell>,
    /// Cells that an expression needed and that were not lowered yet.
    missing: Vec<CellId>,
    paths: Vec<String>,
    stack: Vec<Item>,
    modules: FxHashMap<NameId, usize>,
    processes: Vec<ScopeId>,
    running: FxHashMap<ScopeId, trapline_model::DefineId>,
    has_unsupported_psl: bool,
    /// The modules that ISA is including.
    included: Vec<usize>,
    /// What ISA has included where.
    inclusions: rustc_hash::FxHashSet<(ScopeId, usize)>,
    has_bad_isa: bool,
    has_too_many: bool,
    /// What the expression that is lowered has been seen to contain.
    seen: Seen,
    /// The index of each assignment in the model.
    assign_ids: FxHashMap<(trapline_model::AssignKind, VarId), usize>,
    property_names: FxHashMap<String, Span>,
    /// True if nothing identifies the inputs.
    no_inputs: bool,
    /// Roles that comments give, by full name.
    pragmas: Vec<Pragma>,
}

/// The role that a comment gives.
struct Pragma {
    /// Of what, by its full name.
    name: String,
    role: trapline_model::Role,
    /// When it is sent, if that is said.
    timing: Option<trapline_model::Timing>,
    span: Span,
}

impl<'p> Lowerer<'p> {
    fn new(
        program: &'p Program,
        options: &'p Options,
        diagnostics: &'p mut Diagnostics,
    ) -> Lowerer<'p> {
        let mut model = Model::new(&Smv);
        let common = Common::new(&mut model.exprs);
        Lowerer {
            program,
            options,
            diagnostics,
            model,
            common,
            instances: Vec::new(),
            names: ScopedNames::new(program.names.len()),
            numbers: FxHashMap::default(),
            spaces: FxHashMap::default(),
            dotted: Vec::new(),
            constants: FxHashMap::default(),
            is_constant: vec![false; program.names.len()],
            instance_arrays: Vec::new(),
            made: FxHashMap::default(),
            arrays: ArrayTable::default(),
            cells: Vec::new(),
            missing: Vec::new(),
            paths: Vec::new(),
            stack: Vec::new(),
            modules: FxHashMap::default(),
            processes: Vec::new(),
            running: FxHashMap::default(),
            has_unsupported_psl: false,
            included: Vec::new(),
            inclusions: rustc_hash::FxHashSet::default(),
            has_bad_isa: false,
            has_too_many: false,
            seen: Seen::default(),
            assign_ids: FxHashMap::default(),
            property_names: FxHashMap::default(),
            no_inputs: false,
            pragmas: Vec::new(),
        }
    }

    fn run(&mut self) -> Option<()> {
        let main = self.find_main()?;
        // A guess that spares the table from being rebuilt as it grows.
        self.model.exprs.reserve(self.program.nodes.len() / 2);
        self.instantiate(main);
        self.declare_dotted();
        self.check_constants();
        self.declare_vars();
        self.declare_process_selector();
        self.lower_all_cells();
        self.lower_items();
        self.list_modules();
        self.list_instances();
        self.finish_assigns();
        trapline_model::decide::find_sites(&mut self.model);
        self.set_roles();
        Some(())
    }

    /// A goal over the main module.
    fn goal(&mut self, code: Code, claim: Option<PropertyKind>) -> Option<Clause> {
        let kind = claim.unwrap_or(PropertyKind::Invar);
        let logic = match kind {
            PropertyKind::Ctl => expression::Logic::Ctl,
            PropertyKind::Ltl => expression::Logic::Ltl,
            _ => expression::Logic::None,
        };
        self.property_clause(code, ScopeId::MAIN, (logic, kind), "a goal")
    }

    /// Where the text of each module is: from its name to that of the next one.
    fn list_modules(&mut self) {
        let mut modules: Vec<&Module> = self.program.modules.iter().collect();
        // Included files are read behind the file that includes them.
        modules.sort_by_key(|module| module.name.span.start);
        let ends = modules.iter().skip(1).map(|next| next.name.span.start).chain([u32::MAX]);
        for (module, end) in modules.iter().zip(ends) {
            let span = Span::new(module.name.span.start, end);
            self.model.modules.push((self.program.name(module.name.id).to_string(), span));
        }
    }

    /// What the text of each instance calls its parameters.
    fn list_instances(&mut self) {
        for (idx, instance) in self.instances.iter().enumerate() {
            let modules = instance.module.map(|module| &self.program.modules[module]);
            let params = modules.iter().flat_map(|module| &module.params);
            let params = params.filter_map(|param| {
                let entity = self.names.get(ScopeId(idx as u32), param.id)?;
                Some((self.program.name(param.id).to_string(), self.argument(entity)?))
            });
            let (name, params) = (instance.name.clone(), params.collect());
            self.model.instances.push(ModuleInstance { name, params });
        }
    }

    fn argument(&self, entity: Entity) -> Option<Argument> {
        let Entity::Cell(cell, _) = entity else { return None };
        match self.cells[cell.0 as usize].done()? {
            Operand::Expr(expr) => Some(Argument::Expr(expr)),
            Operand::Instance(scope) => {
                Some(Argument::Instance(self.instances[scope.0 as usize].name.clone()))
            }
            _ => None,
        }
    }

    fn exprs(&mut self) -> &mut Exprs {
        &mut self.model.exprs
    }

    fn ty(&self, id: trapline_model::ExprId) -> Type {
        self.model.exprs.ty(id)
    }

    fn name(&self, id: NameId) -> &'p str {
        self.program.name(id)
    }

    fn code(&self, code: Code) -> &'p [Node] {
        self.program.code(code)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn var_expr(&mut self, var: VarId) -> trapline_model::ExprId {
        self.model.var_expr(var)
    }
}
