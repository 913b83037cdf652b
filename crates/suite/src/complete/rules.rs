//! The rules of a model as problems for the solver, and which of them forbid something.

use trapline_engine::Budget;
use trapline_engine::solve::{Problem, Search, Slot, Values, When};
use trapline_model::dependency::support;
use trapline_model::replay::Rule;
use trapline_model::{AssignKind, ConstraintKind, Model, VarId};
use trapline_source::Span;

use super::functions::Keeping;
use crate::read::Draft;

/// What is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// An initial state.
    Initial,
    /// A step, and the state after it.
    Step,
}

/// What is given, and what is to be found.
pub(super) struct Question {
    pub of: Of,
    pub values: Values,
    pub slots: Vec<Slot>,
}

/// All rules, prepared.
pub(super) struct Problems<'m> {
    model: &'m Model,
    initial: Problem,
    step: Problem,
}

impl<'m> Problems<'m> {
    pub fn new(model: &'m Model) -> Problems<'m> {
        let (mut initial, mut step) = (Problem::initial(model), Problem::step(model));
        initial.share(model);
        step.share(model);
        Problems { model, initial, step }
    }

    /// How much there is to evaluate in a step.
    pub fn size(&self) -> u64 {
        self.step.size().max(self.initial.size()) + self.model.vars.len() as u64
    }

    /// A search for answers.
    pub fn ask<'p>(&'p self, question: &Question, budget: &'p Budget<'p>) -> Search<'p> {
        let problem = match question.of {
            Of::Initial => &self.initial,
            Of::Step => &self.step,
        };
        let (slots, values) = (question.slots.clone(), question.values.clone());
        Search::new(self.model, problem, slots, values, budget)
    }

    /// A minimal unsatisfiable set of rules. Its last rule is found by bisection; then the others
    /// in the same way.
    pub fn conflict(&self, question: &Question, max_work: u64, budget: &Budget<'_>) -> Vec<Rule> {
        let is_contradiction =
            |rules: &[Rule]| self.is_contradiction(question, rules, &budget.part(Some(max_work)));
        let all = all_rules(self.model, question.of);
        let mut end = all.len();
        let mut core: Vec<Rule> = Vec::new();
        while end > 0 && budget.spend(self.size()).is_ok() && !is_contradiction(&core) {
            // Unsatisfiable with `end` rules; satisfiable with none.
            let (mut low, mut high) = (0, end);
            while high - low > 1 {
                let middle = (low + high) / 2;
                let rules = [&core[..], &all[..middle]].concat();
                match is_contradiction(&rules) {
                    true => high = middle,
                    false => low = middle,
                }
            }
            core.push(all[high - 1].clone());
            end = high - 1;
        }
        core.reverse();
        core
    }

    /// Do these rules have no solution for sure?
    fn is_contradiction(&self, question: &Question, rules: &[Rule], budget: &Budget<'_>) -> bool {
        let problem = problem(self.model, question.of, rules);
        let (slots, values) = (question.slots.clone(), question.values.clone());
        let mut search = Search::new(self.model, &problem, slots, values, budget);
        matches!(search.next(&mut None), Ok(None))
    }
}

fn all_rules(model: &Model, of: Of) -> Vec<Rule> {
    let is_meant_assign = |kind: AssignKind| match kind {
        AssignKind::Init => of == Of::Initial,
        AssignKind::Next => of == Of::Step,
        AssignKind::Current => true,
    };
    let is_meant_constraint = |kind: ConstraintKind| match kind {
        ConstraintKind::Init => of == Of::Initial,
        ConstraintKind::Trans => of == Of::Step,
        ConstraintKind::Invar => true,
    };
    let assigns = model.assigns.iter().enumerate().filter(|(_, a)| is_meant_assign(a.kind));
    let constraints =
        model.constraints.iter().enumerate().filter(|(_, c)| is_meant_constraint(c.kind));
    assigns
        .map(|(idx, _)| Rule::Assign(idx))
        .chain(constraints.map(|(idx, _)| Rule::Constraint(idx)))
        .collect()
}

fn problem(model: &Model, of: Of, rules: &[Rule]) -> Problem {
    let mut problem = Problem::default();
    // An invariant constrains the state to be found.
    let when_always = if of == Of::Step { When::There } else { When::Here };
    for rule in rules {
        match *rule {
            Rule::Assign(idx) => {
                let assign = &model.assigns[idx];
                let slot = match of {
                    Of::Initial => Slot::Current(assign.var),
                    Of::Step => Slot::Next(assign.var),
                };
                let is_always = assign.kind == AssignKind::Current;
                let when = if is_always { when_always } else { When::Here };
                problem.choose(model, slot, assign.expr, when, assign.parts[0].body.span);
            }
            Rule::Constraint(idx) => {
                let constraint = &model.constraints[idx];
                let is_always = constraint.kind == ConstraintKind::Invar;
                let when = if is_always { when_always } else { When::Here };
                problem.require(model, constraint.body.expr, when, constraint.body.span);
            }
            _ => unreachable!("only assignments and constraints are listed"),
        }
    }
    problem
}

/// The variables whose values rules read or give, in a state or the one before it, and that were
/// kept there.
pub(super) fn kept(
    model: &Model,
    draft: &Draft,
    keeping: &Keeping,
    state: usize,
    rules: &[Rule],
) -> Vec<VarId> {
    let is_kept = |(var, state): &(VarId, Option<usize>)| {
        let is_missing = |state: usize| match draft.states.get(state) {
            Some(given) => state > 0 && given.vars[var.0 as usize].is_none(),
            None => false,
        };
        state.is_some_and(is_missing) && keeping.keeps(draft.keeps, *var)
    };
    let mut vars: Vec<VarId> = (rules.iter())
        .flat_map(|rule| mentioned(model, state, rule))
        .filter(is_kept)
        .map(|(var, _)| var)
        .collect();
    vars.sort_unstable();
    vars.dedup();
    vars
}

/// What a rule reads or gives, each with its state, where the rule forbids a state.
fn mentioned(model: &Model, state: usize, rule: &Rule) -> Vec<(VarId, Option<usize>)> {
    let (expr, target, is_step) = match *rule {
        Rule::Assign(idx) => {
            let assign = &model.assigns[idx];
            (assign.expr, Some(assign.var), assign.kind == AssignKind::Next)
        }
        Rule::Constraint(idx) => {
            let constraint = &model.constraints[idx];
            (constraint.body.expr, None, constraint.kind == ConstraintKind::Trans)
        }
        _ => return Vec::new(),
    };
    let read = support(model, [expr]);
    let current = state.checked_sub(usize::from(is_step));
    let next = read.next.into_iter().chain(target).map(|var| (var, Some(state)));
    read.current.into_iter().map(|var| (var, current)).chain(next).collect()
}

/// A failure as a rule that a trace violates.
pub(super) fn failure(failure: trapline_model::Failure, span: Span) -> Rule {
    Rule::Failure { failure, span }
}
