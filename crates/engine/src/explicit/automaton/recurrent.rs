//! States in which an accepting run can stay for ever.
//!
//! A cycle of the product projects to a component of the automaton, so only components with moves
//! of all acceptance sets matter. For most properties few states remain, and the product is
//! searched for cycles only there.

use fixedbitset::FixedBitSet;

use super::{Automaton, LocationId, Move};
use crate::explicit::scc::{Components, Digraph, components};
use crate::{Budget, Why};

/// The moves of an automaton over all letters.
struct Moves {
    n_locations: usize,
    /// The first move of each state, and at the end the number of moves.
    starts: Vec<usize>,
    moves: Vec<(LocationId, Move)>,
}

impl Digraph for Moves {
    fn n_nodes(&self) -> usize {
        self.n_locations
    }

    fn contains(&self, _: u32) -> bool {
        true
    }

    fn successor(&self, node: u32, position: u32) -> Option<u32> {
        let idx = self.starts[node as usize] + position as usize;
        (idx < self.starts[node as usize + 1]).then(|| self.moves[idx].1.to)
    }
}

/// The states on a cycle of known moves with moves of every acceptance set.
pub fn recurrent(automaton: &Automaton, budget: &Budget) -> Result<FixedBitSet, Why> {
    let moves = collect(automaton);
    let components = components(&moves, budget)?;
    let is_inside = |from: LocationId, to: LocationId| {
        components.of[from as usize] == components.of[to as usize]
    };
    let mut inside: Vec<(u32, u32)> = moves
        .moves
        .iter()
        .filter(|(from, step)| is_inside(*from, step.to))
        .map(|(from, step)| (components.of[*from as usize], step.mark))
        .collect();
    inside.sort_unstable();
    inside.dedup();
    let mut accepting = FixedBitSet::with_capacity(components.len());
    for marks in inside.chunk_by(|(a, _), (b, _)| a == b) {
        accepting.set(marks[0].0 as usize, covers_all(automaton, marks));
    }
    Ok(members(&components, &accepting))
}

fn covers_all(automaton: &Automaton, marks: &[(u32, u32)]) -> bool {
    let mut missing = FixedBitSet::with_capacity(automaton.n_acceptance_sets());
    missing.insert_range(..);
    for &(_, mark) in marks {
        for (block, found) in missing.as_mut_slice().iter_mut().zip(automaton.accepts(mark)) {
            *block &= !found;
        }
    }
    missing.is_clear()
}

fn members(components: &Components, accepting: &FixedBitSet) -> FixedBitSet {
    let mut members = FixedBitSet::with_capacity(components.of.len());
    let of = components.of.iter().enumerate();
    members.extend(of.filter(|(_, c)| accepting.contains(**c as usize)).map(|(idx, _)| idx));
    members
}

fn collect(automaton: &Automaton) -> Moves {
    let all = automaton.known.iter().flat_map(|(&(from, _), range)| {
        let steps = &automaton.moves[range.start as usize..range.end as usize];
        steps.iter().map(move |&step| (from, step))
    });
    let mut moves: Vec<(LocationId, Move)> = all.collect();
    moves.sort_unstable_by_key(|&(from, step)| (from, step.to, step.mark));
    moves.dedup();
    let n_locations = automaton.n_locations();
    let mut starts = vec![0; n_locations + 1];
    for &(from, _) in &moves {
        starts[from as usize + 1] += 1;
    }
    for location in 0..n_locations {
        starts[location + 1] += starts[location];
    }
    Moves { n_locations, starts, moves }
}
