//! Expressions: hash-consed nodes in one pool.
//!
//! Equal expressions have equal ids. A node is created after its operands, so ids are a topological
//! order, and passes loop over them instead of recursing. Nothing is simplified: the pool keeps
//! what the author wrote; where it was written is kept separately (see [`crate::site`]).

use std::fmt;
use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use trapline_source::Span;

use crate::op::{BinaryOp, BoundedOp, PathQuantifier, UnaryOp};
use crate::types::{SetOf, Type};
use crate::typing::{self, TypeError};
use crate::value::Value;

/// An expression in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// A variable of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A definition of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefineId(pub u32);

/// A constant in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstId(u32);

/// A failure in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FailId(u32);

/// A list of operands in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListId(u32);

/// One node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant.
    Const(ConstId),
    /// The value of a variable in the current state.
    Var(VarId),
    /// Its value in the next state.
    Next(VarId),
    /// The value of a define in the current state.
    Define(DefineId),
    /// Its value in the next state.
    NextDefine(DefineId),
    /// One operand.
    Unary(UnaryOp, ExprId),
    /// Two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// `c ? t : e`; a `case` is a chain of these that ends in [`Expr::Fail`].
    Ite(ExprId, ExprId, ExprId),
    /// The set of integers from one constant to another.
    Range(ConstId, ConstId),
    /// The bits from high to low, as an unsigned word.
    BitSelect(ExprId, u8, u8),
    /// A word of another width: extended with its sign or zeros, or cut, keeping the sign.
    Resize(ExprId, u8),
    /// How many of the operands are true.
    Count(ListId),
    /// A temporal operator with bounds.
    Bounded(BoundedOp, ExprId, ConstId, ConstId),
    /// `E [p BU lo..hi q]`; operands and bounds are a list `p q` and two constants.
    BoundedUntil(PathQuantifier, ListId, ConstId, ConstId),
    /// No value: evaluation fails.
    Fail(FailId),
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// No branch of a `case` applies.
    NotExhaustive,
    /// An index lies outside its array.
    IndexOutOfBounds,
    /// Division or remainder by zero.
    DivisionByZero,
    /// A shift by a negative amount or by more than the width.
    ShiftOutOfRange,
    /// A value outside the type of the variable that is assigned it.
    OutOfRange,
    /// An integer outside 64 bits, or another value outside what its operator takes.
    Overflow,
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FailureKind::NotExhaustive => "no branch of the case applies",
            FailureKind::IndexOutOfBounds => "the index lies outside the array",
            FailureKind::DivisionByZero => "division by zero",
            FailureKind::ShiftOutOfRange => {
                "a shift by a negative amount or by more than the width"
            }
            FailureKind::OutOfRange => "a value outside the type of the variable",
            FailureKind::Overflow => "an integer that does not fit 64 bits",
        })
    }
}

/// A failure in an expression, with its source span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failure {
    /// Why.
    pub kind: FailureKind,
    /// Where.
    pub span: Span,
}

/// What is known of a node besides its structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// Its type.
    pub ty: Type,
    /// What it reads.
    pub reads: Reads,
}

/// What kinds of variables an expression reads, through defines too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reads(u8);

impl Reads {
    /// Nothing: a constant.
    pub const NOTHING: Reads = Reads(0);
    /// Variables of the current state.
    pub const STATE: Reads = Reads(1);
    /// Variables of the next state.
    pub const NEXT: Reads = Reads(2);
    /// Input variables of the step.
    pub const INPUT: Reads = Reads(4);
    /// What only a step has: the next state, or inputs.
    pub const STEP: Reads = Reads(2 | 4);
    /// Input variables of the step after this one, which no expression may.
    pub const NEXT_INPUT: Reads = Reads(8);

    /// Both together.
    pub fn and(self, other: Reads) -> Reads {
        Reads(self.0 | other.0)
    }

    /// Does it read any of these?
    pub fn any(self, of: Reads) -> bool {
        self.0 & of.0 != 0
    }

    /// What `next( )` of it reads.
    pub fn primed(self) -> Reads {
        let shift = |from: Reads, to: Reads| if self.any(from) { to } else { Reads::NOTHING };
        shift(Reads::STATE, Reads::NEXT)
            .and(shift(Reads::NEXT, Reads::NEXT))
            .and(shift(Reads::INPUT, Reads::NEXT_INPUT))
            .and(shift(Reads::NEXT_INPUT, Reads::NEXT_INPUT))
    }
}

/// All expressions of a model.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: Vec<Expr>,
    infos: Vec<Info>,
    /// The nodes again, beside their ids: a successful lookup touches nothing else.
    table: HashTable<(Expr, ExprId)>,
    consts: Vec<Value>,
    const_table: HashTable<u32>,
    lists: Vec<Box<[ExprId]>>,
    list_table: HashTable<u32>,
    failures: Vec<Failure>,
    primed: Vec<Option<ExprId>>,
}

impl Exprs {
    /// Reserves space for about this many nodes.
    pub fn reserve(&mut self, n_nodes: usize) {
        self.nodes.reserve(n_nodes);
        self.infos.reserve(n_nodes);
        self.table.reserve(n_nodes, |(expr, _)| FxBuildHasher.hash_one(expr));
    }

    /// The node.
    pub fn get(&self, id: ExprId) -> Expr {
        self.nodes[id.0 as usize]
    }

    /// What is known of the node.
    pub fn info(&self, id: ExprId) -> Info {
        self.infos[id.0 as usize]
    }

    /// The type of the node.
    pub fn ty(&self, id: ExprId) -> Type {
        self.info(id).ty
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Is there no node?
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The value of a constant.
    pub fn constant(&self, id: ConstId) -> Value {
        self.consts[id.0 as usize]
    }

    /// The operands of a list.
    pub fn list(&self, id: ListId) -> &[ExprId] {
        &self.lists[id.0 as usize]
    }

    /// The failure of a node.
    pub fn failure(&self, id: FailId) -> Failure {
        self.failures[id.0 as usize]
    }

    /// The value, if the node is a constant.
    pub fn as_const(&self, id: ExprId) -> Option<Value> {
        match self.get(id) {
            Expr::Const(c) => Some(self.constant(c)),
            _ => None,
        }
    }

    /// The node with this structure, made if it is new.
    ///
    /// For expressions over operands that are known to fit: what was lowered, and what is made
    /// of it. See [`Exprs::try_add`] for what somebody wrote.
    pub fn add(&mut self, expr: Expr) -> ExprId {
        self.try_add(expr).unwrap_or_else(|error| unreachable!("{expr:?} has no type: {error:?}"))
    }

    /// The node with this structure, made if it is new and its operands fit its operator.
    ///
    /// Variables and defines are known to the pool once their model has named them: see
    /// [`crate::Model::var_expr`] and [`crate::Model::define_expr`].
    ///
    /// # Errors
    /// When the operator does not take operands of these types.
    pub fn try_add(&mut self, expr: Expr) -> Result<ExprId, TypeError> {
        let hash = FxBuildHasher.hash_one(expr);
        if let Some(&(_, id)) = self.table.find(hash, |(known, _)| *known == expr) {
            return Ok(id);
        }
        let ty = self.type_of(expr)?;
        let reads = self.reads_of(expr);
        Ok(self.push(hash, expr, Info { ty, reads }))
    }

    fn push(&mut self, hash: u64, expr: Expr, info: Info) -> ExprId {
        let id = ExprId(self.nodes.len() as u32);
        self.nodes.push(expr);
        self.infos.push(info);
        self.table.insert_unique(hash, (expr, id), |(expr, _)| FxBuildHasher.hash_one(expr));
        id
    }

    /// The node for a variable or a define, about which its declaration tells.
    pub(crate) fn declare(&mut self, leaf: Expr, info: Info) -> ExprId {
        let hash = FxBuildHasher.hash_one(leaf);
        match self.table.find(hash, |(known, _)| *known == leaf) {
            Some(&(_, id)) => {
                self.infos[id.0 as usize] = info;
                id
            }
            None => self.push(hash, leaf, info),
        }
    }

    fn type_of(&self, expr: Expr) -> Result<Type, TypeError> {
        let ty = |id| self.ty(id);
        match expr {
            Expr::Const(constant) => Ok(self.constant(constant).ty()),
            Expr::Unary(op, a) => typing::unary(op, ty(a)),
            Expr::Binary(op, a, b) => typing::binary(op, ty(a), ty(b)),
            Expr::Ite(c, t, e) => typing::ite(ty(c), ty(t), ty(e)),
            Expr::Range(..) => Ok(Type::Set(SetOf::Int)),
            Expr::BitSelect(word, high, low) => typing::bit_select(ty(word), high, low),
            Expr::Resize(word, width) => typing::resize(ty(word), width),
            Expr::Count(list) => typing::count(self.list(list).iter().map(|&id| ty(id))),
            Expr::Bounded(_, operand, ..) => typing::formula([ty(operand)]),
            Expr::BoundedUntil(_, list, ..) => {
                typing::formula(self.list(list).iter().map(|&id| ty(id)))
            }
            Expr::Fail(_) => Ok(Type::Never),
            Expr::Var(_) | Expr::Next(_) | Expr::Define(_) | Expr::NextDefine(_) => {
                unreachable!("{expr:?} was not declared: its model makes it")
            }
        }
    }

    /// A constant.
    pub fn value(&mut self, value: Value) -> ExprId {
        let constant = self.intern_const(value);
        self.add(Expr::Const(constant))
    }

    /// `TRUE` or `FALSE`
    pub fn bool(&mut self, value: bool) -> ExprId {
        self.value(Value::Bool(value))
    }

    /// The set of integers from `lo` to `hi`.
    pub fn range(&mut self, lo: i64, hi: i64) -> ExprId {
        let (lo, hi) = (self.intern_const(Value::Int(lo)), self.intern_const(Value::Int(hi)));
        self.add(Expr::Range(lo, hi))
    }

    /// How many of these are true.
    pub fn count(&mut self, operands: &[ExprId]) -> ExprId {
        let list = self.intern_list(operands);
        self.add(Expr::Count(list))
    }

    /// A temporal operator with bounds.
    pub fn bounded(&mut self, op: BoundedOp, operand: ExprId, (lo, hi): (i64, i64)) -> ExprId {
        let (lo, hi) = (self.intern_const(Value::Int(lo)), self.intern_const(Value::Int(hi)));
        self.add(Expr::Bounded(op, operand, lo, hi))
    }

    /// `Q [p BU lo..hi q]`
    pub fn bounded_until(
        &mut self,
        quantifier: PathQuantifier,
        operands: [ExprId; 2],
        (lo, hi): (i64, i64),
    ) -> ExprId {
        let (lo, hi) = (self.intern_const(Value::Int(lo)), self.intern_const(Value::Int(hi)));
        let list = self.intern_list(&operands);
        self.add(Expr::BoundedUntil(quantifier, list, lo, hi))
    }

    /// An expression without value.
    pub fn fail(&mut self, failure: Failure) -> ExprId {
        self.failures.push(failure);
        self.add(Expr::Fail(FailId(self.failures.len() as u32 - 1)))
    }

    /// The operands, in order.
    pub fn operands(&self, expr: Expr) -> Operands<'_> {
        match expr {
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Next(_)
            | Expr::Define(_)
            | Expr::NextDefine(_)
            | Expr::Range(..)
            | Expr::Fail(_) => Operands::few([]),
            Expr::Unary(_, a)
            | Expr::BitSelect(a, ..)
            | Expr::Resize(a, _)
            | Expr::Bounded(_, a, ..) => Operands::few([a]),
            Expr::Binary(_, a, b) => Operands::few([a, b]),
            Expr::Ite(c, t, e) => Operands::few([c, t, e]),
            Expr::Count(list) | Expr::BoundedUntil(_, list, ..) => Operands::Many(self.list(list)),
        }
    }

    /// The same node over other operands, mapped one by one.
    pub fn map_operands(&mut self, expr: Expr, mut map: impl FnMut(ExprId) -> ExprId) -> Expr {
        match expr {
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Next(_)
            | Expr::Define(_)
            | Expr::NextDefine(_)
            | Expr::Range(..)
            | Expr::Fail(_) => expr,
            Expr::Unary(op, a) => Expr::Unary(op, map(a)),
            Expr::BitSelect(a, hi, lo) => Expr::BitSelect(map(a), hi, lo),
            Expr::Resize(a, width) => Expr::Resize(map(a), width),
            Expr::Bounded(op, a, lo, hi) => Expr::Bounded(op, map(a), lo, hi),
            Expr::Binary(op, a, b) => Expr::Binary(op, map(a), map(b)),
            Expr::Ite(c, t, e) => Expr::Ite(map(c), map(t), map(e)),
            Expr::Count(list) => {
                let mapped: Vec<_> = self.list(list).iter().map(|&e| map(e)).collect();
                Expr::Count(self.intern_list(&mapped))
            }
            Expr::BoundedUntil(quantifier, list, lo, hi) => {
                let mapped: Vec<_> = self.list(list).iter().map(|&e| map(e)).collect();
                Expr::BoundedUntil(quantifier, self.intern_list(&mapped), lo, hi)
            }
        }
    }

    /// All nodes that an expression is made of, operands first. Defines are leaves.
    pub fn reachable(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<ExprId> {
        self.below(roots.into_iter().collect(), |_| true)
    }

    /// The temporal nodes and the atoms of a formula, operands first.
    pub fn temporal_parts(&self, formula: ExprId) -> Vec<ExprId> {
        self.below(vec![formula], |id| self.ty(id) == Type::Temporal)
    }

    /// The nodes on the stack, and the operands of those that are entered.
    fn below(&self, mut stack: Vec<ExprId>, enters: impl Fn(ExprId) -> bool) -> Vec<ExprId> {
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(id) = stack.pop() {
            if seen.insert(id) && enters(id) {
                stack.extend(self.operands(self.get(id)).as_slice());
            }
        }
        let mut ids: Vec<ExprId> = seen.into_iter().collect();
        ids.sort_unstable();
        ids
    }

    /// True if an expression has at most this many nodes, shared ones counted each time: sharing
    /// can make its text exponentially longer than its graph.
    pub fn is_short(&self, root: ExprId, max_nodes: usize) -> bool {
        let mut stack = vec![root];
        let mut n_nodes = 0;
        while let Some(id) = stack.pop() {
            n_nodes += 1;
            if n_nodes > max_nodes {
                return false;
            }
            stack.extend(self.operands(self.get(id)).as_slice());
        }
        true
    }

    /// The same expression about the next state, if it was made before.
    pub fn known_prime(&self, root: ExprId) -> Option<ExprId> {
        self.primed.get(root.0 as usize).copied().flatten()
    }

    /// The expression about the next state: `next(e)`. Variables that are already primed stay.
    pub fn prime(&mut self, root: ExprId) -> ExprId {
        // What reads no variable, and what is known already, needs no walk.
        if self.info(root).reads == Reads::NOTHING {
            return root;
        }
        if let Some(Some(known)) = self.primed.get(root.0 as usize) {
            return *known;
        }
        if let Some(leaf) = self.prime_leaf(root) {
            return leaf;
        }
        // Every part is remembered, since occurrences ask for the parts too.
        for id in self.reachable([root]) {
            let primed = self.prime_leaf(id).unwrap_or_else(|| {
                let expr = self.get(id);
                let primed = &self.primed;
                let part = |operand: ExprId| primed[operand.0 as usize].unwrap_or(operand);
                let parts: Vec<ExprId> =
                    self.operands(expr).as_slice().iter().map(|&operand| part(operand)).collect();
                let mut parts = parts.into_iter();
                let mapped = self.map_operands(expr, |operand| parts.next().unwrap_or(operand));
                self.add(mapped)
            });
            if self.primed.len() <= id.0 as usize {
                self.primed.resize(id.0 as usize + 1, None);
            }
            self.primed[id.0 as usize] = Some(primed);
        }
        self.primed[root.0 as usize].unwrap_or(root)
    }

    fn prime_leaf(&mut self, id: ExprId) -> Option<ExprId> {
        let Info { ty, reads } = self.info(id);
        let primed = Info { ty, reads: reads.primed() };
        match self.get(id) {
            Expr::Var(v) => Some(self.declare(Expr::Next(v), primed)),
            _ if reads == Reads::NOTHING => Some(id),
            Expr::Define(d) => Some(self.declare(Expr::NextDefine(d), primed)),
            _ => None,
        }
    }

    fn reads_of(&self, expr: Expr) -> Reads {
        let operands = self.operands(expr);
        operands
            .as_slice()
            .iter()
            .fold(Reads::NOTHING, |reads, &operand| reads.and(self.info(operand).reads))
    }

    fn intern_const(&mut self, value: Value) -> ConstId {
        ConstId(intern(&mut self.consts, &mut self.const_table, &value, |v| *v))
    }

    fn intern_list(&mut self, operands: &[ExprId]) -> ListId {
        ListId(intern(&mut self.lists, &mut self.list_table, operands, |o| Box::from(o)))
    }
}

fn intern<T, Q>(
    items: &mut Vec<T>,
    table: &mut HashTable<u32>,
    item: &Q,
    own: impl FnOnce(&Q) -> T,
) -> u32
where
    T: std::borrow::Borrow<Q>,
    Q: Hash + Eq + ?Sized,
{
    let hash = FxBuildHasher.hash_one(item);
    if let Some(&idx) = table.find(hash, |&idx| items[idx as usize].borrow() == item) {
        return idx;
    }
    let idx = items.len() as u32;
    items.push(own(item));
    table.insert_unique(hash, idx, |&idx| FxBuildHasher.hash_one(items[idx as usize].borrow()));
    idx
}

/// The operands of a node.
pub enum Operands<'a> {
    /// Up to three.
    Few([ExprId; 3], usize),
    /// A list of them.
    Many(&'a [ExprId]),
}

impl<'a> Operands<'a> {
    fn few<const N: usize>(ids: [ExprId; N]) -> Operands<'a> {
        let mut all = [ExprId(0); 3];
        all[..N].copy_from_slice(&ids);
        Operands::Few(all, N)
    }

    /// All of them.
    pub fn as_slice(&self) -> &[ExprId] {
        match self {
            Operands::Few(ids, n_ids) => &ids[..*n_ids],
            Operands::Many(ids) => ids,
        }
    }
}
