//! What is to be found: rules about the values of a state, or of a step from one to the next.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use trapline_model::eval::{Instr, Plan};
use trapline_model::{
    AssignKind, BinaryOp, ConstraintKind, Domain, Expr, ExprId, Model, Type, Value,
};
use trapline_source::Span;

use super::Slot;

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The current state, or the step from it to the next.
    Here,
    /// The next state: what is written of the current one is meant of the next.
    There,
}

/// Something that must hold.
#[derive(Debug)]
pub(super) struct Rule {
    /// What is evaluated.
    pub(super) expr: ExprId,
    pub(super) plan: Plan,
    pub(super) demand: Demand,
    pub(super) when: When,
    pub(super) span: Span,
    /// What the plan reads, looked for or given.
    pub(super) reads: Vec<Slot>,
    /// Has the expression one value, and not a set of them?
    pub(super) is_single: bool,
}

/// What is demanded of an expression.
#[derive(Debug)]
pub(super) enum Demand {
    /// It is true.
    True,
    /// It is false.
    False,
    /// It has another truth value than this, or none.
    Avoid(bool),
    /// The slot takes one of its values, which are all in this domain.
    Choose(Slot, Domain),
    /// It fails, or has a value outside the domain if there is one.
    Escape(Option<Domain>),
}

/// The rules, prepared.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    pub(super) rules: Vec<Arc<Rule>>,
    /// One plan for the first rules together, see [`Problem::share`].
    pub(super) shared: Option<Arc<Plan>>,
}

impl Problem {
    /// What holds of initial states, which are current states.
    pub fn initial(model: &Model) -> Problem {
        let mut problem = Problem::default();
        for assign in model.assigns.iter().filter(|assign| assign.kind != AssignKind::Next) {
            let (slot, span) = (Slot::Current(assign.var), assign.parts[0].body.span);
            problem.choose(model, slot, assign.expr, When::Here, span);
        }
        for constraint in model.constraints.iter().filter(|c| c.kind != ConstraintKind::Trans) {
            problem.require(model, constraint.body.expr, When::Here, constraint.body.span);
        }
        problem
    }

    /// What holds of steps: from the current state, with its inputs, to the next one.
    pub fn step(model: &Model) -> Problem {
        let mut problem = Problem::default();
        let when = |is_always: bool| if is_always { When::There } else { When::Here };
        for assign in model.assigns.iter().filter(|assign| assign.kind != AssignKind::Init) {
            let (slot, span) = (Slot::Next(assign.var), assign.parts[0].body.span);
            let when = when(assign.kind == AssignKind::Current);
            problem.choose(model, slot, assign.expr, when, span);
        }
        for constraint in model.constraints.iter().filter(|c| c.kind != ConstraintKind::Init) {
            let when = when(constraint.kind == ConstraintKind::Invar);
            problem.require(model, constraint.body.expr, when, constraint.body.span);
        }
        problem
    }

    /// Adds that the value of `slot` is one of those that the expression gives.
    pub fn choose(&mut self, model: &Model, slot: Slot, expr: ExprId, when: When, span: Span) {
        let (Slot::Current(var) | Slot::Next(var)) = slot;
        let domain = model.var(var).domain.clone();
        self.add(model, expr, Demand::Choose(slot, domain), when, span);
    }

    /// Adds that the expression fails, or has a value outside the domain if one is given.
    pub fn escape(&mut self, model: &Model, expr: ExprId, domain: Option<&Domain>) {
        let demand = Demand::Escape(domain.cloned());
        self.add(model, expr, demand, When::Here, Span::default());
    }

    /// Adds that the expression is false.
    pub fn forbid(&mut self, model: &Model, expr: ExprId, when: When, span: Span) {
        self.add(model, expr, Demand::False, when, span);
    }

    /// Adds that the expression does not have this truth value; it may fail.
    pub fn avoid(&mut self, model: &Model, expr: ExprId, unwanted: bool, when: When) {
        self.add(model, expr, Demand::Avoid(unwanted), when, Span::default());
    }

    /// Adds that the expression is true, one rule for each of its conjuncts.
    pub fn require(&mut self, model: &Model, expr: ExprId, when: When, span: Span) {
        let mut stack = vec![expr];
        let mut seen = FxHashSet::default();
        while let Some(id) = stack.pop() {
            match model.exprs.get(id) {
                _ if !seen.insert(id) => {}
                Expr::Binary(BinaryOp::And, a, b) => stack.extend([b, a]),
                Expr::Define(d) => stack.push(model.define(d).body.expr),
                _ => self.add(model, id, Demand::True, when, span),
            }
        }
    }

    fn add(&mut self, model: &Model, expr: ExprId, demand: Demand, when: When, span: Span) {
        let plan = Plan::new(model, &[expr]);
        let is_single = !matches!(model.exprs.ty(expr), Type::Set(_));
        let mut rule = Rule { expr, plan, demand, when, span, reads: Vec::new(), is_single };
        rule.reads = rule.plan.instrs().iter().filter_map(|instr| rule.leaf(instr)).collect();
        rule.reads.sort_unstable();
        rule.reads.dedup();
        self.rules.push(Arc::new(rule));
    }

    /// Prepares one plan for all rules together. A search runs it once, before anything else, and
    /// is done with every rule that is decided by what is given: what rules have in common is
    /// evaluated once, not once a rule.
    pub fn share(&mut self, model: &Model) {
        let exprs: Vec<ExprId> = self.rules.iter().map(|rule| rule.expr).collect();
        self.shared = Some(Arc::new(Plan::new(model, &exprs)));
    }

    /// How many operations all rules have.
    pub fn size(&self) -> u64 {
        self.rules.iter().map(|rule| rule.plan.instrs().len() as u64).sum()
    }

    /// Both together.
    pub fn and(&self, other: &Problem) -> Problem {
        let rules = self.rules.iter().chain(&other.rules).cloned().collect();
        Problem { rules, shared: self.shared.clone() }
    }
}

/// Values of the current and of the next state, as far as they are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// By variable.
    pub current: Vec<Option<Value>>,
    /// By variable.
    pub next: Vec<Option<Value>>,
}

impl Values {
    /// A value, if it is known.
    pub fn get(&self, slot: Slot) -> Option<Value> {
        match slot {
            Slot::Current(var) => self.current[var.0 as usize],
            Slot::Next(var) => self.next[var.0 as usize],
        }
    }

    /// Sets or forgets a value.
    pub fn set(&mut self, slot: Slot, value: Option<Value>) {
        match slot {
            Slot::Current(var) => self.current[var.0 as usize] = value,
            Slot::Next(var) => self.next[var.0 as usize] = value,
        }
    }
}

impl Rule {
    /// The slot that an instruction reads.
    pub(super) fn leaf(&self, instr: &Instr) -> Option<Slot> {
        match (instr, self.when) {
            (Instr::Current(var), When::Here) => Some(Slot::Current(*var)),
            (Instr::Current(var), When::There) | (Instr::Next(var), _) => Some(Slot::Next(*var)),
            _ => None,
        }
    }
}
