//! One case: a folder with inputs, commands and expectations.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};

use crate::command::{self, Command, Run};
use crate::process::Outcome;
use crate::{expectation, generated, page, process, xml};

/// What belongs to the runner, and not to the commands.
const OWN_FILES: [&str; 4] = ["README.md", "cmd", "expected", "gen"];

/// What stands for a picture, whose bytes do not matter.
const PICTURE: &str = "[a picture]\n";

/// What to do with expectations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Compare with them.
    Compare,
    /// Rewrite them.
    Update,
}

impl Mode {
    /// What the user asks for.
    pub fn from_environment() -> Mode {
        match std::env::var_os("UPDATE").is_some_and(|value| value != "0") {
            true => Mode::Update,
            false => Mode::Compare,
        }
    }
}

/// Every case below a folder, as a test.
pub fn all(root: &Path, mode: Mode) -> Vec<Trial> {
    cases_below(root)
        .into_iter()
        .map(|case| {
            let name = case.strip_prefix(root).unwrap_or(&case).display().to_string();
            let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cases").join(&name);
            Trial::test(name, move || check(&case, &place, mode).map_err(Failed::from))
        })
        .collect()
}

/// Runs a case at a place that is emptied before.
pub fn check(case: &Path, place: &Path, mode: Mode) -> Result<(), String> {
    check_readme(&read(&case.join("README.md"))?)?;
    let commands = command::parse(&read(&case.join("cmd"))?)?;
    prepare(case, place)?;
    let actual = run_all(&commands, place)?;
    let expected = case.join("expected");
    match mode {
        Mode::Update => fs::write(&expected, actual).map_err(|e| format!("expected: {e}")),
        Mode::Compare => {
            let help = "UPDATE=1 cargo test writes it";
            let text = read(&expected).map_err(|why| format!("{why}; {help}"))?;
            expectation::compare(&text, &actual)
        }
    }
}

fn check_readme(text: &str) -> Result<(), String> {
    let text = text.trim();
    let is_sentence = text.ends_with('.') && !text.contains('\n');
    if is_sentence { Ok(()) } else { Err("README.md: expected one sentence on one line".into()) }
}

/// Copies and makes the inputs.
fn prepare(case: &Path, place: &Path) -> Result<(), String> {
    if place.exists() {
        fs::remove_dir_all(place).map_err(|e| format!("{}: {e}", place.display()))?;
    }
    fs::create_dir_all(place).map_err(|e| format!("{}: {e}", place.display()))?;
    for (name, bytes) in files(case)? {
        if !OWN_FILES.contains(&name.as_str()) {
            fs::write(place.join(&name), bytes).map_err(|e| format!("{name}: {e}"))?;
        }
    }
    let recipes = case.join("gen");
    if recipes.exists() { generated::write_all(&read(&recipes)?, place) } else { Ok(()) }
}

fn run_all(commands: &[(String, Command)], place: &Path) -> Result<String, String> {
    let mut text = String::new();
    let mut known = files(place)?;
    for (line, command) in commands {
        match command {
            Command::Same(one, other) => {
                let load =
                    |name: &str| fs::read(place.join(name)).map_err(|e| format!("{name}: {e}"));
                if load(one)? != load(other)? {
                    let (one, other) = (read(&place.join(one))?, read(&place.join(other))?);
                    return Err(format!("{line}\n{}", expectation::diff(&one, &other)));
                }
                text += &format!("$ {line}\n");
            }
            Command::Run(run) => {
                let mut outcome = process::run(run, place).map_err(|e| format!("{line}\n{e}"))?;
                check_outcome(run, &outcome)
                    .map_err(|why| format!("{why}\n{}", expectation::show(line, &outcome)))?;
                if run.is_picture {
                    outcome.stdout = PICTURE.into();
                }
                if outcome.stdout.starts_with(page::START) {
                    outcome.stdout = page::data(&outcome.stdout)?;
                }
                text += &expectation::show(line, &outcome);
                let now = files(place)?;
                text += &written(&known, &now)?;
                known = now;
            }
        }
    }
    Ok(text)
}

/// What must hold whatever the case expects, and what its line says.
pub fn check_outcome(run: &Run, outcome: &Outcome) -> Result<(), String> {
    match outcome.exit {
        None => return Err("a signal ended trapline".into()),
        Some(70) => return Err("trapline has a bug".into()),
        Some(_) if outcome.stderr.contains("panicked") => return Err("trapline panicked".into()),
        Some(exit) if exit != run.exit => {
            return Err(format!("trapline ended with {exit}, and {} is expected", run.exit));
        }
        Some(_) => {}
    }
    if run.is_picture {
        xml::check(&outcome.stdout).map_err(|why| format!("the picture is not XML: {why}"))?;
    }
    let wants_json = run.args.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json")
        || run.args.iter().any(|arg| arg == "--format=json");
    let is_dialogue = run.args.iter().any(|arg| arg == "-i" || arg == "--interactive");
    if wants_json && !is_dialogue && !outcome.stdout.is_empty() {
        check_json(&outcome.stdout)?;
    }
    Ok(())
}

fn check_json(text: &str) -> Result<(), String> {
    let json: serde_json::Value =
        serde_json::from_str(text).map_err(|error| format!("the output is not JSON: {error}"))?;
    // Other formats than our own say what they are in their own way.
    match json["format"].as_str().or(json["#meta"]["format"].as_str()) {
        Some(format) if format.starts_with("trapline-") || format == "ITF" => Ok(()),
        _ => Err("the JSON document does not say its format".into()),
    }
}

/// The files that a command wrote.
fn written(
    before: &BTreeMap<String, Vec<u8>>,
    now: &BTreeMap<String, Vec<u8>>,
) -> Result<String, String> {
    let mut text = String::new();
    for (name, bytes) in now.iter().filter(|(name, bytes)| before.get(*name) != Some(bytes)) {
        let content = String::from_utf8_lossy(bytes);
        if name.ends_with(".json") {
            check_json(&content).map_err(|why| format!("{name}: {why}"))?;
        }
        let is_picture = name.ends_with(".svg");
        if is_picture {
            xml::check(&content).map_err(|why| format!("{name}: the picture is not XML: {why}"))?;
        }
        let twin = before.iter().find(|(_, old)| *old == bytes).map(|(name, _)| name);
        let shown = match twin {
            Some(twin) => format!("[the same as {twin}]\n"),
            None if is_picture => PICTURE.into(),
            None if content.starts_with(page::START) => page::data(&content)?,
            None => content.into_owned(),
        };
        text += &expectation::section(&format!("file {name}"), &shown);
    }
    Ok(text)
}

fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let wrong = |error| format!("{}: {error}", folder.display());
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        if let (true, Some(name)) = (path.is_file(), path.file_name()) {
            files.insert(name.to_string_lossy().into_owned(), fs::read(&path).map_err(wrong)?);
        }
    }
    Ok(files)
}

/// The folders that hold no further folders. One that lacks `cmd` is a case all the same, so that it
/// fails instead of being passed over.
pub fn cases_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    if folders.is_empty() {
        return vec![folder.to_path_buf()];
    }
    folders.iter().flat_map(|folder| cases_below(folder)).collect()
}

fn read(path: &Path) -> Result<String, String> {
    let name = path.file_name().unwrap_or_default().display();
    fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))
}
