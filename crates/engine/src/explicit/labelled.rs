//! The reachability graph labelled with the targets that its steps meet.
//!
//! States that differ only in what the next step is free to choose are one node ([`super::graph`]),
//! so that a walk chooses among them when it leaves. Steps between the same nodes that meet the
//! same targets are one edge. Every test is a walk in the graph and every walk is a test, so that
//! what holds of all walks holds of all tests.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use trapline_model::Model;
use trapline_model::dependency::support;
use trapline_model::goal::Target;
use trapline_model::trace::Trace;

use crate::answer::{Start, Why};
use crate::code::Reg;
use trapline_budget::Budget;

use super::explore::{End, Exploration, KeepEdges, Visitor};
use super::graph::{GroupId, StateId};
use super::program::Lanes;
use super::system::{Question, System, compile};
use super::tracer::Tracer;

/// Limit on label sets and edges, beyond which the graph is of no use.
const MAX_CLASSES: usize = 200_000;
const MAX_EDGES: usize = 1 << 22;

/// A model with targets.
pub struct Asked {
    model: Model,
    question: Question,
    /// The targets of the expressions evaluated in states, and in steps.
    of_states: Vec<usize>,
    of_steps: Vec<Option<usize>>,
}

/// The edges of the graph.
#[derive(Clone, Debug, Default)]
pub struct LabelledGraph {
    /// The first edge of each node, and at the end the number of edges.
    pub edge_start: Vec<usize>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// Sets of targets: the edge labels.
    pub classes: Vec<Vec<usize>>,
    /// The initial nodes, with what the initial state meets.
    pub starts: Vec<Edge>,
}

/// A step, or a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The target node.
    pub to: GroupId,
    /// The targets that it meets; a state target is met by the steps into the state.
    pub class: u32,
}

/// All steps of a model.
pub struct Explored<'s, 'm> {
    exploration: Exploration<'s, 'm>,
    sets: Sets,
    /// The graph.
    pub map: LabelledGraph,
}

impl Asked {
    /// Takes targets. Sequences are met by no single step.
    pub fn new(model: &Model, targets: &[Target]) -> Asked {
        let mut model = model.clone();
        // Something must be asked of steps so that they are visited.
        let mut question = Question { steps: vec![model.exprs.bool(true)], ..Question::default() };
        let (mut of_states, mut of_steps) = (Vec::new(), vec![None]);
        for (idx, target) in targets.iter().enumerate() {
            match target {
                Target::State(expr) => {
                    of_states.push(idx);
                    question.states.push(*expr);
                }
                Target::Step(expr) => {
                    of_steps.push(Some(idx));
                    question.steps.push(*expr);
                }
                Target::Steps(_) => {}
            }
        }
        // So all states of a node meet the same targets.
        question.settled = support(&model, question.states.iter().copied()).all();
        Asked { model, question, of_states, of_steps }
    }

    /// Compiles it.
    ///
    /// # Errors
    /// When the model can't be enumerated, or the budget runs out.
    pub fn compile(&self, budget: &Budget) -> Result<System<'_>, Why> {
        compile(&self.model, &self.question, budget)
    }

    /// The targets that a step and its target state meet.
    fn met(&self, step: &[u64], state: &[u64]) -> Vec<usize> {
        let steps = ones(step).filter_map(|expr_idx| self.of_steps[expr_idx]);
        let mut met: Vec<usize> =
            steps.chain(ones(state).map(|expr_idx| self.of_states[expr_idx])).collect();
        met.sort_unstable();
        met
    }
}

fn ones(bits: &[u64]) -> impl Iterator<Item = usize> {
    (0..bits.len() * 64).filter(|idx| bits[idx / 64] >> (idx % 64) & 1 == 1)
}

/// Explores all steps of the model.
///
/// # Errors
/// When there are too many, or the budget runs out.
pub fn labelled_graph<'s, 'm>(
    asked: &Asked,
    system: &'s System<'m>,
    budget: &Budget,
) -> Result<Explored<'s, 'm>, Why> {
    let mut seen = Seen { system, sets: Sets::default(), edges: Vec::new(), furthest: 0, budget };
    let mut exploration = Exploration::new(system, KeepEdges::No);
    match exploration.run(None, &mut seen, budget) {
        End::Complete => {}
        End::Cut(why) => return Err(why),
        _ => return Err(Why::Unsupported("a rule has no value".into())),
    }
    let Seen { mut sets, edges, .. } = seen;
    let map = map(asked, &exploration, &mut sets, &edges);
    Ok(Explored { exploration, sets, map })
}

/// Builds the graph from the recorded steps.
fn map(
    asked: &Asked,
    exploration: &Exploration<'_, '_>,
    sets: &mut Sets,
    edges: &[(StateId, StateId, u32)],
) -> LabelledGraph {
    let mut map = LabelledGraph { edge_start: vec![0], ..LabelledGraph::default() };
    let (states, steps) = (listed(&sets.states), listed(&sets.steps));
    let mut known: FxHashMap<Vec<usize>, u32> = FxHashMap::default();
    let mut class = |step: Option<u32>, state: StateId| {
        let state = sets.of_state.get(state as usize).copied();
        *sets.both.entry((step, state)).or_insert_with(|| {
            let step = step.map_or(&[][..], |step| &steps[step as usize]);
            let state = state.map_or(&[][..], |state| &states[state as usize]);
            let n_classes = known.len() as u32;
            *known.entry(asked.met(step, state)).or_insert(n_classes)
        })
    };
    let node = |state: StateId| exploration.space.group_of(state);
    let edges = edges.iter().map(|&(from, to, set)| (node(from), node(to), class(Some(set), to)));
    let mut edges: Vec<(GroupId, GroupId, u32)> = edges.collect();
    edges.sort_unstable();
    edges.dedup();
    for (from, to, class) in edges {
        map.edge_start.resize(from as usize + 1, map.edges.len());
        map.edges.push(Edge { to, class });
    }
    map.edge_start.resize(exploration.space.n_groups() + 1, map.edges.len());
    let starts = 0..exploration.n_starts as StateId;
    map.starts = starts.map(|state| Edge { to: node(state), class: class(None, state) }).collect();
    map.starts.sort_unstable();
    map.starts.dedup();
    map.classes = listed(&known);
    map
}

/// Sets in the order of their ids.
fn listed<T: Clone>(sets: &FxHashMap<Vec<T>, u32>) -> Vec<Vec<T>> {
    let mut list: Vec<(u32, &Vec<T>)> = sets.iter().map(|(set, &number)| (number, set)).collect();
    list.sort_by_key(|(number, _)| *number);
    list.into_iter().map(|(_, set)| set.clone()).collect()
}

/// Sets of expressions that hold, as bit sets.
#[derive(Default)]
struct Sets {
    /// The sets of states and of steps, with their ids.
    states: FxHashMap<Vec<u64>, u32>,
    steps: FxHashMap<Vec<u64>, u32>,
    /// The set of each state; empty if no target is about states.
    of_state: Vec<u32>,
    /// The label of a step's set, if there is one, combined with that of its target state.
    both: FxHashMap<(Option<u32>, Option<u32>), u32>,
}

struct Seen<'s, 'm> {
    system: &'s System<'m>,
    sets: Sets,
    /// The source state of a step, the first state of its target node, and its set.
    edges: Vec<(StateId, StateId, u32)>,
    /// The last of the target states.
    furthest: StateId,
    budget: &'s Budget<'s>,
}

/// The id of a set.
fn number(sets: &mut FxHashMap<Vec<u64>, u32>, bits: &[u64]) -> u32 {
    match sets.get(bits) {
        Some(&number) => number,
        None => {
            let number = sets.len() as u32;
            sets.insert(bits.to_vec(), number);
            number
        }
    }
}

/// The expressions that hold in each lane, as bits.
struct Held {
    bits: Vec<u64>,
    /// Words for each lane.
    n_words: usize,
}

impl Held {
    fn new(exprs: &[(Reg, Reg)], lanes: Lanes<'_>) -> Held {
        let n_words = exprs.len().div_ceil(64);
        let mut bits = vec![0; n_words * lanes.len()];
        for (idx, &(value, fails)) in exprs.iter().enumerate() {
            let (values, fails) = (lanes.column(value), lanes.column(fails));
            // Most targets are met in no lane of most batches; this test is the fastest for that
            // case.
            if values.iter().fold(0, |all, value| all | value) == 0 {
                continue;
            }
            let words = bits.iter_mut().skip(idx / 64).step_by(n_words);
            for ((word, &value), &fails) in words.zip(values).zip(fails) {
                *word |= u64::from(value != 0 && fails == 0) << (idx % 64);
            }
        }
        Held { bits, n_words }
    }

    fn lane(&self, lane: usize) -> &[u64] {
        &self.bits[lane * self.n_words..(lane + 1) * self.n_words]
    }
}

impl Visitor for Seen<'_, '_> {
    fn states(&mut self, _first: StateId, lanes: Lanes<'_>) -> Result<(), Why> {
        let held = Held::new(&self.system.eval.exprs, lanes);
        for lane in 0..lanes.len() {
            let set = number(&mut self.sets.states, held.lane(lane));
            self.sets.of_state.push(set);
        }
        Ok(())
    }

    fn steps(&mut self, steps: &[Option<(StateId, StateId)>], lanes: Lanes<'_>) -> Result<(), Why> {
        let held = Held::new(&self.system.step.exprs, lanes);
        for (lane, step) in steps.iter().enumerate() {
            let Some((at, after)) = *step else { continue };
            let set = number(&mut self.sets.steps, held.lane(lane));
            self.edges.push((at, after, set));
            self.furthest = self.furthest.max(after);
        }
        self.has_chance()?;
        let n_sets = self.sets.states.len().max(self.sets.steps.len());
        if n_sets > MAX_CLASSES || self.edges.len() > MAX_EDGES {
            return Err(Why::Memory);
        }
        Ok(())
    }

    fn n_open(&self) -> usize {
        self.system.step.exprs.len()
    }
}

impl Seen<'_, '_> {
    /// Gives up, after part of the work, if the known states will already exceed the budget.
    fn has_chance(&self) -> Result<(), Why> {
        let (Some(left), Some(&(at, ..))) = (self.budget.work_left(), self.edges.last()) else {
            return Ok(());
        };
        let (spent, n_left) = (self.budget.work(), u64::from(self.furthest.saturating_sub(at)));
        let is_too_much = spent.saturating_mul(n_left) / (u64::from(at) + 1) > left;
        if spent > left / 4 && is_too_much { Err(Why::Work) } else { Ok(()) }
    }
}

impl<'s, 'm> Explored<'s, 'm> {
    /// Turns walks into tests.
    pub fn guide(&self) -> Guide<'_, 's, 'm> {
        Guide { explored: self, left: FxHashMap::default() }
    }
}

/// Turns walks into tests.
pub struct Guide<'g, 's, 'm> {
    explored: &'g Explored<'s, 'm>,
    /// How steps leave nodes: walks often repeat them.
    left: FxHashMap<(GroupId, Edge), (StateId, Vec<i64>)>,
}

impl Guide<'_, '_, '_> {
    /// The test for a walk from a node along these edges.
    ///
    /// # Errors
    /// When it can't be found with reasonable work, or the budget runs out.
    pub fn trace(&mut self, start: GroupId, steps: &[Edge], budget: &Budget) -> Result<Trace, Why> {
        let Exploration { system, space, .. } = &self.explored.exploration;
        let from_start = Start::Initial;
        let tracer = Tracer::new(system, space, &from_start, budget)?;
        let mut known = Vec::new();
        let mut node = start;
        for step in steps {
            let (state, inputs) = self.leave(node, *step, budget)?;
            let mut here = tracer.known(*state);
            here.extend(system.inputs.iter().copied().zip(inputs.iter().copied()));
            known.push(here);
            node = step.to;
        }
        known.push(tracer.known(space.first_of(node)));
        tracer.trace(&known, None)
    }

    /// The state of a node, and the inputs, with which a step leaves it.
    fn leave(
        &mut self,
        node: GroupId,
        step: Edge,
        budget: &Budget,
    ) -> Result<&(StateId, Vec<i64>), Why> {
        let place = match self.left.entry((node, step)) {
            Entry::Occupied(known) => return Ok(known.into_mut()),
            Entry::Vacant(place) => place,
        };
        let Explored { exploration, sets, .. } = self.explored;
        let system = exploration.system;
        let after = sets.of_state.get(exploration.space.first_of(step.to) as usize).copied();
        let mut found = None;
        let mut visit = |steps: &[Option<(StateId, GroupId)>], lanes: Lanes<'_>| {
            if found.is_none() {
                let held = Held::new(&system.step.exprs, lanes);
                let is_it = |&lane: &usize| {
                    let set = sets.steps.get(held.lane(lane)).copied();
                    steps[lane].is_some_and(|(_, group)| group == step.to)
                        && sets.both.get(&(set, after)) == Some(&step.class)
                };
                let inputs = |lane: usize| {
                    system.step.inputs.iter().map(|&reg| lanes.column(reg)[lane]).collect()
                };
                let lane = (0..steps.len()).find(is_it);
                found = lane.and_then(|lane| Some((steps[lane]?.0, inputs(lane))));
            }
            Ok(())
        };
        exploration.revisit(exploration.space.states_of(node), &mut visit, budget)?;
        Ok(place.insert(found.unwrap_or_else(|| unreachable!("the step was seen before"))))
    }
}
