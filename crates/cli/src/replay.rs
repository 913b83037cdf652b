//! Replays what was found, before anyone sees it.

use trapline_model::replay::{Replayer, Rule};
use trapline_model::trace::Trace;

use crate::failure::Failure;
use crate::load::Loaded;

/// What a trace is said to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// A run of the model.
    Run,
    /// The way to where an expression has no value, so that not even replay can go on.
    Failure,
}

/// Replays traces; a wrong one is our mistake.
pub fn check<'t>(
    loaded: &Loaded,
    traces: impl IntoIterator<Item = (&'t Trace, Shows)>,
) -> Result<(), Failure> {
    let mut replayer = None;
    for (trace, shows) in traces {
        let replayer = replayer.get_or_insert_with(|| Replayer::new(&loaded.model));
        match (replayer.replay(trace), shows) {
            (Ok(()), _) => {}
            (Err(violation), Shows::Failure) if matches!(violation.rule, Rule::Failure { .. }) => {}
            (Err(violation), _) => {
                let text = format!("a run of `{}` can't be replayed: {violation:?}", loaded.path);
                return Err(Failure::Bug(text));
            }
        }
    }
    Ok(())
}
