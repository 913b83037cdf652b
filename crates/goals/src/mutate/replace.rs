//! Replaces occurrences of a tree: the expressions on the paths to the root are rebuilt.

use rustc_hash::FxHashMap;
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
        // The text of an event is read in the old state and in the new one.
        let copy = copy_of(model, parent, occ).map(|copy| (copy, model.exprs.prime(expr)));
        let changed = |child| match copy {
            Some((copy, primed)) if child == copy => Some(primed),
            _ => (child == occ).then_some(expr),
        };
        expr = with_operands(model, parent, &changed)?;
        occ = parent;
    }
    Some(Replaced { root: expr, conjunct: conjunct.unwrap_or(expr) })
}

/// The occurrence with the same text for the new state, of what an event says of the old one.
fn copy_of(model: &Model, parent: OccId, occ: OccId) -> Option<OccId> {
    let is_event = matches!(model.occurrences.get(parent).shape, Shape::Event(_));
    let children = is_event.then(|| model.occurrences.children(parent))?;
    children.get(1).copied().filter(|_| children[0] == occ)
}

/// What the tree below an occurrence means if some occurrences in it, none inside another, mean something
/// else; `None` as for [`replace`].
pub fn replace_all(
    model: &mut Model,
    root: OccId,
    places: &[OccId],
    new: ExprId,
) -> Option<ExprId> {
    let mut changed: FxHashMap<OccId, ExprId> = places.iter().map(|&place| (place, new)).collect();
    for occ in model.occurrences.subtree(root) {
        let start = model.occurrences.start(occ);
        let is_below = |place: &OccId| start <= place.0 as usize && *place < occ;
        if places.iter().any(is_below) {
            let expr = with_operands(model, occ, &|child| changed.get(&child).copied())?;
            changed.insert(occ, expr);
        }
    }
    changed.get(&root).copied()
}

/// What an occurrence means if some of its operands mean something else.
fn with_operands(
    model: &mut Model,
    parent: OccId,
    changed: &dyn Fn(OccId) -> Option<ExprId>,
) -> Option<ExprId> {
    let whole = model.occurrences.get(parent);
    let children = model.occurrences.children(parent);
    if whole.shape == Shape::Next {
        return children.first().and_then(|&child| changed(child));
    }
    let meanings: Vec<ExprId> =
        children.iter().map(|&child| model.occurrences.get(child).expr).collect();
    let news: Vec<ExprId> = children
        .iter()
        .zip(&meanings)
        .map(|(&child, &meaning)| changed(child).unwrap_or(meaning))
        .collect();
    if let (Shape::Event(event), [old, new]) = (whole.shape, news.as_slice()) {
        return event.of(&mut model.exprs, *old, *new).ok();
    }
    if whole.shape == Shape::Case {
        return in_case(model, whole.expr, &meanings, &news);
    }
    let expr = model.exprs.get(whole.expr);
    let operands = match expr {
        Expr::Binary(BinaryOp::Union, ..) => members(model, whole.expr),
        _ => model.exprs.operands(expr).as_slice().to_vec(),
    };
    if operands != meanings {
        return substitute(model, whole.expr, &meanings, &news);
    }
    if matches!(expr, Expr::Binary(BinaryOp::Union, ..)) {
        let mut all = news.into_iter();
        let first = all.next()?;
        let join =
            |union, member| model.exprs.try_add(Expr::Binary(BinaryOp::Union, union, member));
        return all.try_fold(first, join).ok();
    }
    let mut news = news.into_iter();
    let mapped = model.exprs.map_operands(expr, |operand| news.next().unwrap_or(operand));
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
    news: &[ExprId],
) -> Option<ExprId> {
    let mut rest = whole;
    for branch in meanings.chunks_exact(2) {
        let Expr::Ite(guard, value, other) = model.exprs.get(rest) else { return None };
        if [guard, value] != *branch {
            return None;
        }
        rest = other;
    }
    for branch in news.chunks_exact(2).rev() {
        rest = model.exprs.try_add(Expr::Ite(branch[0], branch[1], rest)).ok()?;
    }
    Some(rest)
}

/// Substitutes operands wherever they occur below; that is correct only if no other operand is the same.
fn substitute(
    model: &mut Model,
    whole: ExprId,
    meanings: &[ExprId],
    news: &[ExprId],
) -> Option<ExprId> {
    let all = model.exprs.reachable([whole]);
    let mut substitution = Substitution::default();
    for (&old, &new) in meanings.iter().zip(news).filter(|(old, new)| old != new) {
        let others = meanings.iter().zip(news).filter(|other| *other != (&old, &new));
        let below_others = model.exprs.reachable(others.map(|(&other, _)| other));
        let is_const = model.exprs.as_const(old).is_some();
        if below_others.contains(&old) || !all.contains(&old) || is_const {
            return None;
        }
        // What takes a formula takes a Boolean; anything else of another type need not fit.
        let [old_ty, new_ty] = [old, new].map(|expr| model.exprs.ty(expr));
        if old_ty != new_ty && (old_ty, new_ty) != (Type::Temporal, Type::Bool) {
            return None;
        }
        substitution.put(old, new);
    }
    Some(substitution.apply(model, whole))
}
