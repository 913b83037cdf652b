//! Bit encoding of model variables.
//!
//! A variable with `n` values is a number from 0 to `n - 1` in binary.

use trapline_model::Domain;

use crate::answer::Why;
use crate::blast::{Gates, Logic, Number};
use crate::code::encode;

/// What the binary number of a variable encodes.
#[derive(Clone, Debug)]
enum Values {
    /// An offset to this value.
    From(i64),
    /// The value in two's complement.
    Signed,
    /// An index into these values, in ascending order.
    Listed(Vec<i64>),
}

/// The encoding of a variable.
#[derive(Clone, Debug)]
pub struct Encoding {
    values: Values,
    /// The greatest code in use.
    greatest: u64,
    /// How many bits it has.
    pub n_bits: usize,
}

impl Encoding {
    /// The encoding of a domain.
    ///
    /// # Errors
    /// When the domain is not finite.
    pub fn new(domain: &Domain) -> Result<Encoding, Why> {
        let (values, greatest) = match domain {
            Domain::Bool => (Values::From(0), 1),
            Domain::Range(lo, hi) => (Values::From(*lo), hi.wrapping_sub(*lo) as u64),
            Domain::Word { signed, width } => {
                let values = if *signed { Values::Signed } else { Values::From(0) };
                (values, u64::MAX >> (64 - u32::from(*width).clamp(1, 64)))
            }
            Domain::Enum(values) => {
                let mut numbers = Vec::new();
                for &value in values.iter() {
                    numbers.push(encode(value)?);
                }
                numbers.sort_unstable();
                let greatest = numbers.len() as u64 - 1;
                let first = numbers.first().copied().unwrap_or(0);
                let is_dense =
                    numbers.last().is_none_or(|last| last.wrapping_sub(first) as u64 == greatest);
                (if is_dense { Values::From(first) } else { Values::Listed(numbers) }, greatest)
            }
            Domain::Integer | Domain::Real | Domain::Clock => {
                return Err(Why::Unsupported("variables without bounds".into()));
            }
        };
        let n_bits = (64 - greatest.leading_zeros()).max(1) as usize;
        Ok(Encoding { values, greatest, n_bits })
    }

    /// The value of a code.
    pub fn number(&self, bits: u64) -> i64 {
        match &self.values {
            Values::From(first) => first.wrapping_add(bits as i64),
            Values::Signed => crate::code::wrap(bits as i64, true, self.n_bits as u8),
            Values::Listed(numbers) => numbers[(bits as usize).min(numbers.len() - 1)],
        }
    }

    /// The code of a value.
    pub fn bits(&self, number: i64) -> u64 {
        match &self.values {
            Values::From(first) => number.wrapping_sub(*first) as u64,
            Values::Signed => number as u64 & self.greatest,
            Values::Listed(numbers) => numbers.binary_search(&number).unwrap_or(0) as u64,
        }
    }

    /// True where the bits are a valid code.
    ///
    /// # Errors
    /// When a gate can't be made.
    pub fn is_valid<G: Gates>(&self, gates: &mut G, bits: &[G::Bit]) -> Result<G::Bit, Why> {
        let mut logic = Logic { gates };
        // Comparison with the greatest code, from the least significant bit up.
        let mut is_below = logic.constant(true);
        for (idx, bit) in bits.iter().enumerate() {
            let is_clear = logic.not(bit);
            is_below = match self.greatest >> idx & 1 {
                1 => logic.or(&is_clear, &is_below)?,
                _ => logic.and(&is_below, &is_clear)?,
            };
        }
        Ok(is_below)
    }

    /// The value of symbolic bits.
    ///
    /// # Errors
    /// When a gate can't be made.
    pub fn decode<G: Gates>(
        &self,
        gates: &mut G,
        mut bits: Vec<G::Bit>,
    ) -> Result<Number<G::Bit>, Why> {
        let mut logic = Logic { gates };
        let bits = match &self.values {
            Values::Signed => bits,
            Values::From(first) => {
                bits.push(logic.constant(false));
                let first = logic.number(*first);
                return logic.add(&Number { bits }, &first, 64);
            }
            Values::Listed(numbers) => listed(&mut logic, &bits, numbers)?,
        };
        Ok(Number { bits })
    }

    /// The symbolic code of a value within the domain.
    ///
    /// # Errors
    /// When a gate can't be made.
    pub fn bits_of<G: Gates>(
        &self,
        gates: &mut G,
        number: &Number<G::Bit>,
    ) -> Result<Vec<G::Bit>, Why> {
        let mut logic = Logic { gates };
        let low =
            |number: &Number<G::Bit>| (0..self.n_bits).map(|idx| number.bit(idx).clone()).collect();
        match &self.values {
            Values::Signed => Ok(low(number)),
            Values::From(first) => {
                let first = logic.number(*first);
                Ok(low(&logic.sub(number, &first, self.n_bits)?))
            }
            Values::Listed(numbers) => {
                let mut bits = vec![logic.constant(false); self.n_bits];
                for (place, &value) in numbers.iter().enumerate() {
                    let value = logic.number(value);
                    let is_this = logic.is_equal(number, &value)?;
                    for (idx, bit) in bits.iter_mut().enumerate() {
                        if place >> idx & 1 == 1 {
                            *bit = logic.or(bit, &is_this)?;
                        }
                    }
                }
                Ok(bits)
            }
        }
    }
}

/// Table lookup by a symbolic number.
fn listed<G: Gates>(
    logic: &mut Logic<G>,
    bits: &[G::Bit],
    numbers: &[i64],
) -> Result<Vec<G::Bit>, Why> {
    let mut columns = Vec::new();
    for column in 0..64 {
        let mut layer: Vec<G::Bit> = (0..1usize << bits.len())
            .map(|idx| numbers[idx.min(numbers.len() - 1)] >> column & 1 == 1)
            .map(|bit| logic.constant(bit))
            .collect();
        for bit in bits {
            let mut merged = Vec::new();
            for pair in layer.chunks(2) {
                merged.push(logic.mux(bit, &pair[1], &pair[0])?);
            }
            layer = merged;
        }
        columns.extend(layer);
    }
    Ok(columns)
}
