//! Which goals traces reach, judged goal by goal: what suites' coverage is tested against.

use trapline_engine::{Budget, Engine};
use trapline_goals::decide::{Makeable, Verdict, answer};
use trapline_goals::subgoals::Subgoals;
use trapline_goals::{GoalKind, GoalSet, Pair};
use trapline_model::goal::{self, Judge};
use trapline_model::trace::Trace;

/// For each decision of a pair, which evaluations can be made.
pub fn makeable(set: &GoalSet, engine: &Engine, budget: &Budget<'_>) -> Makeable {
    let subgoals = Subgoals::new(set, budget);
    let all: Vec<usize> = (0..subgoals.list.len()).collect();
    let answers = answer(&subgoals, &all, engine, budget).verdicts;
    let is_made = |subgoal: &usize| matches!(answers[*subgoal], Verdict::Covered(_));
    let mut makeable = vec![Vec::new(); set.points.len()];
    for (goal, own) in set.goals.iter().zip(&subgoals.of_goal) {
        if let GoalKind::Pair(pair) = &goal.kind {
            makeable[pair.decision] = (0..own.len()).filter(|&idx| is_made(&own[idx])).collect();
        }
    }
    makeable
}

/// Which goals some traces reach together; `None` for temporal goals, which have to be evaluated on
/// paths. Traces need the values of all variables, monitors included.
pub fn reached(set: &GoalSet, makeable: &Makeable, traces: &[Trace]) -> Vec<Option<bool>> {
    let mut targets: Vec<GoalKind> = Vec::new();
    for point in &set.points {
        targets.extend((0..point.evaluations.len()).map(|idx| point.target(&set.model, idx)));
    }
    let n_evaluations = targets.len();
    targets.extend(set.goals.iter().map(|goal| goal.kind.clone()));
    let met = met(set, &targets, traces);
    let mut first = 0;
    let starts: Vec<usize> = set
        .points
        .iter()
        .map(|point| {
            first += point.evaluations.len();
            first - point.evaluations.len()
        })
        .collect();
    let goals = set.goals.iter().zip(&met[n_evaluations..]);
    goals
        .map(|(goal, met_goal)| match &goal.kind {
            GoalKind::Pair(pair) => {
                let start = starts[pair.decision];
                let n_own = set.points[pair.decision].evaluations.len();
                let is_made = |idx: &usize| met[start + idx] == Some(true);
                let made: Vec<usize> = (0..n_own).filter(is_made).collect();
                Some(has_pair(set, pair, makeable, &made))
            }
            _ => *met_goal,
        })
        .collect()
}

/// True if these evaluations demonstrate the condition of a pair.
fn has_pair(set: &GoalSet, pair: &Pair, makeable: &Makeable, made: &[usize]) -> bool {
    let point = &set.points[pair.decision];
    let valid = point.shown_by(pair.condition, pair.reading, &makeable[pair.decision]);
    valid.iter().any(|(a, b)| made.contains(a) && made.contains(b))
}

/// Which targets the traces meet; pairs and temporal goals are ignored.
fn met(set: &GoalSet, targets: &[GoalKind], traces: &[Trace]) -> Vec<Option<bool>> {
    let mut asked: Vec<(usize, bool, goal::Target)> = Vec::new();
    for (idx, target) in targets.iter().enumerate() {
        let (is_initial, target) = match target {
            GoalKind::Initial(expr) => (true, goal::Target::State(*expr)),
            GoalKind::State(expr) => (false, goal::Target::State(*expr)),
            GoalKind::Step(expr) => (false, goal::Target::Step(*expr)),
            GoalKind::Steps(steps) => (false, goal::Target::Steps(steps.clone())),
            GoalKind::Pair(_) | GoalKind::Trap(..) | GoalKind::Fault(_) => continue,
        };
        asked.push((idx, is_initial, target));
    }
    let list: Vec<goal::Target> = asked.iter().map(|(.., target)| target.clone()).collect();
    let judge = Judge::new(&set.model, &list);
    let mut met = vec![None; targets.len()];
    for (idx, ..) in &asked {
        met[*idx] = Some(false);
    }
    for trace in traces {
        let first =
            Trace { states: trace.states[..1.min(trace.states.len())].to_vec(), loop_start: None };
        let (whole, first) = (judge.met(trace), judge.met(&first));
        for (place, (idx, is_initial, _)) in asked.iter().enumerate() {
            let found = if *is_initial { first[place] } else { whole[place] };
            if found.is_some() {
                met[*idx] = Some(true);
            }
        }
    }
    met
}
