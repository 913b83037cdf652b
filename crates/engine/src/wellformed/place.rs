//! Where the author wrote a value that is wrong.

use trapline_model::{Clause, ExprId, Model, OccId, Shape, Value};
use trapline_source::Span;

/// The place of a value that a right-hand side can have, or the whole right-hand side if it is written
/// elsewhere. Where several branches have the value, the one with this guard is meant.
pub fn of_value(model: &Model, body: Clause, expr: ExprId, guard: Option<ExprId>) -> Span {
    let Some(root) = body.occ else { return body.span };
    let occurrences = &model.occurrences;
    let mut first = None;
    let mut stack: Vec<(OccId, Option<ExprId>)> = vec![(root, None)];
    while let Some((occ, under)) = stack.pop() {
        let occurrence = occurrences.get(occ);
        let children = occurrences.children(occ);
        let is_choice = matches!(occurrence.shape, Shape::Case | Shape::Ite);
        if occurrence.expr == expr && !is_choice {
            if under == guard {
                return occurrence.span;
            }
            first.get_or_insert(occurrence.span);
        }
        // Guards are evaluated, but they are no values of the whole. `TRUE` is no condition.
        let guard_of = |condition: OccId| match occurrences.get(condition).expr {
            always if model.exprs.as_const(always) == Some(Value::Bool(true)) => under,
            condition => Some(condition),
        };
        let values: Vec<(OccId, Option<ExprId>)> = match (occurrence.shape, children.as_slice()) {
            (Shape::Case, pairs) => {
                pairs.chunks_exact(2).map(|pair| (pair[1], guard_of(pair[0]))).collect()
            }
            (Shape::Ite, &[condition, then, other]) => {
                vec![(then, guard_of(condition)), (other, under)]
            }
            (_, children) => children.iter().map(|child| (*child, under)).collect(),
        };
        stack.extend(values.into_iter().rev());
    }
    first.unwrap_or(body.span)
}
