//! A block of states during evaluation.

use super::{Code, Column, Columns, Form, LANES, LEAST, Mask, N_WORDS, NONE, Number, Read, lanes};
use crate::eval::{Cell, Valuation};
use crate::op::BinaryOp;
use crate::ops;
use crate::value::Value;

/// The columns of a block of states.
#[derive(Clone, Debug)]
pub struct Block {
    /// Where a truth value is true, or a number known.
    pub(super) yes: Vec<Mask>,
    /// Where it is false.
    pub(super) no: Vec<Mask>,
    numbers: Vec<[i64; LANES]>,
    /// Where each root is true.
    pub(super) met: Vec<Mask>,
    /// Where a number came up that can't be told from a symbol.
    low: Mask,
    pub(super) cells: Vec<Cell>,
}

impl Block {
    pub(super) fn new(columns: &Columns) -> Block {
        let mut block = Block {
            yes: vec![NONE; columns.n_truths],
            no: vec![NONE; columns.n_truths],
            numbers: vec![[0; LANES]; columns.n_numbers],
            met: vec![NONE; columns.roots.len()],
            low: NONE,
            cells: Vec::new(),
        };
        columns.consts.iter().for_each(|code| block.run(code));
        block
    }

    /// The lanes in which a root is true.
    pub fn met(&self, root_idx: usize) -> Mask {
        self.met[root_idx]
    }

    /// Where a result did not fit a column.
    pub(super) fn low(&self) -> Mask {
        self.low
    }

    /// Fills the columns of the variables; gives the lanes in which one has no value.
    pub(super) fn read(&mut self, reads: &[Read], states: &[(&Valuation, &Valuation)]) -> Mask {
        self.low = NONE;
        let mut open = NONE;
        for read in reads {
            let var = read.var.0 as usize;
            let value = |lane: usize| {
                let (current, next) = states[lane];
                let valuation = if read.is_next { next } else { current };
                valuation.get(var).copied().flatten()
            };
            let missing = match read.to {
                Column::Truth(to) => self.read_truth(to, states.len(), value),
                Column::Number(to) => self.read_number(to, states.len(), value),
            };
            open = zip(open, missing, |a, b| a | b);
        }
        open
    }

    fn read_truth(
        &mut self,
        to: u32,
        n_lanes: usize,
        value: impl Fn(usize) -> Option<Value>,
    ) -> Mask {
        let (mut yes, mut no, mut missing) = (NONE, NONE, NONE);
        for lane in 0..n_lanes {
            let (word, bit) = (lane / 64, 1 << (lane % 64));
            match value(lane) {
                Some(Value::Bool(true)) => yes[word] |= bit,
                Some(Value::Bool(false)) => no[word] |= bit,
                _ => missing[word] |= bit,
            }
        }
        self.put(to, yes, no);
        missing
    }

    fn read_number(
        &mut self,
        to: Number,
        n_lanes: usize,
        value: impl Fn(usize) -> Option<Value>,
    ) -> Mask {
        let numbers = &mut self.numbers[to.at as usize];
        let (mut known, mut missing) = (NONE, NONE);
        for (lane, number) in numbers.iter_mut().enumerate().take(n_lanes) {
            let (word, bit) = (lane / 64, 1 << (lane % 64));
            match value(lane).and_then(|value| to.form.encode(value)) {
                Some(encoded) => {
                    *number = encoded;
                    known[word] |= bit;
                }
                None => missing[word] |= bit,
            }
        }
        self.put(to.known, known, NONE);
        missing
    }

    fn put(&mut self, to: u32, yes: Mask, no: Mask) {
        self.yes[to as usize] = yes;
        self.no[to as usize] = no;
    }

    /// Runs one instruction.
    pub(super) fn run(&mut self, code: &Code) {
        let yes = |at: &u32| self.yes[*at as usize];
        let no = |at: &u32| self.no[*at as usize];
        let and = |a, b| zip(a, b, |a, b| a & b);
        let or = |a, b| zip(a, b, |a, b| a | b);
        match code {
            Code::Truth(value, to) => {
                let all = [u64::MAX; N_WORDS];
                let (yes, no) = if *value { (all, NONE) } else { (NONE, all) };
                self.put(*to, yes, no);
            }
            Code::Constant(number, to) => {
                self.numbers[to.at as usize] = [*number; LANES];
                self.put(to.known, [u64::MAX; N_WORDS], NONE);
            }
            Code::Not(a, to) => self.put(*to, no(a), yes(a)),
            Code::And(a, b, to) => self.put(*to, and(yes(a), yes(b)), or(no(a), no(b))),
            Code::Or(a, b, to) => self.put(*to, or(yes(a), yes(b)), and(no(a), no(b))),
            Code::Implies(a, b, to) => self.put(*to, or(no(a), yes(b)), and(yes(a), no(b))),
            Code::Iff(a, b, to) => {
                let same = or(and(yes(a), yes(b)), and(no(a), no(b)));
                let other = or(and(yes(a), no(b)), and(no(a), yes(b)));
                self.put(*to, same, other);
            }
            Code::Either(a, b, to) => {
                let known = and(or(yes(a), no(a)), or(yes(b), no(b)));
                self.put(*to, and(known, or(yes(a), yes(b))), and(no(a), no(b)));
            }
            Code::Choose(c, t, e, to) => {
                let chosen = |t: Mask, e: Mask| or(and(yes(c), t), and(no(c), e));
                self.put(*to, chosen(yes(t), yes(e)), chosen(no(t), no(e)));
            }
            Code::ChooseNumber(c, t, e, to) => self.choose_number(*c, *t, *e, *to),
            Code::Compare(op, a, b, to) => self.compare(*op, *a, *b, *to),
            Code::Within(a, ranges, to) => {
                let is_in = |i: i64| ranges.iter().any(|&(lo, hi)| lo <= i && i <= hi);
                self.test(*a, is_in, *to);
            }
            Code::IsSome(a, to) => self.test(*a, |i| i != 0, *to),
            Code::Count(of, to) => self.count(of, *to),
            Code::Bit(a, to) => self.count(std::slice::from_ref(a), *to),
            Code::Sum(op, a, b, to) => self.sum(*op, *a, *b, *to),
            Code::Unary(op, a, to) => {
                self.map(*a, *a, *to, |value, _| ops::unary(*op, value).ok());
            }
            Code::Binary(op, a, b, to) => {
                self.map(*a, *b, *to, |left, right| ops::binary(*op, left, right).ok());
            }
            Code::BitSelect(a, high, low, to) => self.map(*a, *a, *to, |value, _| match value {
                Value::Word(word) => Some(Value::Word(ops::bit_select(word, *high, *low))),
                _ => None,
            }),
            Code::Resize(a, width, to) => self.map(*a, *a, *to, |value, _| match value {
                Value::Word(word) => Some(Value::Word(ops::resize(word, *width))),
                _ => None,
            }),
        }
    }

    fn choose_number(&mut self, c: u32, t: Number, e: Number, to: Number) {
        let (yes, no) = (self.yes[c as usize], self.no[c as usize]);
        let (of_then, of_else) = (self.yes[t.known as usize], self.yes[e.known as usize]);
        let known = std::array::from_fn(|at| (yes[at] & of_then[at]) | (no[at] & of_else[at]));
        self.put(to.known, known, NONE);
        let (before, chosen) = self.numbers.split_at_mut(to.at as usize);
        let (of_then, of_else) = (&before[t.at as usize], &before[e.at as usize]);
        for (lane, chosen) in chosen[0].iter_mut().enumerate() {
            let is_then = yes[lane / 64] >> (lane % 64) & 1 == 1;
            *chosen = if is_then { of_then[lane] } else { of_else[lane] };
        }
    }

    /// Compares two columns; those of signed words are read as such.
    fn compare(&mut self, op: BinaryOp, a: Number, b: Number, to: u32) {
        let (left, right) = (&self.numbers[a.at as usize], &self.numbers[b.at as usize]);
        // With this bit turned over, unsigned words have the order of integers; signed ones,
        // shifted up so that their sign is the sign.
        let (shift, flip) = match a.form {
            Form::Plain => (0, 0),
            Form::Word { signed: false, .. } => (0, i64::MIN),
            Form::Word { signed: true, width } => (64 - u32::from(width), 0),
        };
        let order = |number: i64| (number << shift) ^ flip;
        let holds = match op {
            BinaryOp::Eq | BinaryOp::Ne => mask(|lane| left[lane] == right[lane]),
            BinaryOp::Lt | BinaryOp::Ge => mask(|lane| order(left[lane]) < order(right[lane])),
            _ => mask(|lane| order(left[lane]) <= order(right[lane])),
        };
        let known = zip(self.yes[a.known as usize], self.yes[b.known as usize], |a, b| a & b);
        let (yes, no) = (zip(known, holds, |k, h| k & h), zip(known, holds, |k, h| k & !h));
        match op {
            BinaryOp::Ne | BinaryOp::Ge | BinaryOp::Gt => self.put(to, no, yes),
            _ => self.put(to, yes, no),
        }
    }

    fn test(&mut self, a: Number, is_in: impl Fn(i64) -> bool, to: u32) {
        let numbers = &self.numbers[a.at as usize];
        let holds = mask(|lane| is_in(numbers[lane]));
        let known = self.yes[a.known as usize];
        self.put(to, zip(known, holds, |k, h| k & h), zip(known, holds, |k, h| k & !h));
    }

    fn count(&mut self, of: &[u32], to: Number) {
        let mut known = [u64::MAX; N_WORDS];
        let counted = &mut self.numbers[to.at as usize];
        counted.fill(0);
        for &at in of {
            let (yes, no) = (self.yes[at as usize], self.no[at as usize]);
            known = std::array::from_fn(|word| known[word] & (yes[word] | no[word]));
            lanes(yes).for_each(|lane| counted[lane] += 1);
        }
        self.put(to.known, known, NONE);
    }

    /// Adds or subtracts integers.
    fn sum(&mut self, op: BinaryOp, a: Number, b: Number, to: Number) {
        let both = zip(self.yes[a.known as usize], self.yes[b.known as usize], |a, b| a & b);
        let (before, results) = self.numbers.split_at_mut(to.at as usize);
        let (left, right, results) =
            (&before[a.at as usize], &before[b.at as usize], &mut results[0]);
        let mut fits = [true; LANES];
        for lane in 0..LANES {
            let (sum, is_over) = match op {
                BinaryOp::Add => left[lane].overflowing_add(right[lane]),
                _ => left[lane].overflowing_sub(right[lane]),
            };
            results[lane] = sum;
            fits[lane] = !is_over;
        }
        let low = mask(|lane| fits[lane] && results[lane] < LEAST);
        let known = zip(both, mask(|lane| fits[lane]), |b, f| b & f);
        self.low = std::array::from_fn(|at| self.low[at] | (known[at] & low[at]));
        self.put(to.known, known, NONE);
    }

    /// Applies an operator without a vectorised form, value by value.
    fn map(
        &mut self,
        a: Number,
        b: Number,
        to: Number,
        op: impl Fn(Value, Value) -> Option<Value>,
    ) {
        let both = zip(self.yes[a.known as usize], self.yes[b.known as usize], |a, b| a & b);
        let (before, results) = self.numbers.split_at_mut(to.at as usize);
        let (left, right) = (&before[a.at as usize], &before[b.at as usize]);
        let mut known = NONE;
        for lane in lanes(both) {
            let value = op(a.form.decode(left[lane]), b.form.decode(right[lane]));
            let bit = 1 << (lane % 64);
            match value.map(|value| to.form.encode(value)) {
                None => {}
                Some(None) => self.low[lane / 64] |= bit,
                Some(Some(number)) => {
                    results[0][lane] = number;
                    known[lane / 64] |= bit;
                }
            }
        }
        self.put(to.known, known, NONE);
    }
}

#[inline]
fn zip(left: Mask, right: Mask, op: impl Fn(u64, u64) -> u64) -> Mask {
    std::array::from_fn(|at| op(left[at], right[at]))
}

/// The lanes for which this is so.
#[inline]
fn mask(is_in: impl Fn(usize) -> bool) -> Mask {
    std::array::from_fn(|word| {
        (0..64).fold(0, |bits, bit| bits | u64::from(is_in(64 * word + bit)) << bit)
    })
}
