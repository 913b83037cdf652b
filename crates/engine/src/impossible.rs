//! What no step can be, whatever is reachable: a question of a SAT solver each.
//!
//! Types, constraints and assignments hold; that the state can be reached is not asked. So a yes is a
//! proof, and a no says nothing.

use trapline_budget::Budget;
use trapline_model::{AssignKind, ConstraintKind, ExprId, Model, VarId};

use crate::answer::Why;
use crate::code::Slot;
use crate::sat::aig::Bit;
use crate::sat::valuation::Valuations;

/// A condition on steps, or on states.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The condition.
    pub expr: ExprId,
    /// The variable whose assignments play no part: they are another one's.
    pub without: VarId,
}

/// Which of these can't be, as far as the budget lasts; the assignments of other variables hold.
pub fn impossible(model: &Model, questions: &[Question], budget: &Budget<'_>) -> Vec<bool> {
    let mut answers = vec![false; questions.len()];
    let mut steps = match Steps::new(model, budget) {
        Ok(steps) => steps,
        Err(_) => return answers,
    };
    for (answer, question) in answers.iter_mut().zip(questions) {
        match steps.is_impossible(*question) {
            Ok(is_impossible) => *answer = is_impossible,
            Err(_) => break,
        }
    }
    answers
}

/// All steps that the rules allow.
struct Steps<'m, 'b> {
    valuations: Valuations<'m, 'b>,
    /// What each assignment says.
    assigned: Vec<(VarId, Bit)>,
}

impl<'m, 'b> Steps<'m, 'b> {
    fn new(model: &'m Model, budget: &'b Budget<'b>) -> Result<Steps<'m, 'b>, Why> {
        let mut valuations = Valuations::new(model, budget);
        for (var, _) in model.var_ids() {
            valuations.open(Slot::Current(var))?;
            valuations.open(Slot::Next(var))?;
        }
        let mut steps = Steps { valuations, assigned: Vec::new() };
        for constraint in &model.constraints {
            match constraint.kind {
                ConstraintKind::Init => {}
                ConstraintKind::Invar => {
                    steps.require(constraint.body.expr, false)?;
                    steps.require(constraint.body.expr, true)?;
                }
                ConstraintKind::Trans => steps.require(constraint.body.expr, false)?,
            }
        }
        for assign in &model.assigns {
            match assign.kind {
                AssignKind::Init => {}
                AssignKind::Next => steps.assign(assign.var, assign.expr, Slot::Next, false)?,
                AssignKind::Current => {
                    steps.assign(assign.var, assign.expr, Slot::Current, false)?;
                    steps.assign(assign.var, assign.expr, Slot::Next, true)?;
                }
            }
        }
        Ok(steps)
    }

    fn require(&mut self, expr: ExprId, primed: bool) -> Result<(), Why> {
        let (holds, _) = self.valuations.truth(expr, primed)?;
        self.valuations.require(holds)
    }

    fn assign(
        &mut self,
        var: VarId,
        expr: ExprId,
        slot: fn(VarId) -> Slot,
        primed: bool,
    ) -> Result<(), Why> {
        let (is_taken, _) = self.valuations.takes(slot(var), expr, primed)?;
        self.assigned.push((var, is_taken));
        Ok(())
    }

    fn is_impossible(&mut self, question: Question) -> Result<bool, Why> {
        let (holds, fails) = self.valuations.truth(question.expr, false)?;
        // Where it has no value it is not known what it says.
        let may_be = self.valuations.aig().or(holds, fails)?;
        let others = self.assigned.iter().filter(|(var, _)| *var != question.without);
        let bits: Vec<Bit> = others.map(|(_, bit)| *bit).chain([may_be]).collect();
        match self.valuations.solve(&bits) {
            Ok(is_possible) => Ok(!is_possible),
            Err(_) => Ok(false),
        }
    }
}
