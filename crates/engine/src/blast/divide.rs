//! Quotients and remainders: restoring division of magnitudes, with the signs restored.

use crate::answer::Why;

use super::logic::Logic;
use super::{Gates, Number};

/// What a division of magnitudes gives.
struct Division<B> {
    quotient: Vec<B>,
    rest: Vec<B>,
}

impl<G: Gates> Logic<'_, G> {
    /// True if a number with this lower bound is nonzero.
    pub fn is_non_zero(&mut self, a: &Number<G::Bit>, least: i64) -> Result<G::Bit, Why> {
        if least > 0 {
            return Ok(self.constant(true));
        }
        self.any(&a.bits)
    }

    /// The quotient towards zero; 0 unless the divisor is flagged nonzero.
    pub fn quotient(
        &mut self,
        a: &Number<G::Bit>,
        b: &Number<G::Bit>,
        non_zero: &G::Bit,
    ) -> Result<Number<G::Bit>, Why> {
        if self.is_false(non_zero) {
            return Ok(self.number(0));
        }
        let (dividend, divisor) = (self.magnitude(a)?, self.magnitude(b)?);
        let Division { quotient, .. } = self.divide(&dividend, &divisor)?;
        let sign = self.xor(a.sign(), b.sign())?;
        self.signed_if(non_zero, &sign, &quotient)
    }

    /// The remainder with the sign of the dividend; 0 unless the divisor is flagged nonzero.
    pub fn remainder(
        &mut self,
        a: &Number<G::Bit>,
        b: &Number<G::Bit>,
        non_zero: &G::Bit,
    ) -> Result<Number<G::Bit>, Why> {
        if self.is_false(non_zero) {
            return Ok(self.number(0));
        }
        let (dividend, divisor) = (self.magnitude(a)?, self.magnitude(b)?);
        let Division { rest, .. } = self.divide(&dividend, &divisor)?;
        self.signed_if(non_zero, a.sign(), &rest)
    }

    /// The magnitude of a number.
    fn magnitude(&mut self, a: &Number<G::Bit>) -> Result<Vec<G::Bit>, Why> {
        let negated = self.negate_if(a.sign(), a)?;
        // The magnitude of the least number needs the former sign bit.
        let mut bits: Vec<_> = (0..a.width()).map(|idx| negated.bit(idx).clone()).collect();
        self.drop_zeros(&mut bits);
        Ok(bits)
    }

    /// The number with a magnitude and a sign, or 0.
    fn signed_if(
        &mut self,
        c: &G::Bit,
        sign: &G::Bit,
        magnitude: &[G::Bit],
    ) -> Result<Number<G::Bit>, Why> {
        let bits = magnitude.iter().map(|bit| self.and(c, bit));
        let bits = bits.collect::<Result<_, _>>()?;
        let number = self.unsigned_number(bits);
        self.negate_if(sign, &number)
    }

    /// The quotient and the remainder of magnitudes; arbitrary if the divisor is 0.
    fn divide(&mut self, dividend: &[G::Bit], divisor: &[G::Bit]) -> Result<Division<G::Bit>, Why> {
        if let Some(power) = self.power_of_two(divisor) {
            let (rest, quotient) = dividend.split_at(power.min(dividend.len()));
            return Ok(Division { quotient: quotient.to_vec(), rest: rest.to_vec() });
        }
        let (mut quotient, mut rest) = (Vec::new(), Vec::new());
        for bit in dividend.iter().rev() {
            rest.insert(0, bit.clone());
            quotient.push(self.take_once(&mut rest, divisor)?);
        }
        quotient.reverse();
        Ok(Division { quotient, rest })
    }

    /// Subtracts the divisor from a remainder less than twice it, if possible. Returns whether it
    /// did.
    fn take_once(&mut self, rest: &mut Vec<G::Bit>, divisor: &[G::Bit]) -> Result<G::Bit, Why> {
        let zero = self.constant(false);
        let n_kept = rest.len().min(divisor.len());
        let mut difference = Vec::with_capacity(n_kept);
        let mut fits = self.constant(true);
        for idx in 0..rest.len().max(divisor.len()) {
            let bit = rest.get(idx).unwrap_or(&zero);
            let flipped = self.not(divisor.get(idx).unwrap_or(&zero));
            if idx < n_kept {
                let half = self.xor(bit, &flipped)?;
                difference.push(self.xor(&half, &fits)?);
            }
            fits = self.majority(bit, &flipped, &fits)?;
        }
        rest.truncate(n_kept);
        for (bit, less) in rest.iter_mut().zip(difference) {
            *bit = self.mux(&fits, &less, bit)?;
        }
        self.drop_zeros(rest);
        Ok(fits)
    }

    /// The exponent of a constant power of two.
    fn power_of_two(&self, magnitude: &[G::Bit]) -> Option<usize> {
        let (last, low) = magnitude.split_last()?;
        let is_power =
            self.as_const(last) == Some(true) && low.iter().all(|bit| self.is_false(bit));
        is_power.then_some(low.len())
    }

    /// Drops leading constant zeros.
    fn drop_zeros(&self, bits: &mut Vec<G::Bit>) {
        while bits.last().is_some_and(|bit| self.is_false(bit)) {
            bits.pop();
        }
    }
}
