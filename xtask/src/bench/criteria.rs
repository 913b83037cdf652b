//! How long it takes from a text to the goals of all criteria, and how many mutants are listed per
//! second.

use std::time::Instant;

use trapline_goals::mutate::{OPERATORS, mutants};
use trapline_goals::{Builder, CRITERIA, Options, derive};

use super::reading::flat_model;
use crate::Args;
use crate::corpus::{file_name, models};
use crate::reading::{self, How};

/// How many of the slowest models are listed.
const N_SLOWEST: usize = 8;

/// No model of the corpus may take longer, in seconds.
const MAX_SECONDS: f64 = 10.0;

/// Measures both; `false` when a model takes too long.
///
/// # Errors
/// When a file can't be read or a model is wrong.
pub fn run(args: &Args) -> Result<bool, String> {
    let names: Vec<&str> = CRITERIA.iter().map(|criterion| criterion.name).collect();
    let mut rows = Vec::new();
    for folder in ["smv", "hard"] {
        for path in models(&args.dir.join(folder))? {
            let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let start = Instant::now();
            let text = String::from_utf8_lossy(&bytes);
            let reading =
                reading::read(&file_name(&path), &text, How { strict: false, quick: true });
            if reading.is_accepted() {
                let set = derive(&reading.model, &names, &Options::default());
                rows.push((start.elapsed().as_secs_f64(), set.goals.len(), file_name(&path)));
            }
        }
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let n_goals: usize = rows.iter().map(|row| row.1).sum();
    let seconds: f64 = rows.iter().map(|row| row.0).sum();
    println!("{} models, {n_goals} goals of all criteria, {seconds:.2} s", rows.len());
    for (seconds, n_goals, name) in rows.iter().take(N_SLOWEST) {
        println!("  {seconds:7.3} s  {n_goals:8} goals  {name}");
    }
    list_mutants()?;
    Ok(rows.first().is_none_or(|slowest| slowest.0 < MAX_SECONDS))
}

/// Makes and prints the mutants of a large generated model. Exchanging variables is left out: a
/// thousand of a type would make millions.
fn list_mutants() -> Result<(), String> {
    let text = flat_model(1, 1, 9);
    let reading = reading::read("generated", &text, How { strict: false, quick: true });
    if !reading.is_accepted() {
        return Err("the generated model is wrong".into());
    }
    let is_meant = |idx: &usize| OPERATORS[*idx].is_usual && OPERATORS[*idx].name != "variable";
    let operators: Vec<usize> = (0..OPERATORS.len()).filter(is_meant).collect();
    let options = Options::default();
    let start = Instant::now();
    let mut builder = Builder::new(reading.model, &options);
    let found = mutants(&mut builder, &operators);
    let mut n_bytes = 0;
    for mutant in &found.list {
        let subject = &found.subjects[mutant.subject];
        n_bytes += subject.line(&builder.model, mutant.part, mutant.root).len();
        n_bytes += mutant.id(&found.subjects).len();
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} mutants made and printed ({:.0} MB) in {seconds:.2} s: {:.0} a second",
        found.list.len(),
        n_bytes as f64 / 1e6,
        found.list.len() as f64 / seconds
    );
    Ok(())
}
