//! Another way from one node to another that meets some needs.
//!
//! Breadth-first over nodes and what is met, no further than wanted: what is too far from a need or
//! from the end is left out, so that short windows are searched exhaustively. Of too many, those
//! are kept that have the least before them.

use fastrand::Rng;
use rustc_hash::{FxHashMap, FxHashSet};
use trapline_engine::{Budget, Why};

use super::distance::{Distances, NEVER};
use crate::goal_graph::{GoalGraph, Step};

/// What is wanted of a way.
pub struct Window<'w> {
    /// Where it starts.
    pub from: u32,
    /// The distances to the node in which it ends, if it does not end anywhere.
    pub to: Option<&'w [u16]>,
    /// The needs that it meets, 64 at most.
    pub needs: &'w [usize],
    /// No more steps than these.
    pub most: usize,
}

/// So many places are kept in each distance from the start of a window.
const WIDTH: usize = 64;

/// So many are compared to choose those from.
const MAX_COMPARED: usize = 4 * WIDTH;

/// Where a way has come to.
#[derive(Clone, Copy)]
struct Label {
    node: u32,
    met: u64,
    back: u32,
}

/// A place that a way may come to next.
struct Move {
    /// What is before it, and by chance.
    key: (u32, u32),
    to: Label,
    step: Step,
}

/// A shortest way of those that are looked at; its steps.
///
/// # Errors
/// When the budget runs out.
pub fn reroute(
    graph: &GoalGraph,
    distances: &Distances,
    window: &Window<'_>,
    rng: &mut Rng,
    budget: &Budget<'_>,
) -> Result<Option<Vec<Step>>, Why> {
    let masks = FxHashMap::default();
    let all = mask(window.needs.len());
    let mut search = WindowSearch { graph, distances, window, all, masks };
    let mut history: Vec<(u32, Step)> = Vec::new();
    let mut places: Vec<Label> = Vec::new();
    let first = Label { node: window.from, met: 0, back: u32::MAX };
    places.extend(search.ahead(window.from, 0, window.most).map(|_| first));
    for left in (0..=window.most).rev() {
        if let Some(done) = places.iter().find(|place| search.is_done(place)) {
            return Ok(Some(way(&history, done.back)));
        }
        let Some(left) = left.checked_sub(1) else { break };
        let mut next: Vec<Move> = Vec::new();
        let mut n_looks = 0;
        for place in &places {
            let steps = graph.steps(place.node);
            n_looks += steps.len();
            for &step in steps {
                let met = place.met | search.met(step.set);
                let Some(ahead) = search.ahead(step.to, met, left) else { continue };
                let to = Label { node: step.to, met, back: place.back };
                next.push(Move { key: (ahead, rng.u32(..)), to, step });
            }
        }
        budget.spend((n_looks * (2 + window.needs.len()) / 8) as u64 + 1)?;
        places = keep(next, &mut history);
    }
    Ok(None)
}

fn mask(n_needs: usize) -> u64 {
    if n_needs < 64 { (1 << n_needs) - 1 } else { u64::MAX }
}

/// The best places, each once; the steps to them are remembered.
fn keep(mut next: Vec<Move>, history: &mut Vec<(u32, Step)>) -> Vec<Label> {
    if next.len() > MAX_COMPARED {
        next.select_nth_unstable_by_key(MAX_COMPARED, |option| option.key);
        next.truncate(MAX_COMPARED);
    }
    next.sort_unstable_by_key(|option| option.key);
    let mut seen: FxHashSet<(u32, u64)> = FxHashSet::default();
    let mut kept = Vec::new();
    for Move { to, step, .. } in next {
        if kept.len() < WIDTH && seen.insert((to.node, to.met)) {
            history.push((to.back, step));
            kept.push(Label { back: history.len() as u32 - 1, ..to });
        }
    }
    kept
}

fn way(history: &[(u32, Step)], mut back: u32) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some(&(before, step)) = history.get(back as usize) {
        steps.push(step);
        back = before;
    }
    steps.reverse();
    steps
}

struct WindowSearch<'s> {
    graph: &'s GoalGraph,
    distances: &'s Distances,
    window: &'s Window<'s>,
    all: u64,
    /// The needs of the window in each set.
    masks: FxHashMap<u32, u64>,
}

impl WindowSearch<'_> {
    /// The needs of the window that are in a set.
    fn met(&mut self, set: u32) -> u64 {
        *self.masks.entry(set).or_insert_with(|| {
            let met = &self.graph.sets[set as usize];
            let is_met = |(_, need): &(usize, &usize)| met.binary_search(need).is_ok();
            let needs = self.window.needs.iter().enumerate();
            needs.filter(is_met).fold(0, |bits, (idx, _)| bits | 1 << idx)
        })
    }

    /// How much is before a place, unless it is too far from something.
    fn ahead(&self, node: u32, met: u64, left: usize) -> Option<u32> {
        let mut ahead = 0;
        let from = self.distances.from(node);
        for (idx, &need) in self.window.needs.iter().enumerate() {
            if met >> idx & 1 == 0 {
                if usize::from(from[need]) > left {
                    return None;
                }
                ahead += u32::from(from[need]);
            }
        }
        match self.window.to.map(|to| to[node as usize]) {
            Some(steps) if usize::from(steps) > left || steps == NEVER => None,
            steps => Some(ahead + u32::from(steps.unwrap_or(0))),
        }
    }

    fn is_done(&self, place: &Label) -> bool {
        place.met == self.all && self.window.to.is_none_or(|to| to[place.node as usize] == 0)
    }
}
