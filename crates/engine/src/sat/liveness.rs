//! Liveness to safety: a fair lasso is a repeated state with all fairness constraints met in
//! between (Biere, Artho and Schuppan, *Liveness checking as safety checking*).
//!
//! At a nondeterministically chosen step the state is saved. When the saved state recurs and all
//! fairness constraints were met since, the path contains a fair lasso.

use crate::answer::Why;

use super::aig::Bit;
use super::circuit::Circuit;
use super::unroll::Example;

/// The monitor that detects fair lassos.
pub struct Loops {
    /// True if a fair loop is closed.
    pub is_closed: Bit,
    /// The latch that is set once a state is saved.
    has_begun: usize,
}

impl Loops {
    /// Adds the monitor to the circuit of a model with state fairness only.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn add(circuit: &mut Circuit) -> Result<Loops, Why> {
        let model = circuit.model;
        let n_latches = circuit.latches.len();
        let may_begin = circuit.add_input()?;
        let has_begun = circuit.add_latch()?;
        let begun = circuit.latches[has_begun].now;
        let begins = circuit.aig.and(may_begin, !begun)?;
        let is_inside = circuit.aig.or(begun, begins)?;
        circuit.latches[has_begun].next = is_inside;
        let mut closed = vec![begun];
        for latch in 0..n_latches {
            let now = circuit.latches[latch].now;
            let copy = circuit.add_latch()?;
            let kept = circuit.latches[copy].now;
            circuit.latches[copy].next = circuit.aig.mux(begins, now, kept)?;
            closed.push(!circuit.aig.xor(now, kept)?);
        }
        let seen = |circuit: &mut Circuit, expr| -> Result<Bit, Why> {
            let holds = circuit.predicate(expr)?.0;
            let latch = circuit.add_latch()?;
            let seen = circuit.latches[latch].now;
            let either = circuit.aig.or(seen, holds)?;
            circuit.latches[latch].next = circuit.aig.and(is_inside, either)?;
            Ok(seen)
        };
        for clause in &model.justice {
            closed.push(seen(circuit, clause.expr)?);
        }
        for (p, q) in &model.compassion {
            let (p, q) = (seen(circuit, p.expr)?, seen(circuit, q.expr)?);
            closed.push(circuit.aig.or(!p, q)?);
        }
        Ok(Loops { is_closed: circuit.aig.all(closed)?, has_begun })
    }

    /// The start of the loop of a path.
    pub fn start(&self, example: &Example) -> usize {
        let has_begun = |state: &Vec<bool>| state[self.has_begun];
        example.states.iter().position(has_begun).unwrap_or(1) - 1
    }
}
