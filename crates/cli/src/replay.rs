//! Replays what was found, before anyone sees it.

use trapline_model::replay::{Replayer, Rule, Violation};
use trapline_model::trace::Trace;

use crate::failure::Failure;
use crate::load::Loaded;

/// What a trace demonstrates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// A run of the model.
    Run,
    /// A path to where an expression is undefined, so that replay cannot continue either.
    Failure,
}

/// Replays traces; a wrong one is our mistake.
pub fn check<'t>(
    loaded: &Loaded,
    traces: impl IntoIterator<Item = (&'t Trace, Shows)>,
) -> Result<(), Failure> {
    let (runs, others): (Vec<_>, Vec<_>) =
        traces.into_iter().partition(|(_, shows)| *shows == Shows::Run);
    if runs.is_empty() && others.is_empty() {
        return Ok(());
    }
    let replayer = Replayer::new(&loaded.model);
    let wrong = |violation: Violation| {
        let text = format!("a run of `{}` can't be replayed: {violation:?}", loaded.path);
        Failure::Bug(text)
    };
    let runs: Vec<&Trace> = runs.into_iter().map(|(trace, _)| trace).collect();
    replayer.replay_all(&runs).map_err(|(_, violation)| wrong(violation))?;
    for (trace, _) in others {
        match replayer.replay(trace) {
            Err(violation) if !matches!(violation.rule, Rule::Failure { .. }) => {
                return Err(wrong(violation));
            }
            _ => {}
        }
    }
    Ok(())
}
