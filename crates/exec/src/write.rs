//! `trapline-run/1`.

use serde_json::{Map, Value as Json, json};
use trapline_engine::possible::{Exchange, Inputs, Output, Outputs};
use trapline_goals::GoalSet;
use trapline_model::Model;
use trapline_source::{Sources, Span};
use trapline_suite::write::states::{self, members};

use crate::choices::Choice;
use crate::places::Place;
use crate::reached::Reached;
use crate::result::{RunResult, TestResult, Verdict};

/// At most so many characters of a line of the model are written.
const MAX_TEXT: usize = 200;

/// The model that a run was judged by.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    /// Its path, as the user gave it.
    pub path: &'a str,
    /// The checksum of its text.
    pub sha256: &'a str,
    /// What it is written in.
    pub language: &'a str,
    /// The module that was started from.
    pub main: &'a str,
    /// Its texts.
    pub sources: &'a Sources,
    /// The model.
    pub model: &'a Model,
}

/// The document of a run.
pub fn document(origin: Origin<'_>, run: &RunResult, goals: Option<(&GoalSet, &Reached)>) -> Json {
    let tests = run.tests.iter().enumerate();
    let tests: Vec<Json> = tests
        .map(|(place, (_, result))| {
            let ids = |of: fn(&Reached) -> &Vec<Vec<usize>>| -> Vec<&str> {
                let Some((set, reached)) = goals else { return Vec::new() };
                of(reached)[place].iter().map(|&goal| set.goals[goal].id.as_str()).collect()
            };
            let mut json = test(origin, result);
            json.insert("reached".into(), ids(|reached| &reached.by_run).into());
            let perhaps = ids(|reached| &reached.perhaps_by_run);
            if !perhaps.is_empty() {
                json.insert("may_be_reached".into(), perhaps.into());
            }
            json.into()
        })
        .collect();
    let Origin { path, sha256, language, main, .. } = origin;
    json!({
        "format": "trapline-run/1",
        "complete": run.is_complete,
        "model": {"path": path, "sha256": sha256, "language": language, "main": main},
        "passed": run.count(Verdict::Pass),
        "failed": run.count(Verdict::Fail),
        "inconclusive": run.count(Verdict::Inconclusive),
        "errors": run.count(Verdict::Error),
        "tests": tests,
        "unreached": goals.map(|(set, reached)| unreached(set, reached)),
    })
}

/// The goals that no test reaches, or may have reached: with those that tests list they are all goals that
/// were looked for.
fn unreached<'s>(set: &'s GoalSet, reached: &Reached) -> Vec<&'s str> {
    let mut is_open = vec![true; set.goals.len()];
    let lists = reached.by_run.iter().chain(&reached.perhaps_by_run);
    lists.flatten().for_each(|&goal| is_open[goal] = false);
    let goals = set.goals.iter().zip(is_open).filter(|(_, is_open)| *is_open);
    goals.map(|(goal, _)| goal.id.as_str()).collect()
}

fn test(origin: Origin<'_>, test: &TestResult) -> Map<String, Json> {
    let model = origin.model;
    let mut json = Map::new();
    json.insert("name".into(), test.name.as_str().into());
    json.insert("verdict".into(), test.verdict.word().into());
    let deviation = test.deviation.as_ref();
    json.insert("step".into(), deviation.map(|it| it.exchange).into());
    if let Some(it) = deviation {
        json.insert("message".into(), it.message.as_str().into());
        if it.exchange >= test.exchanges.len() && !it.inputs.is_empty() {
            json.insert("sent".into(), members(model, &as_outputs(&it.inputs)).into());
        }
        json.insert("expected".into(), members(model, &it.expected).into());
        json.insert("observed".into(), members(model, &it.observed).into());
        let allowed = it.allowed.iter().map(|outputs| Json::from(members(model, outputs)));
        json.insert("allowed".into(), allowed.collect());
        if test.verdict == Verdict::Fail && !it.is_all_allowed {
            json.insert("more_allowed".into(), true.into());
        }
        if !it.places.is_empty() {
            let places = it.places.iter().filter_map(|place| self::place(origin, *place));
            json.insert("places".into(), places.collect());
        }
    }
    let exchanges = test.exchanges.iter().map(|it| exchange(model, it));
    json.insert("exchanges".into(), exchanges.collect());
    json.insert("branch".into(), test.branch.as_slice().into());
    if test.counts.iter().sum::<usize>() > 1 {
        let counts = Verdict::ALL.iter().zip(test.counts);
        let counts: Map<String, Json> =
            counts.map(|(verdict, count)| (verdict.word().into(), count.into())).collect();
        json.insert("runs".into(), counts.into());
    }
    json.insert("stderr".into(), test.stderr.as_str().into());
    json
}

/// A choice of the model, and how often each of its values was seen.
pub fn choice(origin: Origin<'_>, choice: &Choice) -> Json {
    let Choice { output, span, values } = choice;
    let place = span.and_then(|span| place(origin, Place { output: *output, span }));
    let values = values.iter().map(
        |&(value, n_seen)| json!({"value": states::value(origin.model, value), "seen": n_seen}),
    );
    let mut json = place.unwrap_or_else(|| json!({"output": output.name(origin.model)}));
    json["values"] = values.collect();
    json
}

/// A place, with the first line of its text.
fn place(origin: Origin<'_>, Place { output, span }: Place) -> Option<Json> {
    let at = origin.sources.location(span.start)?;
    Some(json!({
        "output": output.name(origin.model),
        "file": at.path,
        "line": at.line,
        "column": at.column,
        "text": first_line(origin.sources, span),
    }))
}

/// The first line of a text, cut if it is long.
pub fn first_line(sources: &Sources, span: Span) -> String {
    let text = sources.text(span);
    let line = text.lines().next().unwrap_or_default().trim_end();
    let mut shown: String = line.chars().take(MAX_TEXT).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// What was sent and shown.
pub fn exchange(model: &Model, exchange: &Exchange) -> Json {
    json!({
        "inputs": members(model, &as_outputs(&exchange.inputs)),
        "outputs": members(model, &exchange.outputs),
    })
}

/// Inputs as values of variables.
pub fn as_outputs(inputs: &Inputs) -> Outputs {
    inputs.iter().map(|&(var, value)| (Output::Var(var), value)).collect()
}
