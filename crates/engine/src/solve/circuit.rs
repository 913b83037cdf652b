//! The same questions for a SAT solver.
//!
//! What is given are constants of the circuit, so that little of it is left. Whether all rules
//! hold is one bit, and each answer is excluded from the next question.
//!
//! At random, every bit that is a real choice is drawn, one after the other, and keeps the value
//! that was drawn if the rules allow that together with the bits before it. So every answer may
//! come, and no draw is ever taken back.

use trapline_model::eval::Cell;

use crate::answer::Why;
use crate::sat::aig::{Bit, FALSE};
use crate::sat::solver;
use crate::sat::valuation::Valuations;

use super::{Demand, Problem, Rule, Search, Slot, Stop, Values, When};
use trapline_budget::Exhausted;

/// A question for a SAT solver.
pub(super) struct Circuit<'p> {
    valuations: Valuations<'p, 'p>,
    problem: &'p Problem,
    slots: Vec<Slot>,
    /// The bits that are real choices.
    choices: Vec<Bit>,
    values: Values,
    /// Do all rules hold?
    allowed: Bit,
    /// Do all rules hold that have a value, and has one none?
    failing: Bit,
}

impl<'p> Circuit<'p> {
    /// What a search asks, without what it has found.
    ///
    /// # Errors
    /// When there are values that have no bits, or the budget runs out.
    pub fn new(search: &Search<'p>) -> Result<Circuit<'p>, Why> {
        let mut valuations = Valuations::new(search.model, search.budget);
        for &slot in &search.slots {
            valuations.open(slot)?;
        }
        for &slot in search.problem.rules.iter().flat_map(|rule| &rule.reads) {
            let given = search.values.get(slot).filter(|_| search.slot_id(slot).is_none());
            if let Some(value) = given {
                valuations.give(slot, value)?;
            }
        }
        let (mut allowed, mut weak, mut fails) = (Vec::new(), Vec::new(), Vec::new());
        for rule in &search.problem.rules {
            let (holds, failing) = gates(&mut valuations, search, rule)?;
            allowed.push(holds);
            weak.push(valuations.aig().or(holds, failing)?);
            fails.push(failing);
        }
        let is_choice = |(id, _): &(usize, &Slot)| !search.is_determined[*id];
        let open = search.slots.iter().enumerate().filter(is_choice);
        let choices = open.flat_map(|(_, &slot)| valuations.bits(slot)).copied().collect();
        let failing = match valuations.aig().any(fails)? {
            FALSE => FALSE,
            fails => {
                weak.push(fails);
                valuations.aig().all(weak)?
            }
        };
        let mut circuit = Circuit {
            allowed: valuations.aig().all(allowed)?,
            problem: search.problem,
            slots: search.slots.clone(),
            values: search.values.clone(),
            valuations,
            choices,
            failing,
        };
        for found in &search.found {
            circuit.exclude(found)?;
        }
        Ok(circuit)
    }

    /// Excludes what was found before.
    fn exclude(&mut self, found: &Values) -> Result<(), Why> {
        let mut same = Vec::new();
        for &slot in &self.slots {
            let Some(value) = found.get(slot) else { continue };
            same.extend(self.valuations.has(slot, value)?);
        }
        let is_same = self.valuations.aig().all(same)?;
        self.valuations.require(!is_same)
    }

    /// The next answer.
    pub fn next(&mut self, rng: &mut Option<&mut fastrand::Rng>) -> Result<Option<Values>, Stop> {
        let is_found = match rng {
            Some(rng) => self.draw(rng),
            None => self.valuations.solve(&[self.allowed]),
        };
        if is_found.map_err(|stop| self::stop(&stop.why()))? {
            self.read();
            self.valuations.exclude(&self.slots).map_err(|why| stop(&why))?;
            return Ok(Some(self.values.clone()));
        }
        let fails = self.valuations.solve(&[self.failing]);
        if fails.map_err(|stop| self::stop(&stop.why()))? {
            self.read();
            return Err(self.failure());
        }
        Ok(None)
    }

    /// Looks for an answer with random bits, in the order of the variables.
    fn draw(&mut self, rng: &mut fastrand::Rng) -> Result<bool, solver::Stop> {
        let mut fixed = vec![self.allowed];
        if !self.valuations.solve(&fixed)? {
            return Ok(false);
        }
        let example = |valuations: &Valuations<'_, '_>, choices: &[Bit]| -> Vec<bool> {
            choices.iter().map(|&bit| valuations.is_true(bit)).collect()
        };
        let mut values = example(&self.valuations, &self.choices);
        let mut is_last = true;
        for idx in 0..self.choices.len() {
            let drawn = rng.bool();
            if drawn != values[idx] {
                fixed.push(self.choices[idx].inverted_if(!drawn));
                is_last = self.valuations.solve(&fixed)?;
                if is_last {
                    values = example(&self.valuations, &self.choices);
                    continue;
                }
                fixed.pop();
            }
            fixed.push(self.choices[idx].inverted_if(!values[idx]));
        }
        // The example is that of the last question, if the answer was yes.
        Ok(is_last || self.valuations.solve(&fixed)?)
    }

    /// Takes the values of the example.
    fn read(&mut self) {
        for &slot in &self.slots {
            self.values.set(slot, self.valuations.value(slot));
        }
    }

    /// The first rule that has no value.
    fn failure(&self) -> Stop {
        let mut cells: Vec<Cell> = Vec::new();
        for rule in &self.problem.rules {
            rule.run(&self.values, &mut cells);
            if let Some(failure) = rule.failure(rule.plan.root(0, &cells)) {
                return Stop::Failure { failure, span: rule.span };
            }
        }
        unreachable!("the circuit and the evaluator disagree about which rule has a value")
    }
}

/// Where a rule holds, and where it has no value.
fn gates(
    valuations: &mut Valuations<'_, '_>,
    search: &Search<'_>,
    rule: &Rule,
) -> Result<(Bit, Bit), Why> {
    let primed = rule.when == When::There;
    match &rule.demand {
        Demand::True => valuations.truth(rule.expr, primed),
        Demand::False => {
            let (holds, fails) = valuations.truth(rule.expr, primed)?;
            Ok((valuations.aig().and(!holds, !fails)?, fails))
        }
        Demand::Avoid(unwanted) => {
            let (holds, fails) = valuations.truth(rule.expr, primed)?;
            let differs = holds.inverted_if(*unwanted);
            Ok((valuations.aig().or(differs, fails)?, FALSE))
        }
        Demand::Choose(slot, _) if search.slot_id(*slot).is_none() => {
            let Some(value) = search.values.get(*slot) else {
                return Err(Why::Unsupported("a value that nobody gives".into()));
            };
            valuations.give(*slot, value)?;
            valuations.takes(*slot, rule.expr, primed)
        }
        Demand::Choose(slot, _) => valuations.takes(*slot, rule.expr, primed),
        Demand::Escape(domain) => Ok((valuations.escapes(rule.expr, domain.as_ref())?, FALSE)),
    }
}

/// Why the search ends.
pub(super) fn stop(why: &Why) -> Stop {
    Stop::Exhausted(match why {
        Why::Time => Exhausted::Time,
        Why::Memory => Exhausted::Memory,
        Why::Interrupted => Exhausted::Interrupted,
        _ => Exhausted::Work,
    })
}
