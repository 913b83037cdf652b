//! Faults in models with choices, judged exactly.
//!
//! A test surely shows a fault if every run of the faulty copy on its inputs leaves what the model allows.
//! The tester does not see states, so it keeps for each state of the copy the set of states that the model
//! may be in after the same exchanges: an *element*. The copy leaves the model where it has no successor
//! with an input that the model takes, or one with outputs that the model does not allow.
//!
//! - Some run leaves: an element from which the copy leaves is reachable. Otherwise the copy conforms.
//! - A test surely shows the fault: an input word after which no element is left, found on the sets of
//!   elements. Where an element's model takes no such input, nothing can be judged, and the word is no test.
//! - The copy is equivalent if, besides, the model never leaves it.

use std::collections::VecDeque;
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_engine::possible::{Exchange, Explicit, Inputs, Outputs, Ports, Possible, StateList};
use trapline_engine::{Budget, Why};
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Role, VarKind};

use super::widen::faulty;
use super::{Fault, Finding, once};
use crate::decide::Witness;
use crate::subgoals::Subgoals;

/// Work of the constraint solver for the graph of one model.
const GRAPH_WORK: u64 = 20_000_000;

/// Steps of one state, and states of one graph.
const MAX_STEPS: usize = 5_000;
const MAX_STATES: usize = 20_000;

/// Elements, or sets of them, that one question may meet.
const MAX_NODES: usize = 50_000;

/// Decides the faults that are open.
pub fn decide(
    subgoals: &Subgoals,
    own: &Model,
    faults: &[usize],
    found: &mut [Option<Finding>],
    traces: &mut Vec<Trace>,
    budget: &Budget<'_>,
) {
    let open: Vec<usize> = (0..faults.len()).filter(|&idx| found[idx].is_none()).collect();
    if open.is_empty() {
        return;
    }
    let mut words = Words::default();
    let graph = Graph::new(own, own, &mut words, budget);
    for idx in open {
        let fault = &subgoals.faults[faults[idx]];
        let finding = match &graph {
            _ if !fault.is_lasting => {
                Err(Why::Unsupported("observable goals of a model with choices of its own".into()))
            }
            Err(why) => Err(why.clone()),
            Ok(graph) => {
                let copy = faulty(fault.change.apply(own));
                let judged = Graph::new(&copy, own, &mut words, budget)
                    .and_then(|copy| judge(graph, &copy, budget));
                judged.map(|judged| match judged {
                    Judged::Sure(word) => {
                        traces.push(graph.trace(&subgoals.model, own, &word));
                        let state = word.len() - 1;
                        Finding::Shown(Witness { trace: traces.len() - 1, state, evaluation: None })
                    }
                    Judged::May(n_exchanges) => Finding::MayBeShown(format!(
                        "its choices decide whether it shows, after {n_exchanges} exchanges at the \
                         earliest; no test surely shows it"
                    )),
                    Judged::Open(n_exchanges) => Finding::MayBeShown(format!(
                        "its choices decide whether it shows, after {n_exchanges} exchanges at the \
                         earliest; whether some test surely shows it is open"
                    )),
                    Judged::Conforms(proof) => Finding::Conforming(proof),
                    Judged::Equals(proof) => Finding::Equivalent(proof),
                })
            }
        };
        found[idx] = Some(finding.unwrap_or_else(Finding::Unknown));
    }
}

/// The state of a test in which a fault surely shows.
pub fn shows(model: &Model, fault: &Fault, test: &Trace, budget: &Budget<'_>) -> Option<usize> {
    if !fault.is_lasting {
        return once::shows(model, fault, test, budget);
    }
    let copy = faulty(fault.change.apply(model));
    let part = budget.part(Some(GRAPH_WORK));
    let (ours, theirs) = (Explicit::new(model, &part), Explicit::new(&copy, &part));
    let ports = Ports::new(model);
    let mut elements: Vec<(Option<StateList>, Option<StateList>)> = vec![(None, None)];
    for (state, now) in test.states.iter().enumerate() {
        let inputs = match state.checked_sub(1) {
            None => first_inputs(&ports, model, now),
            Some(before) => ports.sent_in(&test.states[before], now),
        };
        let exchange = Exchange { inputs, outputs: Vec::new() };
        let mut next: Vec<(Option<StateList>, Option<StateList>)> = Vec::new();
        for (possible, copies) in &elements {
            let allowed = by_outputs(&ports, after(&ours, possible.as_ref(), &exchange)?);
            // What the model does not take is not judged.
            if allowed.is_empty() {
                return None;
            }
            let copies: Vec<Option<StateList>> = match copies {
                None => vec![None],
                Some(list) => classes(&ports, list.clone()).into_iter().map(Some).collect(),
            };
            for one in copies {
                // The copy shows what the model's definitions are in it.
                let shown =
                    by_outputs(&Ports::new(&copy), after(&theirs, one.as_ref(), &exchange)?);
                for (outputs, states) in shown {
                    if let Some(fitting) = allowed.get(&outputs) {
                        next.push((Some(fitting.clone()), Some(states)));
                    }
                }
            }
        }
        if next.is_empty() {
            return Some(state);
        }
        if next.len() > MAX_STEPS {
            return None;
        }
        elements = merged(next);
    }
    None
}

/// Elements whose model is in the same states, as one.
pub(super) fn merged(
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

/// The states after an exchange; `None` if they can't be listed.
pub(super) fn after(
    possible: &Explicit<'_, '_>,
    set: Option<&StateList>,
    exchange: &Exchange,
) -> Option<StateList> {
    match set {
        None => possible.start(exchange).ok(),
        Some(set) => possible.step(set, exchange).ok(),
    }
}

pub(super) fn by_outputs(ports: &Ports<'_>, set: StateList) -> FxHashMap<Outputs, StateList> {
    let mut groups: FxHashMap<Outputs, StateList> = FxHashMap::default();
    for state in set.states {
        groups.entry(ports.shown(&state)).or_default().states.push(state);
    }
    groups
}

/// The inputs that the first exchange sends.
pub(super) fn first_inputs(ports: &Ports<'_>, model: &Model, state: &State) -> Inputs {
    let is_sent = |&&var: &&trapline_model::VarId| {
        model.var(var).kind != VarKind::Input && !ports.leaves_state(var)
    };
    let sent = ports.inputs.iter().filter(is_sent);
    sent.filter_map(|&var| Some((var, state.get(var)?))).collect()
}

/// Numbers for what is exchanged, the same in the model and in copies.
#[derive(Default)]
struct Words {
    inputs: Numbers<Inputs>,
    outputs: Numbers<Outputs>,
}

struct Numbers<T> {
    known: FxHashMap<T, u32>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Numbers<T> {
        Numbers { known: FxHashMap::default() }
    }
}

impl<T: Hash + Eq> Numbers<T> {
    fn number(&mut self, thing: T) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry(thing).or_insert(next)
    }
}

/// A step, with what is exchanged by it.
struct Move {
    input: u32,
    output: u32,
    next: u32,
    /// The state that it leaves, with its inputs.
    current: State,
}

/// All states of a model, and the steps between them. Number 0 is before the first exchange. States that
/// differ only in inputs which are not sent yet are one: the tester chooses among them.
struct Graph {
    states: Vec<Vec<State>>,
    moves: Vec<Vec<Move>>,
}

/// A set of states, sorted.
type Set = Vec<u32>;

impl Graph {
    /// The graph of a model, or of a copy of another whose inputs are sent.
    fn new(
        model: &Model,
        original: &Model,
        words: &mut Words,
        budget: &Budget<'_>,
    ) -> Result<Graph, Why> {
        let part = budget.part(Some(GRAPH_WORK));
        let possible = Explicit::new(model, &part);
        let (ports, sending) = (Ports::new(model), Ports::new(original));
        let mut graph = Graph { states: vec![Vec::new()], moves: vec![Vec::new()] };
        let mut known: FxHashMap<Vec<State>, u32> = FxHashMap::default();
        let too_large = || Why::Unsupported("the model has too many states and choices".into());
        let starts = possible.starts(&Exchange::default(), MAX_STEPS)?;
        if !starts.is_complete {
            return Err(too_large());
        }
        let starts = starts.list.into_iter().map(|next| {
            let input = words.inputs.number(first_inputs(&sending, original, &next));
            (input, State { values: Vec::new() }, next)
        });
        let starts: Vec<_> = starts.collect();
        graph.add(0, starts, &ports, words, &mut known);
        let mut at = 1;
        while at < graph.states.len() {
            let set = StateList { states: graph.states[at].clone() };
            let edges = possible.edges(&set, &Exchange::default(), MAX_STEPS)?;
            if !edges.is_complete || graph.states.len() > MAX_STATES {
                return Err(too_large());
            }
            let steps = edges.list.into_iter().map(|edge| {
                let input = words.inputs.number(sending.sent_in(&edge.current, &edge.next));
                (input, edge.current, edge.next)
            });
            let steps: Vec<_> = steps.collect();
            graph.add(at, steps, &ports, words, &mut known);
            at += 1;
        }
        Ok(graph)
    }

    /// Adds the steps from a state, each with its input, and where they lead.
    fn add(
        &mut self,
        from: usize,
        steps: Vec<(u32, State, State)>,
        ports: &Ports<'_>,
        words: &mut Words,
        known: &mut FxHashMap<Vec<State>, u32>,
    ) {
        let mut groups: Vec<(u32, State, State, Vec<State>)> = Vec::new();
        let mut places: FxHashMap<(u32, State), usize> = FxHashMap::default();
        for (input, current, next) in steps {
            let class = class(ports, &next);
            let place = *places.entry((input, class.clone())).or_insert_with(|| {
                groups.push((input, current, class, Vec::new()));
                groups.len() - 1
            });
            if !groups[place].3.contains(&next) {
                groups[place].3.push(next);
            }
        }
        for (input, current, class, members) in groups {
            let output = words.outputs.number(ports.shown(&class));
            let next = *known.entry(members).or_insert_with_key(|members| {
                self.states.push(members.clone());
                self.moves.push(Vec::new());
                self.states.len() as u32 - 1
            });
            self.moves[from].push(Move { input, output, next, current });
        }
    }

    /// The inputs that some state of a set takes.
    fn inputs(&self, set: &[u32]) -> Vec<u32> {
        let moves = set.iter().flat_map(|&state| &self.moves[state as usize]);
        sorted(moves.map(|it| it.input))
    }

    /// The successors of a set with an input, by outputs.
    fn after(&self, set: &[u32], input: u32) -> FxHashMap<u32, Set> {
        let mut groups: FxHashMap<u32, Set> = FxHashMap::default();
        for &state in set {
            for it in self.moves[state as usize].iter().filter(|it| it.input == input) {
                groups.entry(it.output).or_default().push(it.next);
            }
        }
        groups.values_mut().for_each(|set| *set = sorted(set.drain(..)));
        groups
    }

    /// A trace of the model with these inputs.
    fn trace(
        &self,
        extended: &trapline_model::transform::Extension,
        own: &Model,
        word: &[u32],
    ) -> Trace {
        // By exchange, the states reached, each with the move and the place before.
        let mut layers: Vec<Vec<(u32, usize, usize)>> = vec![vec![(0, 0, 0)]];
        for &input in word {
            let (mut layer, mut seen) = (Vec::new(), FxHashSet::default());
            for (place, &(state, ..)) in layers[layers.len() - 1].iter().enumerate() {
                for (idx, it) in self.moves[state as usize].iter().enumerate() {
                    if it.input == input && seen.insert(it.next) {
                        layer.push((it.next, place, idx));
                    }
                }
            }
            layers.push(layer);
        }
        let mut place = 0;
        let mut states = Vec::new();
        for depth in (1..layers.len()).rev() {
            let (state, before, idx) = layers[depth][place];
            if depth + 1 == layers.len() {
                states.push(closed(own, self.states[state as usize][0].clone()));
            }
            if depth > 1 {
                let (from, ..) = layers[depth - 1][before];
                states.push(self.moves[from as usize][idx].current.clone());
            }
            place = before;
        }
        states.reverse();
        states.iter_mut().for_each(|state| extended.widen(state));
        Trace { states, loop_start: None }
    }
}

/// A state without the inputs that leave it.
fn class(ports: &Ports<'_>, state: &State) -> State {
    let mut class = state.clone();
    for &var in ports.inputs.iter().filter(|var| ports.leaves_state(**var)) {
        class.values[var.0 as usize] = None;
    }
    class
}

/// States that differ only in inputs which leave them, together.
pub(super) fn classes(ports: &Ports<'_>, set: StateList) -> Vec<StateList> {
    let mut classes: FxHashMap<State, StateList> = FxHashMap::default();
    for state in set.states {
        classes.entry(class(ports, &state)).or_default().states.push(state);
    }
    classes.into_values().collect()
}

/// A last state, in which inputs that nobody sends have any value.
fn closed(model: &Model, mut state: State) -> State {
    for (var, declared) in model.var_ids() {
        let value = &mut state.values[var.0 as usize];
        if value.is_none() && declared.kind == VarKind::State && declared.role == Role::Input {
            *value = Some(declared.domain.value(0));
        }
    }
    state
}

fn sorted(list: impl Iterator<Item = u32>) -> Set {
    let mut list: Set = list.collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// What is true of a copy.
enum Judged {
    /// This input word surely shows the fault.
    Sure(Vec<u32>),
    /// After so many exchanges its choices may show it, and nothing surely does.
    May(usize),
    /// The same, but whether something surely does is open.
    Open(usize),
    /// It shows nothing that the model does not allow.
    Conforms(String),
    /// Nor does it lack anything.
    Equals(String),
}

fn judge(model: &Graph, copy: &Graph, budget: &Budget<'_>) -> Result<Judged, Why> {
    let (leaves, n_nodes) = leaving(model, copy, budget)?;
    let Some(n_exchanges) = leaves else {
        let proof = format!(
            "all {n_nodes} pairs of one of its states with what the model may be in were seen"
        );
        // The other way round, a state of the model beside what the copy may be in.
        return Ok(match leaving_words(copy, model, budget)? {
            false => Judged::Equals(proof),
            true => Judged::Conforms(proof),
        });
    };
    Ok(match surely_leaving(model, copy, budget) {
        Ok(Some(word)) => Judged::Sure(word),
        Ok(None) => Judged::May(n_exchanges),
        Err(Why::Work) => Judged::Open(n_exchanges),
        Err(why) => return Err(why),
    })
}

/// After how many exchanges some run of a copy leaves the model at the earliest, and how many elements there
/// are.
fn leaving(
    model: &Graph,
    copy: &Graph,
    budget: &Budget<'_>,
) -> Result<(Option<usize>, usize), Why> {
    let mut known: FxHashSet<(u32, Set)> = FxHashSet::default();
    let mut queue = VecDeque::from([(0u32, vec![0u32], 0usize)]);
    while let Some((state, set, depth)) = queue.pop_front() {
        poll(known.len(), budget)?;
        for input in model.inputs(&set) {
            let allowed = model.after(&set, input);
            let shown = copy.after(&[state], input);
            if shown.is_empty() {
                return Ok((Some(depth + 1), known.len()));
            }
            for (output, states) in shown {
                let Some(fitting) = allowed.get(&output) else {
                    return Ok((Some(depth + 1), known.len()));
                };
                for state in states {
                    if known.insert((state, fitting.clone())) {
                        queue.push_back((state, fitting.clone(), depth + 1));
                    }
                }
            }
        }
    }
    Ok((None, known.len()))
}

/// Has a model an exchange word that another has not?
fn leaving_words(other: &Graph, model: &Graph, budget: &Budget<'_>) -> Result<bool, Why> {
    let mut known: FxHashSet<(u32, Set)> = FxHashSet::default();
    let mut queue = VecDeque::from([(0u32, vec![0u32])]);
    while let Some((state, set)) = queue.pop_front() {
        poll(known.len(), budget)?;
        for input in model.inputs(&[state]) {
            let possible = other.after(&set, input);
            for (output, states) in model.after(&[state], input) {
                let Some(fitting) = possible.get(&output) else { return Ok(true) };
                for state in states {
                    if known.insert((state, fitting.clone())) {
                        queue.push_back((state, fitting.clone()));
                    }
                }
            }
        }
    }
    Ok(false)
}

/// A shortest input word on which every run of a copy leaves the model.
fn surely_leaving(
    model: &Graph,
    copy: &Graph,
    budget: &Budget<'_>,
) -> Result<Option<Vec<u32>>, Why> {
    type Elements = Vec<(u32, Set)>;
    let first: Elements = vec![(0, vec![0])];
    // By node, the input that led to it and the node before.
    let mut ways: Vec<(u32, usize)> = vec![(0, 0)];
    let mut known: FxHashSet<Elements> = FxHashSet::from_iter([first.clone()]);
    let mut queue = VecDeque::from([(0usize, first)]);
    while let Some((node, elements)) = queue.pop_front() {
        poll(known.len(), budget)?;
        // Every element must take the input.
        let Some((_, set)) = elements.first() else { continue };
        for input in model.inputs(set) {
            let Some(next) = next_elements(model, copy, &elements, input) else { continue };
            if next.is_empty() {
                let mut word = vec![input];
                let mut at = node;
                while at > 0 {
                    word.push(ways[at].0);
                    at = ways[at].1;
                }
                word.reverse();
                return Ok(Some(word));
            }
            if known.insert(next.clone()) {
                ways.push((input, node));
                queue.push_back((ways.len() - 1, next));
            }
        }
    }
    Ok(None)
}

/// The elements after an input; `None` if the model of one of them does not take it.
fn next_elements(
    model: &Graph,
    copy: &Graph,
    elements: &[(u32, Set)],
    input: u32,
) -> Option<Vec<(u32, Set)>> {
    let mut next = Vec::new();
    for (state, set) in elements {
        let allowed = model.after(set, input);
        if allowed.is_empty() {
            return None;
        }
        for (output, states) in copy.after(&[*state], input) {
            if let Some(fitting) = allowed.get(&output) {
                next.extend(states.into_iter().map(|state| (state, fitting.clone())));
            }
        }
    }
    next.sort_unstable();
    next.dedup();
    Some(next)
}

fn poll(n_nodes: usize, budget: &Budget<'_>) -> Result<(), Why> {
    budget.spend(100)?;
    if n_nodes > MAX_NODES { Err(Why::Work) } else { Ok(()) }
}
