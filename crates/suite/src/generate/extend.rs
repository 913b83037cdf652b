//! Long tests: from where a test ends, on to what is nearest.
//!
//! A new test starts with the part that is nearest to the start. What can't be reached from where
//! a test is, or not within the depth that is allowed, is for another test. Parts to which no way
//! from the start was found are looked for from all states that tests have come to, which may be
//! deep ones.

use rustc_hash::FxHashSet;
use trapline_model::trace::{State, Trace};

use super::segment::{Segment, Segments};
use super::separate::first_segment;
use super::{Fewest, Work};
use crate::ledger::{Ledger, Status};

/// So many states of tests are remembered as places to go on from.
const MAX_PLACES: usize = 10_000;

/// Makes tests until nothing is left that can be reached.
pub fn make(ledger: &mut Ledger<'_>, work: &mut Work<'_>) {
    let mut maker = Maker {
        segments: Segments::new(&ledger.parts, work.options),
        depths: ledger.status.iter().map(|status| depth(ledger, status)).collect(),
        wanted: ledger.wanted(),
    };
    if !work.begun.states.is_empty() {
        maker.grow(ledger, work);
        work.finish();
    }
    while work.budget.spend(0).is_ok() {
        let Some(part) = maker.first(ledger) else { break };
        let Some(segment) = first_segment(ledger, part) else { break };
        maker.test(Segment { part, way: segment }, ledger, work);
    }
    while work.budget.spend(0).is_ok() && maker.rescue(ledger, work) {}
}

/// The steps from the start to a part, if a way is known.
fn depth(ledger: &Ledger<'_>, status: &Status) -> usize {
    match status {
        Status::Known { trace, state } => match ledger.found[*trace].loop_start {
            Some(_) => ledger.found[*trace].states.len(),
            None => *state,
        },
        _ => usize::MAX,
    }
}

struct Maker {
    segments: Segments,
    /// The steps from the start to each part.
    depths: Vec<usize>,
    wanted: Vec<usize>,
}

impl Maker {
    /// The part that is nearest to the start.
    fn first(&mut self, ledger: &Ledger<'_>) -> Option<usize> {
        self.wanted.retain(|&part| ledger.is_left(part));
        self.wanted.iter().copied().min_by_key(|&part| (self.depths[part], part))
    }

    /// Makes a test that begins like this, and with `--branch` others that do.
    fn test(&mut self, first: Segment, ledger: &mut Ledger<'_>, work: &mut Work<'_>) {
        let begin = first.way.clone();
        take(first, ledger, work);
        self.grow(ledger, work);
        work.finish();
        while work.options.branch && begin.loop_start.is_none() {
            let Some(segment) = self.next(&begin, ledger, work) else { break };
            work.append(begin.clone());
            take(segment, ledger, work);
            self.grow(ledger, work);
            work.finish();
        }
    }

    /// Extends the test as far as it goes.
    fn grow(&mut self, ledger: &mut Ledger<'_>, work: &mut Work<'_>) {
        while work.begun.loop_start.is_none() && work.budget.spend(0).is_ok() {
            let Some(segment) = self.next(&work.begun, ledger, work) else { break };
            take(segment, ledger, work);
        }
    }

    /// The segment that a test goes on with.
    fn next(&mut self, test: &Trace, ledger: &Ledger<'_>, work: &Work<'_>) -> Option<Segment> {
        if work.options.extension_depth == Some(0) {
            return None;
        }
        let from_start = self.first(ledger).map(|part| self.depths[part]);
        let here = test.states.last().cloned()?;
        let near = self.segments.nearest(ledger, &self.wanted, &[here], work);
        let gain = |segment: &Segment| match work.options.no_prune {
            true => 1,
            false => gain(test, segment, ledger),
        };
        let best = near.into_iter().min_by_key(|segment| {
            let n_steps = segment.way.states.len() - 1;
            let far = std::cmp::Reverse(gain(segment));
            (n_steps, far, self.depths[segment.part], segment.part)
        })?;
        let is_worse = from_start.is_some_and(|n_steps| n_steps < best.way.states.len() - 1);
        (work.options.fewest == Fewest::Tests || !is_worse).then_some(best)
    }

    /// A test to a part that was not found from the start, from wherever it is nearest.
    fn rescue(&mut self, ledger: &mut Ledger<'_>, work: &mut Work<'_>) -> bool {
        let open = |part: &usize| matches!(ledger.status[*part], Status::Unknown(_));
        let open: Vec<usize> = (0..ledger.status.len()).filter(open).collect();
        let (places, states) = places(&work.tests);
        let near = self.segments.nearest(ledger, &open, &states, work);
        let Some(segment) = near.into_iter().min_by_key(|segment| segment.way.states.len()) else {
            return false;
        };
        let first = &segment.way.states[0];
        let is_place = |state: &State| same_state(state, first, ledger);
        let Some(at) = states.iter().position(is_place) else { return false };
        let (test, end) = places[at];
        let begin = work.tests[test].states[..=end].to_vec();
        work.append(Trace { states: begin, loop_start: None });
        self.wanted.push(segment.part);
        take(segment, ledger, work);
        self.wanted = ledger.wanted();
        self.grow(ledger, work);
        work.finish();
        true
    }
}

/// The test goes on like this.
fn take(segment: Segment, ledger: &mut Ledger<'_>, work: &mut Work<'_>) {
    let before = work.begun.states.len();
    work.append(segment.way);
    let met = match work.options.no_prune {
        true => Vec::new(),
        false => ledger.new_in(&work.begun, before.saturating_sub(1)),
    };
    ledger.meet(met.into_iter().map(|(part, _)| part).chain([segment.part]));
}

/// How many parts a segment meets that no test has met.
fn gain(test: &Trace, segment: &Segment, ledger: &Ledger<'_>) -> usize {
    let before = test.states.len() - 1;
    let mut states = test.states[before.saturating_sub(ledger.n_steps())..before].to_vec();
    let first = states.len();
    states.extend(segment.way.states.iter().cloned());
    ledger.new_in(&Trace { states, loop_start: None }, first).len()
}

/// The states that tests have come to, each once and as early as possible, with where that is.
fn places(tests: &[Trace]) -> (Vec<(usize, usize)>, Vec<State>) {
    let mut seen = FxHashSet::default();
    let (mut places, mut states) = (Vec::new(), Vec::new());
    for (test_idx, test) in tests.iter().enumerate() {
        for (state_idx, state) in test.states.iter().enumerate() {
            if states.len() < MAX_PLACES && seen.insert(state) {
                places.push((test_idx, state_idx));
                states.push(state.clone());
            }
        }
    }
    (places, states)
}

/// Are these the same but for inputs?
fn same_state(a: &State, b: &State, ledger: &Ledger<'_>) -> bool {
    let (mut a, mut b) = (a.clone(), b.clone());
    a.drop_inputs(&ledger.parts.model);
    b.drop_inputs(&ledger.parts.model);
    a == b
}
