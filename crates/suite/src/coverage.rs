//! Which goals each test reaches, from the tests alone.

use trapline_goals::parts::{Part, Parts};
use trapline_goals::score::Makeable;
use trapline_goals::{GoalSet, Pair, Target};
use trapline_model::goal::{self, Judge};
use trapline_model::trace::Trace;

use crate::claim::Claims;
use crate::watch::Watchers;

/// Which parts each test meets.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// For each part the tests that meet it, with the state by which they do, in order.
    pub tests: Vec<Vec<(usize, usize)>>,
}

/// What shows a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Nothing.
    No,
    /// Each of these tests.
    By(Vec<usize>),
    /// These two tests together, which may be the same: two evaluations.
    ByPair(usize, usize),
}

impl Shown {
    /// Does anything?
    pub fn is_some(&self) -> bool {
        *self != Shown::No
    }

    /// The tests that do; of a pair, the one or two that were chosen.
    pub fn tests(&self) -> Vec<usize> {
        match self {
            Shown::No => Vec::new(),
            Shown::By(tests) => tests.clone(),
            Shown::ByPair(a, b) if a == b => vec![*a],
            Shown::ByPair(a, b) => vec![*a.min(b), *a.max(b)],
        }
    }
}

/// Looks which parts of goals the tests meet.
pub fn coverage(parts: &Parts, tests: &[Trace]) -> Coverage {
    let examiner = Examiner::new(parts);
    let mut coverage = Coverage { tests: vec![Vec::new(); parts.list.len()] };
    for (test_idx, test) in tests.iter().enumerate() {
        examiner.examine(test, |part, state| coverage.tests[part].push((test_idx, state)));
    }
    coverage
}

/// Parts that are looked for in tests.
struct Examiner<'p> {
    parts: &'p Parts,
    watchers: Watchers,
    /// What states and steps show.
    judged: Vec<usize>,
    judge: Judge,
    /// What paths show.
    claimed: Vec<usize>,
    claims: Claims,
}

impl Examiner<'_> {
    fn new(parts: &Parts) -> Examiner<'_> {
        let (mut judged, mut targets) = (Vec::new(), Vec::new());
        let (mut claimed, mut claims) = (Vec::new(), Vec::new());
        for (idx, part) in parts.list.iter().enumerate() {
            let target = match part {
                Part::Initial(expr) => goal::Target::State(*expr),
                Part::Reach(target) => target.clone(),
                Part::Claim(kind, expr) => {
                    claimed.push(idx);
                    claims.push((*kind, *expr));
                    continue;
                }
            };
            judged.push(idx);
            targets.push(target);
        }
        Examiner {
            parts,
            watchers: Watchers::new(&parts.model, parts.n_vars),
            judged,
            judge: Judge::new(&parts.model, &targets),
            claimed,
            claims: Claims::new(&parts.model, &claims),
        }
    }

    /// Tells which parts a test meets, and by which state.
    fn examine(&self, test: &Trace, mut tell: impl FnMut(usize, usize)) {
        let watched = (!self.watchers.is_empty()).then(|| self.watchers.watch(test));
        let test = watched.as_ref().unwrap_or(test);
        for (&part, met) in self.judged.iter().zip(self.judge.met(test)) {
            let is_initial = matches!(self.parts.list[part], Part::Initial(_));
            if let Some(state) = met.filter(|state| !is_initial || *state == 0) {
                tell(part, state);
            }
        }
        if !self.claimed.is_empty() {
            for (&part, violated) in self.claimed.iter().zip(self.claims.violated(test)) {
                violated.into_iter().for_each(|state| tell(part, state));
            }
        }
    }
}

impl Coverage {
    /// What shows each goal.
    pub fn goals(&self, set: &GoalSet, parts: &Parts, makeable: &Makeable) -> Vec<Shown> {
        let goals = set.goals.iter().zip(&parts.of_goal);
        let shown = goals.map(|(goal, own)| match &goal.target {
            Target::Pair(pair) => {
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
    pub fn made(&self, set: &GoalSet, parts: &Parts) -> Makeable {
        let mut made = vec![Vec::new(); set.points.len()];
        for (goal, own) in set.goals.iter().zip(&parts.of_goal) {
            if let Target::Pair(pair) = &goal.target {
                let is_made = |idx: &usize| !self.tests[own[*idx]].is_empty();
                made[pair.decision] = (0..own.len()).filter(is_made).collect();
            }
        }
        made
    }

    /// The pairs of evaluations that the tests make and that show a condition.
    pub fn pairs(
        &self,
        set: &GoalSet,
        pair: &Pair,
        own: &[usize],
        makeable: &[usize],
    ) -> Vec<(usize, usize)> {
        let is_made = |idx: usize| !self.tests[own[idx]].is_empty();
        let point = &set.points[pair.decision];
        let mut pairs = point.shown_by(pair.condition, pair.reading, makeable);
        pairs.retain(|&(a, b)| is_made(a) && is_made(b));
        pairs
    }

    /// One test that makes both evaluations, if there is one, or else the first two.
    fn nearest_pair(&self, a: usize, b: usize) -> Shown {
        let (a, b) = (&self.tests[a], &self.tests[b]);
        let both = a.iter().find(|(test, _)| b.iter().any(|(other, _)| other == test));
        match both {
            Some((test, _)) => Shown::ByPair(*test, *test),
            None => Shown::ByPair(a[0].0, b[0].0),
        }
    }
}
