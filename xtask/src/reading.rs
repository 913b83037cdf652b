//! Our reader, as used for the corpus and the oracle cases.

use trapline_engine::{Budget, wellformed};
use trapline_lang::{Input, Options, smv};
use trapline_model::Model;
use trapline_source::{Diagnostic, Diagnostics, Severity, Sources};

/// A text that was read.
pub struct Reading {
    /// The model; whole only if nothing is wrong.
    pub model: Model,
    /// What was said, errors first, in the order of the text.
    pub diagnostics: Diagnostics,
    sources: Sources,
}

/// How to read.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// As NuSMV does, with no leniency for old models.
    pub strict: bool,
    /// Leave out the checks that need a solver.
    pub quick: bool,
}

/// Reads a text and checks it.
pub fn read(path: &str, text: &str, how: How) -> Reading {
    let mut sources = Sources::new();
    let mut diagnostics = Diagnostics::new();
    let model = match sources.add(path, text) {
        Ok(file) => {
            let options = Options { strict: how.strict, ..Options::default() };
            smv::read(&Input { options, ..Input::new(file) }, &mut diagnostics).model
        }
        Err(_) => unreachable!("no model of the corpus has 4 GB"),
    };
    if !how.quick && !diagnostics.has_errors() {
        let options = wellformed::Options { strict: how.strict };
        wellformed::check(&model, options, &Budget::unlimited(), &mut diagnostics);
    }
    diagnostics.sort_by_place();
    Reading { model, diagnostics, sources }
}

impl Reading {
    /// Is the text a model?
    pub fn is_accepted(&self) -> bool {
        !self.diagnostics.has_errors()
    }

    /// The first error.
    pub fn error(&self) -> Option<&Diagnostic> {
        self.diagnostics.list().iter().find(|d| d.severity == Severity::Error)
    }

    /// The codes of the warnings, each once.
    pub fn warnings(&self) -> Vec<&'static str> {
        let mut codes: Vec<_> = self.diagnostics.list().iter().map(|d| d.code).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }

    /// The line of a finding.
    pub fn line(&self, diagnostic: &Diagnostic) -> usize {
        self.sources.location(diagnostic.labels[0].span.start).map_or(0, |place| place.line)
    }
}
