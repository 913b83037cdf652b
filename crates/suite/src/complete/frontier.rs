//! The search for missing values: all states that are possible, step by step.
//!
//! A layer holds the possible states at one position of the test, each with its predecessors in the
//! layer before. Values given later remove states that contradict them. In the end a test is
//! determined if a single path through the layers is left.

use rustc_hash::FxHashMap;
use trapline_engine::solve::{Slot, Stop, Values};
use trapline_engine::{Budget, Exhausted};
use trapline_model::replay::Rule;
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Value, VarId, VarKind};

use super::fill::Sheet;
use super::functions::Keeping;
use super::rules::{self, Of, Problems, Question};
use super::{Impossible, Limits};
use crate::read::Draft;

/// What is completed, and with what.
pub(super) struct Test<'a> {
    pub model: &'a Model,
    pub draft: &'a Draft,
    pub keeping: &'a Keeping,
    pub problems: &'a Problems<'a>,
    pub limits: &'a Limits,
}

/// A possible state, with the inputs of the step to it. What follows depends on nothing else.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Node {
    state: Vec<Option<Value>>,
    /// All variables, so that it can be indexed by them; only inputs have values.
    inputs: Vec<Option<Value>>,
    /// Where the loop will have to lead: a node of the layer in which it starts.
    anchor: Option<u32>,
}

/// The possible states at one position.
#[derive(Default)]
struct Layer {
    nodes: Vec<Node>,
    /// The nodes by what they are, while the layer grows.
    ids: FxHashMap<Node, u32>,
    /// For each node, up to two predecessors in the layer before: more make no difference.
    parents: Vec<[Option<u32>; 2]>,
}

struct Frontier<'a> {
    test: &'a Test<'a>,
    sheet: Sheet<'a>,
    /// The position of the first layer.
    first: usize,
    layers: Vec<Layer>,
    budget: &'a Budget<'a>,
}

/// The trace of a test in which something is missing, after what is known from the start.
pub(super) fn search(
    test: &Test<'_>,
    sheet: Sheet<'_>,
    budget: &Budget<'_>,
) -> Result<Trace, Impossible> {
    let first_open = sheet.first_open().unwrap_or(0);
    let settled_from = sheet.settled_from();
    let n_places = sheet.rows.len() + usize::from(sheet.loop_start.is_some());
    // A test without choices needs some work for each state, however long it is.
    let fair_work = (n_places as u64).saturating_mul(test.problems.size()).saturating_mul(16);
    let part = budget.part(Some(test.limits.max_work.saturating_add(fair_work)));
    let first = first_open.saturating_sub(1);
    let mut frontier = Frontier { test, sheet, first, layers: Vec::new(), budget: &part };
    frontier.start(first_open)?;
    for place in first + 1..n_places {
        // With one state left and nothing missing, replay does the rest.
        if place > settled_from && frontier.is_single() {
            break;
        }
        frontier.advance(place)?;
    }
    frontier.finish()
}

impl Frontier<'_> {
    /// The layer of the first state in which something is missing, or of the one before it.
    fn start(&mut self, first_open: usize) -> Result<(), Impossible> {
        let mut layer = Layer::default();
        match first_open {
            0 => {
                let question = self.initial_question();
                self.ask(&question, 0, &mut layer, None)?;
                if layer.nodes.is_empty() {
                    return Err(self.impossible(&question, 0));
                }
            }
            _ => {
                let mut state = State { values: self.sheet.rows[self.first].clone() };
                state.drop_inputs(self.test.model);
                let before = self.first.checked_sub(1).map(|before| &self.sheet.rows[before]);
                let inputs = before.map_or_else(|| self.unknown(), |row| self.only_inputs(row));
                layer.add(Node { state: state.values, inputs, anchor: None }, None);
            }
        }
        self.push(layer);
        Ok(())
    }

    /// Adds the layer at a position, which is one beyond the last state for the end of a loop.
    fn advance(&mut self, place: usize) -> Result<(), Impossible> {
        let mut layer = Layer::default();
        let n_before = self.layers.last().map_or(0, |before| before.nodes.len());
        let mut failure = None;
        for node_idx in 0..n_before {
            let question = self.step_question(place, node_idx);
            let asked = self.ask(&question, place, &mut layer, Some(node_idx as u32));
            failure = failure.or(asked?);
        }
        if layer.nodes.is_empty() {
            let question = self.step_question(place, 0);
            let state = self.state_at(place);
            return Err(match failure {
                Some(rule) => Impossible::Forbidden { state, rules: vec![rule], kept: vec![] },
                None => self.impossible(&question, place),
            });
        }
        self.push(layer);
        Ok(())
    }

    fn push(&mut self, mut layer: Layer) {
        layer.ids = FxHashMap::default();
        self.layers.push(layer);
    }

    /// Adds all answers to a layer. Returns a rule without value, if one was met.
    fn ask(
        &mut self,
        question: &Question,
        place: usize,
        layer: &mut Layer,
        parent: Option<u32>,
    ) -> Result<Option<Rule>, Impossible> {
        let state = self.state_at(place);
        let mut search = self.test.problems.ask(question, self.budget);
        loop {
            match search.next(&mut None) {
                Ok(Some(values)) => {
                    let node = self.node(question.of, values, place, parent);
                    layer.add(node, parent);
                    if layer.nodes.len() > self.test.limits.max_possible {
                        break Err(layer.too_open(state));
                    }
                }
                Ok(None) => break Ok(None),
                // Other answers, or other states before this one, may be all that is needed.
                Err(Stop::Failure { failure, span }) => {
                    break Ok(Some(rules::failure(failure, span)));
                }
                Err(Stop::Unbounded(var)) => {
                    let is_input = self.test.model.var(var).kind == VarKind::Input;
                    let state = if is_input { place.saturating_sub(1) } else { state };
                    break Err(Impossible::Unbounded { state, var });
                }
                Err(Stop::Exhausted(exhausted)) => {
                    break Err(Impossible::TooHard { state, exhausted });
                }
            }
        }
    }

    fn node(&self, of: Of, values: Values, place: usize, parent: Option<u32>) -> Node {
        let before = parent.and_then(|idx| Some(&self.layers.last()?.nodes[idx as usize]));
        let anchor = match self.sheet.loop_start {
            // The state where the loop starts is the node before this one.
            Some(start) if start + 1 == place && start >= self.first => parent,
            _ => before.and_then(|node| node.anchor),
        };
        match of {
            Of::Initial => Node { state: values.current, inputs: self.unknown(), anchor },
            Of::Step => {
                Node { state: values.next, inputs: self.only_inputs(&values.current), anchor }
            }
        }
    }

    fn initial_question(&self) -> Question {
        let mut state = State { values: self.sheet.rows[0].clone() };
        state.drop_inputs(self.test.model);
        let is_open = |var: &VarId| state.get(*var).is_none();
        let slots = self.vars(VarKind::State).chain(self.vars(VarKind::Frozen)).filter(is_open);
        let slots = slots.map(Slot::Current).collect();
        let values = Values { current: state.values.clone(), next: self.unknown() };
        Question { of: Of::Initial, values, slots }
    }

    fn step_question(&self, place: usize, node_idx: usize) -> Question {
        let Test { model, draft, keeping, .. } = self.test;
        let node = self.layers.last().map(|layer| &layer.nodes[node_idx]);
        let node = node.unwrap_or_else(|| unreachable!("the first layer is there from the start"));
        let mut current = node.state.clone();
        let mut next = match self.sheet.rows.get(place) {
            Some(row) => row.clone(),
            None => self.loop_state(node, place - 1).clone(),
        };
        let mut slots = Vec::new();
        for (var, declared) in model.var_ids() {
            let idx = var.0 as usize;
            let is_kept = keeping.keeps(draft.keeps, var);
            if declared.kind == VarKind::Input {
                next[idx] = None;
                let kept = node.inputs[idx].filter(|_| is_kept);
                current[idx] = self.sheet.rows[place - 1][idx].or(kept);
                slots.extend(current[idx].is_none().then_some(Slot::Current(var)));
            } else {
                let is_kept = is_kept || declared.kind == VarKind::Frozen;
                next[idx] = next[idx].or(node.state[idx].filter(|_| is_kept));
                slots.extend(next[idx].is_none().then_some(Slot::Next(var)));
            }
        }
        Question { of: Of::Step, values: Values { current, next }, slots }
    }

    /// The state that a loop leads back to, on the path to a node at the last position.
    fn loop_state<'s>(&'s self, node: &'s Node, last: usize) -> &'s Vec<Option<Value>> {
        match (self.sheet.loop_start, node.anchor) {
            (Some(start), _) if start == last => &node.state,
            (Some(start), Some(anchor)) => {
                &self.layers[start - self.first].nodes[anchor as usize].state
            }
            (Some(start), None) => &self.sheet.rows[start],
            (None, _) => unreachable!("only loops go beyond the last state"),
        }
    }

    fn state_at(&self, place: usize) -> usize {
        match self.sheet.loop_start {
            Some(start) if place == self.sheet.rows.len() => start,
            _ => place,
        }
    }

    fn impossible(&self, question: &Question, place: usize) -> Impossible {
        let state = self.state_at(place);
        let rules = self.test.problems.conflict(question, self.test.limits.max_work, self.budget);
        let kept = match place < self.sheet.rows.len() {
            true => {
                let Test { model, draft, keeping, .. } = self.test;
                rules::kept(model, draft, keeping, place, &rules)
            }
            false => Vec::new(),
        };
        Impossible::Forbidden { state, rules, kept }
    }

    fn is_single(&self) -> bool {
        self.layers.last().is_some_and(|layer| layer.nodes.len() == 1)
    }

    /// The only path through the layers.
    fn finish(self) -> Result<Trace, Impossible> {
        let way = self.way(0, None);
        let is_fork = |&idx: &usize| self.layers[idx].parents[way[idx] as usize][1].is_some();
        let other = match self.is_single() {
            true => (1..way.len()).rev().find(is_fork).map(|fork| self.way(0, Some(fork))),
            false => Some(self.way(1, None)),
        };
        let trace = self.trace(&way);
        match other.and_then(|other| first_difference(&trace, &self.trace(&other))) {
            Some((state, var, values)) => Err(Impossible::Undetermined { state, var, values }),
            None => Ok(trace),
        }
    }

    /// The nodes on a path to a node of the last layer, from the first layer on. At the layer
    /// `fork` it takes the other predecessor.
    fn way(&self, last: u32, fork: Option<usize>) -> Vec<u32> {
        let mut way = vec![last; self.layers.len()];
        for idx in (1..self.layers.len()).rev() {
            let [first, second] = self.layers[idx].parents[way[idx] as usize];
            let parent = if fork == Some(idx) { second } else { first };
            way[idx - 1] = parent.unwrap_or(0);
        }
        way
    }

    fn trace(&self, way: &[u32]) -> Trace {
        let mut rows = self.sheet.rows.clone();
        for (offset, &node_idx) in way.iter().enumerate() {
            let (place, node) =
                (self.first + offset, &self.layers[offset].nodes[node_idx as usize]);
            let inputs = self.vars(VarKind::Input).map(|var| var.0 as usize);
            if place > 0 && offset > 0 {
                let row = &mut rows[place - 1];
                inputs.clone().for_each(|idx| row[idx] = node.inputs[idx].or(row[idx]));
            }
            if let Some(row) = rows.get_mut(place) {
                let old = std::mem::replace(row, node.state.clone());
                inputs.for_each(|idx| row[idx] = old[idx]);
            }
        }
        let states = rows.into_iter().map(|values| State { values }).collect();
        Trace { states, loop_start: self.sheet.loop_start }
    }

    fn vars(&self, kind: VarKind) -> impl Iterator<Item = VarId> + Clone + '_ {
        let ids = self.test.model.vars.iter().zip(0..);
        ids.filter(move |(var, _)| var.kind == kind).map(|(_, idx)| VarId(idx))
    }

    fn unknown(&self) -> Vec<Option<Value>> {
        vec![None; self.test.model.vars.len()]
    }

    fn only_inputs(&self, values: &[Option<Value>]) -> Vec<Option<Value>> {
        let mut inputs = self.unknown();
        // What follows does not depend on which command led there.
        let own = self.vars(VarKind::Input).filter(|var| !self.test.model.is_command(*var));
        own.for_each(|var| inputs[var.0 as usize] = values[var.0 as usize]);
        inputs
    }
}

impl Layer {
    fn add(&mut self, node: Node, parent: Option<u32>) {
        match self.ids.get(&node) {
            Some(&id) => {
                let [_, second] = &mut self.parents[id as usize];
                *second = second.or(parent);
            }
            None => {
                self.ids.insert(node.clone(), self.nodes.len() as u32);
                self.nodes.push(node);
                self.parents.push([parent, None]);
            }
        }
    }

    /// That there are too many nodes, and a variable which makes them many.
    fn too_open(&self, state: usize) -> Impossible {
        let differs = |node: &Node| {
            let of_state = differing(&self.nodes[0].state, &node.state);
            let of_inputs = || differing(&self.nodes[0].inputs, &node.inputs);
            let of_state = of_state.map(|(var, values)| (state, var, values));
            of_state.or_else(|| of_inputs().map(|(var, values)| (state.max(1) - 1, var, values)))
        };
        match self.nodes.iter().find_map(differs) {
            Some((state, var, values)) => Impossible::TooOpen { state, var, values },
            // They differ in where the loop leads.
            None => Impossible::TooHard { state, exhausted: Exhausted::Work },
        }
    }
}

fn first_difference(left: &Trace, right: &Trace) -> Option<(usize, VarId, [Value; 2])> {
    let states = left.states.iter().zip(&right.states).enumerate();
    states.into_iter().find_map(|(idx, (left, right))| {
        differing(&left.values, &right.values).map(|(var, values)| (idx, var, values))
    })
}

fn differing(left: &[Option<Value>], right: &[Option<Value>]) -> Option<(VarId, [Value; 2])> {
    let pairs = left.iter().zip(right).zip(0..);
    let mut differences = pairs.filter_map(|((left, right), idx)| {
        left.zip(*right).filter(|(l, r)| l != r).map(|(l, r)| (VarId(idx), [l, r]))
    });
    differences.next()
}
