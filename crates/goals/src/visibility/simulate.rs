//! Fault simulation: what a faulty copy of a model does on the inputs of a test, where inputs determine
//! everything.
//!
//! Every variable has one value, given by its assignment; constraints only forbid. So a copy has one run on
//! the inputs of a test. Up to where the fault acts that run is the test, and there only the changed rules
//! are evaluated. From then on only what reads a changed value is computed again: the run is the test, but
//! for the variables that differ.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use trapline_engine::possible::{Output, Outputs, Ports};
use trapline_engine::{Budget, Why};
use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Plan, Valuation};
use trapline_model::roles::is_about_step;
use trapline_model::trace::Trace;
use trapline_model::transform::{Change, Defines, Substitution};
use trapline_model::{
    AssignKind, ConstraintKind, DefineId, Domain, Expr, ExprId, Model, Role, Scope, Type, Value,
    VarId, VarKind,
};

use super::widen::widened;

/// What a copy shows on the inputs of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its outputs differ in this state, or it has no such state.
    Shown(usize),
    /// Its outputs are those of the test.
    Hidden,
    /// That is open, and why.
    Open(String),
}

/// What a copy answers in the exchange in which it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Face {
    /// These outputs.
    Outputs(Outputs),
    /// Nothing: it can't go on.
    Refusal,
    /// That is not known. Where there are choices, it may also show earlier.
    Unknown,
}

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
    /// The values that variables of a copy may have.
    domains: Vec<Domain>,
    /// By variable, whether it is settled in a state only by what is sent later.
    is_late: Vec<bool>,
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

/// The rules of a copy that differ from those of its model.
pub struct Changed {
    /// In the states in which the fault acts.
    now: Vec<(usize, Rule)>,
    /// Where the fault acts once, in the state after that.
    after: Vec<(usize, Rule)>,
    is_lasting: bool,
}

impl Functions {
    /// The functions of a model, if the inputs that were sent determine everything; these outputs are compared.
    pub fn new(model: &Model, outputs: &[Output]) -> Option<Functions> {
        if !is_determined(model) {
            return None;
        }
        let n_vars = model.vars.len();
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
        let mut is_compared = vec![false; n_vars];
        for output in outputs {
            match *output {
                Output::Var(var) => is_compared[var.0 as usize] = true,
                Output::Define(id) => {
                    let define = model.define(id);
                    let is_step = is_about_step(model, define);
                    let scope = if is_step { Scope::Step } else { Scope::State };
                    rules.push(Rule::new(model, Gives::Shown(id), scope, define.body.expr));
                }
            }
        }
        let ports = Ports::new(model);
        let is_late: Vec<bool> = model.var_ids().map(|(var, _)| ports.is_unsettled(var)).collect();
        if rules.iter().any(|rule| rule.is_early(&is_late)) {
            return None;
        }
        let (mut readers, mut readers_after) = (vec![Vec::new(); n_vars], vec![Vec::new(); n_vars]);
        for (idx, rule) in rules.iter().enumerate() {
            rule.reads.iter().for_each(|var| readers[var.0 as usize].push(idx));
            rule.reads_before.iter().for_each(|var| readers_after[var.0 as usize].push(idx));
        }
        let domains = model.var_ids().map(|(var, _)| widened(model, var)).collect();
        let functions = Functions {
            rules,
            of_assign,
            of_constraint,
            readers,
            readers_after,
            is_compared,
            domains,
            is_late,
        };
        Some(functions)
    }

    /// The rules that a change touches, for good or once; `None` if it leaves no functions.
    pub fn changed(&self, model: &mut Model, change: &Change, is_lasting: bool) -> Option<Changed> {
        let again = |model: &Model, idx: usize, expr: ExprId| {
            let Rule { gives, scope, .. } = self.rules[idx];
            (idx, Rule::new(model, gives, scope, expr))
        };
        let mut after = Vec::new();
        let now = match change {
            Change::Assign(_, assign) if matches!(model.exprs.ty(assign.expr), Type::Set(_)) => {
                return None;
            }
            Change::Assign(idx, assign) => vec![again(model, self.of_assign[*idx], assign.expr)],
            Change::Constraints(list, expr) => {
                list.iter().map(|&idx| again(model, self.of_constraint[idx], *expr)).collect()
            }
            Change::Define(define, new) => {
                let read = model.define_expr(*define);
                let [read_next, new_next] = [read, *new].map(|expr| model.exprs.prime(expr));
                let [mut in_state, mut in_next] = [Defines::WrittenOut; 2].map(Substitution::new);
                in_state.put(read, *new);
                in_next.put(read_next, new_next);
                if is_lasting {
                    in_next.put(read, *new);
                }
                // What is about a step counts in that step alone.
                let is_step = is_about_step(model, model.define(*define));
                let mut now = Vec::new();
                for (idx, rule) in self.rules.iter().enumerate() {
                    if rule.gives == Gives::Shown(*define) {
                        now.push(again(model, idx, *new));
                    } else if rule.defines.contains(define) {
                        let expr = match rule.scope {
                            Scope::Step if !is_step => in_next.apply(model, rule.expr),
                            _ => in_state.apply(model, rule.expr),
                        };
                        now.push(again(model, idx, expr));
                        if rule.scope == Scope::Step && !is_step && !is_lasting {
                            let expr = in_state.apply(model, rule.expr);
                            after.push(again(model, idx, expr));
                        }
                    }
                }
                now
            }
            Change::Group(..) | Change::Properties => return None,
        };
        let is_early = |(_, rule): &(usize, Rule)| rule.is_early(&self.is_late);
        let all_is_sent = !now.iter().chain(&after).any(is_early);
        all_is_sent.then_some(Changed { now, after, is_lasting })
    }

    /// Runs a copy on the inputs of a test. A fault that acts once acts in this state, or in the step to
    /// it; one that lasts, from this state on.
    pub fn run(
        &self,
        model: &Model,
        changed: &Changed,
        (test, first): (&Trace, usize),
        budget: &Budget<'_>,
    ) -> Outcome {
        Run::new(self, model, changed, (test, first), budget).along()
    }

    /// The state of a test in which a copy shows, and what it answers there.
    pub fn face(
        &self,
        model: &Model,
        changed: &Changed,
        (test, first): (&Trace, usize),
        budget: &Budget<'_>,
    ) -> Option<(usize, Face)> {
        let mut run = Run::new(self, model, changed, (test, first), budget);
        match run.along() {
            Outcome::Shown(state) => Some((state, run.face(state))),
            Outcome::Hidden | Outcome::Open(_) => None,
        }
    }
}

/// Do inputs determine everything?
pub fn is_determined(model: &Model) -> bool {
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

    /// Does it tie what is sent later to the state? What a copy makes of that shows only then. Hidden variables
    /// that follow from it are settled with it.
    fn is_early(&self, is_late: &[bool]) -> bool {
        let late = |var: &VarId| is_late[var.0 as usize];
        let is_tied = !self.reads.is_empty() || !self.reads_before.is_empty();
        match self.gives {
            Gives::Choice(var) if late(&var) => is_tied,
            Gives::Value(var) if late(&var) => false,
            _ => self.reads.iter().any(late),
        }
    }

    /// Is it about this state, or the step to it?
    fn counts(&self, state: usize) -> bool {
        match self.scope {
            Scope::Init => state == 0,
            Scope::State => true,
            Scope::Step => state > 0,
        }
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
pub(super) fn defines(model: &Model, expr: ExprId) -> FxHashSet<DefineId> {
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

/// A run of a copy along a test.
struct Run<'r> {
    functions: &'r Functions,
    model: &'r Model,
    changed: &'r Changed,
    budget: &'r Budget<'r>,
    test: &'r Trace,
    /// The state in which the fault acts first.
    first: usize,
    /// The state before, if the copy differs from the test there.
    before: Vec<Option<Value>>,
    /// The variables in which it does.
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

impl<'r> Run<'r> {
    fn new(
        functions: &'r Functions,
        model: &'r Model,
        changed: &'r Changed,
        (test, first): (&'r Trace, usize),
        budget: &'r Budget<'r>,
    ) -> Run<'r> {
        Run {
            functions,
            model,
            changed,
            budget,
            test,
            first,
            before: Vec::new(),
            differs: BTreeSet::new(),
            cells: Vec::new(),
        }
    }

    /// Goes along the test, as long as nothing shows.
    fn along(&mut self) -> Outcome {
        for state in self.first..self.test.states.len() {
            if self.differs.is_empty() {
                if !self.changed.is_lasting && state > self.first + 1 {
                    break;
                }
                match self.acts(state) {
                    Ok(false) => continue,
                    Ok(true) => {}
                    Err(outcome) => return outcome,
                }
            }
            if let Some(outcome) = self.step(state) {
                return outcome;
            }
        }
        Outcome::Hidden
    }

    /// What the copy answers in the state in which the run along the test has ended.
    fn face(&mut self, state: usize) -> Face {
        let mut making = self.begin(state);
        if self.settle(&mut making).is_err()
            || making.differs.iter().any(|var| self.is_far(*var, &making))
        {
            return Face::Refusal;
        }
        for &idx in &making.checks {
            let is_answer = matches!(self.rule(idx, state).gives, Gives::Shown(_));
            if !is_answer && self.check(idx, &making).is_some() {
                return Face::Refusal;
            }
        }
        self.outputs(&making).map_or(Face::Unknown, Face::Outputs)
    }

    /// The outputs of the copy in a state.
    fn outputs(&mut self, making: &Making) -> Option<Outputs> {
        let mut outputs = Outputs::new();
        for (var, value) in (0..).map(VarId).zip(&making.values) {
            let shown = value.filter(|_| self.functions.is_compared[var.0 as usize]);
            outputs.extend(shown.map(|value| (Output::Var(var), value)));
        }
        for idx in 0..self.functions.rules.len() {
            let Gives::Shown(define) = self.functions.rules[idx].gives else { continue };
            if let Cell::Value(value) = self.evaluate(idx, making).ok()? {
                outputs.push((Output::Define(define), value));
            }
        }
        Some(outputs)
    }

    /// The changed rules that count for a state.
    fn changes(&self, state: usize) -> &'r [(usize, Rule)] {
        let changed = self.changed;
        match state - self.first {
            _ if changed.is_lasting => &changed.now,
            0 => &changed.now,
            1 => &changed.after,
            _ => &[],
        }
    }

    /// Does a changed rule say anything else of a state of the test?
    fn acts(&mut self, state: usize) -> Result<bool, Outcome> {
        let now = &self.test.states[state].values;
        let before =
            state.checked_sub(1).map_or(&[][..], |before| &self.test.states[before].values);
        let mut cells = std::mem::take(&mut self.cells);
        let mut acts = false;
        for (_, rule) in self.changes(state).iter().filter(|(_, rule)| rule.counts(state)) {
            let spent = self.budget.spend(rule.plan.instrs().len() as u64);
            spent.map_err(|exhausted| Outcome::Open(Why::from(exhausted).to_string()))?;
            rule.run(before, now, &mut cells);
            let cell = rule.plan.root(0, &cells);
            acts |= match rule.gives {
                Gives::Value(var) => {
                    !matches!(cell, Cell::Value(value) if now[var.0 as usize] == Some(*value))
                }
                // That takes a look at more than the cell.
                Gives::Choice(_) | Gives::Shown(_) => true,
                Gives::Allowed => cell.as_bool() != Some(true),
            };
            if acts {
                break;
            }
        }
        self.cells = cells;
        Ok(acts)
    }

    /// The values before a state.
    fn values_before(&self, state: usize) -> &Valuation {
        match state.checked_sub(1) {
            None => &[],
            Some(before) if self.differs.is_empty() => &self.test.states[before].values,
            Some(_) => &self.before,
        }
    }

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
        for (idx, _) in self.changes(state) {
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
        let rule = self.rule(idx, making.state);
        if rule.counts(making.state) {
            match rule.gives {
                Gives::Value(_) => making.assigns.insert(idx),
                _ => making.checks.insert(idx),
            };
        }
    }

    /// Adds what reads a variable in the same state; a change may have made a rule read others.
    fn add_readers(&self, var: VarId, making: &mut Making) {
        let known = self.functions.readers[var.0 as usize].iter().copied();
        let changed = self.changes(making.state).iter();
        let changed = changed.filter(|(_, rule)| rule.reads.contains(&var));
        for idx in known.chain(changed.map(|(idx, _)| *idx)) {
            self.add(idx, making);
        }
    }

    /// Evaluates assignments until nothing changes. No variable depends on itself, so that comes to an
    /// end; where an assignment has no value then, the mutant allows nothing.
    fn settle(&mut self, making: &mut Making) -> Result<(), Outcome> {
        let mut failed: BTreeSet<VarId> = BTreeSet::new();
        while let Some(idx) = making.assigns.pop_first() {
            let Gives::Value(var) = self.rule(idx, making.state).gives else { continue };
            let value = match self.evaluate(idx, making)? {
                Cell::Value(value) => Some(value),
                Cell::Fail(_) => None,
                // It reads what has no value.
                Cell::Unknown if !failed.is_empty() => None,
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
        if failed.is_empty() { Ok(()) } else { Err(Outcome::Shown(making.state)) }
    }

    /// Is a difference compared? A copy has no state with a value that is far outside its type.
    fn compare(&self, making: &Making) -> Option<Outcome> {
        let is_seen =
            |var: &VarId| self.functions.is_compared[var.0 as usize] || self.is_far(*var, making);
        making.differs.iter().any(is_seen).then_some(Outcome::Shown(making.state))
    }

    fn is_far(&self, var: VarId, making: &Making) -> bool {
        let (idx, value) = (var.0 as usize, making.values[var.0 as usize]);
        value.is_some_and(|value| !self.functions.domains[idx].contains(value))
    }

    /// Asks a constraint, the choice of an input, or a definition that is compared.
    fn check(&mut self, idx: usize, making: &Making) -> Option<Outcome> {
        let cell = match self.evaluate(idx, making) {
            Ok(cell) => cell,
            Err(outcome) => return Some(outcome),
        };
        let expected = &self.test.states[making.state].values;
        let is_allowed = match self.rule(idx, making.state).gives {
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
        (!is_allowed).then_some(Outcome::Shown(making.state))
    }

    fn rule(&self, idx: usize, state: usize) -> &'r Rule {
        let changed = self.changes(state).iter().find(|(changed, _)| *changed == idx);
        changed.map_or(&self.functions.rules[idx], |(_, rule)| rule)
    }

    fn evaluate(&mut self, idx: usize, making: &Making) -> Result<Cell, Outcome> {
        let rule = self.rule(idx, making.state);
        let spent = self.budget.spend(rule.plan.instrs().len() as u64);
        spent.map_err(|exhausted| Outcome::Open(Why::from(exhausted).to_string()))?;
        let mut cells = std::mem::take(&mut self.cells);
        rule.run(self.values_before(making.state), &making.values, &mut cells);
        let cell = rule.plan.root(0, &cells).clone();
        self.cells = cells;
        Ok(cell)
    }
}
