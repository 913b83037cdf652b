//! Repeated search for the nearest open targets from a given state.
//!
//! The test generator asks this hundreds of times, with fewer open targets each time. The model and
//! the targets are compiled once, and again when most of the targets are closed: then fewer
//! variables may matter.

use trapline_model::Model;
use trapline_model::goal::Target;
use trapline_model::trace::{State, Trace};

use crate::answer::{Reached, Start, Verdict, Why};
use trapline_budget::Budget;

use super::lookup::Plan;
use super::reach::search;
use super::system::{System, compile};

/// A model and targets, compiled.
pub struct Nearest<'m> {
    model: &'m Model,
    /// The targets that were open when they were compiled.
    targets: Vec<Target>,
    /// Their indices among all targets.
    origins: Vec<usize>,
    plan: Plan,
    system: System<'m>,
}

impl<'m> Nearest<'m> {
    /// Compiles a model and all targets.
    ///
    /// # Errors
    /// When the model can't be enumerated, or the budget runs out.
    pub fn new(
        model: &'m Model,
        targets: Vec<Target>,
        budget: &Budget<'_>,
    ) -> Result<Nearest<'m>, Why> {
        let origins = (0..targets.len()).collect();
        Nearest::compiled(model, targets, origins, budget)
    }

    fn compiled(
        model: &'m Model,
        targets: Vec<Target>,
        origins: Vec<usize>,
        budget: &Budget<'_>,
    ) -> Result<Nearest<'m>, Why> {
        let plan = Plan::new(model, &targets);
        let system = compile(model, &plan.question, budget)?;
        Ok(Nearest { model, targets, origins, plan, system })
    }

    /// Paths from a state to the nearest open targets, if there are any.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn find(
        &mut self,
        from: &State,
        is_open: impl Fn(usize) -> bool,
        budget: &Budget<'_>,
    ) -> Result<Vec<(usize, Trace)>, Why> {
        self.close(is_open, budget)?;
        let start = Start::States(vec![from.clone()]);
        let Reached { traces, verdicts, .. } =
            search(&self.system, &self.targets, &self.plan, &start, budget);
        let mut ways = Vec::new();
        let mut cut = None;
        for (verdict, &target) in verdicts.into_iter().zip(&self.origins) {
            match verdict {
                Verdict::Reached { trace, state } => {
                    let states = traces[trace].states[..=state].to_vec();
                    ways.push((target, Trace { states, loop_start: None }));
                }
                Verdict::Unknown(why @ Why::Work) => cut = Some(why),
                Verdict::Unknown(_) | Verdict::Unreachable(_) => {}
            }
        }
        match cut {
            Some(why) if ways.is_empty() => Err(why),
            _ => Ok(ways),
        }
    }

    /// Drops the closed targets.
    fn close(&mut self, is_open: impl Fn(usize) -> bool, budget: &Budget<'_>) -> Result<(), Why> {
        let open: Vec<usize> =
            (0..self.origins.len()).filter(|&idx| is_open(self.origins[idx])).collect();
        if open.len() * 2 > self.origins.len() {
            self.plan.retain(|idx| is_open(self.origins[idx]));
            return Ok(());
        }
        let targets = open.iter().map(|&idx| self.targets[idx].clone()).collect();
        let origins = open.iter().map(|&idx| self.origins[idx]).collect();
        *self = Nearest::compiled(self.model, targets, origins, budget)?;
        Ok(())
    }
}
