//! Evaluation of many expressions on many states at once.
//!
//! A [`Plan`] runs once a state and an instruction is a `match` on cells. Here a block of
//! [`LANES`] states (each with the one after it) goes through an instruction together: a truth
//! value is one bit a state in a pair of masks, one for true and one for false, a number is an
//! `i64` a state. A state in whose lane both masks are empty has no value there: evaluation has
//! failed. Conditions, of which most goals are made, cost a few operations a block.
//!
//! Sets are never built: `x in (c ? {1, y} : 3..5)` becomes `c ? (x = 1 | x = y) : (3 <= x <= 5)`.
//! What does not fit is left to the plan, so that both always agree: expressions about reals or
//! sets within sets in all states, and all expressions in states that leave open a variable that
//! one of them reads.

mod block;
mod compile;

use crate::eval::{Cell, Plan, Valuation};
use crate::expr::{ExprId, VarId};
use crate::model::Model;
use crate::op::{BinaryOp, UnaryOp};
use crate::value::{Value, Word};

pub use block::Block;

/// How many states are evaluated at once.
pub const LANES: usize = 64 * N_WORDS;

const N_WORDS: usize = 4;

/// One bit a state.
pub type Mask = [u64; N_WORDS];

/// A mask without any.
pub const NONE: Mask = [0; N_WORDS];

/// Symbols are encoded below all numbers, so that both fit in one column: this value and those
/// below are not numbers.
const LEAST: i64 = i64::MIN + (1 << 32);

/// Compiled expressions.
#[derive(Clone, Debug)]
pub struct Columns {
    /// All expressions, for states that leave something open.
    plan: Plan,
    reads: Vec<Read>,
    /// What never changes.
    consts: Vec<Code>,
    codes: Vec<Code>,
    n_truths: usize,
    n_numbers: usize,
    /// The truth column of each root.
    roots: Vec<Option<u32>>,
    /// The roots that have none, and their plan.
    odd: Vec<usize>,
    odd_plan: Plan,
}

/// A variable in a column.
#[derive(Clone, Copy, Debug)]
struct Read {
    var: VarId,
    is_next: bool,
    to: Column,
}

/// Where values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Column {
    /// A truth column.
    Truth(u32),
    /// A column of numbers, with the truth column of where it is defined.
    Number(Number),
}

/// A column of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Number {
    known: u32,
    at: u32,
    form: Form,
}

/// What the numbers of a column encode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Form {
    /// Integers and symbols.
    Plain,
    /// Words.
    Word { signed: bool, width: u8 },
}

/// One instruction; truth columns go by their index.
#[derive(Clone, Debug)]
enum Code {
    /// The same truth value everywhere.
    Truth(bool, u32),
    /// The same number everywhere.
    Constant(i64, Number),
    Not(u32, u32),
    And(u32, u32, u32),
    Or(u32, u32, u32),
    Implies(u32, u32, u32),
    /// Are both the same?
    Iff(u32, u32, u32),
    /// Is one of both true? No value if one has none.
    Either(u32, u32, u32),
    Choose(u32, u32, u32, u32),
    ChooseNumber(u32, Number, Number, Number),
    Compare(BinaryOp, Number, Number, u32),
    /// Is the number in one of these ranges?
    Within(Number, Box<[(i64, i64)]>, u32),
    /// How many are true?
    Count(Box<[u32]>, Number),
    /// From a truth value to 0 and 1.
    Bit(u32, Number),
    /// Is the number not 0?
    IsSome(Number, u32),
    Sum(BinaryOp, Number, Number, Number),
    Unary(UnaryOp, Number, Number),
    Binary(BinaryOp, Number, Number, Number),
    BitSelect(Number, u8, u8, Number),
    Resize(Number, u8, Number),
}

impl Columns {
    /// Compiles expressions that are true or false.
    pub fn new(model: &Model, roots: &[ExprId]) -> Columns {
        compile::compile(model, roots)
    }

    /// How many expressions there are.
    pub fn n_roots(&self) -> usize {
        self.roots.len()
    }

    /// A block to evaluate states in.
    pub fn block(&self) -> Block {
        Block::new(self)
    }

    /// Evaluates up to [`LANES`] states, each with the values of the next one; only the `wanted`
    /// lanes are evaluated. Then the block holds for each root the lanes in which it is true.
    pub fn run(&self, states: &[(&Valuation, &Valuation)], wanted: Mask, block: &mut Block) {
        let open = block.read(&self.reads, states);
        for code in &self.codes {
            block.run(code);
        }
        let open: Mask = std::array::from_fn(|at| open[at] | block.low()[at]);
        for (root_idx, root) in self.roots.iter().enumerate() {
            block.met[root_idx] = root.map_or(NONE, |at| block.yes[at as usize]);
        }
        if !self.odd.is_empty() {
            for lane in lanes(wanted) {
                let (current, next) = states[lane];
                self.odd_plan.run(current, next, &mut block.cells);
                for (at, &root_idx) in self.odd.iter().enumerate() {
                    set(
                        &mut block.met[root_idx],
                        lane,
                        is_true(self.odd_plan.root(at, &block.cells)),
                    );
                }
            }
        }
        for lane in lanes(both(open, wanted)) {
            let (current, next) = states[lane];
            self.plan.run(current, next, &mut block.cells);
            for root_idx in 0..self.roots.len() {
                set(
                    &mut block.met[root_idx],
                    lane,
                    is_true(self.plan.root(root_idx, &block.cells)),
                );
            }
        }
        block.met.iter_mut().for_each(|met| *met = both(*met, wanted));
    }
}

impl Form {
    /// The number of a value; `None` where it has another form, or can't be told from a symbol.
    fn encode(self, value: Value) -> Option<i64> {
        match (self, value) {
            (Form::Plain, Value::Int(i)) => (i >= LEAST).then_some(i),
            (Form::Plain, Value::Symbol(symbol)) => Some(i64::MIN + i64::from(symbol.0)),
            (Form::Word { signed, width }, Value::Word(word)) => {
                (word.signed == signed && word.width == width).then_some(word.bits as i64)
            }
            _ => None,
        }
    }

    /// The value that a number encodes, unless it is a symbol.
    fn decode(self, number: i64) -> Value {
        match self {
            Form::Plain => Value::Int(number),
            Form::Word { signed, width } => Value::Word(Word::new(signed, width, number as u64)),
        }
    }
}

/// The lanes of a mask, in order.
pub fn lanes(mask: Mask) -> impl Iterator<Item = usize> {
    mask.into_iter().enumerate().flat_map(|(word_idx, mut word)| {
        std::iter::from_fn(move || {
            let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
            word &= word - 1;
            Some(64 * word_idx + bit)
        })
    })
}

/// The lanes that are in both masks.
pub fn both(left: Mask, right: Mask) -> Mask {
    std::array::from_fn(|at| left[at] & right[at])
}

/// Puts a lane into a mask, or takes it out.
pub fn set(mask: &mut Mask, lane: usize, is_in: bool) {
    let bit = 1 << (lane % 64);
    match is_in {
        true => mask[lane / 64] |= bit,
        false => mask[lane / 64] &= !bit,
    }
}

fn is_true(cell: &Cell) -> bool {
    cell.as_bool() == Some(true)
}
