//! The result for programs: `trapline-mutants/1`.

use serde_json::{Value as Json, json};
use trapline_goals::mutate::edit::{Change, Texts};
use trapline_goals::mutate::status::Status;
use trapline_goals::mutate::{Mutant, OPERATORS};
use trapline_suite::defines::Defines;
use trapline_suite::write::states;

use super::text::{Shown, words};
use super::{Args, Found};
use crate::context::Context;
use crate::failure::Failure;
use crate::interrupt;

/// Writes the mutants, one a line: there may be a great many.
pub fn write(found: &Found, args: &Args, context: &Context) -> Result<(), Failure> {
    let mut output = context.output()?;
    output.write(&format!(
        "{{\n  \"format\": \"trapline-mutants/1\",\n  \"model\": {},\n  \"complete\": {},\n  \
         \"total\": {},\n  \"mutants\": [",
        json!(found.loaded.path),
        !interrupt::is_raised(),
        found.mutants.list.len()
    ))?;
    let n_shown = if args.count { 0 } else { found.mutants.list.len() };
    let texts = Texts::new(&found.set.model, &found.loaded.sources);
    for idx in 0..n_shown {
        output.write(if idx == 0 { "\n    " } else { ",\n    " })?;
        output.write(&mutant_json(found, args, &texts, idx).to_string())?;
    }
    output.write("\n  ],\n  \"by_operator\": ")?;
    output.write(&json!(by_operator(found)).to_string())?;
    output.write("\n}\n")?;
    output.finish()
}

/// What a mutant changes, and where.
pub fn change(found: &Found, texts: &Texts<'_>, mutant: &Mutant) -> Json {
    let shown = Shown::new(found, texts, mutant);
    let span = found.set.model.occurrences.get(mutant.place).span;
    let place = found.loaded.sources.location(span.start);
    let mut json = json!({
        "id": mutant.id(&found.mutants.subjects),
        "operator": OPERATORS[mutant.operator].name,
        "of": found.mutants.subjects[mutant.subject].named.text,
        "before": shown.before,
        "after": shown.after,
        "note": shown.note(),
        "edits": shown.change.as_ref().map(|change| edits(found, change)),
        "line": place.as_ref().map(|place| place.line),
        "column": place.as_ref().map(|place| place.column),
    });
    if let Some(place) = place.filter(|place| place.path != found.loaded.path) {
        json["file"] = place.path.into();
    }
    json
}

fn mutant_json(found: &Found, args: &Args, texts: &Texts<'_>, idx: usize) -> Json {
    let mut json = change(found, texts, &found.mutants.list[idx]);
    if let Some(status) = found.statuses.as_ref().map(|statuses| &statuses[idx]) {
        json["status"] = status.word().into();
        json["reason"] = status.reason().into();
        if let (true, Status::ExcludedOnly(trace)) = (args.negative, status) {
            let defines = Defines::new(&found.loaded.model);
            json["negative"] = states::trace(&found.loaded.model, &defines, trace);
        }
    }
    json
}

/// The edits of a text: where each begins, what is there, and what is put there.
fn edits(found: &Found, change: &Change) -> Json {
    let sources = &found.loaded.sources;
    let edits = change.edits.iter().map(|edit| {
        let place = sources.location(edit.span.start);
        json!({
            "line": place.as_ref().map(|place| place.line),
            "column": place.as_ref().map(|place| place.column),
            "old": sources.text(edit.span),
            "new": edit.text,
        })
    });
    Json::Array(edits.collect())
}

fn by_operator(found: &Found) -> Json {
    let mut json = json!({});
    for (idx, operator) in OPERATORS.iter().enumerate() {
        let mutants = found.mutants.list.iter().enumerate();
        let own: Vec<usize> =
            mutants.filter(|(_, mutant)| mutant.operator == idx).map(|(idx, _)| idx).collect();
        if own.is_empty() {
            continue;
        }
        json[operator.name] = json!({ "mutants": own.len() });
        if let Some(statuses) = &found.statuses {
            for &word in words(found) {
                let n_own = own.iter().filter(|&&idx| statuses[idx].word() == word).count();
                json[operator.name][word.replace(' ', "_")] = n_own.into();
            }
        }
    }
    json
}
