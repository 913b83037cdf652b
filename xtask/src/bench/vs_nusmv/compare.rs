//! One model, checked by NuSMV with two settings and by us, alternating, so that other load on the
//! machine affects all of them equally.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::bench::measure::{Ending, Run};
use crate::bench::theirs::{self, Property};
use crate::bench::tools::{Tools, our_verdicts};

/// The ways of NuSMV: as it comes, and as its users run it on what is large.
pub const WAYS: [&[&str]; 2] = [&[], &["-coi", "-dynamic"]];

/// Who takes longer than this runs once.
const LONG: f64 = 10.0;

/// Who takes less than this runs this many times as often.
const SHORT: f64 = 0.2;
const MORE: usize = 3;

/// A model to compare on.
pub struct Model {
    /// What the table calls it.
    pub name: String,
    /// SMV; not always UTF-8.
    pub text: Vec<u8>,
}

/// What came out for a model.
pub struct Row {
    /// What the table calls the model.
    pub name: String,
    /// NuSMV's [`WAYS`].
    pub theirs: [Measured; 2],
    /// Our engine.
    pub ours: Measured,
    /// Where the verdicts differ, in words.
    pub differences: Vec<String>,
}

/// The best of some runs.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The shortest time; the limit if it did not come to an end.
    pub seconds: f64,
    /// Bytes.
    pub peak: u64,
    /// Why not all properties are decided.
    pub undecided: Option<String>,
}

/// Compares on a model; nothing if it has no properties.
///
/// # Errors
/// When a program can't be started or a file can't be written.
pub fn compare(tools: &Tools, model: &Model) -> Result<Option<Row>, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", model.name);
    let properties = theirs::properties(&tools.nusmv, &model.text).map_err(failed)?;
    if properties.is_empty() {
        return Ok(None);
    }
    let path = tools.nusmv.dir.join("model.smv");
    fs::write(&path, &model.text).map_err(failed)?;
    let mut best = [Measured::default(), Measured::default(), Measured::default()];
    let mut said: [Vec<Option<String>>; 3] = Default::default();
    let mut n_runs = [1; 3];
    let mut round = 0;
    while n_runs.iter().any(|n_runs| round < *n_runs) {
        for who in 0..3 {
            if round >= n_runs[who] {
                continue;
            }
            let run = run(tools, who, &path).map_err(failed)?;
            if round == 0 {
                said[who] = verdicts(who, &run, &properties);
                n_runs[who] = repetitions(tools.n_runs, run.seconds);
            }
            best[who].add(&run, &said[who], tools.limit);
        }
        round += 1;
    }
    let [first, second, ours] = best;
    let differences = differences(&properties, &said);
    Ok(Some(Row { name: model.name.clone(), theirs: [first, second], ours, differences }))
}

fn repetitions(n_runs: usize, seconds: f64) -> usize {
    match seconds {
        _ if seconds > LONG => 1,
        _ if seconds < SHORT => n_runs * MORE,
        _ => n_runs,
    }
}

/// Runs NuSMV in the first or second way, or us.
fn run(tools: &Tools, who: usize, model: &Path) -> std::io::Result<Run> {
    match WAYS.get(who) {
        Some(options) => tools.program.run(options, model, tools.limit),
        None => tools.check(tools.engine, model),
    }
}

/// What somebody says of each property, where it says something.
fn verdicts(who: usize, run: &Run, properties: &[Property]) -> Vec<Option<String>> {
    if who < WAYS.len() {
        let verdicts = theirs::verdicts(&run.out);
        return properties.iter().map(|property| verdicts.get(property).cloned()).collect();
    }
    let verdicts = our_verdicts(&run.out);
    (0..properties.len()).map(|idx| verdicts.get(&idx).cloned()).collect()
}

impl Measured {
    /// Takes another run into account.
    fn add(&mut self, run: &Run, said: &[Option<String>], limit: Duration) {
        self.peak = self.peak.max(run.peak);
        let n_open = said.iter().filter(|verdict| verdict.is_none()).count();
        let undecided = match run.ending {
            Ending::OutOfTime => Some("out of time".into()),
            Ending::OutOfMemory => Some("out of memory".into()),
            Ending::ByItself if n_open > 0 => Some(complaint(run, n_open)),
            Ending::ByItself => None,
        };
        let seconds = match undecided {
            Some(_) => limit.as_secs_f64(),
            None => run.seconds,
        };
        self.seconds = if self.seconds == 0.0 { seconds } else { self.seconds.min(seconds) };
        self.undecided = self.undecided.take().or(undecided);
    }
}

/// Why properties are open, in a few words.
fn complaint(run: &Run, n_open: usize) -> String {
    let reason = run.out.lines().find(|line| line.starts_with("unknown"));
    let is_error =
        |line: &&str| ["error", "aborting", "Assertion"].iter().any(|e| line.contains(e));
    let error = run.err.lines().find(is_error);
    let line = error.or(reason).unwrap_or_default().trim();
    format!("{n_open} open: {}", line.chars().take(100).collect::<String>())
}

fn differences(properties: &[Property], said: &[Vec<Option<String>>; 3]) -> Vec<String> {
    let [first, second, ours] = said;
    let mut differences = Vec::new();
    for (idx, (_, text)) in properties.iter().enumerate() {
        let theirs = first[idx].as_ref().or(second[idx].as_ref());
        if let (Some(theirs), Some(ours)) = (theirs, &ours[idx])
            && theirs != ours
        {
            differences.push(format!("property {idx}: NuSMV says {theirs}, we say {ours}: {text}"));
        }
    }
    differences
}

impl Row {
    /// The better one of NuSMV's ways: the one that decides, in less time.
    pub fn best(&self) -> &Measured {
        let [first, second] = &self.theirs;
        let key = |way: &Measured| (way.undecided.is_some(), way.seconds);
        if key(second) < key(first) { second } else { first }
    }

    /// How many times as long as we NuSMV takes.
    pub fn ratio(&self) -> f64 {
        self.best().seconds / self.ours.seconds
    }

    /// How many times as much memory as we NuSMV takes.
    pub fn memory_ratio(&self) -> f64 {
        self.best().peak as f64 / self.ours.peak.max(1) as f64
    }

    /// Did somebody decide everything?
    pub fn is_decided(&self) -> bool {
        self.best().undecided.is_none() || self.ours.undecided.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_verdict_is_a_difference_and_silence_is_none() {
        let properties = ["p", "q", "r"].map(|text| ("invariant", text.to_string()));
        let said = |words: [&str; 3]| {
            words.map(|word| (!word.is_empty()).then(|| word.to_string())).to_vec()
        };
        let said =
            [said(["true", "", "true"]), said(["true", "false", ""]), said(["false", "true", ""])];
        let differences = differences(&properties, &said);
        assert_eq!(differences.len(), 2, "{differences:?}");
        assert!(differences[0].starts_with("property 0: NuSMV says true, we say false"));
        assert!(differences[1].starts_with("property 1: NuSMV says false, we say true"));
    }
}
