//! Simulation: walking through a model state by state.
//!
//! A random successor is drawn where that succeeds ([`Draw`]): what assignments determine is
//! computed, and every free value and every member of a set is as likely as the others. Where
//! constraints forbid what is drawn again and again, a [`Search`] with random guesses finds the
//! successor. Either way each successor can be chosen, and the seed decides which one is.

use std::cell::RefCell;

use trapline_budget::Budget;
use trapline_model::trace::State;
use trapline_model::{ExprId, Model, Reads, VarKind};
use trapline_source::Span;

use crate::solve::{Draw, Problem, Search, Slot, Stop, Values, When};

/// A model prepared for walking.
pub struct Simulator<'m> {
    model: &'m Model,
    initial: Prepared,
    step: Prepared,
    /// The constraints of the last question: most walks have the same ones at every step.
    constraints: RefCell<(Vec<ExprId>, bool, Problem)>,
    /// Asks the SAT solver alone.
    by_circuit: bool,
}

/// What is looked for, in initial states or in steps.
struct Prepared {
    problem: Problem,
    slots: Vec<Slot>,
    draw: Option<Draw>,
}

impl Prepared {
    fn new(model: &Model, mut problem: Problem, slots: Vec<Slot>) -> Prepared {
        problem.share(model);
        Prepared { draw: Draw::new(model, &problem, &slots), problem, slots }
    }
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
        let (mut first, mut later) = (Vec::new(), Vec::new());
        for (var, declared) in model.var_ids() {
            match declared.kind {
                VarKind::Input => later.push(Slot::Current(var)),
                VarKind::State => {
                    first.push(Slot::Current(var));
                    later.push(Slot::Next(var));
                }
                VarKind::Frozen => first.push(Slot::Current(var)),
            }
        }
        Simulator {
            model,
            initial: Prepared::new(model, Problem::initial(model), first),
            step: Prepared::new(model, Problem::step(model), later),
            constraints: RefCell::default(),
            by_circuit: false,
        }
    }

    /// The same by the SAT solver alone, where that is possible.
    pub fn by_circuit(self) -> Simulator<'m> {
        Simulator { by_circuit: true, ..self }
    }

    /// A random initial state that meets the constraints; `None` when there is none.
    ///
    /// # Errors
    /// When it can't be found out.
    pub fn initial(
        &self,
        constraints: &[ExprId],
        rng: &mut fastrand::Rng,
        budget: &Budget<'_>,
    ) -> Result<Option<Choice>, Stop> {
        self.one(None, constraints, rng, budget)
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
        budget: &Budget<'_>,
    ) -> Result<Option<Choice>, Stop> {
        self.one(Some(from), constraints, rng, budget)
    }

    fn one(
        &self,
        from: Option<&State>,
        constraints: &[ExprId],
        rng: &mut fastrand::Rng,
        budget: &Budget<'_>,
    ) -> Result<Option<Choice>, Stop> {
        if let (Some(draw), false) = (&self.prepared(from).draw, self.by_circuit) {
            let more = self.more(from, constraints);
            let drawn = draw.draw(self.given(from), &more, rng, budget);
            if let Some(values) = drawn.map_err(Stop::Exhausted)? {
                return Ok(Some(choice(from, values)));
            }
        }
        let mut choices = self.solve(from, constraints, 1, Some(rng), budget)?;
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
        budget: &Budget<'_>,
    ) -> Result<Vec<Choice>, Stop> {
        self.solve(from, constraints, max, None, budget)
    }

    fn solve(
        &self,
        from: Option<&State>,
        constraints: &[ExprId],
        max: usize,
        mut rng: Option<&mut fastrand::Rng>,
        budget: &Budget<'_>,
    ) -> Result<Vec<Choice>, Stop> {
        let Prepared { problem, slots, .. } = self.prepared(from);
        let problem = problem.and(&self.more(from, constraints));
        let values = self.given(from);
        let mut search = Search::new(self.model, &problem, slots.clone(), values, budget);
        if self.by_circuit {
            search = search.by_circuit();
        }
        let mut choices = Vec::new();
        while choices.len() < max
            && let Some(values) = search.next(&mut rng)?
        {
            choices.push(choice(from, values));
        }
        Ok(choices)
    }

    fn prepared(&self, from: Option<&State>) -> &Prepared {
        if from.is_some() { &self.step } else { &self.initial }
    }

    /// Constraints as rules. One that reads only one state is meant of the state that is looked
    /// for.
    fn more(&self, from: Option<&State>, constraints: &[ExprId]) -> Problem {
        let mut last = self.constraints.borrow_mut();
        if last.0 == constraints && last.1 == from.is_some() {
            return last.2.clone();
        }
        let mut more = Problem::default();
        for &constraint in constraints {
            let is_step = self.model.exprs.info(constraint).reads.any(Reads::STEP);
            let when = if from.is_some() && !is_step { When::There } else { When::Here };
            // An initial state has no step before it.
            if from.is_some() || !is_step {
                more.require(self.model, constraint, when, Span::default());
            }
        }
        *last = (constraints.to_vec(), from.is_some(), more.clone());
        more
    }

    /// What is known of a step from a state.
    fn given(&self, from: Option<&State>) -> Values {
        let unknown = vec![None; self.model.vars.len()];
        let mut values = Values { current: unknown.clone(), next: unknown };
        let Some(state) = from else { return values };
        for (var, declared) in self.model.var_ids() {
            let (idx, value) = (var.0 as usize, state.get(var));
            match declared.kind {
                VarKind::Input => {}
                VarKind::State => values.current[idx] = value,
                VarKind::Frozen => (values.current[idx], values.next[idx]) = (value, value),
            }
        }
        values
    }
}

fn choice(from: Option<&State>, values: Values) -> Choice {
    match from {
        None => Choice { from: None, state: State { values: values.current } },
        Some(_) => Choice {
            from: Some(State { values: values.current }),
            state: State { values: values.next },
        },
    }
}
