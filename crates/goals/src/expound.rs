//! Expoundment: a `case` with mutually exclusive guards.
//!
//! The negations of earlier guards are made explicit, nested cases are flattened, and branches with
//! the same value are merged, so that each branch states by itself when it is taken. The result
//! consists of occurrences like those of the text, each with its original span.

use trapline_model::{BinaryOp, Expr, ExprId, Model, OccId, Shape, UnaryOp};
use trapline_source::Span;

/// A `case` that would need more occurrences is left as it is.
const MAX_OCCURRENCES: usize = 50_000;

/// A branch of an expounded `case`.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    /// When it is taken; guards are disjoint, and exhaustive unless the `case` is undefined.
    pub guard: OccId,
    /// Its value.
    pub value: OccId,
}

/// Why a right-hand side is not expounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// It is not a `case`.
    NoCase,
    /// It would become too large.
    TooLarge,
}

/// The guards on a path to a value: each true, or false.
type Guards = Vec<(OccId, bool)>;

/// A value, and the guards on the path to it.
type Way = (OccId, Guards);

/// The branches of a right-hand side.
///
/// # Errors
/// When it has none, or too many.
pub fn expound(model: &mut Model, root: OccId) -> Result<Vec<Branch>, Whole> {
    if !matches!(model.occurrences.get(root).shape, Shape::Case | Shape::Ite) {
        return Err(Whole::NoCase);
    }
    let ways = flatten(model, root)?;
    let mut joined: Vec<(OccId, Vec<Guards>)> = Vec::new();
    for (value, way) in ways {
        let expr = model.occurrences.get(value).expr;
        match joined.iter_mut().find(|(known, _)| model.occurrences.get(*known).expr == expr) {
            Some((_, ways)) => ways.push(way),
            None => joined.push((value, vec![way])),
        }
    }
    let branches = joined.into_iter().map(|(value, ways)| {
        let start = model.occurrences.len();
        let span = model.occurrences.get(value).span;
        for (idx, way) in ways.iter().enumerate() {
            conjunction(model, way, span);
            if idx > 0 {
                over(model, start, BinaryOp::Or);
            }
        }
        let guard = OccId(model.occurrences.len() as u32 - 1);
        Branch { guard, value: model.occurrences.copy(value) }
    });
    Ok(branches.collect())
}

/// All values with their guards. Branches after a guard that is always true are dropped.
fn flatten(model: &Model, root: OccId) -> Result<Vec<Way>, Whole> {
    let occurrences = &model.occurrences;
    let is_true = |occ: OccId| model.exprs.is_true(occurrences.get(occ).expr);
    let mut ways = Vec::new();
    let mut size = 0;
    let mut stack: Vec<Way> = vec![(root, Vec::new())];
    while let Some((occ, way)) = stack.pop() {
        let children = occurrences.children(occ);
        match occurrences.get(occ).shape {
            Shape::Case => {
                let (first, mut before) = (stack.len(), way);
                for branch in children.chunks_exact(2) {
                    // Every path is longer than the one before.
                    size += before.len();
                    if size > MAX_OCCURRENCES {
                        return Err(Whole::TooLarge);
                    }
                    let mut taken = before.clone();
                    if !is_true(branch[0]) {
                        taken.push((branch[0], true));
                    }
                    stack.push((branch[1], taken));
                    if is_true(branch[0]) {
                        break;
                    }
                    before.push((branch[0], false));
                }
                stack[first..].reverse();
            }
            Shape::Ite => {
                for (value, holds) in [(children[2], false), (children[1], true)] {
                    let taken = way.iter().copied().chain([(children[0], holds)]).collect();
                    stack.push((value, taken));
                }
            }
            _ => {
                let guards = way.iter().map(|(guard, _)| occurrences.subtree(*guard).count() + 2);
                size += guards.sum::<usize>();
                ways.push((occ, way));
            }
        }
        if size > MAX_OCCURRENCES {
            return Err(Whole::TooLarge);
        }
    }
    Ok(ways)
}

/// Builds the conjunction of guards; of none it is `TRUE`, at the span of the value.
fn conjunction(model: &mut Model, way: &[(OccId, bool)], span: Span) {
    let start = model.occurrences.len();
    for (idx, &(guard, holds)) in way.iter().enumerate() {
        let copy_start = model.occurrences.len();
        let copied = model.occurrences.copy(guard);
        if !holds {
            let inner = model.occurrences.get(copied);
            let expr = model.exprs.unary(UnaryOp::Not, inner.expr);
            model.occurrences.push(copy_start, expr, inner.span, Shape::Operator);
        }
        if idx > 0 {
            over(model, start, BinaryOp::And);
        }
    }
    if way.is_empty() {
        let expr = model.exprs.bool(true);
        model.occurrences.push(start, expr, span, Shape::Leaf);
    }
}

/// Applies an operator to the last two occurrences.
fn over(model: &mut Model, start: usize, op: BinaryOp) {
    let right = OccId(model.occurrences.len() as u32 - 1);
    let left = OccId(model.occurrences.start(right) as u32 - 1);
    let [left, right] = [left, right].map(|occ| model.occurrences.get(occ));
    let expr = model.exprs.binary(op, left.expr, right.expr);
    model.occurrences.push(start, expr, left.span.to(right.span), Shape::Operator);
}

/// True if every value is a constant or a set of constants, and all are disjoint.
pub fn are_disjoint(model: &Model, branches: &[Branch]) -> bool {
    let mut all = rustc_hash::FxHashSet::default();
    branches.iter().all(|branch| {
        let values = constants(model, model.occurrences.get(branch.value).expr);
        values.is_some_and(|values| values.into_iter().all(|value| all.insert(value)))
    })
}

/// The constants of a value or a set.
fn constants(model: &Model, expr: ExprId) -> Option<Vec<trapline_model::Value>> {
    let exprs = &model.exprs;
    let mut values = Vec::new();
    for id in exprs.chain(BinaryOp::Union, expr) {
        match exprs.get(id) {
            Expr::Const(constant) => values.push(exprs.constant(constant)),
            Expr::Unary(UnaryOp::Neg, _) => {
                values.push(trapline_model::eval::constant(model, id).ok()?);
            }
            _ => return None,
        }
    }
    values.sort_unstable();
    values.dedup();
    Some(values)
}
