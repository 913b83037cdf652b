//! Bit-blasting.
//!
//! Every node of the code becomes a bit vector over an engine's algebra: decision diagrams, or
//! gates of a circuit. A number has no more bits than its interval needs, and bits that the
//! interval fixes are constants, which cost nothing: symbols are large numbers, but few of their
//! bits vary.
//!
//! The circuits are textbook: ripple-carry adders, shift-and-add multipliers, restoring dividers.

mod arithmetic;
mod divide;
mod logic;
mod shift;
#[cfg(test)]
mod tests;

use crate::answer::Why;
use crate::code::{Calc, Coder, Op, Reg, Slot, operands};

pub(crate) use logic::Logic;

/// An algebra of bits. It need not simplify constants: it is never asked to combine them, nor a bit
/// with itself.
pub trait Gates: Sized {
    /// A Boolean function of the state. Equal bits are equal functions, but not conversely.
    type Bit: Clone + PartialEq;

    /// A constant bit.
    fn constant(&mut self, value: bool) -> Self::Bit;

    /// The value of a bit that is known to be constant.
    fn as_const(&self, bit: &Self::Bit) -> Option<bool>;

    /// Negation.
    fn not(&mut self, a: &Self::Bit) -> Self::Bit;

    /// Conjunction.
    ///
    /// # Errors
    /// When a budget ran out.
    fn and(&mut self, a: &Self::Bit, b: &Self::Bit) -> Result<Self::Bit, Why>;

    /// Disjunction.
    ///
    /// # Errors
    /// When a budget ran out.
    fn or(&mut self, a: &Self::Bit, b: &Self::Bit) -> Result<Self::Bit, Why> {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(&a, &b)?;
        Ok(self.not(&neither))
    }

    /// Conjunction of many, in whatever order is best.
    ///
    /// # Errors
    /// When a budget ran out.
    fn all(&mut self, bits: Vec<Self::Bit>) -> Result<Self::Bit, Why> {
        let first = self.constant(true);
        bits.iter().try_fold(first, |all, bit| Logic { gates: self }.and(&all, bit))
    }

    /// Exclusive or.
    ///
    /// # Errors
    /// When a budget ran out.
    fn xor(&mut self, a: &Self::Bit, b: &Self::Bit) -> Result<Self::Bit, Why>;

    /// If-then-else.
    ///
    /// # Errors
    /// When a budget ran out.
    fn mux(&mut self, c: &Self::Bit, t: &Self::Bit, e: &Self::Bit) -> Result<Self::Bit, Why>;

    /// The bits of a variable. Bits that the bounds of its domain fix are not read, so they are
    /// don't-cares outside the domain.
    ///
    /// # Errors
    /// When it can't be made of bits, or a budget ran out.
    fn slot(&mut self, slot: Slot) -> Result<Number<Self::Bit>, Why>;
}

/// A number in two's complement.
#[derive(Clone, Debug, PartialEq)]
pub struct Number<B> {
    /// Least significant bit first, at least one. The last is the sign bit, extended indefinitely.
    pub bits: Vec<B>,
}

impl<B> Number<B> {
    /// One of its bits.
    pub fn bit(&self, idx: usize) -> &B {
        self.bits.get(idx).unwrap_or_else(|| self.sign())
    }

    /// The sign bit.
    pub fn sign(&self) -> &B {
        match self.bits.last() {
            Some(sign) => sign,
            None => unreachable!("a number has at least one bit"),
        }
    }

    /// Number of bits.
    fn width(&self) -> usize {
        self.bits.len()
    }
}

/// Memoised bit vectors of the nodes of one coder.
#[derive(Clone, Debug)]
pub struct Blaster<B> {
    done: Vec<Option<Number<B>>>,
}

impl<B> Default for Blaster<B> {
    fn default() -> Self {
        Blaster { done: Vec::new() }
    }
}

impl<B: Clone + PartialEq> Blaster<B> {
    /// None yet.
    pub fn new() -> Blaster<B> {
        Blaster::default()
    }

    /// Drops all bit vectors, so that their bits can be freed.
    pub fn forget(&mut self) {
        self.done = Vec::new();
    }

    /// The bits of a node. All calls need the same coder and the same gates, until the memo is
    /// dropped; in between, the coder may grow.
    ///
    /// # Errors
    /// When a gate can't be made.
    pub fn number<G: Gates<Bit = B>>(
        &mut self,
        gates: &mut G,
        coder: &Coder,
        reg: Reg,
    ) -> Result<&Number<B>, Why> {
        let n_nodes = coder.ops().len().max(self.done.len());
        self.done.resize_with(n_nodes, || None);
        let mut logic = Logic { gates };
        let mut stack = vec![reg];
        while let Some(&top) = stack.last() {
            let height = stack.len();
            if self.done[top as usize].is_none() {
                let parts = parts(coder, top);
                stack.extend(parts.iter().filter(|part| self.done[**part as usize].is_none()));
                if stack.len() == height {
                    self.done[top as usize] = Some(self.make(&mut logic, coder, top, &parts)?);
                    self.release(coder, &parts);
                }
            }
            if stack.len() == height {
                stack.pop();
            }
        }
        Ok(self.get(reg))
    }

    /// The bit of a node that is a truth value.
    ///
    /// # Errors
    /// When a gate can't be made.
    pub fn truth<G: Gates<Bit = B>>(
        &mut self,
        gates: &mut G,
        coder: &Coder,
        reg: Reg,
    ) -> Result<B, Why> {
        Ok(self.number(gates, coder, reg)?.bit(0).clone())
    }

    /// Drops operands that have no other users. They are recomputed on demand.
    fn release(&mut self, coder: &Coder, parts: &[Reg]) {
        for &part in parts {
            if coder.users(part).len() == 1 && !matches!(coder.op(part), Op::Slot(_)) {
                self.done[part as usize] = None;
            }
        }
    }

    fn get(&self, reg: Reg) -> &Number<B> {
        match &self.done[reg as usize] {
            Some(number) => number,
            None => unreachable!("operands are made first"),
        }
    }

    /// A node whose operands are available.
    fn make<G: Gates<Bit = B>>(
        &self,
        logic: &mut Logic<G>,
        coder: &Coder,
        reg: Reg,
        parts: &[Reg],
    ) -> Result<Number<B>, Why> {
        let (lo, hi) = coder.bounds(reg);
        if lo == hi {
            return Ok(logic.number(lo));
        }
        if parts.len() >= MANY {
            let bits = parts.iter().map(|&part| self.get(part).bit(0).clone()).collect();
            let truth = logic.gates.all(bits)?;
            return Ok(logic.unsigned_number(vec![truth]));
        }
        let n_free = logic::n_free(lo, hi);
        let number = match (low_part(coder, reg), coder.op(reg)) {
            // The width of the word gives the result its sign.
            (Some(part), _) => self.calculate(logic, coder, part, n_free)?,
            (_, Op::Const(value)) => return Ok(logic.number(value)),
            (_, Op::Slot(slot)) => logic.gates.slot(slot)?,
            (_, Op::Binary(calc, a, b)) => {
                self.calculate(logic, coder, Binary { calc, a, b }, n_free)?
            }
            (_, Op::Select(c, t, e)) => {
                logic.select(self.get(c).bit(0), self.get(t), self.get(e), n_free)?
            }
            (_, Op::Wrap(a, ..)) => self.get(a).clone(),
        };
        Ok(logic.fit(number, (lo, hi)))
    }

    /// At least the low bits of an operation's result.
    fn calculate<G: Gates<Bit = B>>(
        &self,
        logic: &mut Logic<G>,
        coder: &Coder,
        Binary { calc, a: a_reg, b: b_reg }: Binary,
        n_low: usize,
    ) -> Result<Number<B>, Why> {
        let (a, b) = (self.get(a_reg), self.get(b_reg));
        let truth = match calc {
            Calc::And => return logic.bitwise(a, b, n_low, Logic::and),
            Calc::Or => return logic.bitwise(a, b, n_low, Logic::or),
            Calc::Xor => return logic.bitwise(a, b, n_low, Logic::xor),
            Calc::Add => return logic.add(a, b, n_low),
            Calc::Sub => return logic.sub(a, b, n_low),
            Calc::Mul => return logic.mul(a, b, n_low),
            Calc::Div | Calc::Rem => {
                let non_zero = logic.is_non_zero(b, coder.bounds(b_reg).0)?;
                return match calc {
                    Calc::Div => logic.quotient(a, b, &non_zero),
                    _ => logic.remainder(a, b, &non_zero),
                };
            }
            Calc::UnsignedDiv | Calc::UnsignedRem => {
                let non_zero = logic.is_non_zero(b, coder.bounds(b_reg).0)?;
                let (a, b) = (logic.unsigned(a), logic.unsigned(b));
                return match calc {
                    Calc::UnsignedDiv => logic.quotient(&a, &b, &non_zero),
                    _ => logic.remainder(&a, &b, &non_zero),
                };
            }
            Calc::Shl => return logic.shift_left(a, b, n_low),
            Calc::Shr => return logic.shift_right(a, b),
            Calc::UnsignedShr => {
                let a = logic.unsigned(a);
                return logic.shift_right(&a, b);
            }
            Calc::Eq => logic.is_equal(a, b)?,
            Calc::Lt => logic.is_less(a, b)?,
            Calc::UnsignedLt => logic.is_less_unsigned(a, b)?,
            Calc::AddOverflows => logic.add_overflows(a, b)?,
            Calc::SubOverflows => logic.sub_overflows(a, b)?,
            Calc::MulOverflows => logic.mul_overflows(a, b)?,
        };
        Ok(logic.unsigned_number(vec![truth]))
    }
}

/// A binary operation.
#[derive(Clone, Copy)]
struct Binary {
    calc: Calc,
    a: Reg,
    b: Reg,
}

impl From<Binary> for Op {
    fn from(Binary { calc, a, b }: Binary) -> Op {
        Op::Binary(calc, a, b)
    }
}

/// Conjunctions of at least this many are passed on as a whole; other operations have fewer
/// operands.
const MANY: usize = 8;

/// The operands of a node, or all members of a large conjunction, flattened where they have no
/// other users.
fn parts(coder: &Coder, reg: Reg) -> Vec<Reg> {
    let is_and = |reg: Reg| {
        matches!(coder.op(reg), Op::Binary(Calc::And, ..))
            && matches!(coder.bounds(reg), (0 | 1, 0 | 1))
    };
    if is_and(reg) {
        let (mut members, mut stack) = (Vec::new(), vec![reg]);
        while let Some(part) = stack.pop() {
            if part == reg || (is_and(part) && coder.users(part).len() == 1) {
                stack.extend(operands(coder.op(part)));
            } else {
                members.push(part);
            }
        }
        if members.len() >= MANY {
            return members;
        }
    }
    operands(low_part(coder, reg).map_or(coder.op(reg), Op::from)).collect()
}

/// The product or shift that a word truncates. Its high bits would be expensive, and nothing else
/// uses them.
fn low_part(coder: &Coder, reg: Reg) -> Option<Binary> {
    let Op::Wrap(inner, ..) = coder.op(reg) else { return None };
    match coder.op(inner) {
        Op::Binary(calc @ (Calc::Mul | Calc::Shl), a, b) if coder.users(inner).len() == 1 => {
            Some(Binary { calc, a, b })
        }
        _ => None,
    }
}
