//! Which goals each test reaches, from the tests alone.

use std::borrow::Cow;
use std::ops::Range;
use std::thread::ScopedJoinHandle;

use rustc_hash::FxHashMap;
use trapline_engine::{Budget, Why};
use trapline_goals::decide::Makeable;
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_goals::visibility;
use trapline_goals::{GoalKind, GoalSet, Pair, Reading};
use trapline_model::coverage::CoverageEvaluator;
use trapline_model::goal;
use trapline_model::trace::Trace;

use crate::monitors::Monitors;
use crate::never_claim::NeverClaims;
use crate::steps::TURNS;

/// The subgoals that each test meets.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// For each subgoal the tests that meet it, with the state in which they do, in order.
    pub tests: Vec<Vec<(usize, usize)>>,
    /// Why not all tests were evaluated, if so: the result is sound, but may be incomplete.
    pub cut: Option<Why>,
}

/// The tests that reach a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Nothing.
    No,
    /// Each of these tests.
    By(Vec<usize>),
    /// A pair of evaluations, in these two tests, which may be the same.
    ByPair(usize, usize),
}

impl Shown {
    /// True if any do.
    pub fn is_some(&self) -> bool {
        *self != Shown::No
    }

    /// These tests; for a pair, the one or two that were chosen.
    pub fn tests(&self) -> Vec<usize> {
        match self {
            Shown::No => Vec::new(),
            Shown::By(tests) => tests.clone(),
            Shown::ByPair(a, b) if a == b => vec![*a],
            Shown::ByPair(a, b) => vec![*a.min(b), *a.max(b)],
        }
    }
}

/// Evaluates which subgoals the tests meet, within the time limit and until interrupted; this is
/// not counted as engine work.
pub fn coverage(subgoals: &Subgoals, tests: &[Trace], budget: &Budget<'_>) -> Coverage {
    coverage_of(subgoals, &|_| true, tests, budget)
}

/// The same for some subgoals; the others count as not met.
pub fn coverage_of(
    subgoals: &Subgoals,
    is_asked: &dyn Fn(usize) -> bool,
    tests: &[Trace],
    budget: &Budget<'_>,
) -> Coverage {
    let mut coverage = Coverage { tests: vec![Vec::new(); subgoals.list.len()], cut: None };
    if tests.is_empty() {
        return coverage;
    }
    coverage.cut = budget.has_patience().err().map(Why::from);
    let examiner = Examiner::new(subgoals, is_asked);
    let mut done = 0;
    while done < tests.len() && coverage.cut.is_none() {
        // Monitor values are kept for one batch at a time.
        let mut n_states = 0;
        let rest = tests[done..].iter();
        let batch = rest.take_while(|test| {
            let is_small = n_states < examiner.batch;
            n_states += test.states.len();
            is_small
        });
        let batch = &tests[done..done + batch.count()];
        let goes_on = || budget.has_patience().is_ok();
        examiner.examine(batch, &goes_on, |subgoal, (test, state)| {
            coverage.tests[subgoal].push((done + test, state));
        });
        coverage.cut = budget.has_patience().err().map(Why::from);
        done += batch.len();
    }
    if coverage.cut.is_none() {
        let shown = visibility::credit::shown(subgoals, is_asked, tests, budget);
        coverage.cut = shown.cut;
        shown.list.into_iter().for_each(|(subgoal, met)| coverage.tests[subgoal] = met);
    }
    coverage
}

/// The same for tests that are trees: those are judged as wholes where a fault is to show, since what an
/// implementation answers decides which branch is played. Trees are ranges of tests and leave none out.
pub fn coverage_of_trees(
    subgoals: &Subgoals,
    is_asked: &dyn Fn(usize) -> bool,
    (tests, trees): (&[Trace], &[Range<usize>]),
    budget: &Budget<'_>,
) -> Coverage {
    let mut coverage = coverage_of(subgoals, is_asked, tests, budget);
    let branched: Vec<&Range<usize>> = trees.iter().filter(|tree| tree.len() > 1).collect();
    if branched.is_empty() || subgoals.faults.is_empty() || coverage.cut.is_some() {
        return coverage;
    }
    let is_branched = |test: usize| branched.iter().any(|tree| tree.contains(&test));
    let played = branched
        .iter()
        .map(|tree| (tree.start, tests[Range::clone(tree)].iter().map(played).collect()));
    let played: Vec<(usize, Vec<Trace>)> = played.collect();
    let shown = visibility::tree::shown(subgoals, is_asked, &played, budget);
    for (subgoal, met) in shown.list {
        let known = &mut coverage.tests[subgoal];
        known.retain(|(test, _)| !is_branched(*test));
        known.extend(met);
        known.sort_unstable();
    }
    coverage.cut = shown.cut;
    coverage
}

/// A path as it is played: a loop is taken some times.
fn played(path: &Trace) -> Trace {
    let mut states = path.states.clone();
    if let Some(start) = path.loop_start {
        (1..TURNS).for_each(|_| states.extend_from_slice(&path.states[start..]));
    }
    Trace { states, loop_start: None }
}

/// Maximum number of states evaluated together,
const BATCH: usize = 100_000;
/// and maximum number of states times subgoals per batch: a fraction of a second.
const MAX_LOOKS: usize = 200_000_000;

/// Evaluates subgoals on tests.
struct Examiner<'p> {
    subgoals: &'p Subgoals,
    monitors: Monitors,
    /// State and step subgoals.
    judged: Vec<usize>,
    evaluator: CoverageEvaluator,
    /// Temporal subgoals.
    claimed: Vec<usize>,
    claims: NeverClaims,
    /// Number of states evaluated together.
    batch: usize,
    n_threads: usize,
}

impl Examiner<'_> {
    fn new<'p>(subgoals: &'p Subgoals, is_asked: &dyn Fn(usize) -> bool) -> Examiner<'p> {
        let (mut judged, mut targets) = (Vec::new(), Vec::new());
        let (mut claimed, mut claims) = (Vec::new(), Vec::new());
        for (idx, subgoal) in subgoals.list.iter().enumerate().filter(|(idx, _)| is_asked(*idx)) {
            let target = match subgoal {
                Subgoal::Initial(expr) => goal::Target::State(*expr),
                Subgoal::Reach(target) => target.clone(),
                Subgoal::Trap(kind, expr) => {
                    claimed.push(idx);
                    claims.push((*kind, *expr));
                    continue;
                }
                Subgoal::Fault(_) => continue,
            };
            judged.push(idx);
            targets.push(target);
        }
        Examiner {
            subgoals,
            batch: (MAX_LOOKS / (judged.len() + claimed.len()).max(1)).min(BATCH),
            monitors: Monitors::new(&subgoals.model),
            judged,
            evaluator: CoverageEvaluator::new(&subgoals.model, &targets),
            claimed,
            claims: NeverClaims::new(&subgoals.model, &claims),
            n_threads: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// Reports the tests that meet each subgoal, with the state.
    fn examine(
        &self,
        tests: &[Trace],
        goes_on: &dyn Fn() -> bool,
        mut tell: impl FnMut(usize, (usize, usize)),
    ) {
        let Examiner { monitors, claims, n_threads, .. } = self;
        let is_plain = monitors.is_empty() && tests.iter().all(|test| test.loop_start.is_none());
        let watched = match is_plain {
            true => Cow::Borrowed(tests),
            false => Cow::Owned(map(tests, *n_threads, |test| monitors.observe(unrolled(test)))),
        };
        let last = |test: usize| tests[test].states.len() - 1;
        let met = self.evaluator.met(&watched, *n_threads, goes_on);
        for (&subgoal, met) in self.judged.iter().zip(met) {
            let is_initial = matches!(self.subgoals.list[subgoal], Subgoal::Initial(_));
            let met = met.into_iter().filter(|(_, state)| !is_initial || *state == 0);
            // What a later iteration of a loop meets, the whole test meets.
            met.for_each(|(test, state)| tell(subgoal, (test, state.min(last(test)))));
        }
        if self.claimed.is_empty() || !goes_on() {
            return;
        }
        // Subgoals that need no unrolling are monitored already.
        let all: Vec<usize> = (0..tests.len()).collect();
        let violated = map(&all, *n_threads, |&idx| match tests[idx].loop_start {
            None => claims.violated(&watched[idx]),
            Some(_) => claims.violated(&monitors.observe(tests[idx].clone())),
        });
        for (test_idx, violated) in violated.into_iter().enumerate() {
            for (&subgoal, state) in self.claimed.iter().zip(violated) {
                state.into_iter().for_each(|state| tell(subgoal, (test_idx, state)));
            }
        }
    }
}

/// Maps tests in parallel.
fn map<S: Sync, T: Send>(tests: &[S], n_threads: usize, map: impl Fn(&S) -> T + Sync) -> Vec<T> {
    let map = &map;
    let size = tests.len().div_ceil(n_threads).max(1);
    std::thread::scope(|scope| {
        let mapped: Vec<_> = tests
            .chunks(size)
            .map(|tests| scope.spawn(move || tests.iter().map(map).collect::<Vec<T>>()))
            .collect();
        let join = |thread: ScopedJoinHandle<'_, Vec<T>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        mapped.into_iter().flat_map(join).collect()
    })
}

/// A test as it is run: a loop is unrolled three times, and closed.
pub fn unrolled(test: &Trace) -> Trace {
    let Some(start) = test.loop_start else { return test.clone() };
    let mut states = test.states.clone();
    for _ in 1..3 {
        states.extend_from_slice(&test.states[start..]);
    }
    states.push(test.states[start].clone());
    Trace { states, loop_start: None }
}

impl Coverage {
    /// Restricts the coverage to some tests, renumbered by their position in the list.
    pub fn only(&self, tests: &[usize]) -> Coverage {
        let places: FxHashMap<usize, usize> =
            tests.iter().enumerate().map(|(place, &test)| (test, place)).collect();
        let kept = |met: &Vec<(usize, usize)>| -> Vec<(usize, usize)> {
            met.iter().filter_map(|&(test, state)| Some((*places.get(&test)?, state))).collect()
        };
        Coverage { tests: self.tests.iter().map(kept).collect(), cut: self.cut.clone() }
    }

    /// The tests that reach each goal.
    pub fn goals(&self, set: &GoalSet, subgoals: &Subgoals, makeable: &Makeable) -> Vec<Shown> {
        let goals = set.goals.iter().zip(&subgoals.of_goal);
        let shown = goals.map(|(goal, own)| match &goal.kind {
            GoalKind::Pair(pair) => {
                let pairs = self.pairs(set, pair, own, &makeable[pair.decision]);
                pairs.first().map_or(Shown::No, |&(a, b)| self.nearest_pair(own[a], own[b]))
            }
            _ => match self.tests[own[0]].as_slice() {
                [] => Shown::No,
                tests => Shown::By(tests.iter().map(|(test, _)| *test).collect()),
            },
        });
        shown.collect()
    }

    /// For each decision of a pair, the evaluations that the tests make.
    pub fn made(&self, set: &GoalSet, subgoals: &Subgoals) -> Makeable {
        let mut made = vec![Vec::new(); set.points.len()];
        for (goal, own) in set.goals.iter().zip(&subgoals.of_goal) {
            if let GoalKind::Pair(pair) = &goal.kind {
                let is_made = |idx: &usize| !self.tests[own[*idx]].is_empty();
                made[pair.decision] = (0..own.len()).filter(is_made).collect();
            }
        }
        made
    }

    /// The pairs of evaluations made by the tests that demonstrate a condition.
    pub fn pairs(
        &self,
        set: &GoalSet,
        pair: &Pair,
        own: &[usize],
        makeable: &[usize],
    ) -> Vec<(usize, usize)> {
        let is_made = |idx: usize| !self.tests[own[idx]].is_empty();
        let point = &set.points[pair.decision];
        // Coupling depends on all evaluations that can be made.
        let made: Vec<usize>;
        let of = match pair.reading {
            Reading::Coupled => makeable,
            Reading::Unique | Reading::Masking => {
                made = (0..own.len()).filter(|&idx| is_made(idx)).collect();
                &made
            }
        };
        let mut pairs = point.shown_by(pair.condition, pair.reading, of);
        pairs.retain(|&(a, b)| is_made(a) && is_made(b));
        pairs
    }

    fn nearest_pair(&self, a: usize, b: usize) -> Shown {
        let [(a, _), (b, _)] = self.nearest(a, b);
        Shown::ByPair(a, b)
    }

    /// Where two subgoals are met: in one test that meets both, if there is one, otherwise in the
    /// first test of each.
    pub fn nearest(&self, a: usize, b: usize) -> [(usize, usize); 2] {
        let (a, b) = (&self.tests[a], &self.tests[b]);
        let with = |&met: &(usize, usize)| {
            let other = b.iter().find(|(test, _)| *test == met.0);
            other.map(|other| [met, *other])
        };
        a.iter().find_map(with).unwrap_or([a[0], b[0]])
    }
}
