//! Properties in words.

use trapline_engine::sat::linear::same_in_ltl;
use trapline_model::{
    BinaryOp, Clause, Expr, ExprId, Exprs, Formula, Model, Property, PropertyKind, Type, UnaryOp,
};

use crate::load::Loaded;

/// Formulas of more nodes than this are shown as they were written: module parameters can make
/// them grow exponentially.
const MAX_NODES: usize = 10_000;

/// The line of the property.
pub fn line(loaded: &Loaded, property: &Property) -> Option<usize> {
    loaded.sources.location(property.span.start).map(|place| place.line)
}

/// Where it is: in a file that the model includes, or in the model itself.
pub fn place(loaded: &Loaded, property: &Property) -> Option<String> {
    let place = loaded.sources.location(property.span.start)?;
    Some(match place.path == loaded.path {
        true => format!("line {}", place.line),
        false => format!("{}:{}", place.path, place.line),
    })
}

/// The file that it is in, unless that is the model itself.
pub fn file(loaded: &Loaded, property: &Property) -> Option<String> {
    let place = loaded.sources.location(property.span.start)?;
    (place.path != loaded.path).then_some(place.path)
}

/// The property over the flat model's names, or as it was written.
pub fn text(loaded: &Loaded, property: &Property) -> String {
    let as_written =
        || loaded.sources.text(property.span).split_whitespace().collect::<Vec<_>>().join(" ");
    let model = &loaded.model;
    let show = |clause: Clause| {
        model.exprs.is_short(clause.expr, MAX_NODES).then(|| model.show_expr(clause.expr))
    };
    let text = match property.formula {
        Formula::Holds(clause) => show(clause),
        Formula::Min(from, to) => bounds_text("MIN", show(from), show(to)),
        Formula::Max(from, to) => bounds_text("MAX", show(from), show(to)),
        Formula::Unsupported(_) => None,
    };
    text.unwrap_or_else(as_written)
}

fn bounds_text(name: &str, from: Option<String>, to: Option<String>) -> Option<String> {
    Some(format!("{name} [{}, {}]", from?, to?))
}

/// True if only an infinite path can violate it. The required expressions are added to the model.
pub fn needs_loop(model: &mut Model, property: &Property) -> bool {
    let Formula::Holds(Clause { expr, .. }) = property.formula else { return false };
    let linear = match property.kind {
        PropertyKind::Ltl | PropertyKind::Psl => Some(expr),
        PropertyKind::Ctl => same_in_ltl(model, expr),
        PropertyKind::Invar | PropertyKind::Compute => None,
    };
    linear.is_some_and(|formula| is_eventual(&model.exprs, formula))
}

/// Does a formula of LTL say that something happens some time?
fn is_eventual(exprs: &Exprs, formula: ExprId) -> bool {
    let mut seen = std::collections::HashSet::new();
    let mut waiting = vec![(formula, true)];
    while let Some((id, wanted)) = waiting.pop() {
        if exprs.ty(id) != Type::Temporal || !seen.insert((id, wanted)) {
            continue;
        }
        let node = exprs.get(id);
        let is_liveness = match node {
            Expr::Unary(UnaryOp::F, _) | Expr::Binary(BinaryOp::U, ..) => wanted,
            Expr::Unary(UnaryOp::G, _) | Expr::Binary(BinaryOp::V, ..) => !wanted,
            _ => false,
        };
        if is_liveness {
            return true;
        }
        let operands = exprs.operands(node);
        match node {
            Expr::Unary(UnaryOp::Not, inner) => waiting.push((inner, !wanted)),
            Expr::Binary(BinaryOp::Implies, a, b) => waiting.extend([(a, !wanted), (b, wanted)]),
            Expr::Binary(BinaryOp::Iff | BinaryOp::Xor | BinaryOp::Xnor, ..) => {
                waiting
                    .extend(operands.as_slice().iter().flat_map(|&id| [(id, true), (id, false)]));
            }
            _ => waiting.extend(operands.as_slice().iter().map(|&id| (id, wanted))),
        }
    }
    false
}
