//! Compiles expressions of the model to nodes.

use trapline_model::{BinaryOp, Expr, ExprId, Type, UnaryOp, VarId, VarKind};

use crate::answer::Why;

use super::calc::Calc;
use super::number::encode;
use super::{Choice, Code, Coder, Compiled, Members, Reg, Slot};

/// A longer range on the left of `in` is not enumerated.
const MAX_RANGE: usize = 4096;

impl Coder<'_> {
    /// Compiles an expression, over the current or the next state.
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
            // Otherwise every part of a long chain would have a list of its own.
            Expr::Binary(BinaryOp::Union, ..) => {
                exprs.chain(BinaryOp::Union, id).into_iter().map(|e| (e, primed)).collect()
            }
            Expr::Ite(..) if matches!(exprs.ty(id), Type::Set(_)) => {
                self.branches(id).into_iter().map(|e| (e, primed)).collect()
            }
            expr => exprs.operands(expr).as_slice().iter().map(|&e| (e, primed)).collect(),
        }
    }

    /// The conditions and values of a chain of `?:`, and the value where all conditions are false.
    fn branches(&self, id: ExprId) -> Vec<ExprId> {
        let (mut parts, mut rest) = (Vec::new(), id);
        while let Expr::Ite(c, t, e) = self.model.exprs.get(rest) {
            parts.extend([c, t]);
            rest = e;
        }
        parts.push(rest);
        parts
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
            Expr::Binary(BinaryOp::Union, ..) => self.union(&codes),
            Expr::Binary(op, a, b) => {
                let types = [a, b].map(|operand| self.model.exprs.ty(operand));
                self.binary(op, types, &codes[0], &codes[1])?
            }
            Expr::Ite(..) => self.select_code(&codes),
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

    /// A controlling operand may mask that the other is undefined.
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
        // The controlling value: 0 of `&`, 1 of `|`.
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
        // An undefined operand has an arbitrary value, so the controlled result is set explicitly.
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

    /// The code of a chain of `?:`: conditions and values in turn, and the last value.
    fn select_code(&mut self, parts: &[Code]) -> Code {
        let (branches, last) = parts.split_at(parts.len() - 1);
        let mut fails = last[0].fails;
        for branch in branches.chunks_exact(2).rev() {
            let inner = self.select(one(&branch[0]), branch[1].fails, fails);
            fails = self.or(branch[0].fails, inner);
        }
        let value = match parts {
            [c, Code { value: Compiled::One(t), .. }, Code { value: Compiled::One(e), .. }] => {
                Compiled::One(self.select(one(c), *t, *e))
            }
            _ => Compiled::Set(self.select_members(branches, &last[0])),
        };
        Code { value, fails }
    }

    /// The members of a chain of `?:`. A branch that is always undefined has none.
    fn select_members(&mut self, branches: &[Code], last: &Code) -> Vec<Choice> {
        let mut above = self.constant(1);
        let mut all = Vec::new();
        for branch in branches.chunks_exact(2) {
            let cond = one(&branch[0]);
            let here = self.and(above, cond);
            all.extend(self.guarded(here, &branch[1]));
            let not = self.not(cond);
            above = self.and(above, not);
        }
        all.extend(self.guarded(above, last));
        all
    }

    /// The members of a code, guarded by a condition.
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

    fn union(&mut self, codes: &[Code]) -> Code {
        let all = codes.iter().flat_map(|code| self.members(code)).collect();
        let never = self.constant(0);
        let fails = codes.iter().fold(never, |fails, code| self.or(fails, code.fails));
        Code { value: Compiled::Set(all), fails }
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

    /// Set membership of a node's value.
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

    /// Interval membership of a node's value.
    pub fn is_between(&mut self, reg: Reg, lo: i64, hi: i64) -> Reg {
        let (lo, hi) = (self.constant(lo), self.constant(hi));
        let below = self.calc(Calc::Lt, reg, lo);
        let above = self.calc(Calc::Lt, hi, reg);
        let outside = self.or(below, above);
        self.not(outside)
    }

    /// True if all integers from `lo` to `hi` are members of the set.
    fn covers(&mut self, lo: i64, hi: i64, set: &[Choice]) -> Result<Reg, Why> {
        if hi.saturating_sub(lo) as u64 >= MAX_RANGE as u64 {
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
}

/// The only value of a code that is not a set.
fn one(code: &Code) -> Reg {
    match &code.value {
        Compiled::One(reg) => *reg,
        Compiled::Set(_) => unreachable!("the type checker admits no operators on sets"),
    }
}

fn temporal() -> Why {
    Why::Unsupported("a temporal operator inside an expression".into())
}
