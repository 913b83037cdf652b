//! Winnowing: dropping uninformative goals (Ammann, Black, Ding, *Model checkers in software
//! testing*, 2.1.2).
//!
//! Infeasible goals are reached by no test, trivial ones by every test, and duplicates by the same
//! tests. Candidates are found on sampled states first; only what the samples do not distinguish is
//! passed to an engine, all at once.

use rustc_hash::FxHashMap;
use trapline_engine::simulate::Simulator;
use trapline_engine::{Budget, Engine, Start, Verdict as Found};
use trapline_model::eval::Plan;
use trapline_model::trace::{State, Trace};
use trapline_model::transform::cut::without_rules;
use trapline_model::{ExprId, Model, PropertyKind, Reads, goal};

use crate::builder::GoalSet;
use crate::decide::{Decided, Verdict, trap};
use crate::defined::Defined;
use crate::goal::GoalKind;

/// Maximum number of goal evaluations on samples.
const MAX_LOOKS: usize = 20_000_000;
/// The samples: random walks, and their length.
const N_WALKS: usize = 40;
const WALK_LENGTH: usize = 60;
/// Maximum number of engine calls while differences are still found.
const MAX_ROUNDS: usize = 30;

/// What to drop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Unreachable goals.
    pub infeasible: bool,
    /// Goals that every test reaches, even of an unconstrained machine.
    pub trivial: bool,
    /// Goals met in the same states or steps as another one.
    pub duplicate: bool,
}

/// What was dropped.
#[derive(Clone, Debug, Default)]
pub struct Winnowed {
    /// Each goal's id and criterion, and why.
    pub dropped: Vec<(String, String, Reason)>,
}

/// Why a goal was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is unreachable.
    Infeasible,
    /// Every test reaches it.
    Trivial,
    /// It is met in the same places as the goal with this id.
    Duplicate(String),
}

/// Drops goals and their verdicts.
pub fn winnow(
    set: &mut GoalSet,
    decided: &mut Decided,
    wishes: Wishes,
    engine: &Engine,
    budget: &Budget<'_>,
) -> Winnowed {
    let why = reasons(set, decided, wishes, engine, budget);
    drop_goals(set, decided, why)
}

/// For each goal why it should be dropped, if it should.
pub fn reasons(
    set: &GoalSet,
    decided: &Decided,
    wishes: Wishes,
    engine: &Engine,
    budget: &Budget<'_>,
) -> Vec<Option<Reason>> {
    let mut why: Vec<Option<Reason>> = vec![None; set.goals.len()];
    if wishes.infeasible {
        for (idx, verdict) in decided.verdicts.iter().enumerate() {
            if matches!(verdict, Verdict::Infeasible(_)) {
                why[idx] = Some(Reason::Infeasible);
            }
        }
    }
    if wishes.trivial {
        for idx in trivial(set, engine, budget) {
            why[idx].get_or_insert(Reason::Trivial);
        }
    }
    if wishes.duplicate {
        let is_open = |idx: &usize| {
            why[*idx].is_none() && matches!(decided.verdicts[*idx], Verdict::Covered(_))
        };
        let open: Vec<usize> = (0..set.goals.len()).filter(is_open).collect();
        for (idx, first) in duplicates(set, &open, &decided.traces, engine, budget) {
            why[idx] = Some(Reason::Duplicate(set.goals[first].id.clone()));
        }
    }
    why
}

fn drop_goals(set: &mut GoalSet, decided: &mut Decided, why: Vec<Option<Reason>>) -> Winnowed {
    let mut winnowed = Winnowed::default();
    let goals = std::mem::take(&mut set.goals);
    let verdicts = std::mem::take(&mut decided.verdicts);
    for ((goal, verdict), why) in goals.into_iter().zip(verdicts).zip(why) {
        match why {
            Some(why) => winnowed.dropped.push((goal.id, goal.criterion, why)),
            None => {
                set.goals.push(goal);
                decided.verdicts.push(verdict);
            }
        }
    }
    winnowed
}

/// The predicate of a goal over a single state or step, with its definedness. `None` for other
/// goals.
fn single(model: &mut Model, defined: &mut Defined, target: &GoalKind) -> Option<ExprId> {
    let asked = match target {
        GoalKind::Initial(expr) | GoalKind::State(expr) | GoalKind::Step(expr) => *expr,
        GoalKind::Trap(kind, expr) => trap::violated(model, *kind, *expr)?,
        GoalKind::Steps(_) | GoalKind::Pair(_) | GoalKind::Fault(_) => return None,
    };
    let has_value = defined.defined(model, asked);
    Some(model.exprs.and(has_value, asked))
}

/// The goals among these with a single state or step, in order, with their predicates.
fn singles(set: &GoalSet, model: &mut Model, goals: &[usize]) -> Vec<(usize, ExprId)> {
    let mut defined = Defined::default();
    let mut ask = |idx: usize| single(model, &mut defined, &set.goals[idx].kind);
    let asked = goals.iter().map(|&idx| (idx, ask(idx)));
    asked.filter_map(|(idx, expr)| Some((idx, expr?))).collect()
}

/// Which kind of single state or step a goal is about: two goals of different kinds differ.
fn kind(target: &GoalKind) -> u8 {
    match target {
        GoalKind::Initial(_) => 0,
        GoalKind::State(_) => 1,
        GoalKind::Trap(PropertyKind::Invar, _) => 2,
        // Temporal properties may ignore states that an invariant does not.
        GoalKind::Trap(..) => 3,
        _ => 4,
    }
}

/// The goals that hold in every state or step of an unconstrained model.
fn trivial(set: &GoalSet, engine: &Engine, budget: &Budget<'_>) -> Vec<usize> {
    if budget.has_patience().is_err() {
        return Vec::new();
    }
    let mut free = without_rules(&set.model);
    let mut candidates = Vec::new();
    let mut samples = walks(&free, budget);
    let all: Vec<usize> = (0..set.goals.len()).collect();
    let singles = singles(set, &mut free, &all);
    shorten(&mut samples, singles.len());
    let seen = looks(&free, &asked(set, &free, &singles), &samples);
    for (&(idx, expr), seen) in singles.iter().zip(&seen) {
        if seen.iter().all(|look| *look != Some(false)) {
            let negated = free.exprs.not(expr);
            candidates.push((idx, target_of(&free, negated)));
        }
    }
    let targets: Vec<goal::Target> = candidates.iter().map(|(_, target)| target.clone()).collect();
    if targets.is_empty() {
        return Vec::new();
    }
    let found = (engine.reach)(&free, &targets, &Start::Initial, budget);
    let pairs = candidates.into_iter().zip(found.verdicts);
    pairs
        .filter(|(_, verdict)| matches!(verdict, Found::Unreachable(_)))
        .map(|((idx, _), _)| idx)
        .collect()
}

fn target_of(model: &Model, expr: ExprId) -> goal::Target {
    let is_step = model.exprs.info(expr).reads.any(Reads::STEP);
    if is_step { goal::Target::Step(expr) } else { goal::Target::State(expr) }
}

/// The duplicates among these goals, with the goal they duplicate.
fn duplicates(
    set: &GoalSet,
    open: &[usize],
    traces: &[Trace],
    engine: &Engine,
    budget: &Budget<'_>,
) -> Vec<(usize, usize)> {
    let mut model = set.model.clone();
    let singles = singles(set, &mut model, open);
    let mut found = textual(set, open, &singles);
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for wanted in 0..5 {
        let is_wanted = |place: &usize| kind(&set.goals[singles[*place].0].kind) == wanted;
        classes.push((0..singles.len()).filter(is_wanted).collect());
    }
    let mut samples = walks(&set.model, budget);
    samples.extend(traces.iter().filter(|trace| has_all_values(&set.model, trace)).cloned());
    shorten(&mut samples, singles.len());
    for _ in 0..MAX_ROUNDS {
        // Goals not known to be duplicates stay.
        if budget.has_patience().is_err() {
            break;
        }
        let seen = looks(&model, &asked(set, &model, &singles), &samples);
        classes = classes.into_iter().flat_map(|class| split(class, &seen)).collect();
        let asked = differences(set, &mut model, &singles, &classes);
        if asked.is_empty() {
            break;
        }
        let targets: Vec<goal::Target> = asked.iter().map(|(.., target)| target.clone()).collect();
        let answer = (engine.reach)(&model, &targets, &Start::Initial, budget);
        let mut left: Vec<usize> = Vec::new();
        for ((first, other, _), verdict) in asked.into_iter().zip(&answer.verdicts) {
            match verdict {
                Found::Unreachable(_) => {
                    found.push((singles[other].0, singles[first].0));
                    left.push(other);
                }
                // Goals not known to be duplicates stay.
                Found::Unknown(_) => left.push(other),
                Found::Reached { .. } => {}
            }
        }
        let is_left: std::collections::HashSet<usize> = left.into_iter().collect();
        for class in &mut classes {
            class.retain(|place| !is_left.contains(place));
        }
        classes.retain(|class| class.len() > 1);
        samples = answer.traces;
        shorten(&mut samples, singles.len());
    }
    found
}

/// For each member of a class but the first, what distinguishes it from the first.
fn differences(
    set: &GoalSet,
    model: &mut Model,
    singles: &[(usize, ExprId)],
    classes: &[Vec<usize>],
) -> Vec<(usize, usize, goal::Target)> {
    let mut asked = Vec::new();
    for class in classes {
        for &other in &class[1..] {
            let pair = [class[0], other].map(|place| singles[place].1);
            let differ = model.exprs.xor(pair[0], pair[1]);
            let target = match set.goals[singles[other].0].kind {
                GoalKind::Step(_) => goal::Target::Step(differ),
                _ => target_of(model, differ),
            };
            asked.push((class[0], other, target));
        }
    }
    asked
}

/// Sequences, pairs and temporal goals are compared syntactically.
fn textual(set: &GoalSet, open: &[usize], singles: &[(usize, ExprId)]) -> Vec<(usize, usize)> {
    let mut known: FxHashMap<String, usize> = FxHashMap::default();
    let mut found = Vec::new();
    let is_single = |idx: &usize| singles.binary_search_by_key(idx, |(idx, _)| *idx).is_ok();
    for &idx in open.iter().filter(|idx| !is_single(idx)) {
        match known.entry(format!("{:?}", set.goals[idx].kind)) {
            std::collections::hash_map::Entry::Occupied(first) => found.push((idx, *first.get())),
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(idx);
            }
        }
    }
    found
}

/// Splits a class by the observed values of its members; singletons are distinct from all others.
fn split(class: Vec<usize>, seen: &[Vec<Option<bool>>]) -> Vec<Vec<usize>> {
    let mut groups: FxHashMap<&[Option<bool>], Vec<usize>> = FxHashMap::default();
    let mut order = Vec::new();
    for place in class {
        let look = seen[place].as_slice();
        let group = groups.entry(look).or_default();
        if group.is_empty() {
            order.push(look);
        }
        group.push(place);
    }
    let groups = order.into_iter().filter_map(|look| groups.remove(look));
    groups.filter(|group| group.len() > 1).collect()
}

/// Where an expression is evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Start,
    States,
    Steps,
}

/// What is evaluated, and where.
fn asked(set: &GoalSet, model: &Model, singles: &[(usize, ExprId)]) -> Vec<(ExprId, Where)> {
    let place = |idx: usize, expr: ExprId| match set.goals[idx].kind {
        GoalKind::Initial(_) => Where::Start,
        GoalKind::Step(_) => Where::Steps,
        _ if matches!(target_of(model, expr), goal::Target::Step(_)) => Where::Steps,
        _ => Where::States,
    };
    singles.iter().map(|&(idx, expr)| (expr, place(idx, expr))).collect()
}

/// The value of each expression in each state or step of some traces; `None` where it does not
/// apply.
fn looks(model: &Model, asked: &[(ExprId, Where)], traces: &[Trace]) -> Vec<Vec<Option<bool>>> {
    let exprs: Vec<ExprId> = asked.iter().map(|(expr, _)| *expr).collect();
    let plan = Plan::new(model, &exprs);
    let mut seen = vec![Vec::new(); exprs.len()];
    let mut cells = Vec::new();
    for trace in traces {
        for (idx, state) in trace.states.iter().enumerate() {
            let next = trace.states.get(idx + 1);
            plan.run(&state.values, next.map_or(&[], |next| &next.values), &mut cells);
            for (place, seen) in seen.iter_mut().enumerate() {
                let counts = match asked[place].1 {
                    Where::Start => idx == 0,
                    Where::States => true,
                    Where::Steps => next.is_some(),
                };
                let value = plan.root(place, &cells).as_bool();
                seen.push(value.filter(|_| counts));
            }
        }
    }
    seen
}

/// Work limit of a random step.
const STEP_WORK: u64 = 100_000_000;

/// Random walks, a few thousand states, within the time limit and until interrupted.
fn walks(model: &Model, budget: &Budget<'_>) -> Vec<Trace> {
    let simulator = Simulator::new(model);
    let mut rng = fastrand::Rng::with_seed(0);
    let mut traces = Vec::new();
    for _ in 0..N_WALKS {
        let mut trace = Trace::default();
        let mut last: Option<State> = None;
        while trace.states.len() < WALK_LENGTH && budget.has_patience().is_ok() {
            let choice = match &last {
                None => simulator.initial(&[], &mut rng, &budget.part(Some(STEP_WORK))),
                Some(state) => simulator.step(state, &[], &mut rng, &budget.part(Some(STEP_WORK))),
            };
            let Ok(Some(choice)) = choice else { break };
            if let (Some(from), Some(place)) = (choice.from, trace.states.last_mut()) {
                *place = from;
            }
            trace.states.push(choice.state.clone());
            last = Some(choice.state);
        }
        traces.push(trace);
    }
    traces
}

/// Limits the number of sampled states.
fn shorten(traces: &mut Vec<Trace>, n_exprs: usize) {
    let mut room = MAX_LOOKS / n_exprs.max(1);
    traces.retain(|trace| {
        let fits = trace.states.len() <= room;
        room -= if fits { trace.states.len() } else { 0 };
        fits
    });
}

/// Traces without monitor variables cannot be evaluated.
fn has_all_values(model: &Model, trace: &Trace) -> bool {
    trace.states.iter().all(|state| state.values.len() == model.vars.len())
}
