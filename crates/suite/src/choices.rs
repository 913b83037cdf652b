//! States in which a test follows one of several nondeterministic choices for the same inputs.
//!
//! A variable had another choice in a state if another state was possible there, with the same
//! inputs, in which its value differs. Most variables cannot have one: their assignment is a
//! function of inputs and of other such variables. For the rest a few states are sampled, and then
//! each variable that is constant in the samples is asked about.

use trapline_engine::Budget;
use trapline_engine::simulate::Simulator;
use trapline_model::dependency::support;
use trapline_model::trace::{State, Trace};
use trapline_model::{AssignKind, ExprId, Model, Role, Type, Value, VarId, VarKind};

/// Number of sampled states before variables are asked about one by one.
const N_STATES: usize = 8;

/// Work limit of a query.
const MAX_WORK: u64 = 100_000;

/// For each state of each test the variables that had another choice there. Undecided ones count as
/// well: no verdict may depend on their values. A lasso has one more list: for the state in which
/// the loop starts, when it is entered from the last state.
pub fn choices(model: &Model, tests: &[&Trace], budget: &Budget<'_>) -> Vec<Vec<Vec<VarId>>> {
    let (first, later) = (open(model, AssignKind::Init), open(model, AssignKind::Next));
    if first.is_empty() && later.is_empty() {
        return tests.iter().map(|test| vec![Vec::new(); arrivals(test).count()]).collect();
    }
    // All expressions are built before the simulator takes the model.
    let mut model = model.clone();
    let wanted: Vec<Vec<Wanted>> =
        tests.iter().map(|test| wanted(&mut model, test, &first, &later)).collect();
    let simulator = Simulator::new(&model);
    let of_test = |(test, wanted): (&&Trace, &Vec<Wanted>)| -> Vec<Vec<VarId>> {
        let states = arrivals(test).zip(wanted);
        states.map(|(arrival, wanted)| others(&simulator, arrival, wanted, budget)).collect()
    };
    tests.iter().zip(&wanted).map(of_test).collect()
}

/// A state of a test, and its predecessor.
type Arrival<'t> = (Option<&'t State>, &'t State);

/// All states with their predecessors; the start of a loop has two.
fn arrivals(test: &Trace) -> impl Iterator<Item = Arrival<'_>> {
    let states = || test.states.iter();
    let before = std::iter::once(None).chain(states().map(Some));
    before.zip(states().chain(test.loop_start.map(|start| &test.states[start])))
}

/// A query about a state.
struct Wanted {
    /// The inputs are those of the test.
    inputs: Vec<ExprId>,
    /// Variables, each with the condition that its value differs.
    open: Vec<(VarId, ExprId)>,
}

fn wanted(model: &mut Model, test: &Trace, first: &[VarId], later: &[VarId]) -> Vec<Wanted> {
    let is_input = |var: &trapline_model::Var| var.role == Role::Input;
    let inputs: Vec<VarId> =
        model.var_ids().filter(|(_, var)| is_input(var)).map(|(id, _)| id).collect();
    let mut asked = Vec::new();
    for (before, state) in arrivals(test) {
        let mut fixed = Vec::new();
        for &var in &inputs {
            // The inputs of a step are stored in its source state.
            let value = match model.var(var).kind {
                VarKind::Input => before.and_then(|before| before.get(var)),
                VarKind::State | VarKind::Frozen => state.get(var),
            };
            fixed.extend(value.map(|value| equals(model, var, value)));
        }
        let open = if before.is_none() { first } else { later };
        let open = open.iter().filter_map(|&var| {
            let same = equals(model, var, state.get(var)?);
            Some((var, model.exprs.not(same)))
        });
        let open = open.collect();
        asked.push(Wanted { inputs: fixed, open });
    }
    asked
}

fn equals(model: &mut Model, var: VarId, value: Value) -> ExprId {
    let read = model.var_expr(var);
    model.exprs.has_value(read, value)
}

/// The variables that had another choice in a state.
fn others(
    simulator: &Simulator<'_>,
    (from, here): Arrival<'_>,
    wanted: &Wanted,
    budget: &Budget<'_>,
) -> Vec<VarId> {
    let all = || wanted.open.iter().map(|(var, _)| *var).collect();
    if budget.has_patience().is_err() {
        return all();
    }
    let part = || budget.part(Some(MAX_WORK));
    let Ok(found) = simulator.choices(from, &wanted.inputs, N_STATES, &part()) else {
        return all();
    };
    let differs = |var: VarId| found.iter().any(|other| other.state.get(var) != here.get(var));
    let is_all = found.len() < N_STATES;
    let has_other = |&(var, other): &(VarId, ExprId)| {
        if differs(var) || is_all {
            return differs(var);
        }
        if budget.has_patience().is_err() {
            return true;
        }
        let constraints: Vec<ExprId> = wanted.inputs.iter().copied().chain([other]).collect();
        let found = simulator.choices(from, &constraints, 1, &part());
        found.map_or(true, |found| !found.is_empty())
    };
    wanted.open.iter().filter(|open| has_other(open)).map(|(var, _)| *var).collect()
}

/// The variables that may differ for the same inputs: in initial states, or after steps.
fn open(model: &Model, kind: AssignKind) -> Vec<VarId> {
    let mut is_fixed: Vec<bool> = model.vars.iter().map(|var| is_given(var, kind)).collect();
    loop {
        let mut has_changed = false;
        for assign in model.assigns.iter().filter(|a| a.kind == kind || is_current(a.kind)) {
            let is_single = !matches!(model.exprs.ty(assign.expr), Type::Set(_));
            let reads = support(model, [assign.expr]);
            let at_once = match (kind, assign.kind) {
                (AssignKind::Next, AssignKind::Next) => &reads.next,
                _ => &reads.current,
            };
            let selected =
                reads.current.iter().chain(&reads.next).all(|&var| is_chosen(model, var));
            let is_known = at_once.iter().all(|var| is_fixed[var.0 as usize]);
            let fixed = &mut is_fixed[assign.var.0 as usize];
            has_changed |= !*fixed && is_single && is_known && selected;
            *fixed |= is_single && is_known && selected;
        }
        if !has_changed {
            break;
        }
    }
    let is_open = |var: &VarId| !is_fixed[var.0 as usize];
    model.var_ids().map(|(var, _)| var).filter(is_open).collect()
}

fn is_current(kind: AssignKind) -> bool {
    kind == AssignKind::Current
}

/// True if its value is not the implementation's choice.
fn is_given(var: &trapline_model::Var, kind: AssignKind) -> bool {
    let keeps = var.kind == VarKind::Frozen && kind == AssignKind::Next;
    var.role == Role::Input || var.kind == VarKind::Input || keeps
}

/// True if it is an input of the step.
fn is_chosen(model: &Model, var: VarId) -> bool {
    let var = model.var(var);
    var.kind != VarKind::Input || var.role == Role::Input
}
