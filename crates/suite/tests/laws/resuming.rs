//! Going on from what an earlier run has found.

use std::cell::Cell;

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES, Limits};
use trapline_goals::GoalSet;
use trapline_goals::decide::Verdict;
use trapline_suite::generate::{Generated, Options, Strategy, generate};
use trapline_suite::journal::{Entry, Journal, Record, resumable};
use trapline_suite::suite::assemble;

use crate::laws::judge::{check_paths, shown};
use crate::laws::models::{Case, Nature, case, goals, options};

/// Records in memory.
struct Memory {
    known: Vec<Entry>,
    all: Vec<Entry>,
}

impl Journal for Memory {
    fn recall(&mut self) -> Vec<Entry> {
        self.known.clone()
    }

    fn write(&mut self, entry: &Entry) {
        self.all.push(entry.clone());
    }
}

/// A run that knows this, and its journal in the end.
fn run(
    set: &GoalSet,
    options: &Options,
    known: &[Entry],
    budget: &Budget<'_>,
) -> (Generated, Vec<Entry>) {
    let known = resumable(known.to_vec());
    let mut journal = Memory { all: known.clone(), known };
    let made = generate(set, options, &mut journal, budget);
    assert!(!made.is_misfit);
    (made, journal.all)
}

/// All that a suite is made of.
fn text(made: &Generated) -> String {
    format!("{:?}", (&made.tests, &made.others, &made.verdicts, &made.is_met, &made.makeable))
}

fn lines(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(|entry| format!("{entry:?}")).collect()
}

/// A model with goals and options, and a limit of work for some.
struct Run {
    set: GoalSet,
    options: Options,
    work: Option<u64>,
    whole: String,
    records: Vec<Entry>,
    what: String,
}

impl Run {
    fn new(seed: u64) -> Run {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text: model_text } = case(&mut rng, Nature::Tame, 3);
        let set = goals(&mut rng, &model, 2);
        let options = options(&mut rng);
        let (shorten, checkpoint_work) = (rng.bool(), rng.u64(1..60));
        let options = Options { shorten, checkpoint_work, ..options };
        let budget = Budget::unlimited();
        let (whole, _) = run(&set, &options, &[], &budget);
        check_paths(&model, &whole.tests, &model_text);
        let work = (rng.u8(..3) == 0).then(|| rng.u64(..=budget.work()));
        let (whole, records) = run(&set, &options, &[], &limited(work));
        let what = format!("seed {seed} work {work:?} {}\n{model_text}", options.text());
        Run { set, options, work, whole: text(&whole), records, what }
    }

    /// Resumes from some records.
    fn check(&self, known: &[Entry]) {
        let what = format!("{} of {} records, {}", known.len(), self.records.len(), self.what);
        let (made, all) = run(&self.set, &self.options, known, &limited(self.work));
        assert_eq!(text(&made), self.whole, "{what}");
        assert_eq!(lines(&all), lines(&self.records), "{what}");
    }
}

fn limited(work: Option<u64>) -> Budget<'static> {
    Budget::new(Limits { work, ..Limits::default() })
}

#[test]
fn a_run_that_was_killed_anywhere_ends_as_if_it_had_not_been() {
    let (mut n_cuts, mut n_anew, mut n_limited) = (0, 0, 0);
    for seed in 0..60 {
        let run = Run::new(seed);
        let every = run.records.len() / 12 + 1;
        for n_known in (0..=run.records.len()).step_by(every) {
            run.check(&run.records[..n_known]);
            n_cuts += 1;
        }
        let is_anew = |entry: &&Entry| matches!(entry.record, Record::Anew);
        n_anew += run.records.iter().filter(is_anew).count();
        n_limited += usize::from(run.work.is_some());
    }
    assert!(n_cuts > 200 && n_anew > 10 && n_limited > 10, "{n_cuts} {n_anew} {n_limited}");
}

#[test]
fn a_run_that_was_interrupted_anywhere_ends_as_if_it_had_not_been() {
    let mut n_interrupted = 0;
    for seed in 1_000..1_060 {
        let reference = Run::new(seed);
        let mut known = Vec::new();
        let mut rng = Rng::with_seed(seed);
        // Each interruption comes later than the one before.
        for _ in 0..rng.usize(1..4) {
            let n_looks = Cell::new(rng.u32(..60));
            let is_interrupted = || {
                n_looks.set(n_looks.get().saturating_sub(1));
                n_looks.get() == 0
            };
            let budget = limited(reference.work).with_interrupt(&is_interrupted);
            let (_, all) = run(&reference.set, &reference.options, &known, &budget);
            let (all, whole) = (lines(&all), lines(&reference.records));
            assert_eq!(all, whole[..all.len()], "{}", reference.what);
            n_interrupted += usize::from(all.len() < whole.len());
            known = reference.records[..all.len()].to_vec();
        }
        reference.check(&known);
    }
    assert!(n_interrupted > 20, "{n_interrupted}");
}

#[test]
fn a_journal_that_contradicts_a_test_is_told_of() {
    let mut n_forged = 0;
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 0);
        let set = goals(&mut rng, &model, 2);
        let usual = Options::usual(Strategy::Extend, ENGINES[0]);
        let options = Options { shorten: false, checkpoint_work: 1, ..usual };
        let (whole, mut records) = run(&set, &options, &[], &Budget::unlimited());
        let Some(Entry { record: Record::Answer(answers), .. }) = records.first_mut() else {
            continue;
        };
        let is_met = |verdict: &Verdict| matches!(verdict, Verdict::Covered(_));
        let Some(subgoal) = answers.verdicts.iter().rposition(is_met) else { continue };
        answers.verdicts[subgoal] = Verdict::Infeasible("it is said so".into());
        let of_goal = &whole.subgoals.of_goal;
        let Some(goal) = of_goal.iter().position(|own| own[..] == [subgoal]) else { continue };
        let mut journal = Memory { all: Vec::new(), known: resumable(records) };
        let made = generate(&set, &options, &mut journal, &Budget::unlimited());
        let (suite, _) = assemble(&set, &made, None, &Budget::unlimited());
        if shown(&set, &made.makeable, &made.tests)[goal] {
            assert!(
                suite.contradicted.contains(&goal),
                "{}\nseed {seed}\n{text}",
                set.goals[goal].id
            );
            n_forged += 1;
        }
    }
    assert!(n_forged > 5, "{n_forged}");
}

#[test]
fn answers_to_other_questions_are_told_of() {
    let mut n_forged = 0;
    for seed in 0..20 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, .. } = case(&mut rng, Nature::Tame, 0);
        let set = goals(&mut rng, &model, 2);
        let options = Options::usual(Strategy::Extend, ENGINES[0]);
        let (_, mut records) = run(&set, &options, &[], &Budget::unlimited());
        let Some(Entry { record: Record::Answer(answers), .. }) = records.first_mut() else {
            continue;
        };
        answers.verdicts.pop();
        let mut journal = Memory { all: Vec::new(), known: records };
        assert!(generate(&set, &options, &mut journal, &Budget::unlimited()).is_misfit);
        assert!(journal.all.is_empty());
        n_forged += 1;
    }
    assert!(n_forged > 10, "{n_forged}");
}
