//! Walks that promise most.
//!
//! Beam search (Lowerre, *The Harpy Speech Recognition System*, 1976): all walks of some number of
//! steps are extended by one, and the most promising are kept. A walk promises much if few needs
//! are left and one of them is near.

use fastrand::Rng;
use rustc_hash::FxHashSet;
use trapline_engine::{Budget, Why};

use super::Walk;
use super::distance::{Distances, NEVER};
use crate::generate::Fewest;
use crate::terrain::{Step, Terrain};

/// So many starts are tried for a further test.
const MAX_STARTS: usize = 16;

/// A need that is left counts as much as so many steps to the nearest one.
const WEIGHT: usize = 4;

/// How walks are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What the fewest of is wanted.
    pub fewest: Fewest,
    /// So many walks are kept.
    pub width: usize,
    /// No more steps than these.
    pub most: usize,
}

/// A way that a walk has come: the one before it, the step, and whether a test starts with it.
type Back = (Option<usize>, Step, bool);

/// Where walks have come to: the last one, after its tests.
#[derive(Clone)]
struct Place {
    node: u32,
    back: Option<usize>,
    n_tests: usize,
    met: Vec<u64>,
    n_left: usize,
}

/// A place that walks may come to next.
struct Move {
    from: usize,
    /// Where another test starts, if one does.
    start: Option<Step>,
    /// The step; none at the very start.
    step: Option<Step>,
    /// The lower the better.
    key: (usize, usize, u32),
    to: Place,
}

/// Looks for walks that meet all needs.
///
/// # Errors
/// When the budget runs out.
pub fn beam(
    terrain: &Terrain,
    distances: &Distances,
    options: Options,
    rng: &mut Rng,
    budget: &Budget<'_>,
) -> Result<Option<Vec<Walk>>, Why> {
    let mut beam = Beam { terrain, distances, options, rng, history: Vec::new() };
    let (n_needs, met) = (terrain.n_needs, vec![0; terrain.n_needs.div_ceil(64)]);
    let nowhere = [Place { node: 0, back: None, n_tests: 0, met, n_left: n_needs }];
    let starts = terrain.starts.iter();
    let starts = starts.map(|start| beam.go((0, &nowhere[0]), Some(*start), None)).collect();
    let mut places = beam.keep(&nowhere, starts);
    for _ in 0..=options.most {
        let done = places.iter().filter(|place| place.n_left == 0);
        if let Some(done) = done.min_by_key(|place| place.n_tests) {
            return Ok(Some(beam.walks(done.back)));
        }
        let mut next = Vec::new();
        for place in places.iter().enumerate() {
            beam.extend(place, &mut next);
        }
        budget.spend(next.len() as u64 * (4 + n_needs as u64 / 32) + 1)?;
        places = beam.keep(&places, next);
    }
    Ok(None)
}

struct Beam<'t> {
    terrain: &'t Terrain,
    distances: &'t Distances,
    options: Options,
    rng: &'t mut Rng,
    history: Vec<Back>,
}

impl Beam<'_> {
    /// The moves from a place: its steps, or those of another test if that is nearer to something.
    fn extend(&mut self, (idx, place): (usize, &Place), next: &mut Vec<Move>) {
        let near = self.nearest(place.node, &place.met);
        if near != NEVER {
            let steps = self.terrain.steps(place.node).iter();
            next.extend(steps.map(|step| self.go((idx, place), None, Some(*step))));
        }
        if self.options.fewest == Fewest::Tests && near != NEVER {
            return;
        }
        let starts = self.terrain.starts.iter();
        let mut starts: Vec<(u16, Step)> = starts
            .map(|start| (self.nearest(start.to, &place.met), *start))
            .filter(|(distance, _)| *distance < near)
            .collect();
        starts.sort_by_key(|(distance, start)| (*distance, start.to));
        for (_, start) in starts.into_iter().take(MAX_STARTS) {
            let steps = self.terrain.steps(start.to).iter();
            next.extend(steps.map(|step| self.go((idx, place), Some(start), Some(*step))));
        }
    }

    /// The fewest steps to anything that is not met.
    fn nearest(&self, node: u32, met: &[u64]) -> u16 {
        let from = self.distances.from(node).iter().enumerate();
        let open = from.filter(|(need, _)| met[need / 64] >> (need % 64) & 1 == 0);
        open.map(|(_, distance)| *distance).min().unwrap_or(0)
    }

    fn go(
        &mut self,
        (from, place): (usize, &Place),
        start: Option<Step>,
        step: Option<Step>,
    ) -> Move {
        let mut to = place.clone();
        for taken in start.iter().chain(&step) {
            to.node = taken.to;
            for &need in self.terrain.met(*taken) {
                let bit = 1 << (need % 64);
                to.n_left -= usize::from(to.met[need / 64] & bit == 0);
                to.met[need / 64] |= bit;
            }
        }
        to.n_tests += usize::from(start.is_some());
        let n_tests = if self.options.fewest == Fewest::Tests { to.n_tests } else { 0 };
        let near = usize::from(self.nearest(to.node, &to.met));
        let key = (n_tests, to.n_left * WEIGHT + near, self.rng.u32(..));
        Move { from, start, step, key, to }
    }

    /// The best places, each once.
    fn keep(&mut self, places: &[Place], mut next: Vec<Move>) -> Vec<Place> {
        next.sort_by_key(|option| option.key);
        let mut seen: FxHashSet<(u32, Vec<u64>)> = FxHashSet::default();
        let mut kept = Vec::new();
        for Move { from, start, step, mut to, .. } in next {
            if kept.len() < self.options.width && seen.insert((to.node, to.met.clone())) {
                to.back = places[from].back;
                for (step, is_start) in [(start, true), (step, false)] {
                    if let Some(step) = step {
                        self.history.push((to.back, step, is_start));
                        to.back = Some(self.history.len() - 1);
                    }
                }
                kept.push(to);
            }
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
