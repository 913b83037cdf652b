//! Greedy construction: always to the nearest unmet requirement.
//!
//! Of the steps towards a nearest requirement, takes the one after which most can still be met, if
//! few tests are wanted, and which meets most itself; ties are broken at random, or in favour of
//! requirements near the initial nodes, so that the distant ones remain.

use std::cmp::Reverse;

use fastrand::Rng;
use trapline_engine::{Budget, Why};

use super::Walk;
use super::distance::{Distances, NEVER};
use crate::generate::Fewest;
use crate::goal_graph::{GoalGraph, Step};

/// How ties are broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// In favour of requirements near the initial nodes.
    Start,
    /// At random.
    Chance,
}

/// Constructs walks until all requirements are met; `None` if some cannot be.
///
/// # Errors
/// When the budget runs out.
pub fn greedy(
    graph: &GoalGraph,
    distances: &Distances,
    (fewest, tie): (Fewest, Tie),
    rng: &mut Rng,
    budget: &Budget<'_>,
) -> Result<Option<Vec<Walk>>, Why> {
    let is_met = vec![false; graph.n_needs];
    let mut maker = Maker { graph, distances, fewest, tie, is_met, rng };
    let mut walks: Vec<Walk> = Vec::new();
    while maker.is_met.contains(&false) {
        budget.spend(1 + (graph.starts.len() * graph.n_needs / 32) as u64)?;
        let Some((from_start, start)) = maker.start() else { return Ok(None) };
        let mut walk = Walk { start, steps: Vec::new() };
        maker.take(start);
        loop {
            let distance = maker.ahead(walk.end()).1;
            let is_worse = from_start < distance && !walk.steps.is_empty();
            if distance == NEVER || fewest == Fewest::Steps && is_worse {
                break;
            }
            for left in (0..distance).rev() {
                let step = maker.toward(walk.end(), left);
                maker.take(step);
                walk.steps.push(step);
                budget.spend(1 + graph.steps(step.to).len() as u64 / 8)?;
            }
            budget.spend(1 + graph.n_needs as u64 / 32)?;
        }
        walks.push(walk);
    }
    Ok(Some(walks))
}

struct Maker<'m> {
    graph: &'m GoalGraph,
    distances: &'m Distances,
    fewest: Fewest,
    tie: Tie,
    is_met: Vec<bool>,
    rng: &'m mut Rng,
}

impl Maker<'_> {
    fn take(&mut self, step: Step) {
        self.graph.met(step).iter().for_each(|&need| self.is_met[need] = true);
    }

    fn gain(&self, step: Step) -> usize {
        self.graph.met(step).iter().filter(|need| !self.is_met[**need]).count()
    }

    /// An initial node, and its distance to a requirement: for few tests one from which few
    /// requirements are out of reach; then the one nearest to a requirement; of those that meet
    /// some themselves, the one that meets most.
    fn start(&mut self) -> Option<(u16, Step)> {
        let mut best = None;
        for &start in &self.graph.starts {
            let (n_lost, near) = self.ahead(start.to);
            let gain = self.gain(start);
            let near = if gain > 0 { 0 } else { near };
            let tie = match self.tie {
                Tie::Start => start.to,
                Tie::Chance => self.rng.u32(..),
            };
            let key = (n_lost, near, Reverse(gain), tie);
            if near != NEVER && best.is_none_or(|(other, _)| key < other) {
                best = Some((key, start));
            }
        }
        best.map(|((_, near, ..), start)| (near, start))
    }

    /// The number of unmet requirements out of reach from a node, if that counts; and the distance
    /// of the nearest one.
    fn ahead(&self, node: u32) -> (usize, u16) {
        let (mut n_lost, mut near) = (0, NEVER);
        for (distance, is_met) in self.distances.from(node).iter().zip(&self.is_met) {
            if !is_met {
                n_lost += usize::from(*distance == NEVER);
                near = near.min(*distance);
            }
        }
        (if self.fewest == Fewest::Tests { n_lost } else { 0 }, near)
    }

    /// A step towards the nearest unmet requirement: the one that meets most.
    fn toward(&mut self, node: u32, left: u16) -> Step {
        let home = self.distances.from(self.graph.starts[0].to);
        let mut best = None;
        for &step in self.graph.steps(node) {
            let gain = self.gain(step);
            let (n_lost, near) = self.ahead(step.to);
            if (left == 0 && gain == 0) || (left > 0 && near != left) {
                continue;
            }
            let needs = self.graph.met(step).iter().filter(|need| !self.is_met[**need]);
            let depth = match self.tie {
                Tie::Start => needs.map(|&need| home[need]).min(),
                Tie::Chance => None,
            };
            let key = (n_lost, Reverse(gain), depth, self.rng.u32(..));
            if best.is_none_or(|(other, _)| key < other) {
                best = Some((key, step));
            }
        }
        best.map_or_else(|| unreachable!("distances are those of steps"), |(_, step)| step)
    }
}
