//! Evaluates LTL with past on a lasso: the infinite word of a looping trace.
//!
//! The truth of a subformula along the word is a prefix followed by a period. The period of every
//! one is the length of the loop: a past operator carries one bit from position to position, and
//! what a turn of the loop does to that bit is monotone, so that it is settled after one turn
//! (Markey and Schnoebelen, *Model Checking a Path*). Subformulas are therefore sequences,
//! computed operands first, whose prefix grows where a past operator needs it and is cut back
//! where the values allow it. Nothing is shared with the engines, whose traces this checks.
//!
//! Bounds follow NuSMV: `H [a,b] p` is the conjunction of `Y^k p` and `O [a,b] p` the disjunction,
//! `k` from `a` to `b`, and `Y` is false in state 0.

use rustc_hash::FxHashMap;

use crate::eval::{Cell, Plan};
use crate::expr::{Expr, ExprId, Exprs, Failure};
use crate::model::Model;
use crate::op::{BinaryOp, BoundedOp, UnaryOp};
use crate::trace::Trace;
use crate::types::Type;
use crate::value::Value;

/// The longest prefix that is unrolled.
const MAX_PREFIX: usize = 1 << 26;

/// Why a formula has no truth value on a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trouble {
    /// The trace does not loop.
    NotALasso,
    /// An operand has no value in this state.
    Failure {
        /// Why.
        failure: Failure,
        /// The state, by its index in the trace.
        state: usize,
    },
    /// An operand depends on a value that this state of the trace does not give.
    Missing {
        /// The state, by its index in the trace.
        state: usize,
    },
    /// This is no operator of LTL.
    NotLtl(ExprId),
    /// The bounds of its operators reach too far back.
    TooLong,
}

/// Does the formula hold in the first state of the trace? Where a trace does not end in a loop,
/// it may still show that something does not always hold.
///
/// # Errors
/// Where the trace does not say.
pub fn holds(model: &Model, formula: ExprId, trace: &Trace) -> Result<bool, Trouble> {
    let n_states = trace.states.len();
    let Some(loop_start) = trace.loop_start.filter(|&start| start < n_states) else {
        return if is_violated(model, formula, trace) {
            Ok(false)
        } else {
            Err(Trouble::NotALasso)
        };
    };
    let nodes = model.exprs.temporal_parts(formula);
    let is_atom = |&&id: &&ExprId| model.exprs.ty(id) != Type::Temporal;
    let atoms: Vec<ExprId> = nodes.iter().filter(is_atom).copied().collect();
    let mut table = Table::new(&model.exprs, &nodes);
    for (id, values) in atoms.iter().zip(atom_values(model, &atoms, trace, loop_start)?) {
        table.insert(*id, Sequence { values, loop_start }.trimmed());
    }
    for &id in nodes.iter().filter(|id| !is_atom(id)) {
        let sequence = temporal(&model.exprs, id, &table)?.trimmed();
        table.insert(id, sequence);
        table.release(&model.exprs, id);
    }
    Ok(table.get(formula).at(0))
}

/// Does the formula say that something always holds that is false in a state, or that it holds at
/// the start and it does not?
fn is_violated(model: &Model, formula: ExprId, trace: &Trace) -> bool {
    let (inner, n_states) = match model.exprs.get(formula) {
        Expr::Unary(UnaryOp::G, inner) => (inner, trace.states.len()),
        _ => (formula, 1),
    };
    if model.exprs.ty(inner) != Type::Bool {
        return false;
    }
    let plan = Plan::new(model, &[inner]);
    let mut cells = Vec::new();
    trace.states.iter().take(n_states).any(|state| {
        plan.run(&state.values, &[], &mut cells);
        plan.root(0, &cells) == &Cell::Value(Value::Bool(false))
    })
}

/// The truth of each atom in each state.
fn atom_values(
    model: &Model,
    atoms: &[ExprId],
    trace: &Trace,
    loop_start: usize,
) -> Result<Vec<Vec<bool>>, Trouble> {
    let plan = Plan::new(model, atoms);
    let mut values = vec![Vec::with_capacity(trace.states.len()); atoms.len()];
    let mut cells = Vec::new();
    for (state, current) in trace.states.iter().enumerate() {
        let next = trace.states.get(state + 1).unwrap_or(&trace.states[loop_start]);
        plan.run(&current.values, &next.values, &mut cells);
        for (atom_idx, values) in values.iter_mut().enumerate() {
            let cell = plan.root(atom_idx, &cells);
            match (cell, cell.as_bool()) {
                (_, Some(value)) => values.push(value),
                (Cell::Fail(failure), _) => {
                    return Err(Trouble::Failure { failure: *failure, state });
                }
                _ => return Err(Trouble::Missing { state }),
            }
        }
    }
    Ok(values)
}

/// The sequences of the subformulas that are still needed.
struct Table {
    sequences: FxHashMap<ExprId, Sequence>,
    /// How many nodes without sequence yet are made of this one.
    n_uses: FxHashMap<ExprId, usize>,
}

impl Table {
    fn new(exprs: &Exprs, nodes: &[ExprId]) -> Table {
        let mut n_uses = FxHashMap::default();
        for &id in nodes.iter().filter(|&&id| exprs.ty(id) == Type::Temporal) {
            for &operand in exprs.operands(exprs.get(id)).as_slice() {
                *n_uses.entry(operand).or_insert(0) += 1;
            }
        }
        Table { sequences: FxHashMap::default(), n_uses }
    }

    fn get(&self, id: ExprId) -> &Sequence {
        &self.sequences[&id]
    }

    fn insert(&mut self, id: ExprId, sequence: Sequence) {
        self.sequences.insert(id, sequence);
    }

    /// Forgets the operands of a node that nothing else needs.
    fn release(&mut self, exprs: &Exprs, id: ExprId) {
        for operand in exprs.operands(exprs.get(id)).as_slice() {
            if let Some(n_uses) = self.n_uses.get_mut(operand) {
                *n_uses -= 1;
                if *n_uses == 0 {
                    self.sequences.remove(operand);
                }
            }
        }
    }
}

fn temporal(exprs: &Exprs, id: ExprId, table: &Table) -> Result<Sequence, Trouble> {
    let bound = |c| exprs.constant(c).as_int().and_then(|bound| usize::try_from(bound).ok());
    match exprs.get(id) {
        Expr::Unary(op, p) => unary(op, table.get(p)),
        Expr::Binary(op, p, q) => binary(op, table.get(p), table.get(q)),
        Expr::Bounded(op, p, lo, hi) => match (bound(lo), bound(hi)) {
            (Some(lo), Some(hi)) if lo <= hi => bounded(op, table.get(p), lo, hi)?,
            _ => None,
        },
        _ => None,
    }
    .ok_or(Trouble::NotLtl(id))
}

fn unary(op: UnaryOp, p: &Sequence) -> Option<Sequence> {
    Some(match op {
        UnaryOp::Not => p.map(|p| !p),
        UnaryOp::X => Sequence {
            values: (0..p.values.len()).map(|i| p.at(i + 1)).collect(),
            loop_start: p.loop_start,
        },
        UnaryOp::Y => p.delayed(false),
        UnaryOp::Z => p.delayed(true),
        UnaryOp::G => p.backward(true, |i, later| p.at(i) && later),
        UnaryOp::F => p.backward(false, |i, later| p.at(i) || later),
        UnaryOp::H => p.forward(true, |i, before| p.at(i) && before),
        UnaryOp::O => p.forward(false, |i, before| p.at(i) || before),
        _ => return None,
    })
}

fn binary(op: BinaryOp, p: &Sequence, q: &Sequence) -> Option<Sequence> {
    let longer = if p.loop_start >= q.loop_start { p } else { q };
    let pointwise = |op: fn(bool, bool) -> bool| Sequence {
        values: (0..longer.values.len()).map(|i| op(p.at(i), q.at(i))).collect(),
        loop_start: longer.loop_start,
    };
    Some(match op {
        BinaryOp::And => pointwise(|p, q| p && q),
        BinaryOp::Or => pointwise(|p, q| p || q),
        BinaryOp::Implies => pointwise(|p, q| !p || q),
        BinaryOp::Xor => pointwise(|p, q| p != q),
        BinaryOp::Xnor | BinaryOp::Iff => pointwise(|p, q| p == q),
        BinaryOp::U => longer.backward(false, |i, later| q.at(i) || (p.at(i) && later)),
        BinaryOp::V => longer.backward(true, |i, later| q.at(i) && (p.at(i) || later)),
        BinaryOp::S => longer.forward(false, |i, before| q.at(i) || (p.at(i) && before)),
        BinaryOp::T => longer.forward(true, |i, before| q.at(i) && (p.at(i) || before)),
        _ => return None,
    })
}

fn bounded(op: BoundedOp, p: &Sequence, lo: usize, hi: usize) -> Result<Option<Sequence>, Trouble> {
    Ok(Some(match op {
        BoundedOp::F => p.within(lo, hi),
        BoundedOp::G => p.map(|p| !p).within(lo, hi).map(|p| !p),
        BoundedOp::O => p.once(lo, hi)?,
        BoundedOp::H => {
            // Where the past is shorter than the bound, the conjunction meets a `Y` in state 0.
            let mut always = p.map(|p| !p).once(lo, hi)?.map(|p| !p);
            always.grow(hi);
            always.values[..hi].fill(false);
            always
        }
        _ => return Ok(None),
    }))
}

/// The truth of a formula at each position: the values, with those from `loop_start` on repeated
/// for ever. The loop is as long as that of the trace.
#[derive(Clone, Debug)]
struct Sequence {
    values: Vec<bool>,
    loop_start: usize,
}

impl Sequence {
    fn period(&self) -> usize {
        self.values.len() - self.loop_start
    }

    /// The index in `values` of a position.
    fn index(&self, position: usize) -> usize {
        match position < self.values.len() {
            true => position,
            false => self.loop_start + (position - self.loop_start) % self.period(),
        }
    }

    fn at(&self, position: usize) -> bool {
        self.values[self.index(position)]
    }

    /// The same with the shortest prefix.
    fn trimmed(mut self) -> Sequence {
        while self.loop_start > 0 && self.values.last() == self.values.get(self.loop_start - 1) {
            self.values.pop();
            self.loop_start -= 1;
        }
        self
    }

    /// The same with a prefix of at least this length.
    fn grow(&mut self, prefix: usize) {
        for position in self.values.len()..prefix.max(self.loop_start) + self.period() {
            self.values.push(self.values[position - self.period()]);
        }
        self.loop_start = self.loop_start.max(prefix);
    }

    fn map(&self, op: impl Fn(bool) -> bool) -> Sequence {
        let values = self.values.iter().map(|&value| op(value)).collect();
        Sequence { values, loop_start: self.loop_start }
    }

    fn delayed(&self, first: bool) -> Sequence {
        let values = std::iter::once(first).chain(self.values.iter().copied()).collect();
        Sequence { values, loop_start: self.loop_start + 1 }
    }

    /// The greatest (`end` true) or least solution of `v(i) = op(i, v(i + 1))`, in the shape of
    /// `self`.
    fn backward(&self, end: bool, op: impl Fn(usize, bool) -> bool) -> Sequence {
        let mut values = self.values.clone();
        let mut later = end;
        // One turn of the loop finds its first value, the second one starts from that.
        for i in (self.loop_start..values.len()).rev() {
            later = op(i, later);
        }
        for i in (0..values.len()).rev() {
            later = op(i, later);
            values[i] = later;
        }
        Sequence { values, loop_start: self.loop_start }
    }

    /// The solution of `v(i) = op(i, v(i - 1))`, one turn longer than `self`.
    fn forward(&self, start: bool, op: impl Fn(usize, bool) -> bool) -> Sequence {
        let n_values = self.values.len() + self.period();
        let mut before = start;
        let values = (0..n_values).map(|i| {
            before = op(i, before);
            before
        });
        Sequence { values: values.collect(), loop_start: self.loop_start + self.period() }
    }

    /// `F [lo, hi]`: is the next true position from `i + lo` on at most `i + hi`?
    fn within(&self, lo: usize, hi: usize) -> Sequence {
        let n_values = self.values.len();
        let mut distances = vec![usize::MAX; n_values];
        let mut distance = usize::MAX;
        for i in (self.loop_start..n_values).rev().chain((0..n_values).rev()) {
            distance = if self.values[i] { 0 } else { distance.saturating_add(1) };
            distances[i] = distance;
        }
        let values = (0..n_values).map(|i| {
            let distance = distances[self.index(i.saturating_add(lo))];
            distance <= hi - lo
        });
        Sequence { values: values.collect(), loop_start: self.loop_start }
    }

    /// `O [lo, hi]`: was the last true position up to `i - lo` at least `i - hi`?
    fn once(&self, lo: usize, hi: usize) -> Result<Sequence, Trouble> {
        let prefix = self.loop_start.saturating_add(hi);
        if prefix > MAX_PREFIX {
            return Err(Trouble::TooLong);
        }
        let mut last = None;
        let values = (0..prefix + self.period()).map(|i| {
            if let Some(seen) = i.checked_sub(lo).filter(|&seen| self.at(seen)) {
                last = Some(seen);
            }
            last.is_some_and(|last| last + hi >= i)
        });
        Ok(Sequence { values: values.collect(), loop_start: prefix })
    }
}
