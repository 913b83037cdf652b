//! Traces, for other programs.
//!
//! Each format is a file and a line in [`FORMATS`]. Every variable and definition is written
//! under its full name; what belongs to a step is written with the state that the step leaves.

pub mod csv;
mod itf;
mod itr;
pub mod json;
mod mermaid;
mod nusmv;
mod sal_atg;
mod test_comp;
mod vcd;

use trapline_suite::titled::{Titled, Traces};

/// A format that traces are written in.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--format` takes it.
    pub name: &'static str,
    /// What it is, in half a sentence.
    pub about: &'static str,
    /// How its files end.
    pub ending: &'static str,
    /// What writes it.
    pub writer: Writer,
}

/// What writes traces.
#[derive(Clone, Copy, Debug)]
pub enum Writer {
    /// One text holds all traces.
    All(fn(&Traces<'_>) -> String),
    /// Each trace is a text of its own.
    Each(fn(&Traces<'_>, &Titled<'_>) -> String),
}

/// All formats.
pub const FORMATS: &[Format] = &[
    Format {
        name: "json",
        about: "for programs: trapline-trace/1",
        ending: ".json",
        writer: Writer::All(json::write),
    },
    Format {
        name: "csv",
        about: "a header of names, one row per state, a blank line between traces",
        ending: ".csv",
        writer: Writer::All(csv::write),
    },
    Format {
        name: "itf",
        about: "the Informal Trace Format of Apalache and Quint; one file per trace",
        ending: ".itf.json",
        writer: Writer::Each(itf::write),
    },
    Format {
        name: "vcd",
        about: "a value change dump, for GTKWave and similar viewers; one file per trace",
        ending: ".vcd",
        writer: Writer::Each(vcd::write),
    },
    Format {
        name: "vcd-all",
        about: "one value change dump of all traces, one after the other",
        ending: ".vcd",
        writer: Writer::All(vcd::write_all),
    },
    Format {
        name: "nusmv-xml",
        about: "the format of NuSMV's `read_trace`; one file per trace",
        ending: ".xml",
        writer: Writer::Each(nusmv::write),
    },
    Format {
        name: "itr",
        about: "the Intermediate Trace Representation, as in the SAL-ATG manual",
        ending: ".itr",
        writer: Writer::All(itr::write),
    },
    Format {
        name: "sal-atg",
        about: "the inputs of each step, as sal-atg prints them",
        ending: ".paths",
        writer: Writer::All(sal_atg::write),
    },
    Format {
        name: "sal-atg-full",
        about: "whole states, as sal-atg --fullpath prints them",
        ending: ".full.paths",
        writer: Writer::All(sal_atg::write_full),
    },
    Format {
        name: "mermaid-sequence",
        about: "a Mermaid sequence diagram; one file per trace",
        ending: ".mmd",
        writer: Writer::Each(mermaid::sequence),
    },
    Format {
        name: "mermaid-state",
        about: "a Mermaid state diagram; one file per trace",
        ending: ".mmd",
        writer: Writer::Each(mermaid::states),
    },
    Format {
        name: "test-comp",
        about: "the inputs in the exchange format of Test-Comp; one file per trace",
        ending: ".xml",
        writer: Writer::Each(test_comp::write),
    },
];

#[cfg(test)]
mod tests;
