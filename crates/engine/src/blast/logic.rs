//! Constant folding in front of an algebra, and bit vectors.

use crate::answer::Why;

use super::{Gates, Number};

/// Gates used only where constants do not decide.
pub struct Logic<'g, G> {
    pub gates: &'g mut G,
}

/// Number of low bits that vary within an interval. The bits above are those of the bounds, or
/// repeat the sign.
pub fn n_free(lo: i64, hi: i64) -> usize {
    let n_varying = 64 - (lo ^ hi).leading_zeros() as usize;
    n_varying.min(n_needed(lo).max(n_needed(hi)))
}

/// Number of bits of a number, including its sign.
fn n_needed(number: i64) -> usize {
    65 - number.leading_zeros().max(number.leading_ones()) as usize
}

impl<G: Gates> Logic<'_, G> {
    pub fn constant(&mut self, value: bool) -> G::Bit {
        self.gates.constant(value)
    }

    pub fn as_const(&self, bit: &G::Bit) -> Option<bool> {
        self.gates.as_const(bit)
    }

    pub fn is_false(&self, bit: &G::Bit) -> bool {
        self.as_const(bit) == Some(false)
    }

    /// True if they are known to be equal.
    pub fn is_same(&self, a: &G::Bit, b: &G::Bit) -> bool {
        match (self.as_const(a), self.as_const(b)) {
            (Some(a), Some(b)) => a == b,
            _ => a == b,
        }
    }

    pub fn not(&mut self, a: &G::Bit) -> G::Bit {
        match self.as_const(a) {
            Some(value) => self.constant(!value),
            None => self.gates.not(a),
        }
    }

    pub fn and(&mut self, a: &G::Bit, b: &G::Bit) -> Result<G::Bit, Why> {
        match (self.as_const(a), self.as_const(b)) {
            (Some(false), _) | (_, Some(true)) => Ok(a.clone()),
            (_, Some(false)) | (Some(true), _) => Ok(b.clone()),
            _ if a == b => Ok(a.clone()),
            _ => self.gates.and(a, b),
        }
    }

    pub fn or(&mut self, a: &G::Bit, b: &G::Bit) -> Result<G::Bit, Why> {
        match (self.as_const(a), self.as_const(b)) {
            (Some(true), _) | (_, Some(false)) => Ok(a.clone()),
            (_, Some(true)) | (Some(false), _) => Ok(b.clone()),
            _ if a == b => Ok(a.clone()),
            _ => self.gates.or(a, b),
        }
    }

    pub fn xor(&mut self, a: &G::Bit, b: &G::Bit) -> Result<G::Bit, Why> {
        match (self.as_const(a), self.as_const(b)) {
            (Some(false), _) => Ok(b.clone()),
            (_, Some(false)) => Ok(a.clone()),
            (Some(true), _) => Ok(self.not(b)),
            (_, Some(true)) => Ok(self.not(a)),
            _ if a == b => Ok(self.constant(false)),
            _ => self.gates.xor(a, b),
        }
    }

    pub fn mux(&mut self, c: &G::Bit, t: &G::Bit, e: &G::Bit) -> Result<G::Bit, Why> {
        match self.as_const(c) {
            Some(true) => return Ok(t.clone()),
            Some(false) => return Ok(e.clone()),
            None if self.is_same(t, e) => return Ok(t.clone()),
            None => {}
        }
        match (self.as_const(t), self.as_const(e)) {
            (Some(true), _) => self.or(c, e),
            (_, Some(false)) => self.and(c, t),
            (Some(false), _) => {
                let not = self.not(c);
                self.and(&not, e)
            }
            (_, Some(true)) => {
                let not = self.not(c);
                self.or(&not, t)
            }
            _ if c == t => self.or(c, e),
            _ if c == e => self.and(c, t),
            _ => self.gates.mux(c, t, e),
        }
    }

    /// Majority of three.
    pub fn majority(&mut self, a: &G::Bit, b: &G::Bit, c: &G::Bit) -> Result<G::Bit, Why> {
        for (x, y, z) in [(a, b, c), (b, c, a), (c, a, b)] {
            match self.as_const(x) {
                Some(true) => return self.or(y, z),
                Some(false) => return self.and(y, z),
                None if x == y => return Ok(x.clone()),
                None => {}
            }
        }
        let differ = self.gates.xor(a, b)?;
        self.mux(&differ, c, a)
    }

    /// Disjunction of many.
    pub fn any(&mut self, bits: &[G::Bit]) -> Result<G::Bit, Why> {
        let mut any = self.constant(false);
        for bit in bits {
            any = self.or(&any, bit)?;
        }
        Ok(any)
    }

    /// A constant number.
    pub fn number(&mut self, value: i64) -> Number<G::Bit> {
        let bits = 0..n_needed(value);
        Number { bits: bits.map(|idx| self.constant(value >> idx & 1 == 1)).collect() }
    }

    /// A number that is not negative.
    pub fn unsigned_number(&mut self, mut bits: Vec<G::Bit>) -> Number<G::Bit> {
        bits.push(self.constant(false));
        self.trim(bits)
    }

    /// Drops redundant sign bits.
    pub fn trim(&self, mut bits: Vec<G::Bit>) -> Number<G::Bit> {
        while let [.., last, sign] = bits.as_slice()
            && self.is_same(last, sign)
        {
            bits.pop();
        }
        Number { bits }
    }

    /// Restricts a number to an interval: only the bits that vary in it are kept.
    pub fn fit(&mut self, number: Number<G::Bit>, (lo, hi): (i64, i64)) -> Number<G::Bit> {
        let n_bits = n_needed(lo).max(n_needed(hi));
        let n_free = n_free(lo, hi);
        let bits = 0..n_bits;
        let bits = bits.map(|idx| match idx < n_free {
            true => number.bit(idx).clone(),
            false => self.constant(lo >> idx & 1 == 1),
        });
        let bits = bits.collect();
        self.trim(bits)
    }

    /// Reinterprets 64 bits as unsigned.
    pub fn unsigned(&mut self, a: &Number<G::Bit>) -> Number<G::Bit> {
        if self.is_false(a.sign()) {
            return a.clone();
        }
        let bits = (0..64).map(|idx| a.bit(idx).clone()).collect();
        self.unsigned_number(bits)
    }

    /// If-then-else on the low bits.
    pub fn select(
        &mut self,
        c: &G::Bit,
        t: &Number<G::Bit>,
        e: &Number<G::Bit>,
        n_low: usize,
    ) -> Result<Number<G::Bit>, Why> {
        self.bitwise(t, e, n_low, |logic, t, e| logic.mux(c, t, e))
    }

    /// A bitwise operation on the low bits.
    pub fn bitwise(
        &mut self,
        a: &Number<G::Bit>,
        b: &Number<G::Bit>,
        n_low: usize,
        gate: impl Fn(&mut Self, &G::Bit, &G::Bit) -> Result<G::Bit, Why>,
    ) -> Result<Number<G::Bit>, Why> {
        let n_bits = a.width().max(b.width()).min(n_low);
        let bits = (0..n_bits).map(|idx| gate(self, a.bit(idx), b.bit(idx)));
        let bits = bits.collect::<Result<_, _>>()?;
        Ok(self.trim(bits))
    }
}
