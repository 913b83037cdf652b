//! Models that are hard for some engine: what each engine and NuSMV decide in a given time.

mod contest;
mod families;
mod table;

pub use contest::{Contestant, Performance};

use std::fs;
use std::path::Path;

use contest::{Row, compete};
use families::FAMILIES;

use super::tools::{self, Tools};
use super::vs_nusmv::{short_name, write};
use crate::Args;
use crate::corpus::models;

/// A model to decide.
struct Model {
    name: String,
    text: Vec<u8>,
}

/// Lets everybody decide everything; `false` when verdicts differ or one of our engines fails.
///
/// # Errors
/// When a file can't be read or written, or a program can't be run.
pub fn run(args: &Args) -> Result<bool, String> {
    let tools = tools::find(args)?;
    let contestants = match &args.contestants[..] {
        [] => Contestant::all(),
        named => named.to_vec(),
    };
    println!("{}", table::head(&contestants));
    let mut rows = Vec::new();
    for model in corpus(&args.dir.join("hard"))?.into_iter().chain(generated()) {
        if args.versus.wants(&model.name) {
            keep(args, &model)?;
            rows.push(measure_one(&tools, &contestants, &model)?);
        }
    }
    tools.nusmv.clean_up();
    println!("\n{}", table::totals(&contestants, &rows));
    write(args.versus.table.as_deref(), &table::whole(&contestants, &rows))?;
    Ok(rows.iter().all(|row| is_right(&contestants, row)))
}

/// NuSMV may fail.
fn is_right(contestants: &[Contestant], row: &Row) -> bool {
    let mut done = contestants.iter().zip(&row.performances);
    row.differences.is_empty() && !done.any(|(who, done)| who.is_ours() && done.trouble.is_some())
}

/// The hard models that somebody else wrote; none when they are missing.
fn corpus(folder: &Path) -> Result<Vec<Model>, String> {
    if !folder.exists() {
        println!("{} is missing: only generated models", folder.display());
        return Ok(Vec::new());
    }
    let read = |path: &Path| -> Result<Model, String> {
        let text = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Model { name: short_name(path), text })
    };
    models(folder)?.iter().map(|path| read(path)).collect()
}

/// All sizes of all families.
fn generated() -> impl Iterator<Item = Model> {
    FAMILIES.iter().flat_map(|family| {
        family.sizes.iter().map(|size| Model {
            name: format!("{} {size}", family.name),
            text: (family.text)(*size).into(),
        })
    })
}

/// Names and texts of models of all families.
pub fn families() -> impl Iterator<Item = (String, String)> {
    generated().map(|model| (model.name, String::from_utf8_lossy(&model.text).into_owned()))
}

/// Writes a model where the user wants to look at it.
fn keep(args: &Args, model: &Model) -> Result<(), String> {
    let Some(folder) = &args.keep else { return Ok(()) };
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let name = model.name.replace([' ', '/', ':'], "-") + ".smv";
    fs::write(folder.join(name), &model.text).map_err(failed)
}

/// Measures on a model and prints its line.
fn measure_one(tools: &Tools, contestants: &[Contestant], model: &Model) -> Result<Row, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", model.name);
    let row = compete(tools, contestants, &model.name, &model.text).map_err(failed)?;
    if row.n_properties == 0 {
        return Err(format!("{}: NuSMV finds no properties", model.name));
    }
    println!("{}", table::line(contestants, &row));
    for difference in &row.differences {
        println!("DIFFERENT {}: {difference}", row.name);
    }
    Ok(row)
}
