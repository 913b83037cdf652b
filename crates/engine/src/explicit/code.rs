//! Expressions as code over numbers.
//!
//! Every value is an `i64`: a truth value is 0 or 1, an integer or a word the number that it
//! stands for (an unsigned word of 64 bits its bits), a symbol a number far away from all
//! integers. Nodes are hash-consed, constants are folded, and intervals decide comparisons that
//! can't go both ways. An expression may fail (division by zero, no branch of a `case`): whether
//! it does is a truth value of its own, computed by the same code, and usually the constant 0.
//!
//! Nothing here uses the evaluator of the model, which replays what this code finds.

use rustc_hash::FxHashMap;
use trapline_model::{
    BinaryOp, Domain, Expr, ExprId, Model, Type, UnaryOp, Value, VarId, VarKind, Word,
};

use crate::answer::Why;

/// A node, by its number. Operands have smaller numbers.
pub type Reg = u32;

/// Symbols begin here.
const SYMBOLS: i64 = 1 << 62;
/// A set in which a choice has more options is tested, not listed.
const MAX_OPTIONS: usize = 4096;

/// One node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A constant.
    Const(i64),
    /// A variable whose value comes from outside.
    Slot(Slot),
    /// Of two numbers, or of two truth values.
    Binary(Calc, Reg, Reg),
    /// The second if the first is 1, the third if it is 0.
    Select(Reg, Reg, Reg),
    /// The low bits as a word: signed or not, of this width.
    Wrap(Reg, bool, u8),
}

/// A variable in one of the two states of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// In the state before the step; of an input, in the step.
    Current(VarId),
    /// In the state after the step.
    Next(VarId),
}

/// What a node calculates from two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Calc {
    /// Bitwise.
    And,
    /// Bitwise.
    Or,
    /// Bitwise.
    Xor,
    /// Are they equal?
    Eq,
    /// Is the first less?
    Lt,
    /// Is the first less, both read as unsigned?
    UnsignedLt,
    /// The sum; it wraps.
    Add,
    /// The difference; it wraps.
    Sub,
    /// The product; it wraps.
    Mul,
    /// The quotient towards zero; by zero it is 0.
    Div,
    /// The remainder with the sign of the first; by zero it is 0.
    Rem,
    /// The quotient of unsigned numbers.
    UnsignedDiv,
    /// The remainder of unsigned numbers.
    UnsignedRem,
    /// To the left.
    Shl,
    /// To the right, with the sign.
    Shr,
    /// To the right, with zeros.
    UnsignedShr,
    /// Does the sum not fit?
    AddOverflows,
    /// Does the difference not fit?
    SubOverflows,
    /// Does the product not fit?
    MulOverflows,
}

/// What an expression was compiled to.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// Its value.
    pub value: Compiled,
    /// Does it fail? Then the value means nothing.
    pub fails: Reg,
}

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Compiled {
    /// A single value.
    One(Reg),
    /// A set of values: those of the options whose guard is 1.
    Set(Vec<Choice>),
}

/// Some members of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Do they belong to the set?
    pub guard: Reg,
    /// Which ones.
    pub members: Members,
}

/// Members of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// One.
    One(Reg),
    /// All integers from one to another.
    Range(i64, i64),
}

/// The code of some expressions of a model.
pub struct Coder<'m> {
    /// The model.
    pub model: &'m Model,
    ops: Vec<Op>,
    bounds: Vec<(i64, i64)>,
    users: Vec<Vec<Reg>>,
    known: FxHashMap<Op, Reg>,
    done: FxHashMap<(ExprId, bool), Code>,
    /// Is the next value of a frozen variable written as its current one? In NuSMV too, an
    /// expression with nothing else of the next state is about a state.
    pub freezes: bool,
}

impl<'m> Coder<'m> {
    /// No code yet.
    pub fn new(model: &'m Model) -> Coder<'m> {
        Coder {
            model,
            ops: Vec::new(),
            bounds: Vec::new(),
            users: Vec::new(),
            known: FxHashMap::default(),
            done: FxHashMap::default(),
            freezes: false,
        }
    }

    /// All nodes.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// A node.
    pub fn op(&self, reg: Reg) -> Op {
        self.ops[reg as usize]
    }

    /// The nodes that a node is an operand of.
    pub fn users(&self, reg: Reg) -> &[Reg] {
        &self.users[reg as usize]
    }

    /// The least and the greatest value of a node.
    pub fn bounds(&self, reg: Reg) -> (i64, i64) {
        self.bounds[reg as usize]
    }

    /// The constant that a node is.
    pub fn as_const(&self, reg: Reg) -> Option<i64> {
        match self.op(reg) {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }

    /// A constant.
    pub fn constant(&mut self, value: i64) -> Reg {
        self.intern(Op::Const(value), (value, value))
    }

    /// A variable.
    pub fn slot(&mut self, slot: Slot) -> Reg {
        let (Slot::Current(var) | Slot::Next(var)) = slot;
        let bounds = domain_bounds(&self.model.var(var).domain);
        self.intern(Op::Slot(slot), bounds)
    }

    /// Compiles an expression, or the same about the next state.
    ///
    /// # Errors
    /// When it has values that are no numbers here.
    pub fn compile(&mut self, root: ExprId, primed: bool) -> Result<Code, Why> {
        let mut stack = vec![(root, primed)];
        while let Some(&(id, primed)) = stack.last() {
            if self.done.contains_key(&(id, primed)) {
                stack.pop();
                continue;
            }
            let height = stack.len();
            let parts = self.parts(id, primed);
            stack.extend(parts.iter().filter(|part| !self.done.contains_key(part)));
            if stack.len() == height {
                let code = self.node(id, primed, &parts)?;
                self.done.insert((id, primed), code);
                stack.pop();
            }
        }
        Ok(self.done[&(root, primed)].clone())
    }

    /// Compiles a Boolean expression.
    ///
    /// # Errors
    /// When it has parts whose values are no numbers here.
    pub fn truth(&mut self, root: ExprId, primed: bool) -> Result<(Reg, Reg), Why> {
        let code = self.compile(root, primed)?;
        Ok((one(&code), code.fails))
    }

    fn parts(&self, id: ExprId, primed: bool) -> Vec<(ExprId, bool)> {
        let exprs = &self.model.exprs;
        match exprs.get(id) {
            Expr::Define(d) => vec![(self.model.define(d).body.expr, primed)],
            Expr::NextDefine(d) => vec![(self.model.define(d).body.expr, true)],
            expr => exprs.operands(expr).as_slice().iter().map(|&e| (e, primed)).collect(),
        }
    }

    fn node(&mut self, id: ExprId, primed: bool, parts: &[(ExprId, bool)]) -> Result<Code, Why> {
        let expr = self.model.exprs.get(id);
        let never = self.constant(0);
        let plain = |value: Reg| Code { value: Compiled::One(value), fails: never };
        let codes: Vec<Code> = parts.iter().map(|part| self.done[part].clone()).collect();
        Ok(match expr {
            Expr::Const(c) => {
                let number = encode(self.model.exprs.constant(c))?;
                plain(self.constant(number))
            }
            Expr::Var(var) => plain(self.variable(var, primed)),
            Expr::Next(var) => plain(self.variable(var, true)),
            Expr::Define(_) | Expr::NextDefine(_) => codes[0].clone(),
            Expr::Unary(op, a) => self.unary(op, self.model.exprs.ty(a), &codes[0])?,
            Expr::Binary(op, a, b) => {
                let types = [a, b].map(|operand| self.model.exprs.ty(operand));
                self.binary(op, types, &codes[0], &codes[1])?
            }
            Expr::Ite(..) => self.select_code(&codes[0], &codes[1], &codes[2]),
            Expr::Range(lo, hi) => {
                let number = |c| self.model.exprs.constant(c).as_int().unwrap_or(0);
                let members = Members::Range(number(lo), number(hi));
                let guard = self.constant(1);
                Code { value: Compiled::Set(vec![Choice { guard, members }]), fails: never }
            }
            Expr::BitSelect(_, high, low) => {
                let (a, low) = (one(&codes[0]), self.constant(low.into()));
                let shifted = self.calc(Calc::UnsignedShr, a, low);
                let width = high - self.as_const(low).unwrap_or(0) as u8 + 1;
                Code { value: Compiled::One(self.wrap(shifted, false, width)), ..codes[0] }
            }
            Expr::Resize(a, width) => {
                let value = self.resize(one(&codes[0]), self.model.exprs.ty(a), width);
                Code { value: Compiled::One(value), ..codes[0] }
            }
            Expr::Count(_) => {
                let sum = codes.iter().fold(never, |sum, c| self.calc(Calc::Add, sum, one(c)));
                let fails = codes.iter().fold(never, |f, code| self.or(f, code.fails));
                Code { value: Compiled::One(sum), fails }
            }
            Expr::Fail(_) => Code { value: Compiled::One(never), fails: self.constant(1) },
            Expr::Bounded(..) | Expr::BoundedUntil(..) => return Err(temporal()),
        })
    }

    fn variable(&mut self, var: VarId, primed: bool) -> Reg {
        let is_frozen = self.freezes && self.model.var(var).kind == VarKind::Frozen;
        self.slot(if primed && !is_frozen { Slot::Next(var) } else { Slot::Current(var) })
    }

    fn unary(&mut self, op: UnaryOp, ty: Type, code: &Code) -> Result<Code, Why> {
        use UnaryOp as Op;
        let a = one(code);
        let zero = self.constant(0);
        let mut fails = code.fails;
        let value = match (op, ty) {
            (Op::Not, Type::Word { signed, width }) => {
                let ones = self.constant(-1);
                let flipped = self.calc(Calc::Xor, a, ones);
                self.wrap(flipped, signed, width)
            }
            (Op::Not, _) => self.not(a),
            (Op::Neg | Op::Abs, Type::Word { signed, width }) => {
                let negative = self.calc(Calc::Sub, zero, a);
                let negative = self.wrap(negative, signed, width);
                let is_negative = self.calc(Calc::Lt, a, zero);
                let is_negative = if signed { is_negative } else { zero };
                if op == Op::Neg { negative } else { self.select(is_negative, negative, a) }
            }
            (Op::Neg | Op::Abs, _) => {
                let least = self.constant(i64::MIN);
                let is_least = self.calc(Calc::Eq, a, least);
                fails = self.or(fails, is_least);
                let negative = self.calc(Calc::Sub, zero, a);
                let is_negative = self.calc(Calc::Lt, a, zero);
                if op == Op::Neg { negative } else { self.select(is_negative, negative, a) }
            }
            (Op::ToBool, _) => {
                let is_zero = self.calc(Calc::Eq, a, zero);
                self.not(is_zero)
            }
            (Op::ToInt, Type::Word { signed: false, width: 64 }) => {
                let is_large = self.calc(Calc::Lt, a, zero);
                fails = self.or(fails, is_large);
                a
            }
            (Op::ToSigned, Type::Word { width, .. }) => self.wrap(a, true, width),
            (Op::ToUnsigned, Type::Word { width, .. }) => self.wrap(a, false, width),
            (Op::ToWord1 | Op::ToInt | Op::Floor, _) => a,
            _ => return Err(temporal()),
        };
        Ok(Code { value: Compiled::One(value), fails })
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        types: [Type; 2],
        left: &Code,
        right: &Code,
    ) -> Result<Code, Why> {
        use BinaryOp as Op;
        match (op, types[0]) {
            (Op::Union, _) => return Ok(self.union(left, right)),
            (Op::In, _) => return self.included(left, right),
            (Op::And | Op::Or | Op::Implies, Type::Bool | Type::Never) => {
                return Ok(self.connective(op, left, right));
            }
            _ => {}
        }
        let (a, b) = (one(left), one(right));
        let both = self.or(left.fails, right.fails);
        let (value, fails) = match types {
            [Type::Word { width: above, .. }, Type::Word { width: below, .. }]
                if op == Op::Concat =>
            {
                (self.concat((a, above), (b, below)), self.constant(0))
            }
            [Type::Word { signed, width }, _] => self.words(op, (signed, width), a, b)?,
            _ => self.numbers(op, a, b)?,
        };
        Ok(Code { value: Compiled::One(value), fails: self.or(both, fails) })
    }

    /// One side may decide alone, and hide that the other fails.
    fn connective(&mut self, op: BinaryOp, left: &Code, right: &Code) -> Code {
        let negated = op == BinaryOp::Implies;
        let a = if negated { self.not(one(left)) } else { one(left) };
        let b = one(right);
        let calc = if op == BinaryOp::And { Calc::And } else { Calc::Or };
        let value = self.calc(calc, a, b);
        let never = self.constant(0);
        if left.fails == never && right.fails == never {
            return Code { value: Compiled::One(value), fails: never };
        }
        // The value that decides alone: 0 of `&`, 1 of `|`.
        let decides =
            |coder: &mut Self, reg| if op == BinaryOp::And { coder.not(reg) } else { reg };
        let sure = |coder: &mut Self, reg, fails| {
            let works = coder.not(fails);
            let decided = decides(coder, reg);
            coder.and(works, decided)
        };
        let (by_a, by_b) = (sure(self, a, left.fails), sure(self, b, right.fails));
        let decided = self.or(by_a, by_b);
        let undecided = self.not(decided);
        let any = self.or(left.fails, right.fails);
        let fails = self.and(undecided, any);
        // A side that fails has an arbitrary value: what is decided is said again.
        let decided_value = self.constant(i64::from(op != BinaryOp::And));
        let value = self.select(decided, decided_value, value);
        Code { value: Compiled::One(value), fails }
    }

    fn numbers(&mut self, op: BinaryOp, a: Reg, b: Reg) -> Result<(Reg, Reg), Why> {
        use BinaryOp as Op;
        let never = self.constant(0);
        Ok(match op {
            Op::Xor | Op::Ne => {
                let equal = self.calc(Calc::Eq, a, b);
                (self.not(equal), never)
            }
            Op::Xnor | Op::Iff | Op::Eq => (self.calc(Calc::Eq, a, b), never),
            Op::Add => self.checked(Calc::Add, Calc::AddOverflows, a, b),
            Op::Sub => self.checked(Calc::Sub, Calc::SubOverflows, a, b),
            Op::Mul => self.checked(Calc::Mul, Calc::MulOverflows, a, b),
            Op::Div | Op::Mod => {
                let (least, minus) = (self.constant(i64::MIN), self.constant(-1));
                let is_least = self.calc(Calc::Eq, a, least);
                let is_minus = self.calc(Calc::Eq, b, minus);
                let overflows = self.and(is_least, is_minus);
                let by_zero = self.calc(Calc::Eq, b, never);
                let calc = if op == Op::Div { Calc::Div } else { Calc::Rem };
                (self.calc(calc, a, b), self.or(overflows, by_zero))
            }
            _ => (self.compare(op, Calc::Lt, a, b)?, never),
        })
    }

    fn checked(&mut self, calc: Calc, overflows: Calc, a: Reg, b: Reg) -> (Reg, Reg) {
        (self.calc(calc, a, b), self.calc(overflows, a, b))
    }

    /// Comparisons, `min` and `max`.
    fn compare(&mut self, op: BinaryOp, less: Calc, a: Reg, b: Reg) -> Result<Reg, Why> {
        use BinaryOp as Op;
        let a_less = self.calc(less, a, b);
        let b_less = self.calc(less, b, a);
        Ok(match op {
            Op::Lt => a_less,
            Op::Gt => b_less,
            Op::Le => self.not(b_less),
            Op::Ge => self.not(a_less),
            Op::Min => self.select(a_less, a, b),
            Op::Max => self.select(a_less, b, a),
            _ => return Err(temporal()),
        })
    }

    fn words(
        &mut self,
        op: BinaryOp,
        (signed, width): (bool, u8),
        a: Reg,
        b: Reg,
    ) -> Result<(Reg, Reg), Why> {
        use BinaryOp as Op;
        let never = self.constant(0);
        // Only these need all 64 bits for an unsigned number.
        let is_full = !signed && width == 64;
        let calc = match op {
            Op::And => Calc::And,
            Op::Or => Calc::Or,
            Op::Xor => Calc::Xor,
            Op::Add => Calc::Add,
            Op::Sub => Calc::Sub,
            Op::Mul => Calc::Mul,
            Op::Div => {
                if is_full {
                    Calc::UnsignedDiv
                } else {
                    Calc::Div
                }
            }
            Op::Mod => {
                if is_full {
                    Calc::UnsignedRem
                } else {
                    Calc::Rem
                }
            }
            Op::Eq => return Ok((self.calc(Calc::Eq, a, b), never)),
            Op::Ne => {
                let equal = self.calc(Calc::Eq, a, b);
                return Ok((self.not(equal), never));
            }
            Op::Xnor | Op::Iff | Op::Implies => {
                let ones = self.constant(-1);
                let flipped = self.calc(Calc::Xor, a, ones);
                let calc = if op == Op::Implies { Calc::Or } else { Calc::Xor };
                let bits = self.calc(calc, flipped, b);
                return Ok((self.wrap(bits, signed, width), never));
            }
            Op::Shl | Op::Shr => return Ok(self.shift(op, (signed, width), a, b)),
            _ => {
                let less = if is_full { Calc::UnsignedLt } else { Calc::Lt };
                return Ok((self.compare(op, less, a, b)?, never));
            }
        };
        let bits = self.calc(calc, a, b);
        let is_division = matches!(op, Op::Div | Op::Mod);
        let fails = if is_division { self.calc(Calc::Eq, b, never) } else { never };
        Ok((self.wrap(bits, signed, width), fails))
    }

    fn shift(
        &mut self,
        op: BinaryOp,
        (signed, width): (bool, u8),
        a: Reg,
        amount: Reg,
    ) -> (Reg, Reg) {
        let limit = self.constant(i64::from(width) + 1);
        // A negative amount is a large unsigned one.
        let is_small = self.calc(Calc::UnsignedLt, amount, limit);
        let calc = match (op, signed) {
            (BinaryOp::Shl, _) => Calc::Shl,
            (_, true) => Calc::Shr,
            (_, false) => Calc::UnsignedShr,
        };
        let bits = self.calc(calc, a, amount);
        (self.wrap(bits, signed, width), self.not(is_small))
    }

    fn concat(&mut self, (a, above): (Reg, u8), (b, below): (Reg, u8)) -> Reg {
        let amount = self.constant(below.into());
        let high = self.calc(Calc::Shl, a, amount);
        let low = self.wrap(b, false, below);
        let bits = self.calc(Calc::Or, high, low);
        self.wrap(bits, false, above + below)
    }

    fn resize(&mut self, a: Reg, ty: Type, width: u8) -> Reg {
        let Type::Word { signed, width: old } = ty else { return a };
        if !signed || width >= old {
            return self.wrap(a, signed, width);
        }
        let zero = self.constant(0);
        let is_negative = self.calc(Calc::Lt, a, zero);
        let low = self.wrap(a, false, width - 1);
        let (sign, low) = match width {
            1 => (self.constant(-1), zero),
            _ => (self.constant(-1 << (width - 1)), low),
        };
        let negative = self.calc(Calc::Or, low, sign);
        self.select(is_negative, negative, low)
    }

    fn select_code(&mut self, c: &Code, t: &Code, e: &Code) -> Code {
        let cond = one(c);
        let branch = self.select(cond, t.fails, e.fails);
        let fails = self.or(c.fails, branch);
        let value = match (&t.value, &e.value) {
            (Compiled::One(t), Compiled::One(e)) => Compiled::One(self.select(cond, *t, *e)),
            // A branch that always fails has no members.
            _ => {
                let not = self.not(cond);
                let mut all = self.guarded(cond, t);
                all.extend(self.guarded(not, e));
                Compiled::Set(all)
            }
        };
        Code { value, fails }
    }

    /// The members of a code where a condition holds.
    fn guarded(&mut self, cond: Reg, code: &Code) -> Vec<Choice> {
        let never = self.constant(0);
        if self.as_const(code.fails) == Some(1) {
            return Vec::new();
        }
        let mut all = self.members(code);
        for choice in &mut all {
            choice.guard = self.and(choice.guard, cond);
        }
        all.retain(|choice| choice.guard != never);
        all
    }

    /// The value of a code as a set.
    pub fn members(&mut self, code: &Code) -> Vec<Choice> {
        match &code.value {
            Compiled::One(reg) => {
                vec![Choice { guard: self.constant(1), members: Members::One(*reg) }]
            }
            Compiled::Set(choices) => choices.clone(),
        }
    }

    fn union(&mut self, left: &Code, right: &Code) -> Code {
        let mut all = self.members(left);
        all.extend(self.members(right));
        Code { value: Compiled::Set(all), fails: self.or(left.fails, right.fails) }
    }

    fn included(&mut self, left: &Code, right: &Code) -> Result<Code, Why> {
        let set = self.members(right);
        let mut all = self.constant(1);
        for choice in self.members(left) {
            let is_in = match choice.members {
                Members::One(reg) => self.is_member(reg, &set),
                Members::Range(lo, hi) => self.covers(lo, hi, &set)?,
            };
            let absent = self.not(choice.guard);
            let holds = self.or(absent, is_in);
            all = self.and(all, holds);
        }
        let fails = self.or(left.fails, right.fails);
        Ok(Code { value: Compiled::One(all), fails })
    }

    /// Is the value of a node a member of the set?
    pub fn is_member(&mut self, reg: Reg, set: &[Choice]) -> Reg {
        let mut any = self.constant(0);
        for choice in set {
            let is_this = match choice.members {
                Members::One(member) => self.calc(Calc::Eq, reg, member),
                Members::Range(lo, hi) => self.is_between(reg, lo, hi),
            };
            let is_this = self.and(choice.guard, is_this);
            any = self.or(any, is_this);
        }
        any
    }

    /// Is the value of a node at least `lo` and at most `hi`?
    pub fn is_between(&mut self, reg: Reg, lo: i64, hi: i64) -> Reg {
        let (lo, hi) = (self.constant(lo), self.constant(hi));
        let below = self.calc(Calc::Lt, reg, lo);
        let above = self.calc(Calc::Lt, hi, reg);
        let outside = self.or(below, above);
        self.not(outside)
    }

    /// Are all integers from `lo` to `hi` members of the set?
    fn covers(&mut self, lo: i64, hi: i64, set: &[Choice]) -> Result<Reg, Why> {
        if hi.saturating_sub(lo) as u64 >= MAX_OPTIONS as u64 {
            let whole = set.iter().find(
                |choice| matches!(choice.members, Members::Range(a, b) if a <= lo && hi <= b),
            );
            return whole
                .map(|choice| choice.guard)
                .ok_or_else(|| Why::Unsupported("a large range on the left side of `in`".into()));
        }
        let mut all = self.constant(1);
        for number in lo..=hi {
            let number = self.constant(number);
            let is_in = self.is_member(number, set);
            all = self.and(all, is_in);
        }
        Ok(all)
    }

    /// Negation of a truth value.
    pub fn not(&mut self, a: Reg) -> Reg {
        let one = self.constant(1);
        self.calc(Calc::Xor, a, one)
    }

    /// Conjunction of truth values.
    pub fn and(&mut self, a: Reg, b: Reg) -> Reg {
        self.calc(Calc::And, a, b)
    }

    /// Disjunction of truth values.
    pub fn or(&mut self, a: Reg, b: Reg) -> Reg {
        self.calc(Calc::Or, a, b)
    }

    /// The second if the first holds, else the third.
    pub fn select(&mut self, c: Reg, t: Reg, e: Reg) -> Reg {
        match self.as_const(c) {
            Some(0) => return e,
            Some(_) => return t,
            None if t == e => return t,
            None => {}
        }
        match (self.as_const(t), self.as_const(e)) {
            (Some(1), Some(0)) => return c,
            (Some(0), Some(1)) => return self.not(c),
            (Some(1), _) if self.is_truth(e) => return self.or(c, e),
            (_, Some(0)) if self.is_truth(t) => return self.and(c, t),
            _ => {}
        }
        let ((a, b), (x, y)) = (self.bounds(t), self.bounds(e));
        self.intern(Op::Select(c, t, e), (a.min(x), b.max(y)))
    }

    /// The low bits of a node as a word.
    pub fn wrap(&mut self, a: Reg, signed: bool, width: u8) -> Reg {
        match width {
            0 => return self.constant(0),
            64.. => return a,
            _ => {}
        }
        let bounds @ (lo, hi) = word_bounds(signed, width);
        let (least, greatest) = self.bounds(a);
        if lo <= least && greatest <= hi {
            return a;
        }
        match self.as_const(a) {
            Some(number) => self.constant(wrap(number, signed, width)),
            None => self.intern(Op::Wrap(a, signed, width), bounds),
        }
    }

    /// What a calculation gives, simplified.
    pub fn calc(&mut self, calc: Calc, a: Reg, b: Reg) -> Reg {
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.constant(calc.apply(x, y));
        }
        // Constants stand on the right, and operands are in order, so that more is shared.
        let (a, b) = match calc.is_symmetric() && (self.as_const(a).is_some() || a > b) {
            true if self.as_const(b).is_none() => (b, a),
            _ => (a, b),
        };
        if let Some(known) = self.simpler(calc, a, b) {
            return known;
        }
        let bounds = calc.bounds(self.bounds(a), self.bounds(b));
        if bounds.0 == bounds.1 {
            return self.constant(bounds.0);
        }
        self.intern(Op::Binary(calc, a, b), bounds)
    }

    fn simpler(&mut self, calc: Calc, a: Reg, b: Reg) -> Option<Reg> {
        let constant = self.as_const(b);
        let both = self.is_truth(a) && self.is_truth(b);
        match (calc, constant) {
            (Calc::And, Some(0)) => Some(b),
            (Calc::And, Some(1)) if both => Some(a),
            (Calc::Or, Some(1)) if both => Some(b),
            (Calc::Or | Calc::Xor | Calc::Add | Calc::Sub, Some(0)) => Some(a),
            (Calc::Eq, Some(1)) if both => Some(a),
            (Calc::Eq, Some(0)) if both => Some(self.not(a)),
            (Calc::And | Calc::Or, _) if a == b => Some(a),
            (Calc::Eq, _) if a == b => Some(self.constant(1)),
            (Calc::Xor, Some(1)) => match self.op(a) {
                Op::Binary(Calc::Xor, inner, one) if one == b => Some(inner),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_truth(&self, reg: Reg) -> bool {
        let (lo, hi) = self.bounds(reg);
        lo >= 0 && hi <= 1
    }

    fn intern(&mut self, op: Op, bounds: (i64, i64)) -> Reg {
        if let Some(&known) = self.known.get(&op) {
            return known;
        }
        let reg = self.ops.len() as Reg;
        for operand in operands(op) {
            self.users[operand as usize].push(reg);
        }
        self.users.push(Vec::new());
        self.ops.push(op);
        self.bounds.push(bounds);
        self.known.insert(op, reg);
        reg
    }
}

impl Calc {
    fn is_symmetric(self) -> bool {
        matches!(self, Calc::And | Calc::Or | Calc::Xor | Calc::Eq | Calc::Add | Calc::Mul)
    }

    /// What it gives.
    #[inline(always)]
    pub fn apply(self, a: i64, b: i64) -> i64 {
        match self {
            Calc::And => a & b,
            Calc::Or => a | b,
            Calc::Xor => a ^ b,
            Calc::Eq => i64::from(a == b),
            Calc::Lt => i64::from(a < b),
            Calc::UnsignedLt => i64::from((a as u64) < b as u64),
            Calc::Add => a.wrapping_add(b),
            Calc::Sub => a.wrapping_sub(b),
            Calc::Mul => a.wrapping_mul(b),
            Calc::Div => {
                if b == 0 {
                    0
                } else {
                    a.wrapping_div(b)
                }
            }
            Calc::Rem => {
                if b == 0 {
                    0
                } else {
                    a.wrapping_rem(b)
                }
            }
            Calc::UnsignedDiv => (a as u64).checked_div(b as u64).unwrap_or(0) as i64,
            Calc::UnsignedRem => (a as u64).checked_rem(b as u64).unwrap_or(0) as i64,
            Calc::Shl => {
                if (b as u64) < 64 {
                    a << b
                } else {
                    0
                }
            }
            Calc::Shr => a >> (b as u64).min(63),
            Calc::UnsignedShr => {
                if (b as u64) < 64 {
                    (a as u64 >> b) as i64
                } else {
                    0
                }
            }
            Calc::AddOverflows => i64::from(a.checked_add(b).is_none()),
            Calc::SubOverflows => i64::from(a.checked_sub(b).is_none()),
            Calc::MulOverflows => i64::from(a.checked_mul(b).is_none()),
        }
    }

    /// The least and the greatest value, as far as they are known.
    fn bounds(self, (a, b): (i64, i64), (x, y): (i64, i64)) -> (i64, i64) {
        const TRUTH: (i64, i64) = (0, 1);
        let fit = |numbers: &[i128]| {
            let (lo, hi) = (numbers.iter().min(), numbers.iter().max());
            let narrow = |n: Option<&i128>| n.and_then(|n| i64::try_from(*n).ok());
            narrow(lo).zip(narrow(hi))
        };
        let [p, q, r, s] = [a, b, x, y].map(i128::from);
        let exact = match self {
            Calc::Add | Calc::AddOverflows => fit(&[p + r, q + s]),
            Calc::Sub | Calc::SubOverflows => fit(&[p - s, q - r]),
            Calc::Mul | Calc::MulOverflows => fit(&[p * r, p * s, q * r, q * s]),
            _ => None,
        };
        match self {
            Calc::Eq if b < x || y < a => (0, 0),
            Calc::Lt if b < x => (1, 1),
            Calc::Lt if a >= y => (0, 0),
            Calc::UnsignedLt if a >= 0 && b < x => (1, 1),
            Calc::Eq | Calc::Lt | Calc::UnsignedLt => TRUTH,
            Calc::AddOverflows | Calc::SubOverflows | Calc::MulOverflows => {
                if exact.is_some() {
                    (0, 0)
                } else {
                    TRUTH
                }
            }
            Calc::Add | Calc::Sub | Calc::Mul => exact.unwrap_or((i64::MIN, i64::MAX)),
            Calc::And if a >= 0 && x >= 0 => (0, b.min(y)),
            Calc::Or | Calc::Xor if a >= 0 && x >= 0 => (0, ones(b.max(y))),
            Calc::Div if a >= 0 && x > 0 => (a / y, b / x),
            Calc::Rem if a >= 0 && x > 0 => (0, b.min(y - 1)),
            Calc::Rem if x > 0 => ((1 - y).max(a.min(0)), (y - 1).min(b.max(0))),
            _ => (i64::MIN, i64::MAX),
        }
    }
}

/// The operands of a node.
pub fn operands(op: Op) -> impl Iterator<Item = Reg> {
    let (few, n_operands) = match op {
        Op::Const(_) | Op::Slot(_) => ([0; 3], 0),
        Op::Wrap(a, ..) => ([a, 0, 0], 1),
        Op::Binary(_, a, b) => ([a, b, 0], 2),
        Op::Select(c, t, e) => ([c, t, e], 3),
    };
    few.into_iter().take(n_operands)
}

/// The least number of the form 1...1 that is not less.
fn ones(number: i64) -> i64 {
    if number == 0 { 0 } else { i64::MAX >> (number.leading_zeros() - 1) }
}

/// The only value of a code that is no set.
fn one(code: &Code) -> Reg {
    match &code.value {
        Compiled::One(reg) => *reg,
        Compiled::Set(_) => unreachable!("the type checker admits no operators on sets"),
    }
}

fn temporal() -> Why {
    Why::Unsupported("a temporal operator inside an expression".into())
}

/// The low bits as a word.
#[inline(always)]
pub fn wrap(number: i64, signed: bool, width: u8) -> i64 {
    let unused = 64 - u32::from(width);
    match signed {
        true => number << unused >> unused,
        false => ((number as u64) << unused >> unused) as i64,
    }
}

fn word_bounds(signed: bool, width: u8) -> (i64, i64) {
    match (signed, width) {
        (_, 64..) => (i64::MIN, i64::MAX),
        (true, _) => (-1 << (width - 1), (1 << (width - 1)) - 1),
        (false, _) => (0, ((1u64 << width) - 1) as i64),
    }
}

/// A value as a number.
///
/// # Errors
/// When it is none here.
pub fn encode(value: Value) -> Result<i64, Why> {
    match value {
        Value::Bool(b) => Ok(b.into()),
        Value::Int(i) => Ok(i),
        Value::Symbol(symbol) => Ok(SYMBOLS + i64::from(symbol.0)),
        Value::Word(w) => Ok(wrap(w.bits as i64, w.signed, w.width)),
        Value::Real(r) if r.den() == 1 => Ok(r.num()),
        Value::Real(_) => Err(Why::Unsupported("real numbers".into())),
    }
}

/// The value of a type that a number stands for.
pub fn decode(number: i64, ty: Type) -> Value {
    match ty {
        Type::Bool => Value::Bool(number != 0),
        Type::Word { signed, width } => Value::Word(Word::new(signed, width, number as u64)),
        Type::Int => Value::Int(number),
        _ if number >= SYMBOLS => {
            Value::Symbol(trapline_model::SymbolId((number - SYMBOLS) as u32))
        }
        _ => Value::Int(number),
    }
}

/// The least and the greatest number of a domain.
fn domain_bounds(domain: &Domain) -> (i64, i64) {
    match domain {
        Domain::Bool => (0, 1),
        Domain::Range(lo, hi) => (*lo, *hi),
        Domain::Word { signed, width } => word_bounds(*signed, *width),
        Domain::Enum(values) => {
            let numbers = || values.iter().filter_map(|&value| encode(value).ok());
            (numbers().min().unwrap_or(i64::MIN), numbers().max().unwrap_or(i64::MAX))
        }
        Domain::Integer | Domain::Real | Domain::Clock => (i64::MIN, i64::MAX),
    }
}
