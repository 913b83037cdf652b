//! Which faults a test surely shows where there are choices, and where it may have branches.
//!
//! The tester sends the inputs of the first branch that goes on like what was seen. So a fault surely shows
//! if every run of the faulty copy, on the inputs that its own answers lead to, leaves what the model allows.
//! Runs are followed together as long as they are on the same branches with the same knowledge of the tester:
//! a *front*. Where an allowed answer fits no branch, the tester goes on with the inputs of the branch that was
//! followed, as long as they are enabled.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_engine::Budget;
use trapline_engine::possible::{Exchange, Explicit, Outputs, Ports, Possible, StateList};
use trapline_model::Model;
use trapline_model::trace::Trace;

use super::credit::Shown;
use super::graph::first_inputs;
use super::widen::faulty;
use super::{Fault, implementation};
use crate::subgoals::{Subgoal, Subgoals};

/// Work of the constraint solver for one fault on one test.
const WORK: u64 = 20_000_000;

/// Fronts, or states in one of them; beyond that nothing is said.
const MAX_SIZE: usize = 5_000;

/// Steps by one exchange from the states of a front that are looked at.
const MAX_STEPS: usize = 100_000;

/// A test as it is played: for each way to the end of a branch what is sent and expected.
pub struct Played(Vec<Path>);

type Path = Vec<Exchange>;

impl Played {
    /// A test of an implementation, with these ways, the trunk first.
    pub fn new(model: &Model, paths: &[Trace]) -> Played {
        let ports = Ports::new(model);
        Played(paths.iter().map(|path| exchanges(&ports, model, path)).collect())
    }
}

/// Determines which faults trees surely show: each the number of its trunk, and its paths as they are played.
/// The state of what is shown is the last exchange in which the tester may still wait for it.
pub fn shown(
    subgoals: &Subgoals,
    is_asked: &dyn Fn(usize) -> bool,
    trees: &[(usize, Vec<Trace>)],
    budget: &Budget<'_>,
) -> Shown {
    let model = implementation(&subgoals.model);
    let played: Vec<Played> = trees.iter().map(|(_, paths)| Played::new(&model, paths)).collect();
    let mut shown = Shown::default();
    for (idx, subgoal) in subgoals.list.iter().enumerate() {
        let Subgoal::Fault(fault) = subgoal else { continue };
        if let Err(exhausted) = budget.has_patience() {
            shown.cut = Some(exhausted.into());
            break;
        }
        if is_asked(idx) {
            let fault = &subgoals.faults[*fault];
            let states = shows(&model, fault, &played, &budget.grace());
            let met = trees.iter().zip(states);
            let met = met.filter_map(|((trunk, _), state)| Some((*trunk, state?)));
            shown.list.push((idx, met.collect()));
        }
    }
    shown
}

/// What tests show of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It surely shows, in this exchange at the latest.
    Sure(usize),
    /// Some run of the copy shows it, in this exchange at the earliest.
    May(usize),
    /// Nothing, or that is not known.
    Nothing,
}

/// For each test the exchange in which a fault surely shows, at the latest.
pub fn shows(
    model: &Model,
    fault: &Fault,
    tests: &[Played],
    budget: &Budget<'_>,
) -> Vec<Option<usize>> {
    let sure = |outcome| match outcome {
        Outcome::Sure(exchange) => Some(exchange),
        Outcome::May(_) | Outcome::Nothing => None,
    };
    outcomes(model, fault, tests, budget).into_iter().map(sure).collect()
}

/// What each test shows of a fault.
pub fn outcomes(
    model: &Model,
    fault: &Fault,
    tests: &[Played],
    budget: &Budget<'_>,
) -> Vec<Outcome> {
    if !fault.is_lasting {
        return vec![Outcome::Nothing; tests.len()];
    }
    let copy = faulty(fault.change.apply(model));
    let outcome = |Played(paths): &Played| {
        let part = budget.part(Some(WORK));
        let walk =
            Walk { paths, model: Explicit::new(model, &part), copy: Explicit::new(&copy, &part) };
        walk.outcome()
    };
    tests.iter().map(outcome).collect()
}

fn exchanges(ports: &Ports<'_>, model: &Model, path: &Trace) -> Path {
    let inputs = |idx: usize| match idx.checked_sub(1) {
        None => first_inputs(ports, model, &path.states[idx]),
        Some(before) => ports.sent_in(&path.states[before], &path.states[idx]),
    };
    let exchange =
        |idx: usize| Exchange { inputs: inputs(idx), outputs: ports.shown(&path.states[idx]) };
    (0..path.states.len()).map(exchange).collect()
}

/// Runs of a copy.
struct Front {
    /// The paths that everything so far agrees with, or the one that is followed although nothing does.
    paths: Vec<usize>,
    is_lost: bool,
    /// What the model may be in, and the copy; nothing before the first exchange.
    possible: Option<StateList>,
    copies: Option<StateList>,
}

/// A fault on a tree.
struct Walk<'w> {
    paths: &'w [Path],
    model: Explicit<'w, 'w>,
    copy: Explicit<'w, 'w>,
}

impl Walk<'_> {
    /// Follows the runs until none is left.
    fn outcome(&self) -> Outcome {
        let all = (0..self.paths.len()).collect();
        let mut fronts = vec![Front { paths: all, is_lost: false, possible: None, copies: None }];
        let mut left = None;
        for idx in 0.. {
            let mut next: Vec<Front> = Vec::new();
            for front in &fronts {
                let mut has_left = left.is_some();
                let is_judged = self.exchange(idx, front, &mut next, &mut has_left).is_some();
                if has_left {
                    left.get_or_insert(idx);
                }
                if !is_judged {
                    return left.map_or(Outcome::Nothing, Outcome::May);
                }
            }
            if next.is_empty() {
                return Outcome::Sure(idx);
            }
            fronts = next;
        }
        Outcome::Nothing
    }

    /// Adds where the runs of a front are after an exchange; `None` if some are at the end of their branch,
    /// or can't be judged. Also finds out whether some run leaves, unless one has before.
    fn exchange(
        &self,
        idx: usize,
        front: &Front,
        next: &mut Vec<Front>,
        has_left: &mut bool,
    ) -> Option<()> {
        let followed = *front.paths.iter().find(|path| idx < self.paths[**path].len())?;
        let planned = &self.paths[followed][idx];
        let sent = Exchange { inputs: planned.inputs.clone(), outputs: Outputs::new() };
        if let Some(possible) = &front.possible
            && !self.model.is_enabled(possible, &sent.inputs).ok()?
        {
            return None;
        }
        let allowed = by_outputs(&self.model, after(&self.model, front.possible.as_ref(), &sent)?);
        if allowed.is_empty() {
            return None;
        }
        let answers = by_outputs(&self.copy, after(&self.copy, front.copies.as_ref(), &sent)?);
        *has_left = *has_left
            || answers.keys().any(|outputs| !allowed.contains_key(outputs))
            || match &front.copies {
                None => answers.is_empty(),
                Some(copies) => !self.copy.is_enabled(copies, &sent.inputs).ok()?,
            };
        for (outputs, copies) in answers {
            let Some(possible) = allowed.get(&outputs) else { continue };
            let agrees = |path: &&usize| {
                let expected = self.paths[**path].get(idx);
                expected.is_some_and(|it| it.inputs == sent.inputs && it.outputs == outputs)
            };
            let mut paths: Vec<usize> = front.paths.iter().filter(agrees).copied().collect();
            let is_lost = front.is_lost || paths.is_empty();
            if is_lost {
                paths = vec![followed];
            }
            let possible = Some(possible.clone());
            add(next, Front { paths, is_lost, possible, copies: Some(copies) })?;
        }
        Some(())
    }
}

/// Adds a front, to one with the same knowledge if there is one; `None` if that becomes too much.
fn add(fronts: &mut Vec<Front>, front: Front) -> Option<()> {
    let is_same = |known: &&mut Front| {
        known.paths == front.paths
            && known.is_lost == front.is_lost
            && known.possible == front.possible
    };
    let is_small = match fronts.iter_mut().find(is_same) {
        Some(Front { copies: Some(known), .. }) => {
            for state in front.copies.into_iter().flat_map(|copies| copies.states) {
                if !known.states.contains(&state) {
                    known.states.push(state);
                }
            }
            known.states.len() <= MAX_SIZE
        }
        _ => {
            fronts.push(front);
            fronts.len() <= MAX_SIZE
        }
    };
    is_small.then_some(())
}

/// The states after an exchange; `None` if they can't be listed. Inputs that are sent later, and that nothing ties
/// to a state, are left open: a state with each of their values would be thousands.
pub(super) fn after(
    possible: &Explicit<'_, '_>,
    set: Option<&StateList>,
    exchange: &Exchange,
) -> Option<StateList> {
    let (mut states, is_complete) = match set {
        None => {
            let starts = possible.starts(exchange, MAX_STEPS).ok()?;
            (starts.list, starts.is_complete)
        }
        Some(set) => {
            let edges = possible.edges(set, exchange, MAX_STEPS).ok()?;
            (edges.list.into_iter().map(|edge| edge.next).collect(), edges.is_complete)
        }
    };
    let mut known = FxHashSet::default();
    states.retain(|state| known.insert(state.values.clone()));
    is_complete.then_some(StateList { states })
}

/// States by what they show.
pub(super) fn by_outputs(
    possible: &Explicit<'_, '_>,
    set: StateList,
) -> FxHashMap<Outputs, StateList> {
    let mut groups: FxHashMap<Outputs, StateList> = FxHashMap::default();
    for state in set.states {
        groups.entry(possible.ports().shown(&state)).or_default().states.push(state);
    }
    groups
}
