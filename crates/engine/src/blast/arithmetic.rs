//! Adders, multipliers and comparators.

use crate::answer::Why;

use super::logic::Logic;
use super::{Gates, Number};

impl<G: Gates> Logic<'_, G> {
    /// The low bits of the sum.
    pub fn add(
        &mut self,
        a: &Number<G::Bit>,
        b: &Number<G::Bit>,
        n_low: usize,
    ) -> Result<Number<G::Bit>, Why> {
        let carry = self.constant(false);
        self.add_carry(a, b, carry, n_low)
    }

    /// The low bits of the difference.
    pub fn sub(
        &mut self,
        a: &Number<G::Bit>,
        b: &Number<G::Bit>,
        n_low: usize,
    ) -> Result<Number<G::Bit>, Why> {
        // -b is the complement of b plus one.
        let flipped = Number { bits: b.bits.iter().map(|bit| self.not(bit)).collect() };
        let carry = self.constant(true);
        self.add_carry(a, &flipped, carry, n_low)
    }

    fn add_carry(
        &mut self,
        a: &Number<G::Bit>,
        b: &Number<G::Bit>,
        mut carry: G::Bit,
        n_low: usize,
    ) -> Result<Number<G::Bit>, Why> {
        let n_bits = (a.width().max(b.width()) + 1).min(n_low);
        let mut bits = Vec::with_capacity(n_bits);
        for idx in 0..n_bits {
            let (x, y) = (a.bit(idx), b.bit(idx));
            let half = self.xor(x, y)?;
            bits.push(self.xor(&half, &carry)?);
            // The last carry is not used, and may be large.
            if idx + 1 < n_bits {
                carry = self.majority(x, y, &carry)?;
            }
        }
        Ok(self.trim(bits))
    }

    /// The number, or its negation in as many bits.
    pub fn negate_if(&mut self, c: &G::Bit, a: &Number<G::Bit>) -> Result<Number<G::Bit>, Why> {
        let bits = a.bits.iter().map(|bit| self.xor(bit, c));
        let flipped = Number { bits: bits.collect::<Result<_, _>>()? };
        let zero = self.number(0);
        self.add_carry(&flipped, &zero, c.clone(), a.width())
    }

    /// The low bits of the product: shift and add.
    pub fn mul(
        &mut self,
        a: &Number<G::Bit>,
        b: &Number<G::Bit>,
        n_low: usize,
    ) -> Result<Number<G::Bit>, Why> {
        let (a, b) = if self.n_copies(a) < self.n_copies(b) { (b, a) } else { (a, b) };
        let n_low = n_low.min(a.width() + b.width());
        let sign_idx = b.width() - 1;
        let mut sum = self.number(0);
        for (idx, bit) in b.bits.iter().enumerate().take(n_low) {
            if self.is_false(bit) {
                continue;
            }
            let copy = self.copy(a, bit, idx, n_low)?;
            // The sign bit has negative weight.
            sum = match idx == sign_idx {
                true => self.sub(&sum, &copy, n_low)?,
                false => self.add(&sum, &copy, n_low)?,
            };
        }
        Ok(sum)
    }

    /// Number of partial products: first those that are not constant.
    fn n_copies(&self, number: &Number<G::Bit>) -> (usize, usize) {
        let consts = || number.bits.iter().map(|bit| self.as_const(bit));
        let n_varying = consts().filter(Option::is_none).count();
        let n_ones = consts().filter(|bit| *bit == Some(true)).count();
        (n_varying, n_ones)
    }

    /// A partial product.
    fn copy(
        &mut self,
        a: &Number<G::Bit>,
        bit: &G::Bit,
        shift: usize,
        n_low: usize,
    ) -> Result<Number<G::Bit>, Why> {
        let mut bits = vec![self.constant(false); shift];
        for a_bit in a.bits.iter().take(n_low - shift) {
            bits.push(self.and(a_bit, bit)?);
        }
        Ok(Number { bits })
    }

    /// True if the sum overflows 64 bits.
    pub fn add_overflows(&mut self, a: &Number<G::Bit>, b: &Number<G::Bit>) -> Result<G::Bit, Why> {
        let sum = self.add(a, b, usize::MAX)?;
        self.overflows(&sum)
    }

    /// True if the difference overflows 64 bits.
    pub fn sub_overflows(&mut self, a: &Number<G::Bit>, b: &Number<G::Bit>) -> Result<G::Bit, Why> {
        let difference = self.sub(a, b, usize::MAX)?;
        self.overflows(&difference)
    }

    /// True if the product overflows 64 bits.
    pub fn mul_overflows(&mut self, a: &Number<G::Bit>, b: &Number<G::Bit>) -> Result<G::Bit, Why> {
        let product = self.mul(a, b, usize::MAX)?;
        self.overflows(&product)
    }

    /// True if some bit above the low 64 differs from their sign.
    fn overflows(&mut self, number: &Number<G::Bit>) -> Result<G::Bit, Why> {
        let sign = number.bit(63);
        let above = number.bits.iter().skip(64);
        let differ = above.map(|bit| self.xor(bit, sign)).collect::<Result<Vec<_>, _>>()?;
        self.any(&differ)
    }

    /// Equality.
    pub fn is_equal(&mut self, a: &Number<G::Bit>, b: &Number<G::Bit>) -> Result<G::Bit, Why> {
        let n_bits = a.width().max(b.width());
        let pairs = (0..n_bits).map(|idx| (a.bit(idx), b.bit(idx)));
        let (mut cheap, mut others) = (Vec::new(), Vec::new());
        for (x, y) in pairs {
            match (self.as_const(x), self.as_const(y)) {
                (Some(x), Some(y)) if x != y => return Ok(self.constant(false)),
                (Some(_), Some(_)) => {}
                (None, None) => others.push((x, y)),
                _ => cheap.push((x, y)),
            }
        }
        let mut equal = self.constant(true);
        for (x, y) in cheap.into_iter().chain(others) {
            let differ = self.xor(x, y)?;
            let same = self.not(&differ);
            equal = self.and(&equal, &same)?;
            if self.is_false(&equal) {
                break;
            }
        }
        Ok(equal)
    }

    /// Signed less-than.
    pub fn is_less(&mut self, a: &Number<G::Bit>, b: &Number<G::Bit>) -> Result<G::Bit, Why> {
        let less = self.is_less_below(a, b, a.width().max(b.width()) - 1)?;
        // A negative number is less than a nonnegative one.
        self.is_less_by(b.sign(), a.sign(), &less)
    }

    /// Unsigned less-than.
    pub fn is_less_unsigned(
        &mut self,
        a: &Number<G::Bit>,
        b: &Number<G::Bit>,
    ) -> Result<G::Bit, Why> {
        self.is_less_below(a, b, a.width().max(b.width()))
    }

    /// Less-than on the low bits.
    fn is_less_below(
        &mut self,
        a: &Number<G::Bit>,
        b: &Number<G::Bit>,
        n_bits: usize,
    ) -> Result<G::Bit, Why> {
        let mut less = self.constant(false);
        for idx in 0..n_bits {
            less = self.is_less_by(a.bit(idx), b.bit(idx), &less)?;
        }
        Ok(less)
    }

    /// Lexicographic step: the first bit is less, or they are equal and the lower bits are less.
    fn is_less_by(&mut self, a: &G::Bit, b: &G::Bit, below: &G::Bit) -> Result<G::Bit, Why> {
        if self.is_same(a, b) {
            return Ok(below.clone());
        }
        let not = self.not(a);
        self.majority(&not, b, below)
    }
}
