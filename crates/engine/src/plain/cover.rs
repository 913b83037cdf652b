//! Do guards leave out no case?
//!
//! They are tried on all values of what they read: in models that are written by constraints,
//! guards are mostly about one variable that says what happens.

use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Plan};
use trapline_model::{ExprId, Model, Value, VarId};

/// More combinations of values are not tried.
const MAX_CASES: u64 = 4096;

/// Guards that leave out no case.
#[derive(Debug, PartialEq, Eq)]
pub struct Cover {
    /// Those that are needed for that, in order.
    pub used: Vec<usize>,
    /// Those among them that never hold together with one before.
    pub said: Vec<usize>,
}

/// The guards of each place must all hold. Is there always a place where they do?
pub fn cover(model: &Model, guards: &[&[ExprId]]) -> Option<Cover> {
    if guards.first()?.is_empty() {
        return Some(Cover { used: vec![0], said: vec![0] });
    }
    let holds = table(model, guards)?;
    let n_cases = holds.first()?.len();
    let mut is_covered = vec![false; n_cases];
    let mut cover = Cover { used: Vec::new(), said: Vec::new() };
    for (idx, holds) in holds.iter().enumerate() {
        let is_new = (0..n_cases).any(|case| holds[case] && !is_covered[case]);
        let is_apart = !(0..n_cases).any(|case| holds[case] && is_covered[case]);
        if is_new {
            cover.used.push(idx);
            cover.said.extend(is_apart.then_some(idx));
            (0..n_cases).for_each(|case| is_covered[case] |= holds[case]);
        }
    }
    (!is_covered.contains(&false)).then_some(cover)
}

/// For each place, whether its guards hold in each case.
fn table(model: &Model, guards: &[&[ExprId]]) -> Option<Vec<Vec<bool>>> {
    let exprs: Vec<ExprId> = guards.concat();
    let reads = support(model, exprs.iter().copied());
    let current = reads.current.iter().map(|&var| (var, false));
    let slots: Vec<(VarId, bool)> =
        current.chain(reads.next.iter().map(|&var| (var, true))).collect();
    let mut n_cases = 1u64;
    for (var, _) in &slots {
        n_cases = n_cases.checked_mul(model.var(*var).domain.size()?)?;
        if n_cases > MAX_CASES {
            return None;
        }
    }
    let plan = Plan::new(model, &exprs);
    let unknown: Vec<Option<Value>> = vec![None; model.vars.len()];
    let mut values = [unknown.clone(), unknown];
    let mut holds = vec![Vec::new(); guards.len()];
    let mut cells = Vec::new();
    for case in 0..n_cases {
        let mut rest = case;
        for &(var, is_next) in &slots {
            let domain = &model.var(var).domain;
            let size = domain.size()?;
            values[usize::from(is_next)][var.0 as usize] = Some(domain.value(rest % size));
            rest /= size;
        }
        plan.run(&values[0], &values[1], &mut cells);
        let mut at = 0;
        for (guards, holds) in guards.iter().zip(&mut holds) {
            let is_true = |idx: usize| *plan.root(idx, &cells) == Cell::Value(Value::Bool(true));
            holds.push((at..at + guards.len()).all(is_true));
            at += guards.len();
        }
    }
    Some(holds)
}
