//! The flat transition system that every language is lowered to.

use rustc_hash::FxHashMap;
use trapline_source::Span;

use crate::expr::{DefineId, Expr, ExprId, Exprs, Info, Reads, VarId};
use crate::group::{GroupId, SiteGroup};
use crate::instance::ModuleInstance;
use crate::site::{OccId, Occurrences, Reach, Site};
use crate::syntax::Syntax;
use crate::types::Domain;
use crate::value::{SymbolId, Value};

/// An expression with more nodes, shared ones counted each time, is not written out for people.
const MAX_SHOWN: usize = 100_000;

/// A model: variables, initial states, a transition relation, invariants, fairness, properties.
#[derive(Clone, Debug)]
pub struct Model {
    /// How its language is written.
    pub syntax: &'static dyn Syntax,
    /// The symbolic constants.
    pub symbols: Symbols,
    /// All expressions.
    pub exprs: Exprs,
    /// The types that the author named. SMV's have no names, SAL's enumerations do.
    pub types: Vec<(String, Domain)>,
    /// The variables; an array is a variable an element.
    pub vars: Vec<Var>,
    /// The arrays that variables are elements of.
    pub arrays: Vec<Array>,
    /// The defines; an array define is a define an element.
    pub defines: Vec<Define>,
    /// The arrays that defines are elements of.
    pub define_arrays: Vec<Array>,
    /// The assignments.
    pub assigns: Vec<Assign>,
    /// What must hold besides.
    pub constraints: Vec<Constraint>,
    /// What holds infinitely often on every fair path.
    pub justice: Vec<Clause>,
    /// If the first holds infinitely often on a fair path, so does the second.
    pub compassion: Vec<(Clause, Clause)>,
    /// The properties, by kind, inside a kind in the order of the text and the instances.
    pub properties: Vec<Property>,
    /// The expressions as the author wrote them.
    pub occurrences: Occurrences,
    /// The sites: points where the author made a decision.
    pub sites: Vec<Site>,
    /// Their reach conditions.
    pub reaches: Vec<Reach>,
    /// What states and steps choose from.
    pub groups: Vec<SiteGroup>,
    /// The selector inputs.
    pub selectors: Vec<Selector>,
    /// The modules of the text, each with its span.
    pub modules: Vec<(String, Span)>,
    /// The instances of modules, the main one first; none in a language without modules.
    pub instances: Vec<ModuleInstance>,
}

/// The symbolic constants of a model.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    names: Vec<String>,
    ids: FxHashMap<String, SymbolId>,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its full name: `valve.pressure`, `queue[2]`.
    pub name: String,
    /// When it may change.
    pub kind: VarKind,
    /// Its values.
    pub domain: Domain,
    /// Its role.
    pub role: Role,
    /// When it is sent if it is an input, as far as the user says; [`crate::roles::timings`] has the rest.
    pub timing: Option<Timing>,
    /// Its declaration.
    pub span: Span,
}

/// An input that the tester does not control: it selects which process or command moves in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The input.
    pub var: VarId,
    /// What its values select.
    pub selects: Selects,
}

/// What the values of a selector select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selects {
    /// The process that runs.
    Process,
    /// The alternative of a group that is taken.
    Alternative(GroupId),
}

/// When a variable may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarKind {
    /// With every step.
    State,
    /// Belongs to a step, not to a state.
    Input,
    /// Never after state 0.
    Frozen,
}

/// Who controls a variable and who observes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The tester sets it.
    Input,
    /// The implementation shows it.
    Output,
    /// Neither controlled nor observed.
    Internal,
}

/// When the value that an input has in a state is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timing {
    /// With its state: the implementation answers with the outputs of the same state.
    State,
    /// With the step that leaves the state: the implementation answers with the outputs of the next.
    Step,
}

impl Timing {
    /// In a sentence about what is sent.
    pub fn with(self) -> &'static str {
        match self {
            Timing::State => "with its state",
            Timing::Step => "with the step",
        }
    }
}

/// An array and its elements, which are arrays or variables.
#[derive(Clone, Debug)]
pub struct Array {
    /// Its full name.
    pub name: String,
    /// The bounds of each dimension, outermost first.
    pub dims: Vec<(i64, i64)>,
    /// Its variables or defines, the last index fastest.
    pub elements: std::ops::Range<u32>,
}

/// A define.
#[derive(Clone, Debug)]
pub struct Define {
    /// Its full name.
    pub name: String,
    /// Its definition.
    pub body: Clause,
    /// Its role.
    pub role: Role,
}

/// An expression in the source: what it means, how it was written, where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clause {
    /// What it means.
    pub expr: ExprId,
    /// Its occurrence; `None` if it is derived.
    pub occ: Option<OccId>,
    /// Where.
    pub span: Span,
}

/// An assignment: the variable's value is in the set that the expression gives. There is one
/// for each value (initial, next, current) of a variable.
#[derive(Clone, Debug)]
pub struct Assign {
    /// Which value of the variable.
    pub kind: AssignKind,
    /// The variable.
    pub var: VarId,
    /// The assigned expression: the right-hand side, or that of the active part, and the old value
    /// when none is active.
    pub expr: ExprId,
    /// What was written: one part, or one for each process or alternative.
    pub parts: Vec<AssignPart>,
}

/// An assignment as written.
#[derive(Clone, Copy, Debug)]
pub struct AssignPart {
    /// The right-hand side.
    pub body: Clause,
    /// When it holds: that the process which it belongs to runs, or that the alternative which it
    /// belongs to is taken. `None`: always.
    pub when: Option<ExprId>,
    /// The left-hand side.
    pub target_span: Span,
}

/// Which value an assignment gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AssignKind {
    /// In state 0.
    Init,
    /// In the state after each step.
    Next,
    /// In every state.
    Current,
}

/// A constraint.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Of which states or steps.
    pub kind: ConstraintKind,
    /// What must hold.
    pub body: Clause,
}

/// What a constraint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConstraintKind {
    /// State 0.
    Init,
    /// Every state.
    Invar,
    /// Every step.
    Trans,
}

/// A property of the model.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its logic.
    pub kind: PropertyKind,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its formula.
    pub formula: Formula,
    /// The instance that it was written in, if that is not the main one.
    pub instance: Option<String>,
    /// Its span.
    pub span: Span,
}

/// The kinds of properties, in the order of NuSMV's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PropertyKind {
    /// Computation tree logic.
    Ctl,
    /// A shortest or longest distance.
    Compute,
    /// Linear temporal logic.
    Ltl,
    /// The property specification language.
    Psl,
    /// An invariant of states or steps.
    Invar,
}

impl PropertyKind {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            PropertyKind::Ctl => "ctl",
            PropertyKind::Compute => "compute",
            PropertyKind::Ltl => "ltl",
            PropertyKind::Psl => "psl",
            PropertyKind::Invar => "invar",
        }
    }
}

/// The formula of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formula {
    /// That this holds.
    Holds(Clause),
    /// The least number of steps from the first to the second.
    Min(Clause, Clause),
    /// The greatest.
    Max(Clause, Clause),
    /// Something beyond what we can read.
    Unsupported(&'static str),
}

impl Clause {
    /// A derived expression, with the span of what it was derived for.
    pub fn unwritten(expr: ExprId, span: Span) -> Clause {
        Clause { expr, occ: None, span }
    }
}

impl Symbols {
    /// The symbol with this name, made if it is new.
    pub fn intern(&mut self, name: &str) -> SymbolId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = SymbolId(self.names.len() as u32);
        self.names.push(name.into());
        self.ids.insert(name.into(), id);
        id
    }

    /// The symbol with this name, if there is one.
    pub fn find(&self, name: &str) -> Option<SymbolId> {
        self.ids.get(name).copied()
    }

    /// Its name.
    pub fn name(&self, id: SymbolId) -> &str {
        &self.names[id.0 as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Gives one another name, which no other has.
    pub fn rename(&mut self, id: SymbolId, name: &str) {
        let old = std::mem::replace(&mut self.names[id.0 as usize], name.into());
        if self.ids.get(&old) == Some(&id) {
            self.ids.remove(&old);
        }
        self.ids.insert(name.into(), id);
    }
}

impl Model {
    /// An empty model in this syntax.
    pub fn new(syntax: &'static dyn Syntax) -> Model {
        Model {
            syntax,
            symbols: Symbols::default(),
            exprs: Exprs::default(),
            types: Vec::new(),
            vars: Vec::new(),
            arrays: Vec::new(),
            defines: Vec::new(),
            define_arrays: Vec::new(),
            assigns: Vec::new(),
            constraints: Vec::new(),
            justice: Vec::new(),
            compassion: Vec::new(),
            properties: Vec::new(),
            occurrences: Occurrences::default(),
            sites: Vec::new(),
            reaches: Vec::new(),
            groups: Vec::new(),
            selectors: Vec::new(),
            modules: Vec::new(),
            instances: Vec::new(),
        }
    }

    /// The variable.
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.0 as usize]
    }

    /// The define.
    pub fn define(&self, id: DefineId) -> &Define {
        &self.defines[id.0 as usize]
    }

    /// The expression that reads a variable in the current state.
    pub fn var_expr(&mut self, id: VarId) -> ExprId {
        let var = self.var(id);
        let reads = match var.kind {
            VarKind::Input => Reads::INPUT,
            VarKind::State | VarKind::Frozen => Reads::STATE,
        };
        let ty = var.domain.ty();
        self.exprs.declare(Expr::Var(id), Info { ty, reads })
    }

    /// The expression that reads a define in the current state.
    pub fn define_expr(&mut self, id: DefineId) -> ExprId {
        let info = self.exprs.info(self.define(id).body.expr);
        self.exprs.declare(Expr::Define(id), info)
    }

    /// True if the variable is a selector.
    pub fn is_selector(&self, var: VarId) -> bool {
        self.selectors.iter().any(|selector| selector.var == var)
    }

    /// Does the variable say which command is taken?
    pub fn is_command(&self, var: VarId) -> bool {
        let is_meant = |s: &Selector| s.var == var && s.selects != Selects::Process;
        self.selectors.iter().any(is_meant) && self.var(var).kind == VarKind::Input
    }

    /// The input that selects the running process.
    pub fn process_selector(&self) -> Option<VarId> {
        let mut processes = self.selectors.iter().filter(|s| s.selects == Selects::Process);
        processes.next().map(|selector| selector.var)
    }

    /// All variables with their ids.
    pub fn var_ids(&self) -> impl Iterator<Item = (VarId, &Var)> {
        self.vars.iter().enumerate().map(|(idx, var)| (VarId(idx as u32), var))
    }

    /// The variable with this full name.
    pub fn find_var(&self, name: &str) -> Option<VarId> {
        self.vars.iter().position(|v| v.name == name).map(|idx| VarId(idx as u32))
    }

    /// The value as the author would write it.
    pub fn show(&self, value: Value) -> String {
        self.syntax.value(self, value)
    }

    /// The type with these values, by the author's name for it if it has one.
    pub fn show_type(&self, domain: &Domain) -> String {
        let named = self.types.iter().find(|(_, known)| known == domain);
        named.map_or_else(|| self.syntax.domain(self, domain), |(name, _)| name.clone())
    }

    /// The expression as the author would write it, for people: what would be very long is not
    /// written out.
    pub fn show_expr(&self, expr: ExprId) -> String {
        match self.exprs.is_short(expr, MAX_SHOWN) {
            true => self.syntax.expr(self, expr),
            false => "…".into(),
        }
    }
}
