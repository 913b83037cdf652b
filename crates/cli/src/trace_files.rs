//! Writing traces in the formats of other programs.
//!
//! Where a format holds one trace a file, the first goes to the file that `-o` names, and the
//! others to files with a number before the ending: `trace.vcd`, `trace-2.vcd`, `trace-3.vcd`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValue;
use trapline_report::formats::trace::{FORMATS, Format, Writer};
use trapline_suite::titled::Traces;

use crate::context::Context;
use crate::failure::Failure;

/// The formats as values of an option.
pub fn formats() -> impl Iterator<Item = PossibleValue> {
    FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.about))
}

/// The format with this name.
pub fn format(name: &str) -> Result<&'static Format, Failure> {
    let format = FORMATS.iter().find(|format| format.name == name);
    format.ok_or_else(|| Failure::Bug(format!("no format `{name}`")))
}

/// Writes traces where the user wants them.
pub fn write(format: &Format, traces: &Traces<'_>, context: &Context) -> Result<(), Failure> {
    let write = match format.writer {
        Writer::All(write) => return context.write(&write(traces)),
        Writer::Each(write) => write,
    };
    match (traces.list.as_slice(), &context.output) {
        ([], _) => {
            context.terminal.note("there is no trace to write");
            Ok(())
        }
        ([one], _) => context.write(&write(traces, one)),
        (several, None) => Err(refuse(format, several.len())),
        (several, Some(path)) => {
            let numbers = 1..=several.len();
            let paths: Vec<PathBuf> =
                numbers.map(|number| numbered(path, format.ending, number)).collect();
            // Either all of them can be written, or none is.
            let outputs: Vec<_> =
                paths.iter().map(|path| context.open(path)).collect::<Result<_, _>>()?;
            for ((titled, path), mut output) in several.iter().zip(paths).zip(outputs) {
                output.write(&write(traces, titled))?;
                output.finish()?;
                context.terminal.note(&format!("{}: {}", path.display(), titled.title));
            }
            Ok(())
        }
    }
}

fn refuse(format: &Format, n_traces: usize) -> Failure {
    let Format { name, .. } = format;
    Failure::refused(format!("there are {n_traces} traces, and {name} holds one"))
        .help("pass -o FILE: each trace goes to a file of its own, with a number before its ending")
}

/// The file for the trace with this number, counted from 1.
fn numbered(path: &Path, ending: &str, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_path_buf();
    }
    let name = path.file_name().unwrap_or_default();
    let text = name.to_string_lossy();
    let split = match text.strip_suffix(ending) {
        Some(stem) if !stem.is_empty() => stem.len(),
        _ => text.rfind('.').filter(|dot| *dot > 0).unwrap_or(text.len()),
    };
    let (stem, ending) = text.split_at(split);
    path.with_file_name(OsString::from(format!("{stem}-{number}{ending}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_stands_before_the_ending() {
        let name = |path: &str, number| {
            numbered(Path::new(path), ".itf.json", number).display().to_string()
        };
        assert_eq!(name("a/t.itf.json", 1), "a/t.itf.json");
        assert_eq!(name("a/t.itf.json", 2), "a/t-2.itf.json");
        assert_eq!(name("a.b/t.x.json", 3), "a.b/t.x-3.json");
        assert_eq!(name("a.b/t", 4), "a.b/t-4");
        assert_eq!(name(".hidden", 5), ".hidden-5");
        assert_eq!(name(".itf.json", 6), ".itf-6.json");
    }
}
