//! The properties of a model, from one search.
//!
//! Invariants are targets of the search itself. For CTL, COMPUTE and LTL the search keeps the
//! graph of the states, and each property is decided on that. An LTL property that reads inputs,
//! or stands beside fairness that does, is decided on a graph of its own, in which a state has
//! the inputs of the step that leaves it.

use trapline_model::goal::Target;
use trapline_model::{
    BinaryOp, BoundedOp, Expr, ExprId, Formula, Model, PropertyKind, Reads, Type, UnaryOp, VarId,
    VarKind, dependency,
};

use crate::answer::{Checked, Finding, Outcome, Proof, Start, Stats, Why};
use crate::budget::Budget;

use super::bundle::{bundle, simplify};
use super::explore::{End, Exploration, KeepEdges};
use super::failure;
use super::reach::{Hit, Hits, Wanted};
use super::system::{Question, System, compile};
use super::temporal;
use super::tracer::Tracer;

/// Decides properties, by their index in the model.
pub fn check(model: &Model, properties: &[usize], budget: &Budget) -> Checked {
    let mut checked = Checked {
        outcomes: vec![Outcome::Unknown(Why::Interrupted); properties.len()],
        ..Checked::default()
    };
    let mut plain = Vec::new();
    let mut lifted = Vec::new();
    for (idx, &property_idx) in properties.iter().enumerate() {
        let property = &model.properties[property_idx];
        match (property.formula, logic(model, property.kind, property.formula)) {
            (Formula::Unsupported(what), _) => {
                checked.outcomes[idx] = Outcome::Unknown(Why::Unsupported(what.into()));
            }
            (formula, Logic::Ltl) if reads_inputs(model, formula) => {
                lifted.push(Claim { idx, logic: Logic::Ltl, formula });
            }
            (formula, logic) => plain.push(simplify(model, Claim { idx, logic, formula })),
        }
    }
    for claims in bundle(model, plain) {
        check_together(model, &claims, Vec::new(), budget, &mut checked);
    }
    for claims in bundle(model, lifted) {
        let inputs = fairness_inputs(model, &claims);
        check_together(model, &claims, inputs, budget, &mut checked);
    }
    let has_ctl = properties.iter().any(|&idx| model.properties[idx].kind == PropertyKind::Ctl);
    if has_ctl && !model.compassion.is_empty() {
        checked.findings.push(Finding::CompassionIgnored);
    }
    checked
}

/// How a property is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// In every state.
    StateInvariant,
    /// In every step.
    StepInvariant,
    /// By computation trees.
    Ctl,
    /// By paths.
    Ltl,
    /// By distances.
    Compute,
}

/// A property that is to be decided.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Its place in the answer.
    pub idx: usize,
    /// How it is decided.
    pub logic: Logic,
    /// What it says.
    pub formula: Formula,
}

/// Everything that a formula consists of.
pub fn roots(formula: Formula) -> Vec<ExprId> {
    match formula {
        Formula::Holds(clause) => vec![clause.expr],
        Formula::Min(from, to) | Formula::Max(from, to) => vec![from.expr, to.expr],
        Formula::Unsupported(_) => Vec::new(),
    }
}

fn logic(model: &Model, kind: PropertyKind, formula: Formula) -> Logic {
    match kind {
        PropertyKind::Invar if roots(formula).iter().any(|&e| is_about_steps(model, e)) => {
            Logic::StepInvariant
        }
        PropertyKind::Invar => Logic::StateInvariant,
        PropertyKind::Ctl => Logic::Ctl,
        PropertyKind::Compute => Logic::Compute,
        PropertyKind::Psl if is_branching(model, formula) => Logic::Ctl,
        PropertyKind::Ltl | PropertyKind::Psl => Logic::Ltl,
    }
}

/// Does an expression read an input, or something of the next state that may have changed?
pub fn is_about_steps(model: &Model, expr: ExprId) -> bool {
    let reads = model.exprs.info(expr).reads;
    let changes = |var: &VarId| model.var(*var).kind != VarKind::Frozen;
    reads.any(Reads::INPUT)
        || reads.any(Reads::NEXT) && dependency::support(model, [expr]).next.iter().any(changes)
}

/// Has a formula an operator of CTL?
fn is_branching(model: &Model, formula: Formula) -> bool {
    use UnaryOp as Op;
    let is_ctl = |id: ExprId| match model.exprs.get(id) {
        Expr::Unary(op, _) => {
            matches!(op, Op::Ex | Op::Ax | Op::Ef | Op::Af | Op::Eg | Op::Ag)
        }
        Expr::Binary(op, ..) => matches!(op, BinaryOp::Eu | BinaryOp::Au),
        Expr::Bounded(op, ..) => {
            matches!(op, BoundedOp::Ebf | BoundedOp::Abf | BoundedOp::Ebg | BoundedOp::Abg)
        }
        Expr::BoundedUntil(..) => true,
        _ => false,
    };
    let parts = model.exprs.reachable(roots(formula));
    parts.into_iter().filter(|&id| model.exprs.ty(id) == Type::Temporal).any(is_ctl)
}

/// All expressions of fairness.
pub fn fairness(model: &Model) -> impl Iterator<Item = ExprId> + '_ {
    let compassion = model.compassion.iter().flat_map(|(p, q)| [p.expr, q.expr]);
    model.justice.iter().map(|clause| clause.expr).chain(compassion)
}

fn reads_inputs(model: &Model, formula: Formula) -> bool {
    let read = roots(formula).into_iter().chain(fairness(model));
    read.into_iter().any(|expr| model.exprs.info(expr).reads.any(Reads::INPUT))
}

/// The inputs that these properties and fairness read.
fn fairness_inputs(model: &Model, claims: &[Claim]) -> Vec<VarId> {
    let read = claims.iter().flat_map(|claim| roots(claim.formula)).chain(fairness(model));
    let mut vars = dependency::support(model, read).current;
    vars.retain(|var| model.var(*var).kind == VarKind::Input);
    vars
}

/// Decides properties with one search.
fn check_together(
    model: &Model,
    claims: &[Claim],
    lifted: Vec<VarId>,
    budget: &Budget,
    checked: &mut Checked,
) {
    let invariants: Vec<Claim> = claims.iter().copied().filter(Claim::is_invariant).collect();
    let needs_graph = invariants.len() < claims.len();
    let question = question(model, claims, lifted);
    let system = match compile(model, &question, budget) {
        Ok(system) => system,
        Err(why) => {
            for claim in claims {
                checked.outcomes[claim.idx] = Outcome::Unknown(why.clone());
            }
            return;
        }
    };
    let targets: Vec<Target> = invariants.iter().map(Claim::target).collect();
    let mut hits = Hits::new(&system, &targets, Wanted::False);
    let keep_edges = if needs_graph { KeepEdges::Yes } else { KeepEdges::No };
    hits.n_others = claims.len() - invariants.len();
    let mut exploration = Exploration::new(&system, keep_edges);
    let end = exploration.run(None, &mut hits, budget);
    checked.stats = sum(checked.stats, exploration.stats);
    let open = match &end {
        End::Complete | End::Answered | End::Paused => None,
        End::Cut(why) => Some(why.clone()),
        End::Failure(_) | End::InitialFailure => {
            Some(failure::describe(&exploration, &end, &Start::Initial))
        }
    };
    let search = Search { model, system: &system, exploration, open, budget };
    search.invariants(&invariants, &hits, checked);
    search.finish(claims, &question, checked);
}

impl Claim {
    /// Is it decided by looking at every state or step?
    pub fn is_invariant(&self) -> bool {
        matches!(self.logic, Logic::StateInvariant | Logic::StepInvariant)
    }

    fn target(&self) -> Target {
        let expr = roots(self.formula)[0];
        match self.logic {
            Logic::StateInvariant => Target::State(expr),
            _ => Target::Step(expr),
        }
    }
}

fn question(model: &Model, claims: &[Claim], lifted: Vec<VarId>) -> Question {
    let mut question = Question { lifted, ..Question::default() };
    let mut needs_fairness = false;
    for claim in claims {
        match claim.logic {
            Logic::StateInvariant => question.states.extend(roots(claim.formula)),
            Logic::StepInvariant => question.steps.extend(roots(claim.formula)),
            Logic::Ctl | Logic::Ltl | Logic::Compute => {
                question.others.extend(roots(claim.formula));
                needs_fairness = true;
            }
        }
    }
    if needs_fairness {
        question.others.extend(fairness(model));
        let reads_input = |expr: &ExprId| model.exprs.info(*expr).reads.any(Reads::INPUT);
        if question.lifted.is_empty() {
            let justice = model.justice.iter().map(|clause| clause.expr);
            question.marks = justice.filter(reads_input).collect();
        }
    }
    question
}

/// Adds a finding, unless another search has had one of its kind.
pub fn note(checked: &mut Checked, finding: Finding) {
    let kind = std::mem::discriminant(&finding);
    if !checked.findings.iter().any(|known| std::mem::discriminant(known) == kind) {
        checked.findings.push(finding);
    }
}

fn sum(a: Stats, b: Stats) -> Stats {
    Stats {
        n_states: a.n_states + b.n_states,
        n_steps: a.n_steps + b.n_steps,
        depth: a.depth.max(b.depth),
    }
}

/// A search that has ended.
pub struct Search<'a, 's, 'm> {
    /// The model.
    pub model: &'m Model,
    /// What was searched.
    pub system: &'s System<'m>,
    /// The search.
    pub exploration: Exploration<'s, 'm>,
    /// Why it is not complete, if it is not.
    pub open: Option<Why>,
    /// What is left to spend.
    pub budget: &'a Budget<'a>,
}

impl Search<'_, '_, '_> {
    fn invariants(&self, claims: &[Claim], hits: &Hits, checked: &mut Checked) {
        let tracer = Tracer::new(self.system, &self.exploration.space, &Start::Initial);
        for (position, claim) in claims.iter().enumerate() {
            let trace = |hit: &Hit| match &tracer {
                Ok(tracer) => tracer.trace(&tracer.way(hit), None),
                Err(why) => Err(why.clone()),
            };
            let outcome = match (&hits.hits[position], &hits.failures[position]) {
                (Some(hit), _) => trace(hit).map(Outcome::False),
                (None, Some(hit)) => trace(hit)
                    .map(|trace| Outcome::Unknown(failure::of(self.model, claim.formula, trace))),
                (None, None) => Ok(self.holds()),
            };
            checked.outcomes[claim.idx] = outcome.unwrap_or_else(Outcome::Unknown);
        }
    }

    /// The outcome of what no reachable state violates.
    pub fn holds(&self) -> Outcome {
        match &self.open {
            Some(why) => Outcome::Unknown(why.clone()),
            None => Outcome::True(self.proof()),
        }
    }

    /// How what no reachable state violates was proved.
    pub fn proof(&self) -> Proof {
        match self.exploration.n_starts {
            0 => Proof::NoInitialState,
            _ => Proof::AllStates { n_states: self.exploration.stats.n_states },
        }
    }

    /// Decides what needs the graph, and says what else was seen.
    fn finish(mut self, claims: &[Claim], question: &Question, checked: &mut Checked) {
        let others: Vec<Claim> = claims.iter().copied().filter(|c| !c.is_invariant()).collect();
        if let Some(why) = &self.open {
            for claim in &others {
                checked.outcomes[claim.idx] = Outcome::Unknown(why.clone());
            }
        } else if self.exploration.n_starts == 0 {
            note(checked, Finding::NoInitialState);
        }
        if let Some(finding) = self.dead_end(question) {
            note(checked, finding);
        }
        if self.open.is_none() && !others.is_empty() {
            temporal::decide(&mut self, &others, question, checked);
        }
    }

    fn dead_end(&self, question: &Question) -> Option<Finding> {
        // A state that has its inputs ends where another one with other inputs may go on.
        if !question.lifted.is_empty() {
            return None;
        }
        let first = *self.exploration.dead_ends.first()?;
        let tracer = Tracer::new(self.system, &self.exploration.space, &Start::Initial).ok()?;
        let n_states = self.exploration.dead_ends.len() as u64;
        Some(Finding::DeadEnd { trace: tracer.trace_to(first).ok()?, n_states })
    }
}
