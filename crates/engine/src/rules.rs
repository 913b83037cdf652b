//! The rules for initial states and for steps.

use trapline_model::{AssignKind, ConstraintKind, Domain, ExprId, Model, Value, VarId};

use crate::answer::Why;
use crate::code::{Calc, Choice, Coder, Compiled, Members, Reg, encode};

/// A rule for an initial state or a step. The state to be found is always the next one, so that
/// both have the same form.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The assigned variable; `None` for a constraint.
    pub target: Option<VarId>,
    /// The value or set of values, or the constraint.
    pub expr: ExprId,
    /// True if the expression is over the next state.
    pub primed: bool,
}

/// The rules for initial states, restricted to kept variables.
pub fn initial(model: &Model, is_kept: impl Fn(VarId) -> bool) -> Vec<Rule> {
    rules(model, is_kept, AssignKind::Init, ConstraintKind::Init)
}

/// The same for steps. That frozen variables keep their values is implicit.
pub fn steps(model: &Model, is_kept: impl Fn(VarId) -> bool) -> Vec<Rule> {
    rules(model, is_kept, AssignKind::Next, ConstraintKind::Trans)
}

fn rules(
    model: &Model,
    is_kept: impl Fn(VarId) -> bool,
    assign_kind: AssignKind,
    constraint_kind: ConstraintKind,
) -> Vec<Rule> {
    let mut rules = Vec::new();
    for assign in model.assigns.iter().filter(|assign| is_kept(assign.var)) {
        let is_current = assign.kind == AssignKind::Current;
        if is_current || assign.kind == assign_kind {
            rules.push(Rule {
                target: Some(assign.var),
                expr: assign.expr,
                primed: is_current || assign_kind == AssignKind::Init,
            });
        }
    }
    for constraint in &model.constraints {
        let is_invariant = constraint.kind == ConstraintKind::Invar;
        if is_invariant || constraint.kind == constraint_kind {
            rules.push(Rule {
                target: None,
                expr: constraint.body.expr,
                primed: is_invariant || constraint_kind == ConstraintKind::Init,
            });
        }
    }
    rules
}

/// True if a value, or one of a set, lies outside a domain.
///
/// # Errors
/// When the domain has values that are no numbers.
pub fn outside(coder: &mut Coder, domain: &Domain, value: &Compiled) -> Result<Reg, Why> {
    let all = match value {
        Compiled::One(reg) => {
            let guard = coder.constant(1);
            vec![Choice { guard, members: Members::One(*reg) }]
        }
        Compiled::Set(choices) => choices.clone(),
    };
    let mut any = coder.constant(0);
    for choice in all {
        let is_inside = match choice.members {
            Members::One(reg) => is_inside(coder, reg, domain)?,
            Members::Range(lo, hi) => covers(coder, domain, lo, hi)?,
        };
        let is_outside = coder.not(is_inside);
        let is_outside = coder.and(choice.guard, is_outside);
        any = coder.or(any, is_outside);
    }
    Ok(any)
}

/// True if all integers from `lo` to `hi` are in a domain.
fn covers(coder: &mut Coder, domain: &Domain, lo: i64, hi: i64) -> Result<Reg, Why> {
    if let Domain::Enum(values) = domain {
        let is_between =
            |value: &&Value| matches!(value, Value::Int(number) if (lo..=hi).contains(number));
        let n_values = values.iter().filter(is_between).count();
        let is_all = i128::from(hi) - i128::from(lo) < n_values as i128;
        return Ok(coder.constant(is_all.into()));
    }
    let [lo, hi] = [lo, hi].map(|end| coder.constant(end));
    let [lo, hi] = [is_inside(coder, lo, domain)?, is_inside(coder, hi, domain)?];
    Ok(coder.and(lo, hi))
}

fn is_inside(coder: &mut Coder, reg: Reg, domain: &Domain) -> Result<Reg, Why> {
    Ok(match domain {
        Domain::Bool | Domain::Word { .. } => coder.constant(1),
        Domain::Range(lo, hi) => coder.is_between(reg, *lo, *hi),
        Domain::Enum(values) => {
            let mut any = coder.constant(0);
            for &value in values.iter() {
                let value = coder.constant(encode(value)?);
                let is_this = coder.calc(Calc::Eq, reg, value);
                any = coder.or(any, is_this);
            }
            any
        }
        Domain::Integer | Domain::Real | Domain::Clock => coder.constant(1),
    })
}
