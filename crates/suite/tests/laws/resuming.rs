//! Going on from what an earlier run has found.

use std::collections::BTreeSet;

use fastrand::Rng;
use trapline_engine::Budget;
use trapline_goals::GoalSet;
use trapline_goals::decide::Verdict;
use trapline_suite::generate::{Generated, Options, generate};
use trapline_suite::journal::{Journal, Record};
use trapline_suite::suite::assemble;

use crate::laws::judge::{check_paths, shown};
use crate::laws::models::{Case, Nature, case, goals, options};

/// Records in memory.
#[derive(Default)]
struct Memory {
    known: Vec<Record>,
    written: Vec<Record>,
}

impl Journal for Memory {
    fn recall(&mut self) -> Vec<Record> {
        self.known.clone()
    }

    fn write(&mut self, record: &Record) {
        self.written.push(record.clone());
    }
}

/// A run that knows this, and what it writes.
fn run(set: &GoalSet, options: &Options, known: &[Record]) -> (Generated, Vec<Record>) {
    let mut journal = Memory { known: known.to_vec(), ..Memory::default() };
    let made = generate(set, options, &mut journal, &Budget::unlimited());
    (made, journal.written)
}

/// The subgoals that records decide.
fn decided(records: &[Record]) -> BTreeSet<usize> {
    let subgoals = records.iter().flat_map(|record| match record {
        Record::Found { subgoals, .. } => subgoals.iter().map(|(part, _)| *part).collect(),
        Record::Infeasible { subgoal, .. } => vec![*subgoal],
        Record::Segment { .. } | Record::Finished => Vec::new(),
    });
    subgoals.collect()
}

#[test]
fn a_run_that_was_cut_anywhere_ends_as_if_it_had_not_been() {
    let mut n_cuts = 0;
    for seed in 0..40 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 3);
        let set = goals(&mut rng, &model, 2);
        let options = options(&mut rng);
        let (whole, records) = run(&set, &options, &[]);
        let n_records = records.len();
        let every = n_records / 25 + 1;
        for n_known in (0..=n_records).step_by(every) {
            let (known, what) = (
                &records[..n_known],
                format!("seed {seed}, {n_known} of {n_records} {}\n{text}", options.text()),
            );
            let (made, written) = run(&set, &options, known);
            check_same(&set, (&whole, &made), &options, &what);
            check_paths(&model, &made.tests, &what);
            let twice: Vec<_> = decided(known).intersection(&decided(&written)).copied().collect();
            assert!(twice.is_empty(), "subgoals {twice:?}\n{what}");
            n_cuts += 1;
        }
    }
    assert!(n_cuts > 300, "{n_cuts}");
}

/// The same goals are covered, and the tests show them. Where there is a limit of depth, a search for
/// fewer goals may get further.
fn check_same(
    set: &GoalSet,
    (whole, made): (&Generated, &Generated),
    options: &Options,
    what: &str,
) {
    let (suite, _) = assemble(set, made, None, &Budget::unlimited());
    let shown = shown(set, &made.makeable, &made.tests);
    for (idx, goal) in set.goals.iter().enumerate() {
        let (before, after) = (&whole.verdicts[idx], &made.verdicts[idx]);
        let is_same = std::mem::discriminant(before) == std::mem::discriminant(after);
        let is_more = options.initial_depth.is_some() && matches!(before, Verdict::Unknown(_));
        assert!(is_same || is_more, "{} {before:?} {after:?}\n{what}", goal.id);
        if matches!(after, Verdict::Covered(_)) {
            assert!(
                shown[idx] && suite.goals[idx].shown.is_some(),
                "{} {after:?}\n{what}",
                goal.id
            );
        }
    }
}

#[test]
fn a_journal_that_contradicts_a_test_is_told_of() {
    let mut n_forged = 0;
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 0);
        let set = goals(&mut rng, &model, 2);
        let options = options(&mut rng);
        let (whole, records) = run(&set, &options, &[]);
        let what = format!("seed {seed} {}\n{text}", options.text());
        let (suite, _) = assemble(&set, &whole, None, &Budget::unlimited());
        assert!(suite.contradicted.is_empty(), "{what}");
        let is_single = |idx: &usize| !set.goals[*idx].kind.is_pair();
        let mut shown = (0..set.goals.len()).filter(|idx| suite.goals[*idx].shown.is_some());
        let Some(goal) = shown.find(is_single) else { continue };
        let subgoal = whole.subgoals.of_goal[goal][0];
        let is_test = |record: &Record| matches!(record, Record::Segment { .. } | Record::Finished);
        let mut forged: Vec<Record> = records.into_iter().filter(is_test).collect();
        forged.push(Record::Infeasible { subgoal, how: "it is said so".into() });
        let (made, _) = run(&set, &options, &forged);
        let (suite, _) = assemble(&set, &made, None, &Budget::unlimited());
        assert!(suite.contradicted.contains(&goal), "{}\n{what}", set.goals[goal].id);
        n_forged += 1;
    }
    assert!(n_forged > 15, "{n_forged}");
}
