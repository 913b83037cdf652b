//! Properties in words.

use trapline_model::{Clause, Formula, Property, PropertyKind, print};

use crate::load::Loaded;

/// Formulas of more nodes than this are shown as they were written: module parameters can make
/// them grow exponentially.
const MAX_NODES: usize = 10_000;

/// The name of a kind.
pub fn kind_name(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Ctl => "ctl",
        PropertyKind::Compute => "compute",
        PropertyKind::Ltl => "ltl",
        PropertyKind::Psl => "psl",
        PropertyKind::Invar => "invar",
    }
}

/// The line that the property stands on.
pub fn line(loaded: &Loaded, property: &Property) -> Option<usize> {
    loaded.sources.place(property.span.start).map(|place| place.line)
}

/// The property over the flat model's names, or as it was written.
pub fn text(loaded: &Loaded, property: &Property) -> String {
    let as_written =
        || loaded.sources.text(property.span).split_whitespace().collect::<Vec<_>>().join(" ");
    let model = &loaded.model;
    let show = |clause: Clause| {
        print::is_short(model, clause.expr, MAX_NODES).then(|| print::expr(model, clause.expr))
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
