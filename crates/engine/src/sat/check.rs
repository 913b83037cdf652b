//! Decides the properties of a model.
//!
//! Invariants are goals of one search. An LTL property becomes one as well: its product with the
//! model has a fair lasso iff it is violated, and a lasso is a repeated state (see
//! [`super::liveness`]). CTL properties with an LTL equivalent are decided in the same way.

use trapline_model::{Clause, ExprId, Formula, Model, PropertyKind, Reads, lasso as evaluator};

use crate::answer::{Checked, Finding, Invariant, Outcome, Proof, Start, Stats, Why};
use crate::cluster::{Sizes, cluster, obligations};
use crate::explicit::complete::Known;
use crate::explicit::failure;
use crate::obligation::{Logic, Obligation, fairness, note, roots, sum};
use crate::tableau;
use trapline_budget::Budget;

use super::aig::FALSE;
use super::circuit::Circuit;
use super::linear::linear;
use super::liveness::Loops;
use super::reach::Tracer;
use super::search::{Goal, GoalSearch, Knowledge, Outcome as End, Status};
use super::solver::{Kind, Solver};

/// Cones whose union adds no more than this share a search.
const SIZES: Sizes = Sizes { small: 200.0, close: 60.0 };
/// Work limit of each search in the first round, and its growth factor.
const FIRST_ROUND: u64 = 3_000_000;
const NEXT_ROUND: u64 = 8;

/// Decides properties, by their index in the model.
pub fn check<K: Kind>(model: &Model, properties: &[usize], budget: &Budget) -> Checked {
    let (obligations, mut checked) = obligations(model, properties);
    let (mut starts, mut invariants, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for obligation in obligations {
        match obligation.logic {
            Logic::Start => starts.push(obligation),
            Logic::StateInvariant | Logic::StepInvariant => invariants.push(obligation),
            Logic::Ctl | Logic::Ltl | Logic::Compute => others.push(obligation),
        }
    }
    let mut groups = cluster(model, starts, SIZES);
    groups.extend(cluster(model, invariants, SIZES));
    groups.extend(others.into_iter().map(|obligation| vec![obligation]));
    // A slow search must not delay the others.
    let mut work = if groups.len() == 1 { u64::MAX } else { FIRST_ROUND };
    while !groups.is_empty() && budget.spend(0).is_ok() {
        groups.retain(|obligations| {
            // What is asked may be large before anything is searched.
            if budget.spend(0).is_err() {
                return true;
            }
            let part = budget.part(Some(work));
            check_group::<K::Solver<'_>>(model, obligations, &part, &mut checked);
            budget.note(part.progress());
            let is_open = |obligation: &Obligation| {
                checked.outcomes[obligation.idx] == Outcome::Unknown(Why::Work)
            };
            obligations.iter().any(is_open)
        });
        work = work.saturating_mul(NEXT_ROUND);
    }
    if let Err(exhausted) = budget.spend(0) {
        for obligation in groups.iter().flatten() {
            if let Outcome::Unknown(old) = &mut checked.outcomes[obligation.idx] {
                *old = exhausted.into();
            }
        }
    }
    checked
}

fn check_group<'b, S: Solver<'b>>(
    model: &Model,
    obligations: &[Obligation],
    budget: &'b Budget<'b>,
    checked: &mut Checked,
) {
    let result = match obligations {
        [obligation] if !obligation.is_invariant() => {
            path::<S>(model, *obligation, budget, checked).map(|outcome| vec![outcome])
        }
        _ => invariants::<S>(model, obligations, budget, checked),
    };
    match result {
        Ok(outcomes) => {
            for (obligation, outcome) in obligations.iter().zip(outcomes) {
                checked.outcomes[obligation.idx] = outcome;
            }
        }
        Err(why) => {
            for obligation in obligations {
                checked.outcomes[obligation.idx] = Outcome::Unknown(why.clone());
            }
        }
    }
}

/// Invariants of states or steps, and properties of the initial states.
fn invariants<'b, S: Solver<'b>>(
    model: &Model,
    obligations: &[Obligation],
    budget: &'b Budget<'b>,
    checked: &mut Checked,
) -> Result<Vec<Outcome>, Why> {
    let exprs = obligations.iter().flat_map(|obligation| roots(obligation.formula));
    let mut circuit = Circuit::new(model, exprs, &Start::Initial, budget)?;
    // The violation of each, then where each is undefined.
    let (mut goals, mut failing) = (Vec::new(), Vec::new());
    for obligation in obligations {
        let (holds, fails) = circuit.predicate(roots(obligation.formula)[0])?;
        let is_step = obligation.logic == Logic::StepInvariant;
        let violated = circuit.aig.and(!holds, !fails)?;
        for (bits, bit) in [(&mut goals, violated), (&mut failing, fails)] {
            let bit = if is_step { circuit.aig.and(bit, circuit.steps)? } else { bit };
            bits.push(Goal { bit, is_step });
        }
    }
    goals.append(&mut failing);
    let mut knowledge = Knowledge::new(&circuit, goals);
    let is_of_starts = obligations.iter().all(|obligation| obligation.logic == Logic::Start);
    let end = match is_of_starts {
        true => GoalSearch::<S>::run_first(&circuit, &mut knowledge, budget),
        false => GoalSearch::<S>::run(&circuit, &mut knowledge, budget),
    };
    count(&knowledge, checked);
    collect(&circuit, obligations, &knowledge, checked);
    let start = Start::Initial;
    let tracer = Tracer::new(&circuit, &start);
    let mut outcomes = Vec::new();
    for (goal, obligation) in obligations.iter().enumerate() {
        let failure = obligations.len() + goal;
        let is_step = knowledge.goals[goal].is_step;
        let trace =
            |example: usize| tracer.trace(&knowledge.examples[example].example(&circuit), is_step);
        outcomes.push(match (&knowledge.status[goal], &knowledge.status[failure]) {
            (Status::Hit(example), _) => {
                trace(*example).map_or_else(Outcome::Unknown, Outcome::False)
            }
            (_, Status::Hit(example)) => Outcome::Unknown(match trace(*example) {
                Ok(trace) => failure::of(model, obligation.formula, trace),
                Err(why) => why,
            }),
            (Status::Proved(proof), Status::Proved(_))
                if knowledge.is_guarded() || is_of_starts =>
            {
                if *proof == Proof::NoInitialState {
                    note(checked, Finding::NoInitialState);
                }
                Outcome::True(proof.clone())
            }
            _ => Outcome::Unknown(tracer.why(&end)),
        });
    }
    Ok(outcomes)
}

/// The inductive invariants, as expressions over the model.
fn collect(
    circuit: &Circuit,
    obligations: &[Obligation],
    knowledge: &Knowledge,
    checked: &mut Checked,
) {
    for invariant in &knowledge.invariants {
        let proved: Vec<&Obligation> =
            invariant.goals.iter().filter_map(|&goal| obligations.get(goal)).collect();
        let none = invariant.cubes.iter().map(|cube| circuit.bits(cube)).collect::<Vec<_>>();
        let all = match none.is_empty() {
            true => proved.iter().flat_map(|obligation| roots(obligation.formula)).collect(),
            false => Vec::new(),
        };
        let proves: Vec<(usize, ExprId)> = proved
            .iter()
            .map(|obligation| (obligation.idx, roots(obligation.formula)[0]))
            .collect();
        // A search of an earlier round may have found them too.
        for known in &mut checked.invariants {
            known.proves.retain(|known| !proves.contains(known));
        }
        checked.invariants.push(Invariant { proves, all, none });
    }
    checked.invariants.retain(|known| !known.proves.is_empty());
}

fn count(knowledge: &Knowledge, checked: &mut Checked) {
    let stats = Stats { depth: knowledge.depth as u64, ..Stats::default() };
    checked.stats = sum(checked.stats, stats);
}

/// Decides an LTL property, or a CTL property with an LTL equivalent.
fn path<'b, S: Solver<'b>>(
    model: &Model,
    obligation: Obligation,
    budget: &'b Budget<'b>,
    checked: &mut Checked,
) -> Result<Outcome, Why> {
    let beyond = |what: &str| Err(Why::Unsupported(format!("{what} with the engine sat")));
    let Formula::Holds(clause) = obligation.formula else {
        return beyond(model.syntax.property(PropertyKind::Compute));
    };
    if obligation.logic == Logic::Ltl {
        return linear_path::<S>(model, clause, budget, checked);
    }
    let mut model = model.clone();
    match linear(&mut model, clause.expr) {
        Some(expr) => {
            let clause = Clause { expr, ..clause };
            linear_path::<S>(&model, clause, budget, checked)
        }
        None => beyond("CTL that is no LTL"),
    }
}

fn linear_path<'b, S: Solver<'b>>(
    model: &Model,
    clause: Clause,
    budget: &'b Budget<'b>,
    checked: &mut Checked,
) -> Result<Outcome, Why> {
    let product = tableau::product(model, clause.expr)?;
    all_have_values::<S>(model, clause, &product.atoms, budget)?;
    let lifted = &product.model;
    let mut circuit = Circuit::new(lifted, fairness(lifted), &Start::Initial, budget)?;
    let loops = Loops::add(&mut circuit)?;
    let mut knowledge =
        Knowledge::new(&circuit, vec![Goal { bit: loops.is_closed, is_step: false }]);
    let end = GoalSearch::<S>::run(&circuit, &mut knowledge, budget);
    count(&knowledge, checked);
    let start = Start::Initial;
    match &knowledge.status[0] {
        Status::Hit(example) => {
            let example = &knowledge.examples[*example].example(&circuit);
            let known: Vec<Known> = example.known(&circuit, false);
            let n_states = known.len() - 1;
            let known: Vec<Known> = known
                .into_iter()
                .take(n_states)
                .map(|known| known.into_iter().filter(|(var, _)| !lifted.is_added(*var)).collect())
                .collect();
            let completer = crate::explicit::complete::Completer::new(model, budget)?;
            let trace = completer.trace(None, &known, Some(loops.start(example)))?;
            if evaluator::holds(model, clause.expr, &trace) == Ok(true) {
                unreachable!("the evaluator does not see that a trace violates its property");
            }
            Ok(Outcome::False(trace))
        }
        Status::Proved(proof) if knowledge.is_guarded() => Ok(Outcome::True(proof.clone())),
        _ => Ok(Outcome::Unknown(Tracer::new(&circuit, &start).why(&end))),
    }
}

/// Checks that the expressions of a property, of fairness and of the rules are defined wherever
/// they are read.
fn all_have_values<'b, S: Solver<'b>>(
    model: &Model,
    clause: Clause,
    atoms: &[ExprId],
    budget: &'b Budget<'b>,
) -> Result<(), Why> {
    let read = atoms.iter().copied().map(|expr| (expr, clause.span));
    let fair = model.justice.iter().chain(model.compassion.iter().flat_map(|(p, q)| [p, q]));
    let read: Vec<_> = read.chain(fair.map(|clause| (clause.expr, clause.span))).collect();
    let exprs = read.iter().map(|(expr, _)| *expr);
    let mut circuit = Circuit::new(model, exprs, &Start::Initial, budget)?;
    let mut goals = Vec::new();
    for &(expr, _) in &read {
        let (_, fails) = circuit.predicate(expr)?;
        let is_step = model.exprs.info(expr).reads.any(Reads::STEP);
        let bit = if is_step { circuit.aig.and(fails, circuit.steps)? } else { fails };
        goals.push(Goal { bit, is_step });
    }
    if goals.iter().all(|goal| goal.bit == FALSE)
        && circuit.step_fails == FALSE
        && circuit.start_fails == FALSE
    {
        return Ok(());
    }
    // A goal for the rules themselves, so that they are searched even without others.
    goals.push(Goal { bit: circuit.step_fails, is_step: true });
    let mut knowledge = Knowledge::new(&circuit, goals);
    let end = GoalSearch::<S>::run(&circuit, &mut knowledge, budget);
    let start = Start::Initial;
    let tracer = Tracer::new(&circuit, &start);
    for (goal, &(expr, span)) in read.iter().enumerate() {
        if let Status::Hit(example) = knowledge.status[goal] {
            let trace = tracer.trace(
                &knowledge.examples[example].example(&circuit),
                knowledge.goals[goal].is_step,
            )?;
            return Err(failure::at(model, expr, span, trace));
        }
    }
    match end {
        End::Decided => Ok(()),
        end => Err(tracer.why(&end)),
    }
}
