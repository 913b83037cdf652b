//! The operators of CTL, reduced to three path shapes.
//!
//! Each of them asserts or denies that a fair path of one of three shapes exists. Satisfaction sets
//! and witnesses are defined on the shapes alone.

use rustc_hash::FxHashSet;
use trapline_model::expr::{Expr, ExprId, Exprs};
use trapline_model::{BinaryOp, BoundedOp, PathQuantifier, Type, UnaryOp, Value};

use crate::answer::Why;

/// A formula or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Literal {
    /// The formula.
    pub formula: ExprId,
    /// The polarity.
    pub is_true: bool,
}

/// A shape of paths from a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The next state satisfies this: `EX`.
    Next(Literal),
    /// Some state satisfies the target, and all before it satisfy `through`: `EF`, `EU`.
    Reach {
        /// What holds before; unconstrained if absent.
        through: Option<Literal>,
        /// What holds then.
        target: Literal,
        /// The number of steps; unbounded if absent.
        bounds: Option<Bounds>,
    },
    /// All states satisfy `stay`, up to and including a releasing one, if there is any: `EG`, and
    /// the dual of `AU`. With bounds, states before the lower one may release the path but are
    /// otherwise unconstrained.
    Stay {
        /// What holds up to then.
        stay: Literal,
        /// What releases the path; nothing if absent.
        release: Option<Literal>,
        /// The number of steps; unbounded if absent.
        bounds: Option<Bounds>,
    },
}

/// A range of step counts, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The least number.
    pub lo: u64,
    /// The greatest number, not less.
    pub hi: u64,
}

/// What remains to be demonstrated at the end of a path that stays in a set.
#[derive(Clone, Copy, Debug, Default)]
pub struct End {
    /// That it is a releasing state.
    pub is_released: bool,
    /// That it is in the set.
    pub is_inside: bool,
}

/// A path shape under a quantifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantified {
    /// The shape.
    pub shape: Shape,
    /// True if such a path exists.
    pub exists: bool,
}

impl Literal {
    /// The formula.
    pub fn yes(formula: ExprId) -> Literal {
        Literal { formula, is_true: true }
    }

    /// Its negation.
    pub fn no(formula: ExprId) -> Literal {
        Literal { formula, is_true: false }
    }
}

/// The path shape that a CTL formula asserts or denies; `None` for other formulas.
pub fn quantified(exprs: &Exprs, formula: ExprId) -> Option<Quantified> {
    let (yes, no) = (Literal::yes, Literal::no);
    match exprs.get(formula) {
        Expr::Unary(op, p) => unary(op, p),
        Expr::Binary(BinaryOp::Eu, p, q) => Some(some(reach(Some(yes(p)), yes(q), None))),
        Expr::Binary(BinaryOp::Au, p, q) => Some(none(stay(no(q), Some(no(p)), None))),
        Expr::Bounded(op, p, lo, hi) => {
            let bounds = Some(bounds(exprs.constant(lo), exprs.constant(hi))?);
            bounded(op, p, bounds)
        }
        Expr::BoundedUntil(quantifier, operands, lo, hi) => {
            let bounds = Some(bounds(exprs.constant(lo), exprs.constant(hi))?);
            let &[p, q] = exprs.list(operands) else { return None };
            Some(match quantifier {
                PathQuantifier::Some => some(reach(Some(yes(p)), yes(q), bounds)),
                PathQuantifier::All => none(stay(no(q), Some(no(p)), bounds)),
            })
        }
        _ => None,
    }
}

fn unary(op: UnaryOp, p: ExprId) -> Option<Quantified> {
    Some(match op {
        UnaryOp::Ex => some(Shape::Next(Literal::yes(p))),
        UnaryOp::Ax => none(Shape::Next(Literal::no(p))),
        UnaryOp::Ef => some(reach(None, Literal::yes(p), None)),
        UnaryOp::Ag => none(reach(None, Literal::no(p), None)),
        UnaryOp::Eg => some(stay(Literal::yes(p), None, None)),
        UnaryOp::Af => none(stay(Literal::no(p), None, None)),
        _ => return None,
    })
}

fn bounded(op: BoundedOp, p: ExprId, bounds: Option<Bounds>) -> Option<Quantified> {
    Some(match op {
        BoundedOp::Ebf => some(reach(None, Literal::yes(p), bounds)),
        BoundedOp::Abg => none(reach(None, Literal::no(p), bounds)),
        BoundedOp::Ebg => some(stay(Literal::yes(p), None, bounds)),
        BoundedOp::Abf => none(stay(Literal::no(p), None, bounds)),
        BoundedOp::G | BoundedOp::F | BoundedOp::H | BoundedOp::O => return None,
    })
}

/// Bounds that make sense; others are refused when the model is read.
fn bounds(lo: Value, hi: Value) -> Option<Bounds> {
    let (Value::Int(lo), Value::Int(hi)) = (lo, hi) else { return None };
    let (lo, hi) = (u64::try_from(lo).ok()?, u64::try_from(hi).ok()?);
    (lo <= hi).then_some(Bounds { lo, hi })
}

fn some(shape: Shape) -> Quantified {
    Quantified { shape, exists: true }
}

fn none(shape: Shape) -> Quantified {
    Quantified { shape, exists: false }
}

fn reach(through: Option<Literal>, target: Literal, bounds: Option<Bounds>) -> Shape {
    Shape::Reach { through, target, bounds }
}

fn stay(stay: Literal, release: Option<Literal>, bounds: Option<Bounds>) -> Shape {
    Shape::Stay { stay, release, bounds }
}

/// The first path shape that makes one of the facts true in a state; `is_true` evaluates formulas
/// there.
///
/// # Errors
/// When `is_true` fails.
pub fn first_shape(
    exprs: &Exprs,
    facts: &[Literal],
    is_true: impl Fn(ExprId) -> Result<bool, Why>,
) -> Result<Option<Shape>, Why> {
    let mut seen = FxHashSet::default();
    let mut open: Vec<Literal> = facts.iter().rev().copied().collect();
    while let Some(fact) = open.pop() {
        let is_atom = exprs.ty(fact.formula) != Type::Temporal;
        if is_atom || !seen.insert(fact) {
            continue;
        }
        match quantified(exprs, fact.formula) {
            Some(claim) if claim.exists == fact.is_true => return Ok(Some(claim.shape)),
            Some(_) => {}
            None => open.extend(reasons(exprs, fact.formula, &is_true)?.into_iter().rev()),
        }
    }
    Ok(None)
}

/// The operands that explain the value of a Boolean combination in a state; `is_true` evaluates
/// them.
///
/// # Errors
/// When `is_true` fails.
fn reasons(
    exprs: &Exprs,
    formula: ExprId,
    is_true: impl Fn(ExprId) -> Result<bool, Why>,
) -> Result<Vec<Literal>, Why> {
    let actual = |formula: ExprId| -> Result<Literal, Why> {
        Ok(Literal { formula, is_true: is_true(formula)? })
    };
    let (op, p, q) = match exprs.get(formula) {
        Expr::Unary(UnaryOp::Not, p) => return Ok(vec![actual(p)?]),
        Expr::Binary(op, p, q) => (op, actual(p)?, actual(q)?),
        _ => return Ok(Vec::new()),
    };
    // The controlling value of each operand.
    let (left, right) = match op {
        BinaryOp::And => (false, false),
        BinaryOp::Or => (true, true),
        BinaryOp::Implies => (false, true),
        _ => return Ok(vec![p, q]),
    };
    let deciding: Vec<Literal> = [(p, left), (q, right)]
        .into_iter()
        .filter_map(|(fact, value)| (fact.is_true == value).then_some(fact))
        .collect();
    // A controlling atom needs no path.
    let is_atom = |fact: &Literal| exprs.ty(fact.formula) != Type::Temporal;
    Ok(match deciding.iter().find(|fact| is_atom(fact)) {
        _ if deciding.is_empty() => vec![p, q],
        Some(&atom) => vec![atom],
        None => deciding,
    })
}

/// Applies a function this many times, or fewer if the results become periodic (detected with
/// Brent's algorithm).
///
/// # Errors
/// When the function fails.
pub fn repeat<S: Clone + PartialEq>(
    start: S,
    n_times: u64,
    mut step: impl FnMut(&S) -> Result<S, Why>,
) -> Result<S, Why> {
    let mut now = start;
    let mut landmark = now.clone();
    let (mut n_left, mut distance, mut next_landmark) = (n_times, 0, 1);
    while n_left > 0 {
        now = step(&now)?;
        n_left -= 1;
        distance += 1;
        if now == landmark {
            n_left %= distance;
        }
        if distance == next_landmark {
            landmark = now.clone();
            (distance, next_landmark) = (0, next_landmark * 2);
        }
    }
    Ok(now)
}
