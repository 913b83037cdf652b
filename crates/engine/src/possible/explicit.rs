//! Possible states, one by one.
//!
//! The form for few states, and the reference for the other.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_budget::Budget;
use trapline_model::trace::State;
use trapline_model::{Model, Value, VarId, VarKind};

use super::{Exchange, Inputs, Listed, Output, Outputs, Ports, Possible, Sent, without_value};
use crate::answer::Why;
use crate::solve::{Problem, Search, Slot, Stop, Values};

/// What it costs to keep a state for each of its variables, in bytes.
const VALUE_BYTES: u64 = size_of::<Option<Value>>() as u64;

/// Lists of possible states.
pub struct Explicit<'m, 'b> {
    ports: Ports<'m>,
    initial: Problem,
    steps: Problem,
    budget: &'b Budget<'b>,
}

/// Different states, in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateList {
    /// The states. What belongs to a step is missing.
    pub states: Vec<State>,
}

/// The state of an answer that is wanted.
type Side = fn(Values) -> Vec<Option<Value>>;

/// Goes on, or has seen enough.
enum Flow {
    More,
    Enough,
}

impl<'m, 'b> Explicit<'m, 'b> {
    /// Prepares a model.
    pub fn new(model: &'m Model, budget: &'b Budget<'b>) -> Explicit<'m, 'b> {
        let (mut initial, mut steps) = (Problem::initial(model), Problem::step(model));
        initial.share(model);
        steps.share(model);
        Explicit { ports: Ports::new(model), initial, steps, budget }
    }

    /// Gives every answer away until that is enough.
    fn ask(
        &self,
        problem: &Problem,
        (values, slots): (Values, Vec<Slot>),
        mut take: impl FnMut(Values) -> Flow,
    ) -> Result<(), Why> {
        let n_vars = self.ports.model.vars.len() as u64;
        let mut search = Search::new(self.ports.model, problem, slots, values, self.budget);
        loop {
            match search.next(&mut None) {
                Ok(None) => return Ok(()),
                Ok(Some(values)) => match take(values) {
                    // Where nothing is to be found out, answers cost the search nothing.
                    Flow::More => self.budget.spend(n_vars)?,
                    Flow::Enough => return Ok(()),
                },
                Err(Stop::Failure { .. }) => return Err(without_value()),
                Err(Stop::Unbounded(_)) => {
                    return Err(Why::Unsupported("variables without bounds".into()));
                }
                Err(Stop::Exhausted(cut)) => return Err(cut.into()),
            }
        }
    }

    /// The question for steps from a state, if what is sent fits the state.
    fn step_question(&self, from: &State, exchange: &Exchange) -> Option<(Values, Vec<Slot>)> {
        let model = self.ports.model;
        let mut current = from.values.clone();
        let mut next = vec![None; model.vars.len()];
        let given = exchange.outputs.iter().filter_map(|(output, value)| match output {
            Output::Var(var) => Some((*var, *value, Sent::State)),
            Output::Define(_) => None,
        });
        let inputs = exchange.inputs.iter();
        let given = inputs.map(|&(var, value)| (var, value, self.ports.sent(var))).chain(given);
        for (var, value, sent) in given {
            if !model.var(var).domain.contains(value) {
                return None;
            }
            let is_next = sent == Sent::State && model.var(var).kind == VarKind::State;
            let place = if is_next { &mut next } else { &mut current };
            let place = &mut place[var.0 as usize];
            if place.is_some_and(|known| known != value) {
                return None;
            }
            *place = Some(value);
        }
        let mut slots = Vec::new();
        for (var, declared) in model.var_ids() {
            let idx = var.0 as usize;
            match declared.kind {
                VarKind::Frozen => next[idx] = current[idx],
                VarKind::State if next[idx].is_none() => slots.push(Slot::Next(var)),
                VarKind::Input if current[idx].is_none() => slots.push(Slot::Current(var)),
                VarKind::State | VarKind::Input => {}
            }
        }
        Some((Values { current, next }, slots))
    }

    /// Adds the states of answers that show these outputs.
    fn collect(
        &self,
        problem: &Problem,
        question: (Values, Vec<Slot>),
        (outputs, side): (&Outputs, Side),
        found: &mut Found,
    ) -> Result<(), Why> {
        let mut cut = None;
        let bytes = VALUE_BYTES * self.ports.model.vars.len() as u64;
        self.ask(problem, question, |values| {
            let mut state = State { values: side(values) };
            state.drop_inputs(self.ports.model);
            if !found.known.contains(&state.values) && self.shows(&state, outputs) {
                found.known.insert(state.values.clone());
                found.list.states.push(state);
                cut = self.budget.allows(2 * bytes).err();
            }
            if cut.is_some() { Flow::Enough } else { Flow::More }
        })?;
        cut.map_or(Ok(()), |cut| Err(cut.into()))
    }

    fn shows(&self, state: &State, outputs: &Outputs) -> bool {
        let is_define = |output: &Output| matches!(output, Output::Define(_));
        let defined = outputs.iter().any(|(output, _)| is_define(output));
        let defined = defined.then(|| self.ports.defined(state));
        outputs.iter().all(|&(output, value)| match output {
            Output::Var(var) => state.get(var) == Some(value),
            Output::Define(define) => {
                defined.as_ref().is_some_and(|defined| defined(define) == Some(value))
            }
        })
    }

    /// The states without the inputs that leave them, and which of the states are one then.
    fn classes<'s>(&self, set: &'s StateList) -> Vec<Vec<&'s State>> {
        let mut classes: Vec<Vec<&State>> = Vec::new();
        let mut ids: FxHashMap<Vec<Option<Value>>, usize> = FxHashMap::default();
        for state in &set.states {
            let mut key = state.values.clone();
            for (var, _) in self.ports.model.var_ids().filter(|it| self.ports.leaves_state(it.0)) {
                key[var.0 as usize] = None;
            }
            let id = *ids.entry(key).or_insert(classes.len());
            if id == classes.len() {
                classes.push(Vec::new());
            }
            classes[id].push(state);
        }
        classes
    }

    /// The inputs of all steps from some states.
    fn inputs_from(&self, states: &[&State]) -> Result<Vec<Inputs>, Why> {
        let (mut list, mut known) = (Vec::new(), FxHashSet::default());
        for state in states {
            let Some(question) = self.step_question(state, &Exchange::default()) else { continue };
            self.ask(&self.steps, question, |values| {
                let value = |var: VarId| match self.ports.sent(var) {
                    Sent::Once => None,
                    Sent::State => values.next[var.0 as usize],
                    Sent::Step => values.current[var.0 as usize],
                };
                let inputs = self.ports.inputs.iter().filter_map(|&var| Some((var, value(var)?)));
                let inputs: Inputs = inputs.collect();
                if known.insert(inputs.clone()) {
                    list.push(inputs);
                }
                Flow::More
            })?;
        }
        Ok(list)
    }
}

/// A list that grows.
#[derive(Default)]
struct Found {
    list: StateList,
    known: FxHashSet<Vec<Option<Value>>>,
}

impl Possible for Explicit<'_, '_> {
    type Set = StateList;

    fn ports(&self) -> &Ports<'_> {
        &self.ports
    }

    fn start(&self, exchange: &Exchange) -> Result<StateList, Why> {
        let model = self.ports.model;
        let mut current = vec![None; model.vars.len()];
        let inputs = exchange.inputs.iter().filter(|(var, _)| self.ports.sent(*var) != Sent::Step);
        for &(var, value) in inputs {
            if !model.var(var).domain.contains(value) {
                return Ok(StateList::default());
            }
            current[var.0 as usize] = Some(value);
        }
        let is_open = |(var, declared): &(VarId, &trapline_model::Var)| {
            declared.kind != VarKind::Input && current[var.0 as usize].is_none()
        };
        let slots = model.var_ids().filter(is_open).map(|(var, _)| Slot::Current(var)).collect();
        let values = Values { current, next: vec![None; model.vars.len()] };
        let mut found = Found::default();
        let wanted = (&exchange.outputs, (|values| values.current) as Side);
        self.collect(&self.initial, (values, slots), wanted, &mut found)?;
        Ok(found.list)
    }

    fn step(&self, set: &StateList, exchange: &Exchange) -> Result<StateList, Why> {
        let mut found = Found::default();
        for state in &set.states {
            if let Some(question) = self.step_question(state, exchange) {
                let wanted = (&exchange.outputs, (|values| values.next) as Side);
                self.collect(&self.steps, question, wanted, &mut found)?;
            }
        }
        Ok(found.list)
    }

    fn is_enabled(&self, set: &StateList, inputs: &Inputs) -> Result<bool, Why> {
        let exchange = Exchange { inputs: inputs.clone(), outputs: Vec::new() };
        for class in self.classes(set) {
            let mut has_step = false;
            for state in class {
                if let Some(question) = self.step_question(state, &exchange) {
                    self.ask(&self.steps, question, |_| {
                        has_step = true;
                        Flow::Enough
                    })?;
                }
            }
            if !has_step {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn enabled(&self, set: &StateList, limit: usize) -> Result<Listed<Inputs>, Why> {
        let mut common: Option<Vec<Inputs>> = None;
        for class in self.classes(set) {
            let here = self.inputs_from(&class)?;
            common = Some(match common {
                None => here,
                Some(mut common) => {
                    let here: FxHashSet<Inputs> = here.into_iter().collect();
                    common.retain(|inputs| here.contains(inputs));
                    common
                }
            });
        }
        Ok(cut(common.unwrap_or_default(), limit))
    }

    fn outputs(&self, set: &StateList, limit: usize) -> Result<Listed<Outputs>, Why> {
        let (mut list, mut known) = (Vec::new(), FxHashSet::default());
        for state in &set.states {
            self.budget.spend(self.ports.outputs.len() as u64)?;
            let shown = self.ports.shown(state);
            if known.insert(shown.clone()) {
                list.push(shown);
            }
        }
        Ok(cut(list, limit))
    }

    fn is_empty(&self, set: &StateList) -> bool {
        set.states.is_empty()
    }

    fn n_states(&self, set: &StateList) -> u128 {
        set.states.len() as u128
    }

    fn example(&self, set: &StateList) -> Option<State> {
        set.states.first().cloned()
    }
}

fn cut<T>(mut list: Vec<T>, limit: usize) -> Listed<T> {
    let is_complete = list.len() <= limit;
    list.truncate(limit);
    Listed { list, is_complete }
}
