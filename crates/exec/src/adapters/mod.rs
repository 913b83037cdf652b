//! Implementations under test: what answers, and how it is reached.
//!
//! An adapter is a file and a line in [`ADAPTERS`].

mod csv;
mod json;
mod link;
mod model;
mod named;
mod process;
mod tcp;

use std::sync::Arc;
use std::time::Duration;

use trapline_budget::Budget;
use trapline_engine::possible::{Inputs, Outputs};
use trapline_model::Model;
use trapline_suite::rename::Dictionary;

use link::Link;
use named::Named;

pub use json::Wire;
pub use model::Simulated;

/// What an implementation answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// What it shows.
    Shown(Shown),
    /// It takes no such input now, in its own words.
    Refused(String),
    /// It can't go on, in its own words.
    Error(String),
}

/// What an implementation shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    /// Inputs that it or its environment set.
    pub inputs: Inputs,
    /// Its outputs.
    pub outputs: Outputs,
    /// Names that the model does not have as outputs.
    pub extra: Vec<String>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Breakdown {
    /// It can't be started or reached.
    #[error("it can't be started: {0}")]
    Start(String),
    /// It has ended.
    #[error("it ended{0}")]
    Ended(String),
    /// It gave no answer in time.
    #[error("it gave no answer within {0:?}")]
    Silent(Duration),
    /// It does not read what is sent.
    #[error("it read nothing for {0:?}")]
    Deaf(Duration),
    /// It said something before it was asked.
    #[error("it wrote before it was asked: {0}")]
    Early(String),
    /// What it said is no answer.
    #[error("its answer can't be used: {0}")]
    Garbage(String),
    /// The connection failed.
    #[error("the connection failed: {0}")]
    Lost(String),
    /// The user has stopped the run.
    #[error("interrupted")]
    Interrupted,
}

/// Something that answers.
pub trait Implementation {
    /// Says which test comes next, so that random choices depend on that alone.
    fn prepare(&mut self, _test: usize, _repeat: usize) {}

    /// Begins a test with the inputs of its first state.
    ///
    /// # Errors
    /// When there is no answer.
    fn reset(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown>;

    /// Takes a step with these inputs.
    ///
    /// # Errors
    /// When there is no answer.
    fn step(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown>;

    /// The end of what it wrote to standard error in this test.
    fn stderr(&mut self) -> String {
        String::new()
    }

    /// Ends what is left of it, so that the next test starts anew.
    fn end(&mut self) {}
}

/// How to reach an implementation.
#[derive(Clone, Debug)]
pub struct Connection {
    /// A command, an address, or a word, as the user gave it.
    pub to: String,
    /// How values are written.
    pub protocol: Protocol,
    /// What it calls variables and values, if not as the model does.
    pub names: Option<Arc<Dictionary>>,
    /// Is it started anew for each test?
    pub restarts: bool,
    /// How long an answer may take.
    pub step_timeout: Duration,
    /// How often a start that fails is tried again.
    pub retries: usize,
    /// Decides between the choices of a simulated implementation.
    pub seed: u64,
}

/// How values are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// A JSON object a line.
    #[default]
    Json,
    /// A header of names, and a row an exchange.
    Csv,
}

/// What makes an implementation answer.
#[derive(Debug)]
pub struct Adapter {
    /// What the user writes for it.
    pub form: &'static str,
    /// What it is, in half a sentence.
    pub about: &'static str,
    fits: fn(&str) -> bool,
    /// Does it exchange names, which may be others than the model's?
    has_names: bool,
    open: Open,
}

type Open = for<'b> fn(
    &Connection,
    &'b Model,
    &'b Budget<'b>,
) -> Result<Box<dyn Implementation + 'b>, Breakdown>;

/// All adapters; the first one that fits counts.
pub const ADAPTERS: &[Adapter] = &[
    Adapter {
        form: "model",
        about: "the model itself, its choices made at random",
        fits: |to| to == "model",
        has_names: false,
        open: model::open,
    },
    Adapter {
        form: "tcp://HOST:PORT",
        about: "a server that speaks the protocol over a socket",
        fits: |to| to.starts_with("tcp://"),
        has_names: true,
        open: tcp::open,
    },
    Adapter {
        form: "'COMMAND ARGS'",
        about: "a process that speaks the protocol on standard input and output",
        fits: |_| true,
        has_names: true,
        open: process::open,
    },
];

/// Opens the connection to an implementation.
///
/// # Errors
/// When it can't be started.
pub fn open<'b>(
    connection: &'b Connection,
    model: &'b Model,
    budget: &'b Budget<'b>,
) -> Result<Box<dyn Implementation + 'b>, Breakdown> {
    let adapter = ADAPTERS.iter().find(|adapter| (adapter.fits)(&connection.to));
    let Some(adapter) = adapter else { unreachable!("the last adapter fits everything") };
    match &connection.names {
        Some(names) if adapter.has_names => {
            let inner = (adapter.open)(connection, &names.model, budget)?;
            Ok(Box::new(Named { inner, names }))
        }
        _ => (adapter.open)(connection, model, budget),
    }
}

/// Speaks a protocol over lines.
enum Codec<'m> {
    Json(Wire<'m>),
    Csv(csv::Rows<'m>),
}

impl<'m> Codec<'m> {
    fn new(protocol: Protocol, model: &'m Model) -> Codec<'m> {
        match protocol {
            Protocol::Json => Codec::Json(Wire::new(model)),
            Protocol::Csv => Codec::Csv(csv::Rows::new(model)),
        }
    }

    /// Exchanges what comes before all tests.
    fn greet(
        &mut self,
        link: &mut Link,
        timeout: Duration,
        budget: &Budget<'_>,
    ) -> Result<(), Breakdown> {
        match self {
            Codec::Json(_) => Ok(()),
            Codec::Csv(rows) => {
                let header = link.ask(&rows.header(), timeout, budget)?;
                rows.read_header(&header).map_err(Breakdown::Garbage)
            }
        }
    }

    fn reset(&self, inputs: &Inputs) -> String {
        match self {
            Codec::Json(wire) => wire.reset(inputs),
            Codec::Csv(rows) => rows.row(inputs),
        }
    }

    fn step(&self, inputs: &Inputs) -> String {
        match self {
            Codec::Json(wire) => wire.step(inputs),
            Codec::Csv(rows) => rows.row(inputs),
        }
    }

    fn answer(&mut self, line: &str) -> Result<Answer, Breakdown> {
        match self {
            Codec::Json(wire) => wire.answer(line),
            Codec::Csv(rows) => rows.answer(line),
        }
        .map_err(Breakdown::Garbage)
    }
}

/// Tries to start something several times, with longer and longer pauses.
fn retry<T>(retries: usize, start: impl Fn() -> Result<T, Breakdown>) -> Result<T, Breakdown> {
    let mut tried = 0;
    loop {
        match start() {
            Err(_) if tried < retries => {
                tried += 1;
                std::thread::sleep(Duration::from_millis(100 << tried.min(4)));
            }
            other => return other,
        }
    }
}
