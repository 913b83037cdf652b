//! Simulation: walking through a model state by state.

use trapline_model::trace::State;
use trapline_model::{AssignKind, ConstraintKind, ExprId, Model, Reads, VarKind};

use crate::solve::{Limits, Problem, Search, Slot, Stop, Values, When};

/// A model prepared for walking.
pub struct Simulator<'m> {
    model: &'m Model,
    initial: Problem,
    step: Problem,
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
        let mut initial = Problem::default();
        let mut step = Problem::default();
        for assign in &model.assigns {
            let span = assign.parts[0].body.span;
            let (current, next) = (Slot::Current(assign.var), Slot::Next(assign.var));
            match assign.kind {
                AssignKind::Init => initial.choose(model, current, assign.expr, When::Here, span),
                AssignKind::Next => step.choose(model, next, assign.expr, When::Here, span),
                AssignKind::Current => {
                    initial.choose(model, current, assign.expr, When::Here, span);
                    step.choose(model, next, assign.expr, When::There, span);
                }
            }
        }
        for constraint in &model.constraints {
            let (expr, span) = (constraint.body.expr, constraint.body.span);
            match constraint.kind {
                ConstraintKind::Init => initial.require(model, expr, When::Here, span),
                ConstraintKind::Trans => step.require(model, expr, When::Here, span),
                ConstraintKind::Invar => {
                    initial.require(model, expr, When::Here, span);
                    step.require(model, expr, When::There, span);
                }
            }
        }
        initial.share(model);
        step.share(model);
        Simulator { model, initial, step }
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
        let mut choices = self.solve(None, constraints, 1, Some(rng), limits)?;
        Ok(choices.pop())
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
        let mut choices = self.solve(Some(from), constraints, 1, Some(rng), limits)?;
        Ok(choices.pop())
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
        self.solve(from, constraints, max, None, limits)
    }

    fn solve(
        &self,
        from: Option<&State>,
        constraints: &[ExprId],
        max: usize,
        mut rng: Option<&mut fastrand::Rng>,
        limits: &Limits,
    ) -> Result<Vec<Choice>, Stop> {
        let problem = self.problem(from, constraints);
        let (slots, values) = self.slots(from);
        let mut search = Search::new(self.model, &problem, slots, values);
        let mut choices = Vec::new();
        while choices.len() < max
            && let Some(values) = search.next(&mut rng, limits)?
        {
            choices.push(match from {
                None => Choice { from: None, state: State { values: values.current } },
                Some(_) => Choice {
                    from: Some(State { values: values.current }),
                    state: State { values: values.next },
                },
            });
        }
        Ok(choices)
    }

    /// The rules for a step from a state, or for an initial state. A constraint that reads only
    /// one state is meant of the state that is looked for.
    fn problem(&self, from: Option<&State>, constraints: &[ExprId]) -> Problem {
        let mut extra = Problem::default();
        for &constraint in constraints {
            let reads = self.model.exprs.info(constraint).reads;
            let is_step = reads.any(Reads::STEP);
            let when = if from.is_some() && !is_step { When::There } else { When::Here };
            // An initial state has no step before it.
            if from.is_some() || !is_step {
                extra.require(self.model, constraint, when, trapline_source::Span::default());
            }
        }
        match from {
            None => self.initial.and(&extra),
            Some(_) => self.step.and(&extra),
        }
    }

    fn slots(&self, from: Option<&State>) -> (Vec<Slot>, Values) {
        let unknown = vec![None; self.model.vars.len()];
        let mut slots = Vec::new();
        let mut values = Values { current: unknown.clone(), next: unknown };
        for (var, declared) in self.model.var_ids() {
            let idx = var.0 as usize;
            match (from, declared.kind) {
                (None, VarKind::Input) => {}
                (None, _) => slots.push(Slot::Current(var)),
                (Some(_), VarKind::Input) => slots.push(Slot::Current(var)),
                (Some(state), VarKind::State) => {
                    values.current[idx] = state.get(var);
                    slots.push(Slot::Next(var));
                }
                (Some(state), VarKind::Frozen) => {
                    values.current[idx] = state.get(var);
                    values.next[idx] = state.get(var);
                }
            }
        }
        (slots, values)
    }
}
