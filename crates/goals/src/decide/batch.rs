//! Batches of targets that are searched for together.
//!
//! A monitor variable multiplies the state space. A few of them do no harm, but the product of a
//! dozen observers may be far larger than the model. So targets are batched until the monitors that
//! they need have too many values.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use trapline_model::transform::Extension;
use trapline_model::{Expr, ExprId, Model, VarId, goal};

/// Maximum number of monitor values per search.
const MAX_VALUES: u64 = 64;

/// The targets of each search, by index. The first batch needs no monitors.
pub fn batches(model: &Extension, targets: &[goal::Target]) -> Vec<Vec<usize>> {
    if !model.has_added() {
        return vec![(0..targets.len()).collect()];
    }
    let mut watched = Watched { model, plain: FxHashSet::default() };
    let mut plain = Vec::new();
    let mut batches: Vec<(BTreeSet<VarId>, Vec<usize>)> = Vec::new();
    for (idx, target) in targets.iter().enumerate() {
        let needed = watched.by(target);
        if needed.is_empty() {
            plain.push(idx);
            continue;
        }
        let fits = |(known, _): &&mut (BTreeSet<VarId>, Vec<usize>)| {
            needed.is_subset(known) || n_values(model, known.union(&needed)) <= MAX_VALUES
        };
        match batches.iter_mut().find(fits) {
            Some((known, batch)) => {
                known.extend(&needed);
                batch.push(idx);
            }
            None => batches.push((needed, vec![idx])),
        }
    }
    let batches = batches.into_iter().map(|(_, batch)| batch);
    std::iter::once(plain).filter(|plain| !plain.is_empty()).chain(batches).collect()
}

/// The monitors that expressions read: most read none, and share most subexpressions.
struct Watched<'m> {
    model: &'m Extension,
    /// Those that read none.
    plain: FxHashSet<ExprId>,
}

impl Watched<'_> {
    fn by(&mut self, target: &goal::Target) -> BTreeSet<VarId> {
        let exprs = match target {
            goal::Target::State(expr) | goal::Target::Step(expr) => std::slice::from_ref(expr),
            goal::Target::Steps(exprs) => exprs,
        };
        let mut read = BTreeSet::new();
        let mut seen = FxHashSet::default();
        let mut stack: Vec<ExprId> = exprs.to_vec();
        while let Some(id) = stack.pop() {
            if self.plain.contains(&id) || !seen.insert(id) {
                continue;
            }
            match self.model.exprs.get(id) {
                Expr::Var(var) | Expr::Next(var) if self.model.is_added(var) => {
                    read.insert(var);
                }
                Expr::Define(define) | Expr::NextDefine(define) => {
                    stack.push(self.model.define(define).body.expr);
                }
                expr => stack.extend(self.model.exprs.operands(expr).as_slice()),
            }
        }
        if read.is_empty() {
            self.plain.extend(seen);
        }
        read
    }
}

fn n_values<'v>(model: &Model, vars: impl Iterator<Item = &'v VarId>) -> u64 {
    let sizes = vars.map(|&var| model.var(var).domain.size().unwrap_or(u64::MAX));
    sizes.fold(1, u64::saturating_mul)
}
