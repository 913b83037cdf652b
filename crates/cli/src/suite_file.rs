//! Writing suites.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser};
use sha2::{Digest, Sha256};
use trapline_engine::{Budget, Why};
use trapline_goals::decide::Makeable;
use trapline_goals::subgoals::Subgoals;
use trapline_lang::smv::Smv;
use trapline_model::trace::Trace;
use trapline_report::formats::trace::Format;
use trapline_suite::coverage::coverage_of_trees;
use trapline_suite::read::Document;
use trapline_suite::suite::{self, Missing, Scored, Suite, Test};
use trapline_suite::titled::{Titled, Traces};
use trapline_suite::write::{self, SuiteDocument};

use crate::commands::goals::{by_criterion, table, words};
use crate::context::Context;
use crate::excerpt::one_line;
use crate::failure::Failure;
use crate::goal_args::Prepared;
use crate::interrupt;
use crate::load::Loaded;
use crate::missing::{self, ListArgs, Row};
use crate::numbers::{counted, grouped};
use crate::paint::Style;
use crate::proofs::{self, Known, Proofs};
use crate::replay::{self, Shows};
use crate::search::{self, SearchArgs};
use crate::shown;
use crate::trace_files;
use crate::trace_text::TraceText;

/// The human-readable format.
const TEXT: &str = "text";
/// The form for programs.
const JSON: &str = "json";

/// A form of suites.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Human-readable.
    Text,
    /// For programs: `trapline-suite/1`.
    Json,
    /// The traces alone.
    Traces(&'static Format),
}

/// The forms as values of an option.
pub fn formats() -> PossibleValuesParser {
    let own = [
        PossibleValue::new(TEXT)
            .help("for people: a table, and the tests with what changes at each step"),
        PossibleValue::new(JSON).help("for programs: trapline-suite/1"),
    ];
    let others = trace_files::formats().filter(|format| format.get_name() != JSON);
    PossibleValuesParser::new(own.into_iter().chain(others))
}

/// The requested format, or the one that the file name determines.
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

/// What tests show of the goals; that nothing shows a goal may be recorded in the document that they come
/// from.
///
/// # Errors
/// When there is not enough time to find out what they reach.
pub fn scored(
    (prepared, document): (&Prepared, &Document),
    (subgoals, makeable): (&Subgoals, &Makeable),
    tests: &[Test],
    budget: &Budget<'_>,
) -> Result<Suite, Why> {
    let traces: Vec<Trace> = tests.iter().map(|test| test.trace.clone()).collect();
    let trees = suite::trees(tests);
    let covered = coverage_of_trees(subgoals, &|_| true, (&traces, &trees), &budget.grace());
    if let Some(why) = covered.cut.clone() {
        return Err(why);
    }
    let shown = covered.goals(&prepared.set, subgoals, makeable);
    let proofs = Proofs::new(prepared, document);
    let goals = shown.into_iter().enumerate().map(|(idx, shown)| {
        let missing = match proofs.of(idx) {
            _ if shown.is_some() => Missing::No,
            Known::Infeasible(how) => Missing::Infeasible(how.unwrap_or_default()),
            _ => Missing::Unknown("no test of the suite reaches it".into()),
        };
        Scored::new(shown, missing)
    });
    let goals = goals.collect();
    let is_complete = !interrupt::is_raised();
    let (tests, contradicted, choices) = (tests.to_vec(), Vec::new(), Vec::new());
    let mut suite = Suite { is_complete, tests, goals, contradicted, choices };
    suite.judge(&prepared.set, subgoals, makeable, budget);
    suite.locate(subgoals, &covered, budget);
    Ok(suite)
}

/// Writes a suite. What it may leave out is left out where the limits of the search say so.
pub fn write(
    form: Form,
    prepared: &Prepared,
    suite: &Suite,
    (limits, list): (&SearchArgs, &ListArgs),
    context: &Context,
) -> Result<(), Failure> {
    match form {
        Form::Text => write_text(prepared, suite, list, context),
        Form::Json => {
            search::tell(limits, context, |budget| write_json(prepared, suite, context, budget))
        }
        Form::Traces(format) => {
            let titled = |test: &'_ Test| test.name.clone();
            let list = suite.tests.iter();
            let list = list.map(|test| Titled::new(titled(test), &test.trace));
            let traces = Traces {
                path: &prepared.loaded.path,
                model: &prepared.loaded.model,
                list: list.collect(),
                is_complete: suite.is_complete,
                missed: missed(prepared, suite),
            };
            trace_files::write(format, &traces, context)
        }
    }
}

/// The ids of the goals that no test shows.
fn missed(prepared: &Prepared, suite: &Suite) -> Vec<String> {
    let goals = prepared.set.goals.iter().zip(&suite.goals);
    let missed = goals.filter(|(_, scored)| !scored.shown.is_some());
    missed.map(|(goal, _)| goal.id.clone()).collect()
}

fn write_text(
    prepared: &Prepared,
    suite: &Suite,
    list: &ListArgs,
    context: &Context,
) -> Result<(), Failure> {
    let mut output = context.output()?;
    output.write(&counts(prepared, suite))?;
    let paint = output.paint;
    output.write(&missing::list(&rows(prepared, suite), list, paint))?;
    let text = TraceText::new(&prepared.loaded.model, paint);
    let n_covered = suite.covers();
    for (idx, test) in suite.tests.iter().enumerate() {
        let heading = paint.paint(Style::Heading, &one_line(&test.name));
        let n_steps = counted(test.trace.states.len() as u64 - 1, "step");
        let goals = counted(n_covered[idx].len() as u64, "goal");
        output.write(&format!("\n{heading}: {n_steps}, {goals}\n"))?;
        output.write(&text.trace(&test.trace))?;
    }
    output.finish()
}

/// What is known of each goal.
fn rows<'s>(prepared: &'s Prepared, suite: &'s Suite) -> Vec<Row<'s>> {
    let goals = prepared.set.goals.iter().zip(&suite.goals);
    let rows = goals.map(|(goal, scored)| Row {
        id: &goal.id,
        text: &goal.text,
        line: prepared.loaded.line(goal),
        verdict: scored.word(),
        reason: scored.reason(),
        property: scored.property(goal),
        tests: match goal.is_property {
            true => {
                scored.shown.tests().iter().map(|&test| suite.tests[test].name.as_str()).collect()
            }
            false => Vec::new(),
        },
    });
    rows.collect()
}

/// The number of goals of each criterion, by what is known of them.
pub fn counts(prepared: &Prepared, suite: &Suite) -> String {
    let words = words(suite.goals.iter().any(|goal| goal.word() == "may-kill"));
    let mut rows = vec![vec!["criterion".to_string(), "goals".to_string()]];
    rows[0].extend(words.iter().map(|word| word.to_string()));
    let shown = shown::columns(suite.goals.iter().map(|goal| goal.evidence.word()));
    rows[0].extend(shown.iter().map(|(_, heading)| heading.to_string()));
    let all: Vec<usize> = (0..suite.goals.len()).collect();
    for (name, goals) in by_criterion(&prepared.set).into_iter().chain([("total", all)]) {
        let count = |is_meant: &dyn Fn(&Scored) -> bool| {
            grouped(goals.iter().filter(|idx| is_meant(&suite.goals[**idx])).count() as u64)
        };
        let mut row = vec![name.to_string(), grouped(goals.len() as u64)];
        row.extend(words.iter().map(|&word| count(&|goal| goal.word() == word)));
        row.extend(
            shown.iter().map(|(word, _)| count(&|goal| goal.evidence.word() == Some(*word))),
        );
        rows.push(row);
    }
    table::text(&rows)
}

fn write_json(
    prepared: &Prepared,
    suite: &Suite,
    context: &Context,
    budget: &Budget<'_>,
) -> Result<(), Failure> {
    let loaded = &prepared.loaded;
    let (purposes, observers) = (proofs::purposes(loaded), proofs::observers(loaded));
    let document = SuiteDocument {
        model: &loaded.model,
        origin: loaded.origin(),
        trap_syntax: &Smv,
        sha256: &loaded.sha256,
        language: loaded.language,
        main: &loaded.main,
        purposes: &purposes,
        observers: &observers,
        demand: prepared.demand,
        set: &prepared.set,
        suite,
    };
    let mut output = context.output()?;
    write::write(&document, budget, &mut |piece| output.write(piece))?;
    output.finish()
}

/// The SHA-256 of a text, in hexadecimal.
pub fn sha256(text: &str) -> String {
    digest(text.as_bytes())
}

/// The SHA-256 of what is in a file, in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
