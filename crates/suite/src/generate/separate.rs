//! A test for each goal: a shortest trace to each of its parts.

use trapline_model::trace::Trace;

use super::Work;
use crate::ledger::{Ledger, Status};

/// Makes a test of what is known of each part that no test meets.
pub fn make(ledger: &mut Ledger<'_>, work: &mut Work<'_>) {
    for part in ledger.wanted() {
        if let Some(test) = first_segment(ledger, part) {
            ledger.meet([part]);
            work.append(test);
            work.finish();
        }
    }
}

/// The trace to a part, if one is known; one that loops is taken whole.
pub fn first_segment(ledger: &Ledger<'_>, part: usize) -> Option<Trace> {
    let Status::Known { trace, state } = ledger.status[part] else { return None };
    let trace = &ledger.found[trace];
    Some(match trace.loop_start {
        Some(_) => trace.clone(),
        None => Trace { states: trace.states[..=state].to_vec(), loop_start: None },
    })
}
