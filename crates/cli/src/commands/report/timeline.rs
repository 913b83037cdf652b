//! The tests of a page: what each variable does in each of them.
//!
//! A trace stores what belongs to a step with the state that the step leaves. People read it with
//! the state that it leads to, as on the terminal, where the goals of the step are reached too.

use std::collections::HashMap;

use trapline_model::trace::Trace;
use trapline_model::{Model, Role, Type, Value, VarKind};
use trapline_report::page::{Shape, Stretch, Test, Variable};
use trapline_suite::defines::Defines;

use crate::suite_input::SuiteInput;

/// The variables and definitions of a model.
pub fn variables(model: &Model) -> Vec<Variable> {
    let vars = model.vars.iter().map(|var| Variable {
        name: var.name.clone(),
        role: role_name(var.role),
        kind: match var.kind {
            VarKind::State => "state",
            VarKind::Input => "ivar",
            VarKind::Frozen => "frozen",
        },
        shape: shape(var.domain.ty()),
        values: Vec::new(),
    });
    let known = Defines::new(model);
    let defines = model.defines.iter().enumerate().map(|(idx, define)| Variable {
        name: define.name.clone(),
        role: role_name(define.role),
        kind: if known.is_step(idx) { "step" } else { "define" },
        shape: shape(model.exprs.ty(define.body.expr)),
        values: Vec::new(),
    });
    vars.chain(defines).collect()
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Input => "input",
        Role::Output => "output",
        Role::Internal => "internal",
    }
}

fn shape(ty: Type) -> Shape {
    match ty {
        Type::Bool => Shape::Boolean,
        Type::Int | Type::Real => Shape::Number,
        _ => Shape::Symbol,
    }
}

/// The tests; the values that occur are added to their variables.
pub fn tests(model: &Model, suite: &SuiteInput, variables: &mut [Variable]) -> Vec<Test> {
    let defines = Defines::new(model);
    let is_of_step: Vec<bool> =
        variables.iter().map(|variable| matches!(variable.kind, "ivar" | "step")).collect();
    let mut known: Vec<HashMap<Value, usize>> = vec![HashMap::new(); variables.len()];
    let traces = suite.tests.iter().zip(&suite.origins);
    let tests = traces.map(|(trace, &origin)| {
        let mut stored = Stored { trace, defines: &defines, known: &mut known };
        Test {
            name: suite.document.drafts[origin].name.clone(),
            n_states: trace.states.len(),
            loop_start: trace.loop_start,
            columns: columns(&mut stored, &is_of_step),
            back: back(&mut stored, &is_of_step),
        }
    });
    let tests = tests.collect();
    for (variable, known) in variables.iter_mut().zip(known) {
        let mut values: Vec<(Value, usize)> = known.into_iter().collect();
        values.sort_unstable_by_key(|(_, idx)| *idx);
        variable.values = values.into_iter().map(|(value, _)| model.show(value)).collect();
    }
    tests
}

/// What the states of a trace store.
struct Stored<'s> {
    trace: &'s Trace,
    defines: &'s Defines,
    /// The numbers of the values of each variable.
    known: &'s mut [HashMap<Value, usize>],
}

impl Stored<'_> {
    /// The values that a state stores, by number: its own, and those of the step that leaves it.
    fn values(&mut self, state_idx: usize) -> Vec<Option<usize>> {
        let own = self.trace.states[state_idx].values.iter().copied();
        let values = own.chain(self.defines.values(self.trace, state_idx));
        let numbered = values.zip(&mut *self.known).map(|(value, known)| {
            let n_known = known.len();
            value.map(|value| *known.entry(value).or_insert(n_known))
        });
        numbered.collect()
    }
}

/// What each variable does, what belongs to a step at the state that the step leads to.
fn columns(stored: &mut Stored<'_>, is_of_step: &[bool]) -> Vec<Vec<Stretch>> {
    let mut columns: Vec<Vec<Stretch>> = vec![Vec::new(); is_of_step.len()];
    let mut before = vec![None; is_of_step.len()];
    for state_idx in 0..stored.trace.states.len() {
        let here = stored.values(state_idx);
        for (idx, column) in columns.iter_mut().enumerate() {
            let value = if is_of_step[idx] { before[idx] } else { here[idx] };
            match column.last_mut() {
                Some(last) if last.value == value => last.n_states += 1,
                _ => column.push(Stretch { value, n_states: 1 }),
            }
        }
        before = here;
    }
    columns
}

/// What belongs to the step that closes the loop.
fn back(stored: &mut Stored<'_>, is_of_step: &[bool]) -> Vec<(usize, usize)> {
    let Some(last) = stored.trace.states.len().checked_sub(1) else { return Vec::new() };
    if stored.trace.loop_start.is_none() {
        return Vec::new();
    }
    let values = stored.values(last).into_iter().enumerate();
    values.filter(|(idx, _)| is_of_step[*idx]).filter_map(|(idx, v)| Some((idx, v?))).collect()
}
