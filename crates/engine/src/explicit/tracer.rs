//! From ways through the states that were searched to traces of the whole model.

use trapline_model::goal::{Judge, Target};
use trapline_model::trace::{State, Trace};
use trapline_model::{VarId, VarKind};

use crate::answer::{Reached, Start, Verdict, Why};

use super::complete::{Completer, Known};
use super::graph::StateId;
use super::reach::Hit;
use super::space::Space;
use super::system::System;

/// Makes traces of one search.
pub struct Tracer<'a, 'm> {
    system: &'a System<'m>,
    space: &'a Space,
    start: &'a Start,
    completer: &'a Completer<'m>,
}

impl<'a, 'm> Tracer<'a, 'm> {
    /// Prepares a search.
    ///
    /// # Errors
    /// When the model has something that can't be enumerated.
    pub fn new(
        system: &'a System<'m>,
        space: &'a Space,
        start: &'a Start,
    ) -> Result<Tracer<'a, 'm>, Why> {
        Ok(Tracer { system, space, start, completer: system.completer()? })
    }

    /// The values of a state that the search knows.
    pub fn known(&self, state: StateId) -> Known {
        let packed = self.space.state(state);
        self.system.layout.fields.iter().map(|field| (field.var, field.get(packed))).collect()
    }

    /// The trace through these states; a loop leads from the last one back.
    ///
    /// # Errors
    /// When it can't be found with reasonable work.
    pub fn trace(&self, known: &[Known], loop_start: Option<usize>) -> Result<Trace, Why> {
        self.completer.trace(self.first(&known[0]).as_ref(), known, loop_start)
    }

    /// A shortest trace to a state.
    ///
    /// # Errors
    /// When it can't be found with reasonable work.
    pub fn trace_to(&self, state: StateId) -> Result<Trace, Why> {
        self.trace(&self.way(&Hit { at: state, steps: Vec::new() }), None)
    }

    /// What is known along a hit.
    pub fn way(&self, hit: &Hit) -> Vec<Known> {
        let path = self.space.path_to(hit.at);
        let mut known: Vec<Known> = path.into_iter().map(|state| self.known(state)).collect();
        for (inputs, state) in &hit.steps {
            let last = known.len() - 1;
            known[last].extend(self.system.inputs.iter().copied().zip(inputs.iter().copied()));
            known.push(self.known(*state));
        }
        known
    }

    /// Gives every target that was hit its verdict. The longest ways are made into traces first,
    /// and a trace is credited with every target that it meets as early as any trace can.
    pub fn reached(&self, targets: &[Target], hits: &[Option<Hit>], open: &Verdict) -> Reached {
        let mut verdicts: Vec<Option<Verdict>> = vec![None; targets.len()];
        let mut traces = Vec::new();
        let ways: Vec<Option<Vec<StateId>>> =
            hits.iter().map(|hit| Some(self.space.path_to(hit.as_ref()?.at))).collect();
        let depth = |idx: usize| -> usize {
            let steps = hits[idx].as_ref().map_or(0, |hit| hit.steps.len());
            ways[idx].as_ref().map_or(0, |way| way.len() - 1 + steps)
        };
        let mut order: Vec<usize> = (0..targets.len()).filter(|&idx| hits[idx].is_some()).collect();
        order.sort_by_key(|&idx| std::cmp::Reverse(depth(idx)));
        let judge = Judge::new(self.system.model, targets);
        for &idx in &order {
            let Some(hit) = hits[idx].as_ref().filter(|_| verdicts[idx].is_none()) else {
                continue;
            };
            let trace = match self.trace(&self.way(hit), None) {
                Ok(trace) => trace,
                Err(why) => {
                    verdicts[idx] = Some(Verdict::Unknown(why));
                    continue;
                }
            };
            let met = judge.met(&trace);
            for &other in &order {
                if verdicts[other].is_none() && met[other] == Some(depth(other)) {
                    let state = depth(other);
                    verdicts[other] = Some(Verdict::Reached { trace: traces.len(), state });
                }
            }
            if verdicts[idx].is_none() {
                let Some(state) = met[idx] else {
                    unreachable!("the evaluator does not see that a trace meets its target")
                };
                verdicts[idx] = Some(Verdict::Reached { trace: traces.len(), state });
            }
            traces.push(trace);
        }
        let verdicts = verdicts.into_iter().map(|v| v.unwrap_or_else(|| open.clone())).collect();
        Reached { traces, verdicts, ..Reached::default() }
    }

    /// The given state that a trace starts in, if one is given.
    fn first(&self, known: &Known) -> Option<State> {
        let Start::States(states) = self.start else { return None };
        let is_this = |state: &&State| {
            let is_state = |var: &VarId| self.system.model.var(*var).kind != VarKind::Input;
            known.iter().filter(|(var, _)| is_state(var)).all(|(var, number)| {
                state.get(*var).and_then(|value| super::code::encode(value).ok()) == Some(*number)
            })
        };
        states.iter().find(is_this).cloned()
    }
}
