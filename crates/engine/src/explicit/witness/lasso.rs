//! Lasso-shaped paths: a stem followed by a fair cycle.
//!
//! From the nearest state of a fair component the path visits, for one justice constraint after the
//! other, a nearest state that meets it, and finally returns. The whole cycle is not always
//! shortest; each segment of it is.

use fixedbitset::FixedBitSet;

use super::super::fair::{FairGraph, Justice, Shown, shows};
use super::super::graph::{Graph, Path, StateId};
use super::super::scc::{Components, Within};
use super::{last, push, take, walk};
use crate::{Budget, Why};

/// Extends the path to a fair cycle inside a set, and around it. There must be one.
pub fn close(
    fair: &FairGraph,
    inside: &FixedBitSet,
    path: &mut Path,
    budget: &Budget,
) -> Result<(), Why> {
    let (components, is_fair) = fair.components(inside, budget)?;
    let is_inside = |state: StateId| inside.contains(state as usize);
    let is_recurrent = |state: StateId| {
        is_inside(state) && is_fair.contains(components.of[state as usize] as usize)
    };
    if !is_recurrent(last(path)) {
        let stem = walk::shortest(fair.graph, last(path), is_inside, is_recurrent, budget)?;
        let stem = stem.unwrap_or_else(|| unreachable!("a fair path starts in this state"));
        take(path, stem);
    }
    let ring = Ring {
        within: Within { graph: fair.graph, states: inside },
        component: components.of[last(path) as usize],
        components: &components,
        start: path.states.len() - 1,
    };
    for justice in &fair.fairness.justice {
        ring.meet(justice, path, budget)?;
    }
    ring.end(path, budget)
}

/// A cycle under construction.
struct Ring<'a> {
    within: Within<'a>,
    components: &'a Components,
    /// Its component.
    component: u32,
    /// Its start, as an index into the path.
    start: usize,
}

impl Ring<'_> {
    /// Extends the cycle until the constraint is met.
    fn meet(&self, justice: &Justice, path: &mut Path, budget: &Budget) -> Result<(), Why> {
        if self.is_met(justice, path) {
            return Ok(());
        }
        let shown = |state: StateId| shows(&self.within, self.components, justice, state);
        if shown(last(path)).is_none() {
            self.go(path, |state| shown(state).is_some(), budget)?;
        }
        if let (Some(Shown::Leaving(edge)), Justice::Edges(mark)) = (shown(last(path)), justice) {
            let mut states = self.within.graph.group(self.within.graph.edges[edge]);
            let next = states.find(|&state| self.contains(state));
            let next = next.unwrap_or_else(|| unreachable!("the edge stays in the component"));
            if let Some(leaving) = path.marks.last_mut() {
                *leaving = Some(*mark);
            }
            push(path, next);
        }
        Ok(())
    }

    /// True if the cycle so far meets the constraint. A step can show one mark, and is assigned
    /// this one if it is free.
    fn is_met(&self, justice: &Justice, path: &mut Path) -> bool {
        match justice {
            Justice::States(states) => {
                path.states[self.start..].iter().any(|&state| states.contains(state as usize))
            }
            Justice::Edges(mark) => {
                let graph = self.within.graph;
                let is_free = |&step: &usize| {
                    let edge = edge_between(graph, path.states[step], path.states[step + 1]);
                    path.marks[step].is_none() && graph.is_marked(edge, *mark)
                };
                let step = (self.start..path.states.len() - 1).find(is_free);
                step.map(|step| path.marks[step] = Some(*mark)).is_some()
            }
        }
    }

    /// Returns to the start of the cycle.
    fn end(&self, path: &mut Path, budget: &Budget) -> Result<(), Why> {
        let start = path.states[self.start];
        let is_back = path.states.len() - 1 > self.start && last(path) == start;
        if !is_back {
            self.go(path, |state| state == start, budget)?;
        }
        path.states.pop();
        path.marks.pop();
        path.loop_start = Some(self.start);
        Ok(())
    }

    fn go(
        &self,
        path: &mut Path,
        is_goal: impl Fn(StateId) -> bool,
        budget: &Budget,
    ) -> Result<(), Why> {
        let is_on_way = |state: StateId| self.contains(state);
        let is_goal = |state: StateId| self.contains(state) && is_goal(state);
        let way = walk::shortest(self.within.graph, last(path), is_on_way, is_goal, budget)?;
        let way = way.unwrap_or_else(|| unreachable!("a component is strongly connected"));
        take(path, way);
        Ok(())
    }

    fn contains(&self, state: StateId) -> bool {
        self.components.of[state as usize] == self.component
    }
}

/// The edge from a state to a successor.
fn edge_between(graph: &Graph, from: StateId, to: StateId) -> usize {
    let position = graph.successors(from).binary_search(&graph.group_of(to));
    let position = position.unwrap_or_else(|_| unreachable!("the states follow each other"));
    graph.edges_of(from).start + position
}
