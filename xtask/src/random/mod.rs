//! Random small models: NuSMV and we must agree on every one of them.
//!
//! Both read and check the models with the seeds S, S+1, … Any difference is shrunk, printed, and a
//! failure.

mod compare;
mod expression;
mod model;
mod module;
mod scope;
mod shrink;
mod store;
mod table;
mod temporal;
mod types;
mod values;
mod words;

use std::fs;
use std::path::Path;
use std::time::Duration;

use trapline_engine::Limits;

use crate::ours::NEVER_ENDS;
use crate::{Args, N_CASES, parallel};
use compare::{Comparison, Judges, compare};
pub use model::model as text;
use model::model;
use table::Table;

/// How many models are worked on before what they say is printed.
const CHUNK: usize = 100;

/// What our engine may take for a model, in bytes and in time.
const MEMORY: u64 = 2 << 30;
const TIME: Duration = Duration::from_secs(3);

/// Compares so many models; `false` when something differs.
///
/// # Errors
/// When NuSMV can't be run or a file can't be written.
pub fn run(args: &Args) -> Result<bool, String> {
    // Panics are caught and reported like other differences.
    std::panic::set_hook(Box::new(|_| {}));
    let nusmv = args.nusmv()?;
    let limits = Limits { time: Some(TIME), memory: Some(MEMORY), ..Limits::default() };
    let judges = Judges { nusmv, engine: args.engine, limits };
    let seeds: Vec<u64> = (args.seed..args.seed + args.count.unwrap_or(N_CASES)).collect();
    let mut table = Table::default();
    let mut stored = Vec::new();
    let mut n_different = 0;
    for chunk in seeds.chunks(CHUNK) {
        let comparisons = parallel::map_with(args.jobs, chunk, |_, &seed| {
            compare(&judges, &format!("random-{seed}"), &model(seed))
        });
        for (&seed, comparison) in chunk.iter().zip(comparisons) {
            let comparison = comparison?;
            table.add(&comparison);
            if args.show {
                println!("{}{}", comparison.text, comparison.verdicts());
            }
            for why in comparison.unknown() {
                println!("seed {seed}: unknown, {why}");
            }
            if comparison.difference().is_some() {
                n_different += 1;
                report(&judges, seed, &comparison, args.keep.as_deref())?;
            }
            stored.extend(args.store.is_some().then(|| store::case(seed, &comparison)).flatten());
        }
    }
    judges.nusmv.clean_up();
    println!("{}", table.text());
    println!("{n_different} models differ");
    if let Some(path) = &args.store {
        store::write(path, &stored)?;
    }
    Ok(n_different == 0)
}

/// Prints a difference, and keeps a small model that has it.
fn report(
    judges: &Judges,
    seed: u64,
    comparison: &Comparison,
    keep: Option<&Path>,
) -> Result<(), String> {
    println!("seed {seed}: {}", comparison.describe());
    // What does not end would be left running with every try.
    let ends = comparison.panic.as_deref() != Some(NEVER_ENDS);
    let (Some(folder), Some(difference)) = (keep.filter(|_| ends), comparison.difference()) else {
        println!("{}", comparison.text);
        return Ok(());
    };
    let name = format!("random-{seed}-small");
    let small = shrink::shrink(judges, &name, comparison.clone(), &difference)?;
    let comment: String = small.describe().lines().map(|line| format!("-- {line}\n")).collect();
    let nusmv = small.expectation();
    let text = format!("-- NuSMV: {nusmv}\n-- seed {seed}\n{comment}{}", small.text);
    println!("{text}");
    let path = folder.join(format!("random-{seed}.smv"));
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
}
