//! Decides the properties of a model from one search.
//!
//! Invariants are targets of the search itself. For CTL, distances and LTL the search keeps the
//! reachability graph, and each property is decided on it. An LTL property that reads inputs, or is
//! checked under fairness that does, is decided on a graph of its own, whose states include the
//! inputs of the step that leaves them.

use trapline_model::goal::Target;
use trapline_model::{ExprId, Model, Reads, VarId, VarKind, dependency};

use crate::answer::{Checked, Finding, Outcome, Proof, Start, Why};
use crate::cluster::{Sizes, cluster, obligations};
use crate::obligation::{Logic, Obligation, fairness, note, reads_inputs, roots, sum};
use trapline_budget::Budget;

use super::explore::{End, Exploration, KeepEdges};
use super::failure;
use super::reach::{Hit, Hits, Wanted};
use super::system::{Question, System, compile};
use super::temporal;
use super::tracer::Tracer;

/// Cones whose union adds no more than this share a search.
const SIZES: Sizes = Sizes { small: 20.0, close: 2.0 };

/// Decides properties, by their index in the model.
pub fn check(model: &Model, properties: &[usize], budget: &Budget) -> Checked {
    let (obligations, mut checked) = obligations(model, properties);
    let (mut starts, mut plain, mut lifted) = (Vec::new(), Vec::new(), Vec::new());
    for obligation in obligations {
        match obligation.logic {
            Logic::Start => starts.push(obligation),
            Logic::Ltl if reads_inputs(model, obligation.formula) => lifted.push(obligation),
            _ => plain.push(obligation),
        }
    }
    let starts = cluster(model, starts, SIZES);
    for obligations in starts.into_iter().chain(cluster(model, plain, SIZES)) {
        check_together(model, &obligations, Vec::new(), budget, &mut checked);
    }
    for obligations in cluster(model, lifted, SIZES) {
        let inputs = fairness_inputs(model, &obligations);
        check_together(model, &obligations, inputs, budget, &mut checked);
    }
    checked
}

/// The inputs that these properties and the fairness constraints read.
fn fairness_inputs(model: &Model, obligations: &[Obligation]) -> Vec<VarId> {
    let read =
        obligations.iter().flat_map(|obligation| roots(obligation.formula)).chain(fairness(model));
    let mut vars = dependency::support(model, read).current;
    vars.retain(|var| model.var(*var).kind == VarKind::Input);
    vars
}

/// Decides properties with one search.
fn check_together(
    model: &Model,
    obligations: &[Obligation],
    lifted: Vec<VarId>,
    budget: &Budget,
    checked: &mut Checked,
) {
    let invariants: Vec<Obligation> =
        obligations.iter().copied().filter(Obligation::is_invariant).collect();
    let needs_graph = invariants.len() < obligations.len();
    let question = question(model, obligations, lifted);
    let system = match compile(model, &question, budget) {
        Ok(system) => system,
        Err(why) => {
            for obligation in obligations {
                checked.outcomes[obligation.idx] = Outcome::Unknown(why.clone());
            }
            return;
        }
    };
    let targets: Vec<Target> = invariants.iter().map(Obligation::target).collect();
    let mut hits = Hits::new(&system, &targets, Wanted::False);
    let keep_edges = if needs_graph { KeepEdges::Yes } else { KeepEdges::No };
    hits.n_others = obligations.len() - invariants.len();
    let mut exploration = Exploration::new(&system, keep_edges);
    // Such obligations form a cluster of their own.
    let is_of_starts = obligations.iter().all(|obligation| obligation.logic == Logic::Start);
    let end = match is_of_starts {
        true => exploration.begin(None, &mut hits, budget),
        false => exploration.run(None, &mut hits, budget),
    };
    checked.stats = sum(checked.stats, exploration.stats);
    let open = match &end {
        End::Complete | End::Answered | End::Paused => None,
        End::Cut(why) => Some(why.clone()),
        End::Failure(_) | End::InitialFailure => {
            Some(failure::describe(&exploration, &end, &Start::Initial, budget))
        }
    };
    let search = Finished { model, system: &system, exploration, is_of_starts, open, budget };
    search.invariants(&invariants, &hits, checked);
    search.finish(obligations, &question, checked);
}

fn question(model: &Model, obligations: &[Obligation], lifted: Vec<VarId>) -> Question {
    let mut question = Question { lifted, ..Question::default() };
    let mut needs_fairness = false;
    for obligation in obligations {
        match obligation.logic {
            Logic::Start | Logic::StateInvariant => {
                question.states.extend(roots(obligation.formula))
            }
            Logic::StepInvariant => question.steps.extend(roots(obligation.formula)),
            Logic::Ctl | Logic::Ltl | Logic::Compute => {
                question.others.extend(roots(obligation.formula));
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

/// A finished search.
pub struct Finished<'a, 's, 'm> {
    /// The model.
    pub model: &'m Model,
    /// The compiled model.
    pub system: &'s System<'m>,
    /// The search.
    pub exploration: Exploration<'s, 'm>,
    /// True if it visited the initial states only.
    is_of_starts: bool,
    /// Why it is incomplete, if it is.
    pub open: Option<Why>,
    /// The budget.
    pub budget: &'a Budget<'a>,
}

impl Finished<'_, '_, '_> {
    fn invariants(&self, obligations: &[Obligation], hits: &Hits, checked: &mut Checked) {
        let tracer =
            Tracer::new(self.system, &self.exploration.space, &Start::Initial, self.budget);
        for (position, obligation) in obligations.iter().enumerate() {
            let trace = |hit: &Hit| match &tracer {
                Ok(tracer) => tracer.trace(&tracer.way(hit), None),
                Err(why) => Err(why.clone()),
            };
            let outcome = match (&hits.hits[position], &hits.failures[position]) {
                (Some(hit), _) => trace(hit).map(Outcome::False),
                (None, Some(hit)) => trace(hit).map(|trace| {
                    Outcome::Unknown(failure::of(self.model, obligation.formula, trace))
                }),
                (None, None) => Ok(self.holds()),
            };
            checked.outcomes[obligation.idx] = outcome.unwrap_or_else(Outcome::Unknown);
        }
    }

    /// The outcome of a property that no reachable state violates.
    pub fn holds(&self) -> Outcome {
        match &self.open {
            Some(why) => Outcome::Unknown(why.clone()),
            None => Outcome::True(self.proof()),
        }
    }

    /// The proof that no reachable state is a violation.
    pub fn proof(&self) -> Proof {
        match self.exploration.n_starts {
            0 => Proof::NoInitialState,
            _ if self.is_of_starts => Proof::InitialStates,
            _ => Proof::AllStates { n_states: self.exploration.stats.n_states },
        }
    }

    /// Decides the properties that need the graph, and reports findings.
    fn finish(mut self, obligations: &[Obligation], question: &Question, checked: &mut Checked) {
        let others: Vec<Obligation> =
            obligations.iter().copied().filter(|c| !c.is_invariant()).collect();
        if let Some(why) = &self.open {
            for obligation in &others {
                checked.outcomes[obligation.idx] = Outcome::Unknown(why.clone());
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
        // With lifted inputs, a state may be a deadlock where the same state with other inputs is
        // not.
        if !question.lifted.is_empty() {
            return None;
        }
        let first = *self.exploration.dead_ends.first()?;
        let tracer =
            Tracer::new(self.system, &self.exploration.space, &Start::Initial, self.budget).ok()?;
        let n_states = self.exploration.dead_ends.len() as u128;
        Some(Finding::DeadEnd { trace: tracer.trace_to(first).ok()?, n_states })
    }
}
