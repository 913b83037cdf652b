//! Clusters properties that one search decides.
//!
//! All of them form one cluster as long as the search is small. Beyond that, properties over
//! different cones are searched separately, smallest first, so that one large cone does not hold up
//! the others.

use rustc_hash::FxHashMap;
use trapline_model::{
    Clause, ConstraintKind, Expr, ExprId, Formula, Model, PropertyKind, Reads, Type, UnaryOp,
    VarId, VarKind,
};

use crate::answer::{Checked, Finding, Outcome, Why};
use crate::cone::{Cones, in_circles};
use crate::obligation::{Logic, Obligation, fairness, logic, roots};

/// Size limits for clustering, in bits.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// A search over at most this many bits is small.
    pub small: f64,
    /// A cone that adds at most this many bits joins the cluster.
    pub close: f64,
}

/// Clusters obligations, smallest search first.
pub fn cluster(model: &Model, obligations: Vec<Obligation>, sizes: Sizes) -> Vec<Vec<Obligation>> {
    let cones = Cones::new(model);
    let vars_of = |obligation: &Obligation| {
        let fairness = fairness(model).filter(|_| !obligation.is_invariant());
        cones.of(roots(obligation.formula).into_iter().chain(fairness))
    };
    let mut parts: Vec<(Vec<VarId>, Vec<Obligation>)> = Vec::new();
    let mut places: FxHashMap<Vec<VarId>, usize> = FxHashMap::default();
    for obligation in obligations {
        let vars = vars_of(&obligation);
        let place = *places.entry(vars.clone()).or_insert(parts.len());
        match parts.get_mut(place) {
            Some((_, obligations)) => obligations.push(obligation),
            None => parts.push((vars, vec![obligation])),
        }
    }
    parts.sort_by(|(a, _), (b, _)| bits(model, a).total_cmp(&bits(model, b)));
    let mut bundles: Vec<(Vec<VarId>, Vec<Obligation>)> = Vec::new();
    for (vars, obligations) in parts {
        if let Some((known, bundled)) = bundles.last_mut() {
            let both = union(known, &vars);
            let n_bits = bits(model, &both);
            let larger = bits(model, known).max(bits(model, &vars));
            if n_bits <= sizes.small || n_bits <= larger + sizes.close {
                *known = both;
                bundled.extend(obligations);
                continue;
            }
        }
        bundles.push((vars, obligations));
    }
    bundles.into_iter().map(|(_, obligations)| obligations).collect()
}

/// The simplest equivalent obligation in a model that [`is_plain`]: `AG p` and `G p` are
/// invariants, and non-temporal formulas are about the initial states.
fn simplify(model: &Model, is_plain: bool, obligation: Obligation) -> Obligation {
    let Formula::Holds(clause) = obligation.formula else { return obligation };
    if !matches!(obligation.logic, Logic::Ctl | Logic::Ltl) || !is_plain {
        return obligation;
    }
    if is_of_states(model, clause.expr) {
        return Obligation { logic: Logic::Start, ..obligation };
    }
    let Some(inner) = always(model, clause.expr) else { return obligation };
    let clause = Clause { expr: inner, ..clause };
    let formula = Formula::Holds(clause);
    Obligation { logic: Logic::StateInvariant, formula, ..obligation }
}

/// The operand of `AG` or `G`, or `p` of `!EF !p`, if it is non-temporal.
fn always(model: &Model, expr: ExprId) -> Option<ExprId> {
    let exprs = &model.exprs;
    match exprs.get(expr) {
        Expr::Unary(UnaryOp::Ag | UnaryOp::G, inner) => Some(inner),
        Expr::Unary(UnaryOp::Not, negated) => {
            let Expr::Unary(UnaryOp::Ef, never) = exprs.get(negated) else { return None };
            let Expr::Unary(UnaryOp::Not, inner) = exprs.get(never) else { return None };
            Some(inner)
        }
        _ => None,
    }
    .filter(|&inner| is_of_states(model, inner))
}

/// True if it is a state predicate.
fn is_of_states(model: &Model, expr: ExprId) -> bool {
    let reads = model.exprs.info(expr).reads;
    model.exprs.ty(expr) == Type::Bool && !reads.any(Reads::STEP)
}

/// The obligations of these properties, by their index in the model, each in its simplest form; and
/// an answer in which they are open.
pub fn obligations(model: &Model, properties: &[usize]) -> (Vec<Obligation>, Checked) {
    let mut checked = Checked {
        outcomes: vec![Outcome::Unknown(Why::Interrupted); properties.len()],
        ..Checked::default()
    };
    let is_plain = is_plain(model);
    let mut obligations = Vec::new();
    for (idx, &property_idx) in properties.iter().enumerate() {
        let property = &model.properties[property_idx];
        let formula = property.formula;
        if let Formula::Unsupported(what) = formula {
            checked.outcomes[idx] = Outcome::Unknown(Why::Unsupported(what.into()));
            continue;
        }
        let logic = logic(model, property.kind, formula);
        obligations.push(simplify(model, is_plain, Obligation { idx, logic, formula }));
    }
    let has_ctl = properties.iter().any(|&idx| model.properties[idx].kind == PropertyKind::Ctl);
    if has_ctl && !model.compassion.is_empty() {
        checked.findings.push(Finding::CompassionIgnored);
    }
    (obligations, checked)
}

/// True if every path is infinite and fair.
fn is_plain(model: &Model) -> bool {
    fairness(model).next().is_none() && is_total(model)
}

/// True if every path is infinite, because there are neither constraints nor cyclic assignments
/// that could block one.
pub fn is_total(model: &Model) -> bool {
    model.constraints.iter().all(|constraint| constraint.kind == ConstraintKind::Init)
        && in_circles(model).is_empty()
}

/// The union of two sorted sets of variables.
pub fn union(a: &[VarId], b: &[VarId]) -> Vec<VarId> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// The approximate number of state bits of some variables.
pub fn bits(model: &Model, vars: &[VarId]) -> f64 {
    let state = vars.iter().map(|&var| model.var(var)).filter(|var| var.kind != VarKind::Input);
    state.map(|var| var.domain.size().map_or(64.0, |size| (size as f64).log2())).sum()
}
