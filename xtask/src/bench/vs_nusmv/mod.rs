//! NuSMV and Trapline on the same models: time, memory and verdicts.

mod compare;
mod goals;
mod growth;
mod safety_injection;
mod stopwatch;
mod table;

use std::fs;
use std::path::{Path, PathBuf};

pub use compare::WAYS;
use compare::{Model, Row, compare};
use growth::Curve;

use super::families::FAMILIES;
use super::tools::{self, Tools};
use crate::Args;
use crate::corpus::{file_name, models};

/// What stands on the command line for this benchmark and the hard models.
pub struct Options {
    /// How often each runs.
    pub n_runs: usize,
    only: Option<String>,
    parts: Vec<Part>,
    /// Where the table goes.
    pub table: Option<PathBuf>,
    plot: Option<PathBuf>,
    growth: Option<PathBuf>,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Corpus,
    Families,
    Goals,
}

impl Default for Options {
    fn default() -> Options {
        Options { n_runs: 3, only: None, parts: Vec::new(), table: None, plot: None, growth: None }
    }
}

impl Options {
    /// Takes an option and its value, if it is one of ours.
    ///
    /// # Errors
    /// When the value is missing or wrong.
    pub fn take(
        &mut self,
        word: &str,
        mut value: impl FnMut() -> Result<String, String>,
    ) -> Result<bool, String> {
        match word {
            "--runs" => self.n_runs = value()?.parse().map_err(|_| "--runs takes a number")?,
            "--only" => self.only = Some(value()?),
            "--corpus" => self.parts.push(Part::Corpus),
            "--families" => self.parts.push(Part::Families),
            "--goals" => self.parts.push(Part::Goals),
            "--table" => self.table = Some(value()?.into()),
            "--plot" => self.plot = Some(value()?.into()),
            "--growth" => self.growth = Some(value()?.into()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn has(&self, part: Part) -> bool {
        self.parts.is_empty() || self.parts.contains(&part)
    }

    /// Is this one of the models to compare on?
    pub fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    }
}

/// Compares; `false` when verdicts differ.
///
/// # Errors
/// When a file can't be read or written, or a program can't be run.
pub fn run(args: &Args) -> Result<bool, String> {
    let options = &args.versus;
    let mut tools = tools::find(args)?;
    let mut rows = Vec::new();
    if options.has(Part::Corpus) || options.has(Part::Families) {
        println!("{}", table::HEAD);
    }
    if options.has(Part::Corpus) {
        rows.extend(corpus(args, &tools)?);
    }
    if options.has(Part::Families) {
        let curves = families(options, &tools)?;
        write(options.growth.as_deref(), &growth::table(&curves))?;
        write(options.plot.as_deref(), &growth::drawing(&curves))?;
        rows.extend(curves.into_iter().flat_map(|curve| curve.points).map(|(_, row)| row));
    }
    let mut text = table::whole(&rows);
    println!("{}", table::totals(&rows));
    let mut are_equal = rows.iter().all(|row| row.differences.is_empty());
    if options.has(Part::Goals) {
        tools.limit = args.limit.unwrap_or(goals::LIMIT);
        let (lines, agree) = goals::run(&tools, options)?;
        text = text + "\n" + &lines;
        are_equal &= agree;
    }
    tools.nusmv.clean_up();
    write(options.table.as_deref(), &text)?;
    Ok(are_equal)
}

fn corpus(args: &Args, tools: &Tools) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for folder in ["smv", "hard"] {
        for path in models(&args.dir.join(folder))? {
            let name = short_name(&path);
            if args.versus.wants(&name) {
                let text = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                rows.extend(measure_one(tools, &Model { name, text })?);
            }
        }
    }
    Ok(rows)
}

fn families(options: &Options, tools: &Tools) -> Result<Vec<Curve>, String> {
    let mut curves = Vec::new();
    for family in FAMILIES {
        let mut points = Vec::new();
        for size in family.sizes {
            let name = format!("{} {size}", family.name);
            if options.wants(&name) {
                let model = Model { name, text: (family.text)(size).into() };
                points.extend(measure_one(tools, &model)?.map(|row| (size, row)));
            }
        }
        if !points.is_empty() {
            curves.push(Curve { name: family.name, unit: family.unit, points });
        }
    }
    Ok(curves)
}

/// Compares on a model and prints its line.
fn measure_one(tools: &Tools, model: &Model) -> Result<Option<Row>, String> {
    let row = compare(tools, model)?;
    if let Some(row) = &row {
        println!("{}", table::line(row));
        for difference in &row.differences {
            println!("DIFFERENT {}: {difference}", row.name);
        }
    }
    Ok(row)
}

/// Who wrote a model, and its name with the innermost folder.
pub fn short_name(path: &Path) -> String {
    let name = file_name(path);
    let parts: Vec<&str> = name.trim_end_matches(".smv").split("__").collect();
    match parts[..] {
        [owner, .., folder, name] if parts.len() > 2 => format!("{owner}: {folder}/{name}"),
        [owner, name] => format!("{owner}: {name}"),
        _ => name,
    }
}

/// Writes a text, if there is a place for it.
///
/// # Errors
/// When that can't be done.
pub fn write(path: Option<&Path>, text: &str) -> Result<(), String> {
    match path {
        Some(path) => fs::write(path, text).map_err(|e| format!("{}: {e}", path.display())),
        None => Ok(()),
    }
}
