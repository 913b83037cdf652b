//! Goals as JSON: what suites and lists of goals say of each.

use serde_json::{Value as Json, json};
use trapline_goals::Goal;
use trapline_goals::traps::Trap;
use trapline_model::{Model, Syntax};
use trapline_source::requirement::ids_at;
use trapline_source::{Requirement, Sources};

/// Where a model comes from.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Its path.
    pub path: &'a str,
    /// Its text, and those of what was read with it.
    pub sources: &'a Sources,
    /// What parts of the texts are there for.
    pub requirements: &'a [Requirement],
}

/// What a goal is, but for its trap.
pub fn described(origin: &Origin<'_>, goal: &Goal) -> Json {
    let place = origin.sources.location(goal.span.start);
    let mut json = json!({
        "id": goal.id,
        "criterion": goal.criterion,
        "text": goal.text,
        "logic": goal.kind.logic().name(),
        "trap": null,
        "line": place.as_ref().map(|place| place.line),
        "column": place.as_ref().map(|place| place.column),
    });
    // The position is in the model, unless another file is given.
    if let Some(place) = place.filter(|place| place.path != origin.path) {
        json["file"] = place.path.into();
    }
    let requirements = ids_at(origin.requirements, goal.span.start);
    if !requirements.is_empty() {
        json["requirements"] = requirements.into();
    }
    json
}

/// The text of a trap in some syntax, if it has no more nodes than allowed.
pub fn trap(syntax: &dyn Syntax, model: &Model, trap: Option<&Trap>, max_nodes: usize) -> Json {
    let short = trap.filter(|trap| model.exprs.is_short(trap.expr, max_nodes));
    short.map_or(Json::Null, |trap| syntax.expr(model, trap.expr).into())
}
