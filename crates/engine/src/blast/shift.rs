//! Barrel shifters.

use crate::answer::Why;

use super::logic::Logic;
use super::{Gates, Number};

impl<G: Gates> Logic<'_, G> {
    /// The low bits, at most 64, of a number shifted to the left by an unsigned amount.
    pub fn shift_left(
        &mut self,
        a: &Number<G::Bit>,
        amount: &Number<G::Bit>,
        n_low: usize,
    ) -> Result<Number<G::Bit>, Why> {
        let zero = self.constant(false);
        let (stages, is_far) = self.stages(amount, n_low)?;
        let mut shifted = a.clone();
        for (stage, bit) in stages.iter().enumerate() {
            if self.is_false(bit) {
                continue;
            }
            let step = 1 << stage;
            let n_bits = (shifted.width() + step).min(n_low);
            let mut bits = Vec::with_capacity(n_bits);
            for idx in 0..n_bits {
                let below = if idx < step { &zero } else { shifted.bit(idx - step) };
                bits.push(self.mux(bit, below, shifted.bit(idx))?);
            }
            shifted = self.trim(bits);
        }
        let zero = self.number(0);
        self.select(&is_far, &zero, &shifted, n_low)
    }

    /// A number shifted to the right by an unsigned amount, with the sign.
    pub fn shift_right(
        &mut self,
        a: &Number<G::Bit>,
        amount: &Number<G::Bit>,
    ) -> Result<Number<G::Bit>, Why> {
        let (stages, is_far) = self.stages(amount, a.width() - 1)?;
        let mut shifted = a.clone();
        for (stage, bit) in stages.iter().enumerate() {
            let step = 1 << stage;
            let bits = 0..shifted.width();
            let bits = bits.map(|idx| self.mux(bit, shifted.bit(idx + step), shifted.bit(idx)));
            let bits = bits.collect::<Result<_, _>>()?;
            shifted = self.trim(bits);
        }
        let sign = Number { bits: vec![a.sign().clone()] };
        self.select(&is_far, &sign, &shifted, a.width())
    }

    /// The bits of an amount that shift by less than `n_bits`, and whether any other is set, in
    /// which case nothing is left. The sign is one of the others, as a negative amount is a large
    /// unsigned one.
    fn stages<'a>(
        &mut self,
        amount: &'a Number<G::Bit>,
        n_bits: usize,
    ) -> Result<(&'a [G::Bit], G::Bit), Why> {
        let n_stages = n_bits.next_power_of_two().trailing_zeros() as usize;
        let (stages, others) = amount.bits.split_at(n_stages.min(amount.width() - 1));
        Ok((stages, self.any(others)?))
    }
}
