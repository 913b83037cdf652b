//! Reflection: the model as formulas, one for each branch (Ammann, Black, Ding, *Model checkers in
//! software testing*, 3.1.3).
//!
//! Branch `b : v` of `next(x)` becomes `AG ((b -> AX x = v) & (!b -> AX !(x = v)))`. The second
//! half is valid only if no other branch can give the same value, so it is omitted unless that is
//! obvious. What CTL cannot express, because it reads the next state, becomes an invariant of
//! steps.

use trapline_engine::cluster::is_total;
use trapline_model::{AssignKind, BinaryOp, ExprId, Model, PropertyKind, Reads, Scope, UnaryOp};

use crate::builder::Builder;
use crate::defined::Defined;
use crate::expound::are_disjoint;
use crate::mutate::kill::Meaning;
use crate::mutate::{Part, Subject, SubjectKind, subjects};
use crate::traps::{Trap, has_next};

/// A formula that the model satisfies.
#[derive(Clone, Debug)]
pub struct Reflected {
    /// Its description.
    pub text: String,
    /// The formula.
    pub claim: Trap,
}

/// Reflects the model, with cases expounded.
pub fn reflect(builder: &mut Builder<'_>) -> Vec<Reflected> {
    let mut formulas = Vec::new();
    let mut defined = Defined::default();
    for subject in subjects(builder) {
        // What applies only to initial states is not an invariant.
        if subject.scope() == Scope::Init {
            continue;
        }
        let model = &mut builder.model;
        if subject.branches.is_empty() {
            let whole = model.occurrences.get(subject.whole).expr;
            let mut meaning = Meaning { model, defined: &mut defined };
            let expr = meaning.allowed(&subject, Part::Whole, whole);
            let claim = of_scope(model, &subject, expr);
            formulas.push(Reflected { text: subject.named.text.clone(), claim });
            continue;
        }
        let is_partition = are_disjoint(model, &subject.branches);
        for idx in 0..subject.branches.len() {
            let claim = branch((model, &mut defined), &subject, idx, is_partition);
            let text = format!("branch {} of {}", idx + 1, subject.named.text);
            formulas.push(Reflected { text, claim });
        }
    }
    formulas
}

fn branch(
    (model, defined): (&mut Model, &mut Defined),
    subject: &Subject,
    idx: usize,
    is_partition: bool,
) -> Trap {
    let [guard, value] = [subject.branches[idx].guard, subject.branches[idx].value]
        .map(|occ| model.occurrences.get(occ).expr);
    if let (SubjectKind::Assign(AssignKind::Next, var), None) = (subject.kind, subject.when)
        && !model.exprs.info(guard).reads.any(Reads::STEP)
        && model.exprs.info(value).reads == Reads::NOTHING
    {
        let read = model.var_expr(var);
        let is_given = model.exprs.is_given(read, value);
        return Trap {
            kind: PropertyKind::Ctl,
            expr: as_ctl(model, guard, is_given, is_partition),
        };
    }
    let is_given = Meaning { model, defined }.is_given(subject, value);
    let exprs = &mut model.exprs;
    let mut expr = match is_partition {
        true => exprs.binary(BinaryOp::Iff, guard, is_given),
        false => exprs.binary(BinaryOp::Implies, guard, is_given),
    };
    if let Some(when) = subject.when {
        expr = exprs.binary(BinaryOp::Implies, when, expr);
    }
    of_scope(model, subject, expr)
}

/// An invariant; one of steps must not apply to states without a successor.
fn of_scope(model: &mut Model, subject: &Subject, mut expr: ExprId) -> Trap {
    let speaks_of_steps = model.exprs.info(expr).reads.any(Reads::NEXT);
    if subject.scope() == Scope::Step
        && !speaks_of_steps
        && !is_total(model)
        && let Some(has_next) = has_next(model)
    {
        expr = model.exprs.binary(BinaryOp::Implies, has_next, expr);
    }
    Trap { kind: PropertyKind::Invar, expr }
}

fn as_ctl(model: &mut Model, guard: ExprId, is_given: ExprId, is_partition: bool) -> ExprId {
    let exprs = &mut model.exprs;
    let next = exprs.unary(UnaryOp::Ax, is_given);
    let mut body = exprs.binary(BinaryOp::Implies, guard, next);
    if is_partition {
        let [no_guard, not_given] = [guard, is_given].map(|a| exprs.unary(UnaryOp::Not, a));
        let next = exprs.unary(UnaryOp::Ax, not_given);
        let other = exprs.binary(BinaryOp::Implies, no_guard, next);
        body = exprs.binary(BinaryOp::And, body, other);
    }
    exprs.unary(UnaryOp::Ag, body)
}

/// The model with these as its only properties.
pub fn as_properties(model: Model, reflected: &[Reflected]) -> Model {
    let claims = reflected.iter().map(|one| one.claim);
    crate::traps::with_traps(model, claims)
}
