//! Walks that go to what is nearest.
//!
//! Of the steps that lead to something as near, the one that meets most; then by chance, or the one
//! whose needs are near the start, so that what is left is far from it.

use std::cmp::Reverse;

use fastrand::Rng;
use trapline_engine::{Budget, Why};

use super::Walk;
use super::distance::{Distances, NEVER};
use crate::generate::Fewest;
use crate::terrain::{Step, Terrain};

/// Which of the steps that meet as much is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The one that meets what is nearest to the start.
    Start,
    /// Any.
    Chance,
}

/// Makes walks until all needs are met; nothing when some can't be.
///
/// # Errors
/// When the budget runs out.
pub fn greedy(
    terrain: &Terrain,
    distances: &Distances,
    (fewest, tie): (Fewest, Tie),
    rng: &mut Rng,
    budget: &Budget<'_>,
) -> Result<Option<Vec<Walk>>, Why> {
    let mut maker = Maker { terrain, distances, tie, is_met: vec![false; terrain.n_needs], rng };
    let mut walks: Vec<Walk> = Vec::new();
    while maker.is_met.contains(&false) {
        budget.spend(1 + (terrain.starts.len() * terrain.n_needs / 32) as u64)?;
        let Some((from_start, start)) = maker.start() else { return Ok(None) };
        let mut walk = Walk { start, steps: Vec::new() };
        maker.take(start);
        loop {
            let distance = maker.distance(walk.end());
            let is_worse = from_start < distance && !walk.steps.is_empty();
            if distance == NEVER || fewest == Fewest::Steps && is_worse {
                break;
            }
            for left in (0..distance).rev() {
                let step = maker.toward(walk.end(), left);
                maker.take(step);
                walk.steps.push(step);
                budget.spend(1 + terrain.steps(step.to).len() as u64 / 8)?;
            }
            budget.spend(1 + terrain.n_needs as u64 / 32)?;
        }
        walks.push(walk);
    }
    Ok(Some(walks))
}

struct Maker<'m> {
    terrain: &'m Terrain,
    distances: &'m Distances,
    tie: Tie,
    is_met: Vec<bool>,
    rng: &'m mut Rng,
}

impl Maker<'_> {
    fn take(&mut self, step: Step) {
        self.terrain.met(step).iter().for_each(|&need| self.is_met[need] = true);
    }

    fn gain(&self, step: Step) -> usize {
        self.terrain.met(step).iter().filter(|need| !self.is_met[**need]).count()
    }

    /// The start from which something is nearest, and how near; of those that meet something
    /// themselves, one that meets most.
    fn start(&self) -> Option<(u16, Step)> {
        let starts = self.terrain.starts.iter().map(|&start| match self.gain(start) {
            0 => (self.distance(start.to), 0, start),
            gain => (0, gain, start),
        });
        let best = starts.min_by_key(|&(near, gain, start)| (near, Reverse(gain), start.to));
        best.map(|(near, _, start)| (near, start)).filter(|(near, _)| *near != NEVER)
    }

    fn distance(&self, node: u32) -> u16 {
        let open = self.distances.from(node).iter().zip(&self.is_met).filter(|(_, met)| !**met);
        open.map(|(distance, _)| *distance).min().unwrap_or(NEVER)
    }

    /// A step after which something that is not met is so far, or met: the one that meets most.
    fn toward(&mut self, node: u32, left: u16) -> Step {
        let home = self.distances.from(self.terrain.starts[0].to);
        let mut best = None;
        for &step in self.terrain.steps(node) {
            let gain = self.gain(step);
            if (left == 0 && gain == 0) || (left > 0 && self.distance(step.to) != left) {
                continue;
            }
            let needs = self.terrain.met(step).iter().filter(|need| !self.is_met[**need]);
            let depth = match self.tie {
                Tie::Start => needs.map(|&need| home[need]).min(),
                Tie::Chance => None,
            };
            let key = (Reverse(gain), depth, self.rng.u32(..));
            if best.is_none_or(|(other, _)| key < other) {
                best = Some((key, step));
            }
        }
        best.map_or_else(|| unreachable!("distances are those of steps"), |(_, step)| step)
    }
}
