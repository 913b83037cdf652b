//! Pairs of evaluations of a decision, as required by MC/DC.
//!
//! A pair demonstrates the effect of a condition: the condition differs, the decision differs, and
//! in both evaluations the condition determines the decision. Which evaluations can be made is
//! decided by an engine; which of them form pairs, and the fewest that form all pairs, is computed
//! here.

use trapline_model::{ExprId, Model, Scope};

use crate::builder::in_scope;
use crate::decision::Decision;
use crate::goal::{GoalKind, Reading};

/// Decisions with more conditions are not enumerated.
pub const MAX_CONDITIONS: usize = 16;

/// Maximum number of candidate pairs per condition.
const MAX_PAIRS: usize = 20_000;

/// Maximum number of pairs visited in the search for the fewest evaluations.
const MAX_LOOKS: usize = 2_000_000;

/// A decision whose conditions are covered by pairs.
#[derive(Clone, Debug)]
pub struct Point {
    /// The decision.
    pub decision: Decision,
    /// When it is evaluated.
    pub scope: Scope,
    /// Every evaluation that could be part of a pair.
    pub evaluations: Vec<Evaluation>,
}

/// An evaluation of a decision that could be part of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation {
    /// The reach condition, and the values of the conditions.
    pub expr: ExprId,
    /// What it fixes.
    pub seen: Seen,
    /// The value of the decision.
    pub value: bool,
    /// The condition that it serves, if that must matter at an output.
    pub observed: Option<Observed>,
}

/// That a condition of an evaluation matters at an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The only condition that the evaluation serves.
    pub condition: usize,
    /// The fault to show, of [`crate::GoalSet::faults`].
    pub fault: usize,
}

/// What an evaluation fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The value of each condition: bit *i* is condition *i*.
    All(u64),
    /// A condition that determines the decision, and its value.
    One {
        /// The condition.
        condition: usize,
        /// Its value.
        holds: bool,
    },
}

/// Which evaluations to make, and which pairs they form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The required evaluations.
    pub chosen: Vec<usize>,
    /// For each condition its pair.
    pub pairs: Vec<Option<(usize, usize)>>,
    /// True if the number of evaluations is proved minimal.
    pub is_fewest: bool,
}

impl Point {
    /// An evaluation, as what must be reached.
    pub fn target(&self, model: &Model, evaluation: usize) -> GoalKind {
        let Evaluation { expr, observed, .. } = self.evaluations[evaluation];
        match observed {
            Some(observed) => GoalKind::Fault(observed.fault),
            None => in_scope(model, self.scope, expr),
        }
    }

    /// The candidate evaluations for a condition.
    pub fn serving(&self, condition: usize) -> Vec<usize> {
        (0..self.evaluations.len()).filter(|&idx| self.decides(condition, idx)).collect()
    }

    /// True if a condition determines the decision in an evaluation.
    fn decides(&self, condition: usize, evaluation: usize) -> bool {
        let evaluation = &self.evaluations[evaluation];
        if evaluation.observed.is_some_and(|observed| observed.condition != condition) {
            return false;
        }
        match evaluation.seen {
            Seen::All(bits) => self.decision.value(bits ^ 1 << condition) != evaluation.value,
            Seen::One { condition: seen, .. } => seen == condition,
        }
    }

    /// If two evaluations demonstrate a condition, the number of other differences.
    pub fn distance(&self, condition: usize, a: usize, b: usize) -> Option<u32> {
        let decide = self.decides(condition, a) && self.decides(condition, b);
        self.others(condition, a, b).filter(|_| decide)
    }

    /// The same for two in which the condition determines the decision.
    fn others(&self, condition: usize, a: usize, b: usize) -> Option<u32> {
        let (x, y) = (&self.evaluations[a], &self.evaluations[b]);
        let others = match (x.seen, y.seen) {
            (Seen::All(x), Seen::All(y)) if (x ^ y) >> condition & 1 == 1 => {
                (x ^ y).count_ones() - 1
            }
            (Seen::One { holds: x, .. }, Seen::One { holds: y, .. }) if x != y => 0,
            _ => return None,
        };
        (x.value != y.value).then_some(others)
    }

    /// The pairs among these evaluations that demonstrate a condition. `Coupled` depends on which
    /// evaluations can be made at all, so these must be all of them.
    pub fn shown_by(
        &self,
        condition: usize,
        reading: Reading,
        made: &[usize],
    ) -> Vec<(usize, usize)> {
        let serving: Vec<usize> =
            made.iter().copied().filter(|&idx| self.decides(condition, idx)).collect();
        let all = || {
            let rest = |place: usize| &serving[place + 1..];
            serving.iter().enumerate().flat_map(move |(place, &a)| {
                rest(place)
                    .iter()
                    .filter_map(move |&b| Some((self.others(condition, a, b)?, (a, b))))
            })
        };
        let most = match reading {
            Reading::Unique => Some(0),
            Reading::Coupled => all().map(|(others, _)| others).min(),
            Reading::Masking => Some(u32::MAX),
        };
        let counts = |(others, _): &(u32, (usize, usize))| Some(*others) <= most;
        all().filter(counts).map(|(_, pair)| pair).take(MAX_PAIRS).collect()
    }

    /// The fewest feasible evaluations that demonstrate every condition that can be demonstrated.
    pub fn plan(&self, reading: Reading, made: &[usize]) -> Plan {
        let n_conditions = self.decision.conditions.len();
        let pairs: Vec<Vec<(usize, usize)>> =
            (0..n_conditions).map(|condition| self.shown_by(condition, reading, made)).collect();
        let wanted: Vec<usize> =
            (0..n_conditions).filter(|&condition| !pairs[condition].is_empty()).collect();
        let is_shared = self
            .evaluations
            .iter()
            .any(|one| matches!(one.seen, Seen::All(_)) && one.observed.is_none());
        let (mut chosen, is_fewest) = match is_shared {
            true => {
                let is_chosen = vec![false; self.evaluations.len()];
                let mut search = FewestSearch { pairs: &pairs, is_chosen, best: None, n_looks: 0 };
                search.add(&wanted, &mut Vec::new());
                let are_all = pairs.iter().all(|pairs| pairs.len() < MAX_PAIRS);
                (search.best.unwrap_or_default(), are_all && search.n_looks < MAX_LOOKS)
            }
            // No two conditions share an evaluation, so that any pair will do.
            false => {
                let first = wanted.iter().map(|&condition| pairs[condition][0]);
                (first.flat_map(|(a, b)| [a, b]).collect(), true)
            }
        };
        chosen.sort_unstable();
        let shows = |pair: &&(usize, usize)| chosen.contains(&pair.0) && chosen.contains(&pair.1);
        let pairs = pairs.iter().map(|pairs| pairs.iter().find(shows).copied()).collect();
        Plan { chosen, pairs, is_fewest }
    }
}

/// Searches for the fewest evaluations, depth first: the condition with the fewest pairs first, the
/// pairs with the fewest new evaluations first, bounded by the best known.
struct FewestSearch<'p> {
    pairs: &'p [Vec<(usize, usize)>],
    is_chosen: Vec<bool>,
    best: Option<Vec<usize>>,
    n_looks: usize,
}

impl FewestSearch<'_> {
    /// Recursion is as deep as there are conditions.
    fn add(&mut self, wanted: &[usize], chosen: &mut Vec<usize>) {
        self.n_looks += wanted.iter().map(|&condition| self.pairs[condition].len()).sum::<usize>();
        let open: Vec<usize> = wanted
            .iter()
            .copied()
            .filter(|&condition| self.pairs[condition].iter().all(|pair| self.n_new(pair) > 0))
            .collect();
        if open.is_empty() {
            if self.best.as_ref().is_none_or(|best| chosen.len() < best.len()) {
                self.best = Some(chosen.clone());
            }
            return;
        }
        let Some(&next) = open.iter().min_by_key(|&&condition| self.pairs[condition].len()) else {
            return;
        };
        let mut options = self.pairs[next].clone();
        options.sort_by_key(|pair| self.n_new(pair));
        for (a, b) in options {
            if self.best.is_some() && self.n_looks >= MAX_LOOKS {
                return;
            }
            let height = chosen.len();
            for evaluation in [a, b] {
                if !self.is_chosen[evaluation] {
                    self.is_chosen[evaluation] = true;
                    chosen.push(evaluation);
                }
            }
            if self.best.as_ref().is_none_or(|best| chosen.len() < best.len()) {
                self.add(&open, chosen);
            }
            for evaluation in chosen.drain(height..) {
                self.is_chosen[evaluation] = false;
            }
        }
    }

    /// How many evaluations of a pair are new.
    fn n_new(&self, (a, b): &(usize, usize)) -> usize {
        usize::from(!self.is_chosen[*a]) + usize::from(!self.is_chosen[*b])
    }
}
