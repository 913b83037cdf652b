//! The tests of a page: what each variable does in each of them.

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
    let defines = model.defines.iter().map(|define| Variable {
        name: define.name.clone(),
        role: role_name(define.role),
        kind: "define",
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
    let mut known: Vec<HashMap<Value, usize>> = vec![HashMap::new(); variables.len()];
    let traces = suite.tests.iter().zip(&suite.origins);
    let tests = traces.map(|(trace, &origin)| Test {
        name: suite.document.drafts[origin].name.clone(),
        n_states: trace.states.len(),
        loop_start: trace.loop_start,
        columns: columns(trace, &defines, &mut known),
    });
    let tests = tests.collect();
    for (variable, known) in variables.iter_mut().zip(known) {
        let mut values: Vec<(Value, usize)> = known.into_iter().collect();
        values.sort_unstable_by_key(|(_, idx)| *idx);
        variable.values = values.into_iter().map(|(value, _)| model.show(value)).collect();
    }
    tests
}

fn columns(
    trace: &Trace,
    defines: &Defines,
    known: &mut [HashMap<Value, usize>],
) -> Vec<Vec<Stretch>> {
    let mut columns: Vec<Vec<Stretch>> = vec![Vec::new(); known.len()];
    for (state_idx, state) in trace.states.iter().enumerate() {
        let values = state.values.iter().copied().chain(defines.values(trace, state_idx));
        for ((value, column), known) in values.zip(&mut columns).zip(&mut *known) {
            let value = value.map(|value| {
                let n_known = known.len();
                *known.entry(value).or_insert(n_known)
            });
            match column.last_mut() {
                Some(last) if last.value == value => last.n_states += 1,
                _ => column.push(Stretch { value, n_states: 1 }),
            }
        }
    }
    columns
}
