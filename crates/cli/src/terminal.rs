//! The terminal: the only file that writes to it or asks it.

use std::fs::{self, File};
use std::io::{self, BufRead, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use clap::ColorChoice;
use codespan_reporting::diagnostic::Diagnostic as Message;
use codespan_reporting::term::{self, Config, termcolor};
use termcolor::WriteColor;
use trapline_source::{Diagnostic, Diagnostics, Severity, Sources};

use crate::args::Global;
use crate::deadline;
use crate::excerpt::{self, Excerpts, clean};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paint::Paint;

/// What the user types in one go is not longer than this.
const MAX_LINE: u64 = 1 << 16;

/// How the user wants to be talked to.
#[derive(Debug)]
pub struct Terminal {
    color: ColorChoice,
    verbosity: Verbosity,
}

/// How much to say on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

/// Where a result goes.
pub struct Output {
    writer: Box<dyn Write>,
    name: String,
    /// The file that it is written to until it is whole, and the one that it is then.
    new: Option<(PathBuf, PathBuf)>,
    /// Its colours.
    pub paint: Paint,
    /// Maximum line width, if the output is a terminal.
    pub width: Option<usize>,
}

/// Says that there is a bug; works without knowing what the user wants.
pub fn report_bug(text: &str) {
    let version = env!("CARGO_PKG_VERSION");
    let report = format!(
        "trapline {version} has a bug: {}\nplease report it, with the model and the command line\n",
        clean(text)
    );
    say(&report);
}

/// Says why the process ends before its time; allocates nothing.
pub fn report_end(what: &str, help: &str) {
    ["error: ", what, "\n  = help: ", help, "\n"].into_iter().for_each(say);
}

/// Shows what clap has to say: help, the version, or what is wrong with the command line.
pub fn show_usage(error: &clap::Error) -> Exit {
    // A reader that has gone away needs no help.
    let _ = error.print();
    if error.use_stderr() { Exit::BadInput } else { Exit::Done }
}

impl Terminal {
    /// As the options say.
    pub fn new(global: &Global) -> Terminal {
        let verbosity = match (global.quiet, global.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        };
        Terminal { color: global.color, verbosity }
    }

    /// Shows findings with excerpts of the source, and how many there are.
    pub fn report(&self, sources: &Sources, diagnostics: &Diagnostics) {
        let mut sorted = diagnostics.clone();
        sorted.sort_by_place();
        let shown: Vec<&Diagnostic> = sorted.list().iter().filter(|d| self.is_shown(d)).collect();
        if shown.is_empty() {
            return;
        }
        let writer = termcolor::BufferWriter::stderr(self.stderr_color());
        let mut buffer = writer.buffer();
        for diagnostic in shown {
            emit(&mut buffer, sources, diagnostic);
        }
        let _ = writeln!(buffer, "{}", summary(diagnostics));
        let _ = writer.print(&buffer);
    }

    /// Shows one finding and more about it.
    pub fn explain(&self, sources: &Sources, diagnostic: &Diagnostic, more: &str) {
        if !self.is_shown(diagnostic) {
            return;
        }
        let writer = termcolor::BufferWriter::stderr(self.stderr_color());
        let mut buffer = writer.buffer();
        emit(&mut buffer, sources, diagnostic);
        let _ = buffer.write_all(more.as_bytes());
        let _ = writer.print(&buffer);
    }

    /// Says what went wrong where no source text is to blame.
    pub fn error(&self, message: &str, help: Option<&str>) {
        let mut error = Message::error().with_message(clean(message));
        if let Some(help) = help {
            error = error.with_note(format!("help: {}", clean(help)));
        }
        let writer = termcolor::BufferWriter::stderr(self.stderr_color());
        let mut buffer = writer.buffer();
        let files = Excerpts::default();
        let _ = term::emit_to_write_style(&mut buffer, &Config::default(), &files, &error);
        let _ = writer.print(&buffer);
    }

    /// Says something worth knowing.
    pub fn note(&self, text: &str) {
        if self.verbosity > Verbosity::Quiet {
            say(&format!("note: {}\n", clean(text)));
        }
    }

    /// Says how all ended.
    pub fn summary(&self, text: &str) {
        if self.verbosity > Verbosity::Quiet {
            say(&format!("{}\n", clean(text)));
        }
    }

    /// True if progress should be shown.
    pub fn shows_progress(&self) -> bool {
        self.verbosity > Verbosity::Quiet && io::stderr().is_terminal() && !is_dumb()
    }

    /// Replaces the last progress text, on one line.
    pub fn show_progress(&self, text: &str) {
        let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| width.0);
        let text: String = text.chars().take(usize::from(width).saturating_sub(1)).collect();
        say(&format!("\r\x1b[K{text}"));
    }

    /// Shows a detail in verbose mode.
    pub fn detail(&self, text: &str) {
        if self.verbosity == Verbosity::Verbose {
            say(&format!("{}\n", clean(text)));
        }
    }

    /// Opens a file for a result, or standard output.
    pub fn output(&self, path: Option<&Path>) -> Result<Output, Failure> {
        let Some(path) = path else {
            let paint = self.paint(io::stdout().is_terminal());
            let writer = Box::new(BufWriter::new(io::stdout()));
            let width = terminal_size::terminal_size_of(io::stdout());
            let width = width.map(|(width, _)| usize::from(width.0)).filter(|_| !self.is_verbose());
            let name = "standard output".into();
            return Ok(Output { writer, name, new: None, paint, width });
        };
        let name = path.display().to_string();
        // What is no plain file, such as a pipe, can't be replaced.
        let is_plain = path.metadata().map_or(true, |about| about.is_file() && !path.is_symlink());
        let new = is_plain.then(|| (beside(path), path.to_path_buf()));
        match File::create(new.as_ref().map_or(path, |(new, _)| new)) {
            Ok(file) => {
                let writer = Box::new(BufWriter::new(file));
                Ok(Output { writer, name, new, paint: self.paint(false), width: None })
            }
            Err(error) => Err(Failure::Io { action: "write", path: name, error }),
        }
    }

    /// Asks for a line; `None` at the end of the input. A line that was not typed on a terminal
    /// is repeated, so that what was printed can be read.
    pub fn ask(&self, prompt: &str, output: &mut Output) -> Result<Option<String>, Failure> {
        output.write(prompt)?;
        output.flush()?;
        let mut bytes = Vec::new();
        let line = match io::stdin().lock().take(MAX_LINE).read_until(b'\n', &mut bytes) {
            Ok(n_bytes) if n_bytes > 0 => String::from_utf8_lossy(&bytes).trim().to_string(),
            _ => {
                output.write("\n")?;
                return Ok(None);
            }
        };
        if !io::stdin().is_terminal() {
            output.write(&format!("{}\n", clean(&line)))?;
        }
        Ok(Some(line))
    }

    /// The colours of messages.
    pub fn message_paint(&self) -> Paint {
        self.paint(io::stderr().is_terminal())
    }

    /// Does the user want to know more?
    pub fn is_verbose(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    fn is_shown(&self, diagnostic: &Diagnostic) -> bool {
        diagnostic.severity == Severity::Error || self.verbosity > Verbosity::Quiet
    }

    fn paint(&self, is_terminal: bool) -> Paint {
        let is_on = match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => is_terminal && may_color(),
        };
        if is_on { Paint::Ansi } else { Paint::Plain }
    }

    fn stderr_color(&self) -> termcolor::ColorChoice {
        match self.message_paint() {
            Paint::Ansi => termcolor::ColorChoice::Always,
            Paint::Plain => termcolor::ColorChoice::Never,
        }
    }
}

impl Output {
    /// Writes text.
    pub fn write(&mut self, text: &str) -> Result<(), Failure> {
        deadline::tell();
        let result = self.writer.write_all(text.as_bytes());
        self.check(result)
    }

    /// Brings everything to where it goes.
    pub fn flush(&mut self) -> Result<(), Failure> {
        let result = self.writer.flush();
        self.check(result)
    }

    /// The end; what can't be written shows here at the latest.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.flush()?;
        match self.new.take() {
            Some((new, path)) => self.check(fs::rename(new, path)),
            None => Ok(()),
        }
    }

    fn check(&self, result: io::Result<()>) -> Result<(), Failure> {
        result.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::Io { action: "write", path: self.name.clone(), error },
        })
    }
}

/// A sibling file with another name.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".new");
    PathBuf::from(name)
}

impl Drop for Output {
    /// What is not finished is not left lying about.
    fn drop(&mut self) {
        if let Some((new, _)) = self.new.take() {
            let _ = fs::remove_file(new);
        }
    }
}

/// Writes to standard error; if that is closed, errors are ignored.
fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

fn may_color() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_set("NO_COLOR") && !is_dumb()
}

/// A terminal that takes no escape sequences.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Writes a finding with its excerpt to memory.
fn emit(buffer: &mut termcolor::Buffer, sources: &Sources, diagnostic: &Diagnostic) {
    let (excerpts, diagnostic) = excerpt::excerpt(sources, diagnostic);
    let config = Config::default();
    // Writing to memory can't fail, and a wrong excerpt is no reason to lose the message.
    if term::emit_to_write_style(buffer, &config, &excerpts, &diagnostic).is_err() {
        let _ = buffer.reset();
        let _ = writeln!(buffer, "{}", diagnostic.message);
    }
}

fn summary(diagnostics: &Diagnostics) -> String {
    let count = |n: usize, noun: &str| match n {
        0 => None,
        1 => Some(format!("1 {noun}")),
        _ => Some(format!("{n} {noun}s")),
    };
    let (n_errors, n_warnings) = (diagnostics.n_errors(), diagnostics.n_warnings());
    let parts: Vec<String> =
        [count(n_errors, "error"), count(n_warnings, "warning")].into_iter().flatten().collect();
    let mut text = parts.join(", ");
    if n_errors.max(n_warnings) > Diagnostics::LIMIT {
        text += &format!("; only the first {} are shown", Diagnostics::LIMIT);
    }
    text
}
