//! Reachability of all subgoals from the initial states, with proofs of unreachability.
//!
//! The engine is called repeatedly with increasing work limits, so that results can be journalled
//! in between. An engine with stages of its own is called stage by stage.
//!
//! If each goal has a test of its own, its trace must be a shortest one. That is demanded in the
//! first round, which decides most subgoals of most models. What is found later, by random walks
//! perhaps, is searched for again in fewer steps.

use trapline_engine::{Budget, Wanted, Why, auto};
use trapline_goals::decide::{self, Answers};
use trapline_goals::subgoals::Subgoal;

use super::{Strategy, Work, is_auto};
use crate::journal::{Record, fitting};
use crate::tracker::{Status, Tracker};

/// Work limits of the rounds for an engine without stages.
const ROUNDS: [Option<u64>; 4] = [Some(15_000_000), Some(100_000_000), Some(600_000_000), None];

/// Work limit of the search for shorter traces.
const SHORTEST_WORK: u64 = 60_000_000;

/// Decides all open subgoals.
pub fn find(tracker: &mut Tracker<'_>, work: &mut Work<'_>) {
    let n_shortest = find_any(tracker, work);
    if work.options.strategy == Strategy::Separate && !work.options.is_incremental {
        find_shortest(n_shortest, tracker, work);
    }
}

/// Decides all open subgoals. Returns the number of traces found in the first round.
fn find_any(tracker: &mut Tracker<'_>, work: &mut Work<'_>) -> usize {
    let mut n_first = None;
    for round in 0..n_rounds(work) {
        let Some(open) = open(tracker, work) else { break };
        let recalled = work.recall(|record| match record {
            Record::Answer(answers) => fitting(answers, open.len()),
            _ => None,
        });
        match recalled {
            Some(answers) => tracker.recall(&open, answers),
            None => {
                let answers = search(round, &open, tracker, work);
                tracker.note(&open, write(answers, work));
            }
        }
        n_first.get_or_insert(tracker.found.len());
        if work.budget.spend(0).is_err() {
            break;
        }
    }
    n_first.unwrap_or(tracker.found.len())
}

/// Searches for shorter traces to the subgoals whose traces are not among the first ones, and notes
/// where there may still be some.
fn find_shortest(n_shortest: usize, tracker: &mut Tracker<'_>, work: &mut Work<'_>) {
    let mut asked = Vec::new();
    let mut n_steps = 0;
    for (subgoal, status) in tracker.status.iter().enumerate() {
        match (status, &tracker.subgoals.list[subgoal]) {
            (Status::Known { .. }, Subgoal::Trap(..) | Subgoal::Fault(_)) => {
                work.perhaps_long.push(subgoal)
            }
            (Status::Known { trace, state }, _) if *trace >= n_shortest && *state > 0 => {
                asked.push(subgoal);
                n_steps = n_steps.max(*state);
            }
            _ => {}
        }
    }
    if asked.is_empty() {
        return;
    }
    let recalled = work.recall(|record| match record {
        Record::Answer(answers) => fitting(answers, asked.len()),
        _ => None,
    });
    let answers = recalled.unwrap_or_else(|| {
        let part = work.budget.part(Some(SHORTEST_WORK));
        let part = part.within(Some(n_steps as u64 - 1)).wanting(Wanted::Shortest);
        let engine = &work.options.initial_engine;
        let answers = decide::answer(&tracker.subgoals, &asked, engine, &part);
        drop(part);
        let record = work.log.write(Record::Answer(answers), work.budget);
        let Record::Answer(answers) = record else { unreachable!("it is what was written") };
        answers
    });
    let open = tracker.shorten(&asked, answers);
    work.perhaps_long.extend(open);
}

/// What is left to decide, after what the journal has of searches that were cut.
fn open(tracker: &mut Tracker<'_>, work: &mut Work<'_>) -> Option<Vec<usize>> {
    loop {
        let open: Vec<usize> = (0..tracker.status.len())
            .filter(|&subgoal| is_open(&tracker.status[subgoal]))
            .collect();
        if open.is_empty() {
            return None;
        }
        if !work.log.is_next(|record| matches!(record, Record::Part(_))) {
            return Some(open);
        }
        let recalled = work.recall(|record| match record {
            Record::Part(answers) => fitting(answers, open.len()),
            _ => None,
        });
        tracker.recall_part(&open, recalled?);
    }
}

fn search(round: usize, open: &[usize], tracker: &Tracker<'_>, work: &Work<'_>) -> Answers {
    let is_first = work.options.strategy == Strategy::Separate && round == 0;
    let wanted = match work.options.is_incremental || is_first {
        true => Wanted::Shortest,
        false => Wanted::All,
    };
    let part = part(work, round).within(work.options.initial_depth).wanting(wanted);
    decide::answer(&tracker.subgoals, open, &work.options.initial_engine, &part)
}

/// Journals answers.
fn write(answers: Answers, work: &mut Work<'_>) -> Answers {
    let record = work.log.write(Record::Answer(answers), work.budget);
    let Record::Answer(answers) = record else { unreachable!("it is what was written") };
    let record = work.log.write_cut(Record::Part(answers), work.budget);
    let Record::Part(answers) = record else { unreachable!("it is what was written") };
    answers
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
