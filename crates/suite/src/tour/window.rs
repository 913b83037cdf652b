//! Alternative paths between two nodes that meet given requirements.
//!
//! Breadth-first search over nodes and sets of met requirements, pruned by distances to the
//! requirements and to the end, so that short windows are searched exhaustively. In larger ones
//! only the states with the least remaining distance are kept.

use fastrand::Rng;
use rustc_hash::{FxHashMap, FxHashSet};
use trapline_engine::{Budget, Why};

use super::distance::{Distances, NEVER};
use crate::goal_graph::{GoalGraph, Step};

/// A window.
pub struct Window<'w> {
    /// Its first node.
    pub from: u32,
    /// The distances to its last node, if that is fixed.
    pub to: Option<&'w [u16]>,
    /// The requirements to meet, at most 64.
    pub needs: &'w [usize],
    /// Maximum number of steps.
    pub most: usize,
}

/// Search states kept per layer.
const WIDTH: usize = 64;

/// Search states compared per layer.
const MAX_COMPARED: usize = 4 * WIDTH;

/// A search state.
#[derive(Clone, Copy)]
struct Label {
    node: u32,
    met: u64,
    back: u32,
}

/// A successor of a search state.
struct Move {
    /// The remaining distance, then a random tie-breaker.
    key: (u32, u32),
    to: Label,
    step: Step,
}

/// The steps of a shortest path among those searched.
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

/// The best distinct search states, with back pointers.
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
    /// The window's requirements in each label, as bits.
    masks: FxHashMap<u32, u64>,
}

impl WindowSearch<'_> {
    /// The window's requirements in a label.
    fn met(&mut self, set: u32) -> u64 {
        *self.masks.entry(set).or_insert_with(|| {
            let met = &self.graph.sets[set as usize];
            let is_met = |(_, need): &(usize, &usize)| met.binary_search(need).is_ok();
            let needs = self.window.needs.iter().enumerate();
            needs.filter(is_met).fold(0, |bits, (idx, _)| bits | 1 << idx)
        })
    }

    /// The remaining distance, unless something is too far.
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
