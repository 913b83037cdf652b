//! Decides what a model must be like to be what its author means: all its checks in one search, those of
//! initial states in another.

use trapline_budget::Budget;
use trapline_model::Model;
use trapline_model::check::{Check, Wanted};
use trapline_model::goal::Target;
use trapline_model::trace::Trace;
use trapline_model::transform::Extension;

use crate::Engine;
use crate::answer::{Start, Verdict};

/// What was found out about checks.
#[derive(Clone, Debug, Default)]
pub struct Decided {
    /// The traces found. One that shows a violation ends there.
    pub traces: Vec<Trace>,
    /// By check, whether what it is about is reached.
    pub verdicts: Vec<Verdict>,
}

/// Asks an engine for what the checks are about.
pub fn decide(model: &Model, checks: &[Check], engine: &Engine, budget: &Budget<'_>) -> Decided {
    let mut decided = Decided::default();
    let mut verdicts: Vec<Option<Verdict>> = vec![None; checks.len()];
    for is_initial in [false, true] {
        let is_meant = |idx: &usize| (checks[*idx].wanted == Wanted::NotAtFirst) == is_initial;
        let own: Vec<usize> = (0..checks.len()).filter(is_meant).collect();
        if own.is_empty() {
            continue;
        }
        let mut model = Extension::new(model.clone());
        if is_initial {
            model.forbid_steps();
        }
        let targets: Vec<Target> = own.iter().map(|&idx| checks[idx].target.clone()).collect();
        let reached = (engine.reach)(&model, &targets, &Start::Initial, budget);
        let first = decided.traces.len();
        decided.traces.extend(reached.traces);
        for (idx, verdict) in own.into_iter().zip(reached.verdicts) {
            verdicts[idx] = Some(match verdict {
                Verdict::Reached { trace, state } if checks[idx].wanted == Wanted::Sometime => {
                    Verdict::Reached { trace: first + trace, state }
                }
                // A trace may go on to what other checks are about; people see where it is wrong.
                Verdict::Reached { trace, state } => {
                    let mut states = decided.traces[first + trace].states[..=state].to_vec();
                    states[state].drop_inputs(&model);
                    decided.traces.push(Trace { states, loop_start: None });
                    Verdict::Reached { trace: decided.traces.len() - 1, state }
                }
                verdict => verdict,
            });
        }
    }
    decided.verdicts = verdicts.into_iter().flatten().collect();
    decided
}
