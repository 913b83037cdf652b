//! What the documentation shows is what happens: each page is a test.
//!
//! A page's commands run in a fresh folder beside copies of `examples` and `adapters`. The info string of a fenced block
//! says what it is:
//!
//! ```text
//! ```smv pump.smv      a file that the commands after it find
//! ```sh                commands; those of other programs are skipped
//! ```sh slow           the same, with a time limit of a second each: unoptimised they take minutes
//! ```text output       what the commands before it write to standard output
//! ```text terminal     the same, each followed by what it writes to standard error
//! ```c tests.c written what they write to this file
//! ```
//!
//! A line `...` in an output stands for any number of lines. `<!-- files: goals.md -->` adds the files of
//! another page. `UPDATE=1 cargo test` rewrites outputs without `...`.

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};

use crate::case::Mode;
use crate::command::{self, Command, Run};
use crate::{expectation, process, root};

/// Where pages are.
const PLACES: [&str; 5] =
    ["README.md", "docs/manual", "docs/manual/criteria", "examples", "examples/safety-injection"];

/// The first words of commands that are not ours to run here.
const OTHERS: [&str; 5] = ["NuSMV", "pytest", "python3", "cargo", "scripts/test"];

/// What a line of a README says instead of `trapline`.
const FROM_SOURCE: &str = "cargo run --release -- ";

/// Every page, as a test.
pub fn all(mode: Mode) -> Vec<Trial> {
    let trial = |page: PathBuf| {
        let name = page.strip_prefix(root()).unwrap_or(&page).display().to_string();
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documentation").join(&name);
        let test = move || check(&page, &place, mode).map_err(Failed::from);
        Trial::test(format!("documentation/{name}"), test)
    };
    pages().into_iter().map(trial).collect()
}

fn pages() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for place in PLACES.map(|place| root().join(place)) {
        let entries = fs::read_dir(&place).into_iter().flatten().flatten();
        let below = entries.map(|entry| match entry.path().is_dir() {
            true => entry.path().join("README.md"),
            false => entry.path(),
        });
        let found = below.chain([place]).filter(|path| path.extension() == Some("md".as_ref()));
        pages.extend(found.filter(|path| path.is_file()));
    }
    pages.sort();
    pages.dedup();
    pages
}

/// A fenced block of a page.
struct Block {
    kind: Kind,
    content: String,
    /// The lines of the content, counted from 0.
    lines: std::ops::Range<usize>,
}

#[derive(PartialEq, Eq)]
enum Kind {
    /// With the arguments that all of them get.
    Commands(&'static str),
    Output,
    Terminal,
    Written(String),
    File(String),
    Other,
}

fn check(page: &Path, place: &Path, mode: Mode) -> Result<(), String> {
    let text = read(page)?;
    let blocks = blocks(&text);
    if !blocks.iter().any(|block| matches!(block.kind, Kind::Commands(_))) {
        return Ok(());
    }
    prepare(page, &text, place)?;
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    let mut problems = Vec::new();
    let mut printed: Option<Printed> = None;
    let mut outputs = Vec::new();
    for block in &blocks {
        match &block.kind {
            Kind::Commands(more) => {
                finish(printed.take(), &mut problems);
                printed = Some(run(&block.content, more, place)?);
            }
            Kind::Output | Kind::Terminal => match printed.take() {
                Some(printed) if block.kind == Kind::Output => {
                    outputs.push((block, printed.stdout))
                }
                Some(printed) => outputs.push((block, printed.terminal)),
                None => {
                    problems.push(format!("line {}: no command prints this", block.lines.start))
                }
            },
            Kind::Written(name) => outputs.push((block, read(&place.join(name))?)),
            Kind::File(name) => write(place, name, &block.content)?,
            Kind::Other => {}
        }
    }
    finish(printed, &mut problems);
    // From the end, so that what an update adds moves nothing that is still to come.
    for (block, actual) in outputs.into_iter().rev() {
        let (expected, comparable) = (steady(&block.content), steady(&actual));
        if matches(&expected, &comparable) {
            continue;
        }
        if mode == Mode::Update && !has_gap(&expected) {
            lines.splice(block.lines.clone(), actual.lines().map(String::from));
        } else {
            let diff = expectation::diff(&expected, &comparable);
            problems.push(format!("line {}: - shown, + actual\n{diff}", block.lines.start));
        }
    }
    if mode == Mode::Update {
        fs::write(page, lines.join("\n") + "\n").map_err(|error| error.to_string())?;
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// A text without what differs from run to run.
fn steady(text: &str) -> String {
    expectation::without_work(&expectation::without_times(text))
}

/// What the commands of a block printed.
#[derive(Default)]
struct Printed {
    stdout: String,
    terminal: String,
    /// The commands that were refused.
    refused: Vec<String>,
}

/// A command may be refused only where its message is shown.
fn finish(printed: Option<Printed>, problems: &mut Vec<String>) {
    problems.extend(printed.into_iter().flat_map(|printed| printed.refused));
}

fn run(commands: &str, more: &str, place: &Path) -> Result<Printed, String> {
    let mut printed = Printed::default();
    for line in commands.replace("\\\n", " ").lines() {
        let line = line.split("  #").next().unwrap_or_default().trim();
        let line = line.replace(FROM_SOURCE, "trapline ");
        let first = line.split(' ').find(|word| !word.contains('=')).unwrap_or_default();
        if line.is_empty() || OTHERS.contains(&first) {
            continue;
        }
        let Some((_, Command::Run(run))) = command::parse(&(line.clone() + more))?.pop() else {
            return Err(format!("`{line}` is no command of trapline"));
        };
        let outcome = run_one(&run, place).map_err(|why| format!("{line}\n{why}"))?;
        printed.stdout += &outcome.stdout;
        printed.terminal += &format!("{}{}", outcome.stdout, outcome.stderr);
        if outcome.exit == Some(2) {
            printed.refused.push(format!("{line}\n{}", outcome.stderr));
        }
    }
    Ok(printed)
}

fn run_one(run: &Run, place: &Path) -> Result<process::Outcome, String> {
    let outcome = process::run(run, place)?;
    match outcome.exit {
        Some(0..=3) => Ok(outcome),
        other => Err(format!("trapline ended with {other:?}\n{}", outcome.stderr)),
    }
}

/// A fresh folder with the examples and adapters, and with the files of the pages that this one names.
fn prepare(page: &Path, text: &str, place: &Path) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", place.display());
    if place.exists() {
        fs::remove_dir_all(place).map_err(wrong)?;
    }
    for name in ["examples", "adapters"] {
        copy(&root().join(name), &place.join(name)).map_err(wrong)?;
    }
    for rest in text.split("<!-- files: ").skip(1) {
        let name = rest.split(" -->").next().unwrap_or_default();
        for block in blocks(&read(&page.with_file_name(name))?) {
            if let Kind::File(name) = &block.kind {
                write(place, name, &block.content)?;
            }
        }
    }
    Ok(())
}

fn write(place: &Path, name: &str, content: &str) -> Result<(), String> {
    fs::write(place.join(name), content).map_err(|error| format!("{name}: {error}"))
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        match path.is_dir() {
            true => copy(&path, &to.join(name))?,
            false => drop(fs::copy(&path, to.join(name))?),
        }
    }
    Ok(())
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    for (idx, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(_) if is_open => is_open = false,
            Some(info) => {
                is_open = true;
                let words: Vec<&str> = info.split(' ').collect();
                let kind = match words.as_slice() {
                    ["sh"] => Kind::Commands(""),
                    ["sh", "slow"] => Kind::Commands(" --timeout 1"),
                    [_, "output"] => Kind::Output,
                    [_, "terminal"] => Kind::Terminal,
                    [_, name, "written"] => Kind::Written(name.to_string()),
                    [_, name] => Kind::File(name.to_string()),
                    _ => Kind::Other,
                };
                blocks.push(Block { kind, content: String::new(), lines: idx + 1..idx + 1 });
            }
            None => {
                if let (true, Some(block)) = (is_open, blocks.last_mut()) {
                    block.content += &format!("{line}\n");
                    block.lines.end = idx + 1;
                }
            }
        }
    }
    blocks
}

fn has_gap(expected: &str) -> bool {
    expected.lines().any(|line| line == "...")
}

/// True if a text is as shown, with lines for each `...`.
fn matches(expected: &str, actual: &str) -> bool {
    if !has_gap(expected) {
        return expected == actual;
    }
    let expected: Vec<&str> = expected.lines().collect();
    let actual: Vec<&str> = actual.lines().collect();
    let pieces: Vec<&[&str]> = expected.split(|line| *line == "...").collect();
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return false };
    let (true, true) = (actual.starts_with(first), actual.len() >= first.len() + last.len()) else {
        return false;
    };
    let (mut middle, end) = actual[first.len()..].split_at(actual.len() - first.len() - last.len());
    for piece in &pieces[1..pieces.len() - 1] {
        let Some(at) = position(middle, piece) else { return false };
        middle = &middle[at + piece.len()..];
    }
    end == *last
}

fn position(lines: &[&str], piece: &[&str]) -> Option<usize> {
    (0..=lines.len().checked_sub(piece.len())?).find(|&at| lines[at..].starts_with(piece))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
