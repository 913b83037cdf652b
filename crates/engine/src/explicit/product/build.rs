//! The reachable part of the product of a graph and an automaton.
//!
//! A node pairs a position in the graph with a state of the automaton. Positions are states and,
//! after them, groups: as in the graph, an edge to several states goes through their group. Where
//! atoms read the next state, the move of the automaton depends on the target state, and every
//! state of a group has an edge of its own.

use std::hash::BuildHasher;
use std::ops::Range;

use fixedbitset::FixedBitSet;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::Atoms;
use crate::explicit::automaton::{Automaton, LocationId, Move};
use crate::explicit::graph::{Graph, StateId};
use crate::{Budget, Progress, Why};

/// A node, by its number: nodes are numbered breadth first.
pub type NodeId = u32;

/// The mark of an edge without a move, and the parent of an initial node.
pub const NONE: u32 = u32::MAX;

/// Nodes between two reports.
const INTERVAL: usize = 1 << 12;

/// The product.
pub struct Product {
    /// Number of positions that are states.
    n_states: u32,
    /// The position of each node.
    places: Vec<u32>,
    locations: Vec<LocationId>,
    /// The breadth-first parent of each node.
    parents: Vec<NodeId>,
    /// The first edge of each node, and at the end the number of edges.
    edge_start: Vec<usize>,
    /// Where each edge leads.
    targets: Vec<NodeId>,
    /// The mark of the move that each edge makes.
    marks: Vec<u32>,
    index: Index,
}

impl Product {
    /// Builds the part reachable from the initial states.
    pub fn build(
        graph: &Graph,
        atoms: &Atoms,
        automaton: &mut Automaton,
        budget: &Budget,
    ) -> Result<Product, Why> {
        if graph.n_states() + graph.n_groups() >= NONE as usize {
            return Err(Why::Memory);
        }
        let mut product = Product {
            n_states: graph.n_states() as u32,
            places: Vec::new(),
            locations: Vec::new(),
            parents: Vec::new(),
            edge_start: vec![0],
            targets: Vec::new(),
            marks: Vec::new(),
            index: Index::default(),
        };
        for &state in &graph.initial {
            product.node(state, automaton.initial(), NONE, budget)?;
        }
        let mut builder = Builder {
            graph,
            atoms,
            automaton,
            budget,
            has_step_atoms: atoms.states.iter().any(Option::is_none),
            letter: FixedBitSet::with_capacity(atoms.states.len()),
            joined: FixedBitSet::with_capacity(atoms.states.len()),
            product,
        };
        let mut node = 0;
        while (node as usize) < builder.product.n_nodes() {
            builder.expand(node)?;
            node += 1;
        }
        Ok(builder.product)
    }

    /// How many nodes there are.
    pub fn n_nodes(&self) -> usize {
        self.places.len()
    }

    /// The state of a node; `None` for that of a group.
    pub fn state(&self, node: NodeId) -> Option<StateId> {
        Some(self.places[node as usize]).filter(|&place| place < self.n_states)
    }

    /// The breadth-first parent, on a shortest path.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        Some(self.parents[node as usize]).filter(|&parent| parent != NONE)
    }

    /// The edges of a node, as indices.
    pub fn edges_of(&self, node: NodeId) -> Range<usize> {
        self.edge_start[node as usize]..self.edge_start[node as usize + 1]
    }

    /// Where an edge leads.
    pub fn target(&self, edge: usize) -> NodeId {
        self.targets[edge]
    }

    /// The mark of the move that an edge makes; `None` if it makes none.
    pub fn mark(&self, edge: usize) -> Option<u32> {
        Some(self.marks[edge]).filter(|&mark| mark != NONE)
    }

    /// The automaton state of a node.
    pub fn location(&self, node: NodeId) -> LocationId {
        self.locations[node as usize]
    }

    /// Finds or creates a node.
    fn node(
        &mut self,
        place: u32,
        location: LocationId,
        parent: NodeId,
        budget: &Budget,
    ) -> Result<NodeId, Why> {
        let slot = self.index.slot(place, location, budget)?;
        if *slot != NONE {
            return Ok(*slot);
        }
        if self.places.len() == self.places.capacity() {
            budget.allows(self.places.len() as u64 * 24)?;
        }
        if self.places.len() >= NONE as usize {
            return Err(Why::Memory);
        }
        let id = self.places.len() as NodeId;
        *slot = id;
        self.places.push(place);
        self.locations.push(location);
        self.parents.push(parent);
        Ok(id)
    }

    fn edge(&mut self, target: NodeId, mark: u32, budget: &Budget) -> Result<(), Why> {
        if self.targets.len() == self.targets.capacity() {
            budget.allows(self.targets.len() as u64 * 16)?;
        }
        self.targets.push(target);
        self.marks.push(mark);
        Ok(())
    }
}

/// Number of adjacent positions per page: a cache line.
const PAGE: u32 = 16;

/// The nodes by position and location. States found together have adjacent numbers, so positions
/// are looked up in pages of one cache line.
#[derive(Default)]
struct Index {
    /// The location, the place of the first slot over [`PAGE`], and the page.
    table: HashTable<(LocationId, u32, u32)>,
    pages: Vec<[NodeId; PAGE as usize]>,
}

impl Index {
    /// The slot of a node's number; [`NONE`] if it has none.
    fn slot(
        &mut self,
        place: u32,
        location: LocationId,
        budget: &Budget,
    ) -> Result<&mut NodeId, Why> {
        let Index { table, pages } = self;
        let block = place / PAGE;
        let hash = |location: LocationId, block: u32| {
            FxBuildHasher.hash_one(u64::from(block) << 32 | u64::from(location))
        };
        let is_same = |&(l, b, _): &(LocationId, u32, u32)| l == location && b == block;
        let page = match table.find(hash(location, block), is_same) {
            Some(&(.., page)) => page,
            None => {
                if pages.len() == pages.capacity() {
                    // The pages and the table are about to double.
                    budget.allows(pages.len() as u64 * 160)?;
                }
                let page = pages.len() as u32;
                pages.push([NONE; PAGE as usize]);
                let entry = (location, block, page);
                table.insert_unique(hash(location, block), entry, |&(l, b, _)| hash(l, b));
                page
            }
        };
        Ok(&mut pages[page as usize][(place % PAGE) as usize])
    }
}

struct Builder<'a> {
    graph: &'a Graph,
    atoms: &'a Atoms<'a>,
    automaton: &'a mut Automaton,
    budget: &'a Budget<'a>,
    has_step_atoms: bool,
    /// The atoms of the state that is being left.
    letter: FixedBitSet,
    /// The same, and those of the step.
    joined: FixedBitSet,
    product: Product,
}

impl Builder<'_> {
    fn expand(&mut self, node: NodeId) -> Result<(), Why> {
        let place = self.product.places[node as usize];
        let location = self.product.locations[node as usize];
        match place.checked_sub(self.product.n_states) {
            None => {
                self.read_letter(place);
                match self.has_step_atoms {
                    true => self.expand_steps(node, place, location)?,
                    false => self.expand_state(node, place, location)?,
                }
            }
            Some(group) => {
                for state in self.graph.group(group) {
                    self.link(node, state, location, NONE)?;
                }
            }
        }
        self.product.edge_start.push(self.product.targets.len());
        let n_edges = self.product.edges_of(node).len() as u64;
        self.budget.spend(1 + n_edges)?;
        if (node as usize).is_multiple_of(INTERVAL) {
            let n_states = self.product.n_nodes() as u64;
            let progress = self.budget.progress();
            self.budget.note(Progress { phase: "ltl", depth: 0, n_states, ..progress });
        }
        Ok(())
    }

    fn expand_state(
        &mut self,
        node: NodeId,
        state: StateId,
        location: LocationId,
    ) -> Result<(), Why> {
        let letter = self.automaton.letter(&self.letter);
        let moves = self.automaton.moves(location, letter, self.budget)?;
        for &Move { to, mark } in moves {
            for &group in self.graph.successors(state) {
                let states = self.graph.group(group);
                let place = match states.len() {
                    1 => states.start,
                    _ => self.product.n_states + group,
                };
                let target = self.product.node(place, to, node, self.budget)?;
                self.product.edge(target, mark, self.budget)?;
            }
        }
        Ok(())
    }

    fn expand_steps(
        &mut self,
        node: NodeId,
        state: StateId,
        location: LocationId,
    ) -> Result<(), Why> {
        let graph = self.graph;
        let targets = graph.successors(state).iter().flat_map(|&group| graph.group(group));
        for target in targets {
            self.joined.clone_from(&self.letter);
            (self.atoms.step)(state, target, &mut self.joined)?;
            let letter = self.automaton.letter(&self.joined);
            let moves = self.automaton.moves(location, letter, self.budget)?;
            for &Move { to, mark } in moves {
                let target = self.product.node(target, to, node, self.budget)?;
                self.product.edge(target, mark, self.budget)?;
            }
        }
        Ok(())
    }

    fn link(
        &mut self,
        node: NodeId,
        place: u32,
        location: LocationId,
        mark: u32,
    ) -> Result<(), Why> {
        let target = self.product.node(place, location, node, self.budget)?;
        self.product.edge(target, mark, self.budget)
    }

    fn read_letter(&mut self, state: StateId) {
        self.letter.clear();
        for (atom, states) in self.atoms.states.iter().enumerate() {
            if states.as_ref().is_some_and(|states| states.contains(state as usize)) {
                self.letter.insert(atom);
            }
        }
    }
}
