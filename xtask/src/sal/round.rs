//! A model printed as a context and read again: every property keeps its verdict.

use std::path::Path;

use trapline_engine::{Engine, Limits};
use trapline_lang::{Input, LANGUAGES, Output, sal};
use trapline_model::Model;
use trapline_source::{Diagnostics, Sources};

use super::TIME;
use crate::Args;
use crate::ours::{self, Answer, Said};

/// What came of it.
pub enum Again {
    /// So many verdicts are the same.
    Same(usize),
    /// SAL can't say this.
    Refused(String),
}

/// Prints a model and reads it; the verdicts of what is read must be these.
///
/// # Errors
/// What is different.
pub fn again(model: &Model, ours: &Answer, engine: Engine) -> Result<Again, String> {
    let printed = match sal::print::context(model, "again", &[]) {
        Ok(printed) => printed,
        Err(refused) => {
            let first = refused.list().first();
            return Ok(Again::Refused(first.map_or(String::new(), |it| it.message.clone())));
        }
    };
    let output = read("again.sal", &printed.text)
        .map_err(|findings| format!("what is printed is not read: {findings}\n{}", printed.text))?;
    let limits = Limits { time: Some(TIME), ..Limits::default() };
    let left_out = printed.left_out.len();
    if output.model.properties.len() + left_out != model.properties.len() {
        let (before, after) = (model.properties.len(), output.model.properties.len());
        return Err(format!("{after} theorems are printed for {before}\n{}", printed.text));
    }
    let left_out = |span| printed.left_out.iter().any(|(left_out, _)| *left_out == span);
    let kept = model.properties.iter().zip(&ours.said);
    let kept: Vec<(String, &Said)> = kept
        .filter(|(property, _)| !left_out(property.span))
        .map(|(property, said)| (property.name.clone().unwrap_or_default(), said))
        .collect();
    let mut again = output.model;
    // The reader's list is by kind.
    again.properties.sort_by_key(|property| property.span.start);
    let theirs = ours::check(again, engine, limits)?;
    let mut n_equal = 0;
    for ((name, before), after) in kept.iter().zip(&theirs.said) {
        match (before, after) {
            (Said::Verdict(before), Said::Verdict(after)) if before == after => n_equal += 1,
            (Said::Unknown(_), _) | (_, Said::Unknown(_)) => {}
            _ => {
                let text = &printed.text;
                return Err(format!("{name} is {before}, printed and read {after}\n{text}"));
            }
        }
    }
    Ok(Again::Same(n_equal))
}

fn read(path: &str, text: &str) -> Result<Output, String> {
    let ending = Path::new(path).extension().and_then(|ending| ending.to_str()).unwrap_or("");
    let ending = format!(".{ending}");
    let language = LANGUAGES.iter().find(|language| language.ending == ending);
    let language = language.ok_or_else(|| format!("{path} is in no language"))?;
    let mut sources = Sources::new();
    let file = sources.add(path, text).map_err(|_| "too large")?;
    let mut diagnostics = Diagnostics::new();
    let output = (language.read)(&Input::new(file), &mut diagnostics);
    let findings = diagnostics.list().iter().map(|d| format!("{} [{}]", d.message, d.code));
    match diagnostics.has_errors() {
        true => Err(findings.collect::<Vec<_>>().join("; ")),
        false => Ok(output),
    }
}

/// Prints the models of files as contexts.
///
/// # Errors
/// When a file can't be read.
pub fn files(args: &Args) -> Result<bool, String> {
    let mut n_different = 0;
    for path in &args.files {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let shown = path.display();
        let limits = Limits { time: Some(args.limit.unwrap_or(TIME)), ..Limits::default() };
        let outcome = read(&path.to_string_lossy(), &text).and_then(|output| {
            let ours = ours::check(output.model.clone(), args.engine, limits)?;
            again(&output.model, &ours, args.engine)
        });
        match outcome {
            Ok(Again::Same(n_equal)) => println!("{shown}: {n_equal} verdicts equal"),
            Ok(Again::Refused(why)) => println!("{shown}: {why}"),
            Err(different) => {
                n_different += 1;
                println!("DIFFERENT {shown}: {different}");
            }
        }
    }
    println!("{} models, {n_different} different", args.files.len());
    Ok(n_different == 0)
}
