//! The states that a model may be in after what was exchanged with an implementation: a belief, in
//! the words of the field.
//!
//! A tester sends inputs and sees outputs; internal variables stay hidden. Exchange 0 resets the
//! implementation, each further one is a step. An input that goes with its state is sent in the
//! exchange of that state, one that goes with the step in the exchange that the step leads to
//! ([`trapline_model::roles::timings`]). Whatever an exchange does not say is unknown, inputs and
//! outputs too, so what is not observed is left out.
//!
//! Two forms answer the same questions: [`Explicit`] lists the states, [`Symbolic`] has them as a
//! diagram. A path that ended has no successors: after its inputs the set is empty.

mod explicit;
mod moves;
mod symbolic;

use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Plan};
use trapline_model::roles::{is_about_step, timings};
use trapline_model::trace::State;
use trapline_model::{
    AssignKind, Define, DefineId, Model, Role, Timing, Type, Value, VarId, VarKind,
};

use crate::answer::Why;

pub use explicit::{Edge, Explicit, StateList};
pub use moves::{Move, Reply};
pub use symbolic::Symbolic;

/// Values of inputs.
pub type Inputs = Vec<(VarId, Value)>;
/// Values of outputs.
pub type Outputs = Vec<(Output, Value)>;

/// Something that the implementation shows of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Output {
    /// A variable.
    Var(VarId),
    /// A definition.
    Define(DefineId),
}

impl Output {
    /// Its name.
    pub fn name(self, model: &Model) -> &str {
        match self {
            Output::Var(var) => &model.var(var).name,
            Output::Define(define) => &model.define(define).name,
        }
    }
}

/// What is sent, and what is seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Exchange {
    /// The inputs.
    pub inputs: Inputs,
    /// The outputs.
    pub outputs: Outputs,
}

/// Some of the things that were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed<T> {
    /// These.
    pub list: Vec<T>,
    /// Are these all?
    pub is_complete: bool,
}

/// When the value of a variable is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent {
    /// In exchange 0 alone: it never changes.
    Once,
    /// With the state that it is part of.
    State,
    /// With the step that leaves the state that it is part of.
    Step,
}

/// What of a model is sent and seen.
pub struct Ports<'m> {
    model: &'m Model,
    /// The inputs.
    pub inputs: Vec<VarId>,
    /// The outputs. What belongs to a step is hidden.
    pub outputs: Vec<Output>,
    /// By variable, whoever sets it.
    sent: Vec<Sent>,
    /// By variable, whether its value in a state is settled only by what is sent with the step that leaves it.
    unsettled: Vec<bool>,
    defines: Plan,
}

impl<'m> Ports<'m> {
    /// The inputs and outputs of a model.
    pub fn new(model: &'m Model) -> Ports<'m> {
        let of_role = |role: Role| {
            let vars = model.var_ids().filter(move |(_, var)| var.role == role);
            vars.map(|(var, declared)| (var, declared.kind))
        };
        let vars = of_role(Role::Output).filter(|(_, kind)| *kind != VarKind::Input);
        let vars = vars.map(|(var, _)| Output::Var(var));
        let defines = model.defines.iter().enumerate();
        // A set of values is no value that could be seen.
        let has_value = |define: &Define| {
            !is_about_step(model, define)
                && !matches!(model.exprs.ty(define.body.expr), Type::Set(_))
        };
        let defines = defines.filter(|(_, it)| it.role == Role::Output && has_value(it));
        let defines = defines.map(|(idx, _)| Output::Define(DefineId(idx as u32)));
        let bodies: Vec<_> = model.defines.iter().map(|define| define.body.expr).collect();
        let sent = model.vars.iter().zip(timings(model)).map(|(var, timing)| match timing {
            _ if var.kind == VarKind::Frozen => Sent::Once,
            Timing::State => Sent::State,
            Timing::Step => Sent::Step,
        });
        let sent: Vec<Sent> = sent.collect();
        Ports {
            model,
            unsettled: unsettled(model, &sent),
            inputs: of_role(Role::Input).map(|(var, _)| var).collect(),
            outputs: vars.chain(defines).collect(),
            sent,
            defines: Plan::new(model, &bodies),
        }
    }

    /// The outputs of a state; one without a value is left out.
    pub fn shown(&self, state: &State) -> Outputs {
        let defined = self.defined(state);
        let value = |output: Output| match output {
            Output::Var(var) => state.get(var),
            Output::Define(define) => defined(define),
        };
        self.outputs.iter().filter_map(|&output| Some((output, value(output)?))).collect()
    }

    /// What is sent for a step, as far as it is known.
    pub fn sent_in(&self, current: &State, next: &State) -> Inputs {
        let value = |var: VarId| match self.sent(var) {
            Sent::Once => None,
            Sent::State => next.get(var),
            Sent::Step => current.get(var),
        };
        self.inputs.iter().filter_map(|&var| Some((var, value(var)?))).collect()
    }

    /// The values of definitions in a state.
    fn defined(&self, state: &State) -> impl Fn(DefineId) -> Option<Value> {
        let mut cells = Vec::new();
        self.defines.run(&state.values, &[], &mut cells);
        move |define| match self.defines.root(define.0 as usize, &cells) {
            Cell::Value(value) => Some(*value),
            _ => None,
        }
    }

    fn sent(&self, var: VarId) -> Sent {
        self.sent[var.0 as usize]
    }

    /// Is a variable part of states, and sent with the step that leaves them?
    pub fn leaves_state(&self, var: VarId) -> bool {
        self.sent(var) == Sent::Step && self.model.var(var).kind == VarKind::State
    }

    /// Is the value of a variable in a state settled only by what is sent with the step that leaves it? So it
    /// is with such inputs, and with hidden variables that follow from them.
    pub fn is_unsettled(&self, var: VarId) -> bool {
        self.unsettled[var.0 as usize]
    }

    /// A state without what is not settled in it. States that have the rest in common are one: it is the tester
    /// who chooses among them.
    pub fn settled(&self, state: &State) -> State {
        let values = state.values.iter().zip(&self.unsettled);
        let settled = values.map(|(value, is_unsettled)| value.filter(|_| !is_unsettled));
        State { values: settled.collect() }
    }
}

/// By variable, is it settled only by what is sent with the step that leaves a state?
fn unsettled(model: &Model, sent: &[Sent]) -> Vec<bool> {
    let vars = sent.iter().zip(&model.vars);
    let mut found: Vec<bool> =
        vars.map(|(sent, var)| *sent == Sent::Step && var.kind == VarKind::State).collect();
    let follows = model.assigns.iter().filter(|assign| {
        let is_single = !matches!(model.exprs.ty(assign.expr), Type::Set(_));
        assign.kind == AssignKind::Current
            && is_single
            && model.var(assign.var).role == Role::Internal
    });
    let mut follows: Vec<(VarId, Vec<VarId>)> =
        follows.map(|assign| (assign.var, support(model, [assign.expr]).current)).collect();
    loop {
        let n_open = follows.len();
        follows.retain(|(var, reads)| {
            let is_unsettled = reads.iter().any(|read| found[read.0 as usize]);
            found[var.0 as usize] |= is_unsettled;
            !is_unsettled
        });
        if follows.len() == n_open {
            return found;
        }
    }
}

/// Sets of possible states, in one form or another.
///
/// Every method stops with a reason when the budget runs out, and where an expression of the model has
/// no value.
pub trait Possible {
    /// A set of states.
    type Set: Clone;

    /// What is sent and seen.
    fn ports(&self) -> &Ports<'_>;

    /// The initial states with these inputs and outputs.
    ///
    /// # Errors
    /// See [`Possible`].
    fn start(&self, exchange: &Exchange) -> Result<Self::Set, Why>;

    /// The successors of a set by steps with these inputs, as far as they show these outputs.
    ///
    /// # Errors
    /// See [`Possible`].
    fn step(&self, set: &Self::Set, exchange: &Exchange) -> Result<Self::Set, Why>;

    /// Has every state of a set a successor with these inputs? States that differ only in inputs which
    /// are sent with the step count as one: it is the tester who chooses among them.
    ///
    /// # Errors
    /// See [`Possible`].
    fn is_enabled(&self, set: &Self::Set, inputs: &Inputs) -> Result<bool, Why>;

    /// Up to so many inputs of a step that are enabled after a set that is not empty, each with a value for
    /// every input that can still be sent.
    ///
    /// # Errors
    /// See [`Possible`].
    fn enabled(&self, set: &Self::Set, limit: usize) -> Result<Listed<Inputs>, Why>;

    /// Up to so many different outputs that states of a set show.
    ///
    /// # Errors
    /// See [`Possible`].
    fn outputs(&self, set: &Self::Set, limit: usize) -> Result<Listed<Outputs>, Why>;

    /// Is no state possible?
    fn is_empty(&self, set: &Self::Set) -> bool;

    /// How many states are possible?
    fn n_states(&self, set: &Self::Set) -> u128;

    /// One of the states.
    fn example(&self, set: &Self::Set) -> Option<State>;

    /// Does the model allow these outputs after these inputs?
    ///
    /// # Errors
    /// See [`Possible`].
    fn is_allowed(&self, set: &Self::Set, exchange: &Exchange) -> Result<bool, Why> {
        Ok(!self.is_empty(&self.step(set, exchange)?))
    }

    /// Up to so many outputs that the model allows after these inputs.
    ///
    /// # Errors
    /// See [`Possible`].
    fn allowed(
        &self,
        set: &Self::Set,
        inputs: &Inputs,
        limit: usize,
    ) -> Result<Listed<Outputs>, Why> {
        let exchange = Exchange { inputs: inputs.clone(), outputs: Vec::new() };
        self.outputs(&self.step(set, &exchange)?, limit)
    }
}

/// What is said where a rule of the model has no value.
pub fn without_value() -> Why {
    Why::Unsupported("an expression of the model has no value in a possible state".into())
}
