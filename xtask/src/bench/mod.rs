//! Measurements: `cargo xtask bench NAME...`.

mod against;
mod criteria;
mod evaluate;
mod exchanges;
mod explicit;
mod families;
mod faults;
mod generate;
mod goals300;
mod hard;
mod measure;
mod reading;
mod simulate;
mod systems;
mod theirs;
mod tools;
mod vs_nusmv;

pub use hard::{Contestant, families};
pub use vs_nusmv::Options as Versus;

use std::path::Path;

use crate::Args;

/// A measurement and its name.
struct Bench {
    name: &'static str,
    /// Is it run when none is named?
    is_short: bool,
    /// Measures; `false` when something is wrong with what was measured.
    run: fn(&Args) -> Result<bool, String>,
}

const BENCHES: &[Bench] = &[
    Bench {
        name: "reading",
        is_short: true,
        run: |args| reading::run(args.megabytes).map(|()| true),
    },
    Bench { name: "explicit", is_short: true, run: |args| explicit::run(args).map(|()| true) },
    Bench { name: "simulate", is_short: true, run: |_| simulate::run() },
    Bench { name: "criteria", is_short: false, run: criteria::run },
    Bench { name: "evaluate", is_short: false, run: |_| evaluate::run() },
    Bench { name: "exchanges", is_short: false, run: |_| exchanges::run() },
    Bench { name: "faults", is_short: false, run: faults::run },
    Bench { name: "vs-nusmv", is_short: false, run: vs_nusmv::run },
    Bench { name: "generate", is_short: false, run: generate::run },
    Bench { name: "against", is_short: false, run: against::run },
    Bench { name: "hard", is_short: false, run: hard::run },
    Bench { name: "goals300", is_short: false, run: goals300::run },
];

/// Runs those that are named, or all short ones; `false` when something is wrong.
///
/// # Errors
/// When there is none of that name, or a model is wrong.
pub fn run(args: &Args) -> Result<bool, String> {
    let is_known = |name: &&Path| BENCHES.iter().any(|bench| Path::new(bench.name) == *name);
    let names = || args.files.iter().map(|name| name.as_path());
    if let Some(unknown) = names().find(|name| !is_known(name)) {
        return Err(format!("no benchmark is called {}", unknown.display()));
    }
    let mut is_right = true;
    for bench in BENCHES {
        let is_named = names().any(|name| name == Path::new(bench.name));
        if is_named || (args.files.is_empty() && bench.is_short) {
            is_right &= (bench.run)(args)?;
        }
    }
    Ok(is_right)
}
