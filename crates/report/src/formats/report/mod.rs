//! Reports of a suite, a format a file: all write the same [`Page`].

mod html;
mod junit;
mod markdown;
mod sarif;
#[cfg(test)]
mod tests;

use crate::page::Page;

/// What a page may have besides the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// What a run of the suite gave.
    Run,
    /// Every criterion's suite scored against every criterion's goals.
    Comparison,
}

/// A format that reports are written in.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--format` takes it.
    pub name: &'static str,
    /// What it is, in half a sentence.
    pub about: &'static str,
    /// How its files end.
    pub endings: &'static [&'static str],
    /// What it shows besides the suite.
    pub shows: &'static [Extra],
    /// Writes the report.
    pub write: fn(&Page) -> String,
}

/// All formats, the usual one first.
pub const FORMATS: &[Format] = &[
    Format {
        name: "html",
        about: "for people: one self-contained page",
        endings: &[".html", ".htm"],
        shows: &[Extra::Run, Extra::Comparison],
        write: html::write,
    },
    Format {
        name: "markdown",
        about: "for pull requests: a summary that fits into a comment",
        endings: &[".md", ".markdown"],
        shows: &[Extra::Run],
        write: markdown::write,
    },
    Format {
        name: "junit",
        about: "for CI: one test case per goal, and per test of a run",
        endings: &[".xml"],
        shows: &[Extra::Run],
        write: junit::write,
    },
    Format {
        name: "sarif",
        about: "for code scanning: goals that are infeasible or not covered, at their line",
        endings: &[".sarif", ".sarif.json"],
        shows: &[],
        write: sarif::write,
    },
];
