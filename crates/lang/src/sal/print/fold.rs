//! Expressions made anew: definitions that no state has a value of are written out, and branches that
//! never count are gone. Where something is put for something else, what it decides is decided.

use rustc_hash::FxHashMap;
use trapline_model::transform::substitute::{bottom_up, with_parts};
use trapline_model::{BinaryOp, Expr, ExprId, Model, Type, UnaryOp, Value};

/// Makes expressions anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Fold {
    known: FxHashMap<ExprId, ExprId>,
    decides: bool,
}

impl Fold {
    /// Puts one expression for another.
    pub fn put(&mut self, old: ExprId, new: ExprId) {
        self.known.insert(old, new);
        self.decides = true;
    }

    /// The expression anew, `is_inlined` telling which definitions are written out.
    pub fn apply(&mut self, model: &mut Model, is_inlined: &[bool], root: ExprId) -> ExprId {
        let parts = |model: &mut Model, id: ExprId| match model.exprs.get(id) {
            Expr::Define(d) if is_inlined[d.0 as usize] => vec![model.define(d).body.expr],
            Expr::NextDefine(d) if is_inlined[d.0 as usize] => {
                let body = model.define(d).body.expr;
                vec![model.exprs.prime(body)]
            }
            expr => model.exprs.operands(expr).as_slice().to_vec(),
        };
        let decides = self.decides;
        bottom_up(model, &mut self.known, root, parts, |model, id, parts, known| {
            match model.exprs.get(id) {
                Expr::Define(_) | Expr::NextDefine(_) => parts.first().map_or(id, |b| known[b]),
                _ => {
                    let made = with_parts(&mut model.exprs, id, parts, known);
                    match decides && made != id {
                        true => decided(model, made),
                        false => lasting(model, made),
                    }
                }
            }
        });
        self.known[&root]
    }
}

/// A choice of which one branch has no value: where the model is well formed, it is never taken.
fn lasting(model: &Model, id: ExprId) -> ExprId {
    let exprs = &model.exprs;
    match exprs.get(id) {
        Expr::Ite(_, t, e) if exprs.ty(e) == Type::Never => t,
        Expr::Ite(_, t, e) if exprs.ty(t) == Type::Never => e,
        _ => id,
    }
}

/// What is left of a new node if its operands decide something.
fn decided(model: &mut Model, id: ExprId) -> ExprId {
    let id = lasting(model, id);
    let exprs = &mut model.exprs;
    let is_logic = exprs.ty(id) == Type::Bool;
    match exprs.get(id) {
        Expr::Unary(UnaryOp::Not, a) if is_logic => exprs.not(a),
        Expr::Binary(op, a, b) if is_logic && exprs.ty(a) == Type::Bool => match op {
            BinaryOp::And => exprs.and(a, b),
            BinaryOp::Or => exprs.or(a, b),
            BinaryOp::Implies => exprs.implies(a, b),
            BinaryOp::Iff | BinaryOp::Xnor | BinaryOp::Eq => exprs.iff(a, b),
            BinaryOp::Xor | BinaryOp::Ne => exprs.xor(a, b),
            _ => id,
        },
        Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) => {
            match (exprs.as_const(a), exprs.as_const(b)) {
                (Some(Value::Symbol(a)), Some(Value::Symbol(b))) => {
                    exprs.bool((a == b) == (op == BinaryOp::Eq))
                }
                (Some(Value::Int(a)), Some(Value::Int(b))) => {
                    exprs.bool((a == b) == (op == BinaryOp::Eq))
                }
                _ => id,
            }
        }
        Expr::Ite(c, t, e) if is_logic => exprs.ite(c, t, e),
        Expr::Ite(c, t, e) => match exprs.as_const(c) {
            Some(Value::Bool(true)) => t,
            Some(Value::Bool(false)) => e,
            _ if t == e => t,
            _ => id,
        },
        _ => id,
    }
}
