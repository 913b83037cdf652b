//! Possible states, one by one.
//!
//! The form for few states, and the reference for the other.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_budget::Budget;
use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Plan};
use trapline_model::trace::State;
use trapline_model::{
    AssignKind, ConstraintKind, Domain, ExprId, Model, Reads, Value, Var, VarId, VarKind,
};

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
    /// The inputs that leave a state and that nothing ties to it, in an initial state and after a step.
    /// [`Explicit::starts`] and [`Explicit::edges`] leave them open until they are sent.
    untied: [Vec<VarId>; 2],
    budget: &'b Budget<'b>,
}

/// A step that explains an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The index of the state that it leaves.
    pub from: usize,
    /// That state, with the inputs of the step.
    pub current: State,
    /// The state that it leads to.
    pub next: State,
}

/// Different states, in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateList {
    /// The states. What belongs to a step is missing.
    pub states: Vec<State>,
}

/// Larger domains are not compared with sets of values.
const MAX_COMPARED: u64 = 1 << 16;

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
        let ports = Ports::new(model);
        let untied = [false, true].map(|is_step| untied(&ports, is_step));
        Explicit { ports, initial, steps, untied, budget }
    }

    /// The initial states that explain the first exchange, unless more than so many answers are to be
    /// looked at for that.
    ///
    /// # Errors
    /// See [`Possible`].
    pub fn starts(&self, exchange: &Exchange, limit: usize) -> Result<Listed<State>, Why> {
        let Some(question) = self.start_question(exchange) else {
            return Ok(Listed { list: Vec::new(), is_complete: true });
        };
        let question = self.leave_open(self.untied[0].iter().copied().map(Slot::Current), question);
        let (mut known, mut list, mut n_answers) = (FxHashSet::default(), Vec::new(), 0);
        self.ask(&self.initial, question, |values| {
            n_answers += 1;
            let state = self.open_state(values.current, &self.untied[0]);
            if self.shows(&state, &exchange.outputs) && known.insert(state.values.clone()) {
                list.push(state);
            }
            if n_answers > limit { Flow::Enough } else { Flow::More }
        })?;
        Ok(Listed { list, is_complete: n_answers <= limit })
    }

    /// The steps from a set that explain an exchange, unless more than so many answers are to be looked
    /// at for that. Steps that differ in inputs which nobody saw are different.
    ///
    /// # Errors
    /// See [`Possible`].
    pub fn edges(
        &self,
        set: &StateList,
        exchange: &Exchange,
        limit: usize,
    ) -> Result<Listed<Edge>, Why> {
        let (mut list, mut n_answers) = (Vec::new(), 0);
        for (from, state) in set.states.iter().enumerate() {
            let Some(question) = self.step_question(state, exchange) else { continue };
            let question =
                self.leave_open(self.untied[1].iter().copied().map(Slot::Next), question);
            self.ask(&self.steps, question, |values| {
                n_answers += 1;
                let next = self.open_state(values.next, &self.untied[1]);
                if self.shows(&next, &exchange.outputs) {
                    list.push(Edge { from, current: State { values: values.current }, next });
                }
                if n_answers > limit { Flow::Enough } else { Flow::More }
            })?;
            if n_answers > limit {
                return Ok(Listed { list, is_complete: false });
            }
        }
        Ok(Listed { list, is_complete: true })
    }

    /// A question without these slots: any value stands for all of theirs.
    fn leave_open(
        &self,
        open: impl Iterator<Item = Slot>,
        (mut values, mut slots): (Values, Vec<Slot>),
    ) -> (Values, Vec<Slot>) {
        for slot in open {
            let (Slot::Current(var) | Slot::Next(var)) = slot;
            let n_before = slots.len();
            slots.retain(|known| *known != slot);
            if slots.len() < n_before {
                values.set(slot, Some(self.ports.model.var(var).domain.value(0)));
            }
        }
        (values, slots)
    }

    /// A state of an answer to such a question.
    fn open_state(&self, values: Vec<Option<Value>>, open: &[VarId]) -> State {
        let mut state = State { values };
        state.drop_inputs(self.ports.model);
        for var in open {
            state.values[var.0 as usize] = None;
        }
        state
    }

    /// The question for initial states, if the inputs are values of their types.
    fn start_question(&self, exchange: &Exchange) -> Option<(Values, Vec<Slot>)> {
        let model = self.ports.model;
        let mut current = vec![None; model.vars.len()];
        let inputs = exchange.inputs.iter().filter(|(var, _)| self.ports.sent(*var) != Sent::Step);
        for &(var, value) in inputs {
            if !model.var(var).domain.contains(value) {
                return None;
            }
            current[var.0 as usize] = Some(value);
        }
        for (output, value) in &exchange.outputs {
            let Output::Var(var) = output else { continue };
            let place = &mut current[var.0 as usize];
            if !model.var(*var).domain.contains(*value) || place.is_some_and(|it| it != *value) {
                return None;
            }
            *place = Some(*value);
        }
        let is_open = |(var, declared): &(VarId, &Var)| {
            declared.kind != VarKind::Input && current[var.0 as usize].is_none()
        };
        let slots = model.var_ids().filter(is_open).map(|(var, _)| Slot::Current(var)).collect();
        Some((Values { current, next: vec![None; model.vars.len()] }, slots))
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
                VarKind::State | VarKind::Input => {}
            }
            if declared.kind != VarKind::Frozen && current[idx].is_none() {
                slots.push(Slot::Current(var));
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

    /// For each state a number; states that differ only in what is not settled yet have the same.
    pub(super) fn class_of(&self, set: &StateList) -> Vec<usize> {
        let mut ids: FxHashMap<Vec<Option<Value>>, usize> = FxHashMap::default();
        let classes = set.states.iter().map(|state| {
            let n_known = ids.len();
            *ids.entry(self.ports.settled(state).values).or_insert(n_known)
        });
        classes.collect()
    }

    /// The states by class.
    fn classes<'s>(&self, set: &'s StateList) -> Vec<Vec<&'s State>> {
        let class_of = self.class_of(set);
        let n_classes = class_of.iter().max().map_or(0, |last| last + 1);
        let mut classes = vec![Vec::new(); n_classes];
        for (state, class) in set.states.iter().zip(class_of) {
            classes[class].push(state);
        }
        classes
    }

    /// The inputs of all steps from some states.
    fn inputs_from(&self, states: &[&State]) -> Result<Vec<Inputs>, Why> {
        let (mut list, mut known) = (Vec::new(), FxHashSet::default());
        for state in states {
            let Some(question) = self.step_question(state, &Exchange::default()) else { continue };
            self.ask(&self.steps, question, |values| {
                let [current, next] = [values.current, values.next].map(|values| State { values });
                let inputs = self.ports.sent_in(&current, &next);
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
        let mut found = Found::default();
        if let Some(question) = self.start_question(exchange) {
            let wanted = (&exchange.outputs, (|values| values.current) as Side);
            self.collect(&self.initial, question, wanted, &mut found)?;
        }
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

/// The inputs that leave a state and that no rule of initial states, or of the next state of a step,
/// reads.
fn untied(ports: &Ports<'_>, is_step: bool) -> Vec<VarId> {
    let model = ports.model;
    let mut tied: FxHashSet<VarId> = FxHashSet::default();
    let is_any = |expr| model.exprs.info(expr).reads == Reads::NOTHING;
    for assign in &model.assigns {
        let reads = support(model, [assign.expr]);
        match assign.kind {
            AssignKind::Next if is_step => tied.extend(reads.next),
            AssignKind::Init if !is_step => tied.extend(reads.current),
            AssignKind::Current => tied.extend(reads.all()),
            AssignKind::Init | AssignKind::Next => continue,
        }
        let domain = &model.var(assign.var).domain;
        // A constant set of all values is no tie.
        if !(is_any(assign.expr) && covers(model, assign.expr, domain)) {
            tied.insert(assign.var);
        }
    }
    for constraint in &model.constraints {
        let reads = support(model, [constraint.body.expr]);
        match constraint.kind {
            ConstraintKind::Trans if is_step => tied.extend(reads.next),
            ConstraintKind::Init if !is_step => tied.extend(reads.current),
            ConstraintKind::Invar => tied.extend(reads.all()),
            ConstraintKind::Init | ConstraintKind::Trans => {}
        }
    }
    for output in &ports.outputs {
        match *output {
            Output::Var(var) => drop(tied.insert(var)),
            Output::Define(define) => {
                tied.extend(support(model, [model.define(define).body.expr]).current);
            }
        }
    }
    let leaving = model.var_ids().filter(|(var, _)| ports.leaves_state(*var));
    let is_untied = |(var, it): &(VarId, &Var)| !tied.contains(var) && it.domain.size() > Some(0);
    leaving.filter(is_untied).map(|(var, _)| var).collect()
}

/// Has a constant expression every value of a domain?
fn covers(model: &Model, expr: ExprId, domain: &Domain) -> bool {
    let plan = Plan::new(model, &[expr]);
    let mut cells = Vec::new();
    plan.run(&[], &[], &mut cells);
    let Cell::Set(set) = plan.root(0, &cells) else { return false };
    let has = |value: Value| match value {
        Value::Int(i) if set.ranges.iter().any(|(lo, hi)| (*lo..=*hi).contains(&i)) => true,
        _ => set.values.contains(&value),
    };
    let size = domain.size().filter(|&size| size <= MAX_COMPARED);
    size.is_some_and(|size| (0..size).all(|idx| has(domain.value(idx))))
}

fn cut<T>(mut list: Vec<T>, limit: usize) -> Listed<T> {
    let is_complete = list.len() <= limit;
    list.truncate(limit);
    Listed { list, is_complete }
}
