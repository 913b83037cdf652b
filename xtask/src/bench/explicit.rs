//! States per second of the explicit engine: for a target that no state meets, and for an invariant
//! that holds in all states, compared with NuSMV's time for the same invariant.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use trapline_engine::{Budget, Limits, Outcome, Start, Verdict, explicit};
use trapline_model::goal::Target;
use trapline_model::{Formula, Model};

use super::systems::{System, systems};
use crate::nusmv::{Nusmv, Task};
use crate::reading::{self, How};
use crate::{Args, memory};

/// Nothing here needs more.
const MEMORY: u64 = 8 << 30;

/// What a search took.
struct Measured {
    n_states: u128,
    seconds: f64,
    peak: u64,
}

/// Measures all systems.
///
/// # Errors
/// When a model is wrong or an answer is.
pub fn run(args: &Args) -> Result<(), String> {
    let nusmv = args.nusmv().ok();
    println!(
        "| model | question | states | seconds | million states/s | peak MB | NuSMV s | ratio |\n\
         |---|---|---|---|---|---|---|---|"
    );
    for system in systems() {
        let reading = reading::read(system.name, &system.text, How { strict: true, quick: true });
        if let Some(error) = reading.error() {
            return Err(format!("{}: {}", system.name, error.message));
        }
        print(&system, "reach", &reach(reading.model.clone())?, None);
        let theirs = nusmv.as_ref().and_then(|nusmv| ask_nusmv(nusmv, &system));
        print(&system, "check", &check(&reading.model)?, theirs);
    }
    if let Some(nusmv) = nusmv {
        nusmv.clean_up();
    }
    Ok(())
}

fn print(system: &System, question: &str, measured: &Measured, theirs: Option<f64>) {
    let Measured { n_states, seconds, peak } = measured;
    let (theirs, ratio) = match theirs {
        Some(theirs) => (format!("{theirs:.2}"), format!("{:.2}", theirs / seconds)),
        None => (String::new(), String::new()),
    };
    println!(
        "| {} | {question} | {n_states} | {seconds:.2} | {:.2} | {:.0} | {theirs} | {ratio} |",
        system.name,
        *n_states as f64 / seconds / 1e6,
        *peak as f64 / 1e6
    );
}

/// Runs a search under a budget that watches the memory.
fn measure<T>(search: impl FnOnce(&Budget<'_>) -> (T, u128)) -> (T, Measured) {
    let before = memory::used();
    let peak = AtomicU64::new(before);
    let allocated = || {
        let used = memory::used();
        peak.fetch_max(used, Ordering::Relaxed);
        used
    };
    let limits = Limits { memory: Some(MEMORY), ..Limits::default() };
    let budget = Budget::new(limits).with_memory(&allocated);
    let start = Instant::now();
    let (answer, n_states) = search(&budget);
    let seconds = start.elapsed().as_secs_f64();
    (answer, Measured { n_states, seconds, peak: peak.load(Ordering::Relaxed) - before })
}

/// Looks for a state that violates the invariant.
fn reach(mut model: Model) -> Result<Measured, String> {
    let Formula::Holds(clause) = model.properties[0].formula else {
        return Err("the property is no invariant".into());
    };
    let target = Target::State(model.exprs.not(clause.expr));
    let (reached, measured) = measure(|budget| {
        let reached = (explicit::ENGINE.reach)(&model, &[target], &Start::Initial, budget);
        let n_states = reached.stats.n_states;
        (reached, n_states)
    });
    match &reached.verdicts[0] {
        Verdict::Unreachable(_) => Ok(measured),
        verdict => Err(format!("unexpected verdict: {verdict:?}")),
    }
}

fn check(model: &Model) -> Result<Measured, String> {
    let (checked, measured) = measure(|budget| {
        let checked = (explicit::ENGINE.check)(model, &[0], budget);
        let n_states = checked.stats.n_states;
        (checked, n_states)
    });
    match &checked.outcomes[0] {
        Outcome::True(_) => Ok(measured),
        outcome => Err(format!("unexpected outcome: {outcome:?}")),
    }
}

/// NuSMV's seconds, if it answers in time.
fn ask_nusmv(nusmv: &Nusmv, system: &System) -> Option<f64> {
    let name = system.name.replace(' ', "-");
    let text = system.text.as_bytes();
    let task = Task { name: &name, text, n_properties: 1, options: &[] };
    let start = Instant::now();
    let answer = nusmv.check(task).ok()?;
    let seconds = start.elapsed().as_secs_f64();
    let is_right = answer.verdicts.iter().any(|(_, verdict)| verdict == "true");
    (is_right && !answer.timed_out).then_some(seconds)
}
