//! Which goals can be reached: all of them in as few searches as possible.
//!
//! What is about states, steps and sequences, and the evaluations that pairs are made of, is one
//! question to the engine, unless it needs many variables that watch the model. Goals about initial states are one more, of a model that takes no step.
//! Never-claims that speak of single steps join the first question; the others are properties
//! that the engine checks together.

mod batch;
pub(crate) mod claim;

use rustc_hash::FxHashMap;
use trapline_engine::{Budget, Engine, Outcome, Start};
use trapline_model::replay::Replayer;
use trapline_model::trace::Trace;
use trapline_model::{ConstraintKind, ExprId, Model, PropertyKind, goal};

use crate::builder::{GoalSet, in_scope};
use crate::goal::{Pair, Reading, Target};
use crate::monitor::constrain;
use crate::pairs::{Plan, Point};
use crate::score::Makeable;
use crate::traps::{Claim, with_claims};

/// What was found out about goals.
#[derive(Clone, Debug, Default)]
pub struct Decided {
    /// One for each goal.
    pub verdicts: Vec<Verdict>,
    /// The traces that were found, of the model without variables that watch it.
    pub traces: Vec<Trace>,
}

/// What was found out about a goal.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// These show it: one, or two for a pair.
    Covered(Vec<Witness>),
    /// Nothing can, and why.
    Infeasible(String),
    /// It is not known, and why.
    Unknown(String),
}

/// A place in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The trace.
    pub trace: usize,
    /// The state in which it is shown; for steps, the state after the last one.
    pub state: usize,
    /// Of a pair, the evaluation that is made there.
    pub evaluation: Option<usize>,
}

/// What is asked once, however many goals need it.
#[derive(Default)]
struct Questions {
    initial: Asked<ExprId>,
    reach: Asked<goal::Target>,
    check: Asked<(PropertyKind, ExprId)>,
}

struct Asked<T> {
    list: Vec<T>,
    known: FxHashMap<T, usize>,
    answers: Vec<Verdict>,
}

impl<T> Default for Asked<T> {
    fn default() -> Asked<T> {
        Asked { list: Vec::new(), known: FxHashMap::default(), answers: Vec::new() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Asked<T> {
    fn ask(&mut self, question: T) -> usize {
        *self.known.entry(question.clone()).or_insert_with(|| {
            self.list.push(question);
            self.list.len() - 1
        })
    }
}

/// Where the answer to a question is.
#[derive(Clone, Copy)]
enum Place {
    Initial(usize),
    Reach(usize),
    Check(usize),
}

/// Finds out which goals can be reached.
pub fn decide(set: &GoalSet, engine: &Engine, budget: &Budget<'_>) -> Decided {
    let mut model = set.model.clone();
    let mut questions = Questions::default();
    let mut places: Vec<Vec<Place>> = Vec::new();
    for goal in &set.goals {
        let asked = parts(set, &goal.target);
        places.push(asked.iter().map(|part| questions.ask(&mut model, part)).collect());
    }
    let mut traces = Vec::new();
    questions.answer((&model, set.n_vars), engine, budget, &mut traces);
    let mut plans: FxHashMap<(usize, Reading), Plan> = FxHashMap::default();
    let verdicts = set.goals.iter().zip(&places).map(|(goal, places)| match &goal.target {
        Target::Pair(pair) => {
            let is_made = |idx: &usize| matches!(questions.at(places[*idx]), Verdict::Covered(_));
            let plan = plans.entry((pair.decision, pair.reading)).or_insert_with(|| {
                let made: Vec<usize> = (0..places.len()).filter(is_made).collect();
                set.points[pair.decision].plan(pair.reading, &made)
            });
            pair_verdict((&set.points[pair.decision], plan), pair, places, &questions)
        }
        _ => questions.at(places[0]).clone(),
    });
    let verdicts = verdicts.collect();
    Decided { verdicts, traces: own_traces(set, traces) }
}

/// For each decision of a pair, which evaluations can be made.
pub fn makeable(set: &GoalSet, engine: &Engine, budget: &Budget<'_>) -> Makeable {
    let mut model = set.model.clone();
    let mut questions = Questions::default();
    let mut places: Vec<Vec<Place>> = Vec::new();
    for point in &set.points {
        let asked = evaluations(set, point);
        places.push(asked.iter().map(|part| questions.ask(&mut model, part)).collect());
    }
    questions.answer((&model, set.n_vars), engine, budget, &mut Vec::new());
    let is_made = |place: Place| matches!(questions.at(place), Verdict::Covered(_));
    let made =
        places.iter().map(|places| (0..places.len()).filter(|&idx| is_made(places[idx])).collect());
    made.collect()
}

/// The evaluations of a decision, as targets.
fn evaluations(set: &GoalSet, point: &Point) -> Vec<Target> {
    let exprs = point.evaluations.iter().map(|evaluation| evaluation.expr);
    exprs.map(|expr| in_scope(&set.model, point.scope, expr)).collect()
}

/// The single things that a goal is made of.
fn parts(set: &GoalSet, target: &Target) -> Vec<Target> {
    match target {
        Target::Pair(pair) => evaluations(set, &set.points[pair.decision]),
        target => vec![target.clone()],
    }
}

impl Questions {
    fn ask(&mut self, model: &mut Model, target: &Target) -> Place {
        match target {
            Target::Initial(expr) => Place::Initial(self.initial.ask(*expr)),
            Target::State(expr) => Place::Reach(self.reach.ask(goal::Target::State(*expr))),
            Target::Step(expr) => Place::Reach(self.reach.ask(goal::Target::Step(*expr))),
            Target::Steps(steps) => {
                Place::Reach(self.reach.ask(goal::Target::Steps(steps.clone())))
            }
            Target::Trap(kind, expr) => match claim::as_target(model, *kind, *expr) {
                Some(target) => Place::Reach(self.reach.ask(target)),
                None => Place::Check(self.check.ask((*kind, *expr))),
            },
            Target::Pair(_) => unreachable!("pairs are asked about in parts"),
        }
    }

    fn at(&self, place: Place) -> &Verdict {
        match place {
            Place::Initial(idx) => &self.initial.answers[idx],
            Place::Reach(idx) => &self.reach.answers[idx],
            Place::Check(idx) => &self.check.answers[idx],
        }
    }

    /// The first variables of the model are its own; the others watch it.
    fn answer(
        &mut self,
        (model, n_vars): (&Model, usize),
        engine: &Engine,
        budget: &Budget<'_>,
        traces: &mut Vec<Trace>,
    ) {
        let targets: Vec<goal::Target> =
            self.initial.list.iter().map(|&expr| goal::Target::State(expr)).collect();
        if !targets.is_empty() {
            let mut still = model.clone();
            let never = still.exprs.bool(false);
            constrain(&mut still, ConstraintKind::Trans, never);
            self.initial.answers = reach(&still, &targets, engine, budget, traces);
        }
        let none = Verdict::Unknown("not asked".into());
        self.reach.answers = vec![none; self.reach.list.len()];
        for batch in batch::batches(model, n_vars, &self.reach.list) {
            let targets: Vec<goal::Target> =
                batch.iter().map(|&idx| self.reach.list[idx].clone()).collect();
            let answers = reach(model, &targets, engine, budget, traces);
            for (idx, answer) in batch.into_iter().zip(answers) {
                self.reach.answers[idx] = answer;
            }
        }
        self.check.answers = check(model, &self.check.list, engine, budget, traces);
    }
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
        trapline_engine::Verdict::Unknown(why) => Verdict::Unknown(why.to_string()),
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
        claims.iter().map(|&(kind, expr)| claim::has_path(&mut model, kind, expr)).collect();
    let model = with_claims(model, claims.iter().map(|&(kind, expr)| Claim { kind, expr }));
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
            Outcome::False(_) => {
                Verdict::Unknown("not supported: no single path shows the violation".into())
            }
            Outcome::Value(..) => Verdict::Unknown("not supported: it is no claim".into()),
            Outcome::Unknown(why) => Verdict::Unknown(why.to_string()),
        });
    verdicts.collect()
}

/// A pair is there if two evaluations that make one are.
fn pair_verdict(
    (point, plan): (&Point, &Plan),
    pair: &Pair,
    places: &[Place],
    questions: &Questions,
) -> Verdict {
    let is_made = |idx: &usize| matches!(questions.at(places[*idx]), Verdict::Covered(_));
    let serving = point.serving(pair.condition);
    let open = serving.iter().find_map(|&idx| match questions.at(places[idx]) {
        Verdict::Unknown(why) => Some(why.clone()),
        _ => None,
    });
    let is_sure = |a: usize, b: usize| match pair.reading {
        Reading::Coupled => point.distance(pair.condition, a, b) == Some(0),
        _ => true,
    };
    match (plan.pairs[pair.condition], open) {
        (Some((a, b)), open) if open.is_none() || is_sure(a, b) => {
            let witnesses = [a, b].into_iter().filter_map(|idx| match questions.at(places[idx]) {
                Verdict::Covered(shown) => {
                    Some(Witness { evaluation: Some(idx), ..*shown.first()? })
                }
                _ => None,
            });
            Verdict::Covered(witnesses.collect())
        }
        (_, Some(why)) => Verdict::Unknown(why),
        _ => {
            let n_made = serving.iter().filter(|&idx| is_made(idx)).count();
            let proof = serving.iter().find_map(|&idx| match questions.at(places[idx]) {
                Verdict::Infeasible(how) => Some(format!("; {how}")),
                _ => None,
            });
            Verdict::Infeasible(format!(
                "of {} evaluations in which it decides, the {n_made} that can be made give no \
                 pair{}",
                serving.len(),
                proof.unwrap_or_default()
            ))
        }
    }
}

/// The traces without the variables that watch the model; each must be a path of it.
fn own_traces(set: &GoalSet, mut traces: Vec<Trace>) -> Vec<Trace> {
    if set.model.vars.len() == set.n_vars {
        return traces;
    }
    let mut own = set.model.clone();
    own.vars.truncate(set.n_vars);
    own.assigns.retain(|assign| (assign.var.0 as usize) < set.n_vars);
    let replayer = Replayer::new(&own);
    for trace in &mut traces {
        for state in &mut trace.states {
            state.values.truncate(set.n_vars);
        }
        if let Err(violation) = replayer.replay(trace) {
            unreachable!("what watches a model must not change it: {violation:?}");
        }
    }
    traces
}
