//! Replaces one occurrence of a tree: the expressions on the path to the root are rebuilt.

use trapline_model::transform::Substitution;
use trapline_model::{BinaryOp, Expr, ExprId, Model, OccId, Shape, Type};

use super::tree::Tree;

/// A tree in which an occurrence means something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// What the whole tree means then.
    pub root: ExprId,
    /// The mutated conjunct, if the tree is a conjunction. Where the tree held before, it holds now
    /// iff this does.
    pub conjunct: ExprId,
}

/// The tree with an occurrence replaced; `None` where the model does not record how the expression
/// was built, and where an operator on the path does not accept the new operand.
pub fn replace(model: &mut Model, tree: &Tree, place: OccId, new: ExprId) -> Option<Replaced> {
    let (mut occ, mut expr) = (place, new);
    let mut conjunct = None;
    while let Some(parent) = tree.parent(occ) {
        if tree.is_conjunction(parent) {
            conjunct.get_or_insert(expr);
        }
        expr = with_operand(model, parent, occ, expr)?;
        occ = parent;
    }
    Some(Replaced { root: expr, conjunct: conjunct.unwrap_or(expr) })
}

/// What an occurrence means if one of its operands means something else.
fn with_operand(model: &mut Model, parent: OccId, child: OccId, new: ExprId) -> Option<ExprId> {
    let whole = model.occurrences.get(parent);
    if whole.shape == Shape::Next {
        return Some(new);
    }
    let children = model.occurrences.children(parent);
    let position = children.iter().position(|&other| other == child)?;
    let meanings: Vec<ExprId> =
        children.iter().map(|&child| model.occurrences.get(child).expr).collect();
    if whole.shape == Shape::Case {
        return in_case(model, whole.expr, &meanings, position, new);
    }
    let expr = model.exprs.get(whole.expr);
    let operands = match expr {
        Expr::Binary(BinaryOp::Union, ..) => members(model, whole.expr),
        _ => model.exprs.operands(expr).as_slice().to_vec(),
    };
    if operands != meanings {
        return substitute(model, whole.expr, &meanings, position, new);
    }
    if matches!(expr, Expr::Binary(BinaryOp::Union, ..)) {
        let all = operands.into_iter().enumerate();
        let mut all = all.map(|(idx, member)| if idx == position { new } else { member });
        let first = all.next()?;
        let join =
            |union, member| model.exprs.try_add(Expr::Binary(BinaryOp::Union, union, member));
        return all.try_fold(first, join).ok();
    }
    let mut at = 0;
    let mapped = model.exprs.map_operands(expr, |operand| {
        at += 1;
        if at - 1 == position { new } else { operand }
    });
    model.exprs.try_add(mapped).ok()
}

/// The members of a set, as written.
pub(crate) fn members(model: &Model, set: ExprId) -> Vec<ExprId> {
    let mut members = Vec::new();
    let mut rest = set;
    while let Expr::Binary(BinaryOp::Union, a, b) = model.exprs.get(rest) {
        members.push(b);
        rest = a;
    }
    members.push(rest);
    members.reverse();
    members
}

/// A `case` is a chain of `?:`.
fn in_case(
    model: &mut Model,
    whole: ExprId,
    meanings: &[ExprId],
    position: usize,
    new: ExprId,
) -> Option<ExprId> {
    let mut chain = Vec::new();
    let mut rest = whole;
    for branch in meanings.chunks_exact(2) {
        let Expr::Ite(guard, value, other) = model.exprs.get(rest) else { return None };
        if [guard, value] != *branch {
            return None;
        }
        chain.push((guard, value));
        rest = other;
    }
    for (idx, (mut guard, mut value)) in chain.into_iter().enumerate().rev() {
        if position == 2 * idx {
            guard = new;
        } else if position == 2 * idx + 1 {
            value = new;
        }
        rest = model.exprs.try_add(Expr::Ite(guard, value, rest)).ok()?;
    }
    Some(rest)
}

/// Substitutes an operand wherever it occurs below; that is correct only if no other operand is the
/// same.
fn substitute(
    model: &mut Model,
    whole: ExprId,
    meanings: &[ExprId],
    position: usize,
    new: ExprId,
) -> Option<ExprId> {
    let old = meanings[position];
    let others = meanings.iter().enumerate().filter(|(idx, _)| *idx != position);
    let below_others = model.exprs.reachable(others.map(|(_, &expr)| expr));
    let all = model.exprs.reachable([whole]);
    if below_others.contains(&old) || !all.contains(&old) || model.exprs.as_const(old).is_some() {
        return None;
    }
    // What takes a formula takes a Boolean; anything else of another type need not fit.
    let [old_ty, new_ty] = [old, new].map(|expr| model.exprs.ty(expr));
    if old_ty != new_ty && (old_ty, new_ty) != (Type::Temporal, Type::Bool) {
        return None;
    }
    let mut substitution = Substitution::default();
    substitution.put(old, new);
    Some(substitution.apply(model, whole))
}
