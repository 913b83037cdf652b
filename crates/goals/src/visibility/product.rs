//! The model with a copy beside it that has one of many faults.
//!
//! The copy is a monitor: it makes the choices that the model makes, and computes the rest. So it changes
//! nothing, and the traces of the new model are those of the old. What no fault can influence is not copied.
//! A selector says which fault the copy has: from the start, or from where a fault acts that acts once. There is
//! no copy without a fault that would stand for all of them until one acts: engines are slower with that.

use rustc_hash::FxHashSet;
use trapline_engine::possible::Output;
use trapline_model::dependency::support;
use trapline_model::goal::Target;
use trapline_model::roles::is_about_step;
use trapline_model::transform::{Change, Defines, Extension, Substitution};
use trapline_model::{
    AssignKind, BinaryOp, ConstraintKind, DefineId, Domain, Expr, ExprId, Model, Role, Type, Value,
    VarId, VarKind,
};
use trapline_source::Span;

use super::Fault;
use super::widen::widened;
use crate::defined::Defined;
use crate::goal::GoalKind;
use crate::total;

/// A model with a copy, and for each fault the states in which it shows.
pub struct Product {
    /// The model.
    pub model: Extension,
    /// That each fault shows: the copy has it, and is off.
    pub shown: Vec<ExprId>,
    /// That the copy has each fault.
    pub selected: Vec<ExprId>,
    /// That the outputs differ, or that the copy has no such state.
    pub is_off: ExprId,
}

impl Product {
    /// The states in which each fault shows.
    pub fn targets(&self) -> Vec<Target> {
        self.shown.iter().map(|&expr| Target::State(expr)).collect()
    }

    /// Ends paths where a fault shows: what comes then is of no interest.
    pub fn cut(&mut self) {
        let any = self.model.exprs.any(self.shown.clone());
        let none = self.model.exprs.not(any);
        self.model.constrain(ConstraintKind::Trans, none, Span::default());
    }
}

/// The model with a copy that has one of these faults, whose outputs are compared.
pub fn product(model: &Extension, faults: &[&Fault], outputs: &[Output]) -> Product {
    let influence = Influence::new(model);
    let mut copied: Vec<VarId> =
        faults.iter().flat_map(|fault| influence.of(&fault.change)).collect();
    copied.sort_unstable();
    copied.dedup();
    let mut writer = Writer::new(model.clone(), faults, &copied);
    writer.copy_defines();
    let dead = writer.copy_rules(&copied);
    let differs = writer.differs(outputs);
    let exprs = &mut writer.model.exprs;
    let is_off = exprs.or(dead, differs);
    let numbers = 1..=faults.len() as i64;
    let selected = numbers.map(|number| exprs.has_value(writer.selector, Value::Int(number)));
    let selected: Vec<ExprId> = selected.collect();
    let shown = selected.iter().map(|&is_selected| exprs.and(is_selected, is_off)).collect();
    Product { model: writer.model, shown, selected, is_off }
}

/// What the rules of a model read.
pub struct Influence<'m> {
    model: &'m Model,
    /// By variable, those whose assignments read it.
    readers: Vec<Vec<VarId>>,
}

impl<'m> Influence<'m> {
    /// The influence of the variables of a model on each other.
    pub fn new(model: &'m Model) -> Influence<'m> {
        let mut readers = vec![Vec::new(); model.vars.len()];
        for assign in &model.assigns {
            for var in support(model, [assign.expr]).all() {
                readers[var.0 as usize].push(assign.var);
            }
        }
        Influence { model, readers }
    }

    /// The variables that a change can influence and that are not inputs, in order. What it makes a rule
    /// read in addition is not influenced by that.
    pub fn of(&self, change: &Change) -> Vec<VarId> {
        let model = self.model;
        let mut open: Vec<VarId> = match change {
            Change::Assign(_, assign) => vec![assign.var],
            Change::Define(define, _) => {
                let reads = |expr: ExprId| super::simulate::defines(model, expr).contains(define);
                let readers = model.assigns.iter().filter(|assign| reads(assign.expr));
                readers.map(|assign| assign.var).collect()
            }
            Change::Group(..) | Change::Constraints(..) | Change::Properties => Vec::new(),
        };
        let mut found: FxHashSet<VarId> = open.iter().copied().collect();
        while let Some(var) = open.pop() {
            let readers = self.readers[var.0 as usize].iter();
            open.extend(readers.copied().filter(|reader| found.insert(*reader)));
        }
        let is_copied = |var: &VarId| {
            let declared = model.var(*var);
            declared.role != Role::Input && declared.kind != VarKind::Input
        };
        let mut list: Vec<VarId> = found.into_iter().filter(is_copied).collect();
        list.sort_unstable();
        list
    }
}

/// Which state a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// The first.
    First,
    /// The one after a step.
    Next,
}

struct Writer<'f> {
    model: Extension,
    faults: &'f [&'f Fault],
    /// Reads the copy's variables.
    copy: Substitution,
    /// Reads the model's, with definitions expanded likewise.
    plain: Substitution,
    selector: ExprId,
    /// True in the state in which a fault was selected.
    is_new: Option<ExprId>,
    defined: Defined,
}

impl<'f> Writer<'f> {
    fn new(mut model: Extension, faults: &'f [&'f Fault], copied: &[VarId]) -> Writer<'f> {
        let mut copy = Substitution::new(Defines::WrittenOut);
        for &var in copied {
            let (kind, name) = (model.var(var).kind, model.var(var).name.clone());
            let (domain, name) =
                (widened(&model, var), model.fresh_name(&format!("__copy_{name}")));
            let own = model.add_var(name, kind, domain, Span::default());
            let read = model.var_expr(own);
            copy.put_var(&mut model, var, read);
        }
        let name = model.fresh_name("__fault");
        let domain = Domain::Range(0, faults.len() as i64);
        let var = model.add_var(name, VarKind::State, domain, Span::default());
        let selector = model.var_expr(var);
        let (plain, defined) = (Substitution::new(Defines::WrittenOut), Defined::default());
        let mut writer = Writer { model, faults, copy, plain, selector, is_new: None, defined };
        if faults.iter().any(|fault| !fault.is_lasting) {
            writer.is_new = Some(writer.add_is_new());
        }
        writer.select(var);
        writer
    }

    fn add_is_new(&mut self) -> ExprId {
        let selector = self.selector;
        let var = self.model.add_monitor("__new", Domain::Bool, Span::default(), |model, _| {
            let exprs = &mut model.exprs;
            let is_none = exprs.has_value(selector, Value::Int(0));
            let some = exprs.not(is_none);
            let some_next = exprs.prime(some);
            let is_now = exprs.and(is_none, some_next);
            (some, is_now)
        });
        self.model.var_expr(var)
    }

    /// The values of the selector.
    fn select(&mut self, var: VarId) {
        if self.faults.iter().all(|fault| fault.is_lasting) {
            let any = self.model.exprs.range(0, self.faults.len() as i64);
            self.model.assign(AssignKind::Init, var, any, Span::default());
            return self.model.assign(AssignKind::Next, var, self.selector, Span::default());
        }
        let mut sets = [self.model.exprs.value(Value::Int(0)); 2];
        for (idx, fault) in self.faults.iter().enumerate() {
            let number = self.model.exprs.value(Value::Int(idx as i64 + 1));
            for (when, set) in [When::First, When::Next].into_iter().zip(&mut sets) {
                let acts = match (&fault.when, when) {
                    (_, When::First) if fault.is_lasting => Some(self.model.exprs.bool(true)),
                    (_, When::Next) if fault.is_lasting => None,
                    (GoalKind::Initial(expr) | GoalKind::State(expr), When::First) => Some(*expr),
                    (GoalKind::State(expr), When::Next) => Some(self.model.exprs.prime(*expr)),
                    (GoalKind::Step(expr), When::Next) => Some(*expr),
                    _ => None,
                };
                let Some(acts) = acts else { continue };
                let acts = total::holds(&mut self.model, &mut self.defined, acts);
                let exprs = &mut self.model.exprs;
                if exprs.is_false(acts) {
                    continue;
                }
                let zero = exprs.value(Value::Int(0));
                let one = exprs.add(Expr::Ite(acts, number, zero));
                *set = exprs.add(Expr::Binary(BinaryOp::Union, *set, one));
            }
        }
        let [first, next] = sets;
        let exprs = &mut self.model.exprs;
        let is_none = exprs.has_value(self.selector, Value::Int(0));
        let next = exprs.add(Expr::Ite(is_none, next, self.selector));
        self.model.assign(AssignKind::Init, var, first, Span::default());
        self.model.assign(AssignKind::Next, var, next, Span::default());
    }

    /// That a fault acts on a rule about this state: the current one, or the next.
    fn acts(&mut self, fault: usize, is_next: bool) -> ExprId {
        let exprs = &mut self.model.exprs;
        let mut acts = exprs.has_value(self.selector, Value::Int(fault as i64 + 1));
        if let (false, Some(is_new)) = (self.faults[fault].is_lasting, self.is_new) {
            acts = exprs.and(acts, is_new);
        }
        if is_next { exprs.prime(acts) } else { acts }
    }

    /// The definitions of the copy that a fault changes, those that others read first.
    fn copy_defines(&mut self) {
        let mut open: Vec<DefineId> = Vec::new();
        for fault in self.faults {
            match fault.change {
                Change::Define(define, _) if !open.contains(&define) => open.push(define),
                _ => {}
            }
        }
        while !open.is_empty() {
            let reads_other = |define: &DefineId| {
                let bodies = self.bodies(*define);
                let read: FxHashSet<DefineId> = bodies
                    .iter()
                    .flat_map(|&body| super::simulate::defines(&self.model, body))
                    .collect();
                open.iter().any(|other| other != define && read.contains(other))
            };
            let place = open.iter().position(|define| !reads_other(define)).unwrap_or(0);
            let define = open.remove(place);
            self.copy_define(define);
        }
    }

    /// What a definition is, by itself and with faults.
    fn bodies(&self, define: DefineId) -> Vec<ExprId> {
        let changed = self.faults.iter().filter_map(|fault| match fault.change {
            Change::Define(own, new) if own == define => Some(new),
            _ => None,
        });
        changed.chain([self.model.define(define).body.expr]).collect()
    }

    fn copy_define(&mut self, define: DefineId) {
        let body = self.model.define(define).body.expr;
        // What is about a step is read in rules about the state after it.
        let is_step = is_about_step(&self.model, self.model.define(define));
        let mut copied = self.copy.apply(&mut self.model, body);
        for (idx, fault) in self.faults.iter().enumerate() {
            if let Change::Define(own, new) = fault.change
                && own == define
            {
                let new = self.copy.apply(&mut self.model, new);
                let acts = self.acts(idx, is_step);
                copied = self.model.exprs.add(Expr::Ite(acts, new, copied));
            }
        }
        let read = self.model.define_expr(define);
        self.copy.put(read, copied);
        let [read_next, copied_next] = [read, copied].map(|expr| self.model.exprs.prime(expr));
        // A constant is the same in the next state.
        if !is_step && read_next != read {
            self.copy.put(read_next, copied_next);
        }
    }

    /// The rules of the copy. Returns that it has no state.
    fn copy_rules(&mut self, copied: &[VarId]) -> ExprId {
        let mut is_right = [self.model.exprs.bool(true); 2];
        for &var in copied {
            for (when, is_right) in [When::First, When::Next].into_iter().zip(&mut is_right) {
                if when == When::First || self.model.var(var).kind == VarKind::State {
                    let fits = self.copy_value(var, when);
                    *is_right = self.model.exprs.and(*is_right, fits);
                }
            }
        }
        for (idx, assign) in self.model.assigns.clone().into_iter().enumerate() {
            let is_input = self.model.var(assign.var).role == Role::Input;
            if !is_input || idx >= self.model.own().assigns {
                continue;
            }
            let by = self.copy.apply(&mut self.model, assign.expr);
            if by != self.plain.apply(&mut self.model, assign.expr) {
                let read = self.model.var_expr(assign.var);
                let is_next = assign.kind == AssignKind::Next;
                let value = if is_next { self.model.exprs.prime(read) } else { read };
                let is_given = self.model.exprs.is_given(value, by);
                self.require(&mut is_right, kind_of(assign.kind), is_given);
            }
        }
        for idx in 0..self.model.own().constraints {
            let constraint = self.model.constraints[idx].clone();
            let is_next = constraint.kind == ConstraintKind::Trans;
            let mut holds = self.copy.apply(&mut self.model, constraint.body.expr);
            for (fault_idx, fault) in self.faults.iter().enumerate() {
                if let Change::Constraints(list, new) = &fault.change
                    && list.contains(&idx)
                {
                    let new = self.copy.apply(&mut self.model, *new);
                    let acts = self.acts(fault_idx, is_next);
                    holds = self.model.exprs.add(Expr::Ite(acts, new, holds));
                }
            }
            if holds != self.plain.apply(&mut self.model, constraint.body.expr) {
                self.require(&mut is_right, constraint.kind, holds);
            }
        }
        let [first, next] = is_right.map(|is_right| self.model.exprs.not(is_right));
        let dead =
            self.model.add_monitor("__dead", Domain::Bool, Span::default(), |_, _| (first, next));
        self.model.var_expr(dead)
    }

    /// Requires something of the states of the copy.
    fn require(&mut self, is_right: &mut [ExprId; 2], kind: ConstraintKind, holds: ExprId) {
        let holds = total::holds(&mut self.model, &mut self.defined, holds);
        let exprs = &mut self.model.exprs;
        if kind != ConstraintKind::Trans {
            is_right[0] = exprs.and(is_right[0], holds);
        }
        if kind != ConstraintKind::Init {
            let holds = if kind == ConstraintKind::Trans { holds } else { exprs.prime(holds) };
            is_right[1] = exprs.and(is_right[1], holds);
        }
    }

    /// Gives a variable of the copy its value in a state. Returns that there is such a value.
    fn copy_value(&mut self, var: VarId, when: When) -> ExprId {
        let is_next = when == When::Next;
        let read = self.model.var_expr(var);
        let own = self.copy.apply(&mut self.model, read);
        let Expr::Var(own) = self.model.exprs.get(own) else { unreachable!("it is a variable") };
        let model_value = if is_next { self.model.exprs.prime(read) } else { read };
        let (kind, fits) = match when {
            When::First => (AssignKind::Init, [AssignKind::Init, AssignKind::Current]),
            When::Next => (AssignKind::Next, [AssignKind::Next, AssignKind::Current]),
        };
        let is_meant = |idx: &usize| {
            let assign = &self.model.assigns[*idx];
            assign.var == var && fits.contains(&assign.kind)
        };
        let Some(idx) = (0..self.model.own().assigns).find(is_meant) else {
            // It is free, and a choice that the copy shares.
            self.model.assign(kind, own, model_value, Span::default());
            return self.model.exprs.bool(true);
        };
        let assign = self.model.assigns[idx].clone();
        let primes = is_next && assign.kind == AssignKind::Current;
        let mut by = self.copy.apply(&mut self.model, assign.expr);
        for (fault_idx, fault) in self.faults.iter().enumerate() {
            if let Change::Assign(place, changed) = &fault.change
                && *place == idx
            {
                let new = self.copy.apply(&mut self.model, changed.expr);
                let acts = self.acts(fault_idx, is_next && !primes);
                by = self.model.exprs.add(Expr::Ite(acts, new, by));
            }
        }
        let by = if primes { self.model.exprs.prime(by) } else { by };
        let value = self.choose(by, model_value);
        let fits = self.fits(own, value, by);
        let value = total::total(&mut self.model, &mut self.defined, value);
        let value = match self.model.exprs.is_true(fits) {
            true => value,
            false => self.model.exprs.add(Expr::Ite(fits, value, model_value)),
        };
        self.model.assign(kind, own, value, Span::default());
        fits
    }

    /// A single value: of a set that of the model, which need not be in it.
    fn choose(&mut self, by: ExprId, model_value: ExprId) -> ExprId {
        if !matches!(self.model.exprs.ty(by), Type::Set(_)) {
            return by;
        }
        match self.model.exprs.get(by) {
            Expr::Ite(guard, then, other) => {
                // As deep as cases are nested, and along their branches.
                let mut branches = vec![(guard, then)];
                let mut rest = other;
                while let Expr::Ite(guard, then, other) = self.model.exprs.get(rest) {
                    branches.push((guard, then));
                    rest = other;
                }
                let mut chosen = self.leaf(rest, model_value);
                for (guard, then) in branches.into_iter().rev() {
                    let then = self.leaf(then, model_value);
                    chosen = self.model.exprs.add(Expr::Ite(guard, then, chosen));
                }
                chosen
            }
            _ => model_value,
        }
    }

    /// A branch that is a single value, or what the model has.
    fn leaf(&self, branch: ExprId, model_value: ExprId) -> ExprId {
        match self.model.exprs.ty(branch) {
            Type::Set(_) => model_value,
            _ => branch,
        }
    }

    /// That a value is what a rule gives, and one of the variable.
    fn fits(&mut self, own: VarId, value: ExprId, by: ExprId) -> ExprId {
        let mut fits = self.defined.defined(&mut self.model, by);
        if matches!(self.model.exprs.ty(by), Type::Set(_)) {
            let is_given = self.model.exprs.is_given(value, by);
            fits = self.model.exprs.and(fits, is_given);
        }
        let is_inside = self.is_inside(own, value);
        fits = self.model.exprs.and(fits, is_inside);
        total::holds(&mut self.model, &mut self.defined, fits)
    }

    fn is_inside(&mut self, own: VarId, value: ExprId) -> ExprId {
        let domain = self.model.var(own).domain.clone();
        let values = match &domain {
            Domain::Range(lo, hi) => self.model.exprs.range(*lo, *hi),
            Domain::Enum(values) => {
                let mut values = values.iter().map(|&value| self.model.exprs.value(value));
                let members: Vec<ExprId> = values.by_ref().collect();
                let mut members = members.into_iter();
                let Some(first) = members.next() else { return self.model.exprs.bool(true) };
                let join =
                    |set, member| self.model.exprs.add(Expr::Binary(BinaryOp::Union, set, member));
                members.fold(first, join)
            }
            _ => return self.model.exprs.bool(true),
        };
        match self.stays_in(value, &domain) {
            true => self.model.exprs.bool(true),
            false => self.model.exprs.is_given(value, values),
        }
    }

    /// Is each branch of a value a constant or variable of the domain?
    fn stays_in(&self, value: ExprId, domain: &Domain) -> bool {
        let (mut stack, mut seen) = (vec![value], FxHashSet::default());
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            let is_within = match self.model.exprs.get(id) {
                Expr::Ite(_, then, other) => {
                    stack.extend([then, other]);
                    true
                }
                Expr::Fail(_) => true,
                Expr::Const(constant) => domain.contains(self.model.exprs.constant(constant)),
                Expr::Var(var) | Expr::Next(var) => match (&self.model.var(var).domain, domain) {
                    (Domain::Range(a, b), Domain::Range(lo, hi)) => lo <= a && b <= hi,
                    (Domain::Enum(values), _) => values.iter().all(|&it| domain.contains(it)),
                    (other, _) => other == domain,
                },
                _ => false,
            };
            if !is_within {
                return false;
            }
        }
        true
    }

    /// That outputs of the model and of the copy differ.
    fn differs(&mut self, outputs: &[Output]) -> ExprId {
        let mut differs = self.model.exprs.bool(false);
        for output in outputs {
            let read = match *output {
                Output::Var(var) => self.model.var_expr(var),
                Output::Define(define) => self.model.define_expr(define),
            };
            let own = self.copy.apply(&mut self.model, read);
            if own == self.plain.apply(&mut self.model, read) {
                continue;
            }
            let has_value = self.defined.defined(&mut self.model, own);
            let exprs = &mut self.model.exprs;
            let is_equal = exprs.eq(read, own);
            let is_equal = exprs.and(has_value, is_equal);
            let is_equal = total::holds(&mut self.model, &mut self.defined, is_equal);
            let is_other = self.model.exprs.not(is_equal);
            differs = self.model.exprs.or(differs, is_other);
        }
        differs
    }
}

fn kind_of(kind: AssignKind) -> ConstraintKind {
    match kind {
        AssignKind::Init => ConstraintKind::Init,
        AssignKind::Next => ConstraintKind::Trans,
        AssignKind::Current => ConstraintKind::Invar,
    }
}
