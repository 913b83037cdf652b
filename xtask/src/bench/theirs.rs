//! NuSMV as a user runs it: one process that checks all properties of a file and prints
//! counterexamples.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::measure::{self, Run};
use crate::nusmv::{Nusmv, Task};

/// What makes NuSMV list its properties.
const LIST: &str = "read_model\nflatten_hierarchy\nshow_property\nquit\n";

/// How long the script that starts NuSMV may take, which installs it the first time.
const PATIENCE: Duration = Duration::from_secs(120);

/// The program itself, without the script around it, whose start would count as NuSMV's time.
pub struct Program {
    path: PathBuf,
    environment: Vec<(String, String)>,
}

/// The kind of a property, as far as the verdict's line shows it, and its text.
pub type Property = (&'static str, String);

/// Finds the program that a script becomes.
///
/// # Errors
/// When the script fails.
pub fn find(script: &Path) -> Result<Program, String> {
    let failed = |e: io::Error| format!("{}: {e}", script.display());
    let mut command = Command::new(script);
    command.arg("-int").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    let start = Instant::now();
    let mut found = None;
    while found.is_none()
        && start.elapsed() < PATIENCE
        && child.try_wait().is_ok_and(|s| s.is_none())
    {
        thread::sleep(Duration::from_millis(5));
        found = program_of(child.id());
    }
    child.kill().map_err(failed)?;
    child.wait().map_err(failed)?;
    found.ok_or_else(|| format!("{} does not become NuSMV", script.display()))
}

/// What a process runs, if that is NuSMV.
fn program_of(process: u32) -> Option<Program> {
    let path = fs::read_link(format!("/proc/{process}/exe")).ok()?;
    let is_nusmv = path.file_name()?.to_string_lossy().to_lowercase().starts_with("nusmv");
    let environment = fs::read(format!("/proc/{process}/environ")).ok()?;
    let pairs = environment.split(|byte| *byte == 0).filter_map(|pair| {
        let (name, value) = std::str::from_utf8(pair).ok()?.split_once('=')?;
        ["PATH", "LD_LIBRARY_PATH"].contains(&name).then(|| (name.into(), value.into()))
    });
    let environment: Vec<_> = pairs.collect();
    // A process that has just become another has no environment yet.
    (is_nusmv && !environment.is_empty()).then_some(Program { path, environment })
}

impl Program {
    /// Checks a file.
    ///
    /// # Errors
    /// When the program can't be started.
    pub fn run(&self, options: &[&str], model: &Path, limit: Duration) -> io::Result<Run> {
        let dir = model.parent().unwrap_or(Path::new("."));
        let mut command = Command::new(&self.path);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.args(options).arg(model).current_dir(dir);
        measure::run(&mut command, dir, limit)
    }
}

/// The properties of a model in the order of NuSMV's list, which is that of ours.
///
/// # Errors
/// When the program can't be started.
pub fn properties(nusmv: &Nusmv, text: &[u8]) -> io::Result<Vec<Property>> {
    let task = Task { name: "list", text, n_properties: 0, options: &[] };
    let out = nusmv.session(task, LIST)?.out;
    let list = out.rsplit("PROPERTY LIST").next().unwrap_or_default();
    let mut properties = Vec::new();
    let mut text = String::new();
    for line in list.lines() {
        match line.strip_prefix("  [").and_then(|rest| rest.split_whitespace().next()) {
            Some(kind) => {
                let kind = match kind {
                    "Invar" => "invariant",
                    "Quantitative" => "result",
                    _ => "specification",
                };
                properties.push((kind, squeeze(&text)));
                text.clear();
            }
            None => match line.split_once(" :") {
                Some((number, rest)) if is_number(number) => text = rest.into(),
                _ => text = text + " " + line,
            },
        }
    }
    Ok(properties)
}

/// The verdict of each property. NuSMV checks them in an order of its own, so they are found by
/// their text.
pub fn verdicts(out: &str) -> HashMap<Property, String> {
    const STARTS: [(&str, &str); 3] = [
        ("-- specification ", "specification"),
        ("-- invariant ", "invariant"),
        ("-- the result of ", "result"),
    ];
    let mut verdicts = HashMap::new();
    let mut open: Option<(&str, String)> = None;
    for line in out.lines() {
        let start =
            STARTS.iter().find_map(|(start, kind)| Some((*kind, line.strip_prefix(start)?)));
        open = match (start, open) {
            (Some((kind, text)), _) => Some((kind, text.to_string())),
            (None, Some((kind, text))) => Some((kind, text + " " + line)),
            (None, None) => None,
        };
        let end = open.as_ref().and_then(|(kind, text)| {
            let (text, verdict) = text.rsplit_once(" is ")?;
            is_verdict(verdict).then(|| ((*kind, squeeze(text)), verdict.to_string()))
        });
        if let Some((property, verdict)) = end {
            verdicts.insert(property, verdict);
            open = None;
        }
    }
    verdicts
}

/// The text with single spaces, so that it does not matter where lines were broken.
fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_verdict(word: &str) -> bool {
    is_number(word) || ["true", "false", "infinity", "undefined"].contains(&word)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_found_by_their_text() {
        let out = "*** This is NuSMV\n\
                   -- specification AG (p -> AF !p) IN a is true\n\
                   -- specification  G ( F x = 0)  is false\n\
                   -- as demonstrated by the following execution sequence\n  x = 1\n\
                   -- invariant (x < 4 & case\nx = 3 : TRUE;\nesac)  is true\n\
                   -- the result of MIN [ x = 0 , x = 3 ]  is infinity\n";
        let verdicts = verdicts(out);
        let of = |kind, text: &str| verdicts.get(&(kind, text.to_string())).map(String::as_str);
        assert_eq!(verdicts.len(), 4);
        assert_eq!(of("specification", "AG (p -> AF !p) IN a"), Some("true"));
        assert_eq!(of("specification", "G ( F x = 0)"), Some("false"));
        assert_eq!(of("invariant", "(x < 4 & case x = 3 : TRUE; esac)"), Some("true"));
        assert_eq!(of("result", "MIN [ x = 0 , x = 3 ]"), Some("infinity"));
    }
}
