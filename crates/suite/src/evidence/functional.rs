//! What a mutant does where inputs determine everything.
//!
//! Every variable has one value, given by its assignment; constraints only forbid. So a mutant has one
//! run on the inputs of a test. Up to where the test kills it, that run is the test. From then on only
//! what reads a changed value is computed again: the run is the test, but for the variables that differ.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use trapline_engine::{Budget, Why};
use trapline_goals::mutate::Change;
use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Plan, Valuation};
use trapline_model::trace::Trace;
use trapline_model::{
    AssignKind, Clause, ConstraintKind, DefineId, Domain, Expr, ExprId, Model, Role, Scope, Type,
    Value, VarId, VarKind,
};

use super::Outcome;
use crate::steps::ExecutableSuite;

/// The rules of a model, each a function of the states that it reads.
pub struct Functions {
    rules: Vec<Rule>,
    /// The rules of assignments, by assignment.
    of_assign: Vec<usize>,
    /// The rules of constraints, by constraint.
    of_constraint: Vec<usize>,
    /// By variable, the rules that read it in the state that they are about, and in the state before.
    readers: Vec<Vec<usize>>,
    readers_after: Vec<Vec<usize>>,
    /// The variables that are compared.
    is_compared: Vec<bool>,
}

/// A rule.
#[derive(Clone)]
struct Rule {
    gives: Gives,
    scope: Scope,
    expr: ExprId,
    plan: Plan,
    /// The variables read in the state that the rule is about, and in the state before.
    reads: Vec<VarId>,
    reads_before: Vec<VarId>,
    /// The definitions read.
    defines: FxHashSet<DefineId>,
}

/// What a rule gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    /// The value of a variable.
    Value(VarId),
    /// The values that an input may have.
    Choice(VarId),
    /// That a state or a step is allowed.
    Allowed,
    /// A definition that is compared.
    Shown(DefineId),
}

/// The rules of a mutant that differ from those of its model.
pub struct Changed(Vec<(usize, Rule)>);

impl Functions {
    /// The functions of a model, if inputs determine everything.
    pub fn new(model: &Model, suite: &ExecutableSuite) -> Option<Functions> {
        if !is_determined(model) {
            return None;
        }
        let n_vars = model.vars.len();
        let checked: FxHashSet<usize> = suite.checked().into_iter().collect();
        let mut rules = Vec::new();
        for assign in &model.assigns {
            let gives = match model.var(assign.var).role {
                Role::Input => Gives::Choice(assign.var),
                _ => Gives::Value(assign.var),
            };
            rules.push(Rule::new(model, gives, scope_of_assign(assign.kind), assign.expr));
        }
        let of_assign = (0..rules.len()).collect();
        for constraint in &model.constraints {
            let scope = match constraint.kind {
                ConstraintKind::Init => Scope::Init,
                ConstraintKind::Invar => Scope::State,
                ConstraintKind::Trans => Scope::Step,
            };
            rules.push(Rule::new(model, Gives::Allowed, scope, constraint.body.expr));
        }
        let of_constraint = (model.assigns.len()..rules.len()).collect();
        for (idx, define) in model.defines.iter().enumerate() {
            if checked.contains(&(n_vars + idx)) {
                let is_step = suite.columns[n_vars + idx].is_step;
                let scope = if is_step { Scope::Step } else { Scope::State };
                let gives = Gives::Shown(DefineId(idx as u32));
                rules.push(Rule::new(model, gives, scope, define.body.expr));
            }
        }
        let (mut readers, mut readers_after) = (vec![Vec::new(); n_vars], vec![Vec::new(); n_vars]);
        for (idx, rule) in rules.iter().enumerate() {
            rule.reads.iter().for_each(|var| readers[var.0 as usize].push(idx));
            rule.reads_before.iter().for_each(|var| readers_after[var.0 as usize].push(idx));
        }
        let is_compared = (0..n_vars).map(|idx| checked.contains(&idx)).collect();
        Some(Functions { rules, of_assign, of_constraint, readers, readers_after, is_compared })
    }

    /// The rules that a change touches; `None` if it leaves no functions.
    pub fn changed(&self, model: &mut Model, change: &Change) -> Option<Changed> {
        let again = |model: &Model, idx: usize, expr: ExprId| {
            let Rule { gives, scope, .. } = self.rules[idx];
            (idx, Rule::new(model, gives, scope, expr))
        };
        let list = match change {
            Change::Assign(idx, assign) => vec![again(model, self.of_assign[*idx], assign.expr)],
            Change::Constraints(list, expr) => {
                list.iter().map(|&idx| again(model, self.of_constraint[idx], *expr)).collect()
            }
            Change::Define(define, expr) => {
                let body = &mut model.defines[define.0 as usize].body;
                let old = std::mem::replace(body, Clause::unwritten(*expr, body.span));
                let own = Gives::Shown(*define);
                let is_touched = |rule: &Rule| rule.gives == own || rule.defines.contains(define);
                let rules = self.rules.iter().enumerate().filter(|(_, rule)| is_touched(rule));
                let list = rules.map(|(idx, rule)| {
                    again(model, idx, if rule.gives == own { *expr } else { rule.expr })
                });
                let list = list.collect();
                model.defines[define.0 as usize].body = old;
                list
            }
            Change::Group(_) | Change::Properties => return None,
        };
        Some(Changed(list))
    }

    /// Runs a mutant on the inputs of a test that it follows before some state.
    pub fn run(
        &self,
        model: &Model,
        changed: &Changed,
        (test, first): (&Trace, usize),
        budget: &Budget<'_>,
    ) -> Outcome {
        let before = first.checked_sub(1).map(|before| test.states[before].values.clone());
        let mut run = Run {
            functions: self,
            model,
            changed,
            budget,
            test,
            before: before.unwrap_or_default(),
            differs: BTreeSet::new(),
            cells: Vec::new(),
        };
        let mut states = first..test.states.len();
        states.find_map(|state| run.step(state)).unwrap_or(Outcome::Missed)
    }
}

/// Do inputs determine everything?
fn is_determined(model: &Model) -> bool {
    let n_vars = model.vars.len();
    let (mut has_first, mut has_next) = (vec![false; n_vars], vec![false; n_vars]);
    for assign in &model.assigns {
        let is_single = !matches!(model.exprs.ty(assign.expr), Type::Set(_));
        let idx = assign.var.0 as usize;
        has_first[idx] |= is_single && assign.kind != AssignKind::Next;
        has_next[idx] |= is_single && assign.kind != AssignKind::Init;
    }
    model.var_ids().all(|(var, declared)| {
        let idx = var.0 as usize;
        let is_real = matches!(declared.domain, Domain::Real | Domain::Clock);
        match (declared.role, declared.kind) {
            _ if is_real => false,
            (Role::Input, _) => true,
            (_, VarKind::Input) => false,
            (_, VarKind::Frozen) => has_first[idx],
            (_, VarKind::State) => has_first[idx] && has_next[idx],
        }
    })
}

fn scope_of_assign(kind: AssignKind) -> Scope {
    match kind {
        AssignKind::Init => Scope::Init,
        AssignKind::Current => Scope::State,
        AssignKind::Next => Scope::Step,
    }
}

impl Rule {
    fn new(model: &Model, gives: Gives, scope: Scope, expr: ExprId) -> Rule {
        let read = support(model, [expr]);
        let (reads, reads_before) = match scope {
            Scope::Step => (read.next, read.current),
            Scope::Init | Scope::State => (read.current, Vec::new()),
        };
        let (plan, defines) = (Plan::new(model, &[expr]), defines(model, expr));
        Rule { gives, scope, expr, plan, reads, reads_before, defines }
    }

    /// Evaluates the rule for a state and the one before.
    fn run(&self, before: &Valuation, now: &Valuation, cells: &mut Vec<Cell>) {
        match self.scope {
            Scope::Step => self.plan.run(before, now, cells),
            Scope::Init | Scope::State => self.plan.run(now, &[], cells),
        }
    }
}

/// The definitions that an expression reads, through others too.
fn defines(model: &Model, expr: ExprId) -> FxHashSet<DefineId> {
    let (mut found, mut seen) = (FxHashSet::default(), FxHashSet::default());
    let mut stack = vec![expr];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        match model.exprs.get(id) {
            Expr::Define(define) | Expr::NextDefine(define) => {
                found.insert(define);
                stack.push(model.define(define).body.expr);
            }
            expr => stack.extend(model.exprs.operands(expr).as_slice()),
        }
    }
    found
}

/// A run of a mutant along a test.
struct Run<'r> {
    functions: &'r Functions,
    model: &'r Model,
    changed: &'r Changed,
    budget: &'r Budget<'r>,
    test: &'r Trace,
    /// The state before; empty at the start.
    before: Vec<Option<Value>>,
    /// The variables in which it differs from the test.
    differs: BTreeSet<VarId>,
    cells: Vec<Cell>,
}

/// A state of a run in the making.
struct Making {
    /// Its number.
    state: usize,
    values: Vec<Option<Value>>,
    differs: BTreeSet<VarId>,
    /// The assignments to evaluate, and what else must be asked then.
    assigns: BTreeSet<usize>,
    checks: BTreeSet<usize>,
}

impl Run<'_> {
    /// Goes on to a state, the one after the last.
    fn step(&mut self, state: usize) -> Option<Outcome> {
        let mut making = self.begin(state);
        if let Err(outcome) = self.settle(&mut making) {
            return Some(outcome);
        }
        if let Some(outcome) = self.compare(&making) {
            return Some(outcome);
        }
        for idx in std::mem::take(&mut making.checks) {
            if let Some(outcome) = self.check(idx, &making) {
                return Some(outcome);
            }
        }
        (self.before, self.differs) = (making.values, making.differs);
        None
    }

    /// The state of the test, and the rules that may say otherwise.
    fn begin(&self, state: usize) -> Making {
        let mut making = Making {
            state,
            values: self.test.states[state].values.clone(),
            differs: BTreeSet::new(),
            assigns: BTreeSet::new(),
            checks: BTreeSet::new(),
        };
        for (idx, _) in &self.changed.0 {
            self.add(*idx, &mut making);
        }
        for &var in &self.differs {
            if self.model.var(var).kind == VarKind::Frozen {
                making.values[var.0 as usize] = self.before[var.0 as usize];
                making.differs.insert(var);
                self.add_readers(var, &mut making);
            }
            for &idx in &self.functions.readers_after[var.0 as usize] {
                self.add(idx, &mut making);
            }
        }
        making
    }

    fn add(&self, idx: usize, making: &mut Making) {
        let rule = self.rule(idx);
        let is_meant = match rule.scope {
            Scope::Init => making.state == 0,
            Scope::State => true,
            Scope::Step => making.state > 0,
        };
        if is_meant {
            match rule.gives {
                Gives::Value(_) => making.assigns.insert(idx),
                _ => making.checks.insert(idx),
            };
        }
    }

    /// Adds what reads a variable in the same state; a change may have made a rule read others.
    fn add_readers(&self, var: VarId, making: &mut Making) {
        let known = self.functions.readers[var.0 as usize].iter().copied();
        let changed = self.changed.0.iter().filter(|(_, rule)| rule.reads.contains(&var));
        for idx in known.chain(changed.map(|(idx, _)| *idx)) {
            self.add(idx, making);
        }
    }

    /// Evaluates assignments until nothing changes. No variable depends on itself, so that comes to an
    /// end; where an assignment has no value then, the mutant allows nothing.
    fn settle(&mut self, making: &mut Making) -> Result<(), Outcome> {
        let mut failed: BTreeSet<VarId> = BTreeSet::new();
        while let Some(idx) = making.assigns.pop_first() {
            let Gives::Value(var) = self.rule(idx).gives else { continue };
            let value = match self.evaluate(idx, making)? {
                Cell::Value(value) => Some(value),
                Cell::Fail(_) => None,
                Cell::Set(_) | Cell::Unknown => {
                    return Err(Outcome::Open("the mutant leaves a choice".into()));
                }
            };
            if value.is_none() {
                failed.insert(var)
            } else {
                failed.remove(&var)
            };
            let expected = self.test.states[making.state].values[var.0 as usize];
            if value == expected {
                making.differs.remove(&var)
            } else {
                making.differs.insert(var)
            };
            if making.values[var.0 as usize] != value {
                making.values[var.0 as usize] = value;
                self.add_readers(var, making);
            }
        }
        if failed.is_empty() { Ok(()) } else { Err(Outcome::Caught) }
    }

    /// Is a difference compared? What a value outside its type leads to is open.
    fn compare(&self, making: &Making) -> Option<Outcome> {
        if making.differs.iter().any(|var| self.functions.is_compared[var.0 as usize]) {
            return Some(Outcome::Caught);
        }
        let is_outside = |var: &&VarId| {
            let value = making.values[var.0 as usize];
            value.is_some_and(|value| !self.model.var(**var).domain.contains(value))
        };
        let outside = making.differs.iter().find(is_outside)?;
        let name = &self.model.var(*outside).name;
        Some(Outcome::Open(format!("the mutant gives {name} a value outside its type")))
    }

    /// Asks a constraint, the choice of an input, or a definition that is compared.
    fn check(&mut self, idx: usize, making: &Making) -> Option<Outcome> {
        let cell = match self.evaluate(idx, making) {
            Ok(cell) => cell,
            Err(outcome) => return Some(outcome),
        };
        let expected = &self.test.states[making.state].values;
        let is_allowed = match self.rule(idx).gives {
            Gives::Value(_) => true,
            Gives::Allowed => cell.as_bool() == Some(true),
            Gives::Choice(var) => match (cell.members(), expected[var.0 as usize]) {
                (Some(members), Some(value)) => members.contains(value),
                (members, value) => members.is_some() || value.is_none(),
            },
            Gives::Shown(_) => {
                let before = making.state.checked_sub(1).map(|idx| &self.test.states[idx].values);
                let rule = &self.functions.rules[idx];
                rule.run(before.map_or(&[], |values| values), expected, &mut self.cells);
                cell == *rule.plan.root(0, &self.cells)
            }
        };
        (!is_allowed).then_some(Outcome::Caught)
    }

    fn rule(&self, idx: usize) -> &Rule {
        let changed = self.changed.0.iter().find(|(changed, _)| *changed == idx);
        changed.map_or(&self.functions.rules[idx], |(_, rule)| rule)
    }

    fn evaluate(&mut self, idx: usize, making: &Making) -> Result<Cell, Outcome> {
        let mut cells = std::mem::take(&mut self.cells);
        let rule = self.rule(idx);
        let spent = self.budget.spend(rule.plan.instrs().len() as u64);
        spent.map_err(|exhausted| Outcome::Open(Why::from(exhausted).to_string()))?;
        rule.run(&self.before, &making.values, &mut cells);
        let cell = rule.plan.root(0, &cells).clone();
        self.cells = cells;
        Ok(cell)
    }
}
