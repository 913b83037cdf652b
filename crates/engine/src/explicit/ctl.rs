//! Computation tree logic on the reachability graph.
//!
//! Computes the satisfaction set of every subformula, operands first, as in Clarke, Emerson and
//! Sistla's algorithm. Path quantifiers range over fair infinite paths, as in NuSMV, so states
//! without one, deadlocks included, are ignored. The value of a formula in such a state is a
//! don't-care.
//!
//! Bounded operators are those of NuSMV (RTCTL). The steps between the bounds take one linear
//! search; those before the lower bound take one each, until a fixpoint.

#[cfg(test)]
pub(super) mod tests;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use trapline_model::expr::{Expr, ExprId};
use trapline_model::{BinaryOp, Model, Type, UnaryOp};

use super::fair::FairGraph;
use super::graph::StateId;
use crate::shape::{self, Bounds, Literal, Quantified, Shape};
use crate::{Budget, Why};

/// Satisfaction sets of a formula and its subformulas.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    sets: FxHashMap<ExprId, FixedBitSet>,
}

impl Truth {
    /// The satisfaction set of the formula, which must be a subformula of one already evaluated.
    pub fn of(&self, formula: ExprId) -> &FixedBitSet {
        &self.sets[&formula]
    }

    /// The states that satisfy the literal.
    pub fn set(&self, literal: Literal) -> FixedBitSet {
        let mut set = self.of(literal.formula).clone();
        if !literal.is_true {
            set.toggle_range(..);
        }
        set
    }
}

/// Computes the satisfaction sets of a formula and its subformulas. `atoms` evaluates the
/// non-temporal ones.
///
/// # Errors
/// When the budget runs out, `atoms` fails, or the formula is not one of CTL.
pub fn satisfying(
    fair: &FairGraph,
    model: &Model,
    formula: ExprId,
    atoms: &mut dyn FnMut(ExprId) -> Result<FixedBitSet, Why>,
    budget: &Budget,
) -> Result<Truth, Why> {
    let mut truth = Truth::default();
    for part in model.exprs.temporal_parts(formula) {
        let set = if model.exprs.ty(part) != Type::Temporal {
            atoms(part)?
        } else if let Some(claim) = shape::quantified(&model.exprs, part) {
            quantified(fair, &truth, claim, budget)?
        } else {
            connected(&truth, model.exprs.get(part))?
        };
        truth.sets.insert(part, set);
    }
    Ok(truth)
}

/// An initial state with a fair path that violates the formula.
pub fn violation(fair: &FairGraph, formula: ExprId, truth: &Truth) -> Option<StateId> {
    let counts = |state: StateId| fair.states.contains(state as usize);
    let set = truth.of(formula);
    fair.graph.initial.iter().copied().find(|&state| counts(state) && !set.contains(state as usize))
}

/// The satisfaction set of a Boolean combination.
fn connected(truth: &Truth, expr: Expr) -> Result<FixedBitSet, Why> {
    use BinaryOp as Op;
    match expr {
        Expr::Unary(UnaryOp::Not, p) => Ok(truth.set(Literal::no(p))),
        Expr::Binary(Op::And, p, q) => Ok(truth.of(p) & truth.of(q)),
        Expr::Binary(Op::Or, p, q) => Ok(truth.of(p) | truth.of(q)),
        Expr::Binary(Op::Xor, p, q) => Ok(truth.of(p) ^ truth.of(q)),
        Expr::Binary(Op::Xnor | Op::Iff, p, q) => Ok(&truth.set(Literal::no(p)) ^ truth.of(q)),
        Expr::Binary(Op::Implies, p, q) => Ok(&truth.set(Literal::no(p)) | truth.of(q)),
        _ => Err(Why::Unsupported("this operator in a formula of CTL".into())),
    }
}

/// The satisfaction set of a quantified path formula.
fn quantified(
    fair: &FairGraph,
    truth: &Truth,
    claim: Quantified,
    budget: &Budget,
) -> Result<FixedBitSet, Why> {
    let counting = |literal: Literal| {
        let mut set = truth.set(literal);
        set.intersect_with(&fair.states);
        set
    };
    let mut set = match claim.shape {
        Shape::Next(target) => fair.backward.step(&counting(target), budget)?,
        Shape::Reach { through, target, bounds } => {
            let through = through.map(counting);
            reaching(fair, through.as_ref(), counting(target), bounds, budget)?
        }
        Shape::Stay { stay, release, bounds } => {
            let release = release.map(counting);
            match bounds {
                None => staying(fair, counting(stay), release, budget)?,
                Some(bounds) => {
                    staying_between(fair, counting(stay), release.as_ref(), bounds, budget)?
                }
            }
        }
    };
    if !claim.exists {
        set.toggle_range(..);
    }
    Ok(set)
}

/// The states with a path to the target: fair `EU`.
fn reaching(
    fair: &FairGraph,
    through: Option<&FixedBitSet>,
    target: FixedBitSet,
    bounds: Option<Bounds>,
    budget: &Budget,
) -> Result<FixedBitSet, Why> {
    let Bounds { lo, hi } = bounds.unwrap_or(Bounds { lo: 0, hi: u64::MAX });
    let near = fair.backward.closure(target, through, hi - lo, budget)?;
    shape::repeat(near, lo, |set| step_towards(fair, through, set, budget))
}

/// One preimage below the lower bound of a bounded `EU`.
pub(super) fn step_towards(
    fair: &FairGraph,
    through: Option<&FixedBitSet>,
    set: &FixedBitSet,
    budget: &Budget,
) -> Result<FixedBitSet, Why> {
    let mut before = fair.backward.step(set, budget)?;
    before.intersect_with(through.unwrap_or(&fair.states));
    Ok(before)
}

/// The states with a path that stays in a set for ever or until released: fair `EG`.
fn staying(
    fair: &FairGraph,
    stay: FixedBitSet,
    release: Option<FixedBitSet>,
    budget: &Budget,
) -> Result<FixedBitSet, Why> {
    let mut set = fair.staying(stay.clone(), budget)?;
    if let Some(mut released) = release {
        released.intersect_with(&stay);
        set.union_with(&fair.backward.closure(released, Some(&stay), u64::MAX, budget)?);
    }
    Ok(set)
}

/// The states with a path that stays in a set between the bounds or until released.
fn staying_between(
    fair: &FairGraph,
    stay: FixedBitSet,
    release: Option<&FixedBitSet>,
    Bounds { lo, hi }: Bounds,
    budget: &Budget,
) -> Result<FixedBitSet, Why> {
    let long = fair.backward.peel(stay, release, hi - lo, |_, _| {}, budget)?;
    shape::repeat(long, lo, |set| step_inside(fair, release, set, budget))
}

/// One preimage below the lower bound of a bounded `EG`.
pub(super) fn step_inside(
    fair: &FairGraph,
    release: Option<&FixedBitSet>,
    set: &FixedBitSet,
    budget: &Budget,
) -> Result<FixedBitSet, Why> {
    let mut before = fair.backward.step(set, budget)?;
    if let Some(release) = release {
        before.union_with(release);
    }
    before.intersect_with(&fair.states);
    Ok(before)
}
