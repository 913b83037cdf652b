//! Decides which goals are reachable, in as few searches as possible.
//!
//! States, steps, sequences, and the evaluations of pairs are one question to the engine, unless
//! they need many monitor variables. Goals about initial states are a second, on a model without
//! steps. Never-claims about single steps join the first question; the others are properties that
//! the engine checks together.

mod batch;
pub mod trap;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_engine::{Budget, Engine, Outcome, Start, Why};
use trapline_model::trace::Trace;
use trapline_model::{ExprId, Model, PropertyKind, goal};

use crate::builder::GoalSet;
use crate::goal::{GoalKind, Pair, Reading};
use crate::pairs::{Plan, Point};
use crate::subgoals::{Subgoal, Subgoals};
use crate::traps::{Trap, with_traps};
use crate::visibility;

/// A property is violated, and no test can show it.
pub const NO_PATH: &str = "no single path shows the violation";

/// The verdicts on goals.
#[derive(Clone, Debug, Default)]
pub struct Decided {
    /// One for each goal.
    pub verdicts: Vec<Verdict>,
    /// The traces found, without monitor variables.
    pub traces: Vec<Trace>,
}

/// The verdict on a goal.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Its witnesses: one, or two for a pair.
    Covered(Vec<Witness>),
    /// It is unreachable, with the proof.
    Infeasible(String),
    /// Of a fault: whether a test shows it depends on choices that the tester does not control, and how.
    MayKill(String),
    /// Undecided, with the reason.
    Unknown(Why),
}

/// A position in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The trace.
    pub trace: usize,
    /// The state in which it is met; for steps, the state after the last one.
    pub state: usize,
    /// For a pair, the evaluation made there.
    pub evaluation: Option<usize>,
}

/// Decides which goals are reachable.
pub fn decide(set: &GoalSet, engine: &Engine, budget: &Budget<'_>) -> Decided {
    let subgoals = Subgoals::new(set, budget);
    let all: Vec<usize> = (0..subgoals.list.len()).collect();
    let Answers { verdicts, traces } = answer(&subgoals, &all, engine, budget);
    Decided {
        verdicts: conclude(set, &subgoals, &verdicts, &mut Plans::default()),
        traces: own_traces(set, traces),
    }
}

/// The verdicts on subgoals.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// One per requested subgoal, in order.
    pub verdicts: Vec<Verdict>,
    /// The traces found, including monitor variables.
    pub traces: Vec<Trace>,
}

/// Decides which of some subgoals are reachable.
pub fn answer(
    subgoals: &Subgoals,
    asked: &[usize],
    engine: &Engine,
    budget: &Budget<'_>,
) -> Answers {
    // Thousands of subgoals take a while, even if the budget is already exhausted.
    if let Err(exhausted) = budget.spend(0) {
        return Answers {
            verdicts: vec![Verdict::Unknown(exhausted.into()); asked.len()],
            traces: Vec::new(),
        };
    }
    let (mut initial, mut reached, mut claims) = (Vec::new(), Vec::new(), Vec::new());
    let mut faults = Vec::new();
    for (idx, &subgoal) in asked.iter().enumerate() {
        match &subgoals.list[subgoal] {
            Subgoal::Initial(expr) => initial.push((idx, goal::Target::State(*expr))),
            Subgoal::Reach(target) => reached.push((idx, target.clone())),
            Subgoal::Trap(kind, expr) => claims.push((idx, (*kind, *expr))),
            Subgoal::Fault(fault) => faults.push((idx, *fault)),
        }
    }
    let mut traces = Vec::new();
    let mut verdicts = vec![Verdict::Unknown(Why::NotAsked); asked.len()];
    let mut note = |places: &[usize], answers: Vec<Verdict>| {
        for (&place, answer) in places.iter().zip(answers) {
            verdicts[place] = answer;
        }
    };
    let (places, targets) = unzip(initial);
    if !targets.is_empty() {
        let mut still = subgoals.model.clone();
        still.forbid_steps();
        note(&places, reach(&still, &targets, engine, budget, &mut traces));
    }
    let (places, targets) = unzip(reached);
    for batch in batch::batches(&subgoals.model, &targets) {
        let (places, targets): (Vec<usize>, Vec<goal::Target>) =
            batch.into_iter().map(|idx| (places[idx], targets[idx].clone())).unzip();
        note(&places, reach(&subgoals.model, &targets, engine, budget, &mut traces));
    }
    let (places, faults) = unzip(faults);
    if !faults.is_empty() {
        let found = visibility::search::search(subgoals, &faults, engine, budget, &mut traces);
        let findings = found.into_iter().zip(&faults);
        let verdicts = findings.map(|(found, &fault)| found.verdict(&subgoals.faults[fault]));
        note(&places, verdicts.collect());
    }
    let (places, claims) = unzip(claims);
    note(&places, check(&subgoals.model, &claims, engine, budget, &mut traces));
    Answers { verdicts, traces }
}

fn unzip<T>(asked: Vec<(usize, T)>) -> (Vec<usize>, Vec<T>) {
    asked.into_iter().unzip()
}

/// For each decision of a pair, the evaluations that can be made at all: `mcdc-coupled` depends on
/// them.
pub type Makeable = Vec<Vec<usize>>;

/// The plans for decisions, each with the evaluations it is based on.
pub type Plans = FxHashMap<(usize, Reading), (Vec<usize>, Plan)>;

/// Derives the verdicts on goals from those on all subgoals. A known plan is reused, unless other
/// evaluations can be made.
pub fn conclude(
    set: &GoalSet,
    subgoals: &Subgoals,
    answers: &[Verdict],
    plans: &mut Plans,
) -> Vec<Verdict> {
    let mut looked_at = FxHashSet::default();
    let goals = set.goals.iter().zip(&subgoals.of_goal);
    let verdicts = goals.map(|(goal, own)| match &goal.kind {
        GoalKind::Pair(pair) => {
            let (point, key) = (&set.points[pair.decision], (pair.decision, pair.reading));
            if looked_at.insert(key) {
                let made = made(own, answers);
                if plans.get(&key).is_none_or(|(of, _)| *of != made) {
                    let plan = point.plan(pair.reading, &made);
                    plans.insert(key, (made, plan));
                }
            }
            pair_verdict((point, &plans[&key].1), pair, own, answers)
        }
        _ => answers[own[0]].clone(),
    });
    verdicts.collect()
}

/// Which evaluations of a decision can be made.
fn made(own: &[usize], answers: &[Verdict]) -> Vec<usize> {
    let is_made = |idx: &usize| matches!(answers[own[*idx]], Verdict::Covered(_));
    (0..own.len()).filter(is_made).collect()
}

fn reach(
    model: &Model,
    targets: &[goal::Target],
    engine: &Engine,
    budget: &Budget<'_>,
    traces: &mut Vec<Trace>,
) -> Vec<Verdict> {
    let found = (engine.reach)(model, targets, &Start::Initial, budget);
    let first = traces.len();
    traces.extend(found.traces);
    let verdicts = found.verdicts.into_iter().map(|verdict| match verdict {
        trapline_engine::Verdict::Reached { trace, state } => {
            Verdict::Covered(vec![Witness { trace: first + trace, state, evaluation: None }])
        }
        trapline_engine::Verdict::Unreachable(proof) => Verdict::Infeasible(proof.to_string()),
        trapline_engine::Verdict::Unknown(why) => Verdict::Unknown(why),
    });
    verdicts.collect()
}

fn check(
    model: &Model,
    claims: &[(PropertyKind, ExprId)],
    engine: &Engine,
    budget: &Budget<'_>,
    traces: &mut Vec<Trace>,
) -> Vec<Verdict> {
    let mut model = model.clone();
    let has_path: Vec<bool> =
        claims.iter().map(|&(kind, expr)| trap::has_path(&mut model, kind, expr)).collect();
    let model = with_traps(model, claims.iter().map(|&(kind, expr)| Trap { kind, expr }));
    let asked: Vec<usize> = (0..claims.len()).collect();
    if asked.is_empty() {
        return Vec::new();
    }
    let checked = (engine.check)(&model, &asked, budget);
    let verdicts =
        checked.outcomes.into_iter().zip(has_path).map(|(outcome, has_path)| match outcome {
            Outcome::True(proof) => Verdict::Infeasible(proof.to_string()),
            Outcome::False(trace) if has_path && !trace.states.is_empty() => {
                let state = trace.states.len() - 1;
                traces.push(trace);
                let trace = traces.len() - 1;
                Verdict::Covered(vec![Witness { trace, state, evaluation: None }])
            }
            Outcome::False(_) => unsupported(NO_PATH),
            Outcome::Value(..) => unsupported("it is no claim"),
            Outcome::Unknown(why) => Verdict::Unknown(why),
        });
    verdicts.collect()
}

fn unsupported(what: &str) -> Verdict {
    Verdict::Unknown(Why::Unsupported(what.into()))
}

/// A pair is covered if two evaluations that form one can be made.
fn pair_verdict(
    (point, plan): (&Point, &Plan),
    pair: &Pair,
    own: &[usize],
    answers: &[Verdict],
) -> Verdict {
    let at = |idx: usize| &answers[own[idx]];
    let is_made = |idx: &usize| matches!(at(*idx), Verdict::Covered(_));
    let serving = point.serving(pair.condition);
    let open = serving.iter().find_map(|&idx| match at(idx) {
        Verdict::Unknown(why) => Some(why.clone()),
        _ => None,
    });
    let may = serving.iter().find_map(|&idx| match at(idx) {
        Verdict::MayKill(how) => Some(how.clone()),
        _ => None,
    });
    let is_sure = |a: usize, b: usize| match pair.reading {
        Reading::Coupled => point.distance(pair.condition, a, b) == Some(0),
        _ => true,
    };
    match (plan.pairs[pair.condition], open) {
        (Some((a, b)), open) if open.is_none() || is_sure(a, b) => {
            let witnesses = [a, b].into_iter().filter_map(|idx| match at(idx) {
                Verdict::Covered(shown) => {
                    Some(Witness { evaluation: Some(idx), ..*shown.first()? })
                }
                _ => None,
            });
            Verdict::Covered(witnesses.collect())
        }
        (_, Some(why)) => Verdict::Unknown(why),
        (None, None) if may.is_some() => Verdict::MayKill(may.unwrap_or_default()),
        _ => {
            let n_made = serving.iter().filter(|&idx| is_made(idx)).count();
            let proof = serving.iter().find_map(|&idx| match at(idx) {
                Verdict::Infeasible(how) => Some(format!("; {how}")),
                _ => None,
            });
            let is_observed = serving.iter().any(|&idx| point.evaluations[idx].observed.is_some());
            let how = if is_observed { "can be seen at an output" } else { "can be made" };
            Verdict::Infeasible(format!(
                "of {} evaluations in which it decides, the {n_made} that {how} give no pair{}",
                serving.len(),
                proof.unwrap_or_default()
            ))
        }
    }
}

/// The traces without monitor variables; each must be a path of the model.
pub fn own_traces(set: &GoalSet, mut traces: Vec<Trace>) -> Vec<Trace> {
    if set.model.has_added()
        && let Err(violation) = set.model.back().lift_all(&set.model.before(), &mut traces)
    {
        unreachable!("what watches a model must not change it: {violation:?}");
    }
    traces
}
