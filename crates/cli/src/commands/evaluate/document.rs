//! The result for programs: `trapline-coverage/1`.

use serde_json::{Map, Value as Json, json};
use trapline_suite::evidence::Evidence;

use super::text::{dropped, n_shown};
use super::{Found, share};
use crate::commands::goals::by_criterion;
use crate::context::Context;
use crate::failure::Failure;
use crate::interrupt;

/// Writes a goal a line.
pub fn write(found: &Found, context: &Context) -> Result<(), Failure> {
    let set = &found.prepared.set;
    let all: Vec<usize> = (0..set.goals.len()).collect();
    let (n_covered, n_counting) = found.evaluated.score(&all);
    let mut by = Map::new();
    for (name, goals) in by_criterion(set) {
        by.insert(name.to_string(), criterion(found, &goals));
    }
    let mut output = context.output()?;
    output.write(&format!(
        "{{\n  \"format\": \"trapline-coverage/1\",\n  \"model\": {},\n  \"complete\": {},\n  \
         \"score\": {},\n  \"covered\": {n_covered},\n  \"total\": {n_counting},\n  \
         \"by_criterion\": {},\n  \"tests\": {},\n  \"goals\": [",
        json!(found.prepared.loaded.path),
        !interrupt::is_raised() && !found.is_cut(),
        json!(found.score()),
        Json::Object(by),
        json!(found.suite.document.drafts.iter().map(|draft| &draft.name).collect::<Vec<_>>()),
    ))?;
    for idx in 0..set.goals.len() {
        output.write(if idx == 0 { "\n    " } else { ",\n    " })?;
        output.write(&goal(found, idx).to_string())?;
    }
    output.write("\n  ]\n}\n")?;
    output.finish()
}

fn criterion(found: &Found, goals: &[usize]) -> Json {
    let score = found.evaluated.score(goals);
    let [infeasible, trivial, duplicate] = dropped(found, goals);
    let [outputs, inside, unknown] =
        ["outputs", "inside", "unknown"].map(|word| n_shown(found, goals, word));
    json!({
        "covered": score.0,
        "total": score.1,
        "score": share(score),
        "shown": {"outputs": outputs, "inside": inside, "unknown": unknown},
        "winnowed": {"infeasible": infeasible, "trivial": trivial, "duplicate": duplicate},
    })
}

fn goal(found: &Found, idx: usize) -> Json {
    let goal = &found.prepared.set.goals[idx];
    let scored = &found.evaluated.goals[idx];
    let place = found.prepared.loaded.sources.location(goal.span.start);
    let mut json = json!({
        "id": goal.id,
        "criterion": goal.criterion,
        "text": goal.text,
        "line": place.map(|place| place.line),
        "verdict": scored.word(),
        "reason": scored.reason(),
        "tests": found.tests(idx),
        "shown": scored.evidence.word(),
    });
    if let Some(property) = scored.property(goal) {
        json["property"] = property.word().into();
    }
    match &scored.evidence {
        Evidence::Outputs(tests) => {
            json["shown_by"] = tests.iter().map(|&test| found.suite.origins[test]).collect();
        }
        Evidence::Unknown(why) => json["shown_reason"] = why.as_str().into(),
        Evidence::None | Evidence::Inside => {}
    }
    json
}
