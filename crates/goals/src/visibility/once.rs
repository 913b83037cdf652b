//! Faults that act once, judged on one test in a model with choices.
//!
//! The copy is the model except where the fault acts, and the test says what led there. A fault in a step
//! acts from the state of the test before it; the model and the copy take that step side by side. One in a
//! state acts in the states that the copy may be in there, after the state of the test before and with the
//! same inputs, beside the state of the test. From then on both go on as [`super::sets`] has it: the fault
//! surely shows where every run of the copy on the inputs of the test has left what the model allows.

use rustc_hash::FxHashMap;
use trapline_engine::Budget;
use trapline_engine::possible::{Exchange, Explicit, Ports, Possible, StateList};
use trapline_model::roles::is_about_step;
use trapline_model::trace::{State, Trace};
use trapline_model::transform::{Change, Defines, Substitution};
use trapline_model::{AssignKind, Clause, ConstraintKind, DefineId, ExprId, Model};

use super::Fault;
use super::graph::first_inputs;
use super::search::starts;
use super::tree::{after, by_outputs};
use super::widen::faulty;
use crate::goal::GoalKind;

/// Work of the constraint solver for one test.
const WORK: u64 = 20_000_000;

/// More elements are not followed.
const MAX_ELEMENTS: usize = 5_000;

/// What the model may be in, and the copy beside it.
type Element = (Option<StateList>, Option<StateList>);

/// The state of a test in which a fault surely shows, wherever it acts.
pub fn shows(model: &Model, fault: &Fault, test: &Trace, budget: &Budget<'_>) -> Option<usize> {
    let starts = starts(model, fault, test);
    if starts.is_empty() {
        return None;
    }
    let copies = Copies::new(model, &fault.change);
    let part = budget.part(Some(WORK));
    starts.into_iter().find_map(|start| copies.shows(model, fault, (test, start), &part))
}

/// The state of a test in which a fault surely shows that acts in this state, or in the step to it.
pub fn shows_once(
    model: &Model,
    fault: &Fault,
    test: &Trace,
    start: usize,
    budget: &Budget<'_>,
) -> Option<usize> {
    Copies::new(model, &fault.change).shows(model, fault, (test, start), budget)
}

/// The rules of a copy.
struct Copies {
    /// In the state in which the fault acts, and in the step to it.
    acting: Model,
    /// In the step from there.
    leaving: Model,
    /// From then on: those of the model, with room for values that the fault led to.
    healed: Model,
}

impl Copies {
    fn new(model: &Model, change: &Change) -> Copies {
        let (acting, leaving) = match change {
            Change::Define(define, new) => with_define(model, *define, *new),
            _ => (change.apply(model), model.clone()),
        };
        let [acting, leaving, healed] = [acting, leaving, model.clone()].map(faulty);
        Copies { acting, leaving, healed }
    }

    fn shows(
        &self,
        model: &Model,
        fault: &Fault,
        (test, start): (&Trace, usize),
        budget: &Budget<'_>,
    ) -> Option<usize> {
        let copies = [&self.acting, &self.leaving, &self.healed];
        let walk = Walk {
            model,
            ports: Ports::new(model),
            ours: Explicit::new(model, budget),
            copies: copies.map(|copy| (Ports::new(copy), Explicit::new(copy, budget))),
            test,
        };
        let (first, mut elements) = match fault.when {
            GoalKind::Step(_) => {
                let before = walk.state(start.checked_sub(1)?);
                (start, vec![(Some(before.clone()), Some(before))])
            }
            _ => (start + 1, walk.beside(start)?),
        };
        if elements.is_empty() {
            return Some(start);
        }
        for state in first..test.states.len() {
            elements = walk.next(state, state - start, &elements)?;
            if elements.is_empty() {
                return Some(state);
            }
            if elements.len() > MAX_ELEMENTS {
                return None;
            }
        }
        None
    }
}

/// A model with another definition in one state: with the rules for that state, and for the step to it; and
/// with those for the step that leaves it. What is about a step counts in that step alone.
fn with_define(model: &Model, define: DefineId, new: ExprId) -> (Model, Model) {
    let mut acting = model.clone();
    let is_step = is_about_step(model, model.define(define));
    let read = acting.define_expr(define);
    let [read_next, new_next] = [read, new].map(|expr| acting.exprs.prime(expr));
    let [mut here, mut there] = [Defines::WrittenOut; 2].map(Substitution::new);
    here.put(read, new);
    there.put(read_next, new_next);
    let mut leaving = acting.clone();
    rewrite(&mut acting, |model, is_of_step, expr| match is_of_step && !is_step {
        true => there.apply(model, expr),
        false => here.apply(model, expr),
    });
    let body = &mut acting.defines[define.0 as usize].body;
    *body = Clause::unwritten(new, body.span);
    if !is_step {
        let mut here = Substitution::new(Defines::WrittenOut);
        here.put(read, new);
        rewrite(&mut leaving, |model, is_of_step, expr| match is_of_step {
            true => here.apply(model, expr),
            false => expr,
        });
    }
    (acting, leaving)
}

/// Rewrites the rules of a model, each given whether it is about a step.
fn rewrite(model: &mut Model, mut of: impl FnMut(&mut Model, bool, ExprId) -> ExprId) {
    for idx in 0..model.assigns.len() {
        let (kind, expr) = (model.assigns[idx].kind, model.assigns[idx].expr);
        model.assigns[idx].expr = of(model, kind == AssignKind::Next, expr);
    }
    for idx in 0..model.constraints.len() {
        let (kind, expr) = (model.constraints[idx].kind, model.constraints[idx].body.expr);
        model.constraints[idx].body.expr = of(model, kind == ConstraintKind::Trans, expr);
    }
}

/// A model and its copy on the inputs of a test.
struct Walk<'w> {
    model: &'w Model,
    ports: Ports<'w>,
    ours: Explicit<'w, 'w>,
    /// The copy in the state in which the fault acts, in the next one, and later.
    copies: [(Ports<'w>, Explicit<'w, 'w>); 3],
    test: &'w Trace,
}

impl Walk<'_> {
    /// A state of the test.
    fn state(&self, idx: usize) -> StateList {
        let mut state = self.test.states[idx].clone();
        state.values.truncate(self.model.vars.len());
        state.drop_inputs(self.model);
        StateList { states: vec![state] }
    }

    /// What the test sends for a state.
    fn sent(&self, idx: usize) -> Exchange {
        let now = &self.test.states[idx];
        let inputs = match idx.checked_sub(1) {
            None => first_inputs(&self.ports, self.model, now),
            Some(before) => self.ports.sent_in(&self.test.states[before], now),
        };
        Exchange { inputs, outputs: Vec::new() }
    }

    /// The state of the test, beside those that the copy may be in there and that show the same.
    fn beside(&self, idx: usize) -> Option<Vec<Element>> {
        let before = idx.checked_sub(1).map(|before| self.state(before));
        let (ports, copy) = &self.copies[0];
        let mut states = with_late(copy, before.as_ref(), &self.sent(idx))?;
        let own = self.state(idx);
        let state = &own.states[0];
        let shown = self.ports.shown(state);
        // What is sent later, and was read in the evaluation, is the same too.
        let late = self.ports.inputs.iter().filter(|var| self.ports.leaves_state(**var));
        let late: Vec<_> = late.map(|&var| (var, state.get(var))).collect();
        let is_same = |copy: &State| late.iter().all(|(var, value)| copy.get(*var) == *value);
        states.states.retain(|copy| is_same(copy) && ports.shown(copy) == shown);
        Some(if states.states.is_empty() { Vec::new() } else { vec![(Some(own), Some(states))] })
    }

    /// The elements in the next state, so many states after the one in which the fault acts.
    fn next(&self, idx: usize, n_later: usize, elements: &[Element]) -> Option<Vec<Element>> {
        let exchange = self.sent(idx);
        let (_, copy) = &self.copies[n_later.min(2)];
        let mut next = Vec::new();
        for (possible, copies) in elements {
            let allowed = by_outputs(&self.ours, after(&self.ours, possible.as_ref(), &exchange)?);
            // What the model does not take is not judged.
            if allowed.is_empty() {
                return None;
            }
            for one in copies.iter().flat_map(|list| classes(&self.ports, list.clone())) {
                for (outputs, states) in by_outputs(copy, after(copy, Some(&one), &exchange)?) {
                    if let Some(fitting) = allowed.get(&outputs) {
                        next.push((Some(fitting.clone()), Some(states)));
                    }
                }
            }
        }
        Some(merged(next))
    }
}

/// The states after an exchange, with all values of inputs that are sent later.
fn with_late(
    possible: &Explicit<'_, '_>,
    set: Option<&StateList>,
    exchange: &Exchange,
) -> Option<StateList> {
    match set {
        None => possible.start(exchange).ok(),
        Some(set) => possible.step(set, exchange).ok(),
    }
}

/// Elements whose model is in the same states, as one.
fn merged(
    elements: Vec<(Option<StateList>, Option<StateList>)>,
) -> Vec<(Option<StateList>, Option<StateList>)> {
    let mut list: Vec<(Option<StateList>, Option<StateList>)> = Vec::new();
    for (possible, copies) in elements {
        match (list.iter_mut().find(|(known, _)| *known == possible), copies) {
            (Some((_, Some(known))), Some(copies)) => {
                for state in copies.states {
                    if !known.states.contains(&state) {
                        known.states.push(state);
                    }
                }
            }
            (_, copies) => list.push((possible, copies)),
        }
    }
    list
}

/// States that differ only in inputs which leave them, together.
fn classes(ports: &Ports<'_>, set: StateList) -> Vec<StateList> {
    let mut classes: FxHashMap<State, StateList> = FxHashMap::default();
    for state in set.states {
        classes.entry(ports.settled(&state)).or_default().states.push(state);
    }
    classes.into_values().collect()
}
