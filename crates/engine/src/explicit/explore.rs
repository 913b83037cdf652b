//! Breadth-first search over concrete states.
//!
//! States are expanded in batches, each state a lane of the step program; successor groups are
//! looked up in a hash table, and new ones are filled with their states. The first path to a group
//! is a shortest one.

mod edges;
mod fill;
mod starts;

use crate::answer::{Stats, Why};
use trapline_budget::{Budget, Progress};

use super::graph::{Graph, GroupId, StateId};
use super::layout::Layout;
use super::program::{Lanes, Machine};
use super::space::Space;
use super::system::{EvalProgram, StateProgram, System};
use crate::code::Reg;

use edges::{Batch, Edges};
use fill::Filler;
use starts::Starts;

/// Observes every state and step once.
pub trait Visitor {
    /// New states, from this number on, with the nodes of the expressions evaluated in states.
    ///
    /// # Errors
    /// To stop the search.
    fn states(&mut self, first: StateId, lanes: Lanes<'_>) -> Result<(), Why>;

    /// Steps: for each lane the source state and the first target state; `None` where the model
    /// allows no such state.
    ///
    /// # Errors
    /// To stop the search.
    fn steps(&mut self, steps: &[Option<(StateId, StateId)>], lanes: Lanes<'_>) -> Result<(), Why>;

    /// Number of open questions; the search ends at zero.
    fn n_open(&self) -> usize;

    /// True if any target has been found.
    fn has_found(&self) -> bool {
        false
    }
}

/// Observes steps: for each lane the source state and the target group.
pub type Visit<'a> = dyn FnMut(&[Option<(StateId, GroupId)>], Lanes<'_>) -> Result<(), Why> + 'a;

/// How a search ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// The whole reachable state space was visited.
    Complete,
    /// All questions were answered first.
    Answered,
    /// The requested number of states was visited, and there are more.
    Paused,
    /// A budget ran out.
    Cut(Why),
    /// A step from this state has an undefined expression.
    Failure(StateId),
    /// An initial state has one.
    InitialFailure,
}

/// A search and the states it has found.
pub struct Exploration<'s, 'm> {
    /// The compiled model.
    pub system: &'s System<'m>,
    /// The states.
    pub space: Space,
    /// Number of initial states.
    pub n_starts: usize,
    /// The edges, if they are kept.
    edges: Option<Edges>,
    /// Deadlock states.
    pub dead_ends: Vec<StateId>,
    /// Statistics.
    pub stats: Stats,
    /// Number of expanded states.
    head: usize,
    /// The current breadth-first layer.
    layer: u64,
    /// The end of the current layer.
    layer_end: usize,
}

impl<'s, 'm> Exploration<'s, 'm> {
    /// A search that has not started.
    pub fn new(system: &'s System<'m>, keep_edges: KeepEdges) -> Exploration<'s, 'm> {
        let mark_words = system.step.marks.len().div_ceil(64);
        let edges = Edges { start: vec![0], mark_words, ..Edges::default() };
        Exploration {
            space: Space::new(system.layout.n_words, system.fill.is_some()),
            system,
            n_starts: 0,
            edges: (keep_edges == KeepEdges::Yes).then_some(edges),
            dead_ends: Vec::new(),
            stats: Stats::default(),
            head: 0,
            layer: 0,
            layer_end: 0,
        }
    }

    /// Searches from the initial states, or from given ones, to the end.
    pub fn run(
        &mut self,
        starts: Option<&[Vec<u64>]>,
        visitor: &mut dyn Visitor,
        budget: &Budget,
    ) -> End {
        match self.begin(starts, visitor, budget) {
            End::Paused => self.proceed(usize::MAX, visitor, budget),
            end => end,
        }
    }

    /// Finds the initial states.
    pub fn begin(
        &mut self,
        starts: Option<&[Vec<u64>]>,
        visitor: &mut dyn Visitor,
        budget: &Budget,
    ) -> End {
        let result = self.start(starts, visitor, budget);
        self.n_starts = self.space.n_states();
        self.end(result.and(Err(Stop::Paused)))
    }

    /// Continues until there are this many states, or to the end.
    pub fn proceed(&mut self, n_states: usize, visitor: &mut dyn Visitor, budget: &Budget) -> End {
        let result = self.search(n_states, visitor, budget);
        self.end(result)
    }

    fn end(&mut self, result: Result<(), Stop>) -> End {
        self.stats.n_states = self.n_distinct().into();
        // States beyond the layer are one step further.
        let is_beyond = self.layer_end > 0 && self.space.n_states() > self.layer_end;
        self.stats.depth = self.layer + u64::from(is_beyond);
        match result {
            Err(Stop::Answered) => End::Answered,
            Err(Stop::Paused) => End::Paused,
            Err(Stop::Cut(why)) => End::Cut(why),
            Err(Stop::Failure(Some(state))) => End::Failure(state),
            Err(Stop::Failure(None)) => End::InitialFailure,
            Ok(()) => End::Complete,
        }
    }

    /// The reachability graph, after a complete search that kept its edges.
    pub fn graph(&mut self) -> Graph {
        let edges = self.edges.take().unwrap_or_default();
        let (group_start, group_of) = self.space.groups();
        Graph {
            group_start,
            group_of,
            initial: (0..self.n_starts as StateId).collect(),
            edge_start: edges.start,
            edges: edges.targets,
            mark_words: edges.mark_words,
            marks: edges.marks,
        }
    }

    /// The layer before which all states are fully expanded.
    pub fn layer(&self) -> u64 {
        self.layer
    }

    /// Number of fully expanded states.
    pub fn n_expanded(&self) -> usize {
        self.head
    }

    /// Enumerates the steps of some states again.
    ///
    /// # Errors
    /// When the budget runs out, or the visitor says so.
    pub fn revisit(
        &self,
        states: std::ops::Range<StateId>,
        visit: &mut Visit<'_>,
        budget: &Budget,
    ) -> Result<(), Why> {
        let StateProgram { program, given, found } = &self.system.step.state;
        let mut machine = Machine::new(program);
        let (mut keys, mut steps) = (Vec::new(), Vec::new());
        let mut first = states.start;
        while first < states.end {
            let n_lanes = machine.n_lanes().min((states.end - first) as usize);
            budget.spend(n_lanes as u64)?;
            machine.start(n_lanes);
            unpack(&self.system.layout, given, self.space.states_from(first), &mut machine);
            machine.run(program, budget, &mut |lanes| {
                pack(&self.system.layout, found, lanes, &mut keys, budget)?;
                let keys = keys.chunks_exact(self.space.n_words()).zip(lanes.origins());
                steps.clear();
                steps.extend(keys.map(|(key, &origin)| {
                    let group = self.space.find(key)?;
                    let is_real = !self.space.is_empty_group(group);
                    is_real.then_some((first + origin as StateId, group))
                }));
                visit(&steps, lanes)
            })?;
            first += n_lanes as StateId;
        }
        Ok(())
    }

    fn start(
        &mut self,
        starts: Option<&[Vec<u64>]>,
        visitor: &mut dyn Visitor,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let (system, space) = (self.system, &mut self.space);
        match &system.fill {
            Some(fill) => {
                let mut found = Starts::new(&system.decided);
                each_start(system, starts, budget, &mut |state| found.add(state, budget))?;
                let found = found.sorted(budget)?;
                space.reserve(found.len() / system.layout.n_words, budget)?;
                let mut filler = Filler::new(fill, &system.layout);
                filler.start(space, &system.decided, &found, budget)?;
            }
            None => each_start(system, starts, budget, &mut |state| {
                space.reserve(1, budget)?;
                space.insert(state, None);
                Ok(())
            })?,
        }
        let mut evaluator = StateEvaluator::new(&self.system.eval);
        Ok(evaluator.run(0, &self.space, &self.system.layout, visitor, budget)?)
    }

    /// Number of distinct states: an initial state that is a group of its own may belong to another
    /// group too.
    fn n_distinct(&self) -> u64 {
        let mut n_states = self.space.n_states();
        if self.system.fill.is_some() {
            for start in 0..self.n_starts as StateId {
                let group = self.space.group_of(start);
                let key = &self.space.keys_from(group)[..self.space.n_words()];
                let is_there = |known: GroupId| {
                    let mut states = self.space.states_of(known);
                    states.any(|state| self.space.state(state) == self.space.state(start))
                };
                let other = self.space.find(key).filter(|&known| known != group);
                n_states -= usize::from(other.is_some_and(is_there));
            }
        }
        n_states as u64
    }

    fn search(
        &mut self,
        n_states: usize,
        visitor: &mut dyn Visitor,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let mut worker = Worker::new(self.system);
        while self.head < self.space.n_states() {
            if visitor.n_open() == 0 {
                return Err(Stop::Answered);
            }
            if self.space.n_states() >= n_states {
                return Err(Stop::Paused);
            }
            if self.head == self.layer_end {
                if budget.wants_nearest() && visitor.has_found() {
                    return Err(Stop::Cut(Why::Nearer));
                }
                budget.reaches(self.layer + 1 + u64::from(self.head > 0))?;
                self.layer += u64::from(self.head > 0);
                self.layer_end = self.space.n_states();
            }
            // A batch ends with its layer, so that the first path to a group is a shortest one.
            let n_lanes = worker.machine.n_lanes().min(self.layer_end - self.head);
            budget.note(Progress {
                phase: "searching",
                depth: self.layer,
                n_states: self.space.n_states() as u64,
                n_open: visitor.n_open(),
                ..Progress::default()
            });
            budget.spend(n_lanes as u64)?;
            self.expand(&mut worker, n_lanes, visitor, budget)?;
            self.head += n_lanes;
        }
        Ok(())
    }

    /// Expands the next states.
    fn expand(
        &mut self,
        worker: &mut Worker<'s>,
        n_lanes: usize,
        visitor: &mut dyn Visitor,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let Worker { machine, evaluator, filler, batch, keys, steps } = worker;
        let step = &self.system.step;
        let first = self.head as StateId;
        machine.start(n_lanes);
        unpack(&self.system.layout, &step.state.given, self.space.states_from(first), machine);
        batch.clear(n_lanes);
        let (space, stats) = (&mut self.space, &mut self.stats);
        let n_before = space.n_states();
        let mut failed = None;
        let keep_edges = self.edges.is_some();
        let mut sink = |lanes: Lanes<'_>| -> Result<(), Why> {
            if let Some(lane) = lanes.failed() {
                failed = Some(first + lanes.origins()[lane] as StateId);
                return Err(Why::Interrupted);
            }
            pack(&self.system.layout, &step.state.found, lanes, keys, budget)?;
            space.reserve(lanes.len(), budget)?;
            steps.clear();
            let parents = lanes.origins().iter().map(|&origin| first + origin as StateId);
            space.insert_all(keys, parents, |parent, group| steps.push(Some((parent, group))));
            if let Some(filler) = filler {
                filler.fill(space, budget)?;
            }
            stats.n_steps += lanes.len() as u64;
            for (step, &origin) in steps.iter_mut().zip(lanes.origins()) {
                *step = step.filter(|&(_, group)| !space.is_empty_group(group));
                batch.has_successor[origin as usize] |= step.is_some();
            }
            if keep_edges {
                batch.push(steps, first, lanes, &step.marks);
            }
            if !step.exprs.is_empty() {
                for step in steps.iter_mut().flatten() {
                    step.1 = space.first_of(step.1);
                }
                budget.spend((visitor.n_open() * (lanes.len() + BATCH)) as u64 / EXPRS_PER_WORK)?;
                visitor.steps(steps, lanes)?;
            }
            Ok(())
        };
        let result = machine.run(&step.state.program, budget, &mut sink);
        if let Some(group) = filler.as_ref().and_then(|filler| filler.failed) {
            failed = self.space.parent_of(group);
        }
        if failed.is_some() {
            return Err(Stop::Failure(failed));
        }
        result?;
        evaluator.run(n_before, &self.space, &self.system.layout, visitor, budget)?;
        let dead = (0..n_lanes).filter(|&lane| !batch.has_successor[lane]);
        self.dead_ends.extend(dead.map(|lane| first + lane as StateId));
        match &mut self.edges {
            Some(edges) => Ok(edges.append(batch, n_lanes, budget)?),
            None => Ok(()),
        }
    }
}

/// Whether the search keeps edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepEdges {
    /// All edges are kept.
    Yes,
    /// No edges are kept.
    No,
}

/// Why a search stops early.
enum Stop {
    Answered,
    Paused,
    Cut(Why),
    Failure(Option<StateId>),
}

impl<W: Into<Why>> From<W> for Stop {
    fn from(why: W) -> Stop {
        Stop::Cut(why.into())
    }
}

/// Buffers reused for every batch.
struct Worker<'s> {
    machine: Machine,
    evaluator: StateEvaluator<'s>,
    filler: Option<Filler<'s>>,
    batch: Batch,
    keys: Vec<u64>,
    steps: Vec<Option<(StateId, u32)>>,
}

impl<'s> Worker<'s> {
    fn new(system: &'s System<'_>) -> Worker<'s> {
        Worker {
            machine: Machine::new(&system.step.state.program),
            evaluator: StateEvaluator::new(&system.eval),
            filler: system.fill.as_ref().map(|fill| Filler::new(fill, &system.layout)),
            batch: Batch::default(),
            keys: Vec::new(),
            steps: Vec::new(),
        }
    }
}

/// Evaluates expressions in new states.
pub struct StateEvaluator<'s> {
    eval: &'s EvalProgram,
    machine: Machine,
}

impl<'s> StateEvaluator<'s> {
    /// Prepares a program.
    pub fn new(eval: &'s EvalProgram) -> StateEvaluator<'s> {
        StateEvaluator { eval, machine: Machine::new(&eval.program) }
    }

    /// Passes the states from a number on to a visitor.
    ///
    /// # Errors
    /// When the budget runs out, or the visitor says so.
    pub fn run(
        &mut self,
        mut first: usize,
        space: &Space,
        layout: &Layout,
        visitor: &mut dyn Visitor,
        budget: &Budget,
    ) -> Result<(), Why> {
        if self.eval.exprs.is_empty() {
            return Ok(());
        }
        while first < space.n_states() {
            let n_lanes = self.machine.n_lanes().min(space.n_states() - first);
            self.machine.start(n_lanes);
            unpack(
                layout,
                &self.eval.given,
                space.states_from(first as StateId),
                &mut self.machine,
            );
            self.machine.run(&self.eval.program, budget, &mut |lanes| {
                budget.spend((visitor.n_open() * (lanes.len() + BATCH)) as u64 / EXPRS_PER_WORK)?;
                visitor.states(first as StateId, lanes)
            })?;
            first += n_lanes;
        }
        Ok(())
    }
}

/// Visits every initial state, some of them more than once.
fn each_start(
    system: &System<'_>,
    given: Option<&[Vec<u64>]>,
    budget: &Budget,
    visit: &mut dyn FnMut(&[u64]) -> Result<(), Why>,
) -> Result<(), Stop> {
    if let Some(given) = given {
        return Ok(given.iter().try_for_each(|state| visit(state))?);
    }
    let StateProgram { program, found, .. } = &system.initial;
    let mut machine = Machine::new(program);
    machine.start(1);
    let mut packed = Vec::new();
    let mut has_failed = false;
    let result = machine.run(program, budget, &mut |lanes| {
        if lanes.failed().is_some() {
            has_failed = true;
            return Err(Why::Interrupted);
        }
        pack(&system.layout, found, lanes, &mut packed, budget)?;
        packed.chunks_exact(system.layout.n_words).try_for_each(&mut *visit)
    });
    if has_failed { Err(Stop::Failure(None)) } else { Ok(result?) }
}

/// Fills the columns of given fields from packed states.
pub fn unpack(layout: &Layout, given: &[(usize, Reg)], states: &[u64], machine: &mut Machine) {
    for &(field, reg) in given {
        layout.fields[field].get_all(states, layout.n_words, machine.input(reg));
    }
}

/// Evaluating this many expressions costs as much as one hash lookup of a state.
const EXPRS_PER_WORK: u64 = 64;

/// An expression costs as much per batch as for this many states or steps.
const BATCH: usize = 16;

/// Packing this many fields costs as much as one hash lookup of a state.
const FIELDS: u64 = 8;

/// Packs the columns of found fields; `packed` is overwritten.
///
/// # Errors
/// When the budget runs out.
fn pack(
    layout: &Layout,
    found: &[(usize, Reg)],
    lanes: Lanes<'_>,
    packed: &mut Vec<u64>,
    budget: &Budget,
) -> Result<(), Why> {
    budget.spend(lanes.len() as u64 * (1 + found.len() as u64 / FIELDS))?;
    packed.clear();
    packed.resize(lanes.len() * layout.n_words, 0);
    for &(field, reg) in found {
        layout.fields[field].put_all(lanes.column(reg), packed, layout.n_words);
    }
    Ok(())
}
