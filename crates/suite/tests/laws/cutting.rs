//! What is cut: wherever patience ends, what is said is true, and what was found is not lost.
//!
//! Patience ends at a question to the budget, not at a time, so that each place can be tried.

use std::cell::Cell;

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES, Limits, Why};
use trapline_goals::decide::Verdict;
use trapline_goals::subgoals::Subgoals;
use trapline_goals::winnow::Wishes;
use trapline_model::trace::Trace;
use trapline_suite::choices::choices;
use trapline_suite::coverage::coverage;
use trapline_suite::evaluate::{Method, evaluate};
use trapline_suite::generate::{Strategy, generate};
use trapline_suite::hits::hits;
use trapline_suite::journal::NoJournal;
use trapline_suite::minimise::{Needed, minimise};
use trapline_suite::set_cover::Objective;
use trapline_suite::suite::{Missing, assemble};
use trapline_testkit::score::makeable;

use crate::laws::judge::{check_paths, shown};
use crate::laws::models::{Case, Nature, case, goals, options, walks};

/// Does something with a budget whose patience ends at a question.
fn with_patience<T>(n_questions: u64, ask: impl FnOnce(&Budget<'_>) -> T) -> T {
    let n_left = Cell::new(n_questions);
    let is_over = || n_left.replace(n_left.get().saturating_sub(1)) == 0;
    ask(&Budget::unlimited().with_interrupt(&is_over))
}

#[test]
fn who_has_no_patience_is_told_what_was_seen_and_that_there_may_be_more() {
    let (mut n_cut, mut n_partial) = (0, 0);
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 3);
        let set = goals(&mut rng, &model, 2);
        let tests = walks(&mut rng, &model, 3);
        let subgoals = Subgoals::new(&set, &Budget::unlimited());
        let whole = coverage(&subgoals, &tests, &Budget::unlimited());
        assert_eq!(whole.cut, None);
        for patience in 0..6 {
            let seen = with_patience(patience, |budget| coverage(&subgoals, &tests, budget));
            assert!(seen.cut.is_some() || seen.tests == whole.tests, "{patience}\n{text}");
            assert!(patience > 0 || tests.is_empty() || seen.cut == Some(Why::Interrupted));
            for (seen, whole) in seen.tests.iter().zip(&whole.tests) {
                assert!(seen.iter().all(|hit| whole.contains(hit)), "{patience}\n{text}");
            }
            n_cut += usize::from(seen.cut.is_some());
            let n_seen = seen.tests.iter().filter(|tests| !tests.is_empty()).count();
            n_partial += usize::from(seen.cut.is_some() && n_seen > 0);
        }
    }
    assert!(n_cut > 30 && n_partial > 10, "{n_cut} {n_partial}");
}

#[test]
fn tests_that_nobody_has_looked_at_are_not_dropped() {
    let (mut n_left, mut n_fewer) = (0, 0);
    for seed in 100..130 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 3);
        let set = goals(&mut rng, &model, 2);
        let tests = walks(&mut rng, &model, 4);
        let makeable = makeable(&set, &ENGINES[1], &Budget::unlimited());
        let subgoals = Subgoals::new(&set, &Budget::unlimited());
        let wanted: Vec<usize> = (0..set.goals.len()).collect();
        let (goals, is_asked) = (&wanted, &|_| true);
        let needed =
            Needed { set: &set, subgoals: &subgoals, makeable: &makeable, goals, is_asked };
        let before = shown(&set, &makeable, &tests);
        for patience in 0..8 {
            let made = with_patience(patience, |budget| {
                minimise(&needed, &tests, &[], Objective::FewestTests, budget)
            });
            assert_eq!(shown(&set, &makeable, &made.tests), before, "{patience}\n{text}");
            assert!(made.given_up.is_none() || made.tests == tests, "{patience}\n{text}");
            n_left += usize::from(made.given_up.is_some());
            n_fewer += usize::from(made.tests.len() < tests.len());
        }
    }
    assert!(n_left > 20 && n_fewer > 20, "{n_left} {n_fewer}");
}

#[test]
fn a_suite_says_no_more_than_its_tests_show_wherever_it_is_cut() {
    let mut n_lost = 0;
    for seed in 200..230 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 2);
        let set = goals(&mut rng, &model, 2);
        let options = options(&mut rng);
        let made = generate(&set, &options, &mut NoJournal, &Budget::unlimited());
        for (patience, objective) in
            (0..8).flat_map(|patience| [(patience, None), (patience, Some(Objective::FewestTests))])
        {
            let what = format!("{patience} {objective:?} seed {seed}\n{text}");
            let (suite, _) = with_patience(patience, |b| assemble(&set, &made, objective, b));
            let tests: Vec<Trace> = suite.tests.iter().map(|test| test.trace.clone()).collect();
            let truth = shown(&set, &made.makeable, &tests);
            for (idx, scored) in suite.goals.iter().enumerate() {
                assert!(truth[idx] || !scored.shown.is_some(), "{} {what}", set.goals[idx].id);
                let is_covered = matches!(made.verdicts[idx], Verdict::Covered(_));
                if is_covered && !scored.shown.is_some() {
                    let why = Missing::Unknown(Why::Interrupted.to_string());
                    assert_eq!(scored.missing, why, "{} {what}", set.goals[idx].id);
                    assert!(!suite.is_complete, "{what}");
                    n_lost += 1;
                }
            }
        }
    }
    assert!(n_lost > 50, "{n_lost}");
}

#[test]
fn a_score_is_not_lower_than_it_is_without_saying_so() {
    let (mut n_cut, mut n_open) = (0, 0);
    for seed in 300..320 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 2);
        let set = goals(&mut rng, &model, 2);
        let tests = walks(&mut rng, &model, 3);
        let engine = &ENGINES[1];
        let wishes = Wishes { infeasible: true, trivial: true, duplicate: true };
        let whole = evaluate(&set, &tests, Method::Native, wishes, engine, &Budget::unlimited());
        for (patience, method) in
            (0..8).flat_map(|patience| [(patience, Method::Native), (patience, Method::Machine)])
        {
            let what = format!("{patience} {method:?} seed {seed}\n{text}");
            let found = with_patience(patience, |budget| {
                evaluate(&set, &tests, method, wishes, engine, budget)
            });
            n_cut += usize::from(found.cut.is_some());
            for (idx, goal) in set.goals.iter().enumerate() {
                let (scored, truth) = (&found.goals[idx], &whole.goals[idx]);
                // Which pairs count as coupled depends on what else can be made.
                if goal.kind.is_pair() {
                    continue;
                }
                let is_claim = matches!(truth.missing, Missing::Infeasible(_));
                assert!(is_claim || truth.shown.is_some() || !scored.shown.is_some(), "{what}");
                if truth.shown.is_some() && !scored.shown.is_some() {
                    assert!(matches!(scored.missing, Missing::Unknown(_)), "{scored:?} {what}");
                    assert!(found.cut.is_some(), "{what}");
                    n_open += 1;
                }
            }
        }
    }
    assert!(n_cut > 50 && n_open > 50, "{n_cut} {n_open}");
}

#[test]
fn places_are_true_or_missing_with_a_reason() {
    let mut n_cut = 0;
    for seed in 400..420 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 0);
        let set = goals(&mut rng, &model, 2);
        let tests = walks(&mut rng, &model, 3);
        let whole = hits(&set, &tests, &ENGINES[1], &Budget::unlimited());
        for patience in 0..5 {
            let found = with_patience(patience, |b| hits(&set, &tests, &ENGINES[1], b));
            n_cut += usize::from(found.cut.is_some());
            for (idx, goal) in set.goals.iter().enumerate().filter(|(_, g)| !g.kind.is_pair()) {
                let (seen, truth) = (&found.goals[idx], &whole.goals[idx]);
                let is_true = seen.iter().all(|hit| truth.contains(hit));
                assert!(is_true, "{} {patience}\n{text}", goal.id);
                assert!(found.cut.is_some() || seen == truth, "{} {patience}\n{text}", goal.id);
            }
        }
    }
    assert!(n_cut > 20, "{n_cut}");
}

#[test]
fn a_choice_that_nobody_had_time_to_look_for_counts_as_one() {
    let mut n_more = 0;
    for seed in 500..540 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 0);
        let tests = walks(&mut rng, &model, 2);
        let tests: Vec<&Trace> = tests.iter().collect();
        let whole = choices(&model, &tests, &Budget::unlimited());
        for patience in [0, 1, 3, 10] {
            let found = with_patience(patience, |budget| choices(&model, &tests, budget));
            for (found, whole) in found.iter().flatten().zip(whole.iter().flatten()) {
                assert!(whole.iter().all(|var| found.contains(var)), "{patience}\n{text}");
                n_more += usize::from(found.len() > whole.len());
            }
        }
    }
    assert!(n_more > 20, "{n_more}");
}

#[test]
fn whatever_little_work_has_found_is_in_the_tests() {
    let (mut n_covered, mut n_unknown) = (0, 0);
    for seed in 600..640 {
        let mut rng = Rng::with_seed(seed);
        let Case { model, text } = case(&mut rng, Nature::Tame, 2);
        let set = goals(&mut rng, &model, 2);
        for strategy in [Strategy::Extend, Strategy::Separate] {
            for work in [0, 20, 200, 2_000] {
                let options = trapline_suite::generate::Options::usual(strategy, ENGINES[1]);
                let budget = Budget::new(Limits { work: Some(work), ..Limits::default() });
                let made = generate(&set, &options, &mut NoJournal, &budget);
                let (suite, _) = assemble(&set, &made, Some(Objective::FewestTests), &budget);
                let what = format!("{strategy:?} {work} seed {seed}\n{text}");
                check_paths(&model, &made.tests, &what);
                let tests: Vec<Trace> = suite.tests.iter().map(|test| test.trace.clone()).collect();
                let truth = shown(&set, &made.makeable, &tests);
                for (idx, verdict) in made.verdicts.iter().enumerate() {
                    match verdict {
                        Verdict::Covered(_) => assert!(truth[idx], "{}{what}", set.goals[idx].id),
                        Verdict::Unknown(why) => {
                            assert!(work > 0 || *why == Why::Work, "{why:?} {what}");
                            n_unknown += 1;
                        }
                        Verdict::Infeasible(_) | Verdict::MayKill(_) => {}
                    }
                    n_covered += usize::from(truth[idx]);
                }
            }
        }
    }
    assert!(n_covered > 200 && n_unknown > 200, "{n_covered} {n_unknown}");
}
