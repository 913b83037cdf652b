//! Computation tree logic over the reachable states, and distances between sets of them.
//!
//! Path quantifiers range over fair infinite paths, as in NuSMV, so states with no fair path are
//! ignored.

use rustc_hash::FxHashMap;
use trapline_model::expr::{Expr, ExprId};
use trapline_model::{BinaryOp, Model, Type, UnaryOp};

use crate::answer::{Distance, Why};
use crate::shape::{self, Bounds, Literal, Quantified, Shape};

use super::fair::FairGraph;
use super::manager::Bdd;
use super::walk::visited;

/// Satisfaction sets of a formula and its subformulas.
#[derive(Debug, Default)]
pub struct Truth {
    sets: FxHashMap<ExprId, Bdd>,
}

impl Truth {
    /// The satisfaction set of the formula, which must be a subformula of one already evaluated.
    pub fn of(&self, formula: ExprId) -> &Bdd {
        &self.sets[&formula]
    }

    /// True if the satisfaction set of the formula is known.
    pub fn knows(&self, formula: ExprId) -> bool {
        self.sets.contains_key(&formula)
    }

    /// Drops the satisfaction set of a formula.
    pub fn forget(&mut self, formula: ExprId) {
        self.sets.remove(&formula);
    }

    /// The states that satisfy a literal.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn set(&self, fair: &FairGraph, literal: Literal) -> Result<Bdd, Why> {
        let set = self.of(literal.formula);
        if literal.is_true { Ok(set.clone()) } else { fair.others(set) }
    }

    /// The same, restricted to states with a fair path.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn counting(&self, fair: &FairGraph, literal: Literal) -> Result<Bdd, Why> {
        fair.system.manager.and(&self.set(fair, literal)?, &fair.states)
    }
}

/// Computes the satisfaction sets of a formula and its subformulas that are not yet known. `atoms`
/// evaluates the non-temporal ones.
///
/// # Errors
/// When the budget runs out, `atoms` fails, or the formula is not one of CTL.
pub fn satisfying(
    fair: &FairGraph,
    model: &Model,
    formula: ExprId,
    atoms: &mut dyn FnMut(ExprId) -> Result<Bdd, Why>,
    truth: &mut Truth,
) -> Result<(), Why> {
    for part in model.exprs.temporal_parts(formula) {
        if truth.sets.contains_key(&part) {
            continue;
        }
        let set = if model.exprs.ty(part) != Type::Temporal {
            atoms(part)?
        } else if let Some(claim) = shape::quantified(&model.exprs, part) {
            quantified(fair, truth, claim)?
        } else {
            connected(fair, truth, model.exprs.get(part))?
        };
        truth.sets.insert(part, set);
    }
    Ok(())
}

/// Evaluates an until formula only on the states visited by paths from `start` through its left
/// operand: often these are few, while the states that can reach the target are many. The other
/// satisfaction sets it needs must be known.
///
/// # Errors
/// When the budget runs out.
pub fn satisfying_after(
    fair: &FairGraph,
    model: &Model,
    formula: ExprId,
    start: &Bdd,
    truth: &mut Truth,
) -> Result<(), Why> {
    let Some(Quantified {
        shape: Shape::Reach { through: Some(through), target, bounds: None },
        exists,
    }) = shape::quantified(&model.exprs, formula)
    else {
        return Ok(());
    };
    let manager = &fair.system.manager;
    let (through, target) = (truth.counting(fair, through)?, truth.counting(fair, target)?);
    let start = manager.and(start, &fair.states)?;
    let visited = visited(fair.system, start, &through, &fair.states)?;
    let (through, target) = (manager.and(&through, &visited)?, manager.and(&target, &visited)?);
    let set = fair.closure(&target, &through, u64::MAX)?;
    truth.sets.insert(formula, if exists { set } else { fair.others(&set)? });
    Ok(())
}

/// The satisfaction set of a Boolean combination.
fn connected(fair: &FairGraph, truth: &Truth, expr: Expr) -> Result<Bdd, Why> {
    use BinaryOp as Op;
    let manager = &fair.system.manager;
    let (op, p, q) = match expr {
        Expr::Unary(UnaryOp::Not, p) => return fair.others(truth.of(p)),
        Expr::Binary(op, p, q) => (op, truth.of(p), truth.of(q)),
        _ => return Err(Why::Unsupported("this operator in a formula of CTL".into())),
    };
    match op {
        Op::And => manager.and(p, q),
        Op::Or => manager.or(p, q),
        Op::Xor => manager.xor(p, q),
        Op::Xnor | Op::Iff => fair.others(&manager.xor(p, q)?),
        Op::Implies => manager.or(&fair.others(p)?, q),
        _ => Err(Why::Unsupported("this operator in a formula of CTL".into())),
    }
}

/// The satisfaction set of a quantified path formula.
fn quantified(fair: &FairGraph, truth: &Truth, claim: Quantified) -> Result<Bdd, Why> {
    let counting = |literal: Literal| truth.counting(fair, literal);
    let set = match claim.shape {
        Shape::Next(target) => fair.before(&counting(target)?)?,
        Shape::Reach { through, target, bounds } => {
            let through = through.map(counting).transpose()?;
            reaching(fair, through.as_ref(), &counting(target)?, bounds)?
        }
        Shape::Stay { stay, release, bounds } => {
            let release = release.map(counting).transpose()?;
            let stay = counting(stay)?;
            match bounds {
                None => staying(fair, &stay, release.as_ref())?,
                Some(bounds) => staying_between(fair, &stay, release.as_ref(), bounds)?,
            }
        }
    };
    if claim.exists { Ok(set) } else { fair.others(&set) }
}

/// The states with a path to the target: fair `EU`.
fn reaching(
    fair: &FairGraph,
    through: Option<&Bdd>,
    target: &Bdd,
    bounds: Option<Bounds>,
) -> Result<Bdd, Why> {
    let Bounds { lo, hi } = bounds.unwrap_or(Bounds { lo: 0, hi: u64::MAX });
    let through = through.unwrap_or(&fair.states);
    let near = fair.closure(target, through, hi - lo)?;
    shape::repeat(near, lo, |set| step_towards(fair, through, set))
}

/// One preimage below the lower bound of a bounded `EU`.
pub fn step_towards(fair: &FairGraph, through: &Bdd, set: &Bdd) -> Result<Bdd, Why> {
    fair.system.manager.and(&fair.before(set)?, through)
}

/// The states with a path that stays in a set for ever or until released: fair `EG`.
fn staying(fair: &FairGraph, stay: &Bdd, release: Option<&Bdd>) -> Result<Bdd, Why> {
    let manager = &fair.system.manager;
    let set = fair.staying(stay)?;
    let Some(release) = release else { return Ok(set) };
    let released = manager.and(release, stay)?;
    manager.or(&set, &fair.closure(&released, stay, u64::MAX)?)
}

/// The states with a path that stays in a set between the bounds or until released.
fn staying_between(
    fair: &FairGraph,
    stay: &Bdd,
    release: Option<&Bdd>,
    Bounds { lo, hi }: Bounds,
) -> Result<Bdd, Why> {
    let long = fair.peel(stay, release, hi - lo)?;
    shape::repeat(long, lo, |set| step_inside(fair, release, set))
}

/// One preimage below the lower bound of a bounded `EG`.
pub fn step_inside(fair: &FairGraph, release: Option<&Bdd>, set: &Bdd) -> Result<Bdd, Why> {
    let manager = &fair.system.manager;
    let mut before = fair.before(set)?;
    if let Some(release) = release {
        before = manager.or(&before, release)?;
    }
    manager.and(&before, &fair.states)
}

/// The least number of steps from `start` to `end`, with NuSMV's definition.
///
/// # Errors
/// When the budget runs out.
pub fn min(fair: &FairGraph, start: &Bdd, end: &Bdd) -> Result<Distance, Why> {
    let manager = &fair.system.manager;
    let mut seen = manager.and(start, &fair.states)?;
    let mut frontier = seen.clone();
    let mut n_steps = 0;
    while !frontier.is_false() {
        if manager.meets(&frontier, end)? {
            return Ok(Distance::Steps(n_steps));
        }
        let next = manager.and(&fair.system.image(&frontier)?, &fair.states)?;
        frontier = manager.minus(&next, &seen)?;
        seen = manager.or(&seen, &frontier)?;
        n_steps += 1;
    }
    Ok(Distance::Infinite)
}

/// The greatest number of steps that a path from `start` can take before it meets `end` or has to,
/// with NuSMV's definition.
///
/// # Errors
/// When the budget runs out.
pub fn max(fair: &FairGraph, start: &Bdd, end: &Bdd) -> Result<Distance, Why> {
    let manager = &fair.system.manager;
    // Without fair states NuSMV uses all states here, and none in the other computation.
    let counted = if fair.states.is_false() { &fair.all } else { &fair.states };
    if !manager.meets(start, counted)? || !manager.meets(end, counted)? {
        return Ok(Distance::Undefined);
    }
    let mut outside = manager.minus(&fair.states, end)?;
    let mut n_steps = 0;
    while manager.meets(&outside, start)? {
        let next = manager.and(&outside, &fair.before(&outside)?)?;
        if next == outside {
            return Ok(Distance::Infinite);
        }
        outside = next;
        n_steps += 1;
    }
    Ok(Distance::Steps(n_steps))
}
