//! The variables of a model as bits.
//!
//! A variable with `n` values is a number from 0 to `n - 1` in binary. Each bit of a state has a
//! partner for the next state; frozen variables and inputs have none.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{Domain, Model, VarId, VarKind};

use crate::answer::Why;
use crate::blast::{Gates, Number};
use crate::code::{Slot, encode};

use super::manager::{Bdd, Manager, Var};

/// What the binary number of a variable stands for.
#[derive(Clone, Debug)]
enum Values {
    /// The number itself, plus this.
    From(i64),
    /// The number itself in two's complement.
    Signed,
    /// These, in ascending order.
    Listed(Vec<i64>),
}

/// How a variable is written.
#[derive(Clone, Debug)]
pub struct Shape {
    values: Values,
    /// The greatest binary number in use.
    greatest: u64,
    /// How many bits it has.
    pub n_bits: usize,
}

/// The bits of a variable, low bits first.
#[derive(Clone, Debug)]
pub struct Field {
    /// How it is written.
    pub shape: Shape,
    /// In the current state, or in the step.
    pub current: Vec<Var>,
    /// In the next state.
    pub next: Vec<Var>,
}

impl Shape {
    /// How the variables of a domain are written.
    ///
    /// # Errors
    /// When the domain is not finite.
    pub fn new(domain: &Domain) -> Result<Shape, Why> {
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
        Ok(Shape { values, greatest, n_bits })
    }

    /// The number that the code takes some bits for.
    pub fn number(&self, bits: u64) -> i64 {
        match &self.values {
            Values::From(first) => first.wrapping_add(bits as i64),
            Values::Signed => crate::code::wrap(bits as i64, true, self.n_bits as u8),
            Values::Listed(numbers) => numbers[(bits as usize).min(numbers.len() - 1)],
        }
    }

    /// The bits of a number of the code.
    pub fn bits(&self, number: i64) -> u64 {
        match &self.values {
            Values::From(first) => number.wrapping_sub(*first) as u64,
            Values::Signed => number as u64 & self.greatest,
            Values::Listed(numbers) => numbers.binary_search(&number).unwrap_or(0) as u64,
        }
    }
}

impl Field {
    /// The value of these literals, in the current state; bits that are missing are 0.
    pub fn read(&self, literals: &FxHashMap<Var, bool>) -> i64 {
        let bit = |(idx, var): (usize, &Var)| {
            u64::from(literals.get(var).copied().unwrap_or(false)) << idx
        };
        self.shape.number(self.current.iter().enumerate().map(bit).sum())
    }

    /// The literals of a number, in the current state.
    pub fn literals(&self, number: i64) -> impl Iterator<Item = (Var, bool)> + '_ {
        let bits = self.shape.bits(number);
        self.current.iter().enumerate().map(move |(idx, &var)| (var, bits >> idx & 1 == 1))
    }
}

/// The bits of all variables of a question.
pub struct Bits<'a, 'b> {
    /// Makes functions.
    pub manager: &'a Manager<'b>,
    /// The variables.
    pub fields: &'a FxHashMap<VarId, Field>,
    /// The model.
    pub model: &'a Model,
}

impl Bits<'_, '_> {
    /// The bits of a variable.
    fn vars(&self, slot: Slot) -> Result<(&Shape, Vec<Bdd>), Why> {
        let (Slot::Current(var) | Slot::Next(var)) = slot;
        let Some(field) = self.fields.get(&var) else {
            unreachable!("a variable that a question is about was left out")
        };
        // Frozen variables and inputs have no other value.
        let is_state = self.model.var(var).kind == VarKind::State;
        let vars = match slot {
            Slot::Next(_) if is_state => &field.next,
            _ => &field.current,
        };
        let mut bits = Vec::new();
        for &var in vars {
            bits.push(self.manager.literal(var)?);
        }
        Ok((&field.shape, bits))
    }

    /// Has a variable one of its values?
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn is_valid(&self, slot: Slot) -> Result<Bdd, Why> {
        let (shape, bits) = self.vars(slot)?;
        // Is it at most the greatest number? From the low bits on.
        let mut is_below = self.manager.constant(true);
        for (idx, bit) in bits.iter().enumerate() {
            is_below = match shape.greatest >> idx & 1 {
                1 => self.manager.or(&bit.negated(), &is_below)?,
                _ => self.manager.minus(&is_below, bit)?,
            };
        }
        Ok(is_below)
    }

    /// What the domains say of the variables that some functions depend on. Outside of them it
    /// means nothing what a function is.
    fn domains(&self, functions: &[Bdd]) -> Result<Vec<Bdd>, Why> {
        let support: FxHashSet<Var> =
            functions.iter().flat_map(|function| self.manager.support(function)).collect();
        let mut domains = Vec::new();
        let mut ids: Vec<VarId> = self.fields.keys().copied().collect();
        ids.sort_unstable();
        for var in ids {
            let Field { current, next, .. } = &self.fields[&var];
            let is_read = |bits: &[Var]| bits.iter().any(|bit| support.contains(bit));
            if is_read(current) {
                domains.push(self.is_valid(Slot::Current(var))?);
            }
            if is_read(next) {
                domains.push(self.is_valid(Slot::Next(var))?);
            }
        }
        domains.retain(|domain| !domain.is_true());
        Ok(domains)
    }

    /// A number plus a constant.
    fn plus(&self, bits: &[Bdd], constant: i64) -> Result<Vec<Bdd>, Why> {
        let manager = self.manager;
        let never = manager.constant(false);
        let mut carry = never.clone();
        let mut sum = Vec::new();
        // The sum has at most one bit more than either, and a sign.
        let n_bits = (bits.len() + 1).max(65 - unsigned_width(constant)) + 1;
        for idx in 0..n_bits.min(64) {
            let bit = bits.get(idx).unwrap_or(&never);
            let is_set = constant >> idx & 1 == 1;
            let half = manager.xor(bit, &carry)?;
            sum.push(if is_set { half.negated() } else { half });
            carry = if is_set { manager.or(bit, &carry)? } else { manager.and(bit, &carry)? };
        }
        Ok(sum)
    }

    /// What a table says for a number.
    fn listed(&self, bits: &[Bdd], numbers: &[i64]) -> Result<Vec<Bdd>, Why> {
        let mut columns = Vec::new();
        for column in 0..64 {
            let mut layer: Vec<Bdd> = (0..1usize << bits.len())
                .map(|idx| numbers[idx.min(numbers.len() - 1)] >> column & 1 == 1)
                .map(|bit| self.manager.constant(bit))
                .collect();
            for bit in bits {
                let mut merged = Vec::new();
                for pair in layer.chunks(2) {
                    merged.push(self.manager.mux(bit, &pair[1], &pair[0])?);
                }
                layer = merged;
            }
            columns.extend(layer);
        }
        Ok(columns)
    }
}

/// How many bits are the same as the sign, counted from it.
fn unsigned_width(number: i64) -> usize {
    (if number < 0 { number.leading_ones() } else { number.leading_zeros() }) as usize
}

impl Gates for Bits<'_, '_> {
    type Bit = Bdd;

    fn constant(&mut self, value: bool) -> Bdd {
        self.manager.constant(value)
    }

    fn as_const(&self, bit: &Bdd) -> Option<bool> {
        if bit.is_true() {
            Some(true)
        } else if bit.is_false() {
            Some(false)
        } else {
            None
        }
    }

    fn not(&mut self, a: &Bdd) -> Bdd {
        a.negated()
    }

    fn and(&mut self, a: &Bdd, b: &Bdd) -> Result<Bdd, Why> {
        self.manager.and(a, b)
    }

    fn all(&mut self, mut bits: Vec<Bdd>) -> Result<Bdd, Why> {
        bits.extend(self.domains(&bits)?);
        self.manager.all(bits)
    }

    fn xor(&mut self, a: &Bdd, b: &Bdd) -> Result<Bdd, Why> {
        self.manager.xor(a, b)
    }

    fn mux(&mut self, c: &Bdd, t: &Bdd, e: &Bdd) -> Result<Bdd, Why> {
        self.manager.mux(c, t, e)
    }

    fn slot(&mut self, slot: Slot) -> Result<Number<Bdd>, Why> {
        let (shape, mut bits) = self.vars(slot)?;
        let bits = match &shape.values {
            Values::Signed => bits,
            Values::From(0) => {
                bits.push(self.manager.constant(false));
                bits
            }
            Values::From(first) => self.plus(&bits, *first)?,
            Values::Listed(numbers) => self.listed(&bits, numbers)?,
        };
        Ok(Number { bits })
    }
}
