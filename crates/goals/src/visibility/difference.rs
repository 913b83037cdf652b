//! Where a change of the model makes no difference to the steps from a state.

use rustc_hash::FxHashSet;
use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Plan, Valuation};
use trapline_model::trace::State;
use trapline_model::transform::Change;
use trapline_model::{
    AssignKind, BinaryOp, ConstraintKind, DefineId, Domain, Expr, ExprId, Model, VarId, VarKind,
};

use super::simulate::defines;

/// What a change replaces.
pub struct Difference {
    compared: Compared,
    /// Does it leave the first states alone?
    spares_first: bool,
}

/// How it is found out that a copy has the steps of the model from a state. The roots of a plan are pairs: an
/// expression, and what it becomes.
enum Compared {
    /// The expressions read only the state that a step leaves: they agree there, so the rules are the same.
    States(Plan),
    /// The expressions agree on all steps of the model from there: see [`is_alone`].
    Steps(Plan),
    /// Nothing tells.
    Nothing,
}

impl Difference {
    /// The difference that a change makes to a model.
    pub fn new(model: &mut Model, change: &Change) -> Difference {
        match change {
            Change::Assign(idx, new) => {
                let old = model.assigns[*idx].clone();
                let pair = match old.kind {
                    AssignKind::Init => Vec::new(),
                    AssignKind::Next => vec![[old.expr, new.expr]],
                    AssignKind::Current => {
                        vec![[old.expr, new.expr].map(|expr| model.exprs.prime(expr))]
                    }
                };
                let spares_first = old.kind == AssignKind::Next;
                Difference { compared: compared(model, &pair, &[old.var]), spares_first }
            }
            Change::Define(define, new) => of_define(model, *define, *new),
            Change::Constraints(list, _) => {
                let is_step = |&idx: &usize| model.constraints[idx].kind == ConstraintKind::Trans;
                Difference { compared: Compared::Nothing, spares_first: list.iter().all(is_step) }
            }
            Change::Group(..) | Change::Properties => {
                Difference { compared: Compared::Nothing, spares_first: false }
            }
        }
    }

    /// Are the first states of a copy those of the model?
    pub fn spares_first_states(&self) -> bool {
        self.spares_first
    }

    /// Has a copy in one of these states the steps of the model, which are these?
    pub fn spares(&self, states: &[State], edges: &[(State, State)]) -> bool {
        match &self.compared {
            Compared::States(plan) => states.iter().all(|state| agree(plan, &state.values, &[])),
            Compared::Steps(plan) => {
                let mut edges = edges.iter();
                edges.len() > 0 && edges.all(|(from, to)| agree(plan, &from.values, &to.values))
            }
            Compared::Nothing => false,
        }
    }
}

fn agree(plan: &Plan, current: &Valuation, next: &Valuation) -> bool {
    let mut cells = Vec::new();
    plan.run(current, next, &mut cells);
    (0..plan.n_roots()).step_by(2).all(|root| {
        let cell = plan.root(root, &cells);
        matches!(cell, Cell::Value(_) | Cell::Set(_)) && cell == plan.root(root + 1, &cells)
    })
}

/// What a changed definition is, in both states of a step.
fn of_define(model: &mut Model, define: DefineId, new: ExprId) -> Difference {
    let old = model.define(define).body.expr;
    let mut pairs = vec![[old, new]];
    if support(model, [old, new]).next.is_empty() {
        pairs.push([old, new].map(|expr| model.exprs.prime(expr)));
    }
    let reads = |expr: ExprId| defines(model, expr).contains(&define);
    let is_constrained = model.constraints.iter().any(|it| reads(it.body.expr));
    let vars = model.assigns.iter().filter(|assign| reads(assign.expr)).map(|assign| assign.var);
    let vars: Vec<VarId> = vars.collect();
    let compared = match is_constrained {
        true => Compared::Nothing,
        false => compared(model, &pairs, &vars),
    };
    Difference { compared, spares_first: false }
}

/// How these pairs are compared, which give values to these variables.
fn compared(model: &Model, pairs: &[[ExprId; 2]], vars: &[VarId]) -> Compared {
    let exprs: Vec<ExprId> = pairs.iter().flatten().copied().collect();
    let read = support(model, exprs.iter().copied());
    let is_input = |var: &VarId| model.var(*var).kind == VarKind::Input;
    let plan = Plan::new(model, &exprs);
    if read.next.is_empty() && !read.current.iter().any(is_input) {
        Compared::States(plan)
    } else if is_alone(model, &read.next, vars) {
        Compared::Steps(plan)
    } else {
        Compared::Nothing
    }
}

/// Does no rule about a state read these variables in it, and do they stay in their types? Then the copy has the
/// steps of the model from a state if the expressions agree on all of these: in any other step of the copy the
/// variables could be given the values that the model gives them, which makes a step of the model on which the
/// expressions do not agree.
fn is_alone(model: &Model, read_after: &[VarId], vars: &[VarId]) -> bool {
    let mut read: FxHashSet<VarId> = read_after.iter().copied().collect();
    for assign in &model.assigns {
        let found = support(model, [assign.expr]);
        match assign.kind {
            AssignKind::Init => {}
            AssignKind::Next => read.extend(found.next),
            AssignKind::Current => read.extend(found.current),
        }
    }
    for constraint in model.constraints.iter().filter(|it| it.kind != ConstraintKind::Init) {
        read.extend(support(model, [constraint.body.expr]).all());
    }
    let mut rules = model.assigns.iter().filter(|assign| vars.contains(&assign.var));
    vars.iter().all(|var| !read.contains(var))
        && rules.all(|rule| stays_in(model, rule.expr, &model.var(rule.var).domain))
}

/// Is each branch of a value a constant or a variable of the domain, and is there always one?
fn stays_in(model: &Model, value: ExprId, domain: &Domain) -> bool {
    let (mut stack, mut seen) = (vec![value], FxHashSet::default());
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let is_within = match model.exprs.get(id) {
            Expr::Ite(guard, then, _) if model.exprs.is_true(guard) => {
                stack.push(then);
                true
            }
            Expr::Ite(_, a, b) | Expr::Binary(BinaryOp::Union, a, b) => {
                stack.extend([a, b]);
                true
            }
            Expr::Const(constant) => domain.contains(model.exprs.constant(constant)),
            Expr::Var(var) | Expr::Next(var) => match (&model.var(var).domain, domain) {
                (Domain::Range(a, b), Domain::Range(lo, hi)) => lo <= a && b <= hi,
                (Domain::Enum(values), _) => values.iter().all(|&it| domain.contains(it)),
                (other, _) => other == domain,
            },
            Expr::Fail(_) => false,
            _ => *domain == Domain::Bool,
        };
        if !is_within {
            return false;
        }
    }
    true
}
