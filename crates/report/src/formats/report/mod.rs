//! Reports of a suite, a format a file: all write the same [`Page`].

mod html;

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
pub const FORMATS: &[Format] = &[Format {
    name: "html",
    about: "for people: one page that needs no network",
    endings: &[".html", ".htm"],
    write: html::write,
}];
