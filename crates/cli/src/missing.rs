//! The goals that no test covers, for people: alike ones in one line, or each.

use clap::builder::{PossibleValue, PossibleValuesParser};
use trapline_suite::goal_groups::{Group, groups, single};

use crate::commands::goals::table;
use crate::excerpt::one_line;
use crate::paint::{Paint, Style};

/// Which goals are listed.
#[derive(Clone, Debug, clap::Args)]
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
}

/// A line of the list.
struct Line {
    verdict: &'static str,
    name: String,
    about: String,
    remarks: String,
}

/// The goals that no test covers, by verdict, and why. All goals are given.
pub fn list(rows: &[Row<'_>], args: &ListArgs, paint: Paint) -> String {
    let ids: Vec<&str> = rows.iter().map(|row| row.id).collect();
    let mut lines = Vec::new();
    let mut has_groups = false;
    for verdict in ["not covered", "infeasible", "unknown"] {
        let is_meant = |goal: usize| rows[goal].verdict == verdict;
        let wanted = args.list.as_deref().unwrap_or_default();
        let is_listed = verdict == "not covered" || [ALL, verdict].contains(&wanted);
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
