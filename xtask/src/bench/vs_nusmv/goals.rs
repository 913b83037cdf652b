//! Goals: NuSMV gets the negation of each as an invariant, we get all of them at once.

use std::fmt::Write;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use trapline_engine::{Budget, Engine, Limits, Start, Verdict, wellformed};
use trapline_lang::{Input, smv};
use trapline_model::goal::Target;
use trapline_source::{Diagnostics, SourceFile, Sources};

use super::compare::{Model, WAYS, compare};
use super::safety_injection::{self, Goal, Writing};
use super::{Options, stopwatch, table};
use crate::bench::measure::Ending;
use crate::bench::theirs;
use crate::bench::tools::Tools;
use crate::memory;

/// How long NuSMV may take for the goals of a model.
pub const LIMIT: Duration = Duration::from_secs(300);

/// How much longer than allowed we wait for ourselves.
const PATIENCE: Duration = Duration::from_secs(30);

/// How many bytes we may use.
const MEMORY: u64 = 8 << 30;

/// The ranges of the pressure.
const RANGES: [u32; 3] = [200, 2000, 9000];

/// How many goals the two samples have, from which the time for all is guessed.
const SAMPLES: [usize; 2] = [10, 60];

/// How long a sample may take.
const SAMPLE_LIMIT: Duration = Duration::from_secs(60);

/// How many goals a file has where NuSMV gets many files: with more, each costs it more.
const N_IN_FILE: usize = 50;

/// The head of the table for the safety injection.
const HEAD: &str = "\
| model | goals | covered | NuSMV, one file s | NuSMV, many files s | NuSMV, guessed s | \
its best way | ours s | ours MiB | ratio |\n\
|---|--:|--:|--:|--:|--:|---|--:|--:|--:|";

/// What NuSMV does with some goals.
struct Theirs {
    seconds: f64,
    has_ended: bool,
    /// For each goal, is it covered? `None` where nothing was said.
    covered: Vec<Option<bool>>,
}

/// What we do with them.
struct Ours {
    seconds: f64,
    peak: u64,
    /// For each goal, the length of its trace if it is covered; `None` where it is not known.
    covered: Vec<Option<Option<usize>>>,
}

/// How goals are asked for.
#[derive(Clone, Copy)]
struct Files {
    /// How many goals a file has.
    n_goals: usize,
    /// How long all files together may take.
    limit: Duration,
}

/// A way to ask NuSMV.
#[derive(Clone, Copy)]
struct Way {
    writing: Writing,
    options: &'static [&'static str],
}

/// Compares, and gives the tables; `false` when verdicts differ.
///
/// # Errors
/// When a program can't be run, or a model is wrong.
pub fn run(tools: &Tools, options: &Options) -> Result<(String, bool), String> {
    let mut text = String::new();
    let mut are_equal = true;
    if options.wants("stopwatch") {
        let (lines, agree) = far_goal(tools)?;
        println!("{lines}");
        text += &lines;
        are_equal &= agree;
    }
    let mut lines = Vec::new();
    for most in RANGES.into_iter().filter(|most| options.wants(&name(*most))) {
        let (line, agree) = all_goals(tools, most)?;
        println!("{HEAD}\n{line}");
        lines.push(line);
        are_equal &= agree;
    }
    if !lines.is_empty() {
        text = format!("{text}\n{HEAD}\n{}\n", lines.join("\n"));
    }
    Ok((text, are_equal))
}

fn name(most: u32) -> String {
    format!("safety-injection-{most}")
}

/// The stopwatch: one goal, many steps.
fn far_goal(tools: &Tools) -> Result<(String, bool), String> {
    let model = Model { name: "stopwatch".into(), text: stopwatch::TEXT.into() };
    let row = compare(tools, &model)?.ok_or("the stopwatch has no property")?;
    let goal = Goal { text: stopwatch::GOAL.into(), is_step: false };
    let ours = ask_us(tools, stopwatch::TEXT.into(), &[goal])?;
    for difference in &row.differences {
        println!("DIFFERENT stopwatch: {difference}");
    }
    let is_as_far = ours.covered[0].is_none_or(|steps| steps == Some(stopwatch::DEPTH));
    if !is_as_far {
        println!("DIFFERENT stopwatch: the goal is {} steps away", stopwatch::DEPTH);
    }
    let text = format!("{}\n{}\n", table::HEAD, table::line(&row));
    Ok((text, is_as_far && row.differences.is_empty()))
}

/// A line about all goals of the safety injection.
fn all_goals(tools: &Tools, most: u32) -> Result<(String, bool), String> {
    let goals = safety_injection::goals(most, Writing::Range);
    let (way, guess) = best_way(tools, most)?;
    let all: Vec<usize> = (0..goals.len()).collect();
    let ask = |n_goals| way.ask(tools, most, &all, Files { n_goals, limit: tools.limit });
    let (one_file, many_files) = (ask(goals.len())?, ask(N_IN_FILE)?);
    // Last, since it may be left running.
    let ours = ask_us(tools, safety_injection::model(most, Writing::Range), &goals)?;
    let n_different = [&one_file, &many_files]
        .map(|theirs| differences(&goals, theirs, &ours))
        .iter()
        .sum::<usize>();
    let real = [&one_file, &many_files].into_iter().filter(|theirs| theirs.has_ended);
    let best = real.map(|theirs| theirs.seconds).reduce(f64::min);
    let n_covered = ours.covered.iter().filter(|covered| matches!(covered, Some(Some(_)))).count();
    let line = format!(
        "| {} | {} | {n_covered} | {} | {} | ~{guess:.1} | {} | {}{:.2} | {:.1} | {} |",
        name(most),
        goals.len(),
        show(&one_file, tools),
        show(&many_files, tools),
        way.name(),
        if ours.is_complete() { "" } else { ">" },
        ours.seconds,
        ours.peak as f64 / f64::from(1 << 20),
        ratio(best, guess, &ours)
    );
    Ok((line, n_different == 0))
}

/// How many times as fast as NuSMV we are: `~` if its time is guessed, `<` if we did not end, and
/// nothing to say if neither came to an end.
fn ratio(best: Option<f64>, guess: f64, ours: &Ours) -> String {
    match (best, ours.is_complete()) {
        (Some(best), true) => format!("{:.1}", best / ours.seconds),
        (None, true) => format!("~{:.1}", guess / ours.seconds),
        (Some(best), false) => format!("<{:.1}", best / ours.seconds),
        (None, false) => "-".into(),
    }
}

impl Ours {
    /// Is everything decided?
    fn is_complete(&self) -> bool {
        self.covered.iter().all(Option::is_some)
    }
}

fn show(theirs: &Theirs, tools: &Tools) -> String {
    match theirs.has_ended {
        true => format!("{:.1}", theirs.seconds),
        false => format!(">{}", tools.limit.as_secs()),
    }
}

/// NuSMV's fastest way by two samples, and its time for all goals if each further goal costs what
/// it costs there. That flatters NuSMV: the more goals in a file, the more each costs.
fn best_way(tools: &Tools, most: u32) -> Result<(Way, f64), String> {
    let mut best: Option<(Way, f64)> = None;
    for writing in [Writing::Range, Writing::Word] {
        for options in WAYS {
            let way = Way { writing, options };
            let guess = way.guess(tools, most)?;
            println!("{}, NuSMV {}: about {guess:.1} s for all goals", name(most), way.name());
            if best.as_ref().is_none_or(|(_, least)| guess < *least) {
                best = Some((way, guess));
            }
        }
    }
    best.ok_or_else(|| "NuSMV has no way".into())
}

impl Way {
    fn name(&self) -> String {
        let writing = match self.writing {
            Writing::Range => "range",
            Writing::Word => "word",
        };
        format!("{writing} {}", self.options.join(" ")).trim().to_string()
    }

    /// The time for all goals by two samples; infinite if they take too long.
    fn guess(&self, tools: &Tools, most: u32) -> Result<f64, String> {
        let n_goals = safety_injection::goals(most, self.writing).len();
        let mut order: Vec<usize> = (0..n_goals).collect();
        fastrand::Rng::with_seed(1).shuffle(&mut order);
        let mut seconds = [0.0; SAMPLES.len()];
        for (seconds, n) in seconds.iter_mut().zip(SAMPLES) {
            let files = Files { n_goals: n, limit: SAMPLE_LIMIT.min(tools.limit) };
            let theirs = self.ask(tools, most, &order[..n], files)?;
            if !theirs.has_ended {
                return Ok(f64::INFINITY);
            }
            *seconds = theirs.seconds;
        }
        let each = (seconds[1] - seconds[0]) / (SAMPLES[1] - SAMPLES[0]) as f64;
        Ok(seconds[0] + each.max(0.0) * (n_goals - SAMPLES[0]) as f64)
    }

    /// Asks NuSMV about some goals by their indices until the time is over.
    fn ask(
        &self,
        tools: &Tools,
        most: u32,
        wanted: &[usize],
        files: Files,
    ) -> Result<Theirs, String> {
        let model = safety_injection::model(most, self.writing);
        let goals = safety_injection::goals(most, self.writing);
        let path = tools.nusmv.dir.join("goals.smv");
        let mut theirs = Theirs { seconds: 0.0, has_ended: true, covered: vec![None; goals.len()] };
        for part in wanted.chunks(files.n_goals) {
            let mut text = model.clone();
            for idx in part {
                let _ = writeln!(text, "INVARSPEC !({})", goals[*idx].text);
            }
            fs::write(&path, text).map_err(|e| e.to_string())?;
            let left = files.limit.saturating_sub(Duration::from_secs_f64(theirs.seconds));
            let run = tools.program.run(self.options, &path, left).map_err(|e| e.to_string())?;
            theirs.seconds += run.seconds;
            let verdicts = theirs::verdicts(&run.out);
            for idx in part {
                let trap = ("invariant", format!("!({})", goals[*idx].text));
                theirs.covered[*idx] = verdicts.get(&trap).map(|verdict| verdict == "false");
            }
            let is_complete = part.iter().all(|idx| theirs.covered[*idx].is_some());
            if run.ending != Ending::ByItself {
                theirs.has_ended = false;
                break;
            }
            if !is_complete {
                println!("NuSMV gives up and says nothing of some goals: {}", run.err);
                theirs.has_ended = false;
                break;
            }
        }
        Ok(theirs)
    }
}

/// How many goals are judged differently; each is printed.
fn differences(goals: &[Goal], theirs: &Theirs, ours: &Ours) -> usize {
    let mut n_different = 0;
    for (idx, goal) in goals.iter().enumerate() {
        if let (Some(theirs), Some(ours)) = (theirs.covered[idx], ours.covered[idx])
            && theirs != ours.is_some()
        {
            println!("DIFFERENT {}: NuSMV covers it: {theirs}, we: {}", goal.text, ours.is_some());
            n_different += 1;
        }
    }
    n_different
}

/// Asks us about goals, and does not wait much longer than the limit.
fn ask_us(tools: &Tools, text: String, goals: &[Goal]) -> Result<Ours, String> {
    let (sender, receiver) = mpsc::channel();
    let (engine, limit, asked) = (tools.engine, tools.limit, goals.to_vec());
    // If it does not end, it is left to itself until the program ends.
    thread::spawn(move || sender.send(search(engine, limit, &text, &asked)));
    match receiver.recv_timeout(limit + PATIENCE) {
        Ok(ours) => ours,
        Err(RecvTimeoutError::Disconnected) => Err("the engine panicked".into()),
        Err(RecvTimeoutError::Timeout) => {
            println!("we do not end, {} seconds after the limit", PATIENCE.as_secs());
            let covered = vec![None; goals.len()];
            Ok(Ours { seconds: limit.as_secs_f64(), peak: memory::used(), covered })
        }
    }
}

/// Reads a model and its goals, and looks for all of them at once.
fn search(engine: Engine, limit: Duration, text: &str, goals: &[Goal]) -> Result<Ours, String> {
    let before = memory::used();
    let peak = AtomicU64::new(before);
    let allocated = || {
        let used = memory::used();
        peak.fetch_max(used, Ordering::Relaxed);
        used
    };
    let start = Instant::now();
    let (model, targets) = read(text, goals)?;
    // Without a limit nobody asks for the memory.
    let limits = Limits { time: Some(limit), memory: Some(MEMORY), ..Limits::default() };
    let budget = Budget::new(limits).with_memory(&allocated);
    let reached = (engine.reach)(&model, &targets, &Start::Initial, &budget);
    let seconds = start.elapsed().as_secs_f64();
    let covered = reached.verdicts.iter().map(|verdict| match verdict {
        Verdict::Reached { state, .. } => Some(Some(*state)),
        Verdict::Unreachable(_) => Some(None),
        Verdict::Unknown(_) => None,
    });
    Ok(Ours { seconds, peak: peak.load(Ordering::Relaxed) - before, covered: covered.collect() })
}

fn read(text: &str, goals: &[Goal]) -> Result<(trapline_model::Model, Vec<Target>), String> {
    let mut sources = Sources::new();
    let mut files: Vec<SourceFile> = Vec::new();
    for text in std::iter::once(text).chain(goals.iter().map(|goal| goal.text.as_str())) {
        files.push(sources.add("goals", text).map_err(|_| "too large")?.clone());
    }
    let mut diagnostics = Diagnostics::new();
    let input = Input { expressions: &files[1..], ..Input::new(&files[0]) };
    let output = smv::read(&input, &mut diagnostics);
    if !diagnostics.has_errors() {
        let options = wellformed::Options { strict: true };
        wellformed::check(&output.model, options, &Budget::unlimited(), &mut diagnostics);
    }
    if diagnostics.has_errors() {
        return Err(format!("the model is wrong: {:?}", diagnostics.list()));
    }
    let pairs = goals.iter().zip(output.expressions);
    let targets = pairs.map(|(goal, expr)| match goal.is_step {
        true => Target::Step(expr),
        false => Target::State(expr),
    });
    Ok((output.model, targets.collect()))
}
