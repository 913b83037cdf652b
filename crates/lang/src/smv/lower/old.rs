//! Old SMV: `0` and `1` where a Boolean is meant.
//!
//! Accepted with a warning, unless `--strict`. A number becomes a Boolean only where the types do
//! not match otherwise, and only where it is used as a value: alone, in a set, or as a branch.

use rustc_hash::FxHashMap;
use trapline_model::{BinaryOp, Expr, ExprId, OccId, SetOf, Shape, Type, Value};
use trapline_source::{Diagnostic, Span};

use super::{Item, Lowerer, Operand};

impl Lowerer<'_> {
    /// The operand as a Boolean, a set of them, or a formula; `None` when it is none.
    pub fn as_boolean(&mut self, item: Item, occ_end: usize) -> Option<ExprId> {
        let Operand::Expr(expr) = item.operand else { return None };
        if matches!(self.ty(expr), Type::Bool | Type::Set(SetOf::Bool) | Type::Temporal) {
            return Some(expr);
        }
        if self.options.strict {
            return None;
        }
        let map = self.booleans(expr)?;
        self.rewrite_values(item.occ_start, occ_end, &map);
        self.warn_old(item.span);
        Some(map[&expr])
    }

    fn warn_old(&mut self, span: Span) {
        let text = "a number is used as a Boolean";
        let warning = Diagnostic::warning("old-boolean", span, text);
        self.report(warning.help("write FALSE for 0 and TRUE for 1; --strict makes this an error"));
    }

    /// The Boolean for each value that the expression may take; `None` if one has no Boolean.
    fn booleans(&mut self, root: ExprId) -> Option<FxHashMap<ExprId, ExprId>> {
        let mut map = FxHashMap::default();
        for id in self.value_nodes(root) {
            let expr = self.model.exprs.get(id);
            let new = match expr {
                _ if matches!(self.ty(id), Type::Bool | Type::Set(SetOf::Bool) | Type::Never) => id,
                Expr::Const(c) => match self.model.exprs.constant(c) {
                    Value::Int(i @ (0 | 1)) => self.exprs().bool(i == 1),
                    _ => return None,
                },
                Expr::Range(lo, hi) => {
                    let bounds = [lo, hi].map(|c| self.model.exprs.constant(c));
                    if bounds != [Value::Int(0), Value::Int(1)] {
                        return None;
                    }
                    let (no, yes) = (self.exprs().bool(false), self.exprs().bool(true));
                    self.exprs().binary(BinaryOp::Union, no, yes)
                }
                Expr::Ite(c, t, e) => {
                    let (t, e) = (map[&t], map[&e]);
                    self.exprs().try_add(Expr::Ite(c, t, e)).ok()?
                }
                Expr::Binary(BinaryOp::Union, a, b) => {
                    self.exprs().binary(BinaryOp::Union, map[&a], map[&b])
                }
                // The define stays what it is; that it is 1 is the Boolean.
                Expr::Define(_) if self.ty(id) != Type::Int => return None,
                Expr::Define(_) => {
                    let one = self.exprs().value(Value::Int(1));
                    self.exprs().eq(id, one)
                }
                _ => return None,
            };
            map.insert(id, new);
        }
        Some(map)
    }

    /// The nodes that can be the value of an expression, operands first.
    fn value_nodes(&self, root: ExprId) -> Vec<ExprId> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                match self.model.exprs.get(id) {
                    Expr::Ite(_, t, e) => stack.extend([t, e]),
                    Expr::Binary(BinaryOp::Union, a, b) => stack.extend([a, b]),
                    Expr::Define(d) => stack.push(self.model.define(d).body.expr),
                    _ => {}
                }
            }
        }
        let mut nodes: Vec<ExprId> = seen.into_iter().collect();
        nodes.sort_unstable();
        nodes
    }

    /// Gives occurrences used as values their Boolean meaning.
    fn rewrite_values(&mut self, start: usize, end: usize, map: &FxHashMap<ExprId, ExprId>) {
        if start >= end {
            return;
        }
        let mut stack = vec![OccId(end as u32 - 1)];
        while let Some(occ) = stack.pop() {
            let occurrence = self.model.occurrences.get(occ);
            if let Some(&new) = map.get(&occurrence.expr) {
                self.model.occurrences.set_expr(occ, new);
            }
            let children = self.model.occurrences.children(occ);
            match occurrence.shape {
                Shape::Case => stack.extend(children.iter().skip(1).step_by(2)),
                Shape::Ite => stack.extend(&children[1..]),
                Shape::Operator
                    if matches!(
                        self.model.exprs.get(occurrence.expr),
                        Expr::Binary(BinaryOp::Union, ..)
                    ) =>
                {
                    stack.extend(&children)
                }
                _ => {}
            }
        }
    }
}
