//! One model, checked by our engines and by NuSMV with BDDs and with a SAT solver.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use trapline_engine::{ENGINES, Engine};

use crate::bench::measure::{Ending, Run};
use crate::bench::theirs::{self, Property};
use crate::bench::tools::{Tools, our_verdicts};

/// Our engines in the order of the table, the one that should be as good as the best one last.
const OURS: [&str; 4] = ["explicit", "bdd", "sat", "auto"];

/// NuSMV's ways with BDDs. The second one runs only as long as the first one, if that decides all.
const BDD_WAYS: [&[&str]; 2] = [&["-coi", "-dynamic"], &[]];

/// The depths of NuSMV's bounded search. It goes on with what is undecided, so that a property
/// that is true and not inductive does not take all the time.
const DEPTHS: [usize; 6] = [4, 16, 64, 256, 1024, 100_000];

/// Who decides properties.
#[derive(Clone, Copy, Debug)]
pub enum Contestant {
    /// One of our engines.
    Ours(Engine),
    /// NuSMV with BDDs.
    Bdd,
    /// NuSMV's incremental bounded search with induction.
    Bmc,
}

/// What somebody does with a model.
pub struct Performance {
    /// What is said of each property, where something is.
    pub verdicts: Vec<Option<String>>,
    /// How long it took, whether or not everything is decided.
    pub seconds: f64,
    /// What should never happen.
    pub trouble: Option<String>,
}

/// What came out for a model.
pub struct Row {
    /// What the table calls it.
    pub name: String,
    /// How many properties it has.
    pub n_properties: usize,
    /// What each contestant does with it.
    pub performances: Vec<Performance>,
    /// Where the verdicts differ, in words.
    pub differences: Vec<String>,
}

impl Contestant {
    /// All that there are.
    pub fn all() -> Vec<Contestant> {
        let ours = OURS.iter().filter_map(|name| Contestant::named(name));
        ours.chain([Contestant::Bdd, Contestant::Bmc]).collect()
    }

    /// The one with this name on the command line.
    pub fn named(name: &str) -> Option<Contestant> {
        match name {
            "nusmv" => Some(Contestant::Bdd),
            "nusmv-bmc" => Some(Contestant::Bmc),
            _ => ENGINES.iter().find(|engine| engine.name == name).copied().map(Contestant::Ours),
        }
    }

    /// What the table calls it.
    pub fn name(self) -> &'static str {
        match self {
            Contestant::Ours(engine) => engine.name,
            Contestant::Bdd => "NuSMV",
            Contestant::Bmc => "NuSMV BMC",
        }
    }

    /// Is it the engine that chooses another one?
    pub fn is_auto(self) -> bool {
        self.name() == "auto"
    }

    /// Is it ours?
    pub fn is_ours(self) -> bool {
        matches!(self, Contestant::Ours(_))
    }

    /// Is it an engine that auto could choose?
    pub fn is_single(self) -> bool {
        self.is_ours() && !self.is_auto()
    }

    /// Decides what it can.
    ///
    /// # Errors
    /// When a program can't be started.
    pub fn perform(
        self,
        tools: &Tools,
        model: &Path,
        properties: &[Property],
    ) -> io::Result<Performance> {
        match self {
            Contestant::Ours(engine) => {
                Ok(ours(&tools.check_in_time(engine, model)?, properties.len(), tools.limit))
            }
            Contestant::Bdd => bdd(tools, model, properties),
            Contestant::Bmc => bmc(tools, model, properties),
        }
    }
}

impl Performance {
    /// How many properties are decided.
    pub fn n_decided(&self) -> usize {
        self.verdicts.iter().flatten().count()
    }

    fn is_complete(&self) -> bool {
        self.verdicts.iter().all(Option::is_some)
    }
}

/// Lets everybody decide what they can, and compares the verdicts.
///
/// # Errors
/// When a program can't be started or a file can't be written.
pub fn compete(
    tools: &Tools,
    contestants: &[Contestant],
    name: &str,
    text: &[u8],
) -> io::Result<Row> {
    let properties = theirs::properties(&tools.nusmv, text)?;
    let path = tools.nusmv.dir.join("model.smv");
    fs::write(&path, text)?;
    let performances = contestants
        .iter()
        .map(|contestant| contestant.perform(tools, &path, &properties))
        .collect::<io::Result<Vec<Performance>>>()?;
    let differences = differences(&properties, contestants, &performances);
    Ok(Row { name: name.into(), n_properties: properties.len(), performances, differences })
}

fn ours(run: &Run, n_properties: usize, limit: Duration) -> Performance {
    let verdicts = our_verdicts(&run.out);
    let verdicts = (0..n_properties).map(|idx| verdicts.get(&idx).cloned()).collect();
    let trouble = match run.ending {
        Ending::OutOfTime => Some(format!("does not stop after {} s", limit.as_secs())),
        Ending::OutOfMemory => Some("needs too much memory".into()),
        Ending::ByItself if matches!(run.code, Some(0 | 1 | 3)) => None,
        Ending::ByItself => {
            Some(format!("ends with {:?}: {}", run.code, run.err.lines().next().unwrap_or("-")))
        }
    };
    Performance { verdicts, seconds: run.seconds, trouble }
}

/// The better one of the ways: the one that decides more, in less time.
fn bdd(tools: &Tools, model: &Path, properties: &[Property]) -> io::Result<Performance> {
    let mut best: Option<Performance> = None;
    for options in BDD_WAYS {
        let complete = best.as_ref().filter(|best| best.is_complete());
        let limit = complete.map_or(tools.limit, |best| Duration::from_secs_f64(best.seconds));
        let performance = theirs_of(&tools.program.run(options, model, limit)?, properties);
        let is_better = best.as_ref().is_none_or(|best| {
            (performance.n_decided(), best.seconds) > (best.n_decided(), performance.seconds)
        });
        if is_better {
            best = Some(performance);
        }
    }
    Ok(best.unwrap_or_else(|| unreachable!("there are ways")))
}

fn bmc(tools: &Tools, model: &Path, properties: &[Property]) -> io::Result<Performance> {
    let commands = tools.nusmv.dir.join("bmc.cmd");
    let rounds = DEPTHS.map(|depth| {
        format!("check_invar_bmc_inc -a zigzag -k {depth}\ncheck_ltlspec_sbmc_inc -c -k {depth}\n")
    });
    fs::write(&commands, format!("go_bmc\n{}quit\n", rounds.concat()))?;
    let commands = commands.to_string_lossy();
    let options = ["-coi", "-source", &commands];
    Ok(theirs_of(&tools.program.run(&options, model, tools.limit)?, properties))
}

fn theirs_of(run: &Run, properties: &[Property]) -> Performance {
    let verdicts = theirs::verdicts(&run.out);
    let verdicts = properties.iter().map(|property| verdicts.get(property).cloned()).collect();
    let is_error = |line: &&str| line.contains("aborting") || line.contains("terminated by");
    let trouble = match run.ending {
        Ending::ByItself if run.code != Some(0) => Some(format!("ends with {:?}", run.code)),
        Ending::ByItself => run.err.lines().find(is_error).map(str::to_string),
        Ending::OutOfMemory => Some("needs too much memory".into()),
        Ending::OutOfTime => None,
    };
    Performance { verdicts, seconds: run.seconds, trouble }
}

/// Each property of which two contestants say different things.
fn differences(
    properties: &[Property],
    contestants: &[Contestant],
    performances: &[Performance],
) -> Vec<String> {
    let mut differences = Vec::new();
    for (idx, (_, text)) in properties.iter().enumerate() {
        let said: Vec<(&str, &str)> = contestants
            .iter()
            .zip(performances)
            .filter_map(|(who, done)| Some((who.name(), done.verdicts[idx].as_deref()?)))
            .collect();
        if said.windows(2).any(|pair| pair[0].1 != pair[1].1) {
            let said: Vec<String> =
                said.iter().map(|(who, verdict)| format!("{who} says {verdict}")).collect();
            differences.push(format!("property {idx}: {}: {text}", said.join(", ")));
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_verdict_is_a_difference_and_silence_is_none() {
        let properties = ["p", "q"].map(|text| ("invariant", text.to_string()));
        let contestants = [Contestant::Bdd, Contestant::Bmc];
        let says = |words: [&str; 2]| Performance {
            verdicts: words.map(|word| (!word.is_empty()).then(|| word.to_string())).to_vec(),
            seconds: 1.0,
            trouble: None,
        };
        let said = [says(["true", ""]), says(["false", "true"])];
        let differences = differences(&properties, &contestants, &said);
        assert_eq!(differences, ["property 0: NuSMV says true, NuSMV BMC says false: p"]);
    }
}
