//! Third-party models: we accept what NuSMV accepts, reject what it rejects, agree with its verdicts,
//! and our flat text is equivalent.

use std::fs;
use std::path::{Path, PathBuf};
use trapline_lang::smv;

use serde_json::Value;

use crate::nusmv::{Answer, Nusmv, Task};
use crate::reading::{self, How, Reading};
use crate::{Args, parallel, sal, verdicts};

/// Models that we accept on purpose, with the reason.
const GENEROUS: &[(&str, &str)] =
    &[("xgillard-pynusmv__diag_testbench__models__originals__rwgs.smv", "0 and 1 as Booleans")];

/// Runs everything; `false` when something differs.
///
/// # Errors
/// When a file can't be read or NuSMV can't be run.
pub fn run(args: &Args) -> Result<bool, String> {
    let n_unread = load(args)?;
    let n_accepted = rejected(args)?;
    let n_different = verdicts::compare(args)?;
    let n_unlike = sal::corpus::run(args)?;
    let n_changed = if args.convert { convert(args)? } else { 0 };
    println!(
        "\n{n_unread} models not read, {n_accepted} models accepted by mistake, \
         {n_different} other verdicts, {n_unlike} other verdicts than SAL's, {n_changed} flat texts with \
         other verdicts"
    );
    Ok(n_unread + n_accepted + n_different + n_unlike + n_changed == 0)
}

/// Reads everything under `smv` and `hard`; how many models are rejected?
fn load(args: &Args) -> Result<usize, String> {
    let mut n_unread = 0;
    let mut n_read = 0;
    for folder in ["smv", "hard"] {
        for path in models(&args.dir.join(folder))? {
            let reading = read(&path, args.how)?;
            n_read += 1;
            if let Some(error) = reading.error() {
                n_unread += 1;
                let line = reading.line(error);
                println!("{}:{line}: {} [{}]", path.display(), error.message, error.code);
            }
        }
    }
    println!("{} of {n_read} models read", n_read - n_unread);
    Ok(n_unread)
}

/// Reads everything under `rejected`; how many models are accepted?
fn rejected(args: &Args) -> Result<usize, String> {
    let folder = args.dir.join("rejected");
    let errors = json(&folder.join("errors.json"))?;
    let mut n_accepted = 0;
    println!("\nrejected (a star marks another line):");
    for path in models(&folder)? {
        let name = file_name(&path);
        let nusmv = &errors[&name];
        let reading = read(&path, args.how)?;
        println!("  {name}");
        println!("    NuSMV {:>4}  {}", nusmv["line"], nusmv["nusmv"].as_str().unwrap_or("?"));
        match reading.error() {
            Some(error) => {
                let line = reading.line(error);
                let mark = if nusmv["line"].as_u64() == Some(line as u64) { ' ' } else { '*' };
                println!("    ours  {line:>4}{mark} {} [{}]", error.message, error.code);
            }
            None => match GENEROUS.iter().find(|(generous, _)| *generous == name) {
                Some((_, why)) if !args.how.strict => println!("    accepted on purpose: {why}"),
                _ => {
                    n_accepted += 1;
                    println!("    ACCEPTED");
                }
            },
        }
    }
    Ok(n_accepted)
}

/// A model and what NuSMV said of it.
struct Job {
    path: PathBuf,
    options: Vec<String>,
    verdicts: Vec<(String, String)>,
}

/// Compares the verdicts of flat texts; how many models differ?
fn convert(args: &Args) -> Result<usize, String> {
    let nusmv = args.nusmv()?;
    let mut jobs = Vec::new();
    for folder in ["smv", "hard"] {
        let verdicts = json(&args.dir.join(folder).join("verdicts.json"))?;
        for path in models(&args.dir.join(folder))? {
            let known = &verdicts[&file_name(&path)];
            let Some(properties) = known["properties"].as_array() else { continue };
            let options = known["options"].as_array().into_iter().flatten();
            let options = options.filter_map(Value::as_str).map(str::to_string).collect();
            let text = |value: &Value| value.as_str().unwrap_or("?").to_string();
            let verdicts = properties.iter().map(|p| (text(&p["kind"]), text(&p["verdict"])));
            jobs.push(Job { path, options, verdicts: verdicts.collect() });
        }
    }
    println!("\nflat texts:");
    let differences = parallel::map(&jobs, |_, job| convert_one(&nusmv, job, args.how));
    nusmv.clean_up();
    let mut n_different = 0;
    for (job, difference) in jobs.iter().zip(differences) {
        if let Some(difference) = difference? {
            n_different += 1;
            println!("  {}: {difference}", job.path.display());
        }
    }
    println!("{} of {} flat texts keep every verdict", jobs.len() - n_different, jobs.len());
    Ok(n_different)
}

fn convert_one(nusmv: &Nusmv, job: &Job, how: How) -> Result<Option<String>, String> {
    let reading = read(&job.path, how)?;
    if !reading.is_accepted() {
        return Ok(Some("not read".into()));
    }
    let text = smv::print::flat(&reading.model);
    let task = Task {
        name: &file_name(&job.path),
        text: text.as_bytes(),
        n_properties: job.verdicts.len(),
        options: &job.options,
    };
    let answer = nusmv.check(task).map_err(|e| e.to_string())?;
    Ok(difference(&job.verdicts, &answer))
}

/// What is different, in words; a verdict that NuSMV did not reach counts as none.
pub fn difference(expected: &[(String, String)], answer: &Answer) -> Option<String> {
    if answer.timed_out {
        return Some("time ran out".into());
    }
    if expected.len() != answer.verdicts.len() {
        let errors = answer.errors.join(" / ");
        return Some(format!(
            "{} properties instead of {}: {errors}",
            answer.verdicts.len(),
            expected.len()
        ));
    }
    let pairs = expected.iter().zip(&answer.verdicts).enumerate();
    let wrong: Vec<String> = pairs
        .filter(|(_, ((_, expected), (_, verdict)))| expected != verdict)
        .map(|(idx, (expected, verdict))| {
            format!("property {idx} ({}) is {}, not {}", expected.0, verdict.1, expected.1)
        })
        .collect();
    (!wrong.is_empty()).then(|| format!("{} {}", wrong.join(", "), answer.errors.join(" / ")))
}

pub fn models(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "smv"))
        .collect();
    paths.sort();
    Ok(paths)
}

pub fn read(path: &Path, how: How) -> Result<Reading, String> {
    let bytes = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(reading::read(&path.to_string_lossy(), &String::from_utf8_lossy(&bytes), how))
}

/// A JSON file.
///
/// # Errors
/// When it can't be read.
pub fn json(path: &Path) -> Result<Value, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
