//! Where an expression is defined.
//!
//! A mutation can leave a `case` without a matching branch, or divide by zero. An undefined
//! right-hand side allows nothing, so definedness has to be stated explicitly.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::transform::substitute::bottom_up;
use trapline_model::{BinaryOp, Expr, ExprId, Exprs, Model, Type, UnaryOp, Value};

/// The definedness conditions computed so far, for one pool.
#[derive(Debug, Default)]
pub struct Defined {
    known: FxHashMap<ExprId, ExprId>,
    /// Expressions in which nothing can fail.
    safe: FxHashSet<ExprId>,
    /// Expressions with a partial operator.
    partial: FxHashSet<ExprId>,
    /// The same expressions made total: see [`crate::total`].
    pub(crate) total: FxHashMap<ExprId, ExprId>,
}

impl Defined {
    /// The definedness condition of an expression: `TRUE` where nothing in it can fail. A
    /// connective is defined as soon as one operand determines it. Integer overflow beyond 64 bits
    /// is ignored.
    pub fn defined(&mut self, model: &mut Model, root: ExprId) -> ExprId {
        bottom_up(model, &mut self.known, root, operands, |model, id, parts, known| {
            of_node(&mut model.exprs, id, parts, known)
        });
        self.known[&root]
    }

    /// True if an expression contains a partial operator.
    pub fn can_fail(&mut self, model: &Model, root: ExprId) -> bool {
        let mut seen = FxHashSet::default();
        let fails = self.meets_failure(model, root, &mut seen);
        match fails {
            true => self.partial.extend([root]),
            false => self.safe.extend(seen),
        }
        fails
    }

    /// Searches for a partial operator in what is not known to be safe.
    fn meets_failure(&self, model: &Model, root: ExprId, seen: &mut FxHashSet<ExprId>) -> bool {
        let exprs = &model.exprs;
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if self.safe.contains(&id) || !seen.insert(id) {
                continue;
            }
            match exprs.get(id) {
                _ if self.partial.contains(&id) => return true,
                Expr::Fail(_)
                | Expr::Binary(BinaryOp::Div | BinaryOp::Mod | BinaryOp::Shl | BinaryOp::Shr, ..) =>
                {
                    return true;
                }
                Expr::Define(define) | Expr::NextDefine(define) => {
                    stack.push(model.define(define).body.expr);
                }
                expr => stack.extend(exprs.operands(expr).as_slice()),
            }
        }
        false
    }
}

/// The definedness of a node, given that of its operands.
fn of_node(
    exprs: &mut Exprs,
    id: ExprId,
    operands: &[ExprId],
    known: &FxHashMap<ExprId, ExprId>,
) -> ExprId {
    let always = exprs.bool(true);
    let all = operands.iter().map(|operand| known[operand]);
    // No value decides about words.
    let is_logic = exprs.ty(id) == Type::Bool;
    match exprs.get(id) {
        Expr::Fail(_) => exprs.bool(false),
        Expr::Ite(c, t, e) => {
            let chosen = exprs.ite(c, known[&t], known[&e]);
            exprs.and(known[&c], chosen)
        }
        Expr::Binary(BinaryOp::And, a, b) if is_logic => {
            decided(exprs, [a, b], [false, false], known)
        }
        Expr::Binary(BinaryOp::Or, a, b) if is_logic => decided(exprs, [a, b], [true, true], known),
        Expr::Binary(BinaryOp::Implies, a, b) if is_logic => {
            decided(exprs, [a, b], [false, true], known)
        }
        Expr::Binary(op @ (BinaryOp::Div | BinaryOp::Mod), _, b)
        | Expr::Binary(op @ (BinaryOp::Shl | BinaryOp::Shr), _, b) => {
            let all = all.fold(always, |all, one| exprs.and(all, one));
            let is_right = match op {
                BinaryOp::Div | BinaryOp::Mod => {
                    let is_zero = is_zero(exprs, b);
                    exprs.not(is_zero)
                }
                _ => is_shift(exprs, id, b),
            };
            exprs.and(all, is_right)
        }
        _ => all.fold(always, |all, one| exprs.and(all, one)),
    }
}

/// The operands of an expression; that of a define is its body.
fn operands(model: &mut Model, id: ExprId) -> Vec<ExprId> {
    match model.exprs.get(id) {
        Expr::Define(define) => vec![model.define(define).body.expr],
        Expr::NextDefine(define) => {
            let body = model.define(define).body.expr;
            vec![model.exprs.prime(body)]
        }
        expr => model.exprs.operands(expr).as_slice().to_vec(),
    }
}

/// Both operands are defined, or one has the controlling value.
fn decided(
    exprs: &mut Exprs,
    operands: [ExprId; 2],
    deciding: [bool; 2],
    known: &FxHashMap<ExprId, ExprId>,
) -> ExprId {
    let [a, b] = operands.map(|operand| known[&operand]);
    let mut any = exprs.and(a, b);
    if exprs.is_true(any) {
        return any;
    }
    for (operand, value) in operands.into_iter().zip(deciding) {
        let literal = exprs.literal(operand, value);
        let alone = exprs.and(known[&operand], literal);
        any = exprs.or(any, alone);
    }
    any
}

/// True if an amount is a valid shift distance: from zero to the width.
pub fn is_shift(exprs: &mut Exprs, shifted: ExprId, amount: ExprId) -> ExprId {
    let Type::Word { width, .. } = exprs.ty(shifted) else { return exprs.bool(true) };
    let width = i64::from(width);
    if let Some(Value::Int(constant)) = exprs.as_const(amount) {
        return exprs.bool((0..=width).contains(&constant));
    }
    let number = match exprs.ty(amount) {
        Type::Word { .. } => exprs.unary(UnaryOp::ToInt, amount),
        _ => amount,
    };
    let [least, greatest] = [0, width].map(|end| exprs.value(Value::Int(end)));
    let is_least = exprs.binary(BinaryOp::Ge, number, least);
    let is_greatest = exprs.binary(BinaryOp::Le, number, greatest);
    exprs.and(is_least, is_greatest)
}

/// Is a number zero?
pub fn is_zero(exprs: &mut Exprs, expr: ExprId) -> ExprId {
    let zero = match exprs.ty(expr) {
        Type::Word { signed, width } => Value::Word(trapline_model::Word::new(signed, width, 0)),
        _ => Value::Int(0),
    };
    match exprs.as_const(expr) {
        Some(value) => exprs.bool(value == zero),
        None => exprs.has_value(expr, zero),
    }
}
