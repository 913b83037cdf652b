//! Questions about single states and steps.
//!
//! The variables of a state and of the next one are bits that only their types restrict; what must
//! hold besides, each question says. All questions share one circuit and one solver, so an
//! expression becomes gates once, and what one question teaches the solver serves the others.

use trapline_budget::Budget;
use trapline_model::{Domain, ExprId, Model, Value};

use crate::answer::Why;
use crate::blast::Blaster;
use crate::code::{Calc, Coder, Compiled, Reg, Slot, decode, encode};
use crate::encoding::Encoding;
use crate::rules;

use super::aig::{Aig, Bit, FALSE, TRUE};
use super::batsat::Batsat;
use super::circuit::{Maker, Wires};
use super::cnf::Cnf;
use super::solver::{Solver, Stop};

/// The values of variables in a state and the next one.
pub struct Valuations<'m, 'b> {
    model: &'m Model,
    coder: Coder<'m>,
    blaster: Blaster<Bit>,
    wires: Wires,
    aig: Aig<'b>,
    cnf: Cnf<Batsat<'b>>,
}

impl<'m, 'b> Valuations<'m, 'b> {
    /// No variable has bits yet.
    pub fn new(model: &'m Model, budget: &'b Budget<'b>) -> Valuations<'m, 'b> {
        Valuations {
            model,
            coder: Coder::new(model),
            blaster: Blaster::new(),
            wires: Wires::default(),
            aig: Aig::new(budget),
            cnf: Cnf::new(Batsat::new(budget)),
        }
    }

    /// Lets a variable have any value of its type.
    ///
    /// # Errors
    /// When it has infinitely many, or the budget runs out.
    pub fn open(&mut self, slot: Slot) -> Result<(), Why> {
        let encoding = self.encoding(slot)?;
        let mut bits = Vec::new();
        for _ in 0..encoding.n_bits {
            bits.push(self.aig.input()?);
        }
        let mut maker = Maker { aig: &mut self.aig, wires: &self.wires };
        let is_valid = encoding.is_valid(&mut maker, &bits)?;
        self.wires.insert(slot, encoding, bits);
        self.require(is_valid)
    }

    /// Gives a variable its value.
    ///
    /// # Errors
    /// When the value is no number.
    pub fn give(&mut self, slot: Slot, value: Value) -> Result<(), Why> {
        let encoding = self.encoding(slot)?;
        let number = encoding.bits(encode(value)?);
        let bits = (0..encoding.n_bits).map(|idx| (number >> idx & 1 == 1).into()).collect();
        self.wires.insert(slot, encoding, bits);
        Ok(())
    }

    fn encoding(&self, slot: Slot) -> Result<Encoding, Why> {
        let (Slot::Current(var) | Slot::Next(var)) = slot;
        Encoding::new(&self.model.var(var).domain)
    }

    /// What must be true for a variable to have a value.
    ///
    /// # Errors
    /// When the value is no number.
    pub fn has(&self, slot: Slot, value: Value) -> Result<Vec<Bit>, Why> {
        let number = self.encoding(slot)?.bits(encode(value)?);
        let bits = self.bits(slot).iter().enumerate();
        Ok(bits.map(|(idx, bit)| bit.inverted_if(number >> idx & 1 == 0)).collect())
    }

    /// The bits of a variable.
    pub fn bits(&self, slot: Slot) -> &[Bit] {
        self.wires.bits(slot).map_or(&[], Vec::as_slice)
    }

    /// Where an expression is true, and where it has no value; `primed` is of the next state.
    ///
    /// # Errors
    /// When it is about what can't be made of bits, or the budget runs out.
    pub fn truth(&mut self, expr: ExprId, primed: bool) -> Result<(Bit, Bit), Why> {
        let (holds, fails) = self.coder.truth(expr, primed)?;
        let (holds, fails) = (self.gate(holds)?, self.gate(fails)?);
        Ok((self.aig.and(holds, !fails)?, fails))
    }

    /// Where a variable has the value of an expression, or one of its values; and where it has
    /// none, or one outside the type of the variable.
    ///
    /// # Errors
    /// As above.
    pub fn takes(&mut self, slot: Slot, expr: ExprId, primed: bool) -> Result<(Bit, Bit), Why> {
        let (Slot::Current(var) | Slot::Next(var)) = slot;
        let code = self.coder.compile(expr, primed)?;
        let fails = self.escape_of(&code.value, code.fails, &self.model.var(var).domain)?;
        let value = self.coder.slot(slot);
        let is_taken = match &code.value {
            Compiled::One(reg) => self.coder.calc(Calc::Eq, value, *reg),
            Compiled::Set(choices) => self.coder.is_member(value, choices),
        };
        let (is_taken, fails) = (self.gate(is_taken)?, self.gate(fails)?);
        Ok((self.aig.and(is_taken, !fails)?, fails))
    }

    /// Where an expression has no value, or one outside a domain if one is given.
    ///
    /// # Errors
    /// As above.
    pub fn escapes(&mut self, expr: ExprId, domain: Option<&Domain>) -> Result<Bit, Why> {
        let code = self.coder.compile(expr, false)?;
        let escapes = match domain {
            Some(domain) => self.escape_of(&code.value, code.fails, domain)?,
            None => code.fails,
        };
        self.gate(escapes)
    }

    fn escape_of(&mut self, value: &Compiled, fails: Reg, domain: &Domain) -> Result<Reg, Why> {
        let outside = rules::outside(&mut self.coder, domain, value)?;
        Ok(self.coder.or(fails, outside))
    }

    fn gate(&mut self, reg: Reg) -> Result<Bit, Why> {
        let mut maker = Maker { aig: &mut self.aig, wires: &self.wires };
        self.blaster.truth(&mut maker, &self.coder, reg)
    }

    /// The circuit, for putting bits together.
    pub fn aig(&mut self) -> &mut Aig<'b> {
        &mut self.aig
    }

    /// Says that a bit is true in all questions from now on.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn require(&mut self, bit: Bit) -> Result<(), Why> {
        if bit != TRUE {
            let lit = self.cnf.lit(&self.aig, bit)?;
            self.cnf.solver.add_clause(&[lit]);
        }
        Ok(())
    }

    /// Pauses questions from now on after so much work.
    pub fn allow(&mut self, work: u64) {
        let until = self.cnf.solver.budget().work().saturating_add(work);
        self.cnf.solver.allow(until);
    }

    /// Can all of these be true together?
    ///
    /// # Errors
    /// When it takes more work than is allowed.
    pub fn solve(&mut self, bits: &[Bit]) -> Result<bool, Stop> {
        if bits.contains(&FALSE) {
            return Ok(false);
        }
        let mut assumptions = Vec::new();
        for &bit in bits.iter().filter(|bit| **bit != TRUE) {
            assumptions.push(self.cnf.lit(&self.aig, bit)?);
        }
        self.cnf.solver.solve(&assumptions)
    }

    /// After a yes: is a bit true in the example? What matters to nothing is false.
    pub fn is_true(&self, bit: Bit) -> bool {
        match bit.as_const() {
            Some(value) => value,
            None => match self.cnf.known(bit) {
                Some(lit) => self.cnf.solver.value(lit),
                None => bit.is_inverted(),
            },
        }
    }

    /// After a yes: the value of a variable in the example.
    pub fn value(&self, slot: Slot) -> Option<Value> {
        let (Slot::Current(var) | Slot::Next(var)) = slot;
        let bits = self.wires.bits(slot)?.iter().enumerate();
        let number = bits.map(|(idx, &bit)| u64::from(self.is_true(bit)) << idx).sum();
        let number = self.wires.encoding(var)?.number(number);
        Some(decode(number, self.model.var(var).domain.ty()))
    }

    /// After a yes: excludes the values that these variables have in the example from all further
    /// questions.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn exclude(&mut self, slots: &[Slot]) -> Result<(), Why> {
        let bits = slots.iter().flat_map(|&slot| self.bits(slot)).copied();
        let others: Vec<Bit> = bits.map(|bit| bit.inverted_if(self.is_true(bit))).collect();
        let mut clause = Vec::new();
        for bit in others {
            clause.push(self.cnf.lit(&self.aig, bit)?);
        }
        self.cnf.solver.add_clause(&clause);
        Ok(())
    }
}
