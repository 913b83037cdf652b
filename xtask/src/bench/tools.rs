//! The programs that are measured.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use trapline_engine::Engine;

use super::measure::{self, Run};
use super::theirs::{self, Program};
use crate::Args;
use crate::nusmv::Nusmv;

/// How long a run may take.
const LIMIT: Duration = Duration::from_secs(60);

/// How much longer than allowed we wait for ourselves.
const PATIENCE: Duration = Duration::from_secs(10);

/// What everything needs.
pub struct Tools {
    /// The script, for questions that are not measured.
    pub nusmv: Nusmv,
    /// The program, for those that are.
    pub program: Program,
    /// Our program.
    pub trapline: PathBuf,
    /// Our engine, where one is compared.
    pub engine: Engine,
    /// How often each runs, where it runs several times.
    pub n_runs: usize,
    /// How long each run may take.
    pub limit: Duration,
}

/// Finds them.
///
/// # Errors
/// When one is missing.
pub fn find(args: &Args) -> Result<Tools, String> {
    let us = std::env::current_exe().map_err(|e| e.to_string())?;
    let trapline = us.with_file_name("trapline");
    if !trapline.exists() {
        let path = trapline.display();
        return Err(format!("{path} is missing: cargo build --release --package trapline"));
    }
    let mut nusmv = args.nusmv()?;
    // That it lists the properties is not measured.
    nusmv.limit = nusmv.limit.max(LIMIT);
    Ok(Tools {
        program: theirs::find(&nusmv.command)?,
        nusmv,
        trapline,
        engine: args.engine,
        n_runs: args.versus.n_runs,
        limit: args.limit.unwrap_or(LIMIT),
    })
}

impl Tools {
    /// Checks a file with one of our engines, which is stopped when the time is over.
    ///
    /// # Errors
    /// When our program can't be started.
    pub fn check(&self, engine: Engine, model: &Path) -> io::Result<Run> {
        measure::run(&mut self.command(engine, model), &self.nusmv.dir, self.limit)
    }

    /// Checks a file with one of our engines, which stops by itself when the time is over; if it
    /// does not, it is stopped some seconds later.
    ///
    /// # Errors
    /// When our program can't be started.
    pub fn check_in_time(&self, engine: Engine, model: &Path) -> io::Result<Run> {
        let mut command = self.command(engine, model);
        command.args(["--timeout", &self.limit.as_secs().to_string()]);
        measure::run(&mut command, &self.nusmv.dir, self.limit + PATIENCE)
    }

    fn command(&self, engine: Engine, model: &Path) -> Command {
        let mut command = Command::new(&self.trapline);
        command.arg("check").arg(model).args(["--engine", engine.name]);
        command
    }
}

/// The lines `true  3  ctl  ...` that we print, by the index; `unknown` is no verdict.
pub fn our_verdicts(out: &str) -> HashMap<usize, String> {
    let lines = out.lines().filter(|line| !line.starts_with(' '));
    lines
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (verdict, idx) = (words.next()?, words.next()?.parse().ok()?);
            (verdict != "unknown").then(|| (idx, verdict.to_string()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_is_no_verdict() {
        let out = "true     0  ctl    AG p  (line 7)\nunknown  1  ltl    F p  (line 8)\n\
                   3        2  compute  MIN [p, q]  (line 9)\n  state 0\n";
        let verdicts = our_verdicts(out);
        assert_eq!(verdicts.get(&0).map(String::as_str), Some("true"));
        assert_eq!(verdicts.get(&1), None);
        assert_eq!(verdicts.get(&2).map(String::as_str), Some("3"));
    }
}
