//! What can be reached, found by trying every valuation: the slow truth about targets and
//! projections, and the comparison of an engine's answers with it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use trapline_engine::{Proof, Reached, Start, Verdict, Why};
use trapline_model::eval::{Cell, Plan};
use trapline_model::goal::{Judge, Target};
use trapline_model::replay::Replayer;
use trapline_model::trace::{State, Trace};
use trapline_model::{ExprId, Model, Reads, Value};

use crate::brute_force::{Explorer, Values};

/// The states that can be reached, with their distances and steps.
pub struct Truth<'m> {
    model: &'m Model,
    start: Start,
    states: Vec<Values>,
    distances: Vec<usize>,
    /// For each state its steps: the state with the inputs, and the number of the next state.
    steps: Vec<Vec<(Values, usize)>>,
    /// The states in which a failing step starts.
    failing: BTreeSet<usize>,
    has_failing_start: bool,
    /// The distances that were asked for.
    known: RefCell<Vec<(Target, Option<usize>)>>,
}

impl<'m> Truth<'m> {
    /// Everything that can be reached from there.
    pub fn new(model: &'m Model, start: &Start) -> Truth<'m> {
        let explorer = Explorer::new(model);
        let (starts, has_failing_start) = match start {
            Start::Initial => {
                let found = explorer.initial();
                (found.allowed, !found.failing.is_empty())
            }
            Start::States(states) => (states.iter().map(|s| s.values.clone()).collect(), false),
        };
        let mut truth = Truth {
            model,
            start: start.clone(),
            distances: vec![0; starts.len()],
            states: starts.into_iter().collect(),
            steps: Vec::new(),
            failing: BTreeSet::new(),
            has_failing_start,
            known: RefCell::default(),
        };
        let numbered = truth.states.iter().cloned().enumerate();
        let mut numbers: BTreeMap<Values, usize> = numbered.map(|(n, state)| (state, n)).collect();
        while let Some(state) = truth.states.get(truth.steps.len()).cloned() {
            let here = truth.steps.len();
            let found = explorer.successors(&state);
            if !found.failing.is_empty() {
                truth.failing.insert(here);
            }
            let mut steps = Vec::new();
            for (current, next) in found.allowed {
                let number = *numbers.entry(next.clone()).or_insert(truth.states.len());
                if number == truth.states.len() {
                    truth.states.push(next);
                    truth.distances.push(truth.distances[here] + 1);
                }
                steps.push((current, number));
            }
            truth.steps.push(steps);
        }
        truth
    }

    /// How many states can be reached.
    pub fn n_states(&self) -> usize {
        self.states.len()
    }

    /// Has some expression of the model no value, in a start or a step that can be reached?
    pub fn has_failure(&self) -> bool {
        self.has_failing_start || !self.failing.is_empty()
    }

    /// How far the nearest state is in which the target has been met.
    pub fn distance(&self, target: &Target) -> Option<usize> {
        if let Some((_, distance)) = self.known.borrow().iter().find(|(known, _)| known == target) {
            return *distance;
        }
        let distance = self.find_distance(target);
        self.known.borrow_mut().push((target.clone(), distance));
        distance
    }

    fn find_distance(&self, target: &Target) -> Option<usize> {
        let (steps, can_end): (&[ExprId], Vec<bool>) = match target {
            Target::State(expr) => {
                let plan = Plan::new(self.model, &[*expr]);
                let mut cells = Vec::new();
                let can_end = self.states.iter().map(|state| holds(&plan, state, &[], &mut cells));
                (&[], can_end.collect())
            }
            Target::Step(expr) => (std::slice::from_ref(expr), vec![true; self.n_states()]),
            Target::Steps(exprs) => (exprs, vec![true; self.n_states()]),
        };
        let can = steps.iter().rev().fold(can_end, |can, &expr| {
            let plan = Plan::new(self.model, &[expr]);
            let mut cells = Vec::new();
            let mut leads = |(current, next): &(Values, usize)| {
                can[*next] && holds(&plan, current, &self.states[*next], &mut cells)
            };
            self.steps.iter().map(|steps| steps.iter().any(&mut leads)).collect()
        });
        let nearest = (0..self.n_states()).filter(|&state| can[state]);
        nearest.map(|state| self.distances[state] + steps.len()).min()
    }

    /// What these expressions are together, and how far away.
    pub fn projection(&self, exprs: &[ExprId]) -> BTreeMap<Vec<Option<Value>>, usize> {
        let plan = Plan::new(self.model, exprs);
        let step = Reads::STEP;
        let reads_step = |e: &ExprId| self.model.exprs.info(*e).reads.any(step);
        let mut found = BTreeMap::new();
        let mut note = |current: &Values, next: &[Option<Value>], distance: usize| {
            let nearest = found.entry(values(&plan, current, next)).or_insert(distance);
            *nearest = distance.min(*nearest);
        };
        for (number, state) in self.states.iter().enumerate() {
            if exprs.iter().any(reads_step) {
                for (current, next) in &self.steps[number] {
                    note(current, &self.states[*next], self.distances[number] + 1);
                }
            } else {
                note(state, &[], self.distances[number]);
            }
        }
        found
    }

    /// The verdicts are right, and their traces are shortest and show what they say. What no
    /// trace reaches may also be unknown where an expression of the model fails.
    pub fn check(&self, targets: &[Target], reached: &Reached, what: &str) {
        assert_eq!(reached.verdicts.len(), targets.len(), "{what}");
        let judge = Judge::new(self.model, targets);
        let met: Vec<_> = reached.traces.iter().map(|trace| judge.met(trace)).collect();
        let mut ends: Vec<Option<usize>> = vec![None; reached.traces.len()];
        for (idx, verdict) in reached.verdicts.iter().enumerate() {
            let what = format!("target {idx}: {:?}\n{what}", targets[idx]);
            let distance = self.distance(&targets[idx]);
            match verdict {
                Verdict::Reached { trace, state } => {
                    assert_eq!(Some(*state), distance, "{what}");
                    assert_eq!(met[*trace][idx], Some(*state), "{what}");
                    ends[*trace] = ends[*trace].max(Some(*state));
                }
                Verdict::Unreachable(proof) => {
                    assert_eq!(distance, None, "{what}");
                    self.check_proof(proof, &what);
                }
                Verdict::Unknown(why) => {
                    assert!(self.has_failure(), "{why:?}\n{what}");
                    assert!(distance.is_none_or(|d| d > 0) || self.has_failing_start, "{what}");
                    self.check_failure(why, &what);
                }
            }
        }
        for (trace, end) in reached.traces.iter().zip(ends) {
            self.check_trace(trace, what);
            assert_eq!(end, trace.states.len().checked_sub(1), "it ends with a target\n{what}");
        }
    }

    fn check_proof(&self, proof: &Proof, what: &str) {
        match proof {
            Proof::NoInitialState => assert_eq!(self.n_states(), 0, "{what}"),
            Proof::AllStates { n_states } => {
                let bounds = 1..=self.n_states() as u128;
                assert!(bounds.contains(n_states), "{n_states} is not in {bounds:?}\n{what}");
            }
            Proof::Backward { .. }
            | Proof::AllPaths { .. }
            | Proof::Induction { .. }
            | Proof::Invariant { .. } => {}
            Proof::InitialStates => panic!("targets are about all states\n{what}"),
            Proof::NoFairPath => panic!("targets know no fairness\n{what}"),
        }
    }

    /// The trace leads to where something fails.
    fn check_failure(&self, why: &Why, what: &str) {
        let trace = match why {
            Why::Failure { trace, .. } => trace,
            // A variable that does not matter to the search may fail in its traces.
            Why::Unsupported(_) => return,
            why => panic!("{why:?}\n{what}"),
        };
        match trace.states.last() {
            None => assert!(self.has_failing_start, "{what}"),
            Some(last) => {
                self.check_trace(trace, what);
                let is_last = |&state: &usize| self.states[state] == last.values;
                assert!(self.failing.iter().any(is_last), "{what}");
            }
        }
    }

    /// The model allows the trace, from a state in which it may start.
    pub fn check_trace(&self, trace: &Trace, what: &str) {
        let replayer = Replayer::new(self.model);
        let result = match &self.start {
            Start::Initial => replayer.replay(trace),
            Start::States(_) => replayer.replay_from(trace),
        };
        assert_eq!(result, Ok(()), "{what}");
        let mut first = trace.states[0].clone();
        first.drop_inputs(self.model);
        if let Start::States(states) = &self.start {
            assert!(states.contains(&first), "the trace starts elsewhere\n{what}");
        }
    }
}

/// The values of the expressions; `None` where there is none.
pub fn values(plan: &Plan, current: &Values, next: &[Option<Value>]) -> Vec<Option<Value>> {
    let mut cells = Vec::new();
    plan.run(current, next, &mut cells);
    let value = |idx: usize| match plan.root(idx, &cells) {
        Cell::Value(value) => Some(*value),
        Cell::Fail(_) => None,
        cell => panic!("{cell:?} is no value"),
    };
    (0..plan.n_roots()).map(value).collect()
}

fn holds(plan: &Plan, current: &Values, next: &[Option<Value>], cells: &mut Vec<Cell>) -> bool {
    plan.run(current, next, cells);
    plan.root(0, cells) == &Cell::Value(Value::Bool(true))
}

/// Some of the states that the invariants allow, whether or not they can be reached.
pub fn given_states(model: &Model, rng: &mut fastrand::Rng, n_states: usize) -> Vec<State> {
    let replayer = Replayer::new(model);
    let mut states = Explorer::new(model).states();
    rng.shuffle(&mut states);
    let states = states.into_iter().map(|values| State { values });
    let is_allowed = |state: &State| {
        let trace = Trace { states: vec![state.clone()], loop_start: None };
        replayer.replay_from(&trace).is_ok()
    };
    states.filter(is_allowed).take(n_states).collect()
}
