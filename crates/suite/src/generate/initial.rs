//! Reachability of all subgoals from the initial states, with proofs of unreachability.
//!
//! The engine is called repeatedly with increasing work limits, so that results can be journalled
//! in between. An engine with stages of its own is called stage by stage.

use trapline_engine::{Budget, Wanted, Why, auto};
use trapline_goals::decide;

use super::{Work, is_auto};
use crate::journal::Record;
use crate::tracker::{Status, Tracker};

/// Work limits of the rounds for an engine without stages.
const ROUNDS: [Option<u64>; 4] = [Some(15_000_000), Some(100_000_000), Some(600_000_000), None];

/// Decides all open subgoals.
pub fn find(tracker: &mut Tracker<'_>, work: &mut Work<'_>) {
    for round in 0..n_rounds(work) {
        let open: Vec<usize> = (0..tracker.status.len())
            .filter(|&subgoal| is_open(&tracker.status[subgoal]))
            .collect();
        if open.is_empty() {
            return;
        }
        let wanted = match work.options.is_incremental {
            true => Wanted::Shortest,
            false => Wanted::All,
        };
        let part = part(work, round).within(work.options.initial_depth).wanting(wanted);
        let answers = decide::answer(&tracker.subgoals, &open, &work.options.initial_engine, &part);
        drop(part);
        tracker.note(&open, answers);
        write(tracker, &open, work);
        if work.budget.spend(0).is_err() {
            return;
        }
    }
}

fn has_stages(work: &Work<'_>) -> bool {
    is_auto(&work.options.initial_engine)
}

fn n_rounds(work: &Work<'_>) -> usize {
    if has_stages(work) { auto::N_STAGES } else { ROUNDS.len() }
}

/// The budget of a round.
fn part<'w>(work: &Work<'w>, round: usize) -> Budget<'w> {
    match has_stages(work) {
        true => work.budget.part(None).in_stage(round),
        false => work.budget.part(ROUNDS[round]),
    }
}

/// True if more work may decide it.
fn is_open(status: &Status) -> bool {
    match status {
        Status::Open => true,
        Status::Unknown(why) => *why == Why::Work,
        _ => false,
    }
}

/// Journals the results for some subgoals.
fn write(tracker: &Tracker<'_>, subgoals: &[usize], work: &mut Work<'_>) {
    let mut found: Vec<Vec<(usize, usize)>> = vec![Vec::new(); tracker.found.len()];
    for &subgoal in subgoals {
        match &tracker.status[subgoal] {
            Status::Known { trace, state } => found[*trace].push((subgoal, *state)),
            Status::Infeasible(how) => {
                work.journal.write(&Record::Infeasible { subgoal, how: how.clone() });
            }
            _ => {}
        }
    }
    for (trace, subgoals) in
        tracker.found.iter().zip(found).filter(|(_, subgoals)| !subgoals.is_empty())
    {
        work.journal.write(&Record::Found { trace: trace.clone(), subgoals });
    }
}
