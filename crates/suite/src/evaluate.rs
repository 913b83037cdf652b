//! Evaluates an existing suite.
//!
//! Which goals the tests reach is determined from the tests alone. For the others, an engine
//! decides which are unreachable: these do not count.

use std::ops::Range;

use trapline_engine::{Budget, Engine, Why};
use trapline_goals::decide::trap::Paths;
use trapline_goals::decide::{self, Decided, Verdict, Witness};
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_goals::traps::{self, Traps};
use trapline_goals::visibility;
use trapline_goals::winnow::{self, Wishes};
use trapline_goals::{GoalKind, GoalSet, Reading};
use trapline_model::trace::Trace;

use crate::coverage::{Coverage, Shown, coverage_of_trees, unrolled};
use crate::evidence::{Evidence, Reached, judge};
use crate::hits::{self, Hits};
use crate::monitors::Monitors;
use crate::never_claim::machine;
use crate::suite::{Missing, Scored};
use crate::tracker::{Status, Tracker};

/// How coverage is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Each goal is evaluated along each test.
    Native,
    /// Each test becomes a model on which an engine checks the trap properties of all goals.
    Machine,
}

/// The result of an evaluation.
#[derive(Debug)]
pub struct Evaluated {
    /// What is known of each goal.
    pub goals: Vec<Scored>,
    /// For each goal why it does not count, if it does not.
    pub winnowed: Vec<Option<winnow::Reason>>,
    /// Why not all tests were evaluated, if so: they may reach more.
    pub cut: Option<Why>,
}

impl Evaluated {
    /// The number of reached goals among these, and the number that count.
    pub fn score(&self, goals: &[usize]) -> (usize, usize) {
        let counting = goals.iter().filter(|&&idx| self.winnowed[idx].is_none());
        let n_counting = counting.clone().count();
        (counting.filter(|&&idx| self.goals[idx].shown.is_some()).count(), n_counting)
    }

    /// How many of these goals count, are reached, and are shown so.
    pub fn n_shown(&self, goals: &[usize], is_meant: impl Fn(&Evidence) -> bool) -> usize {
        let counting = goals.iter().filter(|&&idx| self.winnowed[idx].is_none());
        counting.filter(|&&idx| is_meant(&self.goals[idx].evidence)).count()
    }
}

/// Evaluates tests.
pub fn evaluate(
    set: &GoalSet,
    tests: &[Trace],
    method: Method,
    wishes: Wishes,
    engine: &Engine,
    budget: &Budget<'_>,
) -> Evaluated {
    evaluate_trees(set, (tests, &[]), method, wishes, engine, budget)
}

/// Evaluates tests of which some have branches. Trees are ranges of tests.
pub fn evaluate_trees(
    set: &GoalSet,
    (tests, trees): (&[Trace], &[Range<usize>]),
    method: Method,
    wishes: Wishes,
    engine: &Engine,
    budget: &Budget<'_>,
) -> Evaluated {
    let (tracker, covered, _) = examine(set, (tests, trees), (method, wishes), engine, budget);
    conclude(tracker, covered, tests, wishes, (engine, budget))
}

/// The same without infeasible goals, and where each goal is reached.
pub fn evaluate_and_locate(
    set: &GoalSet,
    (tests, trees): (&[Trace], &[Range<usize>]),
    engine: &Engine,
    budget: &Budget<'_>,
) -> (Evaluated, Hits) {
    let wishes = Wishes { infeasible: true, ..Wishes::default() };
    let (tracker, covered, n_claims_open) =
        examine(set, (tests, trees), (Method::Native, wishes), engine, budget);
    let hits = hits::locate(&tracker, &covered, n_claims_open);
    (conclude(tracker, covered, tests, wishes, (engine, budget)), hits)
}

/// What the tests meet, whether anything meets the rest, and the number of properties left
/// undecided that tests violate.
fn examine<'s>(
    set: &'s GoalSet,
    (tests, trees): (&[Trace], &[Range<usize>]),
    (method, wishes): (Method, Wishes),
    engine: &Engine,
    budget: &Budget<'_>,
) -> (Tracker<'s>, Coverage, usize) {
    let mut tracker = Tracker::new(set, budget);
    let mut covered = match method {
        Method::Native => {
            coverage_of_trees(&tracker.subgoals, &|_| true, (tests, trees), &budget.grace())
        }
        Method::Machine => by_machine(&tracker.subgoals, tests, engine, budget),
    };
    let n_claims_open = drop_true_claims(&tracker.subgoals, &mut covered, engine, budget);
    let met = (0..covered.tests.len()).filter(|&subgoal| !covered.tests[subgoal].is_empty());
    tracker.meet(met);
    decide_rest(&mut tracker, wishes, engine, budget);
    (tracker, covered, n_claims_open)
}

/// From what is known of subgoals to what is known of goals.
fn conclude(
    tracker: Tracker<'_>,
    covered: Coverage,
    tests: &[Trace],
    wishes: Wishes,
    (engine, budget): (&Engine, &Budget<'_>),
) -> Evaluated {
    let set = tracker.set;
    let verdicts = tracker.goals();
    let makeable = tracker.makeable();
    let shown = covered.goals(set, &tracker.subgoals, &makeable);
    let traces: Vec<&Trace> = tests.iter().collect();
    let subgoals = &tracker.subgoals;
    let reached = Reached { set, subgoals, makeable: &makeable, tests: &traces, shown: &shown };
    let judged = judge(&reached, budget);
    let cut = covered.cut;
    let goals = shown.into_iter().zip(&verdicts).zip(judged.goals);
    let goals = goals.map(|((shown, verdict), evidence)| Scored {
        evidence,
        ..scored(shown, verdict, cut.as_ref())
    });
    let goals: Vec<Scored> = goals.collect();
    let verdicts = goals.iter().zip(verdicts).map(|(goal, found)| verdict(goal, found)).collect();
    let traces = decide::own_traces(set, tracker.found);
    let decided = Decided { verdicts, traces };
    let winnowed = winnow::reasons(set, &decided, wishes, engine, budget);
    Evaluated { goals, winnowed, cut }
}

/// Decides whether the subgoals that no test meets are reachable.
fn decide_rest(tracker: &mut Tracker<'_>, wishes: Wishes, engine: &Engine, budget: &Budget<'_>) {
    if !wishes.infeasible && !wishes.duplicate {
        return ask_for_coupled(tracker, engine, budget);
    }
    let is_open = |subgoal: &usize| tracker.status[*subgoal] == Status::Open;
    let open: Vec<usize> = (0..tracker.status.len()).filter(is_open).collect();
    let answers = decide::answer(&tracker.subgoals, &open, engine, budget);
    tracker.note(&open, answers);
}

/// Decides which evaluations of decisions under the coupled reading can be made, since that
/// determines which pairs count.
pub(crate) fn ask_for_coupled(tracker: &mut Tracker<'_>, engine: &Engine, budget: &Budget<'_>) {
    let mut open = coupled(tracker);
    open.retain(|&subgoal| tracker.status[subgoal] == Status::Open);
    if !open.is_empty() {
        let answers = decide::answer(&tracker.subgoals, &open, engine, budget);
        tracker.note(&open, answers);
    }
}

/// The evaluations of decisions under the coupled reading.
pub(crate) fn coupled(tracker: &Tracker<'_>) -> Vec<usize> {
    let is_coupled = |target: &GoalKind| match target {
        GoalKind::Pair(pair) => pair.reading == Reading::Coupled,
        _ => false,
    };
    let goals = tracker.set.goals.iter().zip(&tracker.subgoals.of_goal);
    let coupled = goals.filter(|(goal, _)| is_coupled(&goal.kind));
    let mut subgoals: Vec<usize> = coupled.flat_map(|(_, own)| own.iter().copied()).collect();
    subgoals.sort_unstable();
    subgoals.dedup();
    subgoals
}

fn scored(shown: Shown, verdict: &Verdict, cut: Option<&Why>) -> Scored {
    let missing = match (verdict, cut) {
        _ if shown.is_some() => Missing::No,
        // A test that was not evaluated may reach it.
        (Verdict::Covered(_), Some(why)) => Missing::Unknown(why.to_string()),
        (Verdict::Covered(_), None) => Missing::Feasible,
        (Verdict::Infeasible(how), _) => Missing::Infeasible(how.clone()),
        (Verdict::MayKill(how), _) => Missing::MayKill(how.clone()),
        (Verdict::Unknown(why), _) => Missing::Unknown(why.to_string()),
    };
    Scored::new(shown, missing)
}

/// The verdict on a goal, from the tests or else from an engine.
fn verdict(goal: &Scored, found: Verdict) -> Verdict {
    let shown = Witness { trace: 0, state: 0, evaluation: None };
    match &goal.missing {
        Missing::No | Missing::Feasible => Verdict::Covered(vec![shown]),
        Missing::Infeasible(_) | Missing::MayKill(_) | Missing::Unknown(_) => found,
    }
}

/// Coverage by model checking: each test is a model whose only path is the test, and a subgoal is
/// met where its trap property is false. Faults are simulated: their copies leave the path of the test.
fn by_machine(
    subgoals: &Subgoals,
    tests: &[Trace],
    engine: &Engine,
    budget: &Budget<'_>,
) -> Coverage {
    let Traps { model, claims } = traps::of_subgoals(subgoals);
    let monitors = Monitors::new(&model);
    let claims: Vec<_> = claims.iter().map(|claim| (claim[0].kind, claim[0].expr)).collect();
    let mut coverage = Coverage { tests: vec![Vec::new(); subgoals.list.len()], cut: None };
    let is_claim = |subgoal: &usize| matches!(subgoals.list[*subgoal], Subgoal::Trap(..));
    let (on_paths, on_states): (Vec<usize>, Vec<usize>) =
        (0..subgoals.list.len()).partition(is_claim);
    for (test_idx, test) in tests.iter().enumerate() {
        if let Err(exhausted) = budget.spend(0) {
            coverage.cut = Some(exhausted.into());
            break;
        }
        let last = test.states.len().saturating_sub(1);
        for (asked, test) in [(&on_states, unrolled(test)), (&on_paths, test.clone())] {
            let watched = monitors.observe(test);
            let own: Vec<_> = asked.iter().map(|&subgoal| claims[subgoal]).collect();
            let violated = machine::violated(&model, &watched, &own, engine, budget);
            for (&subgoal, violated) in asked.iter().zip(violated) {
                match violated {
                    Ok(true) => coverage.tests[subgoal].push((test_idx, last)),
                    Ok(false) => {}
                    Err(_) => coverage.cut = coverage.cut.or(budget.spend(0).err().map(Why::from)),
                }
            }
        }
    }
    if coverage.cut.is_none() {
        let shown = visibility::credit::shown(subgoals, &|_| true, tests, budget);
        coverage.cut = shown.cut;
        shown.list.into_iter().for_each(|(subgoal, met)| coverage.tests[subgoal] = met);
    }
    coverage
}

/// Withdraws violations of properties that hold in the model: these speak of infinite paths, and a
/// test may end where no path does. Returns the number of properties left undecided.
pub(crate) fn drop_true_claims(
    subgoals: &Subgoals,
    covered: &mut Coverage,
    engine: &Engine,
    budget: &Budget<'_>,
) -> usize {
    if subgoals.paths == Paths::GoOn {
        return 0;
    }
    let is_asked = |subgoal: &usize| {
        matches!(subgoals.list[*subgoal], Subgoal::Trap(..)) && !covered.tests[*subgoal].is_empty()
    };
    let asked: Vec<usize> = (0..subgoals.list.len()).filter(is_asked).collect();
    let answers = decide::answer(subgoals, &asked, engine, budget);
    let mut n_open = 0;
    for (subgoal, verdict) in asked.into_iter().zip(answers.verdicts) {
        match verdict {
            Verdict::Covered(_) => {}
            Verdict::Infeasible(_) => covered.tests[subgoal].clear(),
            Verdict::Unknown(_) | Verdict::MayKill(_) => n_open += 1,
        }
    }
    n_open
}
