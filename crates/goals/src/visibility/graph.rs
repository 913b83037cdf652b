//! The exchanges of a model and of faulty copies, as graphs that grow where they are looked at.
//!
//! States, inputs and outputs have the same numbers in the model and in all copies. So a copy takes over the
//! steps of the model wherever its change makes no difference ([`Difference`]), and only what a fault makes of
//! a state is computed for the copy alone.

use std::cell::RefCell;
use std::hash::Hash;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_engine::possible::{Exchange, Explicit, Inputs, Outputs, Ports, Possible, StateList};
use trapline_engine::{Budget, Why};
use trapline_model::trace::{State, Trace};
use trapline_model::transform::Extension;
use trapline_model::{Model, Role, VarKind};

use super::difference::Difference;

/// Steps of one state that are looked at.
const MAX_STEPS: usize = 5_000;

/// What is before the first exchange.
pub const ROOT: u32 = 0;

/// Numbers for states and for what is exchanged. States that differ only in inputs which are not sent yet are
/// one: the tester chooses among them.
pub struct Numbers {
    states: RefCell<Numbered<Rc<[State]>>>,
    inputs: RefCell<Numbered<Inputs>>,
    outputs: RefCell<Numbered<Outputs>>,
}

struct Numbered<T> {
    list: Vec<T>,
    known: FxHashMap<T, u32>,
}

impl<T: Hash + Eq + Clone> Numbered<T> {
    fn new() -> Numbered<T> {
        Numbered { list: Vec::new(), known: FxHashMap::default() }
    }

    fn number(&mut self, thing: T) -> u32 {
        let list = &mut self.list;
        *self.known.entry(thing).or_insert_with_key(|thing| {
            list.push(thing.clone());
            list.len() as u32 - 1
        })
    }
}

impl Numbers {
    /// Only what is before the first exchange.
    pub fn new() -> Numbers {
        let mut states = Numbered::new();
        states.number(Rc::from([]));
        Numbers {
            states: RefCell::new(states),
            inputs: RefCell::new(Numbered::new()),
            outputs: RefCell::new(Numbered::new()),
        }
    }

    fn members(&self, state: u32) -> Rc<[State]> {
        self.states.borrow().list[state as usize].clone()
    }

    fn inputs(&self, input: u32) -> Inputs {
        self.inputs.borrow().list[input as usize].clone()
    }
}

/// A step, with what is exchanged by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Move {
    /// What is sent.
    pub input: u32,
    /// What is seen.
    pub output: u32,
    /// The state reached.
    pub next: u32,
}

/// The steps from a state.
struct Steps {
    moves: Rc<[Move]>,
    /// Of the model, with the states that they lead from and to.
    edges: Vec<(State, State)>,
}

/// The graph of a model, or of a copy of another model.
pub struct Graph<'g> {
    possible: Explicit<'g, 'g>,
    /// How the original sends inputs.
    sending: Ports<'g>,
    original: &'g Model,
    numbers: &'g Numbers,
    /// The graph of the original, and where the steps of a copy differ.
    base: Option<(&'g Graph<'g>, Difference)>,
    /// What is known of the steps from each state, or why they can't be listed.
    steps: RefCell<FxHashMap<u32, Result<Rc<Steps>, Why>>>,
    budget: &'g Budget<'g>,
}

impl<'g> Graph<'g> {
    /// The graph of a model.
    pub fn new(model: &'g Model, numbers: &'g Numbers, budget: &'g Budget<'g>) -> Graph<'g> {
        Graph {
            possible: Explicit::new(model, budget),
            sending: Ports::new(model),
            original: model,
            numbers,
            base: None,
            steps: RefCell::default(),
            budget,
        }
    }

    /// The graph of a copy that differs from a model.
    pub fn of_copy(
        copy: &'g Model,
        base: &'g Graph<'g>,
        difference: Difference,
        budget: &'g Budget<'g>,
    ) -> Graph<'g> {
        Graph {
            possible: Explicit::new(copy, budget),
            sending: Ports::new(base.original),
            base: Some((base, difference)),
            steps: RefCell::default(),
            budget,
            ..*base
        }
    }

    /// The steps from a state.
    ///
    /// # Errors
    /// When there are too many, or the budget runs out.
    pub fn moves(&self, state: u32) -> Result<Rc<[Move]>, Why> {
        self.steps(state).map(|steps| steps.moves.clone())
    }

    fn steps(&self, state: u32) -> Result<Rc<Steps>, Why> {
        if let Some(known) = self.steps.borrow().get(&state) {
            return known.clone();
        }
        let steps = match self.shared(state) {
            Some(shared) => Ok(shared),
            None => self.compute(state).map(Rc::new),
        };
        self.steps.borrow_mut().insert(state, steps.clone());
        steps
    }

    /// The steps of the model, where they are known and those of the copy too.
    fn shared(&self, state: u32) -> Option<Rc<Steps>> {
        let (base, difference) = self.base.as_ref()?;
        let steps = base.steps.borrow().get(&state)?.clone().ok()?;
        let is_same = match state {
            ROOT => difference.spares_first_states(),
            _ => difference.spares(&self.numbers.members(state), &steps.edges),
        };
        is_same.then_some(steps)
    }

    fn compute(&self, state: u32) -> Result<Steps, Why> {
        let too_many = || Why::Unsupported("a state of the model has too many steps".into());
        let mut edges = Vec::new();
        if state == ROOT {
            let starts = self.possible.starts(&Exchange::default(), MAX_STEPS)?;
            starts.is_complete.then_some(()).ok_or_else(too_many)?;
            edges.extend(starts.list.into_iter().map(|next| (State { values: Vec::new() }, next)));
        } else {
            let set = StateList { states: self.numbers.members(state).to_vec() };
            let found = self.possible.edges(&set, &Exchange::default(), MAX_STEPS)?;
            found.is_complete.then_some(()).ok_or_else(too_many)?;
            edges.extend(found.list.into_iter().map(|edge| (edge.current, edge.next)));
        }
        let moves = self.number(state, &edges);
        if self.base.is_some() {
            edges.clear();
        }
        let n_values = edges.len() * 2 * self.original.vars.len() + moves.len();
        self.budget.allows(n_values as u64 * size_of::<Option<trapline_model::Value>>() as u64)?;
        Ok(Steps { moves, edges })
    }

    fn number(&self, state: u32, edges: &[(State, State)]) -> Rc<[Move]> {
        let ports = self.possible.ports();
        let mut groups: Vec<(u32, u32, Vec<State>)> = Vec::new();
        let mut places: FxHashMap<(u32, u32, State), usize> = FxHashMap::default();
        for (current, next) in edges {
            let sent = match state {
                ROOT => first_inputs(&self.sending, self.original, next),
                _ => self.sending.sent_in(current, next),
            };
            let input = self.numbers.inputs.borrow_mut().number(sent);
            // A faulty output may depend on what will be sent.
            let output = self.numbers.outputs.borrow_mut().number(ports.shown(next));
            let key = (input, output, ports.settled(next));
            let place = *places.entry(key).or_insert_with(|| {
                groups.push((input, output, Vec::new()));
                groups.len() - 1
            });
            groups[place].2.push(next.clone());
        }
        let numbered = groups.into_iter().map(|(input, output, mut members)| {
            members.sort_unstable_by(|a, b| a.values.cmp(&b.values));
            members.dedup();
            let next = self.numbers.states.borrow_mut().number(Rc::from(members));
            Move { input, output, next }
        });
        let mut moves: Vec<Move> = numbered.collect();
        moves.sort_unstable();
        moves.dedup();
        Rc::from(moves)
    }

    /// A trace of the model with these inputs, without the variables that monitors have added.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn trace(&self, extended: &Extension, word: &[u32]) -> Result<Trace, Why> {
        let run = self.run(word)?;
        let last = run[run.len() - 1];
        // Each state is one from which the one after it is reached.
        let mut wanted = self.numbers.members(last)[0].clone();
        let mut states = vec![closed(self.original, wanted.clone())];
        for place in (1..run.len() - 1).rev() {
            let (member, left) = self.leave(run[place], word[place], &wanted)?;
            states.push(left);
            wanted = member;
        }
        states.reverse();
        states.iter_mut().for_each(|state| extended.widen(state));
        Ok(Trace { states, loop_start: None })
    }

    /// The states of a run with these inputs.
    fn run(&self, word: &[u32]) -> Result<Vec<u32>, Why> {
        // By exchange, the states reached, each with the place of the one before.
        let mut layers: Vec<Vec<(u32, usize)>> = vec![vec![(ROOT, 0)]];
        for &input in word {
            let (mut layer, mut seen) = (Vec::new(), FxHashSet::default());
            for (place, &(state, _)) in layers[layers.len() - 1].iter().enumerate() {
                let moves = self.moves(state)?;
                let fitting = moves.iter().filter(|it| it.input == input);
                let new = fitting.filter(|it| seen.insert(it.next));
                layer.extend(new.map(|it| (it.next, place)));
            }
            layers.push(layer);
        }
        let mut place = 0;
        let mut run = Vec::new();
        for layer in layers.iter().rev() {
            let (state, before) = layer[place];
            run.push(state);
            place = before;
        }
        run.reverse();
        Ok(run)
    }

    /// The member of a state from which a step with these inputs leads to another, without and with the
    /// inputs of the step.
    fn leave(&self, from: u32, input: u32, to: &State) -> Result<(State, State), Why> {
        let set = StateList { states: self.numbers.members(from).to_vec() };
        let exchange = Exchange { inputs: self.numbers.inputs(input), outputs: Outputs::new() };
        let found = self.possible.edges(&set, &exchange, usize::MAX)?;
        let fitting = found.list.into_iter().find(|edge| edge.next == *to);
        fitting.map(|edge| (set.states[edge.from].clone(), edge.current)).ok_or(Why::Work)
    }
}

/// The inputs that the first exchange sends.
pub fn first_inputs(ports: &Ports<'_>, model: &Model, state: &State) -> Inputs {
    let is_sent = |&&var: &&trapline_model::VarId| {
        model.var(var).kind != VarKind::Input && !ports.leaves_state(var)
    };
    let sent = ports.inputs.iter().filter(is_sent);
    sent.filter_map(|&var| Some((var, state.get(var)?))).collect()
}

/// A last state, in which inputs that nobody sends have any value.
pub(super) fn closed(model: &Model, mut state: State) -> State {
    for (var, declared) in model.var_ids() {
        let value = &mut state.values[var.0 as usize];
        if value.is_none() && declared.kind == VarKind::State && declared.role == Role::Input {
            *value = Some(declared.domain.value(0));
        }
    }
    state
}
