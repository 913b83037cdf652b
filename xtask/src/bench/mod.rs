//! Measurements: `cargo xtask bench NAME...`.

mod explicit;
mod reading;
mod systems;

use std::path::Path;

use crate::Args;

/// A measurement and its name.
struct Bench {
    name: &'static str,
    run: fn(&Args) -> Result<(), String>,
}

const BENCHES: &[Bench] = &[
    Bench { name: "reading", run: |args| reading::run(args.megabytes) },
    Bench { name: "explicit", run: explicit::run },
];

/// Runs those that are named, or all.
///
/// # Errors
/// When there is none of that name, or a model is wrong.
pub fn run(args: &Args) -> Result<bool, String> {
    let is_known = |name: &&Path| BENCHES.iter().any(|bench| Path::new(bench.name) == *name);
    let names = || args.files.iter().map(|name| name.as_path());
    if let Some(unknown) = names().find(|name| !is_known(name)) {
        return Err(format!("no benchmark is called {}", unknown.display()));
    }
    for bench in BENCHES {
        if args.files.is_empty() || names().any(|name| name == Path::new(bench.name)) {
            (bench.run)(args)?;
        }
    }
    Ok(true)
}
