//! The journal of a run: what it has found, a line for each finding, beside the file of `-o`.
//!
//! A run that is killed leaves it behind, and `--resume` continues from it. A truncated last line
//! is ignored. States are lists of numbers, in the order of the variables: they are read only by
//! the same program, for the same model and the same goals, which the first line identifies. Each
//! line has a checksum.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use trapline_engine::code::{decode, encode};
use trapline_model::replay::Replayer;
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Ratio, Value};
use trapline_suite::generate::Options;
use trapline_suite::journal::{Journal, Record};
use trapline_suite::suite::Suite;

use crate::context::Context;
use crate::failure::Failure;
use crate::files;
use crate::goal_args::Prepared;
use crate::proofs;
use crate::suite_file::sha256;

/// A journal; without a file nothing is kept.
pub struct JournalFile<'p> {
    model: &'p Model,
    file: Option<(PathBuf, File)>,
    known: Vec<Record>,
    /// The checksum of the last record that was written.
    chain: String,
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
        for record in &known {
            self.write(record);
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

    fn read(&self, path: &Path, header: &Json, context: &Context) -> Result<Vec<Record>, Failure> {
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
        let (mut records, mut begun, mut chain) = (Vec::new(), Trace::default(), String::new());
        let replayer = Replayer::new(self.model);
        for (idx, line) in lines.enumerate() {
            let json = unsealed(line, &chain);
            chain = json.as_ref().map(|(_, sum)| sum.clone()).unwrap_or_default();
            let record = json.and_then(|(json, _)| self.record(&json));
            let record = record.filter(|record| is_sound(record, &mut begun, &replayer));
            records.push(record.ok_or_else(|| damaged(idx + 2))?);
        }
        let is_whole = begun.states.is_empty() || replayer.replay(&begun).is_ok();
        if is_whole { Ok(records) } else { Err(damaged(records.len() + 1)) }
    }

    fn line(&mut self, json: &Json) {
        let Some((path, file)) = &mut self.file else { return };
        let line = format!("{json}\n");
        if let Err(error) = file.write_all(line.as_bytes()) {
            self.failure.get_or_insert(failed("write", path, error));
        }
    }

    fn record(&self, json: &Json) -> Option<Record> {
        let number = |json: &Json| usize::try_from(json.as_u64()?).ok();
        let states = |json: &Json| -> Option<Vec<State>> {
            json["states"].as_array()?.iter().map(|state| self.state(state)).collect()
        };
        let loop_start = number(&json["loop"]);
        match json["what"].as_str()? {
            "segment" => Some(Record::Segment {
                at: number(&json["at"])?,
                states: states(json)?,
                loop_start,
            }),
            "finished" => Some(Record::Finished),
            "found" => {
                let trace = Trace { states: states(json)?, loop_start };
                let subgoal = |json: &Json| {
                    let (subgoal, state) = (number(&json[0])?, number(&json[1])?);
                    (state < trace.states.len()).then_some((subgoal, state))
                };
                let subgoals =
                    json["subgoals"].as_array()?.iter().map(subgoal).collect::<Option<_>>()?;
                Some(Record::Found { trace, subgoals })
            }
            "infeasible" => {
                let how = json["how"].as_str()?.to_string();
                Some(Record::Infeasible { subgoal: number(&json["subgoal"])?, how })
            }
            _ => None,
        }
    }

    fn state(&self, json: &Json) -> Option<State> {
        let values = json.as_array().filter(|values| values.len() == self.model.vars.len())?;
        let whole = |json: &Json| json.as_i64().map(i128::from);
        let value = |(json, var): (&Json, &trapline_model::Var)| {
            if json.is_null() {
                return Some(None);
            }
            let value = match (json.as_i64(), json.as_array()) {
                (Some(number), _) => decode(number, var.domain.ty()),
                (None, Some(parts)) => {
                    Value::Real(Ratio::new(whole(parts.first()?)?, whole(parts.get(1)?)?)?)
                }
                _ => return None,
            };
            var.domain.contains(value).then_some(Some(value))
        };
        let values = values.iter().zip(&self.model.vars).map(value).collect::<Option<_>>()?;
        Some(State { values })
    }
}

impl Journal for JournalFile<'_> {
    fn recall(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.known)
    }

    fn write(&mut self, record: &Record) {
        if self.file.is_none() {
            return;
        }
        let json = match record {
            Record::Segment { at, states, loop_start } => json!({
                "what": "segment", "at": at, "states": numbers(states), "loop": loop_start,
            }),
            Record::Finished => json!({"what": "finished"}),
            Record::Found { trace, subgoals } => json!({
                "what": "found", "states": numbers(&trace.states), "loop": trace.loop_start,
                "subgoals": subgoals,
            }),
            Record::Infeasible { subgoal, how } => {
                json!({"what": "infeasible", "subgoal": subgoal, "how": how})
            }
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

/// Can the record follow the test that was begun, and is what it finishes a path of the model?
fn is_sound(record: &Record, begun: &mut Trace, replayer: &Replayer<'_>) -> bool {
    match record {
        Record::Segment { at, states, loop_start } => {
            let can_follow = *at <= begun.states.len() && !states.is_empty();
            begun.states.truncate(*at);
            begun.states.extend(states.iter().cloned());
            begun.loop_start = *loop_start;
            can_follow
        }
        Record::Finished => replayer.replay(&std::mem::take(begun)).is_ok(),
        Record::Found { trace, .. } => replayer.replay(trace).is_ok(),
        Record::Infeasible { .. } => true,
    }
}

fn numbers(states: &[State]) -> Vec<Vec<Json>> {
    let number = |value: &Option<Value>| match value {
        None => Json::Null,
        Some(Value::Real(real)) => json!([real.num(), real.den()]),
        Some(value) => encode(*value).map_or(Json::Null, Json::from),
    };
    states.iter().map(|state| state.values.iter().map(number).collect()).collect()
}

/// What must agree for a run to be resumed.
fn header(prepared: &Prepared, options: &Options) -> Json {
    let goals = prepared.set.goals.iter().map(|goal| format!("{} {}", goal.id, goal.text));
    let goals: Vec<String> = goals.collect();
    json!({
        "format": "trapline-journal/3",
        "version": env!("CARGO_PKG_VERSION"),
        "model": prepared.loaded.sha256,
        "question": proofs::question(&prepared.loaded),
        "goals": sha256(&goals.join("\n")),
        "vars": prepared.set.model.vars.len(),
        "options": sha256(&options.text()),
    })
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
