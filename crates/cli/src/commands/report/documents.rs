//! What other commands wrote, and comparisons of them.

use std::path::Path;

use serde_json::Value as Json;
use trapline_report::page::{ComparedSuite, Comparison};

use crate::context::Context;
use crate::failure::Failure;
use crate::files;

/// More suites than this are no comparison that anyone can read.
const MAX_SUITES: usize = 500;

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

/// Reads a document of a format; gives its name too.
pub fn read(path: &Path, format: &str, context: &Context) -> Result<(String, Json), Failure> {
    let files::Extra { place, text } = files::read_text(path, context)?;
    let json: Json =
        serde_json::from_str(&text).map_err(|error| refuse(&place, &error.to_string()))?;
    match json["format"].as_str() {
        Some(named) if named == format => Ok((place, json)),
        _ => Err(refuse(&place, &format!("it is no {format} document"))),
    }
}

/// A list that must be there.
pub fn list<'j>(json: &'j Json, name: &str, path: &str) -> Result<&'j [Json], Failure> {
    let list = json[name].as_array().map(Vec::as_slice);
    list.ok_or_else(|| refuse(path, &format!("it has no list `{name}`")))
}

/// A number that must be there.
pub fn number(json: &Json, name: &str, path: &str) -> Result<usize, Failure> {
    let number = json[name].as_u64().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| refuse(path, &format!("it has no number `{name}` where one belongs")))
}

/// Says what is wrong with a document.
pub fn refuse(path: &str, why: &str) -> Failure {
    Failure::refused(format!("{path}: {why}"))
}
