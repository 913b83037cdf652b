//! What there is to say about a source text.

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The text is accepted.
    Warning,
    /// The text is rejected.
    Error,
}

/// A span and what to say about it; the text may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What, in lower case without a final dot.
    pub text: String,
}

/// One finding, with a stable kebab-case code.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Stable, kebab-case; each has a line in the manual.
    pub code: &'static str,
    /// What is wrong, in the user's words.
    pub message: String,
    /// Where it is wrong, the main place first.
    pub labels: Vec<Label>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            labels: vec![Label { span, text: String::new() }],
            help: None,
        }
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// Says something at the main place.
    pub fn note_here(mut self, text: impl Into<String>) -> Diagnostic {
        self.labels[0].text = text.into();
        self
    }

    /// Adds another place.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Says what to do.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }
}

/// Findings in the order they were made, at most [`Diagnostics::LIMIT`] errors and warnings each.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    n_errors: usize,
    n_warnings: usize,
}

impl Diagnostics {
    /// How many errors, and how many warnings, are kept; the rest is only counted.
    pub const LIMIT: usize = 50;

    /// Nothing found yet.
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    /// Adds a finding, unless the same was said of the same place before.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.contains(&diagnostic) {
            return;
        }
        let count = match diagnostic.severity {
            Severity::Error => &mut self.n_errors,
            Severity::Warning => &mut self.n_warnings,
        };
        *count += 1;
        if *count <= Self::LIMIT {
            self.list.push(diagnostic);
        }
    }

    /// Is there an error?
    pub fn has_errors(&self) -> bool {
        self.n_errors > 0
    }

    /// How many errors were pushed, kept or not.
    pub fn n_errors(&self) -> usize {
        self.n_errors
    }

    /// How many warnings were pushed, kept or not.
    pub fn n_warnings(&self) -> usize {
        self.n_warnings
    }

    /// What was kept.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Puts errors before warnings, each in the order of the text.
    pub fn sort_by_place(&mut self) {
        self.list.sort_by_key(|d| (d.severity != Severity::Error, d.labels[0].span));
    }
}
