//! Reachability of many targets in one search.

use trapline_model::Model;
use trapline_model::goal::Target;
use trapline_model::trace::{State, Trace};
use trapline_model::{AssignKind, ConstraintKind};

use crate::answer::{Reached, Start, Stats, Verdict, Why};
use crate::code::encode;
use crate::credit::{Depth, credit, mark_beyond, within};
use crate::explicit::complete::{Completer, Known};
use crate::explicit::failure;
use trapline_budget::Budget;

use super::circuit::Circuit;
use super::search::{Goal, GoalSearch, Knowledge, Outcome, Status};
use super::solver::{Kind, Solver};
use super::unroll::{Example, Runner};

/// Decides which targets are reachable.
pub fn reach<K: Kind>(
    model: &Model,
    targets: &[Target],
    start: &Start,
    budget: &Budget,
) -> Reached {
    let mut reached = Reached {
        verdicts: vec![Verdict::Unknown(Why::Interrupted); targets.len()],
        ..Reached::default()
    };
    let mut open: Vec<usize> = (0..targets.len()).collect();
    // The remaining targets may have a smaller cone, and the decided ones only slow the solvers
    // down.
    while !open.is_empty() {
        let asked: Vec<Target> = open.iter().map(|&idx| targets[idx].clone()).collect();
        let attempt = attempt::<K::Solver<'_>>(model, &asked, start, budget);
        let (part, is_over) = attempt.unwrap_or_else(|why| {
            let verdicts = vec![Verdict::Unknown(why); asked.len()];
            (Reached { verdicts, ..Reached::default() }, true)
        });
        take(&mut reached, &open, part);
        open.retain(|&idx| !is_over && matches!(reached.verdicts[idx], Verdict::Unknown(_)));
    }
    reached
}

/// Adopts the verdicts on some targets.
fn take(reached: &mut Reached, asked: &[usize], part: Reached) {
    let n_before = reached.traces.len();
    for (&idx, verdict) in asked.iter().zip(part.verdicts) {
        reached.verdicts[idx] = match verdict {
            Verdict::Reached { trace, state } => {
                Verdict::Reached { trace: n_before + trace, state }
            }
            verdict => verdict,
        };
    }
    reached.traces.extend(part.traces);
    reached.log.extend(part.log);
    reached.stats = Stats { depth: reached.stats.depth.max(part.stats.depth), ..part.stats };
}

/// Searches until all is decided, or few targets are open. Returns whether it is finished.
fn attempt<'b, S: Solver<'b>>(
    model: &Model,
    targets: &[Target],
    start: &Start,
    budget: &'b Budget<'b>,
) -> Result<(Reached, bool), Why> {
    let exprs = targets.iter().flat_map(|target| match target {
        Target::State(expr) | Target::Step(expr) => std::slice::from_ref(expr),
        Target::Steps(exprs) => exprs,
    });
    let mut circuit = Circuit::new(model, exprs.copied(), start, budget)?;
    let mut goals = Vec::new();
    for target in targets {
        goals.push(goal(&mut circuit, target)?);
    }
    let mut knowledge = Knowledge::new(&circuit, goals);
    let outcome = GoalSearch::<S>::run_to_few(&circuit, &mut knowledge, budget);
    let tracer = Tracer::new(&circuit, start);
    let open = Verdict::Unknown(tracer.why(&outcome));
    let depth = |goal: usize| {
        Some(Depth {
            n_steps: length(&knowledge, goal)?,
            is_shortest: !knowledge.may_be_shorter[goal],
        })
    };
    let depths: Vec<Option<Depth>> = (0..targets.len()).map(depth).collect();
    let near = within(budget, &depths);
    let reached = credit(model, targets, &near, &open, |goal| {
        let Status::Hit(example) = knowledge.status[goal] else { unreachable!("it was hit") };
        tracer.trace(&knowledge.examples[example].example(&circuit), knowledge.goals[goal].is_step)
    });
    let mut verdicts = reached.verdicts;
    mark_beyond(&mut verdicts, &depths, &near);
    for (goal, verdict) in verdicts.iter_mut().enumerate() {
        if let (Status::Proved(proof), true) = (&knowledge.status[goal], knowledge.is_guarded()) {
            *verdict = Verdict::Unreachable(proof.clone());
        }
    }
    let stats = Stats { depth: knowledge.depth as u64, ..Stats::default() };
    Ok((Reached { verdicts, stats, ..reached }, !matches!(outcome, Outcome::Few)))
}

/// The goal of a target.
///
/// # Errors
/// When the budget runs out.
pub fn goal(circuit: &mut Circuit, target: &Target) -> Result<Goal, Why> {
    match target {
        Target::State(expr) => Ok(Goal { bit: circuit.predicate(*expr)?.0, is_step: false }),
        Target::Step(expr) => {
            let holds = circuit.predicate(*expr)?.0;
            Ok(Goal { bit: circuit.aig.and(holds, circuit.steps)?, is_step: true })
        }
        Target::Steps(exprs) => {
            // A monitor bit for each step records that it was taken after those before it.
            let mut before = super::aig::TRUE;
            for &expr in exprs {
                let holds = circuit.predicate(expr)?.0;
                let step = circuit.aig.and(holds, circuit.steps)?;
                let latch = circuit.add_latch()?;
                circuit.latches[latch].next = circuit.aig.and(before, step)?;
                before = circuit.latches[latch].now;
            }
            Ok(Goal { bit: before, is_step: false })
        }
    }
}

/// The number of steps to a goal that was hit.
pub fn length(knowledge: &Knowledge, goal: usize) -> Option<usize> {
    let Status::Hit(example) = knowledge.status[goal] else { return None };
    let n_states = knowledge.examples[example].n_states();
    Some(n_states - 1 + usize::from(knowledge.goals[goal].is_step))
}

/// Makes traces of the model.
pub struct Tracer<'c, 'm, 'b> {
    circuit: &'c Circuit<'m, 'b>,
    start: &'c Start,
    completer: Result<Completer<'m>, Why>,
}

impl<'c, 'm, 'b> Tracer<'c, 'm, 'b> {
    /// Prepares the model of a circuit.
    pub fn new(circuit: &'c Circuit<'m, 'b>, start: &'c Start) -> Tracer<'c, 'm, 'b> {
        Tracer { circuit, start, completer: Completer::new(circuit.model, circuit.aig.budget) }
    }

    /// The trace of a path, including the step that leaves the last state if requested.
    ///
    /// # Errors
    /// When it can't be found with reasonable work.
    pub fn trace(&self, example: &Example, with_last_step: bool) -> Result<Trace, Why> {
        let mut known = example.known(self.circuit, with_last_step);
        if let (true, Some(state), Some(step)) =
            (with_last_step, example.states.last(), example.steps.last())
        {
            let next = Runner::new(self.circuit).next(state, step);
            known.push(self.circuit.known(&next, None));
        }
        let first = match self.start {
            Start::Initial => None,
            Start::States(states) => {
                let first = self.circuit.known(&example.states[0], None);
                states.iter().find(|state| fits(state, &first))
            }
        };
        let completer = self.completer.as_ref().map_err(Why::clone)?;
        completer.trace(first, &known, None)
    }

    /// Why a search left targets open.
    pub fn why(&self, outcome: &Outcome) -> Why {
        let model = self.circuit.model;
        match outcome {
            // Nothing is open then.
            Outcome::Decided | Outcome::Few => Why::Interrupted,
            Outcome::Cut(why) => why.clone(),
            Outcome::Failure(None) => {
                let kinds = (AssignKind::Init, ConstraintKind::Init);
                failure::in_rules(model, Trace::default(), kinds)
            }
            Outcome::Failure(Some(example)) => match self.trace(example, false) {
                Ok(trace) => {
                    let kinds = (AssignKind::Next, ConstraintKind::Trans);
                    failure::in_rules(model, trace, kinds)
                }
                Err(why) => why,
            },
        }
    }
}

/// True if a state has these values.
fn fits(state: &State, known: &Known) -> bool {
    let is_same = |var, number| {
        let known = state.get(var).and_then(|value| encode(value).ok()).unwrap_or(0);
        known == number
    };
    known.iter().all(|(&var, &number)| is_same(var, number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Proof;

    fn some(verdicts: Vec<Verdict>, n_traces: usize, depth: u64) -> Reached {
        let stats = Stats { depth, ..Stats::default() };
        Reached { verdicts, traces: vec![Trace::default(); n_traces], stats, ..Reached::default() }
    }

    #[test]
    fn what_a_later_search_finds_keeps_its_trace() {
        let open = || Verdict::Unknown(Why::Interrupted);
        let hit = |trace: usize| Verdict::Reached { trace, state: 3 };
        let nowhere = || Verdict::Unreachable(Proof::Backward { n_steps: 0 });
        let mut reached = some(vec![hit(0), open(), hit(1), open(), open()], 2, 9);
        take(&mut reached, &[1, 3, 4], some(vec![hit(1), nowhere(), hit(0)], 2, 5));
        assert_eq!(reached.verdicts, [hit(0), hit(3), hit(1), nowhere(), hit(2)]);
        assert_eq!((reached.traces.len(), reached.stats.depth), (4, 9));
    }
}
