//! Decides whether guards are exhaustive.
//!
//! They are evaluated for all values of the variables they read: in constraint-style models, guards
//! are mostly over one variable that selects the event.

use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Plan};
use trapline_model::{ExprId, Model, Value, VarId};

/// Maximum number of combinations.
const MAX_CASES: u64 = 4096;

/// An exhaustive list of guards.
#[derive(Debug, PartialEq, Eq)]
pub struct Cover {
    /// Those needed for that, in order.
    pub used: Vec<usize>,
    /// Those among them that are disjoint from all earlier ones.
    pub disjoint: Vec<usize>,
}

/// Each entry is a conjunction of guards. Returns `None` unless their disjunction is exhaustive.
pub fn cover(model: &Model, guards: &[&[ExprId]]) -> Option<Cover> {
    if guards.first()?.is_empty() {
        return Some(Cover { used: vec![0], disjoint: vec![0] });
    }
    let holds = table(model, guards)?;
    let n_cases = holds.first()?.len();
    let mut is_covered = vec![false; n_cases];
    let mut cover = Cover { used: Vec::new(), disjoint: Vec::new() };
    for (idx, holds) in holds.iter().enumerate() {
        let is_new = (0..n_cases).any(|case| holds[case] && !is_covered[case]);
        let is_apart = !(0..n_cases).any(|case| holds[case] && is_covered[case]);
        if is_new {
            cover.used.push(idx);
            cover.disjoint.extend(is_apart.then_some(idx));
            (0..n_cases).for_each(|case| is_covered[case] |= holds[case]);
        }
    }
    (!is_covered.contains(&false)).then_some(cover)
}

/// The truth table of each entry.
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
            let places = at..at + guards.len();
            holds.push(all(places.map(|idx| plan.root(idx, &cells)))?);
            at += guards.len();
        }
    }
    Some(holds)
}

/// Three-valued conjunction: unknown where a guard is undefined, unless another is false.
fn all<'c>(guards: impl Iterator<Item = &'c Cell>) -> Option<bool> {
    let mut all = Some(true);
    for guard in guards {
        match guard {
            Cell::Value(Value::Bool(true)) => {}
            Cell::Value(Value::Bool(false)) => return Some(false),
            _ => all = None,
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapline_testkit::read;

    /// The places whose guards are needed, and those that say it alone. A place has guards with
    /// `;` between them.
    fn covered(places: &[&str]) -> Option<(Vec<usize>, Vec<usize>)> {
        let vars = "MODULE main VAR x : 0..3; y : 0..3; b : boolean; IVAR j : boolean;
            VAR u : 0..63; v : 0..63; w : 0..63;";
        let guards: Vec<Vec<&str>> = places
            .iter()
            .map(|place| place.split_terminator(';').map(str::trim).collect())
            .collect();
        let (model, exprs) = read(vars, &guards.concat());
        let mut rest = exprs.as_slice();
        let places: Vec<&[ExprId]> = guards
            .iter()
            .map(|guards| {
                let (these, others) = rest.split_at(guards.len());
                rest = others;
                these
            })
            .collect();
        cover(&model, &places).map(|Cover { used, disjoint }| (used, disjoint))
    }

    #[test]
    fn no_guard_holds_always() {
        assert_eq!(covered(&[""]), Some((vec![0], vec![0])));
        assert_eq!(covered(&["", "b", ""]), Some((vec![0], vec![0])));
    }

    #[test]
    fn cases_may_be_told_apart_by_several_guards() {
        let all = Some((vec![0, 1, 2], vec![0, 1, 2]));
        assert_eq!(covered(&["b", "!b; j", "!b; !j"]), all);
        assert_eq!(covered(&["x < y", "x = y", "x > y"]), all);
        assert_eq!(covered(&["x = next(y)", "x < next(y)", "x > next(y)"]), all);
        assert_eq!(covered(&["next(b)", "!next(b) & b", "!next(b) & !b"]), all);
    }

    #[test]
    fn a_case_that_is_left_out_counts() {
        assert_eq!(covered(&[]), None);
        assert_eq!(covered(&["b"]), None);
        assert_eq!(covered(&["b", "!b; j"]), None);
        assert_eq!(covered(&["x = 0", "x = 1", "x = 2"]), None);
        assert_eq!(covered(&["b", "!next(b)"]), None);
    }

    #[test]
    fn what_overlaps_is_used_and_not_said() {
        assert_eq!(covered(&["x < 3", "x > 1"]), Some((vec![0, 1], vec![0])));
        assert_eq!(covered(&["x < 2", "x > 0; b", "x > 1"]), Some((vec![0, 1, 2], vec![0])));
        assert_eq!(covered(&["x = 0", "x < 2", "x > 1"]), Some((vec![0, 1, 2], vec![0, 2])));
    }

    #[test]
    fn what_says_nothing_new_is_not_used() {
        assert_eq!(covered(&["b", "b", "!b", "j"]), Some((vec![0, 2], vec![0, 2])));
        assert_eq!(covered(&["x > 5", "b", "!b"]), Some((vec![1, 2], vec![1, 2])));
    }

    #[test]
    fn a_guard_without_a_value_covers_nothing() {
        assert_eq!(covered(&["1 / x = 1", "x != 1"]), None);
        assert_eq!(covered(&["b; 1 / x = 1", "b; 1 / x != 1", "!b"]), None);
        let is_hidden = covered(&["x = 0", "x != 0; 2 / x = 1", "x != 0; 2 / x != 1"]);
        assert_eq!(is_hidden, Some((vec![0, 1, 2], vec![0, 1, 2])));
    }

    #[test]
    fn many_cases_are_not_tried() {
        assert_eq!(covered(&["u < v", "u >= v"]), Some((vec![0, 1], vec![0, 1])));
        assert_eq!(covered(&["u + w < v", "u + w >= v"]), None);
    }
}
