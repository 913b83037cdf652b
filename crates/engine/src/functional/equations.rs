//! The equations in constraints.

use rustc_hash::FxHashSet;
use trapline_model::{
    AssignKind, BinaryOp, ConstraintKind, Domain, Expr, ExprId, Model, Reads, Type, UnaryOp, VarId,
    VarKind,
};
use trapline_source::Span;

use crate::code::{Coder, Compiled};

/// A constraint with more leaves is left as it is.
pub const MAX_LEAVES: usize = 10_000;

/// And so is one with more guards, counted once on each path to a leaf.
const MAX_GUARDS: usize = 10_000_000;

/// A guarded conjunct. The conjunction of its leaves is equivalent to the constraint.
pub struct Leaf {
    /// The guards, outermost first.
    pub guards: Vec<ExprId>,
    /// What must hold under them.
    pub expr: ExprId,
}

/// A guarded equation for a variable.
#[derive(Clone)]
pub struct Equation {
    /// The guards.
    pub guards: Vec<ExprId>,
    /// The value.
    pub value: ExprId,
    /// The constraint that it comes from, and the index of its leaf.
    pub leaf: (usize, usize),
}

impl Equation {
    /// All that it reads.
    pub fn exprs(&self) -> impl Iterator<Item = ExprId> {
        self.guards.iter().copied().chain([self.value])
    }
}

/// All equations for one value of a variable.
pub struct Group {
    /// Initial, current or next value.
    pub kind: AssignKind,
    /// The variable.
    pub var: VarId,
    /// The equations, those without guards first.
    pub equations: Vec<Equation>,
    /// Where the first one stands.
    pub span: Span,
}

/// True if the constraint may define an unassigned variable, perhaps in one of several
/// alternatives. Most constraints do not, and their models need no copy.
pub fn says_something(model: &Model, open: &Open, kind: ConstraintKind, expr: ExprId) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![expr];
    while let Some(expr) = stack.pop() {
        if !seen.insert(expr) || seen.len() > MAX_LEAVES {
            continue;
        }
        match model.exprs.get(expr) {
            Expr::Binary(BinaryOp::And | BinaryOp::Or, a, b) | Expr::Ite(_, a, b) => {
                stack.extend([a, b]);
            }
            Expr::Binary(BinaryOp::Implies, _, b) => stack.push(b),
            Expr::Define(define) => stack.push(model.define(define).body.expr),
            _ => {
                if targets(model, kind, expr).iter().any(|&(var, _)| open.has(kind, var)) {
                    return true;
                }
            }
        }
    }
    false
}

/// Decomposes an expression into leaves; into one if there would be too many.
pub fn leaves(model: &mut Model, expr: ExprId) -> Vec<Leaf> {
    let whole = || Leaf { guards: Vec::new(), expr };
    let (mut leaves, mut stack) = (Vec::new(), vec![whole()]);
    let mut n_guards = 0;
    while let Some(Leaf { guards, expr }) = stack.pop() {
        n_guards += 1 + guards.len();
        let under = |guard: ExprId, expr: ExprId| Leaf {
            guards: guards.iter().copied().chain([guard]).collect(),
            expr,
        };
        match model.exprs.get(expr) {
            Expr::Binary(BinaryOp::And, a, b) => {
                stack.push(Leaf { guards: guards.clone(), expr: b });
                stack.push(Leaf { guards, expr: a });
            }
            Expr::Binary(BinaryOp::Implies, a, b) => stack.push(under(a, b)),
            Expr::Binary(BinaryOp::Or, a, b) => match model.exprs.get(a) {
                Expr::Unary(UnaryOp::Not, guard) => stack.push(under(guard, b)),
                _ => leaves.push(Leaf { guards, expr }),
            },
            // The last branch of a `case` is unconditional.
            Expr::Ite(c, a, _) if model.exprs.is_true(c) => stack.push(Leaf { guards, expr: a }),
            Expr::Ite(c, a, b) => {
                let not = model.exprs.not(c);
                stack.push(under(not, b));
                stack.push(under(c, a));
            }
            Expr::Define(define) => {
                stack.push(Leaf { guards, expr: model.define(define).body.expr });
            }
            _ => leaves.push(Leaf { guards, expr }),
        }
        if leaves.len() + stack.len() > MAX_LEAVES || n_guards > MAX_GUARDS {
            return vec![whole()];
        }
    }
    leaves
}

/// The equations for each value that only constraints define. Invariants come first: a variable
/// that they define needs nothing else.
pub fn groups(model: &mut Model, parts: &[Vec<Leaf>]) -> Vec<Group> {
    let (yes, no) = (model.exprs.bool(true), model.exprs.bool(false));
    let model = &*model;
    let open = Open::new(model);
    let mut groups: Vec<Group> = Vec::new();
    for (idx, (constraint, leaves)) in model.constraints.iter().zip(parts).enumerate() {
        let kind = constraint.kind;
        let mut is_total = None;
        for (place, leaf) in leaves.iter().enumerate() {
            for (var, value) in targets(model, kind, leaf.expr) {
                let value = value.unwrap_or_else(|holds| if holds { yes } else { no });
                if !open.has(kind, var) || !fits(model, kind, var, value) {
                    continue;
                }
                if !*is_total.get_or_insert_with(|| is_total_in(model, constraint.body.expr)) {
                    continue;
                }
                let equation = Equation { guards: leaf.guards.clone(), value, leaf: (idx, place) };
                add(&mut groups, assigned_by(kind), var, equation, constraint.body.span);
            }
        }
    }
    for group in &mut groups {
        group.equations.sort_by_key(|equation| !equation.guards.is_empty());
    }
    groups.sort_by_key(|group| group.kind != AssignKind::Current);
    groups
}

fn add(groups: &mut Vec<Group>, kind: AssignKind, var: VarId, equation: Equation, span: Span) {
    match groups.iter_mut().find(|group| group.kind == kind && group.var == var) {
        Some(group) => group.equations.push(equation),
        None => groups.push(Group { kind, var, equations: vec![equation], span }),
    }
}

/// The kind of assignment that corresponds to a constraint.
fn assigned_by(kind: ConstraintKind) -> AssignKind {
    match kind {
        ConstraintKind::Init => AssignKind::Init,
        ConstraintKind::Invar => AssignKind::Current,
        ConstraintKind::Trans => AssignKind::Next,
    }
}

/// The variables that an expression defines, each with its value.
fn targets(
    model: &Model,
    kind: ConstraintKind,
    expr: ExprId,
) -> Vec<(VarId, Result<ExprId, bool>)> {
    let target = |expr: ExprId| match (model.exprs.get(expr), kind) {
        (Expr::Next(var), ConstraintKind::Trans) => Some(var),
        (Expr::Var(var), ConstraintKind::Init | ConstraintKind::Invar) => Some(var),
        _ => None,
    };
    match model.exprs.get(expr) {
        Expr::Binary(BinaryOp::Eq | BinaryOp::Iff | BinaryOp::Xnor, a, b) => {
            let both = [(a, b), (b, a)].into_iter();
            both.filter_map(|(var, value)| Some((target(var)?, Ok(value)))).collect()
        }
        Expr::Unary(UnaryOp::Not, a) => {
            target(a).map(|var| (var, Err(false))).into_iter().collect()
        }
        _ => target(expr).map(|var| (var, Err(true))).into_iter().collect(),
    }
}

/// The values that the model does not assign.
pub struct Open<'m> {
    model: &'m Model,
    assigned: FxHashSet<(VarId, AssignKind)>,
}

impl<'m> Open<'m> {
    /// The values that only constraints can give.
    pub fn new(model: &'m Model) -> Open<'m> {
        let assigned = model.assigns.iter().map(|assign| (assign.var, assign.kind)).collect();
        Open { model, assigned }
    }

    /// True if an equation of such a constraint may define the variable.
    pub fn has(&self, kind: ConstraintKind, var: VarId) -> bool {
        let is_free = |kind: AssignKind| !self.assigned.contains(&(var, kind));
        let declared = self.model.var(var).kind;
        let is_right = match kind {
            ConstraintKind::Init => declared != VarKind::Input && is_free(AssignKind::Init),
            ConstraintKind::Trans => declared == VarKind::State && is_free(AssignKind::Next),
            ConstraintKind::Invar => {
                declared == VarKind::State && is_free(AssignKind::Init) && is_free(AssignKind::Next)
            }
        };
        is_right && is_free(AssignKind::Current)
    }
}

/// True if a value is always in the variable's domain, and known when the variable is needed.
fn fits(model: &Model, kind: ConstraintKind, var: VarId, value: ExprId) -> bool {
    let is_of_step = model.exprs.info(value).reads.any(Reads::STEP);
    (kind == ConstraintKind::Trans || !is_of_step)
        && is_within(model, value, &model.var(var).domain)
}

/// True if an expression is defined in every state or step.
fn is_total_in(model: &Model, expr: ExprId) -> bool {
    let mut coder = Coder::new(model);
    coder.truth(expr, false).is_ok_and(|(_, fails)| coder.as_const(fails) == Some(0))
}

/// True if every value of an expression is in a domain, by its structure.
pub fn is_within(model: &Model, expr: ExprId, domain: &Domain) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![expr];
    while let Some(expr) = stack.pop() {
        if !seen.insert(expr) {
            continue;
        }
        match (model.exprs.get(expr), domain) {
            (Expr::Const(value), _) if domain.contains(model.exprs.constant(value)) => {}
            (Expr::Var(var) | Expr::Next(var), _) if is_part(&model.var(var).domain, domain) => {}
            (Expr::Ite(_, a, b), _) => stack.extend([a, b]),
            (Expr::Define(define) | Expr::NextDefine(define), _) => {
                stack.push(model.define(define).body.expr);
            }
            (_, Domain::Bool | Domain::Word { .. }) if model.exprs.ty(expr) == domain.ty() => {}
            (_, Domain::Range(lo, hi)) if is_between(model, expr, (*lo, *hi)) => {}
            _ => return false,
        }
    }
    true
}

/// Set inclusion of domains.
fn is_part(part: &Domain, whole: &Domain) -> bool {
    match (part, whole) {
        (Domain::Range(a, b), Domain::Range(lo, hi)) => lo <= a && b <= hi,
        (Domain::Enum(values), _) => values.iter().all(|&value| whole.contains(value)),
        _ => part == whole && part.size().is_some(),
    }
}

fn is_between(model: &Model, expr: ExprId, (lo, hi): (i64, i64)) -> bool {
    let mut coder = Coder::new(model);
    let Ok(code) = coder.compile(expr, false) else { return false };
    let Compiled::One(reg) = code.value else { return false };
    let (least, most) = coder.bounds(reg);
    model.exprs.ty(expr) == Type::Int && lo <= least && most <= hi
}
