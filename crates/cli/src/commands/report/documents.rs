//! What other commands wrote: runs and comparisons.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value as Json;
use trapline_report::page::{ComparedSuite, Comparison, Run, RunTest, Test};

use crate::context::Context;
use crate::failure::Failure;
use crate::files;

/// More suites than this are no comparison that anyone can read.
const MAX_SUITES: usize = 500;

/// Reads what a run gave.
pub fn run(path: &Path, tests: &[Test], context: &Context) -> Result<Run, Failure> {
    let (path, json) = read(path, "trapline-run/1", context)?;
    let named = tests.iter().enumerate().map(|(idx, test)| (test.name.as_str(), idx));
    let named: HashMap<&str, usize> = named.collect();
    let list = list(&json, "tests", &path)?;
    let tests = list.iter().map(|test| run_test(test, &named, &path)).collect::<Result<_, _>>()?;
    Ok(Run {
        passed: number(&json, "passed", &path)?,
        failed: number(&json, "failed", &path)?,
        inconclusive: number(&json, "inconclusive", &path)?,
        errors: number(&json, "errors", &path)?,
        tests,
        path,
    })
}

fn run_test(test: &Json, named: &HashMap<&str, usize>, path: &str) -> Result<RunTest, Failure> {
    let text = |name: &str| {
        let text = test[name].as_str();
        text.ok_or_else(|| refuse(path, &format!("a test has no text `{name}`")))
    };
    let name = text("name")?.to_string();
    let allowed = test["allowed"].as_array().into_iter().flatten();
    let messages = ["message", "error", "reason", "stderr"];
    let message = messages.iter().find_map(|name| test[*name].as_str());
    Ok(RunTest {
        test: named.get(name.as_str()).copied(),
        verdict: text("verdict")?.into(),
        step: test["step"].as_u64().and_then(|step| usize::try_from(step).ok()),
        expected: members(&test["expected"]),
        observed: members(&test["observed"]),
        allowed: allowed.map(members).collect(),
        message: message.map(String::from),
        name,
    })
}

/// The members of an object, their values as they are written.
fn members(json: &Json) -> Vec<(String, String)> {
    let members = json.as_object().into_iter().flatten();
    let written = |value: &Json| value.as_str().map_or_else(|| value.to_string(), String::from);
    members.map(|(name, value)| (name.clone(), written(value))).collect()
}

/// Reads what a comparison gave.
pub fn comparison(path: &Path, context: &Context) -> Result<Comparison, Failure> {
    let (path, json) = read(path, "trapline-comparison/1", context)?;
    let list = list(&json, "suites", &path)?;
    if list.len() > MAX_SUITES {
        return Err(refuse(&path, &format!("it has more than {MAX_SUITES} suites")));
    }
    let names: Option<Vec<&str>> = list.iter().map(|suite| suite["name"].as_str()).collect();
    let names = names.ok_or_else(|| refuse(&path, "a suite has no name"))?;
    let suite = |(suite, name): (&Json, &&str)| {
        let reached = names.iter().map(|other| number(&suite["reached"], other, &path));
        Ok(ComparedSuite {
            name: (*name).into(),
            n_feasible: number(suite, "feasible", &path)?,
            n_tests: number(suite, "tests", &path)?,
            n_steps: number(suite, "steps", &path)?,
            reached: reached.collect::<Result<_, _>>()?,
        })
    };
    let suites = list.iter().zip(&names).map(suite).collect::<Result<_, Failure>>()?;
    Ok(Comparison { suites, path })
}

fn read(path: &Path, format: &str, context: &Context) -> Result<(String, Json), Failure> {
    let files::Extra { place, text } = files::read_text(path, context)?;
    let json: Json =
        serde_json::from_str(&text).map_err(|error| refuse(&place, &error.to_string()))?;
    match json["format"].as_str() {
        Some(named) if named == format => Ok((place, json)),
        _ => Err(refuse(&place, &format!("it is no {format} document"))),
    }
}

fn list<'j>(json: &'j Json, name: &str, path: &str) -> Result<&'j [Json], Failure> {
    let list = json[name].as_array().map(Vec::as_slice);
    list.ok_or_else(|| refuse(path, &format!("it has no list `{name}`")))
}

fn number(json: &Json, name: &str, path: &str) -> Result<usize, Failure> {
    let number = json[name].as_u64().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| refuse(path, &format!("it has no number `{name}` where one belongs")))
}

fn refuse(path: &str, why: &str) -> Failure {
    Failure::refused(format!("{path}: {why}"))
}
