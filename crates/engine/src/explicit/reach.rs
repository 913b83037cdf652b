//! Reachability of many targets in one search.
//!
//! Every new state and step is tested against all open targets; the first hit is on a shortest
//! path. Sequences of steps are searched for in the states found so far, each time their number has
//! doubled (see [`super::sequence`]).

use trapline_model::Model;
use trapline_model::goal::Target;
use trapline_model::trace::State;

use crate::answer::{Proof, Reached, Start, Verdict, Why};
use trapline_budget::Budget;

use super::explore::{End, Exploration, KeepEdges, Visitor};
use super::failure;
use super::graph::StateId;
use super::lookup::{Group, Plan};
use super::program::Lanes;
use super::sequence;
use super::system::{System, compile};
use super::tracer::Tracer;
use crate::code::{Reg, encode};

/// Number of states at which sequences are first searched for.
const FIRST_PAUSE: usize = 1 << 12;

/// A path to a target: a shortest path to a state, followed by some steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hit {
    /// The state.
    pub at: StateId,
    /// The steps from there: the observed inputs, and the state after the step.
    pub steps: Vec<(Vec<i64>, StateId)>,
}

/// Decides which targets are reachable.
pub fn reach(model: &Model, targets: &[Target], start: &Start, budget: &Budget) -> Reached {
    let unknown = |why: Why| Reached {
        verdicts: vec![Verdict::Unknown(why); targets.len()],
        ..Reached::default()
    };
    // Planning for many targets takes a while, even if the budget is already exhausted.
    if let Err(exhausted) = budget.allows(0) {
        return unknown(exhausted.into());
    }
    let plan = Plan::new(model, targets);
    match compile(model, &plan.question, budget) {
        Ok(system) => search(&system, targets, &plan, start, budget),
        Err(why) => unknown(why),
    }
}

/// Searches for targets as planned.
pub fn search(
    system: &System,
    targets: &[Target],
    plan: &Plan,
    start: &Start,
    budget: &Budget,
) -> Reached {
    let mut hits = Hits::planned(system, targets, plan);
    let mut exploration = Exploration::new(system, KeepEdges::No);
    let starts = given(system, start);
    let mut end = exploration.begin(starts.as_deref(), &mut hits, budget);
    let mut pause = FIRST_PAUSE;
    while end == End::Paused {
        let until = if hits.n_sequences() == 0 { usize::MAX } else { pause };
        end = exploration.proceed(until, &mut hits, budget);
        let found = sequence::find(&exploration, targets, &end, &mut hits, budget);
        if let (Err(why), End::Paused | End::Complete) = (found, &end) {
            end = End::Cut(why);
        }
        pause = exploration.space.n_states().saturating_mul(2);
    }
    let open = match end {
        End::Complete if exploration.n_starts == 0 => Verdict::Unreachable(Proof::NoInitialState),
        End::Complete | End::Answered => {
            Verdict::Unreachable(Proof::AllStates { n_states: exploration.stats.n_states })
        }
        End::Paused => unreachable!("a paused search goes on"),
        End::Cut(why) => Verdict::Unknown(why),
        End::Failure(_) | End::InitialFailure => {
            Verdict::Unknown(failure::describe(&exploration, &end, start, budget))
        }
    };
    let found = match Tracer::new(system, &exploration.space, start, budget) {
        Ok(tracer) => tracer.reached(targets, &hits.hits, &open),
        Err(why) => {
            Reached { verdicts: vec![Verdict::Unknown(why); targets.len()], ..Reached::default() }
        }
    };
    Reached { stats: exploration.stats, ..found }
}

/// The packed states a search starts from, if they are given.
pub fn given(system: &System, start: &Start) -> Option<Vec<Vec<u64>>> {
    let Start::States(states) = start else { return None };
    let pack = |state: &State| {
        let mut packed = vec![0; system.layout.n_words];
        for field in &system.layout.fields {
            let number = state.get(field.var).and_then(|value| encode(value).ok());
            field.put(number.unwrap_or(0), &mut packed);
        }
        packed
    };
    Some(states.iter().map(pack).collect())
}

/// The truth value searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// It holds: a goal.
    True,
    /// It does not: an invariant.
    False,
}

/// The targets hit so far, with their paths.
pub struct Hits<'s, 'm> {
    system: &'s System<'m>,
    wanted: Wanted,
    /// For each target, the first path to it.
    pub hits: Vec<Option<Hit>>,
    /// For each invariant, the first path to where it is undefined.
    pub failures: Vec<Option<Hit>>,
    /// Number of other questions that need the whole state space.
    pub n_others: usize,
    /// Open state targets, with the index of their expression.
    open_states: Vec<(usize, usize)>,
    /// The same for single steps.
    open_steps: Vec<(usize, usize)>,
    /// Open sequences, with the index of their first step.
    open_sequences: Vec<(usize, usize)>,
    /// Open targets matched by lookup.
    state_groups: Vec<Group>,
    /// The same for steps.
    step_groups: Vec<Group>,
}

impl<'s, 'm> Hits<'s, 'm> {
    /// No target has been hit.
    pub fn new(system: &'s System<'m>, targets: &[Target], wanted: Wanted) -> Hits<'s, 'm> {
        let mut hits = Hits {
            system,
            wanted,
            hits: vec![None; targets.len()],
            failures: vec![None; targets.len()],
            n_others: 0,
            open_states: Vec::new(),
            open_steps: Vec::new(),
            open_sequences: Vec::new(),
            state_groups: Vec::new(),
            step_groups: Vec::new(),
        };
        let (mut n_states, mut n_steps) = (0, 0);
        for (idx, target) in targets.iter().enumerate() {
            match target {
                Target::State(_) => {
                    hits.open_states.push((idx, n_states));
                    n_states += 1;
                }
                Target::Step(_) => {
                    hits.open_steps.push((idx, n_steps));
                    n_steps += 1;
                }
                Target::Steps(steps) => {
                    hits.open_sequences.push((idx, n_steps));
                    n_steps += steps.len();
                }
            }
        }
        hits
    }

    /// No goal has been hit; they are matched as planned.
    fn planned(system: &'s System<'m>, targets: &[Target], plan: &Plan) -> Hits<'s, 'm> {
        let mut hits = Hits::new(system, &[], Wanted::True);
        hits.hits = vec![None; targets.len()];
        hits.failures = vec![None; targets.len()];
        hits.state_groups = plan.states.clone();
        hits.step_groups = plan.steps.clone();
        for (idx, (target, expr_idx)) in targets.iter().zip(&plan.exprs).enumerate() {
            let Some(expr_idx) = *expr_idx else { continue };
            match target {
                Target::State(_) => hits.open_states.push((idx, expr_idx)),
                Target::Step(_) => hits.open_steps.push((idx, expr_idx)),
                Target::Steps(_) => hits.open_sequences.push((idx, expr_idx)),
            }
        }
        hits
    }

    /// How many sequences are open.
    pub fn n_sequences(&self) -> usize {
        self.open_sequences.len()
    }

    /// The open sequences, with the expression index of their first step.
    pub fn sequences(&self) -> &[(usize, usize)] {
        &self.open_sequences
    }

    /// Records that a sequence has been found.
    pub fn close_sequence(&mut self, target_idx: usize, hit: Hit) {
        self.hits[target_idx] = Some(hit);
        self.open_sequences.retain(|(idx, _)| *idx != target_idx);
    }
}

impl Visitor for Hits<'_, '_> {
    fn states(&mut self, first: StateId, lanes: Lanes<'_>) -> Result<(), Why> {
        let exprs = &self.system.eval.exprs;
        let Hits { hits, failures, wanted, open_states, state_groups, .. } = self;
        let hit = |lane: usize| Hit { at: first + lane as StateId, steps: Vec::new() };
        for group in state_groups {
            group.take(exprs, lanes, |_| true, |target, lane| hits[target] = Some(hit(lane)));
        }
        open_states.retain(|&(target_idx, expr_idx)| {
            let (lane, failed) = lanes_of(*wanted, exprs[expr_idx], lanes, |_| true);
            if let (Some(lane), None) = (failed, &failures[target_idx]) {
                failures[target_idx] = Some(hit(lane));
            }
            let Some(lane) = lane else { return true };
            hits[target_idx] = Some(hit(lane));
            false
        });
        Ok(())
    }

    fn steps(&mut self, steps: &[Option<(StateId, StateId)>], lanes: Lanes<'_>) -> Result<(), Why> {
        let Hits { system, hits, failures, wanted, open_steps, step_groups, .. } = self;
        let hit = |lane: usize| {
            let (at, after) = steps[lane].unwrap_or_default();
            let inputs = system.step.inputs.iter().map(|&reg| lanes.column(reg)[lane]).collect();
            Hit { at, steps: vec![(inputs, after)] }
        };
        let is_step = |lane: usize| steps[lane].is_some();
        for group in step_groups {
            let exprs = &system.step.exprs;
            group.take(exprs, lanes, is_step, |target, lane| hits[target] = Some(hit(lane)));
        }
        open_steps.retain(|&(target_idx, expr_idx)| {
            let (lane, failed) = lanes_of(*wanted, system.step.exprs[expr_idx], lanes, is_step);
            if let (Some(lane), None) = (failed, &failures[target_idx]) {
                failures[target_idx] = Some(hit(lane));
            }
            let Some(lane) = lane else { return true };
            hits[target_idx] = Some(hit(lane));
            false
        });
        Ok(())
    }

    fn n_open(&self) -> usize {
        let n_targets = self.open_states.len() + self.open_steps.len();
        let groups = self.state_groups.iter().chain(&self.step_groups);
        let n_grouped: usize = groups.map(|group| group.n_open).sum();
        n_targets + n_grouped + self.open_sequences.len() + self.n_others
    }

    fn has_found(&self) -> bool {
        self.hits.iter().any(Option::is_some)
    }
}

/// The first lane in which an expression has the wanted value, and the first in which it is
/// undefined.
fn lanes_of(
    wanted: Wanted,
    (value, fails): (Reg, Reg),
    lanes: Lanes<'_>,
    counts: impl Fn(usize) -> bool,
) -> (Option<usize>, Option<usize>) {
    let (values, fails) = (lanes.column(value), lanes.column(fails));
    // Most goals are met in no lane of most batches; this test is the fastest for that case.
    if wanted == Wanted::True && values[..lanes.len()].iter().fold(0, |all, it| all | it) == 0 {
        return (None, None);
    }
    let is_wanted = |&lane: &usize| (values[lane] != 0) == (wanted == Wanted::True);
    let hit = (0..lanes.len()).find(|lane| is_wanted(lane) && fails[*lane] == 0 && counts(*lane));
    let failed = match wanted {
        Wanted::True => None,
        Wanted::False => (0..lanes.len()).find(|&lane| fails[lane] != 0 && counts(lane)),
    };
    (hit, failed)
}
