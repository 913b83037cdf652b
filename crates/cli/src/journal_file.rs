//! The journal of a run: the answers of its searches, a line for each, beside the file of `-o`.
//!
//! A run that is killed leaves it behind, and `--resume` continues from it. A truncated last line
//! is ignored. It is read only by the same program, for the same model and the same goals, which
//! the first line identifies. Each line has a checksum.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use trapline_goals::Demand;
use trapline_model::Model;
use trapline_model::replay::Replayer;
use trapline_suite::generate::Options;
use trapline_suite::journal::{Entry, Journal, resumable};
use trapline_suite::suite::Suite;
use trapline_suite::write::interface;

use crate::context::Context;
use crate::failure::Failure;
use crate::goal_args::Prepared;
use crate::suite_file::sha256;
use crate::{files, journal_record, proofs};

/// A journal; without a file nothing is kept.
pub struct JournalFile<'p> {
    model: &'p Model,
    file: Option<(PathBuf, File)>,
    known: Vec<Entry>,
    /// The checksum of the last record that was written.
    chain: String,
    /// True from the first record on that could not be written: those after it need it.
    is_closed: bool,
    failure: Option<Failure>,
}

impl<'p> JournalFile<'p> {
    /// Opens the journal beside the file that the result goes to.
    pub fn open(
        prepared: &'p Prepared,
        options: &Options,
        resume: bool,
        context: &Context,
    ) -> Result<JournalFile<'p>, Failure> {
        let model = &prepared.set.model;
        let mut journal = JournalFile {
            model,
            file: None,
            known: Vec::new(),
            chain: String::new(),
            is_closed: false,
            failure: None,
        };
        let Some(output) = &context.output else {
            return match resume {
                true => Err(Failure::refused("--resume needs -o FILE: the journal is beside it")),
                false => Ok(journal),
            };
        };
        if output.is_dir() {
            return Err(Failure::refused(format!("`{}` is a directory", output.display())));
        }
        // What is no plain file, such as /dev/null, is not for going on later.
        if output.metadata().is_ok_and(|about| !about.is_file()) {
            return Ok(journal);
        }
        let mut name = output.as_os_str().to_os_string();
        name.push(".journal");
        let path = PathBuf::from(name);
        let header = header(prepared, options);
        if resume && path.exists() {
            journal.known = journal.read(&path, &header, context)?;
        } else if path.exists() {
            let text = format!("`{}` is left of a run that did not finish", path.display());
            return Err(Failure::refused(text)
                .help("--resume goes on with it; delete it to start from the beginning"));
        }
        journal.begin(path, &header)?;
        Ok(journal)
    }

    /// Starts the file with what is known. It takes its name only then, so that a run that is killed
    /// meanwhile leaves the one before.
    fn begin(&mut self, path: PathBuf, header: &Json) -> Result<(), Failure> {
        let known = std::mem::take(&mut self.known);
        let mut name = path.as_os_str().to_os_string();
        name.push(".new");
        let new = PathBuf::from(name);
        let file = File::create(&new).map_err(|error| failed("write", &new, error))?;
        self.file = Some((new.clone(), file));
        self.line(header);
        for entry in &known {
            self.write(entry);
        }
        self.known = known;
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        fs::rename(&new, &path).map_err(|error| failed("write", &path, error))?;
        if let Some((name, _)) = &mut self.file {
            *name = path;
        }
        Ok(())
    }

    /// A proof that the journal has is wrong: its file, and what is wrong.
    pub fn contradicted(&self, goal: &str) -> Failure {
        let path = self.file.as_ref().map(|(path, _)| path.display().to_string());
        let text = format!(
            "`{}` says that `{goal}` can't be reached, and a test reaches it",
            path.unwrap_or_default()
        );
        Failure::refused(text).help("delete the file to start from the beginning")
    }

    /// The journal has answers to questions that were not asked.
    pub fn misfit(&self) -> Failure {
        let path = self.file.as_ref().map(|(path, _)| path.display().to_string());
        let text = format!("`{}` is of another run", path.unwrap_or_default());
        Failure::refused(text).help("delete the file to start from the beginning")
    }

    /// The work is done: a whole result needs no journal.
    pub fn close(mut self, suite: &Suite) -> Result<(), Failure> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        match self.file.take() {
            Some((path, _)) if suite.is_complete => {
                fs::remove_file(&path).map_err(|error| failed("remove", &path, error))
            }
            _ => Ok(()),
        }
    }

    fn read(&self, path: &Path, header: &Json, context: &Context) -> Result<Vec<Entry>, Failure> {
        let text = files::read_text(path, context)?.text;
        let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let first = lines.next().and_then(|line| serde_json::from_str::<Json>(line).ok());
        // A run that was killed before it began has found nothing.
        if first.is_none() && text.lines().count() <= 1 {
            return Ok(Vec::new());
        }
        if first.as_ref() != Some(header) {
            let text =
                format!("`{}` is of another model, or other goals or options", path.display());
            return Err(Failure::refused(text)
                .help("run the same command as before, or delete it to start from the beginning"));
        }
        let damaged = |line: usize| {
            let text = format!("line {line} of `{}` is damaged", path.display());
            Failure::refused(text).help("delete the file to start from the beginning")
        };
        let (mut entries, mut chain) = (Vec::new(), String::new());
        let replayer = Replayer::new(self.model);
        for (idx, line) in lines.enumerate() {
            let json = unsealed(line, &chain);
            chain = json.as_ref().map(|(_, sum)| sum.clone()).unwrap_or_default();
            let entry = json.and_then(|(json, _)| journal_record::from_json(&json, self.model));
            let entry = entry.filter(|entry| journal_record::is_sound(&entry.record, &replayer));
            entries.push(entry.ok_or_else(|| damaged(idx + 2))?);
        }
        Ok(resumable(entries))
    }

    fn line(&mut self, json: &Json) {
        let Some((path, file)) = &mut self.file else { return };
        let line = format!("{json}\n");
        if let Err(error) = file.write_all(line.as_bytes()) {
            self.failure.get_or_insert(failed("write", path, error));
        }
    }
}

impl Journal for JournalFile<'_> {
    fn recall(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.known)
    }

    fn write(&mut self, entry: &Entry) {
        if self.file.is_none() || self.is_closed {
            return;
        }
        let Some(json) = journal_record::to_json(entry) else {
            self.is_closed = true;
            return;
        };
        let (json, sum) = sealed(json, &self.chain);
        self.chain = sum;
        self.line(&json);
    }
}

/// A record with its checksum, which covers that of the record before it: a line that is missing
/// breaks the chain.
fn sealed(mut json: Json, chain: &str) -> (Json, String) {
    let sum = checksum(&json, chain);
    json["sum"] = sum.clone().into();
    (json, sum)
}

/// The record of a line whose checksum is right, and that checksum.
fn unsealed(line: &str, chain: &str) -> Option<(Json, String)> {
    let mut json: Json = serde_json::from_str(line).ok()?;
    let sum = json.as_object_mut()?.remove("sum")?;
    let expected = checksum(&json, chain);
    (sum.as_str() == Some(&expected)).then_some((json, expected))
}

fn checksum(json: &Json, chain: &str) -> String {
    sha256(&format!("{chain}{json}"))[..8].to_string()
}

/// What must agree for a run to be resumed.
fn header(prepared: &Prepared, options: &Options) -> Json {
    let goals = prepared.set.goals.iter().map(|goal| format!("{} {}", goal.id, goal.text));
    let goals: Vec<String> = goals.collect();
    json!({
        "format": "trapline-journal/4",
        "version": env!("CARGO_PKG_VERSION"),
        "model": prepared.loaded.sha256,
        "question": proofs::question(&prepared.loaded),
        "demand": demand(prepared),
        "goals": sha256(&goals.join("\n")),
        "vars": prepared.set.model.vars.len(),
        "options": sha256(&options.text()),
    })
}

/// What goals demand of tests, with the interface if they demand that something shows at it.
fn demand(prepared: &Prepared) -> Json {
    let demand = prepared.demand;
    let is_usual = demand == Demand::default();
    let interface = (!is_usual).then(|| sha256(&interface(&prepared.loaded.model).to_string()));
    json!([demand.visibility.name(), demand.observable, interface])
}

fn failed(action: &'static str, path: &Path, error: std::io::Error) -> Failure {
    Failure::Io { action, path: path.display().to_string(), error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_changed_is_no_record() {
        let (line, sum) =
            sealed(json!({"what": "infeasible", "subgoal": 12, "how": "by induction"}), "");
        let line = line.to_string();
        assert_eq!(unsealed(&line, "").expect("it is as it was").0["subgoal"], 12);
        for (old, new) in [("12", "13"), ("induction", "chance"), ("\"sum\"", "\"some\"")] {
            let changed = line.replace(old, new);
            assert_ne!(changed, line);
            assert_eq!(unsealed(&changed, ""), None, "{changed}");
        }
        assert_eq!(unsealed("{\"what\": \"finished\"}", ""), None);
        // The next line is a record only behind this one.
        let next = sealed(json!({"what": "finished"}), &sum).0.to_string();
        assert!(unsealed(&next, &sum).is_some());
        assert_eq!(unsealed(&next, ""), None);
    }
}
