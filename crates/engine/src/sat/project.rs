//! The combinations of values that expressions take in reachable states.
//!
//! Bounded model checking enumerates them, nearest first. From time to time a proof of completeness
//! is attempted.

use trapline_model::{ExprId, Model, Reads};

use crate::answer::{Projected, Projection, Start, Stats, Why};
use crate::code::value;
use trapline_budget::{Budget, Progress};

use super::aig::{Bit, TRUE};
use super::circuit::Circuit;
use super::reach::Tracer;
use super::search::{Goal, GoalSearch, Knowledge, Outcome, Status};
use super::solver::{Kind, Lit, Solver, Stop};
use super::unroll::{From, Paths, Runner};

/// Work of the first proof attempt.
const FIRST_PROOF: u64 = 200_000;

/// All combinations of values, each with a shortest trace.
pub fn project<K: Kind>(
    model: &Model,
    exprs: &[ExprId],
    start: &Start,
    budget: &Budget,
) -> Projected {
    let mut projected = Projected::default();
    let result = run::<K>(model, exprs, start, budget, &mut projected);
    projected.incomplete = result.err();
    projected
}

fn run<K: Kind>(
    model: &Model,
    exprs: &[ExprId],
    start: &Start,
    budget: &Budget,
    projected: &mut Projected,
) -> Result<(), Why> {
    let mut circuit = Circuit::new(model, exprs.iter().copied(), start, budget)?;
    let is_step = exprs.iter().any(|&expr| model.exprs.info(expr).reads.any(Reads::STEP));
    let mut outputs = Vec::new();
    for &expr in exprs {
        let (bits, fails) = circuit.value(expr)?;
        // Where an expression is undefined, its bits are normalised.
        let mut masked = Vec::new();
        for bit in bits {
            masked.push(circuit.aig.and(bit, !fails)?);
        }
        outputs.push((masked, fails));
    }
    let flat: Vec<Bit> =
        outputs.iter().flat_map(|(bits, fails)| bits.iter().chain([fails]).copied()).collect();
    // True for combinations not seen yet.
    let mut is_new = if is_step { circuit.steps } else { TRUE };
    if let Outcome::Failure(_) = begin::<K>(&circuit, budget)? {
        return Err(Tracer::new(&circuit, start).why(&Outcome::Failure(None)));
    }
    let mut paths = Paths::new(&circuit, From::First, <K::Solver<'_>>::new(budget))?;
    let mut seen: Vec<Vec<bool>> = Vec::new();
    let (mut next_proof, mut proof_work) = (budget.work() + FIRST_PROOF / 4, FIRST_PROOF);
    loop {
        projected.stats = Stats { depth: paths.n_steps() as u64, ..Stats::default() };
        let progress =
            Progress { phase: "searching", depth: projected.stats.depth, ..Progress::default() };
        budget.note(progress);
        if paths.is_over || !paths.ask(&[]).map_err(Stop::why)? {
            return Ok(());
        }
        let allowed = if is_step { paths.bit(&circuit, circuit.steps)? } else { TRUE };
        let mut lits: Vec<Lit> = Vec::new();
        for &bit in &flat {
            let bit = paths.bit(&circuit, bit)?;
            lits.push(paths.cnf.lit(&paths.aig, bit)?);
        }
        // Seen combinations are excluded at the end of paths only.
        let here = paths.aig.input()?;
        lits.push(!paths.cnf.lit(&paths.aig, here)?);
        for values in &seen {
            exclude(&mut paths, &lits, values);
        }
        while paths.ask(&[allowed, here]).map_err(Stop::why)? {
            let example = paths.example(&circuit);
            let last = example.states.len() - 1;
            let mut runner = Runner::new(&circuit);
            runner.evaluate(&example.states[last], &example.steps[last]);
            let values: Vec<bool> = flat.iter().map(|&bit| runner.is_true(bit)).collect();
            exclude(&mut paths, &lits, &values);
            let trace = Tracer::new(&circuit, start).trace(&example, is_step)?;
            let numbers = numbers(&outputs, &values);
            let pairs = numbers.iter().zip(exprs);
            let named = pairs.map(|(number, &expr)| value(model, expr, *number)).collect();
            projected.values.push(Projection { values: named, trace });
            let same = flat.iter().zip(&values).map(|(bit, value)| bit.inverted_if(!value));
            let same = circuit.aig.all(same.collect())?;
            is_new = circuit.aig.and(is_new, !same)?;
            seen.push(values);
        }
        let fails = paths.bit(&circuit, circuit.step_fails)?;
        if paths.ask(&[fails]).map_err(Stop::why)? {
            let example = paths.example(&circuit);
            return Err(Tracer::new(&circuit, start).why(&Outcome::Failure(Some(example))));
        }
        paths.extend(&circuit)?;
        if budget.work() >= next_proof {
            if is_complete::<K>(&circuit, Goal { bit: is_new, is_step }, budget, proof_work)? {
                return Ok(());
            }
            proof_work = proof_work.saturating_mul(2);
            next_proof = budget.work() + proof_work;
        }
    }
}

/// Searches the initial states only.
fn begin<K: Kind>(circuit: &Circuit, budget: &Budget) -> Result<Outcome, Why> {
    let part = budget.part(None);
    let outcome = GoalSearch::<K::Solver<'_>>::run_first(
        circuit,
        &mut Knowledge::new(circuit, Vec::new()),
        &part,
    );
    drop(part);
    budget.spend(0)?;
    Ok(outcome)
}

fn exclude<'b, S: Solver<'b>>(paths: &mut Paths<'b, S>, lits: &[Lit], values: &[bool]) {
    // The last literal deactivates the clause.
    let values = values.iter().copied().chain([false]);
    let others: Vec<Lit> =
        lits.iter().zip(values).map(|(lit, value)| lit.negated_if(value)).collect();
    paths.cnf.solver.add_clause(&others);
}

/// True if no further combination is reachable and every rule is defined.
fn is_complete<K: Kind>(
    circuit: &Circuit,
    goal: Goal,
    budget: &Budget,
    work: u64,
) -> Result<bool, Why> {
    let mut knowledge = Knowledge::new(circuit, vec![goal]);
    let part = budget.part(Some(work));
    let _ = GoalSearch::<K::Solver<'_>>::run(circuit, &mut knowledge, &part);
    drop(part);
    budget.spend(0)?;
    Ok(matches!(knowledge.status[0], Status::Proved(_)) && knowledge.is_guarded())
}

/// The values of expressions; `None` where undefined.
fn numbers(outputs: &[(Vec<Bit>, Bit)], values: &[bool]) -> Vec<Option<i64>> {
    let mut values = values.iter().copied();
    let mut numbers = Vec::new();
    for (bits, _) in outputs {
        let mut number = 0i64;
        let mut sign = false;
        for (idx, value) in (0..bits.len()).zip(&mut values) {
            number |= i64::from(value) << idx;
            sign = value;
        }
        if sign && bits.len() < 64 {
            number |= -1 << bits.len();
        }
        let fails = values.next().unwrap_or(false);
        numbers.push((!fails).then_some(number));
    }
    numbers
}
