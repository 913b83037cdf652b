//! `trapline compare`: every criterion's suite scored against every criterion's goals, or the same for
//! several ways to make goals of mutants.

use clap::builder::{PossibleValue, PossibleValuesParser};
use serde_json::json;
use trapline_report::formats::trace::{csv, json as trace_json};
use trapline_suite::compare::{Group, Row, compare};
use trapline_suite::generate::{Options, Strategy};
use trapline_suite::set_cover::Objective;

use super::goals::{by_criterion, table};
use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::goal_args::{self, GoalArgs, Several};
use crate::initial::require_initial_state;
use crate::interrupt;
use crate::numbers::grouped;
use crate::search::{self, SearchArgs};

/// Arguments of the command.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{}\n\n{EXAMPLES}", goal_args::criteria_help()))]
pub struct Args {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Goal selection.
    #[command(flatten)]
    pub goals: GoalArgs,
    /// Search options.
    #[command(flatten)]
    pub search: SearchArgs,
    /// Score all tests that were found, not the fewest that suffice
    #[arg(long)]
    pub no_minimise: bool,
    /// The output format
    #[arg(long, value_name = "NAME", default_value = "text", value_parser = formats())]
    pub format: String,
}

const EXAMPLES: &str = "\
Examples:
  trapline compare valve.smv --criteria branch,condition,mcdc-masking
  trapline compare valve.smv --criteria mutation --mutate specs
  trapline compare valve.smv --criteria mutation --visibility reflect,inline,duplicate
  trapline compare valve.smv --criteria all --format csv -o matrix.csv";

fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new([
        PossibleValue::new("text").help("for people: a table"),
        PossibleValue::new("csv").help("for spreadsheets"),
        PossibleValue::new("json").help("for programs: trapline-comparison/1"),
    ])
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let several = goal_args::prepare_each(&args.model, &args.goals, &args.search, context)?;
    require_initial_state(&several.loaded, &args.search, context)?;
    let groups = groups(&several);
    let engine = *args.search.engine();
    let objective = (!args.no_minimise).then_some(Objective::FewestTests);
    let rows = search::run(&args.search, context, |budget| {
        let options = Options::usual(Strategy::Separate, engine);
        compare(&several.sets, &groups, &options, objective, budget)
    });
    let is_cut = several.cut.is_some() || rows.iter().any(|row| row.cut.is_some());
    if let Some(why) = rows.iter().find_map(|row| row.cut.as_ref()) {
        let text = format!("{why} before all tests were looked at: they may reach more");
        context.terminal.note(&text);
    }
    context.write(&match args.format.as_str() {
        "json" => document(&several, &groups, &rows, is_cut),
        "csv" => matrix(&groups, &rows).into_iter().map(|row| csv::row(row.into_iter())).collect(),
        _ => table::text(&matrix(&groups, &rows)),
    })?;
    Ok(match () {
        () if interrupt::is_raised() => Exit::Interrupted,
        () if several.has_wrong_traps => Exit::BadInput,
        () if is_cut || rows.iter().any(|row| row.n_unknown > 0) => Exit::Undecided,
        () => Exit::Done,
    })
}

/// The criteria and a group for all together; or the sets, if there are several.
fn groups(several: &Several) -> Vec<Group> {
    if let [set] = several.sets.as_slice() {
        let of = |(name, goals): (&str, Vec<usize>)| Group { name: name.into(), set: 0, goals };
        let mut groups: Vec<Group> = by_criterion(set).into_iter().map(of).collect();
        if groups.len() > 1 {
            let goals = (0..set.goals.len()).collect();
            groups.push(Group { name: "total".into(), set: 0, goals });
        }
        return groups;
    }
    let sets = several.names.iter().zip(&several.sets).enumerate();
    let groups = sets.map(|(idx, (name, set))| Group {
        name: name.clone(),
        set: idx,
        goals: (0..set.goals.len()).collect(),
    });
    groups.collect()
}

/// The goals that can be reached, of all; the tests, of those that were found; and the matrix.
fn matrix(groups: &[Group], rows: &[Row]) -> Vec<Vec<String>> {
    let names = groups.iter().map(|group| group.name.clone());
    let mut table = vec![std::iter::once(String::new()).chain(names).collect::<Vec<_>>()];
    let of = |title: &str, cell: &dyn Fn(usize) -> String| {
        std::iter::once(title.to_string()).chain((0..groups.len()).map(cell)).collect::<Vec<_>>()
    };
    let number = |number: usize| grouped(number as u64);
    table.push(of("goals", &|idx| number(groups[idx].goals.len())));
    table.push(of("feasible", &|idx| number(rows[idx].n_feasible)));
    table.push(of("tests found", &|idx| number(rows[idx].n_before)));
    table.push(of("tests", &|idx| number(rows[idx].n_tests)));
    table.push(of("steps", &|idx| number(rows[idx].n_steps)));
    // Of one set, that a suite reaches the goals that it was made for says nothing.
    let is_one = groups.iter().all(|group| group.set == 0);
    for (idx, row) in rows.iter().enumerate() {
        table.push(of(&groups[idx].name, &|column| match column == idx && is_one {
            true => "-".into(),
            false => cell(row.reached[column], rows[column].n_feasible),
        }));
    }
    table
}

fn cell(reached: usize, feasible: usize) -> String {
    let percent = (100 * reached).checked_div(feasible);
    let percent = percent.map_or("-".into(), |percent| format!("{percent}%"));
    format!("{}/{} {percent}", grouped(reached as u64), grouped(feasible as u64))
}

fn document(several: &Several, groups: &[Group], rows: &[Row], is_cut: bool) -> String {
    let shown = groups.iter().zip(rows).map(|(group, row)| {
        let reached = groups.iter().zip(&row.reached);
        let reached: serde_json::Map<String, serde_json::Value> =
            reached.map(|(other, count)| (other.name.clone(), (*count).into())).collect();
        json!({
            "name": group.name,
            "goals": group.goals.len(),
            "feasible": row.n_feasible,
            "unknown": row.n_unknown,
            "tests_found": row.n_before,
            "tests": row.n_tests,
            "steps": row.n_steps,
            "fewest_tests": row.bound.map(|bound| bound.n_tests),
            "reached": reached,
        })
    });
    trace_json::lines(&json!({
        "format": "trapline-comparison/1",
        "model": several.loaded.path,
        "complete": !interrupt::is_raised() && !is_cut,
        "suites": shown.collect::<Vec<_>>(),
    }))
}
