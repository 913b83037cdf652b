//! NuSMV as an oracle: a model in, the verdicts of its properties out.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// How to run it.
#[derive(Clone, Debug)]
pub struct Nusmv {
    /// The program.
    pub command: PathBuf,
    /// Where models and answers are kept while it runs.
    pub dir: PathBuf,
    /// How long one run may take.
    pub limit: Duration,
}

/// What it said of a model.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Kind and verdict of each property, in the order of its list.
    pub verdicts: Vec<(String, String)>,
    /// What it complained about.
    pub errors: Vec<String>,
    /// Did the time run out?
    pub timed_out: bool,
}

/// What it printed.
#[derive(Clone, Debug)]
pub struct Session {
    /// On standard output.
    pub out: String,
    /// On standard error.
    pub err: String,
    /// Did the time run out?
    pub timed_out: bool,
}

/// A model for it.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The name of its files.
    pub name: &'a str,
    /// Its text; not always UTF-8.
    pub text: &'a [u8],
    /// How many properties it has.
    pub n_properties: usize,
    /// Options on the command line.
    pub options: &'a [String],
}

impl Nusmv {
    /// Removes what it worked with.
    pub fn clean_up(&self) {
        // It lies in the directory for temporary files: no harm if it stays.
        let _ = fs::remove_dir_all(&self.dir);
    }

    /// Reads a model and checks its properties.
    ///
    /// # Errors
    /// When the program can't be started or its files can't be written.
    pub fn check(&self, task: Task<'_>) -> io::Result<Answer> {
        let session = self.session(task, &script(task.n_properties))?;
        Ok(Answer {
            verdicts: verdicts(&session.out),
            errors: errors(&session.err),
            timed_out: session.timed_out,
        })
    }

    /// Reads a model and runs commands.
    ///
    /// # Errors
    /// When the program can't be started or its files can't be written.
    pub fn session(&self, task: Task<'_>, commands: &str) -> io::Result<Session> {
        let path = |ending: &str| self.dir.join(format!("{}.{ending}", task.name));
        fs::write(path("smv"), task.text)?;
        fs::write(path("cmd"), commands)?;
        let child = Command::new(&self.command)
            .args(["-int", "-dcx"])
            .args(task.options)
            .arg(path("smv"))
            .current_dir(&self.dir)
            .stdin(File::open(path("cmd"))?)
            .stdout(File::create(path("out"))?)
            .stderr(File::create(path("err"))?)
            .spawn()?;
        let finished = wait(child, self.limit)?;
        Ok(Session { out: lossy(&path("out"))?, err: lossy(&path("err"))?, timed_out: !finished })
    }
}

/// An error does not end an interactive session, so every property gets its chance.
fn script(n_properties: usize) -> String {
    let mut script = "read_model\nflatten_hierarchy\nencode_variables\nbuild_model\n".to_string();
    for property_idx in 0..n_properties {
        script.push_str(&format!("check_property -n {property_idx}\n"));
    }
    script + "show_property\nquit\n"
}

fn lossy(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}

/// Did it end by itself?
fn wait(mut child: Child, limit: Duration) -> io::Result<bool> {
    let start = Instant::now();
    loop {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(3));
    }
}

/// The lines `[CTL  True  N/A  name]` of the last list.
pub fn verdicts(out: &str) -> Vec<(String, String)> {
    let list = out.rsplit("PROPERTY LIST").next().unwrap_or_default();
    let lines = list.lines().filter_map(|line| line.trim().strip_prefix('['));
    lines
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let kind = match words.next()? {
                "CTL" => "ctl",
                "Quantitative" => "compute",
                "LTL" => "ltl",
                "PSL" => "psl",
                "Invar" => "invar",
                _ => return None,
            };
            let verdict = words.next()?.to_lowercase();
            Some((kind.to_string(), verdict.replace("infinite", "infinity")))
        })
        .collect()
}

fn errors(err: &str) -> Vec<String> {
    let is_noise = |line: &str| {
        line.is_empty()
            || line.starts_with("***")
            || line.starts_with("WARNING")
            || line.starts_with("Warning: in COMPUTE")
            || line.starts_with("Use \"quit\"")
    };
    err.lines().map(str::trim).filter(|line| !is_noise(line)).map(str::to_string).collect()
}
