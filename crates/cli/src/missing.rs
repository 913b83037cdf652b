//! The goals that no test covers, for people: alike ones in one line, or each.

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_suite::goal_groups::{Group, groups, single};
use trapline_suite::property::{Property, formula};

use crate::commands::goals::table;
use crate::excerpt::one_line;
use crate::numbers::{counted, grouped};
use crate::paint::{Paint, Style};

/// Which goals are listed.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ListArgs {
    /// List each of these goals; otherwise alike ones that no test covers share a line
    #[arg(long, value_name = "WHICH", value_parser = verdicts())]
    pub list: Option<String>,
}

/// All that can be listed.
const ALL: &str = "all";

fn verdicts() -> PossibleValuesParser {
    PossibleValuesParser::new([
        PossibleValue::new("infeasible").help("the infeasible goals, each with its proof"),
        PossibleValue::new("unknown").help("the unknown goals, each with the reason"),
        PossibleValue::new(ALL).help("both"),
    ])
}

/// A goal, and what is known of it.
#[derive(Clone, Debug)]
pub struct Row<'g> {
    /// Its id.
    pub id: &'g str,
    /// Its description.
    pub text: &'g str,
    /// Its line, if it has one.
    pub line: Option<u64>,
    /// The verdict in a word.
    pub verdict: &'static str,
    /// The proof, or why it is open.
    pub reason: Option<&'g str>,
    /// What that says of the property that it is, if it is one of the model.
    pub property: Option<Property>,
    /// The names of the tests that violate it, if it is one.
    pub tests: Vec<&'g str>,
}

/// A line of the list.
struct Line {
    verdict: &'static str,
    name: String,
    about: String,
    remarks: String,
}

/// What is known of the model's own properties, then the goals that no test covers, by verdict, and
/// why. All goals are given.
pub fn list(rows: &[Row<'_>], args: &ListArgs, paint: Paint) -> String {
    properties(rows, paint) + &goals(rows, args, paint)
}

/// The properties, each with its proof or the tests that violate it.
pub fn properties(rows: &[Row<'_>], paint: Paint) -> String {
    let rows: Vec<&Row<'_>> = rows.iter().filter(|row| row.property.is_some()).collect();
    let width = table::width(rows.iter().map(|row| row.id));
    let mut text = match rows.is_empty() {
        true => String::new(),
        false => format!("\n{}\n", paint.paint(Style::Heading, "properties of the model:")),
    };
    for property in Property::ALL {
        let style = property_style(property);
        for row in rows.iter().filter(|row| row.property == Some(property)) {
            let word = paint.paint(style, &format!("{:9}", property.word()));
            let shown = paint.paint(Style::Dim, &format!("({})", remarks(row, property)));
            let (id, formula) = (one_line(row.id), one_line(formula(row.text)));
            text += &format!("{word}  {id:width$}  {formula}  {shown}\n");
        }
    }
    text
}

/// The colour of a verdict on a property.
pub fn property_style(property: Property) -> Style {
    match property {
        Property::Violated => Style::Bad,
        Property::Undecided => Style::Open,
        Property::Holds => Style::Good,
    }
}

fn remarks(row: &Row<'_>, property: Property) -> String {
    let line = row.line.map(|line| format!("line {line}"));
    let tests = match row.tests.as_slice() {
        [] if property == Property::Violated => Some("no test shows it".into()),
        [] => None,
        [test] => Some(format!("test {}", one_line(test))),
        [test, others @ ..] => {
            Some(format!("test {} and {}", one_line(test), counted(others.len() as u64, "other")))
        }
    };
    let remarks = line.into_iter().chain(tests).chain(row.reason.map(one_line));
    remarks.collect::<Vec<String>>().join("; ")
}

/// What a summary says of violated properties, loudly.
pub fn violated(properties: impl Iterator<Item = Property>) -> String {
    match properties.filter(|property| *property == Property::Violated).count() as u64 {
        0 => String::new(),
        1 => "; 1 PROPERTY OF THE MODEL IS VIOLATED".into(),
        n_violated => format!("; {} PROPERTIES OF THE MODEL ARE VIOLATED", grouped(n_violated)),
    }
}

fn goals(rows: &[Row<'_>], args: &ListArgs, paint: Paint) -> String {
    let ids: Vec<&str> = rows.iter().map(|row| row.id).collect();
    let mut lines = Vec::new();
    let mut has_groups = false;
    for verdict in ["not covered", "may-kill", "infeasible", "unknown"] {
        let is_meant = |goal: usize| rows[goal].verdict == verdict && rows[goal].property.is_none();
        let wanted = args.list.as_deref().unwrap_or_default();
        let is_listed =
            ["not covered", "may-kill"].contains(&verdict) || [ALL, verdict].contains(&wanted);
        let list = if is_listed { single(&ids, is_meant) } else { groups(&ids, is_meant) };
        has_groups |= list.iter().any(|group| group.goals.len() > 1);
        lines.extend(list.iter().map(|group| line(rows, group)));
    }
    let word_width = table::width(lines.iter().map(|line| line.verdict));
    let name_width = table::width(lines.iter().map(|line| line.name.as_str()));
    let mut text = String::new();
    for Line { verdict, name, about, remarks } in &lines {
        let gap = if text.is_empty() { "\n" } else { "" };
        let word = paint.paint(style(verdict), &format!("{verdict:word_width$}"));
        let remarks = match remarks.is_empty() {
            true => String::new(),
            false => paint.paint(Style::Dim, &format!("  ({remarks})")),
        };
        let line = format!("{word}  {name:name_width$}  {about}{remarks}");
        text += &format!("{gap}{}\n", line.trim_end());
    }
    if has_groups {
        let hint = "--list infeasible, unknown or all lists each of them";
        text += &format!("{}\n", paint.paint(Style::Dim, hint));
    }
    text
}

fn style(verdict: &str) -> Style {
    match verdict {
        "infeasible" => Style::Dim,
        "not covered" => Style::Bad,
        _ => Style::Open,
    }
}

fn line(rows: &[Row<'_>], group: &Group<'_>) -> Line {
    let reason = group.reason(|goal| rows[goal].reason);
    let remarks = source_lines(rows, group).into_iter().chain(reason);
    let remarks: Vec<String> = remarks.map(|remark| one_line(&remark)).collect();
    Line {
        verdict: rows[group.goals[0]].verdict,
        name: one_line(group.name),
        about: one_line(&group.text(|goal| rows[goal].text)),
        remarks: remarks.join("; "),
    }
}

fn source_lines(rows: &[Row<'_>], group: &Group<'_>) -> Option<String> {
    let lines = || group.goals.iter().filter_map(|&goal| rows[goal].line);
    let (first, last) = (lines().min()?, lines().max()?);
    Some(if first == last { format!("line {first}") } else { format!("lines {first} to {last}") })
}
