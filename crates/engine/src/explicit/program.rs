//! Batch programs that enumerate the successors of many states at once.
//!
//! A program is a list of stages. A state is a lane: each node of the code is a column with one
//! number per lane. Stages compute columns, drop lanes, or choose a value for an unknown variable;
//! what follows a choice is run once for each of its options. Dropped lanes are compacted, so that
//! later stages touch only live ones. There is no recursion: choices with options left are kept on
//! a stack.

use rustc_hash::FxHashSet;

use crate::answer::Why;
use trapline_budget::Budget;

use crate::code::{Calc, Op, Reg, operands, wrap};

/// Memory limit for the columns of one set of lanes, so that they stay in the cache.
const NEAR_BYTES: usize = 1 << 18;
/// Memory limit for all of them.
const ALL_BYTES: usize = 1 << 26;
/// More lanes give no further speed-up.
const MAX_LANES: usize = 256;

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// All nodes.
    pub ops: Vec<Op>,
    /// The stages, in order.
    pub stages: Vec<Stage>,
    /// Number of lane-dropping stages on the longest path.
    pub n_cuts: usize,
}

/// One stage.
#[derive(Clone, Debug)]
pub enum Stage {
    /// Compute these nodes, operands first.
    Compute(Vec<Reg>),
    /// Give a slot the value of a node.
    Copy {
        /// The slot.
        slot: Reg,
        /// The node.
        value: Reg,
    },
    /// Keep the lanes in which the node is 1.
    Filter {
        /// The node.
        cond: Reg,
        /// Columns that are used later.
        live: Vec<Reg>,
    },
    /// Try each option of a slot in turn.
    Choose {
        /// The slot.
        slot: Reg,
        /// Its options.
        options: Options,
        /// Columns that are used later.
        live: Vec<Reg>,
    },
    /// Continue at each of these stages in turn.
    Fork {
        /// The stages.
        starts: Vec<usize>,
    },
    /// The lanes are solutions.
    End {
        /// A node that is true where an expression is undefined.
        fails: Option<Reg>,
    },
}

/// The options of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Options {
    /// The value of the second node, where the first is 1.
    Listed(Vec<(Reg, Reg)>),
    /// Each of these.
    Values(Vec<i64>),
    /// Each from the first to the last.
    Range(i64, i64),
}

/// Columns of some lanes.
struct Frame {
    columns: Vec<i64>,
    n_lanes: usize,
}

/// Computed numbers per unit of work, which is about one hash lookup of a state.
const UNIT: u64 = 32;
/// Fixed cost of computing a column, in numbers.
const COLUMN: usize = 8;

/// The columns that a program runs on.
pub struct Machine {
    /// Lanes from one column to the next.
    stride: usize,
    n_columns: usize,
    frames: Vec<Frame>,
    constants: Vec<(usize, i64)>,
    selected: Vec<u32>,
    /// Numbers computed since work was last counted.
    n_computed: u64,
}

/// The lanes that reached the end of a program.
#[derive(Clone, Copy)]
pub struct Lanes<'a> {
    frame: &'a Frame,
    stride: usize,
    origins: usize,
    fails: Option<Reg>,
}

/// A choice with options left.
struct Point {
    stage: usize,
    option: u64,
    frame: usize,
}

impl Program {
    /// The nodes that are read but not computed here, including constants and slots.
    pub fn reads(&self) -> FxHashSet<Reg> {
        let mut read = FxHashSet::default();
        for stage in &self.stages {
            match stage {
                Stage::Compute(regs) => {
                    read.extend(regs.iter().flat_map(|&reg| operands(self.ops[reg as usize])));
                }
                Stage::Copy { value, .. } => drop(read.insert(*value)),
                Stage::Filter { cond, .. } => drop(read.insert(*cond)),
                Stage::Choose { options: Options::Listed(listed), .. } => {
                    read.extend(listed.iter().flat_map(|&(guard, value)| [guard, value]));
                }
                Stage::End { fails } => read.extend(*fails),
                Stage::Choose { .. } | Stage::Fork { .. } => {}
            }
        }
        read
    }
}

impl Options {
    /// How many there are.
    pub fn n_options(&self) -> u64 {
        match self {
            Options::Listed(options) => options.len() as u64,
            Options::Values(values) => values.len() as u64,
            Options::Range(lo, hi) => {
                (*hi as i128 - *lo as i128 + 1).clamp(0, u64::MAX as i128) as u64
            }
        }
    }
}

impl<'a> Lanes<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.frame.n_lanes
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of a node.
    pub fn column(&self, reg: Reg) -> &'a [i64] {
        let start = reg as usize * self.stride;
        &self.frame.columns[start..start + self.frame.n_lanes]
    }

    /// A lane in which an expression is undefined.
    pub fn failed(&self) -> Option<usize> {
        self.column(self.fails?).iter().position(|&number| number != 0)
    }

    /// The start lane that each lane originated from.
    pub fn origins(&self) -> &'a [i64] {
        let start = self.origins * self.stride;
        &self.frame.columns[start..start + self.frame.n_lanes]
    }
}

impl Machine {
    /// Allocates the columns of a program.
    pub fn new(program: &Program) -> Machine {
        // One more column holds the lane origins.
        let n_columns = program.ops.len() + 1;
        let n_frames = program.n_cuts + 1;
        let near = NEAR_BYTES / (8 * n_columns);
        let all = ALL_BYTES / (8 * n_columns * n_frames);
        let stride = near.max(8).min(all).clamp(1, MAX_LANES);
        let constants = program.ops.iter().enumerate().filter_map(|(reg, op)| match op {
            Op::Const(number) => Some((reg, *number)),
            _ => None,
        });
        Machine {
            stride,
            n_columns,
            frames: Vec::new(),
            constants: constants.collect(),
            selected: Vec::new(),
            n_computed: 0,
        }
    }

    /// How many lanes there can be at once.
    pub fn n_lanes(&self) -> usize {
        self.stride
    }

    /// Starts with so many lanes, at most [`Machine::n_lanes`].
    pub fn start(&mut self, n_lanes: usize) {
        self.make_frame(0);
        self.frames[0].n_lanes = n_lanes;
        let origins = (self.n_columns - 1) * self.stride;
        let column = &mut self.frames[0].columns[origins..origins + n_lanes];
        for (lane, origin) in column.iter_mut().enumerate() {
            *origin = lane as i64;
        }
    }

    /// The column of a slot that is given, to be filled in after [`Machine::start`].
    pub fn input(&mut self, reg: Reg) -> &mut [i64] {
        let frame = &mut self.frames[0];
        let start = reg as usize * self.stride;
        &mut frame.columns[start..start + frame.n_lanes]
    }

    /// Runs a program on the lanes that were started. Solutions are passed to `sink`.
    ///
    /// # Errors
    /// When the budget runs out, or the sink says so.
    pub fn run(
        &mut self,
        program: &Program,
        budget: &Budget,
        sink: &mut dyn FnMut(Lanes<'_>) -> Result<(), Why>,
    ) -> Result<(), Why> {
        let mut waiting: Vec<Point> = Vec::new();
        self.advance(program, 0, 0, &mut waiting, sink)?;
        while let Some(point) = waiting.last_mut() {
            let Point { stage, option, frame } = *point;
            point.option += 1;
            let n_options = match &program.stages[stage] {
                Stage::Choose { options, .. } => options.n_options(),
                Stage::Fork { starts } => starts.len() as u64,
                _ => unreachable!("only choices wait"),
            };
            if option >= n_options {
                waiting.pop();
                continue;
            }
            match &program.stages[stage] {
                Stage::Choose { slot, options, live } => {
                    self.count(budget)?;
                    if let Some(frame) = self.choose(*slot, options, option, live, frame) {
                        self.advance(program, stage + 1, frame, &mut waiting, sink)?;
                    }
                }
                Stage::Fork { starts } => {
                    self.count(budget)?;
                    self.advance(program, starts[option as usize], frame, &mut waiting, sink)?;
                }
                _ => unreachable!("only choices wait"),
            }
        }
        Ok(())
    }

    fn count(&mut self, budget: &Budget) -> Result<(), Why> {
        budget.spend(1 + self.n_computed / UNIT)?;
        self.n_computed %= UNIT;
        Ok(())
    }

    /// Runs stages up to the next choice, or to the end.
    fn advance(
        &mut self,
        program: &Program,
        mut stage: usize,
        mut frame: usize,
        waiting: &mut Vec<Point>,
        sink: &mut dyn FnMut(Lanes<'_>) -> Result<(), Why>,
    ) -> Result<(), Why> {
        loop {
            match &program.stages[stage] {
                Stage::Compute(regs) => {
                    let Frame { columns, n_lanes } = &mut self.frames[frame];
                    self.n_computed += (regs.len() * (*n_lanes + COLUMN)) as u64;
                    for &reg in regs {
                        let op = program.ops[reg as usize];
                        match *n_lanes {
                            // A deep and narrow search has too few lanes for batching.
                            1 => {
                                let of = |reg: Reg| columns[reg as usize * self.stride];
                                columns[reg as usize * self.stride] = op.compute(of);
                            }
                            n_lanes => compute(op, reg, columns, self.stride, n_lanes),
                        }
                    }
                }
                Stage::Copy { slot, value } => self.copy(*value, *slot, frame),
                Stage::Filter { cond, live } => match self.keep(*cond, live, frame) {
                    Some(kept) => frame = kept,
                    None => return Ok(()),
                },
                Stage::Choose { .. } | Stage::Fork { .. } => {
                    waiting.push(Point { stage, option: 0, frame });
                    return Ok(());
                }
                Stage::End { fails } => {
                    let origins = self.n_columns - 1;
                    let frame = &self.frames[frame];
                    let (stride, fails) = (self.stride, *fails);
                    return sink(Lanes { frame, stride, origins, fails });
                }
            }
            stage += 1;
        }
    }

    /// Assigns one of its options to a slot; returns the frame of the lanes for which it exists.
    fn choose(
        &mut self,
        slot: Reg,
        options: &Options,
        option: u64,
        live: &[Reg],
        frame: usize,
    ) -> Option<usize> {
        let number = match options {
            Options::Listed(listed) => {
                let (guard, value) = listed[option as usize];
                self.copy(value, slot, frame);
                return self.keep(guard, live, frame);
            }
            Options::Values(values) => values[option as usize],
            Options::Range(lo, _) => lo.wrapping_add(option as i64),
        };
        let start = slot as usize * self.stride;
        let Frame { columns, n_lanes } = &mut self.frames[frame];
        columns[start..start + *n_lanes].fill(number);
        Some(frame)
    }

    fn copy(&mut self, from: Reg, to: Reg, frame: usize) {
        let Frame { columns, n_lanes } = &mut self.frames[frame];
        let start = from as usize * self.stride;
        columns.copy_within(start..start + *n_lanes, to as usize * self.stride);
    }

    /// The frame of the lanes in which a node is 1, if there are any.
    fn keep(&mut self, cond: Reg, live: &[Reg], frame: usize) -> Option<usize> {
        let start = cond as usize * self.stride;
        let n_lanes = self.frames[frame].n_lanes;
        self.n_computed += (n_lanes + COLUMN) as u64;
        self.selected.clear();
        let column = &self.frames[frame].columns[start..start + n_lanes];
        self.selected.extend((0..n_lanes as u32).filter(|&lane| column[lane as usize] != 0));
        match self.selected.len() {
            0 => return None,
            n_kept if n_kept == n_lanes => return Some(frame),
            _ => {}
        }
        self.make_frame(frame + 1);
        let (before, after) = self.frames.split_at_mut(frame + 1);
        let (from, to) = (&before[frame].columns, &mut after[0]);
        to.n_lanes = self.selected.len();
        self.n_computed += (live.len() * (self.selected.len() + COLUMN)) as u64;
        let origins = self.n_columns - 1;
        for column in live.iter().map(|&reg| reg as usize).chain([origins]) {
            let start = column * self.stride;
            let source = &from[start..start + n_lanes];
            let target = &mut to.columns[start..start + self.selected.len()];
            for (number, &lane) in target.iter_mut().zip(&self.selected) {
                *number = source[lane as usize];
            }
        }
        Some(frame + 1)
    }

    fn make_frame(&mut self, frame: usize) {
        while self.frames.len() <= frame {
            let mut columns = vec![0; self.n_columns * self.stride];
            for &(column, number) in &self.constants {
                columns[column * self.stride..(column + 1) * self.stride].fill(number);
            }
            self.frames.push(Frame { columns, n_lanes: 0 });
        }
    }
}

/// Computes the column of one node.
fn compute(op: Op, reg: Reg, columns: &mut [i64], stride: usize, n_lanes: usize) {
    let (before, after) = columns.split_at_mut(reg as usize * stride);
    let column = |reg: Reg| &before[reg as usize * stride..reg as usize * stride + n_lanes];
    let target = &mut after[..n_lanes];
    match op {
        Op::Const(_) | Op::Slot(_) => {}
        Op::Binary(calc, a, b) => binary(calc, column(a), column(b), target),
        Op::Select(c, t, e) => {
            let operands = column(c).iter().zip(column(t)).zip(column(e));
            for (target, ((&c, &t), &e)) in target.iter_mut().zip(operands) {
                *target = if c != 0 { t } else { e };
            }
        }
        Op::Wrap(a, signed, width) => {
            for (target, &a) in target.iter_mut().zip(column(a)) {
                *target = wrap(a, signed, width);
            }
        }
    }
}

/// Computes a column from two, with a specialised loop for each operation.
fn binary(calc: Calc, a: &[i64], b: &[i64], target: &mut [i64]) {
    macro_rules! each {
        ($($calc:ident)*) => {
            match calc {
                $(Calc::$calc => {
                    for (target, (&a, &b)) in target.iter_mut().zip(a.iter().zip(b)) {
                        *target = Calc::$calc.apply(a, b);
                    }
                })*
            }
        };
    }
    each!(And Or Xor Eq Lt UnsignedLt Add Sub Mul Div Rem UnsignedDiv UnsignedRem Shl Shr
        UnsignedShr AddOverflows SubOverflows MulOverflows);
}
