//! Pairs of evaluations of a decision: what MC/DC asks for.
//!
//! A pair shows that a condition matters: the condition differs, the decision differs, and in both
//! evaluations the condition decides. Which evaluations can be made is a question for an engine;
//! which of them make pairs, and the fewest that make all pairs, is decided here.

use trapline_model::{ExprId, Scope};

use crate::decision::Decision;
use crate::goal::Reading;

/// Decisions with more conditions are not taken apart into assignments.
pub const MAX_CONDITIONS: usize = 16;

/// So many pairs of a condition are kept to choose from.
const MAX_PAIRS: usize = 20_000;

/// The search for the fewest evaluations gives up after it has looked at so many pairs.
const MAX_LOOKS: usize = 2_000_000;

/// A decision whose conditions are to be shown by pairs.
#[derive(Clone, Debug)]
pub struct Point {
    /// The decision.
    pub decision: Decision,
    /// When it counts.
    pub scope: Scope,
    /// Every evaluation that could be one of a pair.
    pub evaluations: Vec<Evaluation>,
}

/// An evaluation of a decision that could be one of a pair.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// What must hold: the reach condition, and what the conditions are.
    pub expr: ExprId,
    /// What is known of it.
    pub seen: Seen,
    /// The value of the decision.
    pub value: bool,
}

/// What is known of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The value of each condition: bit *i* is condition *i*.
    All(u64),
    /// That this condition decides, and its value.
    One {
        /// The condition.
        condition: usize,
        /// Its value.
        holds: bool,
    },
}

/// Which evaluations to make, and what they show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The evaluations that are needed.
    pub chosen: Vec<usize>,
    /// For each condition the two that show it.
    pub pairs: Vec<Option<(usize, usize)>>,
    /// Is it certain that no fewer will do?
    pub is_fewest: bool,
}

impl Point {
    /// The evaluations that could serve a condition.
    pub fn serving(&self, condition: usize) -> Vec<usize> {
        (0..self.evaluations.len()).filter(|&idx| self.decides(condition, idx)).collect()
    }

    /// Does a condition decide an evaluation?
    fn decides(&self, condition: usize, evaluation: usize) -> bool {
        let evaluation = &self.evaluations[evaluation];
        match evaluation.seen {
            Seen::All(bits) => self.decision.value(bits ^ 1 << condition) != evaluation.value,
            Seen::One { condition: seen, .. } => seen == condition,
        }
    }

    /// If two evaluations show a condition, how many others differ.
    pub fn distance(&self, condition: usize, a: usize, b: usize) -> Option<u32> {
        let decide = self.decides(condition, a) && self.decides(condition, b);
        self.others(condition, a, b).filter(|_| decide)
    }

    /// The same for two in which the condition is known to decide.
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

    /// The pairs that show a condition, made of these evaluations. What `Coupled` means depends
    /// on which evaluations can be made at all, so these must be all that can.
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

    /// The fewest evaluations of those that can be made that show every condition that can be
    /// shown.
    pub fn plan(&self, reading: Reading, made: &[usize]) -> Plan {
        let n_conditions = self.decision.conditions.len();
        let pairs: Vec<Vec<(usize, usize)>> =
            (0..n_conditions).map(|condition| self.shown_by(condition, reading, made)).collect();
        let wanted: Vec<usize> =
            (0..n_conditions).filter(|&condition| !pairs[condition].is_empty()).collect();
        let is_shared = self.evaluations.iter().any(|one| matches!(one.seen, Seen::All(_)));
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

/// Looks for the fewest evaluations: the condition with the fewest pairs first, the pairs that
/// need the fewest new evaluations first, and no further than the best that is known.
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
