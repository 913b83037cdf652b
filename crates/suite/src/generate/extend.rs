//! Long tests by extension: from the end of a test to the nearest open subgoal.
//!
//! A new test starts with the subgoal nearest to the initial states. What cannot be reached from
//! the end of a test, or not within the depth limit, is left to another test. Subgoals to which no
//! path from the initial states was found are searched for from all states visited by tests, which
//! may be deep.

use rustc_hash::FxHashSet;
use trapline_engine::explicit::nearest::Nearest;
use trapline_engine::sat::extend::{Extender, Reach};
use trapline_engine::{Budget, Why};
use trapline_goals::subgoals::Subgoal;
use trapline_model::Model;
use trapline_model::goal::Target;
use trapline_model::trace::{State, Trace};

use super::segment::{Segment, Segments, Slice};
use super::separate::first_segment;
use super::{Fewest, Options, Work, is_auto};
use crate::journal::Record;
use crate::tracker::{Status, Tracker};

/// Maximum number of visited states remembered as starting points.
const MAX_PLACES: usize = 10_000;

/// The searches for a segment, in order, with their work limits. When all of them fail, a new test
/// is started. The one that found the last segment is tried first, because most segments resemble
/// the one before; then the one that last proved that there is none.
const ATTEMPTS: [(SegmentSearch, u64); 4] = [
    (SegmentSearch::States, 1_000_000),
    (SegmentSearch::Circuit, 300_000),
    (SegmentSearch::States, 3_000_000),
    (SegmentSearch::Engine, 20_000_000),
];

/// Number of equally near segments compared.
const MAX_COMPARED: usize = 32;

/// Work limit of a search from the states of all tests.
const RESCUE_WORK: u64 = 20_000_000;

/// Makes tests until no reachable subgoal is left.
pub fn make(tracker: &mut Tracker<'_>, work: &mut Work<'_>) {
    let is_unknown = |status: &Status| matches!(status, Status::Unknown(_));
    let wanted = tracker.wanted();
    if wanted.is_empty() && !tracker.status.iter().any(is_unknown) {
        return;
    }
    let model = tracker.subgoals.model.clone();
    let budget = work.budget.part(None);
    let mut maker = Maker {
        is_plain: is_plain(work.options),
        states: None,
        circuit: None,
        leader: 0,
        closer: None,
        model: &model,
        budget: &budget,
        begun_at: 0,
        has_segments: false,
        segments: Segments::new(&tracker.subgoals, work.options),
        depths: tracker.status.iter().map(|status| depth(tracker, status)).collect(),
        wanted,
    };
    maker.prepare(tracker);
    maker.begun_at = budget.work();
    while budget.spend(0).is_ok() {
        let Some(subgoal) = maker.first(tracker) else { break };
        let Some(way) = first_segment(tracker, subgoal) else { break };
        maker.test(Segment { subgoal: Some(subgoal), way, met: None }, tracker, work);
    }
    while budget.spend(0).is_ok() && maker.rescue(tracker, work) {}
    maker.end(work);
}

/// The distance of a subgoal from the initial states, if a path is known.
fn depth(tracker: &Tracker<'_>, status: &Status) -> usize {
    match status {
        Status::Known { trace, state } => match tracker.found[*trace].loop_start {
            Some(_) => tracker.found[*trace].states.len(),
            None => *state,
        },
        _ => usize::MAX,
    }
}

/// True if the specialised searches may be used. They support neither minimum depths nor keeping
/// variables that no goal needs.
fn is_plain(options: &Options) -> bool {
    is_auto(&options.engine) && options.min_depth == 0 && options.slice == Slice::Each
}

/// The searches for segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SegmentSearch {
    /// Explicit-state search.
    States,
    /// SAT-based search.
    Circuit,
    /// The user's engine.
    Engine,
}

struct Maker<'m, 'b> {
    /// True if the specialised searches may be used.
    is_plain: bool,
    /// Their instances, with the subgoal of each target.
    states: Option<(Nearest<'m>, Vec<usize>)>,
    circuit: Option<(Extender<'m, 'b>, Vec<usize>)>,
    /// The search that found the last segment.
    leader: usize,
    /// The search that last proved that there is none.
    closer: Option<usize>,
    model: &'m Model,
    /// What all searches are charged to.
    budget: &'b Budget<'b>,
    /// The work when they last started anew.
    begun_at: u64,
    /// True if one of them has found something since.
    has_segments: bool,
    segments: Segments,
    /// The distance of each subgoal from the initial states.
    depths: Vec<usize>,
    wanted: Vec<usize>,
}

impl<'m, 'b> Maker<'m, 'b> {
    /// Instantiates the searches for the open subgoals.
    fn prepare(&mut self, tracker: &Tracker<'_>) {
        self.circuit = None;
        if self.is_plain {
            let (subgoals, targets) = self.targets(tracker);
            let nearest = Nearest::new(self.model, targets, self.budget).ok();
            self.states = nearest.map(|nearest| (nearest, subgoals));
        }
    }

    /// The searches forget what they have learnt, so that a resumed run, whose searches know
    /// nothing, finds the same from here on.
    fn start_anew(&mut self, tracker: &Tracker<'_>, options: &Options) {
        self.has_segments = false;
        self.wanted.retain(|&subgoal| tracker.is_left(subgoal));
        (self.is_plain, self.leader, self.closer) = (is_plain(options), 0, None);
        self.segments = Segments::new(&tracker.subgoals, options);
        self.prepare(tracker);
        self.begun_at = self.budget.work();
    }

    /// Starts anew where an earlier run did, and whenever there was much work.
    fn checkpoint(&mut self, tracker: &Tracker<'_>, work: &mut Work<'_>) {
        if self.recall_checkpoints(work) && work.log.is_at_end() {
            self.start_anew(tracker, work.options);
        }
        let is_due = self.budget.work() - self.begun_at >= work.options.checkpoint_work;
        if work.log.is_at_end() && is_due {
            self.budget.settle();
            work.log.write(Record::Anew, work.budget);
            self.start_anew(tracker, work.options);
        }
    }

    /// Takes where an earlier run started anew from the journal. Returns whether it did.
    fn recall_checkpoints(&self, work: &mut Work<'_>) -> bool {
        let mut has_any = false;
        while work.log.is_next(|record| matches!(record, Record::Anew))
            && work.log.recall((work.budget, self.budget), Some).is_some()
        {
            has_any = true;
        }
        has_any
    }

    /// The next segment, as an earlier run found it or as it is found now.
    fn segment(
        &mut self,
        tracker: &Tracker<'_>,
        work: &mut Work<'_>,
        is_right: impl Fn(&Segment) -> bool,
        find: impl FnOnce(&mut Self, &Work<'_>) -> Option<Segment>,
    ) -> Option<Segment> {
        self.checkpoint(tracker, work);
        let n_subgoals = tracker.status.len();
        let fits = |segment: &Segment| {
            let mut subgoals = segment.met.iter().flatten().chain(&segment.subgoal);
            subgoals.all(|&subgoal| subgoal < n_subgoals)
                && !segment.way.states.is_empty()
                && is_right(segment)
        };
        let recalled = work.log.recall((work.budget, self.budget), |record| match record {
            Record::Segment(segment) if segment.as_ref().is_none_or(&fits) => Some(segment),
            _ => None,
        });
        if let Some(segment) = recalled {
            return segment;
        }
        let found = find(self, work);
        self.budget.settle();
        self.has_segments = true;
        let record = work.log.write(Record::Segment(found), work.budget);
        let Record::Segment(found) = record else { unreachable!("it is what was written") };
        found
    }

    /// The subgoal nearest to the initial states.
    fn first(&mut self, tracker: &Tracker<'_>) -> Option<usize> {
        self.wanted.retain(|&subgoal| tracker.is_left(subgoal));
        self.wanted.iter().copied().min_by_key(|&subgoal| (self.depths[subgoal], subgoal))
    }

    /// Makes a test that starts with this segment, and with `--branch` others that do.
    fn test(&mut self, first: Segment, tracker: &mut Tracker<'_>, work: &mut Work<'_>) {
        let begin = first.way.clone();
        take(first, tracker, work);
        self.grow(tracker, work);
        work.finish();
        while work.options.branch && begin.loop_start.is_none() {
            let Some(segment) = self.next(&begin, tracker, work) else { break };
            work.append(begin.clone());
            take(segment, tracker, work);
            self.grow(tracker, work);
            work.finish();
        }
    }

    /// Extends the test as far as possible.
    fn grow(&mut self, tracker: &mut Tracker<'_>, work: &mut Work<'_>) {
        while work.begun.loop_start.is_none() && self.budget.spend(0).is_ok() {
            let begun = std::mem::take(&mut work.begun);
            let segment = self.next(&begun, tracker, work);
            work.begun = begun;
            let Some(segment) = segment else { break };
            take(segment, tracker, work);
        }
    }

    /// The next segment of a test.
    fn next(
        &mut self,
        test: &Trace,
        tracker: &Tracker<'_>,
        work: &mut Work<'_>,
    ) -> Option<Segment> {
        let follows = |segment: &Segment| match (test.states.last(), segment.way.states.first()) {
            (Some(last), Some(first)) => same_state(last, first, tracker),
            _ => false,
        };
        let find = |maker: &mut Self, work: &Work<'_>| maker.find(test, tracker, work);
        self.segment(tracker, work, follows, find)
    }

    fn find(&mut self, test: &Trace, tracker: &Tracker<'_>, work: &Work<'_>) -> Option<Segment> {
        let from_start = self.first(tracker).map(|subgoal| self.depths[subgoal])?;
        if work.options.extension_depth == Some(0) {
            return None;
        }
        let best = self.best(test, tracker, work)?;
        let is_worse = from_start < best.way.states.len() - 1;
        (work.options.fewest == Fewest::Tests || !is_worse).then_some(best)
    }

    fn best(&mut self, test: &Trace, tracker: &Tracker<'_>, work: &Work<'_>) -> Option<Segment> {
        let first = [Some(self.leader), self.closer].into_iter().flatten();
        let mut tried = Vec::new();
        for attempt in first.chain(0..ATTEMPTS.len()) {
            let (who, most) = ATTEMPTS[attempt];
            let is_known = |&(other, work): &(SegmentSearch, u64)| other == who && work >= most;
            if tried.iter().any(is_known) {
                continue;
            }
            tried.push((who, most));
            let near = match who {
                SegmentSearch::States => self.by_states(test, most, tracker, work),
                SegmentSearch::Circuit => self.by_circuit(test, most, tracker, work),
                SegmentSearch::Engine => self.by_engine(test, most, tracker, work),
            };
            match near {
                None => {}
                Some(near) if near.is_empty() => {
                    self.closer = Some(attempt);
                    return None;
                }
                Some(near) => {
                    if who != SegmentSearch::Engine {
                        self.leader = attempt;
                    }
                    return self.choose(near, test, tracker, work);
                }
            }
        }
        None
    }

    /// Of the nearest segments, the one that meets the most; ties go to subgoals near the initial
    /// states, so that the distant ones remain.
    fn choose(
        &self,
        mut near: Vec<Segment>,
        test: &Trace,
        tracker: &Tracker<'_>,
        work: &Work<'_>,
    ) -> Option<Segment> {
        let order = |segment: &Segment| {
            let depth = segment.subgoal.map(|subgoal| self.depths[subgoal]);
            (segment.way.states.len(), depth, segment.subgoal)
        };
        if near.len() == 1 {
            return near.pop();
        }
        near.sort_by_key(order);
        let shortest = near.first()?.way.states.len();
        let near = near.into_iter().take_while(|segment| segment.way.states.len() == shortest);
        let gain = |segment: &Segment| match work.options.no_prune {
            true => 1,
            false => gain(test, segment, tracker),
        };
        let best = near.take(MAX_COMPARED).map(|segment| (gain(&segment), segment));
        // The first of those with equal gain.
        let best = best.min_by_key(|(gain, _)| std::cmp::Reverse(*gain));
        best.map(|(_, segment)| segment)
    }

    /// The open state and step subgoals, with their targets.
    fn targets(&self, tracker: &Tracker<'_>) -> (Vec<usize>, Vec<Target>) {
        let targets =
            self.wanted.iter().filter_map(|&subgoal| match &tracker.subgoals.list[subgoal] {
                Subgoal::Reach(target) => Some((subgoal, target.clone())),
                _ => None,
            });
        targets.unzip()
    }

    /// The nearest segments, within the work limit; empty if there are none.
    fn by_states(
        &mut self,
        test: &Trace,
        most: u64,
        tracker: &Tracker<'_>,
        work: &Work<'_>,
    ) -> Option<Vec<Segment>> {
        let (nearest, subgoals) = self.states.as_mut()?;
        let budget = self.budget.part(Some(most));
        let budget = budget.within(work.options.extension_depth).nearest();
        let is_open = |target: usize| tracker.is_left(subgoals[target]);
        let ways = nearest.find(test.states.last()?, is_open, &budget);
        let ways = ways.ok()?.into_iter();
        let segment = |(target, way)| Segment { subgoal: Some(subgoals[target]), way, met: None };
        Some(ways.map(segment).collect())
    }

    /// A nearby segment, if one was found.
    fn by_circuit(
        &mut self,
        test: &Trace,
        most: u64,
        tracker: &Tracker<'_>,
        work: &Work<'_>,
    ) -> Option<Vec<Segment>> {
        if self.is_plain && self.circuit.is_none() {
            let (subgoals, targets) = self.targets(tracker);
            let extender = Extender::new(self.model, &targets, self.budget);
            self.is_plain = extender.is_ok();
            self.circuit = extender.ok().map(|extender| (extender, subgoals));
        }
        let (extender, subgoals) = self.circuit.as_mut()?;
        for (target, &subgoal) in subgoals.iter().enumerate() {
            if !tracker.is_left(subgoal) {
                extender.close(target);
            }
        }
        let reach = Reach { depth: work.options.extension_depth, work: most };
        let (way, met) = extender.extend(test.states.last()?, reach).ok()??;
        let met = met.into_iter().map(|target| subgoals[target]).collect();
        Some(vec![Segment { subgoal: None, way, met: Some(met) }])
    }

    fn by_engine(
        &mut self,
        test: &Trace,
        most: u64,
        tracker: &Tracker<'_>,
        work: &Work<'_>,
    ) -> Option<Vec<Segment>> {
        let from = std::slice::from_ref(test.states.last()?);
        let wanted = std::mem::take(&mut self.wanted);
        let near = self.nearest(tracker, &wanted, from, most, work.options);
        self.wanted = wanted;
        near.ok()
    }

    /// The segments that the user's engine finds from some states.
    fn nearest(
        &mut self,
        tracker: &Tracker<'_>,
        wanted: &[usize],
        from: &[State],
        most: u64,
        options: &Options,
    ) -> Result<Vec<Segment>, Why> {
        let budget = self.budget.part(Some(most)).within(options.extension_depth).nearest();
        self.segments.nearest(tracker, wanted, from, &options.engine, &budget)
    }

    /// A test for a subgoal not found from the initial states, from the nearest visited state.
    fn rescue(&mut self, tracker: &mut Tracker<'_>, work: &mut Work<'_>) -> bool {
        let open = |subgoal: &usize| matches!(tracker.status[*subgoal], Status::Unknown(_));
        let open: Vec<usize> = (0..tracker.status.len()).filter(open).collect();
        let (places, states) = places(&work.tests);
        let find = |maker: &mut Self, work: &Work<'_>| {
            let near = maker.nearest(tracker, &open, &states, RESCUE_WORK, work.options);
            near.unwrap_or_default().into_iter().min_by_key(|segment| segment.way.states.len())
        };
        let Some(segment) = self.segment(tracker, work, |_| true, find) else { return false };
        let first = &segment.way.states[0];
        let is_place = |state: &State| same_state(state, first, tracker);
        let Some(at) = states.iter().position(is_place) else { return false };
        let (test, end) = places[at];
        let begin = work.tests[test].states[..=end].to_vec();
        work.append(Trace { states: begin, loop_start: None });
        take(segment, tracker, work);
        self.wanted = tracker.wanted();
        self.prepare(tracker);
        self.grow(tracker, work);
        work.finish();
        true
    }

    /// Where time or memory ran out, a run with more of it goes on from the last segment.
    fn end(&mut self, work: &mut Work<'_>) {
        if self.has_segments {
            work.log.write_cut(Record::Anew, work.budget);
        }
        self.recall_checkpoints(work);
    }
}

/// Appends a segment to the test.
fn take(segment: Segment, tracker: &mut Tracker<'_>, work: &mut Work<'_>) {
    let before = work.begun.states.len();
    work.append(segment.way);
    let first = before.saturating_sub(1);
    let met = match (work.options.no_prune, segment.subgoal, segment.met) {
        (true, Some(_), _) => Vec::new(),
        (_, _, Some(met)) => tracker.confirmed(&work.begun, first, &met),
        _ => tracker.new_in(&work.begun, first).into_iter().map(|(subgoal, _)| subgoal).collect(),
    };
    tracker.meet(met.into_iter().chain(segment.subgoal));
}

/// Number of subgoals that a segment meets and no test has met.
fn gain(test: &Trace, segment: &Segment, tracker: &Tracker<'_>) -> usize {
    let before = test.states.len() - 1;
    let mut states = test.states[before.saturating_sub(tracker.n_steps())..before].to_vec();
    let first = states.len();
    states.extend(segment.way.states.iter().cloned());
    tracker.new_in(&Trace { states, loop_start: None }, first).len()
}

/// The distinct states visited by tests, with their earliest positions.
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

/// Equality of states, ignoring inputs.
fn same_state(a: &State, b: &State, tracker: &Tracker<'_>) -> bool {
    let (mut a, mut b) = (a.clone(), b.clone());
    a.drop_inputs(&tracker.subgoals.model);
    b.drop_inputs(&tracker.subgoals.model);
    a == b
}
