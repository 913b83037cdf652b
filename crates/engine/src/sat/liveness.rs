//! Loops as goals: a fair loop is a state that comes again, with all of fairness in between
//! (Biere, Artho and Schuppan, *Liveness checking as safety checking*).
//!
//! At some step that is left open the state is remembered. When the same state comes again and
//! fairness was seen since, the path has a fair loop.

use crate::answer::Why;

use super::aig::Bit;
use super::circuit::Circuit;
use super::unroll::Example;

/// What a circuit remembers to find loops.
pub struct Loops {
    /// Has the path come back, with all of fairness?
    pub is_closed: Bit,
    /// The bit of the state that says that a state is remembered.
    has_begun: usize,
}

impl Loops {
    /// Adds it to the circuit of a model whose fairness is about states.
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
            let holds = circuit.look(expr)?.0;
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

    /// Where the loop of a path starts.
    pub fn start(&self, example: &Example) -> usize {
        let has_begun = |state: &Vec<bool>| state[self.has_begun];
        example.states.iter().position(has_begun).unwrap_or(1) - 1
    }
}
