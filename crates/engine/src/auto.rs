//! The engine that fits: a little of each, then more of the one that promises more.
//!
//! Most models have few states, whatever their text looks like, and the explicit engine has seen
//! them all before the symbolic one has made its first diagram. So it goes first, with little
//! work; what is open then goes to the symbolic engine, and to and fro with more. Amounts are
//! counted in work and not in time, so that the same question gets the same answer.

use trapline_model::goal::Target;
use trapline_model::{ExprId, Model};

use crate::answer::{Checked, Outcome, Projected, Reached, Start, Stats, Verdict, Why};
use crate::budget::Budget;
use crate::claim::{note, sum};
use crate::{Engine, bdd, explicit};

/// The engine.
pub const ENGINE: Engine =
    Engine { name: "auto", about: "explicit for few states, bdd for many", reach, project, check };

/// What is tried in turn: an engine, and how much it may work.
const ROUNDS: &[(Engine, Option<u64>)] = &[
    (explicit::ENGINE, Some(200_000)),
    (bdd::ENGINE, Some(40_000_000)),
    (explicit::ENGINE, Some(20_000_000)),
    (bdd::ENGINE, None),
    (explicit::ENGINE, None),
];

/// Answers to questions of one kind, from round to round.
trait Answers {
    /// How many questions are open.
    fn n_open(&self) -> usize;
    /// Asks an engine about what is open. Why are questions left open?
    fn ask(&mut self, engine: &Engine, budget: &Budget) -> Option<Why>;
    /// Where it is said what was done.
    fn log(&mut self) -> &mut Vec<String>;
}

fn run(answers: &mut dyn Answers, budget: &Budget) {
    let mut is_beyond = [false; ROUNDS.len()];
    for (round, (engine, work)) in ROUNDS.iter().enumerate() {
        let n_before = answers.n_open();
        if n_before == 0 || is_beyond[round] {
            continue;
        }
        let part = budget.part(*work);
        let why = answers.ask(engine, &part);
        budget.note(part.progress());
        let is_spent = budget.spend(part.work()).is_err();
        let n_open = answers.n_open();
        let line = match &why {
            None => format!("{}: decided all {n_before}", engine.name),
            Some(Why::Work) if work.is_some() => {
                format!(
                    "{}: decided {} of {n_before}, the rest needs more work",
                    engine.name,
                    n_before - n_open
                )
            }
            Some(why) => {
                format!("{}: decided {} of {n_before}: {why}", engine.name, n_before - n_open)
            }
        };
        answers.log().push(line);
        // What an engine can't do at all it can't do with more work either.
        if matches!(why, Some(Why::Unsupported(_) | Why::Failure { .. })) {
            for (later, (other, _)) in ROUNDS.iter().enumerate() {
                is_beyond[later] |= other.name == engine.name;
            }
        }
        if is_spent || matches!(why, Some(Why::Time | Why::Interrupted)) {
            break;
        }
    }
}

/// Can more work, or another engine, change this?
fn may_change(why: &Why) -> bool {
    !matches!(why, Why::Failure { .. })
}

/// Of two reasons, the one that more work can change: what an engine can't do for one question
/// says nothing about the others.
fn weigh(known: Option<Why>, reason: Why) -> Why {
    match known {
        None | Some(Why::Unsupported(_) | Why::Failure { .. }) => reason,
        Some(known) => known,
    }
}

struct Properties<'a> {
    model: &'a Model,
    properties: &'a [usize],
    checked: Checked,
}

impl Answers for Properties<'_> {
    fn n_open(&self) -> usize {
        self.checked.outcomes.iter().filter(|outcome| is_open(outcome)).count()
    }

    fn ask(&mut self, engine: &Engine, budget: &Budget) -> Option<Why> {
        let outcomes = &self.checked.outcomes;
        let open: Vec<usize> = (0..outcomes.len()).filter(|&idx| is_open(&outcomes[idx])).collect();
        let asked: Vec<usize> = open.iter().map(|&idx| self.properties[idx]).collect();
        let answer = (engine.check)(self.model, &asked, budget);
        let mut why = None;
        let mut n_decided = 0;
        for (idx, outcome) in open.into_iter().zip(answer.outcomes) {
            match &outcome {
                Outcome::Unknown(reason) => why = Some(weigh(why, reason.clone())),
                _ => n_decided += 1,
            }
            self.checked.outcomes[idx] = outcome;
            self.checked.engines[idx] = engine.name;
        }
        answer.findings.into_iter().for_each(|finding| note(&mut self.checked, finding));
        if n_decided > 0 || self.checked.stats == Stats::default() {
            self.checked.stats = sum(self.checked.stats, answer.stats);
        }
        why
    }

    fn log(&mut self) -> &mut Vec<String> {
        &mut self.checked.log
    }
}

fn is_open(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Unknown(why) if may_change(why))
}

fn check(model: &Model, properties: &[usize], budget: &Budget) -> Checked {
    let outcomes = vec![Outcome::Unknown(Why::Interrupted); properties.len()];
    let engines = vec![ENGINE.name; properties.len()];
    let checked = Checked { outcomes, engines, ..Checked::default() };
    let mut answers = Properties { model, properties, checked };
    run(&mut answers, budget);
    answers.checked
}

struct Targets<'a> {
    model: &'a Model,
    targets: &'a [Target],
    start: &'a Start,
    reached: Reached,
}

impl Answers for Targets<'_> {
    fn n_open(&self) -> usize {
        self.reached.verdicts.iter().filter(|verdict| is_unknown(verdict)).count()
    }

    fn ask(&mut self, engine: &Engine, budget: &Budget) -> Option<Why> {
        let verdicts = &self.reached.verdicts;
        let open: Vec<usize> =
            (0..verdicts.len()).filter(|&idx| is_unknown(&verdicts[idx])).collect();
        let asked: Vec<Target> = open.iter().map(|&idx| self.targets[idx].clone()).collect();
        let answer = (engine.reach)(self.model, &asked, self.start, budget);
        let n_traces = self.reached.traces.len();
        self.reached.traces.extend(answer.traces);
        let mut why = None;
        for (idx, verdict) in open.into_iter().zip(answer.verdicts) {
            self.reached.verdicts[idx] = match verdict {
                Verdict::Reached { trace, state } => {
                    Verdict::Reached { trace: trace + n_traces, state }
                }
                Verdict::Unknown(reason) => {
                    why = Some(weigh(why, reason.clone()));
                    Verdict::Unknown(reason)
                }
                verdict @ Verdict::Unreachable(_) => verdict,
            };
        }
        self.reached.stats = answer.stats;
        why
    }

    fn log(&mut self) -> &mut Vec<String> {
        &mut self.reached.log
    }
}

fn is_unknown(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Unknown(why) if may_change(why))
}

fn reach(model: &Model, targets: &[Target], start: &Start, budget: &Budget) -> Reached {
    let verdicts = vec![Verdict::Unknown(Why::Interrupted); targets.len()];
    let reached = Reached { verdicts, ..Reached::default() };
    let mut answers = Targets { model, targets, start, reached };
    run(&mut answers, budget);
    answers.reached
}

struct Values<'a> {
    model: &'a Model,
    exprs: &'a [ExprId],
    start: &'a Start,
    projected: Projected,
}

impl Answers for Values<'_> {
    fn n_open(&self) -> usize {
        usize::from(self.projected.incomplete.as_ref().is_some_and(may_change))
    }

    fn ask(&mut self, engine: &Engine, budget: &Budget) -> Option<Why> {
        let answer = (engine.project)(self.model, self.exprs, self.start, budget);
        let why = answer.incomplete.clone();
        // What was found before is found again, unless the work was cut before that.
        if why.is_none() || answer.values.len() >= self.projected.values.len() {
            let log = std::mem::take(&mut self.projected.log);
            self.projected = Projected { log, ..answer };
        }
        why
    }

    fn log(&mut self) -> &mut Vec<String> {
        &mut self.projected.log
    }
}

fn project(model: &Model, exprs: &[ExprId], start: &Start, budget: &Budget) -> Projected {
    let projected = Projected { incomplete: Some(Why::Interrupted), ..Projected::default() };
    let mut answers = Values { model, exprs, start, projected };
    run(&mut answers, budget);
    answers.projected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_beyond_an_engine_does_not_stop_the_others() {
        let beyond = || Why::Unsupported("this".into());
        assert_eq!(weigh(None, beyond()), beyond());
        assert_eq!(weigh(Some(beyond()), Why::Work), Why::Work);
        assert_eq!(weigh(Some(Why::Work), beyond()), Why::Work);
    }
}
