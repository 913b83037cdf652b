//! Non-vacuity of the subformulas of a property.
//!
//! A property passes vacuously if some subformula is irrelevant (Beer, Ben-David, Eisner and Rodeh,
//! *Efficient detection of vacuity in temporal model checking*). So each occurrence is replaced by
//! its worst value, `FALSE` in positive and `TRUE` in negative polarity; a path that violates the
//! result is an interesting witness for the occurrence. Below `<->` the polarity is mixed, which
//! gives two goals. We take all occurrences, also those in formulas that are violated as they
//! stand.

use trapline_model::{BinaryOp, Expr, ExprId, Model, OccId, Shape, UnaryOp};
use trapline_source::Span;

use super::Requirement;
use crate::builder::Builder;
use crate::goal::GoalKind;
use crate::mutate::replace::replace;
use crate::mutate::{Role, Tree};

/// The polarity of a subformula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Polarity {
    /// It helps.
    Positive,
    /// It harms.
    Negative,
    /// It depends.
    Mixed,
}

impl Polarity {
    fn flipped(self) -> Polarity {
        match self {
            Polarity::Positive => Polarity::Negative,
            Polarity::Negative => Polarity::Positive,
            Polarity::Mixed => Polarity::Mixed,
        }
    }

    /// The values that replace a subformula.
    fn worst(self) -> &'static [bool] {
        match self {
            Polarity::Positive => &[false],
            Polarity::Negative => &[true],
            Polarity::Mixed => &[true, false],
        }
    }
}

/// The non-vacuity goals of a property.
pub fn add(builder: &mut Builder<'_>, requirement: &Requirement, root: OccId) {
    let tree = Tree::new(&builder.model, root, None);
    let parts = parts(&builder.model, &tree);
    if parts.len() > builder.options.limit {
        let (key, n_parts, limit) = (&requirement.key, parts.len(), builder.options.limit);
        let text = format!("{key} has {n_parts} parts, more than {limit}: they are left out");
        builder.leave_out(requirement.span, text);
        return;
    }
    for (idx, &(place, polarity)) in parts.iter().enumerate() {
        for &value in polarity.worst() {
            let worst = builder.model.exprs.bool(value);
            match replace(&mut builder.model, &tree, place, worst).map(|replaced| replaced.root) {
                Some(changed) if changed == requirement.expr => {}
                Some(changed) => {
                    let mut key = format!("{}:part{}", requirement.key, idx + 1);
                    if polarity == Polarity::Mixed {
                        key = format!("{key}:{value}");
                    }
                    goal(builder, requirement, &key, place, changed);
                }
                None => {
                    let occurrence = builder.model.occurrences.get(place);
                    let shown = builder.show(occurrence.expr);
                    let text = format!("{shown} in {} can't be replaced", requirement.key);
                    builder.leave_out(occurrence.span, text);
                }
            }
        }
    }
}

fn goal(
    builder: &mut Builder<'_>,
    requirement: &Requirement,
    key: &str,
    place: OccId,
    changed: ExprId,
) {
    let occurrence = builder.model.occurrences.get(place);
    let text = format!("{} matters in {}", builder.show(occurrence.expr), requirement.key);
    let span = if occurrence.span == Span::default() { requirement.span } else { occurrence.span };
    builder.add(key, text, span, GoalKind::Trap(requirement.kind, changed));
}

/// The subformulas, operands first, each with its polarity. Negations and `next(e)` are not
/// subformulas of their own.
fn parts(model: &Model, tree: &Tree) -> Vec<(OccId, Polarity)> {
    let mut parts = Vec::new();
    let mut stack = vec![(tree.root, Polarity::Positive)];
    while let Some((occ, polarity)) = stack.pop() {
        let occurrence = model.occurrences.get(occ);
        let role = tree.role(occ);
        let is_operator = matches!(role, Role::Connective | Role::Temporal);
        let is_negation = matches!(model.exprs.get(occurrence.expr), Expr::Unary(UnaryOp::Not, _));
        let is_wrapper = role == Role::Connective
            && (occurrence.shape == Shape::Next
                || (occurrence.shape == Shape::Operator && is_negation));
        if occ != tree.root && (is_operator || role == Role::Condition) && !is_wrapper {
            parts.push((occ, polarity));
        }
        if is_operator {
            let children = model.occurrences.children(occ);
            let below = (0..children.len()).map(|idx| operand_polarity(model, occ, idx, polarity));
            stack.extend(children.iter().copied().zip(below));
        }
    }
    parts.sort_unstable_by_key(|&(occ, _)| occ);
    parts
}

/// The polarity of an operand.
fn operand_polarity(model: &Model, occ: OccId, operand: usize, whole: Polarity) -> Polarity {
    use BinaryOp as Op;
    let occurrence = model.occurrences.get(occ);
    match (occurrence.shape, model.exprs.get(occurrence.expr)) {
        (Shape::Next | Shape::Leaf, _) => whole,
        // Guards and values alternate.
        (Shape::Case, _) if operand.is_multiple_of(2) => Polarity::Mixed,
        (Shape::Ite, _) if operand == 0 => Polarity::Mixed,
        (Shape::Case | Shape::Ite, _) => whole,
        (_, Expr::Unary(UnaryOp::Not, _)) => whole.flipped(),
        (_, Expr::Binary(Op::Implies, ..)) if operand == 0 => whole.flipped(),
        (_, Expr::Binary(Op::Iff | Op::Xor | Op::Xnor | Op::Eq | Op::Ne, ..)) => Polarity::Mixed,
        _ => whole,
    }
}
