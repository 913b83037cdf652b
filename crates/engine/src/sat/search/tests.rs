//! When a search for many goals ends for the sake of few.

use trapline_model::goal::{Judge, Target};

use super::*;
use crate::answer::{Start, Verdict};
use crate::sat::batsat::Plain;
use crate::sat::reach::{goal, reach};
use trapline_budget::{Limits, Wanted};
use trapline_testkit::read;

/// A counter, and one that goes far if nothing stops it.
const TEXT: &str = "MODULE main VAR x : 0..99; n : 0..100000; i : boolean;
    ASSIGN init(x) := 0; next(x) := (x + 1) mod 100;
    init(n) := 0; next(n) := i & n < 100000 ? n + 1 : 0;";

/// So many values of the counter, and one of the other that is far away.
fn targets(n_near: usize) -> (trapline_model::Model, Vec<Target>) {
    let mut texts: Vec<String> = (0..n_near).map(|idx| format!("x = {idx}")).collect();
    texts.push("n = 90000".into());
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (model, exprs) = read(TEXT, &texts);
    (model, exprs.into_iter().map(Target::State).collect())
}

fn limits(wanted: Wanted) -> Limits {
    Limits { work: Some(BEFORE_FEW + BEFORE_FEW / 2), wanted, ..Limits::default() }
}

/// How a search ends, and how many goals are open then.
fn end(n_near: usize, wanted: Wanted) -> (Outcome, usize) {
    let (model, targets) = targets(n_near);
    let budget = Budget::new(limits(wanted));
    let exprs = targets.iter().map(|target| match target {
        Target::State(expr) => *expr,
        _ => unreachable!("all are states"),
    });
    let mut circuit = Circuit::new(&model, exprs, &Start::Initial, &budget).expect("it is small");
    let goals = targets.iter().map(|target| goal(&mut circuit, target).expect("it is small"));
    let goals: Vec<Goal> = goals.collect();
    let mut knowledge = Knowledge::new(&circuit, goals);
    type OfPlain<'c, 'm, 'b> =
        GoalSearch<'c, 'm, 'b, <Plain as super::super::solver::Kind>::Solver<'b>>;
    let outcome = OfPlain::run_to_few(&circuit, &mut knowledge, &budget);
    (outcome, knowledge.n_open())
}

#[test]
fn a_search_for_many_ends_when_few_are_open() {
    let (outcome, n_open) = end(MANY, Wanted::All);
    assert!(matches!(outcome, Outcome::Few), "{outcome:?}");
    assert_eq!(n_open, 1);
}

#[test]
fn a_search_for_some_goes_on() {
    let (outcome, n_open) = end(MANY - 2, Wanted::All);
    assert!(matches!(outcome, Outcome::Cut(Why::Work)), "{outcome:?}");
    assert_eq!(n_open, 1);
}

/// A path that was met on the way may be too long.
#[test]
fn a_search_for_shortest_paths_goes_on() {
    let (outcome, _) = end(MANY, Wanted::Shortest);
    assert!(matches!(outcome, Outcome::Cut(Why::Work)), "{outcome:?}");
}

#[test]
fn all_are_known_but_the_one_that_needs_more_work() {
    let (model, targets) = targets(MANY);
    let budget = Budget::new(limits(Wanted::All));
    let reached = reach::<Plain>(&model, &targets, &Start::Initial, &budget);
    let judge = Judge::new(&model, &targets);
    let met: Vec<_> = reached.traces.iter().map(|trace| judge.met(trace)).collect();
    for (idx, verdict) in reached.verdicts[..MANY].iter().enumerate() {
        let Verdict::Reached { trace, state } = verdict else { panic!("{idx}: {verdict:?}") };
        assert_eq!((met[*trace][idx], *state), (Some(idx), idx));
    }
    assert_eq!(reached.verdicts[MANY], Verdict::Unknown(Why::Work));
}
