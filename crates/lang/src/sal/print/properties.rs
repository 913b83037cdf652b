//! Properties as theorems.
//!
//! No theorem reads two states at once. What a property says of steps becomes a variable that
//! remembers whether it held in the step before: it is true in the first state, so that an invariant
//! over steps is one over states; in a formula of linear time it is looked at in the next state. Where
//! there is no step, it says nothing.

use rustc_hash::FxHashMap;
use trapline_model::{
    BinaryOp, Expr, ExprId, Formula, Model, Property, PropertyKind, Reads, Type, UnaryOp,
};

use super::system::{Monitor, System};

/// A formula with more nodes, shared ones counted each time, is left out.
const MAX_NODES: usize = 1_000_000;

/// A property as a theorem.
#[derive(Clone, Debug)]
pub(super) struct Theorem {
    /// How it would like to be called.
    pub wanted: String,
    /// What it says.
    pub says: Says,
}

/// What a theorem says.
#[derive(Clone, Debug)]
pub(super) enum Says {
    /// This formula, in which some expressions are monitors in the next state.
    Formula(ExprId, Vec<(ExprId, usize)>),
    /// This holds in every state.
    Always(ExprId),
    /// The monitor holds in every state.
    Monitor(usize),
    /// Nothing: SAL has no form for it.
    LeftOut(&'static str),
}

/// The theorems, one for each property; what they need is added to the system.
pub(super) fn theorems(system: &mut System) -> Vec<Theorem> {
    let properties = system.model.properties.clone();
    let mut numbers: FxHashMap<PropertyKind, usize> = FxHashMap::default();
    let mut monitors: FxHashMap<ExprId, usize> = FxHashMap::default();
    let mut theorems = Vec::with_capacity(properties.len());
    for property in &properties {
        let number = numbers.entry(property.kind).or_default();
        *number += 1;
        let wanted = match &property.name {
            Some(name) => name.clone(),
            None => format!("{}_{number}", property.kind.name()),
        };
        let says = says(system, property, &wanted, &mut monitors).unwrap_or_else(Says::LeftOut);
        theorems.push(Theorem { wanted, says });
    }
    theorems
}

fn says(
    system: &mut System,
    property: &Property,
    wanted: &str,
    monitors: &mut FxHashMap<ExprId, usize>,
) -> Result<Says, &'static str> {
    let formula = match property.formula {
        Formula::Holds(formula) => formula.expr,
        Formula::Min(..) | Formula::Max(..) => return Err("SAL computes no distances"),
        Formula::Unsupported(why) => return Err(why),
    };
    let formula = system.anew(formula);
    if !system.model.exprs.is_short(formula, MAX_NODES) {
        return Err("its text would be too large");
    }
    if property.kind == PropertyKind::Invar {
        return Ok(match is_about_step(&system.model, formula) {
            true => Says::Monitor(monitor(system, formula, format!("{wanted}_held"), monitors)),
            false => Says::Always(formula),
        });
    }
    let parts = system.model.exprs.temporal_parts(formula);
    let is_branching = check_operators(&system.model, &parts)?;
    let mut looked_at = Vec::new();
    for &part in &parts {
        if system.model.exprs.ty(part) == Type::Temporal || !is_about_step(&system.model, part) {
            continue;
        }
        if is_branching {
            return Err("SAL's branching time says nothing of steps");
        }
        // Only what the operators of the formula are about, not what an atom is made of.
        let idx = monitor(system, part, format!("{wanted}_step"), monitors);
        looked_at.push((part, idx));
    }
    Ok(Says::Formula(formula, looked_at))
}

fn is_about_step(model: &Model, expr: ExprId) -> bool {
    model.exprs.info(expr).reads.any(Reads::STEP)
}

/// The monitor of an expression.
fn monitor(
    system: &mut System,
    held: ExprId,
    wanted: String,
    monitors: &mut FxHashMap<ExprId, usize>,
) -> usize {
    *monitors.entry(held).or_insert_with(|| {
        system.monitors.push(Monitor { wanted, held });
        system.monitors.len() - 1
    })
}

/// Whether the operators are those of branching time.
fn check_operators(model: &Model, parts: &[ExprId]) -> Result<bool, &'static str> {
    let (mut is_branching, mut is_linear) = (false, false);
    for &part in parts.iter().filter(|&&part| model.exprs.ty(part) == Type::Temporal) {
        use {BinaryOp as Bin, UnaryOp as Un};
        match model.exprs.get(part) {
            Expr::Unary(Un::Y | Un::Z | Un::H | Un::O, _) | Expr::Binary(Bin::S | Bin::T, ..) => {
                return Err("SAL has no operators for the past");
            }
            Expr::Bounded(..) | Expr::BoundedUntil(..) => {
                return Err("SAL has no operators with bounds");
            }
            Expr::Unary(Un::X | Un::G | Un::F, _) | Expr::Binary(Bin::U | Bin::V, ..) => {
                is_linear = true;
            }
            Expr::Unary(Un::Not, _) => {}
            Expr::Unary(..) | Expr::Binary(Bin::Eu | Bin::Au, ..) => is_branching = true,
            _ => {}
        }
    }
    match is_branching && is_linear {
        true => Err("SAL does not mix linear and branching time"),
        false => Ok(is_branching),
    }
}
