//! Writing suites.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use trapline_engine::Budget;
use trapline_goals::traps;
use trapline_model::trace::Trace;
use trapline_model::{Model, Role, VarId, VarKind};
use trapline_report::defines::Defines;
use trapline_report::formats::trace::{Format, Titled, Traces, json as trace_json};
use trapline_suite::choices::choices;
use trapline_suite::suite::{Missing, Scored, Suite};

use crate::commands::goals::document::{described, trap};
use crate::commands::goals::{by_criterion, table};
use crate::context::Context;
use crate::excerpt::{escape, one_line};
use crate::failure::Failure;
use crate::goal_args::Prepared;
use crate::load::Loaded;
use crate::numbers::{counted, grouped};
use crate::paint::{Paint, Style};
use crate::proofs;
use crate::replay::{self, Shows};
use crate::search::{self, SearchArgs};
use crate::trace_files;
use crate::trace_text::TraceText;

/// The form for people.
const TEXT: &str = "text";
/// The form for programs.
const JSON: &str = "json";

/// When the traps of a suite have so many bytes, or the time is over, the others are left out: `goals`
/// has them.
const MAX_TRAPS: usize = 1 << 23;

/// What it costs to write a trap: the clock is looked at now and then.
const TRAP: u64 = 64;

/// A trap with more nodes is left out of a suite.
pub const MAX_NODES: usize = 2_000;

/// A form of suites.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// For people.
    Text,
    /// For programs: `trapline-suite/1`.
    Json,
    /// The traces alone.
    Traces(&'static Format),
}

/// The forms as values of an option.
pub fn formats() -> PossibleValuesParser {
    let own = [
        PossibleValue::new(TEXT).help("for people: a table, and the tests as differences"),
        PossibleValue::new(JSON).help("for programs: trapline-suite/1"),
    ];
    let others = trace_files::formats().filter(|format| format.get_name() != JSON);
    PossibleValuesParser::new(own.into_iter().chain(others))
}

/// The form that the user wants, or that the name of the file tells.
pub fn format(name: Option<&str>, context: &Context) -> Result<Form, Failure> {
    let ends = |ending: &str| {
        let path = context.output.as_deref().unwrap_or(Path::new(""));
        path.to_string_lossy().ends_with(ending)
    };
    match name {
        Some(TEXT) => Ok(Form::Text),
        Some(JSON) => Ok(Form::Json),
        Some(name) => trace_files::format(name).map(Form::Traces),
        None if ends(".itf.json") => trace_files::format("itf").map(Form::Traces),
        None if ends(".json") => Ok(Form::Json),
        None if ends(".csv") => trace_files::format("csv").map(Form::Traces),
        None if ends(".vcd") => trace_files::format("vcd").map(Form::Traces),
        None => Ok(Form::Text),
    }
}

/// Replays all tests, before anyone sees them.
pub fn check(loaded: &Loaded, suite: &Suite) -> Result<(), Failure> {
    replay::check(loaded, suite.tests.iter().map(|test| (&test.trace, Shows::Run)))
}

/// Writes a suite. What it may leave out is left out where the limits of the search say so.
pub fn write(
    form: Form,
    prepared: &Prepared,
    suite: &Suite,
    limits: &SearchArgs,
    context: &Context,
) -> Result<(), Failure> {
    match form {
        Form::Text => write_text(prepared, suite, context),
        Form::Json => {
            search::tell(limits, context, |budget| write_json(prepared, suite, context, budget))
        }
        Form::Traces(format) => {
            let titled = |test: &'_ trapline_suite::suite::Test| test.name.clone();
            let list = suite.tests.iter();
            let list = list.map(|test| Titled::new(titled(test), &test.trace));
            let traces = Traces {
                path: &prepared.loaded.path,
                model: &prepared.loaded.model,
                list: list.collect(),
                is_complete: suite.is_complete,
            };
            trace_files::write(format, &traces, context)
        }
    }
}

/// A word for what is known of a goal.
pub fn verdict_word(goal: &Scored) -> &'static str {
    match goal.missing {
        Missing::No => "covered",
        Missing::Feasible => "not covered",
        Missing::Infeasible(_) => "infeasible",
        Missing::Unknown(_) => "unknown",
    }
}

fn write_text(prepared: &Prepared, suite: &Suite, context: &Context) -> Result<(), Failure> {
    let mut output = context.output()?;
    output.write(&counts(prepared, suite))?;
    let paint = output.paint;
    output.write(&missing(prepared, suite, paint))?;
    let text = TraceText::new(&prepared.loaded.model, paint);
    let n_covered = covers(suite);
    for (idx, test) in suite.tests.iter().enumerate() {
        let heading = paint.paint(Style::Heading, &one_line(&test.name));
        let n_steps = counted(test.trace.states.len() as u64 - 1, "step");
        let goals = counted(n_covered[idx].len() as u64, "goal");
        output.write(&format!("\n{heading}: {n_steps}, {goals}\n"))?;
        output.write(&text.trace(&test.trace))?;
    }
    output.finish()
}

/// The goals that no test covers, and why.
fn missing(prepared: &Prepared, suite: &Suite, paint: Paint) -> String {
    let mut text = String::new();
    let goals = || prepared.set.goals.iter().zip(&suite.goals);
    let is_listed = |missing: &Missing| !matches!(missing, Missing::No | Missing::Feasible);
    let listed = goals().filter(|(_, scored)| is_listed(&scored.missing));
    let width = table::width(listed.map(|(goal, _)| goal.id.as_str()));
    for (goal, scored) in goals() {
        let (style, why) = match &scored.missing {
            Missing::No | Missing::Feasible => continue,
            Missing::Infeasible(how) => (Style::Dim, how),
            Missing::Unknown(why) => (Style::Open, why),
        };
        let word = paint.paint(style, &format!("{:10}", verdict_word(scored)));
        let place = prepared.loaded.sources.location(goal.span.start);
        let line = place.map_or(String::new(), |place| format!("line {}; ", place.line));
        let remark = paint.paint(Style::Dim, &format!("({line}{why})"));
        let gap = if text.is_empty() { "\n" } else { "" };
        text += &format!("{gap}{word}  {:width$}  {}  {remark}\n", goal.id, escape(&goal.text));
    }
    text
}

/// The number of goals of each criterion, by what is known of them.
pub fn counts(prepared: &Prepared, suite: &Suite) -> String {
    let words = ["covered", "infeasible", "unknown"];
    let mut rows = vec![vec!["criterion".to_string(), "goals".to_string()]];
    rows[0].extend(words.map(String::from));
    let all: Vec<usize> = (0..suite.goals.len()).collect();
    for (name, goals) in by_criterion(&prepared.set).into_iter().chain([("total", all)]) {
        let mut row = vec![name.to_string(), grouped(goals.len() as u64)];
        for word in words {
            let is_meant = |idx: &&usize| verdict_word(&suite.goals[**idx]) == word;
            row.push(grouped(goals.iter().filter(is_meant).count() as u64));
        }
        rows.push(row);
    }
    table::text(&rows)
}

/// For each test the goals that it shows, alone or as one of two.
fn covers(suite: &Suite) -> Vec<Vec<usize>> {
    let mut covers = vec![Vec::new(); suite.tests.len()];
    for (goal_idx, goal) in suite.goals.iter().enumerate() {
        for test in goal.shown.tests() {
            covers[test].push(goal_idx);
        }
    }
    covers
}

/// Writes a goal and a state a line: there may be a great many.
fn write_json(
    prepared: &Prepared,
    suite: &Suite,
    context: &Context,
    budget: &Budget<'_>,
) -> Result<(), Failure> {
    let (loaded, set) = (&prepared.loaded, &prepared.set);
    let mut traps = traps::Writer::new(&set.model);
    let mut output = context.output()?;
    output.write(&format!(
        "{{\n  \"format\": \"trapline-suite/1\",\n  \"complete\": {},\n  \"model\": {},\n{}  \
         \"roles\": {},\n  \"steps\": {},\n  \"goals\": [",
        suite.is_complete,
        about_model(loaded),
        proofs::members(loaded),
        roles(&loaded.model),
        steps(&loaded.model)
    ))?;
    let mut n_written = 0;
    for (idx, (goal, scored)) in set.goals.iter().zip(&suite.goals).enumerate() {
        let mut json = described(prepared, goal);
        if n_written < MAX_TRAPS && budget.spend(TRAP).is_ok() {
            let claim = traps.short(goal, MAX_NODES);
            json["trap"] = trap(traps.model(), claim.as_ref(), MAX_NODES);
        }
        n_written += json["trap"].as_str().map_or(0, str::len);
        json["verdict"] = verdict_word(scored).into();
        json["tests"] = scored.shown.tests().into();
        json["reason"] = match &scored.missing {
            Missing::No | Missing::Feasible => Json::Null,
            Missing::Infeasible(text) | Missing::Unknown(text) => text.as_str().into(),
        };
        output.write(if idx == 0 { "\n    " } else { ",\n    " })?;
        output.write(&json.to_string())?;
    }
    output.write("\n  ],\n  \"tests\": [")?;
    let defines = Defines::new(&loaded.model);
    let covers = covers(suite);
    // A test may cover thousands of goals.
    let ids: Vec<String> = set.goals.iter().map(|goal| json!(goal.id).to_string()).collect();
    let traces: Vec<&Trace> = suite.tests.iter().map(|test| &test.trace).collect();
    let choices = choices(&loaded.model, &traces, budget);
    for (idx, test) in suite.tests.iter().enumerate() {
        output.write(if idx == 0 { "\n    " } else { ",\n    " })?;
        output.write(&format!("{{\"name\": {}, \"states\": [", json!(test.name)))?;
        for state_idx in 0..test.trace.states.len() {
            let model = &loaded.model;
            let state =
                trace_json::state(model, &defines, &test.trace, state_idx, trace_json::value);
            output.write(if state_idx == 0 { "\n      " } else { ",\n      " })?;
            output.write(&Json::Object(state).to_string())?;
        }
        let loop_start = json!(test.trace.loop_start);
        output.write(&format!("],\n      \"loop\": {loop_start},\n      \"covers\": ["))?;
        for (at, &goal) in covers[idx].iter().enumerate() {
            output.write(if at == 0 { "" } else { "," })?;
            output.write(&ids[goal])?;
        }
        let (here, back) = choices[idx].split_at(test.trace.states.len());
        let here = json!(named(&loaded.model, here));
        output.write(&format!("],\n      \"nondeterministic\": {here}"))?;
        if let Some(back) = named(&loaded.model, back).first() {
            output.write(&format!(",\n      \"nondeterministic_back\": {}", json!(back)))?;
        }
        output.write("}")?;
    }
    output.write("\n  ]\n}\n")?;
    output.finish()
}

fn named<'m>(model: &'m Model, states: &[Vec<VarId>]) -> Vec<Vec<&'m str>> {
    let name = |var: &VarId| model.var(*var).name.as_str();
    states.iter().map(|vars| vars.iter().map(name).collect()).collect()
}

fn about_model(loaded: &Loaded) -> Json {
    json!({
        "path": loaded.path,
        "sha256": loaded.sha256,
        "language": loaded.language,
        "main": loaded.main,
    })
}

/// The SHA-256 of a text, in hexadecimal.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Who sets or sees what; the elements of an array are named one by one.
fn roles(model: &Model) -> Json {
    let named = |role: Role| -> Vec<&str> {
        let vars = model.vars.iter().filter(|var| var.role == role).map(|var| var.name.as_str());
        let defines = model.defines.iter().filter(|define| define.role == role);
        vars.chain(defines.map(|define| define.name.as_str())).collect()
    };
    json!({
        "input": named(Role::Input),
        "output": named(Role::Output),
        "internal": named(Role::Internal),
    })
}

/// What belongs to steps, and not to states; a test that loops does not show it, for its last state
/// has values of these too.
fn steps(model: &Model) -> Json {
    let defines = Defines::new(model);
    let vars = model.vars.iter().filter(|var| var.kind == VarKind::Input);
    let of_defines = model.defines.iter().enumerate();
    let of_defines = of_defines.filter(|(idx, _)| defines.is_step(*idx));
    let names = vars.map(|var| var.name.as_str());
    names.chain(of_defines.map(|(_, define)| define.name.as_str())).collect()
}
