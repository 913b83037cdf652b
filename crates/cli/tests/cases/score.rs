//! A law: `evaluate` and every format of `report` give a suite the same score.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use crate::Test;

/// The tests of this file.
pub const TESTS: &[Test] = &[
    ("score/of_a_whole_suite", || agree("whole", &["suite.json"])),
    ("score/of_a_partial_suite", || agree("partial", &["tests.csv", "--criteria", "value,branch"])),
    ("score/of_other_criteria", || agree("other", &["suite.json", "--criteria", "pair,ufp"])),
    ("score/of_pairs", || agree("pairs", &["tests.csv", "--criteria", "mcdc-coupled,mcdc-unique"])),
    ("score/of_mutants", || agree("mutants", &["tests.csv", "--criteria", "mutation"])),
    ("score/where_work_ran_out", || {
        agree("cut", &["tests.csv", "--criteria", "value,branch", "--max-work", "1"])
    }),
];

/// Most of the values and a branch can't be reached, and the tests reach some of what can be.
const MODEL: &str = "\
MODULE main
VAR hot : boolean; open : boolean; level : 0..200;
ASSIGN
  init(open) := FALSE; init(level) := 0;
  next(open) := case
    hot & level < 4 : TRUE;
    level = 150 : !open;
    TRUE : open & !hot;
  esac;
  next(level) := level < 7 ? level + 1 : 0;
";

const TESTS_CSV: &str = "hot\nTRUE\nFALSE\nFALSE\n\nhot\nFALSE\nTRUE\n";

/// Covered goals, and goals that count.
type Score = (u64, u64);

/// Finds the score in a report.
type Reader = fn(&str) -> Result<Score, String>;

fn agree(name: &str, args: &[&str]) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("score").join(name);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    for (file, text) in [("m.smv", MODEL), ("tests.csv", TESTS_CSV)] {
        fs::write(folder.join(file), text).map_err(|error| error.to_string())?;
    }
    run(&folder, &["generate", "m.smv", "--criteria", "value,branch", "-o", "suite.json"])?;
    let asked = |command: &'static str, format: &'static str| {
        let all = [&[command, "m.smv"], args, &["--format", format]].concat();
        run(&folder, &all)
    };
    let evaluated: Json = parsed(&asked("evaluate", "json")?)?;
    let expected = score(&evaluated["covered"], &evaluated["total"]);
    let readers: [(&str, Reader); 4] =
        [("html", of_page), ("markdown", of_markdown), ("junit", of_junit), ("sarif", of_sarif)];
    for (format, read) in readers {
        let found = read(&asked("report", format)?)?;
        if found != expected {
            return Err(format!("evaluate counts {expected:?}, and {format} counts {found:?}"));
        }
    }
    // A law that everything fulfils says nothing.
    match expected {
        (n_covered, n_counting) if 0 < n_covered && n_covered <= n_counting => Ok(()),
        _ => Err(format!("{expected:?} is no score to compare")),
    }
}

fn run(folder: &Path, args: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trapline"));
    let output = command.args(args).arg("-q").current_dir(folder).output();
    let output = output.map_err(|error| error.to_string())?;
    match output.status.code() {
        Some(0 | 3) => String::from_utf8(output.stdout).map_err(|error| error.to_string()),
        code => Err(format!("{args:?}: {code:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

fn parsed(text: &str) -> Result<Json, String> {
    serde_json::from_str(text).map_err(|error| format!("{error}: {text}"))
}

fn score(covered: &Json, counting: &Json) -> Score {
    (covered.as_u64().unwrap_or(0), counting.as_u64().unwrap_or(0))
}

/// From the verdicts of the goals, from which the page counts.
fn of_page(html: &str) -> Result<Score, String> {
    let data = html.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>"));
    let json = parsed(data.ok_or("the page has no data")?.0)?;
    let goals = json["goals"].as_array().ok_or("the page has no goals")?;
    let count = |is_meant: fn(u64) -> bool| {
        goals.iter().filter(|goal| goal[4].as_u64().is_some_and(is_meant)).count() as u64
    };
    Ok((count(|verdict| verdict == 0), count(|verdict| verdict != 2)))
}

/// From the row of all goals.
fn of_markdown(text: &str) -> Result<Score, String> {
    let row = text.lines().find(|line| line.starts_with("| **total** |")).ok_or("no total")?;
    let cells: Vec<u64> = row.split('|').filter_map(|cell| cell.trim().parse().ok()).collect();
    let [n_all, n_covered, _, n_infeasible, _] = cells[..] else { return Err(row.into()) };
    Ok((n_covered, n_all - n_infeasible))
}

/// From the test cases: what is infeasible is skipped.
fn of_junit(text: &str) -> Result<Score, String> {
    let cases: Vec<&str> = text.lines().filter(|line| line.contains("<testcase ")).collect();
    let count = |part: &str| cases.iter().filter(|case| case.contains(part)).count() as u64;
    let n_counting = cases.len() as u64 - count("<skipped message=\"infeasible");
    Ok((n_counting - count("<failure ") - count("<skipped message=\"unknown"), n_counting))
}

/// From what it says of the run; its results are no more than the goals that are missing.
fn of_sarif(text: &str) -> Result<Score, String> {
    let json = parsed(text)?;
    let run = &json["runs"][0];
    let found = score(&run["properties"]["covered"], &run["properties"]["total"]);
    let results = run["results"].as_array().ok_or("no results")?;
    let goals = |result: &Json| result["properties"]["goals"].as_array().map_or(1, Vec::len) as u64;
    let is_counting = |result: &&Json| {
        result["ruleId"].as_str().is_some_and(|rule| !rule.ends_with("/infeasible"))
    };
    let n_missing: u64 = results.iter().filter(is_counting).map(goals).sum();
    match found.1 == found.0 + n_missing {
        true => Ok(found),
        false => Err(format!("{found:?}, but {n_missing} goals are results")),
    }
}
