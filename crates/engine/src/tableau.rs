//! LTL by product construction: paths that violate a formula are the fair paths of a product.
//!
//! The product is the model with fresh bits, constraints and justice, such that its fair infinite
//! paths from initial states are the fair paths of the model on which the formula is false. So any
//! engine that finds fair paths decides LTL (Clarke, Grumberg and Hamaguchi, *Another look at LTL
//! model checking*). We differ where that saves bits or justice constraints, both of which are
//! expensive for symbolic engines:
//!
//! - A promise bit about the next state is constrained in one direction only, unless the formula is
//!   needed in both polarities: a promise must be kept, but none need be made.
//! - Obligations that start only once, above all the formula itself, are decomposed along their
//!   conjunctions ([`scope`]): there `G p` is a constraint, `G F p` is justice, and `p U q` is one
//!   bit that stays set from the moment of `q` on, and replaces the bits for each `G` in `q`.
//! - Formulas needed only on steps may read inputs and next values directly ([`truth::Level`]).
//! - All bits that stay set share one justice constraint, the last one.
//!
//! The past is a function of the path: one bit for each operator, and for each step of bounds.

mod build;
mod formula;
mod scope;
mod translate;
mod truth;

use trapline_model::transform::Extension;
use trapline_model::{ExprId, Exprs, Formula, Model, Reads};
use trapline_source::Span;

use self::build::Build;
use self::formula::Pool;
use self::scope::{Marking, Scope, scopes};
use self::truth::{Demands, Level, Truths};
use crate::Why;

/// A model whose fair infinite paths from initial states are those that violate a formula.
#[derive(Clone, Debug)]
pub struct Product {
    /// The given model with additional variables, constraints and justice, and without properties.
    /// The variables are Boolean. Its fairness constraints are over states only.
    pub model: Extension,
    /// The maximal non-temporal subformulas. In a state where one of them is undefined, so is the
    /// formula, which the constraints may hide.
    pub atoms: Vec<ExprId>,
}

/// The product of a model with the negation of an LTL formula.
///
/// # Errors
/// When there are other operators in the formula, or bounds that are too large.
pub fn product(model: &Model, formula: ExprId) -> Result<Product, Why> {
    let mut pool = Pool::new();
    let root = !translate::translate(&model.exprs, formula, &mut pool)?;
    let scopes = scopes(&pool, &model.exprs, root);
    let mut demands = Demands::new(&pool);
    for scope in &scopes {
        demand(scope, &mut demands);
    }
    demands.close(&pool);
    let mut truths = Truths::new(&pool, demands, Build::new(model, span_of(model, formula)));
    make_fairness_about_states(&mut truths);
    truths.compute();
    add_scopes(&scopes, &mut truths);
    let mut model = truths.build.model;
    model.properties.clear();
    Ok(Product { model, atoms: pool.atoms().collect() })
}

/// True if an expression reads more than the current state.
fn reads_step(exprs: &Exprs, expr: ExprId) -> bool {
    exprs.info(expr).reads.any(Reads::STEP)
}

/// The span of the property with this formula.
fn span_of(model: &Model, formula: ExprId) -> Span {
    let says = |of: Formula| matches!(of, Formula::Holds(clause) if clause.expr == formula);
    let property = model.properties.iter().find(|property| says(property.formula));
    property.map_or(Span::default(), |property| property.span)
}

fn make_fairness_about_states(truths: &mut Truths) {
    let mut justice = std::mem::take(&mut truths.build.model.justice);
    let mut compassion = std::mem::take(&mut truths.build.model.compassion);
    let pairs = compassion.iter_mut().flat_map(|(p, q)| [p, q]);
    for clause in justice.iter_mut().chain(pairs) {
        let expr = truths.at_state(clause.expr);
        if expr != clause.expr {
            (clause.expr, clause.occ) = (expr, None);
        }
    }
    truths.build.model.justice = justice;
    truths.build.model.compassion = compassion;
}

/// Registers the formulas that a scope needs.
fn demand(scope: &Scope, demands: &mut Demands) {
    for &lit in &scope.starts {
        demands.add(lit, scope.start_level());
    }
    for &lit in scope.always.iter().chain([&scope.hold]) {
        demands.add(lit, Level::Step);
    }
    for &lit in &scope.recurs {
        demands.add(lit, Level::State);
    }
}

/// Constrains every scope to be entered, and its obligations to hold.
fn add_scopes(scopes: &[Scope], truths: &mut Truths) {
    let yes = truths.build.model.exprs.bool(true);
    let mut entered: Vec<ExprId> = Vec::with_capacity(scopes.len());
    let mut stable = yes;
    for scope in scopes {
        let start = truths.all(&scope.starts, scope.start_level());
        let is_in = match scope.parent {
            None => {
                truths.build.init(start);
                yes
            }
            Some(parent) => enter(scope, entered[parent], start, truths),
        };
        for &lit in &scope.always {
            let truth = truths.get(lit, Level::Step);
            let holds = truths.build.model.exprs.implies(is_in, truth);
            truths.build.require(holds);
        }
        for &lit in &scope.recurs {
            let truth = truths.get(lit, Level::State);
            truths.build.justice(truth);
        }
        if !scope.has_child {
            stable = truths.build.model.exprs.and(stable, is_in);
        }
        entered.push(is_in);
    }
    truths.build.stable(stable);
}

/// A bit that is set once, inside the parent, when the scope starts, and stays set.
fn enter(scope: &Scope, parent: ExprId, start: ExprId, truths: &mut Truths) -> ExprId {
    let hold = truths.get(scope.hold, Level::Step);
    let always = truths.all(&scope.always, Level::Step);
    let build = &mut truths.build;
    let is_in = build.fresh();
    let will_be_in = build.next(is_in);
    let stays = build.model.exprs.implies(is_in, will_be_in);
    build.require(stays);
    let is_out = build.model.exprs.not(is_in);
    let waits = build.model.exprs.and(parent, is_out);
    let (waits, may_be_in) = match scope.marking {
        Marking::Early => {
            let at_first = build.model.exprs.implies(is_in, start);
            build.init(at_first);
            let inside = build.model.exprs.implies(is_in, parent);
            build.require(inside);
            (waits, build.next(start))
        }
        // The bit is set one state after the step on which the scope starts.
        Marking::Late => {
            build.init(is_out);
            let still_out = build.model.exprs.not(will_be_in);
            let begins = build.model.exprs.and(start, always);
            (build.model.exprs.and(waits, still_out), build.model.exprs.and(parent, begins))
        }
    };
    let may_be_in = build.model.exprs.or(is_in, may_be_in);
    let starts = build.model.exprs.implies(will_be_in, may_be_in);
    build.require(starts);
    let holds = build.model.exprs.implies(waits, hold);
    build.require(holds);
    is_in
}
