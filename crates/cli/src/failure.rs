//! Why a command gave up.

use std::io;

/// Why a command gave up.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The input is wrong, and the user has been told.
    #[error("the input is wrong")]
    Reported,
    /// What the user asked for can't be done.
    #[error("{message}")]
    Refused {
        /// What is wrong.
        message: String,
        /// The command.
        help: Option<String>,
    },
    /// A limit was reached before there was anything to show.
    #[error("{message}")]
    Exhausted {
        /// What ran out, and where.
        message: String,
        /// The option that allows more.
        help: &'static str,
    },
    /// A file can't be read or written.
    #[error("can't {action} `{path}`: {}", io_text(error))]
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// The reader of our output has closed it.
    #[error("standard output was closed")]
    BrokenPipe,
    /// We are wrong.
    #[error("{0}")]
    Bug(String),
}

impl Failure {
    /// What the user asked for can't be done.
    pub fn refused(message: impl Into<String>) -> Failure {
        Failure::Refused { message: message.into(), help: None }
    }

    /// Says what to do about a refusal.
    pub fn help(self, text: impl Into<String>) -> Failure {
        match self {
            Failure::Refused { message, .. } => {
                Failure::Refused { message, help: Some(text.into()) }
            }
            other => other,
        }
    }
}

/// The system's words in our style: no capital, no number.
fn io_text(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => "it failed".into(),
    }
}
