//! Selects the engine: a short turn for each, then a portfolio.
//!
//! Most models have few reachable states, whatever their text looks like, and the explicit engine
//! has visited them all before the others have built their first diagram or clause. So it goes
//! first, with little work. Where that does not suffice, one of the others often needs just as
//! little; which one cannot be told from the text, so each gets a short turn, and then a longer
//! one. What is still open goes to the [`race`] of the portfolio. It has rounds, each much longer
//! than all before it: what one engine has decided by the end of a round, the others need not. If
//! some of the targets have a smaller cone of influence, a round has a race for each block of the
//! [`cone_partition`](crate::cone_partition). Limits are counted in work, not in time, so that the
//! same question gets the same answer.

use trapline_model::goal::Target;
use trapline_model::{ExprId, Model};

use crate::answer::{Checked, Invariant, Outcome, Projected, Reached, Start, Stats, Verdict, Why};
use crate::cone_partition::cone_partition;
use crate::functional::{self, Form};
use crate::obligation::{note, sum};
use crate::portfolio::{Runner, race};
use crate::{Engine, bdd, explicit, sat};
use trapline_budget::Budget;

/// The engine.
pub const ENGINE: Engine = Engine {
    name: "auto",
    about: "a portfolio of all engines; the fastest wins",
    reach,
    project,
    check,
};

/// The engines that run alone first, and their work limits. The turns of a round take about equally
/// long, some milliseconds in the first and some tens of them in the second; a race costs all of
/// them at once.
const FIRST: &[(Engine, u64)] = &[
    (explicit::ENGINE, 150_000),
    (bdd::ENGINE, 100_000),
    (sat::ENGINE, 100_000),
    (explicit::ENGINE, 1_500_000),
    (bdd::ENGINE, 500_000),
    (sat::ENGINE, 400_000),
];

/// The engines of the portfolio, with the work that takes each of them equally long.
const RACE: &[(Engine, Runner)] = &[
    (explicit::ENGINE, Runner { tick: 20_000, handicap: 0 }),
    (bdd::ENGINE, Runner { tick: 10_000, handicap: 0 }),
    // Many machines have two cores.
    (sat::ENGINE, Runner { tick: 7_000, handicap: 100 }),
];

/// The lengths of the rounds, in ticks.
const ROUNDS: [Option<u64>; 4] = [Some(4_000), Some(30_000), Some(240_000), None];

/// The same for several blocks, which share them.
const SHARED_ROUNDS: [Option<u64>; 4] = [Some(6_000), Some(50_000), Some(400_000), None];

/// The turns before the race are one stage, and so is each round.
pub const N_STAGES: usize = 1 + ROUNDS.len();

/// Combines the answers of several engines to one kind of question.
trait Answers: Sync {
    /// What an engine answers to the open questions.
    type Answer: Send;
    /// True if there are typically so many questions that an engine answers some of them, and not
    /// all.
    const ARE_MANY: bool = false;
    /// Number of open questions in the current block.
    fn n_open(&self) -> usize;
    /// Partitions the open questions into blocks, and returns their number.
    fn divide(&mut self, _budget: &Budget) -> usize {
        1
    }
    /// Restricts the question to one block, or to none.
    fn focus(&mut self, _block: Option<usize>) {}
    /// Calls an engine.
    fn ask(&self, engine: &Engine, budget: &Budget) -> Self::Answer;
    /// Why this answer leaves questions open, if it does.
    fn why(answer: &Self::Answer) -> Option<Why>;
    /// Adopts what an engine decided about questions that are still open.
    fn take(&mut self, engine: &Engine, answer: Self::Answer);
    /// The log.
    fn log(&mut self) -> &mut Vec<String>;
}

fn run<A: Answers>(answers: &mut A, budget: &Budget) {
    let mut racing: Vec<(Engine, Runner)> = RACE.to_vec();
    let rounds = match budget.stage() {
        Some(0) => 0..0,
        Some(stage) => stage - 1..stage,
        None => 0..ROUNDS.len(),
    };
    if matches!(budget.stage(), None | Some(0)) {
        take_turns(answers, &mut racing, budget);
    }
    if answers.n_open() == 0 || rounds.is_empty() {
        return;
    }
    if budget.has_patience().is_err() {
        return give_up(answers, budget);
    }
    let crowded_out = match answers.divide(budget) {
        1 => run_rounds(answers, racing, &ROUNDS[rounds.clone()], budget),
        _ if racing.is_empty() => Vec::new(),
        n_blocks => run_blocks(answers, &racing, n_blocks, &SHARED_ROUNDS[rounds.clone()], budget),
    };
    for name in crowded_out.into_iter().filter(|_| rounds.end == ROUNDS.len()) {
        let engine = RACE.iter().find(|(engine, _)| engine.name == name);
        if let (Some((engine, _)), true) = (engine, answers.n_open() > 0 && budget.spend(0).is_ok())
        {
            ask_alone(answers, engine, budget, None);
        }
    }
}

/// The turns before the race. Engines that cannot help are excluded from it.
fn take_turns<A: Answers>(answers: &mut A, racing: &mut Vec<(Engine, Runner)>, budget: &Budget) {
    for (first, work) in FIRST {
        if !racing.iter().any(|(engine, _)| engine.name == first.name) {
            continue;
        }
        if budget.has_patience().is_err() {
            return give_up(answers, budget);
        }
        let why = ask_alone(answers, first, budget, Some(*work));
        if answers.n_open() == 0 {
            return;
        }
        // What an engine does not support, it does not support with more work either.
        let may_go_on = matches!(why, Some(Why::Work | Why::Memory));
        racing.retain(|(engine, _)| may_go_on || engine.name != first.name);
    }
}

/// The budget is exhausted: any engine reports why, and the first does so at once.
fn give_up<A: Answers>(answers: &mut A, budget: &Budget) {
    ask_alone(answers, &FIRST[0].0, budget, None);
}

/// Runs the rounds of the race. Returns the engines that ran out of memory beside the others.
fn run_rounds<A: Answers>(
    answers: &mut A,
    mut racing: Vec<(Engine, Runner)>,
    rounds: &[Option<u64>],
    budget: &Budget,
) -> Vec<&'static str> {
    let mut crowded_out = Vec::new();
    for n_ticks in rounds {
        if answers.n_open() == 0 || racing.is_empty() {
            break;
        }
        if budget.has_patience().is_err() {
            give_up(answers, budget);
            return Vec::new();
        }
        let left = ask_at_once(answers, &racing, *n_ticks, budget);
        racing.retain(|(engine, _)| !left.iter().any(|(name, _)| *name == engine.name));
        let crowded = left.into_iter().filter(|(_, why)| *why == Leaves::Crowded);
        crowded_out.extend(crowded.map(|(name, _)| name));
    }
    crowded_out
}

/// The same with a race for each block. What is too hard for an engine in one block may not be in
/// the next, so that all engines take part in all of them.
fn run_blocks<A: Answers>(
    answers: &mut A,
    racing: &[(Engine, Runner)],
    n_blocks: usize,
    rounds: &[Option<u64>],
    budget: &Budget,
) -> Vec<&'static str> {
    let mut crowded_out = Vec::new();
    for n_ticks in rounds {
        crowded_out.clear();
        for block in 0..n_blocks {
            answers.focus(Some(block));
            if answers.n_open() == 0 || budget.has_patience().is_err() {
                continue;
            }
            let n_left = (n_blocks - block) as u64;
            let part = budget.part(budget.work_left().map(|work| work / n_left));
            let n_ticks = n_ticks.map(|n_ticks| n_ticks / n_blocks as u64);
            let left = ask_at_once(answers, racing, n_ticks, &part);
            drop(part);
            let crowded = left.into_iter().filter(|(_, why)| *why == Leaves::Crowded);
            crowded_out.extend(crowded.map(|(name, _)| name));
        }
        answers.focus(None);
    }
    if budget.has_patience().is_err() && answers.n_open() > 0 {
        give_up(answers, budget);
        return Vec::new();
    }
    crowded_out.sort_unstable();
    crowded_out.dedup();
    crowded_out
}

/// Why an engine is excluded from the next round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaves {
    /// Out of memory, which might suffice for one engine alone.
    Crowded,
    /// More work would not help it.
    Finished,
}

fn ask_alone<A: Answers>(
    answers: &mut A,
    engine: &Engine,
    budget: &Budget,
    work: Option<u64>,
) -> Option<Why> {
    let part = budget.part(work);
    let n_before = answers.n_open();
    let answer = answers.ask(engine, &part);
    let why = A::why(&answer);
    answers.take(engine, answer);
    budget.note(part.progress());
    tell(answers, engine, n_before, why.as_ref());
    why
}

/// A round of the race, and if there are many questions, further rounds for the engines that
/// decided some of them, as long as they do. Returns the engines to exclude.
fn ask_at_once<A: Answers>(
    answers: &mut A,
    racing: &[(Engine, Runner)],
    n_ticks: Option<u64>,
    budget: &Budget,
) -> Vec<(&'static str, Leaves)> {
    let mut n_decided = vec![0; racing.len()];
    let mut leaving = ask_together(answers, racing, n_ticks, &mut n_decided, budget);
    let Some(n_ticks) = n_ticks.filter(|_| A::ARE_MANY) else { return leaving };
    let mut useful = useful(racing, &n_decided);
    while !useful.is_empty() && answers.n_open() > 0 && budget.has_patience().is_ok() {
        n_decided = vec![0; useful.len()];
        let left = ask_together(answers, &useful, Some(2 * n_ticks), &mut n_decided, budget);
        leaving.extend(left);
        useful = self::useful(&useful, &n_decided);
    }
    leaving
}

/// The engines that decided something.
fn useful(racing: &[(Engine, Runner)], n_decided: &[usize]) -> Vec<(Engine, Runner)> {
    let useful = racing.iter().zip(n_decided).filter(|(_, n_decided)| **n_decided > 0);
    useful.map(|(runner, _)| *runner).collect()
}

fn ask_together<A: Answers>(
    answers: &mut A,
    racing: &[(Engine, Runner)],
    n_ticks: Option<u64>,
    n_decided: &mut [usize],
    budget: &Budget,
) -> Vec<(&'static str, Leaves)> {
    let runners: Vec<Runner> = racing.iter().map(|(_, runner)| *runner).collect();
    let asked = &*answers;
    let ask = |idx: usize, budget: &Budget<'_>| asked.ask(&racing[idx].0, budget);
    let race = race(&runners, n_ticks, budget, ask, |answer| A::why(answer).is_none());
    let mut leaving = Vec::new();
    let mut most_work = 0;
    for (idx, (finish, (engine, _))) in race.finishes.into_iter().zip(racing).enumerate() {
        let has_lost = race.winner.is_some_and(|winner| winner != idx);
        match finish {
            Some(_) if has_lost => answers.log().push(format!("{}: was slower", engine.name)),
            Some((answer, work)) => {
                let n_before = answers.n_open();
                let why = A::why(&answer);
                answers.take(engine, answer);
                n_decided[idx] = n_before - answers.n_open();
                let has_more = n_ticks.is_some() && why == Some(Why::Interrupted);
                let told = if has_more { Some(Why::Work) } else { why.clone() };
                tell(answers, engine, n_before, told.as_ref());
                most_work = most_work.max(work);
                match why {
                    Some(Why::Memory) => leaving.push((engine.name, Leaves::Crowded)),
                    Some(Why::Unsupported(_)) => leaving.push((engine.name, Leaves::Finished)),
                    _ => {}
                }
            }
            None => leaving.push((engine.name, Leaves::Crowded)),
        }
    }
    let _ = budget.spend(most_work);
    leaving
}

fn tell<A: Answers>(answers: &mut A, engine: &Engine, n_before: usize, why: Option<&Why>) {
    let n_decided = n_before - answers.n_open();
    let line = match why {
        None => format!("{}: decided all {n_before}", engine.name),
        Some(Why::Work) => {
            format!("{}: decided {n_decided} of {n_before}, the rest needs more work", engine.name)
        }
        Some(why) => format!("{}: decided {n_decided} of {n_before}: {why}", engine.name),
    };
    answers.log().push(line);
}

/// Leaves what one stage did not decide to the next.
fn leave_open(why: &mut Why, budget: &Budget) {
    let is_last = budget.stage().is_none_or(|stage| stage + 1 == N_STAGES);
    if *why == Why::Interrupted && !is_last && budget.has_patience().is_ok() {
        *why = Why::Work;
    }
}

/// True if more work, or another engine, can change this. Depth limits and nearer targets apply to
/// all engines alike.
fn may_change(why: &Why) -> bool {
    !matches!(why, Why::Failure { .. } | Why::Depth | Why::Nearer)
}

/// Of several reasons, one that more work can change: an unsupported question says nothing about
/// the others.
fn weigh<'w>(reasons: impl Iterator<Item = &'w Why>) -> Option<Why> {
    reasons.min_by_key(|why| matches!(why, Why::Unsupported(_))).cloned()
}

struct Properties<'a> {
    model: &'a Model,
    properties: &'a [usize],
    checked: Checked,
}

impl Answers for Properties<'_> {
    /// The properties asked about, and the answer.
    type Answer = (Vec<usize>, Checked);

    fn n_open(&self) -> usize {
        self.checked.outcomes.iter().filter(|outcome| is_open(outcome)).count()
    }

    fn ask(&self, engine: &Engine, budget: &Budget) -> Self::Answer {
        let outcomes = &self.checked.outcomes;
        let open: Vec<usize> = (0..outcomes.len()).filter(|&idx| is_open(&outcomes[idx])).collect();
        let asked: Vec<usize> = open.iter().map(|&idx| self.properties[idx]).collect();
        (open, (engine.check)(self.model, &asked, budget))
    }

    fn why((_, answer): &Self::Answer) -> Option<Why> {
        weigh(answer.outcomes.iter().filter_map(|outcome| match outcome {
            Outcome::Unknown(why) if may_change(why) => Some(why),
            _ => None,
        }))
    }

    fn take(&mut self, engine: &Engine, (open, answer): Self::Answer) {
        let mut n_decided = 0;
        for Invariant { mut proves, all, none } in answer.invariants {
            proves.iter_mut().for_each(|(outcome, _)| *outcome = open[*outcome]);
            proves.retain(|(outcome, _)| is_open(&self.checked.outcomes[*outcome]));
            self.checked.invariants.push(Invariant { proves, all, none });
        }
        for (idx, outcome) in open.into_iter().zip(answer.outcomes) {
            n_decided += usize::from(!matches!(outcome, Outcome::Unknown(_)));
            // "Unsupported" by one engine is less informative than "needs more" by another.
            let says_less = matches!(outcome, Outcome::Unknown(Why::Unsupported(_)))
                && self.checked.engines[idx] != ENGINE.name;
            if is_open(&self.checked.outcomes[idx]) && !says_less {
                self.checked.outcomes[idx] = outcome;
                self.checked.engines[idx] = engine.name;
            }
        }
        answer.findings.into_iter().for_each(|finding| note(&mut self.checked, finding));
        if n_decided > 0 || self.checked.stats == Stats::default() {
            self.checked.stats = sum(self.checked.stats, answer.stats);
        }
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
    for outcome in &mut answers.checked.outcomes {
        if let Outcome::Unknown(why) = outcome {
            leave_open(why, budget);
        }
    }
    answers.checked
}

struct Targets<'a> {
    model: &'a Model,
    targets: &'a [Target],
    start: &'a Start,
    wants_nearest: bool,
    reached: Reached,
    /// The block of each target that was open when the partition was made, and the current block.
    blocks: Vec<usize>,
    block: Option<usize>,
}

impl Targets<'_> {
    /// The open targets of the current block.
    fn open(&self) -> impl Iterator<Item = usize> {
        let is_asked = |idx: &usize| self.block.is_none_or(|block| self.blocks[*idx] == block);
        let is_open = |idx: &usize| is_unknown(&self.reached.verdicts[*idx]);
        (0..self.targets.len()).filter(is_open).filter(is_asked)
    }
}

impl Answers for Targets<'_> {
    /// The targets asked about, and the answer.
    type Answer = (Vec<usize>, Reached);
    const ARE_MANY: bool = true;

    fn n_open(&self) -> usize {
        let verdicts = &self.reached.verdicts;
        let is_reached = |verdict: &Verdict| matches!(verdict, Verdict::Reached { .. });
        match self.wants_nearest && verdicts.iter().any(is_reached) {
            true => 0,
            false => self.open().count(),
        }
    }

    fn divide(&mut self, budget: &Budget) -> usize {
        if self.wants_nearest {
            return 1;
        }
        let open: Vec<usize> = self.open().collect();
        let targets: Vec<Target> = open.iter().map(|&idx| self.targets[idx].clone()).collect();
        let blocks = cone_partition(self.model, &targets, budget);
        self.blocks = vec![0; self.targets.len()];
        for (block, members) in blocks.iter().enumerate() {
            members.iter().for_each(|&member| self.blocks[open[member]] = block);
        }
        if blocks.len() > 1 {
            let sizes: Vec<String> = blocks.iter().map(|block| block.len().to_string()).collect();
            self.log().push(format!("blocks of {} targets", sizes.join(", ")));
        }
        blocks.len()
    }

    fn focus(&mut self, block: Option<usize>) {
        self.block = block;
    }

    fn ask(&self, engine: &Engine, budget: &Budget) -> Self::Answer {
        let open: Vec<usize> = self.open().collect();
        let asked: Vec<Target> = open.iter().map(|&idx| self.targets[idx].clone()).collect();
        (open, (engine.reach)(self.model, &asked, self.start, budget))
    }

    fn why((_, answer): &Self::Answer) -> Option<Why> {
        weigh(answer.verdicts.iter().filter_map(|verdict| match verdict {
            Verdict::Unknown(why) if may_change(why) => Some(why),
            _ => None,
        }))
    }

    fn take(&mut self, _engine: &Engine, (open, mut answer): Self::Answer) {
        // Targets decided earlier need no further trace.
        let mut places = vec![None; answer.traces.len()];
        for (idx, verdict) in open.into_iter().zip(answer.verdicts) {
            if is_unknown(&self.reached.verdicts[idx]) {
                self.reached.verdicts[idx] = match verdict {
                    Verdict::Reached { trace, state } => {
                        let traces = &mut self.reached.traces;
                        let place = *places[trace].get_or_insert_with(|| {
                            traces.push(std::mem::take(&mut answer.traces[trace]));
                            traces.len() - 1
                        });
                        Verdict::Reached { trace: place, state }
                    }
                    verdict => verdict,
                };
            }
        }
        self.reached.stats = answer.stats;
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
    let wants_nearest = budget.wants_nearest();
    functional::reach(model, start, Form::Functional, |model, start| {
        let (blocks, block) = (Vec::new(), None);
        let mut answers = Targets { model, targets, start, wants_nearest, reached, blocks, block };
        run(&mut answers, budget);
        for verdict in &mut answers.reached.verdicts {
            if let Verdict::Unknown(why) = verdict {
                leave_open(why, budget);
            }
        }
        answers.reached
    })
}

struct Values<'a> {
    model: &'a Model,
    exprs: &'a [ExprId],
    start: &'a Start,
    projected: Projected,
}

impl Answers for Values<'_> {
    type Answer = Projected;

    fn n_open(&self) -> usize {
        usize::from(self.projected.incomplete.as_ref().is_some_and(may_change))
    }

    fn ask(&self, engine: &Engine, budget: &Budget) -> Projected {
        (engine.project)(self.model, self.exprs, self.start, budget)
    }

    fn why(answer: &Projected) -> Option<Why> {
        answer.incomplete.clone().filter(may_change)
    }

    fn take(&mut self, _engine: &Engine, answer: Projected) {
        // One engine may have found values that another has not found yet.
        if answer.incomplete.is_none() || answer.values.len() >= self.projected.values.len() {
            let log = std::mem::take(&mut self.projected.log);
            self.projected = Projected { log, ..answer };
        }
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
        assert_eq!(weigh([beyond()].iter()), Some(beyond()));
        assert_eq!(weigh([beyond(), Why::Work].iter()), Some(Why::Work));
        assert_eq!(weigh([Why::Work, beyond()].iter()), Some(Why::Work));
        assert_eq!(weigh([].iter()), None);
    }
}
