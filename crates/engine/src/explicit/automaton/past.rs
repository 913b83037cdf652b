//! Past operators, evaluated from a bounded history.
//!
//! Given the truth of its operands, a past operator is a function of the current step and of one
//! bit of history; `S` and `T` are the primitives from which the others are built (Havelund and
//! Roşu, *Synthesizing monitors for safety properties*). Bounded operators differ: `H [lo, hi] p`
//! holds when `Y^lo p` has held for `hi - lo + 1` steps, so we keep `lo` bits and a counter instead
//! of `hi` bits, and automaton states that differ only in irrelevant history coincide. A future
//! formula below a past operator is guessed; the automaton ensures that the guess is correct.

use fixedbitset::FixedBitSet;
use trapline_model::BinaryOp;

use crate::Why;

/// Maximum number of delay bits.
const MAX_DELAY: u64 = 4096;

/// One value of the current step; operands precede it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instr {
    /// A constant.
    Const(bool),
    /// The truth of an atom.
    Atom(u32),
    /// The guessed truth of a future formula.
    Guess(u32),
    /// Negation.
    Not(u32),
    /// A connective.
    Connective(BinaryOp, u32, u32),
    /// `p S q`, with the index of its history word.
    Since(u32, u32, usize),
    /// `p T q`, with the index of its history word.
    Triggered(u32, u32, usize),
    /// The operand's value this many steps ago, with the index of its first history word.
    Delay(u32, u32, usize),
    /// True if the operand has held for this many steps up to now, with the index of its counter.
    Held(u32, u32, usize),
}

/// The values that depend on the past, in evaluation order.
#[derive(Clone, Debug, Default)]
pub struct Past {
    instrs: Vec<Instr>,
    /// The history before the first step.
    initial: Vec<u32>,
    n_delay_bits: u64,
}

impl Past {
    /// Adds a value.
    pub fn push(&mut self, instr: Instr) -> u32 {
        self.instrs.push(instr);
        self.instrs.len() as u32 - 1
    }

    /// Adds `p S q`.
    pub fn since(&mut self, p: u32, q: u32) -> u32 {
        let word = self.remember(0);
        self.push(Instr::Since(p, q, word))
    }

    /// Adds `p T q`.
    pub fn triggered(&mut self, p: u32, q: u32) -> u32 {
        let word = self.remember(1);
        self.push(Instr::Triggered(p, q, word))
    }

    /// Adds `Y^n p`.
    ///
    /// # Errors
    /// When this is too much to remember.
    pub fn delay(&mut self, p: u32, n_steps: u64) -> Result<u32, Why> {
        self.n_delay_bits = self.n_delay_bits.saturating_add(n_steps);
        if self.n_delay_bits > MAX_DELAY {
            let text = format!("past operators that look back more than {MAX_DELAY} steps");
            return Err(Why::Unsupported(text));
        }
        if n_steps == 0 {
            return Ok(p);
        }
        let word = self.initial.len();
        self.initial.resize(word + n_steps.div_ceil(32) as usize, 0);
        Ok(self.push(Instr::Delay(p, n_steps as u32, word)))
    }

    /// Adds: `p` has held for this many steps up to now; `before` is its assumed value before the
    /// first step.
    ///
    /// # Errors
    /// When this is too much to count.
    pub fn held(&mut self, p: u32, n_steps: u64, before: Before) -> Result<u32, Why> {
        let limit = u32::try_from(n_steps)
            .map_err(|_| Why::Unsupported("bounds of past operators beyond 2^32".into()))?;
        let word = self.remember(if before == Before::Held { limit } else { 0 });
        Ok(self.push(Instr::Held(p, limit, word)))
    }

    /// The history before the first step.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// The values of a step, and the successor history.
    pub fn step(
        &self,
        history: &[u32],
        atoms: &[usize],
        guesses: u32,
        values: &mut FixedBitSet,
        next: &mut Vec<u32>,
    ) {
        values.clear();
        values.grow(self.instrs.len());
        next.clear();
        next.extend_from_slice(history);
        for (idx, &instr) in self.instrs.iter().enumerate() {
            let of = |operand: u32| values.contains(operand as usize);
            let value = match instr {
                Instr::Const(value) => value,
                Instr::Atom(atom) => bit(atoms, atom),
                Instr::Guess(guess) => guesses >> guess & 1 == 1,
                Instr::Not(p) => !of(p),
                Instr::Connective(op, p, q) => connective(op, of(p), of(q)),
                Instr::Since(p, q, word) => {
                    store(&mut next[word], of(q) || (of(p) && history[word] == 1))
                }
                Instr::Triggered(p, q, word) => {
                    store(&mut next[word], of(q) && (of(p) || history[word] == 1))
                }
                Instr::Delay(p, n_steps, word) => shift(&mut next[word..], n_steps, of(p)),
                Instr::Held(p, limit, word) => {
                    next[word] = if of(p) { history[word].saturating_add(1).min(limit) } else { 0 };
                    next[word] == limit
                }
            };
            values.set(idx, value);
        }
    }

    fn remember(&mut self, initial: u32) -> usize {
        self.initial.push(initial);
        self.initial.len() - 1
    }
}

/// The assumed value before the first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// It held.
    Held,
    /// It did not.
    Failed,
}

/// Is the bit with this index set?
pub fn bit(blocks: &[usize], idx: u32) -> bool {
    let bits = usize::BITS;
    blocks[(idx / bits) as usize] >> (idx % bits) & 1 == 1
}

fn store(word: &mut u32, value: bool) -> bool {
    *word = u32::from(value);
    value
}

/// Shifts a bit into a register of this many bits and returns the bit shifted out.
fn shift(words: &mut [u32], n_bits: u32, value: bool) -> bool {
    let n_words = n_bits.div_ceil(32) as usize;
    let mut carry = u32::from(value);
    for word in &mut words[..n_words] {
        let out = *word >> 31;
        *word = *word << 1 | carry;
        carry = out;
    }
    match n_bits % 32 {
        0 => carry == 1,
        rest => {
            let top = &mut words[n_words - 1];
            let out = *top >> rest & 1 == 1;
            *top &= (1 << rest) - 1;
            out
        }
    }
}

fn connective(op: BinaryOp, p: bool, q: bool) -> bool {
    match op {
        BinaryOp::And => p && q,
        BinaryOp::Or => p || q,
        BinaryOp::Implies => !p || q,
        BinaryOp::Xor => p != q,
        BinaryOp::Xnor | BinaryOp::Iff => p == q,
        _ => unreachable!("only connectives of formulas are translated"),
    }
}
