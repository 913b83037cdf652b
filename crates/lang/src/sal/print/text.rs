//! Expressions of a model as SAL text.
//!
//! No recursion: a stack of what is still to be written.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{
    BinaryOp, DefineId, Expr, ExprId, Model, Ratio, Reads, Type, UnaryOp, Value, VarId, VarKind,
};

use super::bounds::{Bounds, Interval, number};
use super::enums::{Enums, is_enumerated};
use super::helpers::Helper;

/// How tightly operators bind; more is tighter.
pub(super) mod prec {
    pub const LOOSEST: u8 = 0;
    pub const IFF: u8 = 1;
    pub const IMPLIES: u8 = 2;
    pub const XOR: u8 = 3;
    pub const OR: u8 = 4;
    pub const AND: u8 = 5;
    pub const NOT: u8 = 6;
    pub const COMPARISON: u8 = 7;
    /// A sign, which stands in parentheses inside a sum.
    pub const SIGN: u8 = 8;
    pub const SUM: u8 = 9;
    pub const PRODUCT: u8 = 10;
    pub const TIGHTEST: u8 = 12;
}

/// What a conjunct may be without parentheses.
pub(super) const CONJUNCT: u8 = prec::AND;

/// Everything that has a name.
#[derive(Debug)]
pub(super) struct Names {
    /// The variables.
    pub vars: Vec<String>,
    /// The definitions.
    pub defines: Vec<String>,
    /// The choices that are variables of a command.
    pub bound: FxHashSet<VarId>,
    /// Expressions that are written by a name.
    pub shared: FxHashMap<ExprId, String>,
    /// The functions.
    pub helpers: FxHashMap<Helper, String>,
}

/// Writes expressions.
#[derive(Debug)]
pub(super) struct Writer<'m> {
    pub model: &'m Model,
    pub names: &'m Names,
    pub enums: &'m Enums,
    pub bounds: RefCell<Bounds>,
    /// The functions that were needed so far.
    pub needed: RefCell<BTreeSet<Helper>>,
}

/// What is still to be written.
pub(super) enum Task {
    Text(&'static str),
    Owned(String),
    Many(Vec<Task>),
    Expr(ExprId, u8),
    /// A value among symbols, which may be an integer.
    Symbol(ExprId, u8),
    /// That the value with this name is what an expression gives, or in the set that it gives; among
    /// symbols, or not.
    Member(String, ExprId, u8, bool),
}

/// How tightly it binds, and what it consists of.
pub(super) type Written = (u8, Vec<Task>);

impl Writer<'_> {
    /// The expression, or its name; with parentheses if it binds less tightly.
    pub fn expr(&self, id: ExprId, min: u8) -> String {
        self.finish(vec![Task::Expr(id, min)])
    }

    /// The expression itself, even if it has a name.
    pub fn body(&self, id: ExprId) -> String {
        let (_, mut tasks) = self.node(id);
        tasks.reverse();
        self.finish(tasks)
    }

    /// An expression that gives a variable of symbols its value.
    pub fn symbol(&self, id: ExprId) -> String {
        self.finish(vec![Task::Symbol(id, prec::LOOSEST)])
    }

    /// That `v` is in the set.
    pub fn member(&self, set: ExprId, is_symbol: bool) -> String {
        self.finish(vec![Task::Member("v".into(), set, prec::LOOSEST, is_symbol)])
    }

    /// The members of a set, if they are listed.
    pub fn listed(&self, set: ExprId, is_symbol: bool) -> Option<String> {
        let exprs = &self.model.exprs;
        let members = exprs.chain(BinaryOp::Union, set);
        if members.iter().any(|&member| matches!(exprs.ty(member), Type::Set(_))) {
            return None;
        }
        let tasks = |member| match is_symbol {
            true => Task::Symbol(member, prec::LOOSEST),
            false => Task::Expr(member, prec::LOOSEST),
        };
        let members: Vec<String> =
            members.into_iter().map(|member| self.finish(vec![tasks(member)])).collect();
        Some(format!("{{{}}}", members.join(", ")))
    }

    /// The type of what has a name of its own.
    pub fn type_of(&self, id: ExprId) -> String {
        match self.model.exprs.ty(id) {
            Type::Bool | Type::Temporal | Type::Never => "BOOLEAN".into(),
            Type::Real => "REAL".into(),
            Type::Int | Type::Word { .. } => match self.interval(id) {
                Some((lo, hi)) => format!("[{lo}..{hi}]"),
                None => "INTEGER".into(),
            },
            _ => self.enums.type_of(id).unwrap_or("INTEGER").into(),
        }
    }

    /// The bounds of an integer.
    pub fn interval(&self, id: ExprId) -> Interval {
        self.bounds.borrow_mut().of(self.model, id)
    }

    fn finish(&self, mut stack: Vec<Task>) -> String {
        let mut text = String::new();
        while let Some(task) = stack.pop() {
            let (own, min, mut tasks) = match task {
                Task::Text(part) => {
                    text.push_str(part);
                    continue;
                }
                Task::Owned(part) => {
                    text.push_str(&part);
                    continue;
                }
                Task::Many(tasks) => {
                    stack.extend(tasks.into_iter().rev());
                    continue;
                }
                Task::Expr(id, min) => match self.named(id) {
                    Ok(name) => {
                        text.push_str(name);
                        continue;
                    }
                    Err(id) => {
                        let (own, tasks) = self.node(id);
                        (own, min, tasks)
                    }
                },
                Task::Symbol(id, min) if is_enumerated(self.model.exprs.ty(id)) => {
                    stack.push(Task::Expr(id, min));
                    continue;
                }
                Task::Symbol(id, min) => {
                    let (own, tasks) = self.symbol_of(id);
                    (own, min, tasks)
                }
                Task::Member(of, set, min, is_symbol) => {
                    let (own, tasks) = self.member_of(of, set, is_symbol);
                    (own, min, tasks)
                }
            };
            if own < min {
                tasks.insert(0, Task::Text("("));
                tasks.push(Task::Text(")"));
            }
            stack.extend(tasks.into_iter().rev());
        }
        text
    }

    /// The name of an expression, or what it is without the operators that are only in its type.
    fn named(&self, mut id: ExprId) -> Result<&str, ExprId> {
        let exprs = &self.model.exprs;
        loop {
            if let Some(name) = self.names.shared.get(&id) {
                return Ok(name);
            }
            match exprs.get(id) {
                Expr::Unary(UnaryOp::ToInt, a) if exprs.ty(a) != Type::Bool => id = a,
                Expr::Unary(UnaryOp::ToBool, a) if exprs.ty(a) == Type::Bool => id = a,
                _ => return Err(id),
            }
        }
    }

    fn node(&self, id: ExprId) -> Written {
        let (model, exprs) = (self.model, &self.model.exprs);
        match exprs.get(id) {
            Expr::Const(c) => self.constant(exprs.constant(c)),
            Expr::Var(v) => atom(self.var(v)),
            Expr::Next(v) => atom(format!("{}'", self.names.vars[v.0 as usize])),
            Expr::Define(d) => atom(self.define(d)),
            Expr::NextDefine(d) => {
                let is_constant = exprs.info(id).reads == Reads::NOTHING;
                atom(format!("{}{}", self.define(d), if is_constant { "" } else { "'" }))
            }
            Expr::Unary(op, a) => self.unary(op, a),
            Expr::Binary(op, a, b) => self.binary(id, op, a, b),
            Expr::Ite(..) => self.choice(id, is_enumerated(exprs.ty(id))),
            Expr::BitSelect(a, high, low) => self.bit_select(a, high, low),
            Expr::Resize(a, width) => self.resize(a, width),
            Expr::Count(list) => {
                let mut tasks = Vec::new();
                for (idx, &operand) in exprs.list(list).iter().enumerate() {
                    tasks.push(Task::Text(if idx == 0 { "" } else { " + " }));
                    tasks.push(one_if(operand));
                }
                match tasks.len() {
                    0 => atom("0".into()),
                    _ => (prec::SUM, tasks),
                }
            }
            // Bounds are refused before; what has no value is never needed, nor is a set by itself.
            Expr::Range(..) | Expr::Bounded(..) | Expr::BoundedUntil(..) | Expr::Fail(_) => {
                debug_assert!(model.exprs.ty(id) != Type::Temporal, "refused before");
                atom("FALSE".into())
            }
        }
    }

    fn var(&self, var: VarId) -> String {
        let name = &self.names.vars[var.0 as usize];
        let is_of_step = self.model.var(var).kind == VarKind::Input;
        match is_of_step && !self.names.bound.contains(&var) {
            true => format!("{name}'"),
            false => name.clone(),
        }
    }

    fn define(&self, define: DefineId) -> String {
        self.names.defines[define.0 as usize].clone()
    }

    fn constant(&self, value: Value) -> Written {
        match value {
            Value::Bool(true) => atom("TRUE".into()),
            Value::Bool(false) => atom("FALSE".into()),
            Value::Symbol(_) => atom(self.enums.name(value).unwrap_or("FALSE").into()),
            Value::Int(_) | Value::Word(_) => {
                let number = number(value).unwrap_or(0);
                // A sign inside a sum would be taken for an operator by the reader's eye.
                let own = if number < 0 { prec::SIGN } else { prec::TIGHTEST };
                (own, vec![Task::Owned(number.to_string())])
            }
            Value::Real(ratio) => real(ratio),
        }
    }

    fn unary(&self, op: UnaryOp, a: ExprId) -> Written {
        use UnaryOp as Op;
        let ty = self.model.exprs.ty(a);
        match op {
            _ if matches!(ty, Type::Word { .. }) => self.word(op, a),
            Op::Not => (prec::NOT, vec![Task::Text("NOT "), Task::Expr(a, prec::TIGHTEST)]),
            Op::Neg => (prec::SIGN, vec![Task::Text("-"), Task::Expr(a, prec::TIGHTEST)]),
            Op::Abs => self.call(Helper::Abs, vec![Task::Expr(a, prec::LOOSEST)]),
            Op::ToBool => {
                let tasks = vec![Task::Expr(a, prec::COMPARISON + 1), Task::Text(" /= 0")];
                (prec::COMPARISON, tasks)
            }
            Op::ToWord1 | Op::ToInt => (prec::TIGHTEST, vec![one_if(a)]),
            // Of words only, or refused before.
            Op::ToSigned | Op::ToUnsigned | Op::Floor => atom("0".into()),
            _ => apply(temporal(op), &[a]),
        }
    }

    fn binary(&self, id: ExprId, op: BinaryOp, a: ExprId, b: ExprId) -> Written {
        use BinaryOp as Op;
        use prec::{AND, COMPARISON, IFF, IMPLIES, OR, PRODUCT, SUM, XOR};
        let exprs = &self.model.exprs;
        if let Type::Word { signed, width } = exprs.ty(id) {
            return self.words(op, (signed, width), a, b);
        }
        let is_real = exprs.ty(id) == Type::Real;
        match op {
            Op::And => infix(" AND ", AND, [Task::Expr(a, AND), Task::Expr(b, AND + 1)]),
            Op::Or => infix(" OR ", OR, [Task::Expr(a, OR), Task::Expr(b, OR + 1)]),
            Op::Xor => infix(" XOR ", XOR, [Task::Expr(a, XOR), Task::Expr(b, XOR + 1)]),
            Op::Xnor | Op::Iff => {
                infix(" <=> ", IFF, [Task::Expr(a, IFF + 1), Task::Expr(b, IFF + 1)])
            }
            Op::Implies => {
                infix(" => ", IMPLIES, [Task::Expr(a, IMPLIES + 1), Task::Expr(b, IMPLIES)])
            }
            Op::Eq | Op::Ne => {
                let is_symbol = [a, b].iter().any(|&side| is_enumerated(exprs.ty(side)));
                let sides = [a, b].map(|side| match is_symbol {
                    true => Task::Symbol(side, COMPARISON + 1),
                    false => Task::Expr(side, COMPARISON + 1),
                });
                infix(if op == Op::Eq { " = " } else { " /= " }, COMPARISON, sides)
            }
            Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                let text = match op {
                    Op::Lt => " < ",
                    Op::Le => " <= ",
                    Op::Gt => " > ",
                    _ => " >= ",
                };
                infix(text, COMPARISON, [a, b].map(|side| Task::Expr(side, COMPARISON + 1)))
            }
            Op::In => self.is_in(a, b),
            Op::Add => infix(" + ", SUM, [Task::Expr(a, SUM), Task::Expr(b, SUM + 1)]),
            Op::Sub => infix(" - ", SUM, [Task::Expr(a, SUM), Task::Expr(b, SUM + 1)]),
            Op::Mul => infix(" * ", PRODUCT, [Task::Expr(a, PRODUCT), Task::Expr(b, PRODUCT + 1)]),
            Op::Div => {
                let text = if is_real { " / " } else { " DIV " };
                infix(text, PRODUCT, [Task::Expr(a, PRODUCT), Task::Expr(b, PRODUCT + 1)])
            }
            Op::Mod => self.remainder(a, b),
            Op::Min => apply("min", &[a, b]),
            Op::Max => apply("max", &[a, b]),
            Op::Eu => apply("EU", &[a, b]),
            Op::Au => apply("AU", &[a, b]),
            Op::U => apply("U", &[a, b]),
            Op::V => apply("R", &[a, b]),
            // Refused before, or of words, or sets that do not stand by themselves.
            Op::S | Op::T | Op::Union | Op::Shl | Op::Shr | Op::Concat => atom("FALSE".into()),
        }
    }

    /// The remainder: SAL's `MOD` is never negative.
    pub fn remainder(&self, a: ExprId, b: ExprId) -> Written {
        let is_natural = |id| self.interval(id).is_some_and(|(lo, _)| lo >= 0);
        if is_natural(a) && is_natural(b) {
            let sides = [Task::Expr(a, prec::PRODUCT), Task::Expr(b, prec::PRODUCT + 1)];
            return infix(" MOD ", prec::PRODUCT, sides);
        }
        let operands = [Task::Expr(a, prec::LOOSEST), Task::Text(", ")];
        let last = Task::Expr(b, prec::LOOSEST);
        self.call(Helper::Rem, operands.into_iter().chain([last]).collect())
    }
}

/// A function of the prelude.
pub(super) fn apply(name: &'static str, operands: &[ExprId]) -> Written {
    let mut tasks = vec![Task::Text(name), Task::Text("(")];
    for (idx, &operand) in operands.iter().enumerate() {
        tasks.push(Task::Text(if idx == 0 { "" } else { ", " }));
        tasks.push(Task::Expr(operand, prec::LOOSEST));
    }
    tasks.push(Task::Text(")"));
    (prec::TIGHTEST, tasks)
}

pub(super) fn atom(text: String) -> Written {
    (prec::TIGHTEST, vec![Task::Owned(text)])
}

pub(super) fn infix(text: &'static str, own: u8, [a, b]: [Task; 2]) -> Written {
    (own, vec![a, Task::Text(text), b])
}

/// One if it holds, else zero.
pub(super) fn one_if(holds: ExprId) -> Task {
    let holds = Task::Expr(holds, prec::LOOSEST);
    Task::Many(vec![Task::Text("IF "), holds, Task::Text(" THEN 1 ELSE 0 ENDIF")])
}

fn real(ratio: Ratio) -> Written {
    let own = match (ratio.den(), ratio.num()) {
        (1, 0..) => prec::TIGHTEST,
        (1, _) => prec::SIGN,
        (_, 0..) => prec::PRODUCT,
        _ => prec::SIGN,
    };
    let text = match ratio.den() {
        1 => ratio.num().to_string(),
        den => format!("{}/{den}", ratio.num()),
    };
    (own, vec![Task::Owned(text)])
}

fn temporal(op: UnaryOp) -> &'static str {
    use UnaryOp as Op;
    match op {
        Op::Ex => "EX",
        Op::Ax => "AX",
        Op::Ef => "EF",
        Op::Af => "AF",
        Op::Eg => "EG",
        Op::Ag => "AG",
        Op::X => "X",
        Op::G => "G",
        Op::F => "F",
        // About the past, and refused before; or no temporal operators.
        _ => "FALSE",
    }
}
