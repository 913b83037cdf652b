//! Reports of a suite, a format a file: all write the same [`Page`].

mod html;
mod junit;
mod markdown;
mod sarif;
#[cfg(test)]
mod tests;

use crate::page::Page;

/// A format that reports are written in.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--format` takes it.
    pub name: &'static str,
    /// What it is, in half a sentence.
    pub about: &'static str,
    /// How its files end.
    pub endings: &'static [&'static str],
    /// Writes the report.
    pub write: fn(&Page) -> String,
}

/// All formats, the usual one first.
pub const FORMATS: &[Format] = &[
    Format {
        name: "html",
        about: "for people: one page that needs no network",
        endings: &[".html", ".htm"],
        write: html::write,
    },
    Format {
        name: "markdown",
        about: "for pull requests: a summary that fits into a comment",
        endings: &[".md", ".markdown"],
        write: markdown::write,
    },
    Format {
        name: "junit",
        about: "for CI: a test case for each goal, and for each test of a run",
        endings: &[".xml"],
        write: junit::write,
    },
    Format {
        name: "sarif",
        about: "for code scanning: what is infeasible or not covered, at its line",
        endings: &[".sarif", ".sarif.json"],
        write: sarif::write,
    },
];
