//! Which values an expression may have, as far as its structure tells: the rest is a condition.

use trapline_model::dependency::{Support, support};
use trapline_model::eval::Plan;
use trapline_model::{BinaryOp, Domain, Expr, ExprId, Type as ExprType, UnaryOp, Value, VarId};

use super::Lowerer;

/// More values of an expression than this are not listed.
const MAX_LISTED: usize = 64;
/// So many values are tried of what an expression reads, and of expressions of so many nodes.
const MAX_TRIED: u64 = 4096;
const MAX_TRIED_NODES: usize = 200;

impl Lowerer<'_> {
    /// What must hold for a value to be one of a domain; `None` if it always is.
    pub(super) fn fits(&mut self, expr: ExprId, domain: &Domain) -> Option<ExprId> {
        if self.always_fits(expr, domain) {
            return None;
        }
        let condition = match domain {
            Domain::Range(lo, hi) => {
                let (least, greatest) = match self.interval(expr) {
                    Some((least, greatest)) => (Some(least), Some(greatest)),
                    None => (None, None),
                };
                let is_low = least.is_none_or(|least| least < *lo);
                let is_high = greatest.is_none_or(|greatest| greatest > *hi);
                let low = is_low.then(|| self.compared(BinaryOp::Ge, expr, *lo));
                let high = is_high.then(|| self.compared(BinaryOp::Le, expr, *hi));
                match (low, high) {
                    (Some(low), Some(high)) => self.model.exprs.and(low, high),
                    (Some(one), None) | (None, Some(one)) => one,
                    (None, None) => return None,
                }
            }
            Domain::Enum(values) => {
                if self
                    .listed_values(expr)
                    .is_some_and(|own| own.iter().all(|v| values.contains(v)))
                {
                    return None;
                }
                let is_one = values.iter().map(|&value| self.model.exprs.has_value(expr, value));
                let is_one: Vec<ExprId> = is_one.collect();
                self.model.exprs.any(is_one)
            }
            _ => return None,
        };
        Some(condition)
    }

    /// Is a value always one of a domain, as far as intervals and trying few values tell? What is chosen
    /// by a condition may also be so branch by branch: a condition that holds anyway would make guards
    /// read variables that they need not.
    fn always_fits(&mut self, expr: ExprId, domain: &Domain) -> bool {
        if !self.model.exprs.is_short(expr, MAX_TRIED_NODES) {
            return false;
        }
        let mut stack = vec![expr];
        while let Some(expr) = stack.pop() {
            let inside = match (domain, self.interval(expr)) {
                (Domain::Range(lo, hi), Some((least, most))) => *lo <= least && most <= *hi,
                _ => false,
            };
            match self.model.exprs.get(expr) {
                _ if inside || self.tried_to_fit(expr, domain) => {}
                Expr::Ite(_, then, otherwise) => stack.extend([then, otherwise]),
                _ => return false,
            }
        }
        true
    }

    /// The same by evaluation, for all values of what the expression reads if these are few.
    fn tried_to_fit(&self, expr: ExprId, domain: &Domain) -> bool {
        let Support { current, next } = support(&self.model, [expr]);
        let slots = current.iter().map(|var| (0, *var)).chain(next.iter().map(|var| (1, *var)));
        let slots: Vec<(usize, VarId)> = slots.collect();
        let mut n_all = 1u64;
        for (_, var) in &slots {
            let size = self.model.var(*var).domain.size();
            let Some(n_values) = size.and_then(|size| n_all.checked_mul(size)) else {
                return false;
            };
            n_all = n_values;
            if n_all > MAX_TRIED {
                return false;
            }
        }
        let plan = Plan::new(&self.model, &[expr]);
        let none = vec![None; self.model.vars.len()];
        let (mut valuations, mut cells) = ([none.clone(), none], Vec::new());
        (0..n_all).all(|number| {
            let mut rest = number;
            for (time, var) in &slots {
                let values = &self.model.var(*var).domain;
                let n_values = values.size().unwrap_or(1);
                valuations[*time][var.0 as usize] = Some(values.value(rest % n_values));
                rest /= n_values;
            }
            plan.run(&valuations[0], &valuations[1], &mut cells);
            let members = plan.root(0, &cells).members();
            members.is_some_and(|members| members.iter().all(|value| domain.contains(value)))
        })
    }

    fn compared(&mut self, op: BinaryOp, expr: ExprId, with: i64) -> ExprId {
        let with = self.model.exprs.value(Value::Int(with));
        self.model.exprs.binary(op, expr, with)
    }

    /// The least and the greatest value that a number may have.
    pub(super) fn interval(&mut self, root: ExprId) -> Option<(i64, i64)> {
        if !self.bounds.contains_key(&root) {
            // Operands come before what is made of them.
            for expr in self.model.exprs.reachable([root]) {
                if !self.bounds.contains_key(&expr) {
                    let bounds = self.interval_of(expr);
                    self.bounds.insert(expr, bounds);
                }
            }
        }
        self.bounds.get(&root).copied().flatten()
    }

    fn interval_of(&self, expr: ExprId) -> Option<(i64, i64)> {
        let known = |operand: ExprId| self.bounds.get(&operand).copied().flatten();
        match self.model.exprs.get(expr) {
            Expr::Const(constant) => match self.model.exprs.constant(constant) {
                Value::Int(number) => Some((number, number)),
                _ => None,
            },
            Expr::Var(var) | Expr::Next(var) => self.interval_of_var(var),
            Expr::Range(lo, hi) => {
                let lo = self.model.exprs.constant(lo).as_int()?;
                Some((lo, self.model.exprs.constant(hi).as_int()?))
            }
            Expr::Unary(UnaryOp::Neg, operand) => {
                let (lo, hi) = known(operand)?;
                Some((hi.checked_neg()?, lo.checked_neg()?))
            }
            Expr::Ite(_, then, otherwise) | Expr::Binary(BinaryOp::Union, then, otherwise) => {
                let (l, r) = (known(then)?, known(otherwise)?);
                Some((l.0.min(r.0), l.1.max(r.1)))
            }
            Expr::Binary(op, left, right) => interval_of_binary(op, known(left)?, known(right)?),
            _ => None,
        }
    }

    fn interval_of_var(&self, var: VarId) -> Option<(i64, i64)> {
        match &self.model.var(var).domain {
            Domain::Range(lo, hi) => Some((*lo, *hi)),
            Domain::Enum(values) => {
                let numbers: Option<Vec<i64>> = values.iter().map(|value| value.as_int()).collect();
                let numbers = numbers?;
                Some((*numbers.iter().min()?, *numbers.iter().max()?))
            }
            _ => None,
        }
    }

    /// The values that an expression may have, if they are few: those of its variables and
    /// constants, where it chooses among them.
    fn listed_values(&self, root: ExprId) -> Option<Vec<Value>> {
        let mut values: Vec<Value> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![root];
        while let Some(expr) = stack.pop() {
            if !seen.insert(expr) {
                continue;
            }
            match self.model.exprs.get(expr) {
                Expr::Const(constant) => values.push(self.model.exprs.constant(constant)),
                Expr::Var(var) | Expr::Next(var) => match &self.model.var(var).domain {
                    Domain::Enum(own) => values.extend(own.iter().copied()),
                    Domain::Range(lo, hi) if hi - lo < MAX_LISTED as i64 => {
                        values.extend((*lo..=*hi).map(Value::Int));
                    }
                    _ => return None,
                },
                Expr::Ite(_, then, otherwise) | Expr::Binary(BinaryOp::Union, then, otherwise) => {
                    stack.extend([then, otherwise]);
                }
                _ if self.model.exprs.ty(expr) == ExprType::Int => {
                    let (lo, hi) = self.bounds.get(&expr).copied().flatten()?;
                    if hi.checked_sub(lo)? >= MAX_LISTED as i64 {
                        return None;
                    }
                    values.extend((lo..=hi).map(Value::Int));
                }
                _ => return None,
            }
            if values.len() > 8 * MAX_LISTED {
                values.sort_unstable();
                values.dedup();
                if values.len() > MAX_LISTED {
                    return None;
                }
            }
        }
        Some(values)
    }
}

fn interval_of_binary(op: BinaryOp, left: (i64, i64), right: (i64, i64)) -> Option<(i64, i64)> {
    let corners = |of: fn(i64, i64) -> Option<i64>| {
        let all = [
            of(left.0, right.0)?,
            of(left.0, right.1)?,
            of(left.1, right.0)?,
            of(left.1, right.1)?,
        ];
        Some((*all.iter().min()?, *all.iter().max()?))
    };
    match op {
        BinaryOp::Add => corners(i64::checked_add),
        BinaryOp::Sub => corners(i64::checked_sub),
        BinaryOp::Mul => corners(i64::checked_mul),
        BinaryOp::Div if right.0 > 0 => corners(i64::checked_div),
        BinaryOp::Mod if right.0 > 0 && left.0 >= 0 => Some((0, left.1.min(right.1 - 1))),
        BinaryOp::Mod if right.0 > 0 => Some((1 - right.1, right.1 - 1)),
        BinaryOp::Min => Some((left.0.min(right.0), left.1.min(right.1))),
        BinaryOp::Max => Some((left.0.max(right.0), left.1.max(right.1))),
        _ => None,
    }
}
