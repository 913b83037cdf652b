//! Taking over the expressions of one model into another.

use rustc_hash::FxHashMap;

use super::substitute::bottom_up;
use crate::expr::{DefineId, Expr, ExprId, Exprs, VarId};
use crate::model::{Clause, Define, Model};
use crate::types::Domain;
use crate::value::Value;

/// Where things of one model are in another, and which expressions are there already.
#[derive(Debug)]
pub(super) struct Import<'f> {
    from: &'f Model,
    /// The new variable of each old one.
    vars: Vec<VarId>,
    /// The new id of the first definition; the others follow in order.
    first_define: u32,
    known: FxHashMap<ExprId, ExprId>,
}

impl<'f> Import<'f> {
    /// All variables of the model are there already, and now its definitions are too. Each gets
    /// the name that is made of its old one.
    pub(super) fn new(
        from: &'f Model,
        vars: Vec<VarId>,
        to: &mut Model,
        name: impl Fn(&str) -> String,
    ) -> Import<'f> {
        let first_define = to.defines.len() as u32;
        // A definition may read later ones, so that all of them have ids before one has a body.
        for define in &from.defines {
            let body = Clause::unwritten(to.exprs.bool(true), define.body.span);
            to.defines.push(Define { name: name(&define.name), body, role: define.role });
        }
        let mut import = Import { from, vars, first_define, known: FxHashMap::default() };
        for (idx, define) in from.defines.iter().enumerate() {
            let body = import.expr(to, define.body.expr);
            to.defines[first_define as usize + idx].body.expr = body;
        }
        import
    }

    /// The expression in the other model.
    pub(super) fn expr(&mut self, to: &mut Model, root: ExprId) -> ExprId {
        let Import { from, vars, first_define, known } = self;
        let parts = |_: &mut Model, id: ExprId| match from.exprs.get(id) {
            Expr::Define(define) | Expr::NextDefine(define) => {
                vec![from.define(define).body.expr]
            }
            expr => from.exprs.operands(expr).as_slice().to_vec(),
        };
        bottom_up(to, known, root, parts, |to, id, _, known| match from.exprs.get(id) {
            Expr::Var(var) => to.var_expr(vars[var.0 as usize]),
            Expr::Next(var) => {
                let read = to.var_expr(vars[var.0 as usize]);
                to.exprs.prime(read)
            }
            Expr::Define(define) => {
                let body = known[&from.define(define).body.expr];
                read_define(to, DefineId(*first_define + define.0), body)
            }
            Expr::NextDefine(define) => {
                let body = known[&from.define(define).body.expr];
                let read = read_define(to, DefineId(*first_define + define.0), body);
                to.exprs.prime(read)
            }
            Expr::Const(constant) => {
                let value = value(from, to, from.exprs.constant(constant));
                to.exprs.value(value)
            }
            expr => node(&from.exprs, &mut to.exprs, expr, known),
        });
        known[&root]
    }

    /// The same clause; how it was written stays behind.
    pub(super) fn clause(&mut self, to: &mut Model, clause: Clause) -> Clause {
        Clause::unwritten(self.expr(to, clause.expr), clause.span)
    }

    /// The variable in the other model.
    pub(super) fn var(&self, var: VarId) -> VarId {
        self.vars[var.0 as usize]
    }
}

/// Reads a definition whose body is known by now.
fn read_define(to: &mut Model, define: DefineId, body: ExprId) -> ExprId {
    to.defines[define.0 as usize].body.expr = body;
    to.define_expr(define)
}

/// A node that is no leaf of the model, over operands that are known.
fn node(from: &Exprs, to: &mut Exprs, expr: Expr, known: &FxHashMap<ExprId, ExprId>) -> ExprId {
    let int = |id| match from.constant(id) {
        Value::Int(int) => int,
        other => unreachable!("a bound is an integer, not {other:?}"),
    };
    let list = |id| -> Vec<ExprId> { from.list(id).iter().map(|operand| known[operand]).collect() };
    let expr = match expr {
        Expr::Range(lo, hi) => return to.range(int(lo), int(hi)),
        Expr::Count(operands) => return to.count(&list(operands)),
        Expr::Bounded(op, a, lo, hi) => return to.bounded(op, known[&a], (int(lo), int(hi))),
        Expr::BoundedUntil(quantifier, operands, lo, hi) => {
            let [p, q] = list(operands)[..] else { unreachable!("an until has two operands") };
            return to.bounded_until(quantifier, [p, q], (int(lo), int(hi)));
        }
        Expr::Fail(failure) => return to.fail(from.failure(failure)),
        Expr::Unary(op, a) => Expr::Unary(op, known[&a]),
        Expr::Binary(op, a, b) => Expr::Binary(op, known[&a], known[&b]),
        Expr::Ite(c, t, e) => Expr::Ite(known[&c], known[&t], known[&e]),
        Expr::BitSelect(a, high, low) => Expr::BitSelect(known[&a], high, low),
        Expr::Resize(a, width) => Expr::Resize(known[&a], width),
        Expr::Const(_) | Expr::Var(_) | Expr::Next(_) | Expr::Define(_) | Expr::NextDefine(_) => {
            unreachable!("leaves depend on the model")
        }
    };
    to.add(expr)
}

/// The value in the other model: symbols go by their names.
pub(super) fn value(from: &Model, to: &mut Model, value: Value) -> Value {
    match value {
        Value::Symbol(symbol) => Value::Symbol(to.symbols.intern(from.symbols.name(symbol))),
        other => other,
    }
}

/// The domain in the other model.
pub(super) fn domain(from: &Model, to: &mut Model, domain: &Domain) -> Domain {
    match domain {
        Domain::Enum(values) => {
            Domain::Enum(values.iter().map(|&member| value(from, to, member)).collect())
        }
        other => other.clone(),
    }
}
