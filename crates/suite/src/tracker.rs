//! Tracks the status of each subgoal, and which subgoals traces meet.

use std::cell::RefCell;

use rustc_hash::FxHashSet;
use trapline_engine::{Budget, Why};
use trapline_goals::decide::{self, Makeable, Plans, Verdict, Witness};
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_goals::{GoalKind, GoalSet};
use trapline_model::goal::{self, Judge};
use trapline_model::trace::Trace;

/// The status of a subgoal.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// Undecided.
    Open,
    /// A test meets it.
    Met,
    /// An engine has a trace to it, which is in no test yet.
    Known {
        /// The trace.
        trace: usize,
        /// The state in which it is met.
        state: usize,
    },
    /// It is unreachable, with the proof.
    Infeasible(String),
    /// A fault: choices that the tester does not control decide whether a test shows it, and how.
    MayKill(String),
    /// The search was inconclusive, with the reason.
    Unknown(Why),
}

/// The status of the subgoals of some goals.
pub struct Tracker<'s> {
    /// The goals.
    pub set: &'s GoalSet,
    /// Their subgoals.
    pub subgoals: Subgoals,
    /// One per subgoal.
    pub status: Vec<Status>,
    /// Traces found by engines, including monitor variables.
    pub found: Vec<Trace>,
    /// The subgoals that a journal records as unreachable.
    recalled: FxHashSet<usize>,
    judge: Judge,
    /// The subgoals being evaluated.
    asked: Vec<usize>,
    n_steps: usize,
    /// The plans for pairs.
    plans: RefCell<Plans>,
}

impl<'s> Tracker<'s> {
    /// Everything is open.
    pub fn new(set: &'s GoalSet, budget: &Budget<'_>) -> Tracker<'s> {
        let subgoals = Subgoals::new(set, budget);
        let asked: Vec<usize> =
            (0..subgoals.list.len()).filter(|&idx| is_judged(&subgoals, idx)).collect();
        let n_steps = asked.iter().map(|&subgoal| match &subgoals.list[subgoal] {
            Subgoal::Reach(goal::Target::Steps(steps)) => steps.len(),
            _ => 1,
        });
        let n_steps = n_steps.max().unwrap_or(1);
        let judge = judge(&subgoals, &asked);
        let status = vec![Status::Open; subgoals.list.len()];
        let (found, recalled) = (Vec::new(), FxHashSet::default());
        let plans = RefCell::default();
        Tracker { set, subgoals, status, found, recalled, judge, asked, n_steps, plans }
    }

    /// The length of the longest sequence subgoal.
    pub fn n_steps(&self) -> usize {
        self.n_steps
    }

    /// True if no test has met a subgoal yet.
    pub fn is_left(&self, subgoal: usize) -> bool {
        self.status[subgoal] != Status::Met
    }

    /// The subgoals that a trace meets and no test has met before, with their states; the states
    /// before `first` have been evaluated.
    pub fn new_in(&self, trace: &Trace, first: usize) -> Vec<(usize, usize)> {
        let skipped = first.saturating_sub(self.n_steps);
        let mut found = Vec::new();
        let met = if skipped == 0 {
            self.judge.met(trace)
        } else {
            self.judge.met(&Trace { states: trace.states[skipped..].to_vec(), loop_start: None })
        };
        for (&subgoal, met) in self.asked.iter().zip(met) {
            let is_initial = matches!(self.subgoals.list[subgoal], Subgoal::Initial(_));
            let state = met.map(|state| state + skipped);
            let counts = |state: &usize| !is_initial || *state == 0;
            found.extend(
                state.filter(counts).filter(|_| self.is_left(subgoal)).map(|s| (subgoal, s)),
            );
        }
        found
    }

    /// Which of some subgoals the states of a trace from `first` on meet.
    pub fn confirmed(&self, trace: &Trace, first: usize, subgoals: &[usize]) -> Vec<usize> {
        let skipped = first.saturating_sub(self.n_steps);
        let end = Trace { states: trace.states[skipped..].to_vec(), loop_start: None };
        let met = judge(&self.subgoals, subgoals).met(&end);
        let met = subgoals.iter().zip(met).filter(|(_, met)| met.is_some());
        met.map(|(subgoal, _)| *subgoal).collect()
    }

    /// Marks these subgoals as met.
    pub fn meet(&mut self, subgoals: impl IntoIterator<Item = usize>) {
        for subgoal in subgoals {
            // A wrong proof in a journal must be detected.
            if !self.recalled.contains(&subgoal) {
                self.status[subgoal] = Status::Met;
            }
        }
        let status = &self.status;
        let is_asked =
            |subgoal: &usize| !matches!(status[*subgoal], Status::Met | Status::Infeasible(_));
        let n_left = self.asked.iter().copied().filter(is_asked).count();
        if n_left * 4 < self.asked.len() * 3 {
            self.asked.retain(is_asked);
            self.judge = judge(&self.subgoals, &self.asked);
        }
    }

    /// Adopts an engine's answers about some subgoals.
    pub fn note(&mut self, asked: &[usize], answers: decide::Answers) {
        let first = self.found.len();
        self.found.extend(answers.traces);
        for (&subgoal, verdict) in asked.iter().zip(answers.verdicts) {
            let status = match verdict {
                Verdict::Covered(shown) => match shown.first() {
                    Some(&Witness { trace, state, .. }) => {
                        Status::Known { trace: first + trace, state }
                    }
                    None => continue,
                },
                Verdict::Infeasible(how) => Status::Infeasible(how),
                Verdict::MayKill(how) => Status::MayKill(how),
                Verdict::Unknown(why) => Status::Unknown(why),
            };
            if self.is_left(subgoal) {
                self.status[subgoal] = status;
            }
        }
    }

    /// Adopts traces that are shorter than the known ones, within the greatest depth at which a
    /// shorter one is possible. Returns the subgoals of which that is not decided.
    pub fn shorten(&mut self, asked: &[usize], answers: decide::Answers) -> Vec<usize> {
        let first = self.found.len();
        self.found.extend(answers.traces);
        let mut open = Vec::new();
        for (&subgoal, verdict) in asked.iter().zip(answers.verdicts) {
            match (&mut self.status[subgoal], verdict) {
                (Status::Known { trace, state }, Verdict::Covered(shown)) => {
                    if let Some(one) = shown.first().filter(|one| one.state < *state) {
                        (*trace, *state) = (first + one.trace, one.state);
                    }
                }
                (_, Verdict::Unknown(Why::Depth) | Verdict::Infeasible(_)) => {}
                _ => open.push(subgoal),
            }
        }
        open
    }

    /// True if some proofs are known from a journal only.
    pub fn has_recalled_proofs(&self) -> bool {
        !self.recalled.is_empty()
    }

    /// Adopts the answers that a journal has about open subgoals. A test that contradicts one of its
    /// proofs must be noticed.
    pub fn recall(&mut self, asked: &[usize], answers: decide::Answers) {
        self.note(asked, answers);
        let is_proved = |subgoal: &usize| matches!(self.status[*subgoal], Status::Infeasible(_));
        self.recalled.extend(asked.iter().copied().filter(is_proved));
    }

    /// The same for what was found of answers: the other subgoals stay open.
    pub fn recall_part(&mut self, asked: &[usize], answers: decide::Answers) {
        self.recall(asked, answers);
        for &subgoal in asked {
            if matches!(self.status[subgoal], Status::Unknown(_)) {
                self.status[subgoal] = Status::Open;
            }
        }
    }

    /// The verdicts on the goals. Goals met by tests carry no witness position.
    pub fn goals(&self) -> Vec<Verdict> {
        let shown = Witness { trace: usize::MAX, state: 0, evaluation: None };
        let answers: Vec<Verdict> = self
            .status
            .iter()
            .map(|status| match status {
                Status::Met => Verdict::Covered(vec![shown]),
                Status::Known { trace, state } => {
                    Verdict::Covered(vec![Witness { trace: *trace, state: *state, ..shown }])
                }
                Status::Infeasible(how) => Verdict::Infeasible(how.clone()),
                Status::MayKill(how) => Verdict::MayKill(how.clone()),
                Status::Unknown(why) => Verdict::Unknown(why.clone()),
                Status::Open => Verdict::Unknown(Why::NotAsked),
            })
            .collect();
        decide::conclude(self.set, &self.subgoals, &answers, &mut self.plans.borrow_mut())
    }

    /// Which subgoals tests meet, or known traces.
    pub fn is_met(&self) -> Vec<bool> {
        let status = self.status.iter();
        status.map(|status| matches!(status, Status::Met | Status::Known { .. })).collect()
    }

    /// For each decision of a pair, which evaluations can be made.
    pub fn makeable(&self) -> Makeable {
        let mut makeable = vec![Vec::new(); self.set.points.len()];
        for (goal, own) in self.set.goals.iter().zip(&self.subgoals.of_goal) {
            if let GoalKind::Pair(pair) = &goal.kind {
                let is_made = |idx: &usize| {
                    matches!(self.status[own[*idx]], Status::Met | Status::Known { .. })
                };
                makeable[pair.decision] = (0..own.len()).filter(is_made).collect();
            }
        }
        makeable
    }

    /// The subgoals that the goals need and that no test has met: for a pair, the evaluations
    /// chosen for it.
    pub fn wanted(&self) -> Vec<usize> {
        let goals: Vec<usize> = (0..self.set.goals.len()).collect();
        self.wanted_for(&self.goals(), &goals)
    }

    /// The same for some goals, with their verdicts.
    pub fn wanted_for(&self, verdicts: &[Verdict], goals: &[usize]) -> Vec<usize> {
        let mut wanted = self.needed_for(verdicts, goals);
        wanted.retain(|&subgoal| self.is_left(subgoal));
        wanted
    }

    /// The subgoals that all goals need, met or not.
    pub fn needed(&self) -> Vec<usize> {
        let goals: Vec<usize> = (0..self.set.goals.len()).collect();
        self.needed_for(&self.goals(), &goals)
    }

    fn needed_for(&self, verdicts: &[Verdict], goals: &[usize]) -> Vec<usize> {
        let mut needed = Vec::new();
        for &idx in goals {
            let own = &self.subgoals.of_goal[idx];
            if let Verdict::Covered(shown) = &verdicts[idx] {
                needed.extend(shown.iter().map(|one| own[one.evaluation.unwrap_or(0)]));
            }
        }
        needed.sort_unstable();
        needed.dedup();
        needed
    }
}

/// True for state, step and sequence subgoals.
fn is_judged(subgoals: &Subgoals, subgoal: usize) -> bool {
    !matches!(subgoals.list[subgoal], Subgoal::Trap(..) | Subgoal::Fault(_))
}

fn judge(subgoals: &Subgoals, asked: &[usize]) -> Judge {
    let targets: Vec<goal::Target> = asked
        .iter()
        .map(|&subgoal| match &subgoals.list[subgoal] {
            Subgoal::Initial(expr) => goal::Target::State(*expr),
            Subgoal::Reach(target) => target.clone(),
            Subgoal::Trap(..) | Subgoal::Fault(_) => {
                unreachable!("claims and faults are not judged by states")
            }
        })
        .collect();
    Judge::new(&subgoals.model, &targets)
}
