//! Our engine, as used for the corpus and the oracle cases: a model in, verdicts out, each trace
//! checked independently.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use trapline_engine::{Budget, Engine, Limits, Outcome, Stats, Why};
use trapline_model::{Model, PropertyKind};

use crate::{memory, witness};

/// What we say of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// As NuSMV writes it.
    Verdict(String),
    /// We do not know, for this reason.
    Unknown(String),
    /// The trace that comes with the verdict does not show it.
    BadTrace(String),
}

/// What we say of a model.
#[derive(Clone, Debug)]
pub struct Answer {
    /// One for each property, in order.
    pub said: Vec<Said>,
    /// What it took.
    pub stats: Stats,
}

/// What is said of an engine that does not end.
pub const NEVER_ENDS: &str = "the engine does not end";

/// How much longer than allowed we wait for the engine.
const PATIENCE: Duration = Duration::from_secs(5);

/// Checks all properties of a model.
///
/// # Errors
/// When the engine panics, or hears nothing of its limits.
pub fn check(model: Model, engine: Engine, limits: Limits) -> Result<Answer, String> {
    let (sender, receiver) = mpsc::channel();
    // If it never ends, it is left to itself until the program ends.
    thread::spawn(move || sender.send(check_here(&model, engine, limits)));
    match limits.time {
        Some(time) => receiver.recv_timeout(time + PATIENCE).map_err(|e| match e {
            RecvTimeoutError::Timeout => NEVER_ENDS.to_string(),
            RecvTimeoutError::Disconnected => "the engine panicked".into(),
        })?,
        None => receiver.recv().map_err(|e| e.to_string())?,
    }
}

fn check_here(model: &Model, engine: Engine, limits: Limits) -> Result<Answer, String> {
    let properties: Vec<usize> = (0..model.properties.len()).collect();
    let allocated = memory::used;
    let budget = Budget::new(limits).with_memory(&allocated);
    let checked = catch_unwind(AssertUnwindSafe(|| (engine.check)(model, &properties, &budget)));
    let checked = checked.map_err(|panic| format!("the engine panicked: {}", message(&*panic)))?;
    if checked.outcomes.len() != properties.len() {
        return Err(format!(
            "{} outcomes for {} properties",
            checked.outcomes.len(),
            properties.len()
        ));
    }
    let outcomes = checked.outcomes.iter().zip(&model.properties);
    let said = outcomes.map(|(outcome, property)| match outcome {
        Outcome::True(_) => Said::Verdict("true".into()),
        Outcome::Value(distance, _) => Said::Verdict(distance.to_string()),
        Outcome::Unknown(why) => Said::Unknown(reason(why)),
        Outcome::False(trace) => match witness::shows(model, property, trace) {
            Ok(()) => Said::Verdict("false".into()),
            Err(why) => Said::BadTrace(why),
        },
    });
    Ok(Answer { said: said.collect(), stats: checked.stats })
}

fn reason(why: &Why) -> String {
    match why {
        Why::Failure { .. } => format!("a failure: {why}"),
        _ => why.to_string(),
    }
}

/// What a panic said.
pub fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// The name of a kind of properties, as the files with NuSMV's verdicts have it.
pub fn kind_name(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Ctl => "ctl",
        PropertyKind::Compute => "compute",
        PropertyKind::Ltl => "ltl",
        PropertyKind::Psl => "psl",
        PropertyKind::Invar => "invar",
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Verdict(verdict) => f.write_str(verdict),
            Said::Unknown(why) => write!(f, "unknown, {why}"),
            Said::BadTrace(why) => write!(f, "false, but the trace does not show it: {why}"),
        }
    }
}
