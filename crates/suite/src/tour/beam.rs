//! Construction by beam search.
//!
//! Beam search (Lowerre, *The Harpy Speech Recognition System*, 1976): all walks of equal length
//! are extended by one step, and the most promising are kept. A walk is promising if few
//! requirements are left and one of them is near.

use fastrand::Rng;
use rustc_hash::FxHashSet;
use trapline_engine::{Budget, Why};

use super::Walk;
use super::distance::{Distances, NEVER};
use crate::generate::Fewest;
use crate::goal_graph::{GoalGraph, Step};

/// Number of initial nodes tried for a further test.
const MAX_STARTS: usize = 16;

/// Weight of an unmet requirement, in steps to the nearest one.
const WEIGHT: usize = 4;

/// Search options.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Objective to minimise.
    pub fewest: Fewest,
    /// The beam width.
    pub width: usize,
    /// Maximum number of steps.
    pub most: usize,
}

/// Back pointer: the predecessor, the step, and whether a test starts with it.
type Back = (Option<usize>, Step, bool);

/// A search state: the last node of the walk, and what is met.
struct Label {
    node: u32,
    back: Option<usize>,
    n_tests: usize,
    met: Vec<u64>,
}

/// A successor of a search state.
struct Move {
    from: usize,
    /// The initial node of another test, if one starts.
    start: Option<Step>,
    /// The step; `None` at the very start.
    step: Option<Step>,
    /// The priority, lowest first.
    key: (usize, usize, u32),
}

/// Searches for walks that meet all requirements.
///
/// # Errors
/// When the budget runs out.
pub fn beam(
    graph: &GoalGraph,
    distances: &Distances,
    options: Options,
    rng: &mut Rng,
    budget: &Budget<'_>,
) -> Result<Option<Vec<Walk>>, Why> {
    let (n_needs, met) = (graph.n_needs, vec![0; graph.n_needs.div_ceil(64)]);
    let history = Vec::new();
    let mut beam = Beam { graph, distances, options, rng, history, n_looks: 0, met: met.clone() };
    let nowhere = [Label { node: 0, back: None, n_tests: 0, met }];
    let starts = graph.starts.iter();
    let starts = starts.map(|start| beam.go((0, &nowhere[0]), Some(*start), None)).collect();
    let mut places = beam.keep(&nowhere, starts);
    for _ in 0..=options.most {
        let is_done = |place: &&Label| {
            place.met.iter().map(|bits| bits.count_ones() as usize).sum::<usize>() == n_needs
        };
        if let Some(done) = places.iter().filter(is_done).min_by_key(|place| place.n_tests) {
            return Ok(Some(beam.walks(done.back)));
        }
        let mut next = Vec::new();
        for place in places.iter().enumerate() {
            beam.extend(place, &mut next);
        }
        let n_looks = std::mem::take(&mut beam.n_looks) as u64;
        budget.spend(n_looks * (2 + n_needs as u64 / 32) + 1)?;
        places = beam.keep(&places, next);
    }
    Ok(None)
}

struct Beam<'t> {
    graph: &'t GoalGraph,
    distances: &'t Distances,
    options: Options,
    rng: &'t mut Rng,
    history: Vec<Back>,
    /// Number of evaluations.
    n_looks: usize,
    /// What a move meets.
    met: Vec<u64>,
}

impl Beam<'_> {
    /// The successors of a search state: its steps, or those of another test if that is nearer to
    /// something.
    fn extend(&mut self, (idx, place): (usize, &Label), next: &mut Vec<Move>) {
        let near = nearest(self.distances.from(place.node), &place.met);
        if near != NEVER {
            let steps = self.graph.steps(place.node).iter();
            next.extend(steps.map(|step| self.go((idx, place), None, Some(*step))));
        }
        if self.options.fewest == Fewest::Tests && near != NEVER {
            return;
        }
        self.n_looks += self.graph.starts.len();
        let starts = self.graph.starts.iter();
        let mut starts: Vec<(u16, Step)> = starts
            .map(|start| (self.near(*start, &place.met), *start))
            .filter(|(distance, _)| *distance < near)
            .collect();
        starts.sort_by_key(|(distance, start)| (*distance, start.to));
        for (_, start) in starts.into_iter().take(MAX_STARTS) {
            let steps = self.graph.steps(start.to).iter();
            next.extend(steps.map(|step| self.go((idx, place), Some(start), Some(*step))));
        }
    }

    /// The least distance from an initial node to an unmet requirement.
    fn near(&self, start: Step, met: &[u64]) -> u16 {
        match self.graph.met(start).iter().any(|need| met[need / 64] >> (need % 64) & 1 == 0) {
            true => 0,
            false => nearest(self.distances.from(start.to), met),
        }
    }

    fn go(
        &mut self,
        (from, place): (usize, &Label),
        start: Option<Step>,
        step: Option<Step>,
    ) -> Move {
        self.n_looks += 1;
        self.met.copy_from_slice(&place.met);
        let node = self.take(place.node, start, step);
        let n_met: u32 = self.met.iter().map(|bits| bits.count_ones()).sum();
        let n_left = self.graph.n_needs - n_met as usize;
        let ahead = self.distances.from(node);
        let near = usize::from(nearest(ahead, &self.met));
        // Requirements out of reach need another test.
        let n_tests = match self.options.fewest {
            Fewest::Tests => {
                let is_lost = open(ahead, &self.met).any(|distance| distance == NEVER);
                place.n_tests + usize::from(start.is_some()) + usize::from(is_lost)
            }
            Fewest::Steps => 0,
        };
        Move { from, start, step, key: (n_tests, n_left * WEIGHT + near, self.rng.u32(..)) }
    }

    /// Applies a move; returns the target node.
    fn take(&mut self, mut node: u32, start: Option<Step>, step: Option<Step>) -> u32 {
        for taken in start.iter().chain(&step) {
            node = taken.to;
            for &need in self.graph.met(*taken) {
                self.met[need / 64] |= 1 << (need % 64);
            }
        }
        node
    }

    /// The best distinct search states.
    fn keep(&mut self, places: &[Label], mut next: Vec<Move>) -> Vec<Label> {
        next.sort_unstable_by_key(|option| option.key);
        let mut seen: FxHashSet<(u32, Vec<u64>)> = FxHashSet::default();
        let mut kept = Vec::new();
        for Move { from, start, step, .. } in next {
            if kept.len() == self.options.width {
                break;
            }
            self.met.copy_from_slice(&places[from].met);
            let node = self.take(places[from].node, start, step);
            if !seen.insert((node, self.met.clone())) {
                continue;
            }
            let mut back = places[from].back;
            for (step, is_start) in [(start, true), (step, false)] {
                if let Some(step) = step {
                    self.history.push((back, step, is_start));
                    back = Some(self.history.len() - 1);
                }
            }
            let n_tests = places[from].n_tests + usize::from(start.is_some());
            kept.push(Label { node, back, n_tests, met: self.met.clone() });
        }
        kept
    }

    fn walks(&self, mut back: Option<usize>) -> Vec<Walk> {
        let (mut walks, mut steps) = (Vec::new(), Vec::new());
        while let Some((before, step, is_start)) = back.map(|back| self.history[back]) {
            if is_start {
                steps.reverse();
                walks.push(Walk { start: step, steps: std::mem::take(&mut steps) });
            } else {
                steps.push(step);
            }
            back = before;
        }
        walks.reverse();
        walks
    }
}

/// The least distance to an unmet requirement.
fn nearest(from: &[u16], met: &[u64]) -> u16 {
    open(from, met).min().unwrap_or(0)
}

/// The distances to all unmet requirements.
fn open(from: &[u16], met: &[u64]) -> impl Iterator<Item = u16> {
    from.chunks(64).zip(met).flat_map(|(from, &met)| {
        let open = from.iter().enumerate().filter(move |(need, _)| met >> *need & 1 == 0);
        open.map(|(_, distance)| *distance)
    })
}
