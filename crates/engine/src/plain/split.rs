//! Alternatives as choices.
//!
//! `TRANS (a & next(x) = 1 & next(y) = y) | (b & next(x) = x & next(y) = z)` says what the next
//! state is once it is known which alternative is taken. So a new input says which, and then each
//! alternative is a list of equations under a guard, as elsewhere. Where no equation counts, a
//! variable has the value of another new input.
//!
//! States and steps stay the same, apart from the new inputs: a step is allowed if there are values
//! of these with which it is. What is gained is that the next state is a function. A set of states
//! from which a step leads somewhere can then leave out whatever the step just keeps; without that,
//! every bit of the next state would be a choice that happens to be that of the state.

use std::borrow::Cow;

use trapline_model::{
    Assign, AssignKind, AssignPart, BinaryOp, Clause, Constraint, ConstraintKind, Domain, Expr,
    ExprId, Model, Role, Type, UnaryOp, Value, Var, VarId, VarKind,
};
use trapline_source::Span;

use super::circles::Circles;
use super::cover::cover;
use super::equations::{Equation, Leaf, MAX_LEAVES, Open, groups, leaves, says_something};
use super::{all, chain};

/// What a leaf says beside the assignments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Whole,
    Nothing,
    /// It counts only where this holds too.
    Where(ExprId),
}

/// The model with choices in place of alternatives; the model itself where nothing comes of it.
pub fn split(model: &Model) -> Cow<'_, Model> {
    let open = Open::new(model);
    let is_step = |constraint: &&Constraint| constraint.kind == ConstraintKind::Trans;
    let mut steps = model.constraints.iter().filter(is_step);
    if !steps.any(|constraint| says_something(model, &open, constraint.body.expr)) {
        return Cow::Borrowed(model);
    }
    let mut split = model.clone();
    let parts: Vec<Vec<Leaf>> = model
        .constraints
        .iter()
        .map(|constraint| match constraint.kind {
            ConstraintKind::Trans => take_apart(&mut split, &open, constraint.body.expr),
            ConstraintKind::Init | ConstraintKind::Invar => Vec::new(),
        })
        .collect();
    let mut rest: Vec<Vec<Rest>> =
        parts.iter().map(|leaves| vec![Rest::Whole; leaves.len()]).collect();
    let mut circles = Circles::new(&split);
    for group in groups(&mut split, &parts) {
        let mut used: Vec<Equation> = Vec::new();
        for equation in group.equations {
            let (constraint, leaf) = equation.leaf;
            if rest[constraint][leaf] != Rest::Whole {
                continue;
            }
            let reads = circles.allow(&split, AssignKind::Next, group.var, equation.exprs());
            let Some(reads) = reads else { continue };
            circles.assign(AssignKind::Next, group.var, reads);
            rest[constraint][leaf] = beside(&mut split, &used, &equation);
            used.push(equation);
        }
        if !used.is_empty() {
            assign(&mut split, group.var, &used, group.span);
        }
    }
    if split.assigns.len() == model.assigns.len() {
        return Cow::Borrowed(model);
    }
    split.constraints = constraints(&mut split, &parts, &rest);
    Cow::Owned(split)
}

/// Takes an expression apart, alternatives as well.
fn take_apart(model: &mut Model, open: &Open, expr: ExprId) -> Vec<Leaf> {
    let n_vars = model.vars.len();
    let (mut done, mut waiting) = (Vec::new(), leaves(model, expr));
    waiting.reverse();
    while let Some(leaf) = waiting.pop() {
        let alternatives = alternatives(model, leaf.expr);
        if alternatives.len() < 2 || !says_something(model, open, leaf.expr) {
            done.push(leaf);
            continue;
        }
        if done.len() + waiting.len() + alternatives.len() > MAX_LEAVES {
            model.vars.truncate(n_vars);
            return leaves(model, expr);
        }
        let which = add_input(model, Domain::Range(0, alternatives.len() as i64 - 1));
        for (idx, &alternative) in alternatives.iter().enumerate().rev() {
            let number = model.exprs.value(Value::Int(idx as i64));
            let is_taken = Expr::Binary(BinaryOp::Eq, which, number);
            let is_taken = model.exprs.add(is_taken, Type::Bool);
            let under = |inner: Leaf| Leaf {
                guards: leaf.guards.iter().copied().chain([is_taken]).chain(inner.guards).collect(),
                expr: inner.expr,
            };
            waiting.extend(leaves(model, alternative).into_iter().rev().map(under));
        }
    }
    done
}

/// The operands of a disjunction.
fn alternatives(model: &Model, expr: ExprId) -> Vec<ExprId> {
    let (mut all, mut stack) = (Vec::new(), vec![expr]);
    while let Some(expr) = stack.pop() {
        match model.exprs.get(expr) {
            Expr::Binary(BinaryOp::Or, a, b) => stack.extend([b, a]),
            _ => all.push(expr),
        }
    }
    all
}

/// A new input.
fn add_input(model: &mut Model, domain: Domain) -> ExprId {
    let var = VarId(model.vars.len() as u32);
    // Nobody sees it, and no name of a model is empty.
    let (name, role, span) = (String::new(), Role::Internal, Span::default());
    model.vars.push(Var { name, kind: VarKind::Input, domain, role, span });
    model.var_expr(var)
}

/// What an equation says that is used behind others.
fn beside(model: &mut Model, before: &[Equation], equation: &Equation) -> Rest {
    let mut any = None;
    for before in before {
        if !is_apart(model, &before.guards, &equation.guards) {
            let guard = all(model, &before.guards);
            any = Some(match any {
                None => guard,
                Some(any) => model.exprs.add(Expr::Binary(BinaryOp::Or, any, guard), Type::Bool),
            });
        }
    }
    any.map_or(Rest::Nothing, Rest::Where)
}

/// Is it plain that these guards never hold together?
fn is_apart(model: &Model, a: &[ExprId], b: &[ExprId]) -> bool {
    let equal = |guard: ExprId| match model.exprs.get(guard) {
        Expr::Binary(BinaryOp::Eq, what, value) => {
            model.exprs.as_const(value).map(|value| (what, value))
        }
        _ => None,
    };
    let contradicts = |a: ExprId, b: ExprId| {
        let is_not = |a: ExprId, b: ExprId| model.exprs.get(a) == Expr::Unary(UnaryOp::Not, b);
        let differ = matches!((equal(a), equal(b)),
            (Some((what, first)), Some((other, second))) if what == other && first != second);
        differ || is_not(a, b) || is_not(b, a)
    };
    a.iter().any(|&a| b.iter().any(|&b| contradicts(a, b)))
}

/// Gives a variable the values that equations say, and any other where none of them counts.
fn assign(model: &mut Model, var: VarId, used: &[Equation], span: Span) {
    let guards: Vec<&[ExprId]> = used.iter().map(|equation| equation.guards.as_slice()).collect();
    let mut used = used.to_vec();
    if cover(model, &guards).is_none() {
        let value = add_input(model, model.var(var).domain.clone());
        used.push(Equation { guards: Vec::new(), value, leaf: (0, 0) });
    }
    let expr = chain(model, &used);
    let body = Clause { expr, occ: None, span };
    let part = AssignPart { body, running: None, target_span: span };
    model.assigns.push(Assign { kind: AssignKind::Next, var, expr, parts: vec![part] });
}

/// What constraints say besides, those of the same guards together.
fn constraints(model: &mut Model, parts: &[Vec<Leaf>], rest: &[Vec<Rest>]) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    for (idx, (leaves, rest)) in parts.iter().zip(rest).enumerate() {
        let constraint = model.constraints[idx].clone();
        if rest.iter().all(|rest| *rest == Rest::Whole) {
            constraints.push(constraint);
            continue;
        }
        let mut said: Vec<(Vec<ExprId>, ExprId)> = Vec::new();
        for (leaf, rest) in leaves.iter().zip(rest) {
            let mut guards = leaf.guards.clone();
            match rest {
                Rest::Nothing => continue,
                Rest::Whole => {}
                Rest::Where(also) => guards.push(*also),
            }
            match said.last_mut() {
                Some((before, whole)) if *before == guards => {
                    *whole = model.exprs.and(*whole, leaf.expr);
                }
                _ => said.push((guards, leaf.expr)),
            }
        }
        for (guards, expr) in said {
            let expr = match guards.is_empty() {
                true => expr,
                false => {
                    let guard = all(model, &guards);
                    model.exprs.add(Expr::Binary(BinaryOp::Implies, guard, expr), Type::Bool)
                }
            };
            let body = Clause { expr, occ: None, span: constraint.body.span };
            constraints.push(Constraint { kind: constraint.kind, body });
        }
    }
    constraints
}
