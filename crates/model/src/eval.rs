//! Evaluation of expressions on concrete states.
//!
//! Expressions are compiled into a [`Plan`]: a list of instructions, operands first, in which a
//! define is its body. Running it fills one cell an instruction. There is no laziness: a failure
//! is a cell like any other, and `?:` and the logical connectives pick the cell that counts.
//! Variables may be unknown; then so is what depends on them, and no more than that.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_source::Span;

use crate::expr::{Expr, ExprId, Failure, FailureKind, VarId};
use crate::model::Model;
use crate::op::{BinaryOp, UnaryOp};
use crate::ops;
use crate::value::Value;

/// Values of variables, by their ids; `None` is unknown.
pub type Valuation = [Option<Value>];

/// Compiled expressions.
#[derive(Clone, Debug)]
pub struct Plan {
    instrs: Vec<Instr>,
    /// Whether an instruction may fail, by its operators: then no partial result may be used before
    /// it is known.
    may_fail: Vec<bool>,
    roots: Vec<u32>,
}

/// What evaluation gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A value.
    Value(Value),
    /// A set of values.
    Set(ValueSet),
    /// No value.
    Fail(Failure),
    /// Depends on what is unknown.
    Unknown,
}

/// A set of values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueSet {
    /// Single values.
    pub values: Vec<Value>,
    /// Ranges of integers, both ends included.
    pub ranges: Vec<(i64, i64)>,
    /// Are all members known?
    pub is_partial: bool,
}

/// One instruction; operands are the cells of instructions before it.
#[derive(Clone, Debug)]
pub enum Instr {
    /// A constant.
    Const(Value),
    /// The value of a variable in the current state.
    Current(VarId),
    /// The value of a variable in the next state.
    Next(VarId),
    /// An operator.
    Unary(UnaryOp, u32),
    /// An operator.
    Binary(BinaryOp, u32, u32),
    /// Condition, value if it holds, value if not.
    Ite(u32, u32, u32),
    /// A set of integers.
    Range(i64, i64),
    /// The union of all these; a chain of unions is one instruction.
    Union(Box<[u32]>),
    /// The bits from high to low.
    BitSelect(u32, u8, u8),
    /// A word of another width.
    Resize(u32, u8),
    /// How many are true.
    Count(Box<[u32]>),
    /// No value.
    Fail(Failure),
    /// A temporal operator, which has no value in a state.
    Temporal,
}

/// Evaluates one expression; for many or often, compile a [`Plan`].
pub fn evaluate(model: &Model, expr: ExprId, current: &Valuation, next: &Valuation) -> Cell {
    let plan = Plan::new(model, &[expr]);
    let mut cells = Vec::new();
    plan.run(current, next, &mut cells);
    plan.take(0, &mut cells)
}

/// The value of an expression that reads no variable.
///
/// # Errors
/// When it has none.
pub fn constant(model: &Model, expr: ExprId) -> Result<Value, Failure> {
    match evaluate(model, expr, &[], &[]) {
        Cell::Value(value) => Ok(value),
        Cell::Fail(failure) => Err(failure),
        Cell::Set(_) | Cell::Unknown => {
            Err(Failure { kind: FailureKind::Overflow, span: Span::default() })
        }
    }
}

impl Plan {
    /// Compiles these expressions.
    pub fn new(model: &Model, roots: &[ExprId]) -> Plan {
        let mut compiler = Compiler { model, instrs: Vec::new(), slots: FxHashMap::default() };
        let roots = roots.iter().map(|&root| compiler.compile(root)).collect();
        let mut may_fail = Vec::with_capacity(compiler.instrs.len());
        for instr in &compiler.instrs {
            may_fail.push(instr.may_fail(&may_fail));
        }
        Plan { instrs: compiler.instrs, may_fail, roots }
    }

    /// Evaluates everything into `cells`.
    pub fn run(&self, current: &Valuation, next: &Valuation, cells: &mut Vec<Cell>) {
        cells.clear();
        for instr in &self.instrs {
            let cell = step(instr, cells, &self.may_fail, current, next);
            cells.push(cell);
        }
    }

    /// The instructions, operands first.
    pub fn instrs(&self) -> &[Instr] {
        &self.instrs
    }

    /// How many roots there are.
    pub fn n_roots(&self) -> usize {
        self.roots.len()
    }

    /// The cell of the root with this index.
    pub fn root_cell(&self, root_idx: usize) -> usize {
        self.roots[root_idx] as usize
    }

    /// What the root with this index gave.
    pub fn root<'c>(&self, root_idx: usize, cells: &'c [Cell]) -> &'c Cell {
        &cells[self.roots[root_idx] as usize]
    }

    fn take(&self, root_idx: usize, cells: &mut [Cell]) -> Cell {
        std::mem::replace(&mut cells[self.roots[root_idx] as usize], Cell::Unknown)
    }
}

struct Compiler<'m> {
    model: &'m Model,
    instrs: Vec<Instr>,
    /// The cell of an expression, and of the same in the next state.
    slots: FxHashMap<(ExprId, bool), u32>,
}

impl Compiler<'_> {
    fn compile(&mut self, root: ExprId) -> u32 {
        let mut stack = vec![(root, false)];
        while let Some(&(id, primed)) = stack.last() {
            if self.slots.contains_key(&(id, primed)) {
                stack.pop();
                continue;
            }
            let expr = self.model.exprs.get(id);
            // A define has the cell of its body, so that it costs nothing.
            let alias = match expr {
                Expr::Define(d) => Some((self.model.define(d).body.expr, primed)),
                Expr::NextDefine(d) => Some((self.model.define(d).body.expr, true)),
                _ => None,
            };
            let operands = self.operands(id);
            let needed = alias
                .into_iter()
                .chain(operands.iter().map(|&operand| (operand, primed)))
                .filter(|key| !self.slots.contains_key(key));
            let height = stack.len();
            stack.extend(needed);
            if stack.len() > height {
                continue;
            }
            let slot = match alias {
                Some(key) => self.slots[&key],
                None => {
                    let instr = self.instr(id, primed);
                    self.instrs.push(instr);
                    self.instrs.len() as u32 - 1
                }
            };
            self.slots.insert((id, primed), slot);
            stack.pop();
        }
        self.slots[&(root, false)]
    }

    /// The operands of a node; of a chain of unions, all members of the chain in order.
    fn operands(&self, id: ExprId) -> Vec<ExprId> {
        let exprs = &self.model.exprs;
        match exprs.get(id) {
            Expr::Binary(BinaryOp::Union, ..) => exprs.chain(BinaryOp::Union, id),
            expr => exprs.operands(expr).as_slice().to_vec(),
        }
    }

    fn instr(&self, id: ExprId, primed: bool) -> Instr {
        let exprs = &self.model.exprs;
        let slot = |id: ExprId| self.slots[&(id, primed)];
        let int = |id| exprs.constant(id).as_int().unwrap_or(0);
        match exprs.get(id) {
            Expr::Const(c) => Instr::Const(exprs.constant(c)),
            Expr::Var(v) if primed => Instr::Next(v),
            Expr::Var(v) => Instr::Current(v),
            Expr::Next(v) => Instr::Next(v),
            Expr::Unary(op, a) if !op.is_temporal() => Instr::Unary(op, slot(a)),
            Expr::Binary(BinaryOp::Union, ..) => {
                Instr::Union(self.operands(id).into_iter().map(slot).collect())
            }
            Expr::Binary(op, a, b) if !op.is_temporal() => Instr::Binary(op, slot(a), slot(b)),
            Expr::Ite(c, t, e) => Instr::Ite(slot(c), slot(t), slot(e)),
            Expr::Range(lo, hi) => Instr::Range(int(lo), int(hi)),
            Expr::BitSelect(a, high, low) => Instr::BitSelect(slot(a), high, low),
            Expr::Resize(a, width) => Instr::Resize(slot(a), width),
            Expr::Count(list) => {
                Instr::Count(exprs.list(list).iter().map(|&operand| slot(operand)).collect())
            }
            Expr::Fail(f) => Instr::Fail(exprs.failure(f)),
            Expr::Define(_) | Expr::NextDefine(_) => unreachable!("defines are aliases"),
            Expr::Unary(..) | Expr::Binary(..) | Expr::Bounded(..) | Expr::BoundedUntil(..) => {
                Instr::Temporal
            }
        }
    }
}

impl Instr {
    /// May it have no value, given which of the instructions before it may?
    fn may_fail(&self, before: &[bool]) -> bool {
        use BinaryOp as Op;
        let fails = |slot: &u32| before[*slot as usize];
        match self {
            Instr::Const(_) | Instr::Current(_) | Instr::Next(_) | Instr::Range(..) => false,
            Instr::Fail(_) | Instr::Temporal => true,
            Instr::Unary(op, a) => {
                matches!(op, UnaryOp::Neg | UnaryOp::Abs | UnaryOp::ToInt) || fails(a)
            }
            Instr::Binary(op, a, b) => {
                let is_partial = matches!(
                    op,
                    Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Shl | Op::Shr
                );
                is_partial || fails(a) || fails(b)
            }
            Instr::Ite(c, t, e) => fails(c) || fails(t) || fails(e),
            Instr::BitSelect(a, ..) | Instr::Resize(a, _) => fails(a),
            Instr::Count(operands) | Instr::Union(operands) => operands.iter().any(fails),
        }
    }
}

fn step(
    instr: &Instr,
    cells: &[Cell],
    may_fail: &[bool],
    current: &Valuation,
    next: &Valuation,
) -> Cell {
    let cell = |slot: &u32| &cells[*slot as usize];
    let read = |valuation: &Valuation, var: &VarId| match valuation.get(var.0 as usize) {
        Some(Some(value)) => Cell::Value(*value),
        _ => Cell::Unknown,
    };
    match instr {
        Instr::Const(value) => Cell::Value(*value),
        Instr::Current(var) => read(current, var),
        Instr::Next(var) => read(next, var),
        Instr::Unary(op, a) => cell(a).map(|value| ops::unary(*op, value)),
        Instr::Binary(op, a, b) => {
            // A set of which only some members are known may yet turn out to have no value.
            let is_hidden = |slot: &u32| match cell(slot) {
                Cell::Set(set) => set.is_partial && may_fail[*slot as usize],
                _ => false,
            };
            match *op == BinaryOp::In && (is_hidden(a) || is_hidden(b)) {
                true => Cell::Unknown,
                false => binary(*op, cell(a), cell(b)),
            }
        }
        Instr::Ite(c, t, e) => match cell(c) {
            Cell::Value(Value::Bool(true)) => cell(t).clone(),
            Cell::Value(Value::Bool(false)) => cell(e).clone(),
            Cell::Unknown if cell(t) == cell(e) && !may_fail[*c as usize] => cell(t).clone(),
            other => other.clone(),
        },
        Instr::Range(lo, hi) => {
            Cell::Set(ValueSet { ranges: vec![(*lo, *hi)], ..ValueSet::default() })
        }
        Instr::BitSelect(a, high, low) => cell(a).map(|value| match value {
            Value::Word(w) => Ok(Value::Word(ops::bit_select(w, *high, *low))),
            _ => unreachable!("only words have bits"),
        }),
        Instr::Resize(a, width) => cell(a).map(|value| match value {
            Value::Word(w) => Ok(Value::Word(ops::resize(w, *width))),
            _ => unreachable!("only words have a width"),
        }),
        Instr::Count(operands) => count(operands.iter().map(cell)),
        Instr::Union(operands) => union(operands.iter().map(cell)),
        Instr::Fail(failure) => Cell::Fail(*failure),
        Instr::Temporal => Cell::Unknown,
    }
}

impl Cell {
    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Cell::Value(Value::Bool(b)) => Some(*b),
            _ => None,
        }
    }

    /// The members: a value is the set of itself. `None` for failures and what is unknown.
    pub fn members(&self) -> Option<ValueSet> {
        match self {
            Cell::Value(value) => Some(ValueSet { values: vec![*value], ..ValueSet::default() }),
            Cell::Set(set) => Some(set.clone()),
            Cell::Fail(_) | Cell::Unknown => None,
        }
    }

    fn map(&self, op: impl FnOnce(Value) -> Result<Value, FailureKind>) -> Cell {
        match self {
            Cell::Value(value) => outcome(op(*value)),
            Cell::Set(_) => unreachable!("the type checker admits no operators on sets"),
            Cell::Fail(_) | Cell::Unknown => self.clone(),
        }
    }
}

impl ValueSet {
    /// Is this a member, as far as members are known?
    pub fn contains(&self, value: Value) -> bool {
        // An integer is the same number as a real.
        let is_same = |member: &Value| match (*member, value) {
            (Value::Int(i), Value::Real(r)) | (Value::Real(r), Value::Int(i)) => {
                r.den() == 1 && r.num() == i
            }
            (member, value) => member == value,
        };
        self.values.iter().any(is_same)
            || value
                .as_int()
                .is_some_and(|i| self.ranges.iter().any(|&(lo, hi)| lo <= i && i <= hi))
    }

    /// How many members there are, counting repeated ones again.
    pub fn n_entries(&self) -> u64 {
        let size = |&(lo, hi): &(i64, i64)| {
            u64::try_from((hi as i128 - lo as i128 + 1).max(0)).unwrap_or(u64::MAX)
        };
        let n_values = self.values.len() as u64;
        self.ranges.iter().map(size).fold(n_values, u64::saturating_add)
    }

    /// Are all integers of a range members?
    fn contains_range(&self, (lo, hi): (i64, i64)) -> bool {
        let singles = self.values.iter().filter_map(|value| value.as_int()).map(|i| (i, i));
        let mut ranges: Vec<(i64, i64)> = self.ranges.iter().copied().chain(singles).collect();
        ranges.sort_unstable();
        // The first integer that no range so far has covered.
        let mut next = lo as i128;
        for (start, end) in ranges {
            if start as i128 <= next {
                next = next.max(end as i128 + 1);
            }
        }
        next > hi as i128
    }

    /// The members in order, single ones first; some may repeat.
    pub fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        let ranges = self.ranges.iter().flat_map(|&(lo, hi)| (lo..=hi).map(Value::Int));
        self.values.iter().copied().chain(ranges)
    }
}

fn outcome(result: Result<Value, FailureKind>) -> Cell {
    match result {
        Ok(value) => Cell::Value(value),
        Err(kind) => Cell::Fail(Failure { kind, span: Span::default() }),
    }
}

fn binary(op: BinaryOp, left: &Cell, right: &Cell) -> Cell {
    if let Some(decided) = short_circuit(op, left, right) {
        return decided;
    }
    use BinaryOp as Op;
    match (left, right) {
        // What is unknown may yet decide alone, and hide the failure.
        (Cell::Unknown, _) | (_, Cell::Unknown) if matches!(op, Op::And | Op::Or | Op::Implies) => {
            Cell::Unknown
        }
        (Cell::Fail(_), _) => left.clone(),
        (_, Cell::Fail(_)) => right.clone(),
        _ if op == BinaryOp::In => included(left, right),
        (Cell::Value(a), Cell::Value(b)) => outcome(ops::binary(op, *a, *b)),
        _ => Cell::Unknown,
    }
}

/// One operand of a connective may decide alone, whatever the other is.
fn short_circuit(op: BinaryOp, left: &Cell, right: &Cell) -> Option<Cell> {
    let (a, b) = (left.as_bool(), right.as_bool());
    let decided = match op {
        BinaryOp::And => (a == Some(false) || b == Some(false)).then_some(false),
        BinaryOp::Or => (a == Some(true) || b == Some(true)).then_some(true),
        BinaryOp::Implies => (a == Some(false) || b == Some(true)).then_some(true),
        _ => None,
    };
    decided.map(|value| Cell::Value(Value::Bool(value)))
}

fn included(left: &Cell, right: &Cell) -> Cell {
    let (Some(left), Some(right)) = (left.members(), right.members()) else {
        return Cell::Unknown;
    };
    let all_in = left.values.iter().all(|&value| right.contains(value))
        && left.ranges.iter().all(|&range| right.contains_range(range));
    match (all_in, left.is_partial, right.is_partial) {
        (true, false, _) => Cell::Value(Value::Bool(true)),
        (false, _, false) => Cell::Value(Value::Bool(false)),
        _ => Cell::Unknown,
    }
}

fn union<'c>(operands: impl Iterator<Item = &'c Cell>) -> Cell {
    let mut all = ValueSet::default();
    let mut seen = FxHashSet::default();
    for operand in operands {
        match operand {
            Cell::Value(value) => all.values.extend(seen.insert(*value).then_some(*value)),
            Cell::Set(set) => {
                all.values.extend(set.values.iter().filter(|value| seen.insert(**value)));
                all.ranges.extend(&set.ranges);
                all.is_partial |= set.is_partial;
            }
            Cell::Fail(_) => return operand.clone(),
            Cell::Unknown => all.is_partial = true,
        }
    }
    Cell::Set(all)
}

fn count<'c>(operands: impl Iterator<Item = &'c Cell>) -> Cell {
    let mut n_true = 0;
    let mut is_unknown = false;
    for operand in operands {
        match operand {
            Cell::Value(value) => n_true += i64::from(value.as_bool() == Some(true)),
            Cell::Fail(_) => return operand.clone(),
            Cell::Set(_) | Cell::Unknown => is_unknown = true,
        }
    }
    if is_unknown { Cell::Unknown } else { Cell::Value(Value::Int(n_true)) }
}
