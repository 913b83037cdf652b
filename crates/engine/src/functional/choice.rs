//! Choice variables for alternatives.
//!
//! `(a & next(x) = 1 & next(y) = y) | (b & next(x) = x & next(y) = z)` determines the next
//! state once it is known which alternative is taken. So a new input, the choice variable, selects
//! it, and each alternative becomes a list of guarded equations. Where no equation applies, a
//! variable takes the value of another new input.
//!
//! States and steps stay the same, apart from the new inputs: a step is allowed if some values of
//! these allow it. The gain is that the next state is a function. A predecessor cube can then omit
//! whatever the step just keeps; otherwise every next-state bit would be a choice that happens to
//! equal the current one.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use trapline_model::{
    AssignKind, BinaryOp, Constraint, ConstraintKind, Domain, Expr, ExprId, Model, Reads, UnaryOp,
    Value, VarId, VarKind,
};
use trapline_source::Span;

use super::circles::Circles;
use super::cover::cover;
use super::equations::{Equation, Leaf, MAX_LEAVES, Open, groups, leaves, says_something};

/// The kind of constraint with alternatives.
const STEP: ConstraintKind = ConstraintKind::Trans;

/// More alternatives are not compared pairwise.
const MAX_SORTED: usize = 200;

/// With more equations a variable is left to the constraints.
const MAX_USED: usize = 1000;

/// What remains of a leaf beside the assignments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Whole,
    Nothing,
    /// It counts only where this holds too.
    Where(ExprId),
}

/// The model with choice variables for alternatives; the model itself if nothing is gained.
pub fn with_choices(model: &Model) -> Cow<'_, Model> {
    let open = Open::new(model);
    let says = |constraint: &Constraint| {
        constraint.kind == STEP && says_something(model, &open, STEP, constraint.body.expr)
    };
    if !model.constraints.iter().any(says) {
        return Cow::Borrowed(model);
    }
    let mut split = model.clone();
    let (mut parts, mut forks): (Vec<Vec<Leaf>>, Vec<Vec<Vec<ExprId>>>) = Default::default();
    for constraint in &model.constraints {
        let mut taken = match constraint.kind {
            STEP => take_apart(&mut split, &open, constraint.body.expr),
            ConstraintKind::Init | ConstraintKind::Invar => Parts::default(),
        };
        forks.append(&mut taken.forks);
        parts.push(taken.leaves);
    }
    let mut rest: Vec<Vec<Rest>> =
        parts.iter().map(|leaves| vec![Rest::Whole; leaves.len()]).collect();
    let mut circles = Circles::new(&split);
    for group in groups(&mut split, &parts) {
        let mut used: Vec<Equation> = Vec::new();
        for equation in commonest_last(group.equations) {
            let (constraint, leaf) = equation.leaf;
            if rest[constraint][leaf] != Rest::Whole || used.len() == MAX_USED {
                continue;
            }
            let reads = circles.allow(&split, AssignKind::Next, group.var, equation.exprs());
            let Some(reads) = reads else { continue };
            circles.assign(AssignKind::Next, group.var, reads);
            rest[constraint][leaf] = beside(&mut split, &used, &equation);
            used.push(equation);
        }
        if !used.is_empty() {
            assign(&mut split, group.var, used, &forks, group.span);
        }
    }
    if split.assigns.len() == model.assigns.len() {
        return Cow::Borrowed(model);
    }
    keep_residual(&mut split, &parts, &rest);
    Cow::Owned(split)
}

/// Moves the equations with the most common value to the end: most steps keep what they do not
/// change, and one default branch covers that.
fn commonest_last(mut equations: Vec<Equation>) -> Vec<Equation> {
    let mut counts: FxHashMap<ExprId, usize> = FxHashMap::default();
    equations.iter().for_each(|equation| *counts.entry(equation.value).or_default() += 1);
    let commonest = equations.iter().max_by_key(|equation| counts[&equation.value]);
    let commonest = commonest.map(|equation| equation.value);
    equations.sort_by_key(|equation| Some(equation.value) == commonest);
    equations
}

/// A decomposed expression.
#[derive(Default)]
struct Parts {
    leaves: Vec<Leaf>,
    /// The guards of all alternatives, for each disjunction that must hold in every step.
    forks: Vec<Vec<Vec<ExprId>>>,
}

/// Decomposes an expression, including its alternatives.
fn take_apart(model: &mut Model, open: &Open, expr: ExprId) -> Parts {
    let (mut parts, mut waiting) = (Parts::default(), leaves(model, expr));
    waiting.reverse();
    while let Some(leaf) = waiting.pop() {
        let alternatives = model.exprs.chain(BinaryOp::Or, leaf.expr);
        if alternatives.len() < 2 || !says_something(model, open, STEP, leaf.expr) {
            parts.leaves.push(leaf);
            continue;
        }
        if parts.leaves.len() + waiting.len() + alternatives.len() > MAX_LEAVES {
            // Unused inputs are harmless.
            return Parts { leaves: leaves(model, expr), forks: Vec::new() };
        }
        let alternatives = alternatives.iter().map(|&expr| leaves(model, expr)).collect();
        let mut fork = Vec::new();
        let guarded = guard(model, alternatives, &leaf.guards, &mut parts.leaves);
        for (guards, leaves) in guarded.into_iter().rev() {
            for inner in leaves.into_iter().rev() {
                if !inner.guards.is_empty() || !guards.contains(&inner.expr) {
                    let guards = guards.iter().copied().chain(inner.guards).collect();
                    waiting.push(Leaf { guards, expr: inner.expr });
                }
            }
            fork.push(guards);
        }
        if leaf.guards.is_empty() {
            parts.forks.push(fork);
        }
    }
    parts
}

/// Alternatives that are disjoint from all others by their state guards.
struct Alike {
    /// Their common guards.
    common: Vec<ExprId>,
    members: Vec<Vec<Leaf>>,
}

/// Gives each alternative the guards that select it: its state guards where they suffice, and a
/// choice variable among those that overlap. That one of them is taken is a further leaf.
fn guard(
    model: &mut Model,
    alternatives: Vec<Vec<Leaf>>,
    outer: &[ExprId],
    leaves: &mut Vec<Leaf>,
) -> Vec<(Vec<ExprId>, Vec<Leaf>)> {
    let (mut guarded, mut any) = (Vec::new(), model.exprs.bool(false));
    let sorted = sort_out(model, alternatives);
    let is_always = sorted.iter().any(|alike| alike.common.is_empty());
    for Alike { common, members } in sorted {
        let here = model.exprs.all(common.iter().copied());
        any = model.exprs.or(any, here);
        let guards: Vec<ExprId> = outer.iter().copied().chain(common).collect();
        let n_members = members.len() as i64;
        let which = (n_members > 1).then(|| add_input(model, Domain::Range(0, n_members - 1)));
        for (idx, leaves) in members.into_iter().enumerate() {
            let mut guards = guards.clone();
            if let Some(which) = which {
                let number = model.exprs.value(Value::Int(idx as i64));
                guards.push(model.exprs.eq(which, number));
            }
            guarded.push((guards, leaves));
        }
    }
    if !is_always {
        leaves.push(Leaf { guards: outer.to_vec(), expr: any });
    }
    guarded
}

/// Groups alternatives that may hold at once, as far as a syntactic check can tell.
fn sort_out(model: &Model, alternatives: Vec<Vec<Leaf>>) -> Vec<Alike> {
    if alternatives.len() > MAX_SORTED {
        return vec![Alike { common: Vec::new(), members: alternatives }];
    }
    let is_of_state = |expr: ExprId| !model.exprs.info(expr).reads.any(Reads::NEXT);
    let mut sorted: Vec<Alike> = Vec::new();
    for leaves in alternatives {
        let always = leaves.iter().filter(|leaf| leaf.guards.is_empty()).map(|leaf| leaf.expr);
        let common: Vec<ExprId> = always.filter(|&expr| is_of_state(expr)).collect();
        let mut new = Alike { common, members: vec![leaves] };
        while let Some(place) =
            sorted.iter().position(|known| !is_apart(model, &known.common, &new.common))
        {
            let mut known = sorted.remove(place);
            known.common.retain(|expr| new.common.contains(expr));
            known.members.append(&mut new.members);
            new = known;
        }
        sorted.push(new);
    }
    sorted
}

/// A new input.
fn add_input(model: &mut Model, domain: Domain) -> ExprId {
    let name = model.hidden_name("choice");
    let var = model.add_var(name, VarKind::Input, domain, Span::default());
    model.var_expr(var)
}

/// What remains of an equation that is used after others.
fn beside(model: &mut Model, before: &[Equation], equation: &Equation) -> Rest {
    let mut any = None;
    for before in before {
        if !is_apart(model, &before.guards, &equation.guards) {
            let guard = model.exprs.all(before.guards.iter().copied());
            any = Some(any.map_or(guard, |any| model.exprs.or(any, guard)));
        }
    }
    any.map_or(Rest::Nothing, Rest::Where)
}

/// True if these guards are syntactically disjoint.
fn is_apart(model: &Model, a: &[ExprId], b: &[ExprId]) -> bool {
    let compared = |guard: ExprId| match model.exprs.get(guard) {
        Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), what, value) => {
            model.exprs.as_const(value).map(|value| (what, op, value))
        }
        _ => None,
    };
    let contradicts = |a: ExprId, b: ExprId| {
        let is_not = |a: ExprId, b: ExprId| model.exprs.get(a) == Expr::Unary(UnaryOp::Not, b);
        let differ = match (compared(a), compared(b)) {
            (Some((what, op, first)), Some((other, as_well, second))) if what == other => {
                match (op, as_well) {
                    (BinaryOp::Eq, BinaryOp::Eq) => first != second,
                    (BinaryOp::Ne, BinaryOp::Ne) => false,
                    _ => first == second,
                }
            }
            _ => false,
        };
        differ || is_not(a, b) || is_not(b, a)
    };
    a.iter().any(|&a| b.iter().any(|&b| contradicts(a, b)))
}

/// Assigns a variable the values of its equations, and an arbitrary one where none applies.
fn assign(
    model: &mut Model,
    var: VarId,
    mut used: Vec<Equation>,
    forks: &[Vec<Vec<ExprId>>],
    span: Span,
) {
    let is_used_guard =
        |guards: &Vec<ExprId>| used.iter().any(|equation| equation.guards == *guards);
    // Where no alternative is taken there is no step.
    let is_covered = forks.iter().any(|fork| fork.iter().all(is_used_guard)) || {
        let guards: Vec<&[ExprId]> =
            used.iter().map(|equation| equation.guards.as_slice()).collect();
        cover(model, &guards).is_some()
    };
    used = join(model, used);
    if !is_covered {
        let value = add_input(model, model.var(var).domain.clone());
        used.push(Equation { guards: Vec::new(), value, leaf: (0, 0) });
    }
    super::assign(model, AssignKind::Next, var, &used, span);
}

/// Merges adjacent equations with the same value.
fn join(model: &mut Model, equations: Vec<Equation>) -> Vec<Equation> {
    let mut joined: Vec<Equation> = Vec::new();
    for equation in equations {
        match joined.last_mut() {
            Some(last) if last.value == equation.value => {
                let before = model.exprs.all(last.guards.iter().copied());
                let guard = model.exprs.all(equation.guards.iter().copied());
                last.guards = vec![model.exprs.or(before, guard)];
            }
            _ => joined.push(equation),
        }
    }
    joined
}

/// Keeps the residual constraints, those with the same guards together.
fn keep_residual(model: &mut Model, parts: &[Vec<Leaf>], rest: &[Vec<Rest>]) {
    let constraints = std::mem::take(&mut model.constraints);
    for (constraint, (leaves, rest)) in constraints.into_iter().zip(parts.iter().zip(rest)) {
        if rest.iter().all(|rest| *rest == Rest::Whole) {
            model.constraints.push(constraint);
            continue;
        }
        let mut merged: Vec<(Vec<ExprId>, ExprId)> = Vec::new();
        for (leaf, rest) in leaves.iter().zip(rest) {
            let mut guards = leaf.guards.clone();
            match rest {
                Rest::Nothing => continue,
                Rest::Whole => {}
                Rest::Where(also) => guards.push(*also),
            }
            match merged.last_mut() {
                Some((before, whole)) if *before == guards => {
                    *whole = model.exprs.and(*whole, leaf.expr);
                }
                _ => merged.push((guards, leaf.expr)),
            }
        }
        for (guards, expr) in merged {
            let expr = match guards.is_empty() {
                true => expr,
                false => {
                    let guard = model.exprs.all(guards);
                    model.exprs.implies(guard, expr)
                }
            };
            model.constrain(constraint.kind, expr, constraint.body.span);
        }
    }
}
