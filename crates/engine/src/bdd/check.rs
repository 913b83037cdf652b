//! Decides the properties of a model.
//!
//! Properties over the same cone of influence share one search. Invariants are decided during the
//! search itself; CTL and distances on the set of reachable states, and so is LTL, as the product of
//! that set with the property's tableau (see [`crate::tableau`]).

use trapline_model::trace::Trace;
use trapline_model::{
    Clause, ConstraintKind, Expr, ExprId, Formula, Model, Reads, UnaryOp, lasso as evaluator,
};
use trapline_source::Span;

use crate::answer::{Checked, Finding, Outcome, Proof, Start, Why};
use crate::cluster::{Sizes, cluster, obligations};
use crate::explicit::failure;
use crate::obligation::{Logic, Obligation, fairness, note, roots, sum};
use crate::shape::{self, Literal, Shape};
use crate::tableau;
use trapline_budget::Budget;

use super::backward::Backward;
use super::ctl::{self, Truth};
use super::fair::{FairGraph, Fairness, Justice};
use super::goals::{Goal, Tree};
use super::manager::Bdd;
use super::search::{self, Path, RingSearch};
use super::system::System;
use super::walk::visited;
use super::{lasso, reach, witness};

/// Cones whose union adds no more than this share a search.
const SIZES: Sizes = Sizes { small: 40.0, close: 12.0 };

/// Decides properties, by their index in the model.
pub fn check(model: &Model, properties: &[usize], budget: &Budget) -> Checked {
    let (obligations, mut checked) = obligations(model, properties);
    let (mut starts, mut plain, mut linear) = (Vec::new(), Vec::new(), Vec::new());
    for obligation in obligations {
        match obligation.logic {
            Logic::Start => starts.push(obligation),
            Logic::Ltl => linear.push(obligation),
            _ => plain.push(obligation),
        }
    }
    let starts = cluster(model, starts, SIZES);
    for obligations in starts.into_iter().chain(cluster(model, plain, SIZES)) {
        if let Err(why) = check_together(model, &obligations, budget, &mut checked) {
            give_up(&obligations, &why, &mut checked);
        }
    }
    check_linear(model, linear, budget, &mut checked);
    checked
}

/// Records what is undecided as unknown.
fn give_up(obligations: &[Obligation], why: &Why, checked: &mut Checked) {
    for obligation in obligations {
        if checked.outcomes[obligation.idx] == Outcome::Unknown(Why::Interrupted) {
            checked.outcomes[obligation.idx] = Outcome::Unknown(why.clone());
        }
    }
}

/// Decides properties with one search.
fn check_together(
    model: &Model,
    obligations: &[Obligation],
    budget: &Budget,
    checked: &mut Checked,
) -> Result<(), Why> {
    let needs_graph = obligations.iter().any(|obligation| !obligation.is_invariant());
    let (mut states, mut steps) = (Vec::new(), Vec::new());
    for obligation in obligations {
        let exprs = if obligation.logic == Logic::StepInvariant { &mut steps } else { &mut states };
        exprs.extend(roots(obligation.formula));
    }
    if needs_graph {
        let reads_input = |expr: &ExprId| model.exprs.info(*expr).reads.any(Reads::INPUT);
        let justice = model.justice.iter().map(|clause| clause.expr);
        let (of_steps, of_states): (Vec<ExprId>, Vec<ExprId>) = justice.partition(reads_input);
        states.extend(of_states);
        steps.extend(of_steps);
    }
    let system = System::new(model, &states, &steps, budget)?;
    let mut search = RingSearch::new(&system, &Start::Initial)?;
    let invariants: Vec<Obligation> =
        obligations.iter().copied().filter(Obligation::is_invariant).collect();
    let hits = Invariants::find(&mut search, &invariants, obligations.len() - invariants.len());
    checked.stats = sum(checked.stats, search.stats());
    let hits = hits?;
    hits.report(&search, &invariants, checked)?;
    if let Some(why) = hits.cut {
        return Err(why);
    }
    if search.rings.is_empty() {
        note(checked, Finding::NoInitialState);
    }
    if system.can_end {
        dead_ends(&search, checked)?;
    }
    let others: Vec<Obligation> =
        obligations.iter().copied().filter(|c| !c.is_invariant()).collect();
    if others.is_empty() {
        return Ok(());
    }
    let trees = CtlChecker::new(&search)?;
    trees.findings(checked)?;
    let mut truth = Truth::default();
    for obligation in &others {
        let outcome = match obligation.logic {
            Logic::Compute => trees.distance(obligation.formula, &mut truth),
            _ => trees.decide_ctl(obligation.formula, &mut truth),
        };
        checked.outcomes[obligation.idx] = match outcome {
            Ok(outcome) => outcome,
            Err(why @ (Why::Failure { .. } | Why::Unsupported(_))) => Outcome::Unknown(why),
            Err(why) => return Err(why),
        };
    }
    Ok(())
}

/// Invariants decided during a search.
struct Invariants {
    /// The violation of each, then where each is undefined.
    goals: Vec<Goal>,
    /// The first ring in which each goal was met.
    rings: Vec<Option<usize>>,
    /// Why the search stopped early.
    cut: Option<Why>,
}

impl Invariants {
    /// Searches until all are violated, unless other properties need all reachable states.
    fn find(
        search: &mut RingSearch,
        obligations: &[Obligation],
        n_others: usize,
    ) -> Result<Invariants, Why> {
        let system = search.system;
        let mut goals = Vec::new();
        for obligation in obligations {
            goals.push(Goal::new(system, &obligation.target(), false)?);
        }
        for obligation in obligations {
            goals.push(Goal::failing(system, &obligation.target())?);
        }
        system.forget();
        let sets: Vec<Bdd> = goals.iter().map(|goal| goal.set.clone()).collect();
        let tree = Tree::new(&system.manager, &sets)?;
        let mut invariants = Invariants { rings: vec![None; goals.len()], goals, cut: None };
        invariants.cut = invariants.run(search, tree, obligations, n_others).err();
        Ok(invariants)
    }

    fn run(
        &mut self,
        search: &mut RingSearch,
        mut tree: Tree,
        obligations: &[Obligation],
        n_others: usize,
    ) -> Result<(), Why> {
        let mut backward = Backward::new(search);
        while let Some(ring) = search.rings.last() {
            let at = search.rings.len() - 1;
            for hit in tree.hits(&search.system.manager, ring)? {
                self.rings[hit] = Some(at);
            }
            let n_open =
                self.rings[..obligations.len()].iter().filter(|ring| ring.is_none()).count();
            search.note(n_open + n_others);
            if n_open + n_others == 0 || is_of_starts(obligations) || !search.step()? {
                break;
            }
            // Other properties and deadlock detection need all reachable states.
            if n_others == 0 && !search.system.can_end {
                search.n_back = backward.proceed(search, &tree)?;
            }
            if search.n_back.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn report(
        &self,
        search: &RingSearch,
        obligations: &[Obligation],
        checked: &mut Checked,
    ) -> Result<(), Why> {
        for (idx, obligation) in obligations.iter().enumerate() {
            let failure = obligations.len() + idx;
            let trace = |goal: usize, ring: usize| reach::trace(search, &self.goals[goal], ring);
            checked.outcomes[obligation.idx] =
                match (self.rings[idx], self.rings[failure], &self.cut) {
                    (Some(ring), ..) => Outcome::False(trace(idx, ring)?),
                    (None, Some(ring), _) => {
                        let trace = trace(failure, ring)?;
                        Outcome::Unknown(failure::of(
                            search.system.model,
                            obligation.formula,
                            trace,
                        ))
                    }
                    (None, None, Some(why)) => Outcome::Unknown(why.clone()),
                    (None, None, None) => Outcome::True(proof(search, obligations)),
                };
        }
        Ok(())
    }
}

/// True if they concern initial states only. Such obligations form a cluster of their own.
fn is_of_starts(obligations: &[Obligation]) -> bool {
    !obligations.is_empty() && obligations.iter().all(|obligation| obligation.logic == Logic::Start)
}

/// The proof of obligations that are not violated.
fn proof(search: &RingSearch, obligations: &[Obligation]) -> Proof {
    match is_of_starts(obligations) && !search.rings.is_empty() {
        true => Proof::InitialStates,
        false => search.proof(),
    }
}

/// Reports deadlock states.
fn dead_ends(search: &RingSearch, checked: &mut Checked) -> Result<(), Why> {
    let system = search.system;
    let all = system.manager.constant(true);
    let live = system.preimage(&all)?;
    let dead = system.manager.minus(&search.reached, &live)?;
    if let Some(trace) = nearest(search, &dead)? {
        note(checked, Finding::DeadEnd { trace, n_states: system.count(&dead) });
    }
    Ok(())
}

/// A shortest trace to a state of a set, if the set is reachable.
fn nearest(search: &RingSearch, set: &Bdd) -> Result<Option<Trace>, Why> {
    nearest_path(search, set)?.map(|path| search.trace(&path)).transpose()
}

fn nearest_path(search: &RingSearch, set: &Bdd) -> Result<Option<Path>, Why> {
    for (at, ring) in search.rings.iter().enumerate() {
        let hit = search.system.manager.and(ring, set)?;
        if !hit.is_false() {
            return search.path_to(at, &hit).map(Some);
        }
    }
    Ok(None)
}

/// Everything needed to decide CTL formulas.
struct CtlChecker<'a, 's, 'm, 'b> {
    search: &'a RingSearch<'s, 'm, 'b>,
    fair: FairGraph<'s, 'm, 'b>,
}

impl<'a, 's, 'm, 'b> CtlChecker<'a, 's, 'm, 'b> {
    fn new(search: &'a RingSearch<'s, 'm, 'b>) -> Result<CtlChecker<'a, 's, 'm, 'b>, Why> {
        let system = search.system;
        let mut justice = Vec::new();
        for clause in &system.model.justice {
            let reads_input = system.model.exprs.info(clause.expr).reads.any(Reads::INPUT);
            justice.push(match reads_input {
                true => Justice::Steps(system.predicate(clause.expr)?.holds),
                false => Justice::States(atom(search, clause.expr, clause.span)?),
            });
        }
        let fairness = Fairness { justice, compassion: Vec::new() };
        let fair = FairGraph::new(system, search.reached.clone(), fairness)?;
        Ok(CtlChecker { search, fair })
    }

    /// Warnings about fairness.
    fn findings(&self, checked: &mut Checked) -> Result<(), Why> {
        let CtlChecker { search, fair } = self;
        let manager = &search.system.manager;
        if search.rings.is_empty() {
            return Ok(());
        }
        if fair.states.is_false() {
            let mut never = Vec::new();
            for (idx, justice) in fair.fairness.justice.iter().enumerate() {
                let is_met = match justice {
                    Justice::States(states) => manager.meets(states, &fair.all)?,
                    Justice::Steps(steps) => !fair.taking(steps, &fair.all)?.is_false(),
                };
                never.extend((!is_met).then_some(idx));
            }
            note(checked, Finding::NoFairPath { never });
            return Ok(());
        }
        let unfair = manager.minus(&search.rings[0], &fair.states)?;
        if !unfair.is_false() {
            let trace = search.trace(&search.path_to(0, &unfair)?)?;
            note(checked, Finding::UnfairInitialState { trace });
        }
        Ok(())
    }

    fn proof(&self) -> Proof {
        match self.fair.states.is_false() && !self.search.rings.is_empty() {
            true => Proof::NoFairPath,
            false => self.search.proof(),
        }
    }

    /// Computes the satisfaction set of a formula.
    fn satisfy(&self, formula: ExprId, span: Span, truth: &mut Truth) -> Result<(), Why> {
        let mut atoms = |expr: ExprId| atom(self.search, expr, span);
        ctl::satisfying(&self.fair, self.search.system.model, formula, &mut atoms, truth)
    }

    /// Decides a CTL property.
    fn decide_ctl(&self, formula: Formula, truth: &mut Truth) -> Result<Outcome, Why> {
        let Formula::Holds(clause) = formula else {
            unreachable!("only a distance has two operands")
        };
        let model = self.search.system.model;
        let Some(obligation) =
            until(model, clause.expr).filter(|obligation| !truth.knows(*obligation))
        else {
            return self.decide_clause(clause, truth);
        };
        for part in model.exprs.temporal_parts(obligation) {
            if part != obligation {
                self.satisfy(part, clause.span, truth)?;
            }
        }
        ctl::satisfying_after(&self.fair, model, obligation, &self.search.system.initial, truth)?;
        let outcome = self.decide_clause(clause, truth);
        // Its satisfaction set was computed only for the states in question.
        truth.forget(obligation);
        truth.forget(clause.expr);
        outcome
    }

    fn decide_clause(&self, clause: Clause, truth: &mut Truth) -> Result<Outcome, Why> {
        let CtlChecker { search, fair } = self;
        let (model, manager) = (search.system.model, &search.system.manager);
        // If `AG p` fails then `p` is false in a reachable state, so no backward fixpoint is
        // needed.
        let inner = always(model, clause.expr);
        let literal = inner.unwrap_or(Literal::yes(clause.expr));
        self.satisfy(literal.formula, clause.span, truth)?;
        let denied = Literal { is_true: !literal.is_true, ..literal };
        let bad = truth.counting(fair, denied)?;
        let bad = if inner.is_some() { bad } else { manager.and(&bad, &search.system.initial)? };
        let Some(stem) = nearest_path(search, &bad)? else {
            return Ok(Outcome::True(self.proof()));
        };
        let Some(state) = stem.states.last().cloned() else { unreachable!("a path has a state") };
        let rest = witness::counterexample(fair, model, denied, truth, state)?;
        let n_stem = stem.states.len() - 1;
        let path = Path {
            states: stem.states.into_iter().take(n_stem).chain(rest.states).collect(),
            loop_start: rest.loop_start.map(|start| start + n_stem),
        };
        Ok(Outcome::False(search.trace(&path)?))
    }

    /// Decides a property about a distance.
    fn distance(&self, formula: Formula, truth: &mut Truth) -> Result<Outcome, Why> {
        let (Formula::Min(from, to) | Formula::Max(from, to)) = formula else {
            unreachable!("only one kind asks for a distance")
        };
        self.satisfy(from.expr, from.span, truth)?;
        self.satisfy(to.expr, to.span, truth)?;
        let (from, to) = (truth.of(from.expr), truth.of(to.expr));
        let value = match formula {
            Formula::Min(..) => ctl::min(&self.fair, from, to)?,
            _ => ctl::max(&self.fair, from, to)?,
        };
        Ok(Outcome::Value(value, self.proof()))
    }
}

/// The literal `p` if the formula is `AG p` or `!EF !p`: what it requires of every state.
fn always(model: &Model, formula: ExprId) -> Option<Literal> {
    match model.exprs.get(formula) {
        Expr::Unary(UnaryOp::Ag, inner) => Some(Literal::yes(inner)),
        Expr::Unary(UnaryOp::Not, negated) => match model.exprs.get(negated) {
            Expr::Unary(UnaryOp::Ef, inner) => Some(Literal::no(inner)),
            _ => None,
        },
        _ => None,
    }
}

/// The until obligation, if the formula is one or the negation of one.
fn until(model: &Model, formula: ExprId) -> Option<ExprId> {
    let obligation = match model.exprs.get(formula) {
        Expr::Unary(UnaryOp::Not, obligation) => obligation,
        _ => formula,
    };
    let Shape::Reach { through: Some(_), bounds: None, .. } =
        shape::quantified(&model.exprs, obligation)?.shape
    else {
        return None;
    };
    Some(obligation)
}

/// The reachable states that satisfy an atomic expression, taken from the property at `span`.
fn atom(search: &RingSearch, expr: ExprId, span: Span) -> Result<Bdd, Why> {
    let system = search.system;
    let predicate = system.predicate(expr)?;
    if let Some(trace) = nearest(search, &predicate.fails)? {
        return Err(failure::at(system.model, expr, span, trace));
    }
    system.manager.and(&predicate.holds, &search.reached)
}

/// Decides LTL properties: those over the same cone share the search, and each is then decided on
/// the product of the reachable states with its tableau.
fn check_linear(
    model: &Model,
    obligations: Vec<Obligation>,
    budget: &Budget,
    checked: &mut Checked,
) {
    for obligations in cluster(model, obligations, SIZES) {
        if let Err(why) = check_paths(model, &obligations, budget, checked) {
            give_up(&obligations, &why, checked);
        }
    }
}

fn check_paths(
    model: &Model,
    obligations: &[Obligation],
    budget: &Budget,
    checked: &mut Checked,
) -> Result<(), Why> {
    let exprs =
        obligations.iter().flat_map(|obligation| roots(obligation.formula)).chain(fairness(model));
    let is_step = |expr: &ExprId| model.exprs.info(*expr).reads.any(Reads::STEP);
    let (steps, states): (Vec<ExprId>, Vec<ExprId>) = exprs.partition(is_step);
    let system = System::new(model, &states, &steps, budget)?;
    let mut search = RingSearch::new(&system, &Start::Initial)?;
    while search.step()? {
        search.note(obligations.len());
    }
    checked.stats = sum(checked.stats, search.stats());
    if search.rings.is_empty() {
        note(checked, Finding::NoInitialState);
    } else if system.can_end || !model.justice.is_empty() {
        let reads_input = |clause: &Clause| model.exprs.info(clause.expr).reads.any(Reads::INPUT);
        let is_of_states = !model.justice.iter().any(reads_input);
        if system.can_end && is_of_states {
            dead_ends(&search, checked)?;
        }
        let trees = CtlChecker::new(&search)?;
        let has_fair_path = !trees.fair.states.is_false();
        if is_of_states || !has_fair_path {
            trees.findings(checked)?;
        }
        if !has_fair_path {
            for obligation in obligations {
                checked.outcomes[obligation.idx] = Outcome::True(Proof::NoFairPath);
            }
            return Ok(());
        }
    }
    for obligation in obligations {
        checked.outcomes[obligation.idx] = match decide_ltl(&search, obligation.formula) {
            Ok(outcome) => outcome,
            Err(why @ (Why::Failure { .. } | Why::Unsupported(_))) => Outcome::Unknown(why),
            Err(why) => return Err(why),
        };
    }
    Ok(())
}

/// Decides an LTL property.
fn decide_ltl(search: &RingSearch, formula: Formula) -> Result<Outcome, Why> {
    let model = search.system.model;
    let manager = &search.system.manager;
    let Formula::Holds(clause) = formula else { unreachable!("only a distance has two operands") };
    let product = tableau::product(model, clause.expr)?;
    for &expr in &product.atoms {
        must_have_value(search, expr, clause.span)?;
    }
    for clause in model.justice.iter().chain(model.compassion.iter().flat_map(|(p, q)| [p, q])) {
        must_have_value(search, clause.expr, clause.span)?;
    }
    let system = search.system.extended(&product.model, model)?;
    let holds = |clause: &Clause| -> Result<Bdd, Why> {
        manager.and(&system.predicate(clause.expr)?.holds, &search.reached)
    };
    let mut fairness = Fairness::default();
    // The constraints of the tableau come first: they prune the most.
    for clause in product.model.justice.iter().rev() {
        fairness.justice.push(Justice::States(holds(clause)?));
    }
    for (p, q) in &product.model.compassion {
        fairness.compassion.push((holds(p)?, holds(q)?));
    }
    let mut all = search.reached.clone();
    for constraint in &product.model.constraints[product.model.own().constraints..] {
        if constraint.kind == ConstraintKind::Invar {
            all = manager.and(&all, &system.predicate(constraint.body.expr)?.holds)?;
        }
    }
    system.forget();
    let first = manager.and(&system.initial, &all)?;
    let all = visited(&system, first, &all, &all)?;
    let fair = FairGraph::new(&system, all, fairness)?;
    let bad = manager.and(&system.initial, &fair.states)?;
    if bad.is_false() {
        return Ok(Outcome::True(search.proof()));
    }
    let mut path = Path { states: vec![system.pick(&bad)], loop_start: None };
    lasso::close(&fair, &fair.states, &mut path)?;
    let trace = search::trace(&system, search.start, &path)?;
    if evaluator::holds(model, clause.expr, &trace) == Ok(true) {
        unreachable!("the evaluator does not see that a trace violates its property");
    }
    Ok(Outcome::False(trace))
}

/// Reports a reachable state or step in which an expression is undefined.
fn must_have_value(search: &RingSearch, expr: ExprId, span: Span) -> Result<(), Why> {
    let system = search.system;
    let mut fails = system.predicate(expr)?.fails;
    if fails.is_false() {
        return Ok(());
    }
    if system.model.exprs.info(expr).reads.any(Reads::STEP) {
        fails = system.relation.before(&system.manager, &fails)?;
    }
    match nearest(search, &fails)? {
        Some(trace) => Err(failure::at(system.model, expr, span, trace)),
        None => Ok(()),
    }
}
