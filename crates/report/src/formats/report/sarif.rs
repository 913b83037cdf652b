//! A report as SARIF 2.1.0, which code scanning shows beside the lines of the model.
//!
//! Every goal that is not covered is a result, or part of one: goals about the same variable in the
//! same place are one result, which lists their ids. What nothing can reach may be a mistake in the
//! model: a branch that is never taken is a warning, everything else a note.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use trapline_suite::goal_groups::{Group, groups_by_place};

use crate::page::{Goal, Location, Page, Verdict};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A rule: what became of goals of one criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rule {
    criterion: usize,
    verdict: Verdict,
}

/// The report.
pub fn write(page: &Page) -> String {
    let groups = findings(page);
    let rule_of = |group: &Group<'_>| rule(&page.goals[group.goals[0]]);
    let mut rules: Vec<Rule> = groups.iter().map(rule_of).collect();
    rules.sort_by_key(|rule| (rule.criterion, rule.verdict));
    rules.dedup();
    let lines: Vec<Vec<&str>> =
        page.sources.iter().map(|source| source.text.split('\n').collect()).collect();
    let requirements = requirements(page);
    let results = groups.iter().map(|group| {
        let mut result = result(page, group, &lines);
        result["ruleIndex"] = json!(rules.iter().position(|known| *known == rule_of(group)));
        let ids = group.goals.iter().flat_map(|&goal| &requirements[goal]);
        let ids: BTreeSet<&str> = ids.copied().collect();
        if !ids.is_empty() {
            result["properties"]["requirements"] = json!(ids);
        }
        result
    });
    let results: Vec<Json> = results.collect();
    let (name, version) = page.tool.split_once(' ').unwrap_or((&page.tool, ""));
    let mut driver = json!({"name": name});
    if !version.is_empty() {
        driver["version"] = version.into();
    }
    driver["rules"] = rules.iter().map(|rule| rule_json(page, *rule)).collect();
    let artifacts = page.sources.iter().map(|source| json!({"location": location(&source.path)}));
    let run = json!({
        "tool": {"driver": driver},
        "invocations": [invocation(page)],
        "columnKind": "utf16CodeUnits",
        "artifacts": artifacts.collect::<Vec<_>>(),
        "results": results,
    });
    let report = json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]});
    format!("{report:#}\n")
}

/// The goals that are not covered; those of one place that say the same together.
fn findings(page: &Page) -> Vec<Group<'_>> {
    let ids: Vec<&str> = page.goals.iter().map(|goal| goal.id.as_str()).collect();
    let place = |goal: usize| page.goals[goal].place;
    let mut groups = Vec::new();
    for verdict in [Verdict::NotCovered, Verdict::Infeasible, Verdict::Unknown] {
        let is_meant = |goal: usize| page.goals[goal].verdict == verdict;
        groups.extend(groups_by_place(&ids, is_meant, place));
    }
    groups.sort_by_key(|group| group.goals[0]);
    groups
}

fn rule(goal: &Goal) -> Rule {
    Rule { criterion: goal.criterion, verdict: goal.verdict }
}

/// For each goal the ids of its requirements.
fn requirements(page: &Page) -> Vec<Vec<&str>> {
    let mut ids = vec![Vec::new(); page.goals.len()];
    for requirement in &page.requirements {
        for &goal in &requirement.goals {
            ids[goal].push(requirement.id.as_str());
        }
    }
    ids
}

fn rule_id(page: &Page, rule: Rule) -> String {
    format!("{}/{}", page.criteria[rule.criterion].name, rule.verdict.word().replace(' ', "-"))
}

fn rule_json(page: &Page, rule: Rule) -> Json {
    let name = &page.criteria[rule.criterion].name;
    let what = match rule.verdict {
        Verdict::Covered => "a test reaches it",
        Verdict::NotCovered => "no test reaches it",
        Verdict::Infeasible => "nothing can reach it",
        Verdict::Unknown => "no test reaches it, and whether any can is open",
    };
    json!({
        "id": rule_id(page, rule),
        "shortDescription": {"text": format!("A goal of the criterion {name}: {what}.")},
        "defaultConfiguration": {"level": level(page, rule)},
    })
}

fn level(page: &Page, rule: Rule) -> &'static str {
    let is_branch = page.criteria[rule.criterion].name == "branch";
    if is_branch && rule.verdict == Verdict::Infeasible { "warning" } else { "note" }
}

fn result(page: &Page, group: &Group<'_>, lines: &[Vec<&str>]) -> Json {
    let goal = &page.goals[group.goals[0]];
    let rule = rule(goal);
    let reason = group.reason(|goal| page.goals[goal].reason.as_deref());
    let reason = reason.map_or(String::new(), |reason| format!(" ({reason})"));
    let these = if group.goals.len() == 1 { "this goal" } else { "these goals" };
    let what = match goal.verdict {
        Verdict::Infeasible if level(page, rule) == "warning" => {
            "this branch is never taken".into()
        }
        Verdict::Infeasible => format!("nothing can reach {these}"),
        Verdict::Unknown => format!("no test reaches {these}, and whether any can is open"),
        Verdict::NotCovered | Verdict::Covered => format!("no test reaches {these}"),
    };
    let text = group.text(|goal| &page.goals[goal].text);
    let mut place = json!({"artifactLocation": artifact(page, goal.place)});
    if let Some(at) = goal.place {
        place["region"] = json!({"startLine": at.line, "startColumn": column(at, lines)});
    }
    let ids: Vec<&str> = group.goals.iter().map(|&goal| page.goals[goal].id.as_str()).collect();
    let properties = match ids.as_slice() {
        [id] => json!({"goal": id}),
        ids => json!({"goals": ids}),
    };
    json!({
        "ruleId": rule_id(page, rule),
        "level": level(page, rule),
        "message": {"text": message(&format!("{text}: {what}{reason}"))},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"goal/v1": group.name},
        "properties": properties,
    })
}

/// Braces denote arguments in messages, unless they are doubled.
fn message(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// What was left out.
fn invocation(page: &Page) -> Json {
    let notices = page
        .notices
        .iter()
        .map(|notice| json!({"level": "note", "message": {"text": message(notice)}}));
    json!({
        "executionSuccessful": true,
        "toolExecutionNotifications": notices.collect::<Vec<_>>(),
    })
}

/// What has no position belongs to the model.
fn artifact(page: &Page, place: Option<Location>) -> Json {
    let idx = place.map_or(0, |place| place.file);
    let path = page.sources.get(idx).map_or(page.model.path.as_str(), |source| &source.path);
    let mut location = location(path);
    if idx < page.sources.len() {
        location["index"] = idx.into();
    }
    location
}

/// The column in UTF-16 code units, from 1.
fn column(place: Location, lines: &[Vec<&str>]) -> usize {
    let line = lines.get(place.file).and_then(|lines| lines.get(place.line.checked_sub(1)?));
    let before = line.map_or("", |line| line).chars().take(place.column.saturating_sub(1));
    before.map(char::len_utf16).sum::<usize>() + 1
}

/// Where a file is: below the root of the sources, unless its path starts at that of the system.
fn location(path: &str) -> Json {
    let uri = percent_encoded(path.trim_start_matches("./"));
    match uri.starts_with('/') {
        true => json!({"uri": format!("file://{uri}")}),
        false => json!({"uri": uri, "uriBaseId": "%SRCROOT%"}),
    }
}

/// Percent-encodes everything except characters that are allowed in every part of a URI, and `/`.
fn percent_encoded(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}
