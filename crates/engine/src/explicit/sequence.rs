//! Sequences of steps among the states found so far.
//!
//! For each state and up to 64 sequences at a time: which suffixes of the sequence can be taken
//! from here? A backward pass over the steps answers that for all states with one visit per step,
//! however many paths there are. A sequence can be taken if the whole of it can from some state;
//! the first such state is nearest to the start.

use trapline_model::goal::Target;

use crate::answer::Why;
use trapline_budget::Budget;

use super::explore::{End, Exploration};
use super::graph::{GroupId, StateId};
use super::program::Lanes;
use super::reach::{Hit, Hits};

/// Searches for the open sequences.
///
/// # Errors
/// When the budget runs out; what was found before is kept.
pub fn find(
    exploration: &Exploration,
    targets: &[Target],
    end: &End,
    hits: &mut Hits,
    budget: &Budget,
) -> Result<(), Why> {
    let open = hits.sequences().to_vec();
    for chunk in open.chunks(64) {
        let sequences: Vec<Sequence> = chunk
            .iter()
            .map(|&(target_idx, first_look)| match &targets[target_idx] {
                Target::Steps(steps) => Sequence { target_idx, first_look, n_steps: steps.len() },
                _ => unreachable!("only sequences are open here"),
            })
            .collect();
        let search = SequenceSearch { exploration, sequences: &sequences, budget };
        let ways = search.ways()?;
        for (bit, sequence) in sequences.iter().enumerate() {
            let hit = search.hit(&ways, bit)?;
            // While the search goes on, a nearer state may turn out to be a better start.
            let is_final = |hit: &Hit| *end != End::Paused || search.is_shortest(hit);
            if let Some(hit) = hit.filter(is_final) {
                hits.close_sequence(sequence.target_idx, hit);
            }
        }
    }
    Ok(())
}

struct Sequence {
    target_idx: usize,
    first_look: usize,
    n_steps: usize,
}

struct SequenceSearch<'a, 's, 'm> {
    exploration: &'a Exploration<'s, 'm>,
    sequences: &'a [Sequence],
    budget: &'a Budget<'a>,
}

impl SequenceSearch<'_, '_, '_> {
    /// For each suffix length and state: the sequences whose suffix can be taken from there, as
    /// bits.
    fn ways(&self) -> Result<Vec<Vec<u64>>, Why> {
        let n_states = self.exploration.space.n_states();
        let most = self.sequences.iter().map(|sequence| sequence.n_steps).max().unwrap_or(0);
        self.budget.allows((n_states * (most + 1) * 8) as u64)?;
        let mut ways = vec![vec![u64::MAX; n_states]];
        for n_left in 1..=most {
            let groups = self.by_group(&ways[n_left - 1]);
            let mut here = vec![0; n_states];
            let expanded = 0..self.exploration.n_expanded() as StateId;
            self.exploration.revisit(
                expanded,
                &mut |steps, lanes| {
                    for (bit, sequence) in self.sequences.iter().enumerate() {
                        self.add(bit, sequence, n_left, (steps, lanes), &groups, &mut here);
                    }
                    Ok(())
                },
                self.budget,
            )?;
            ways.push(here);
        }
        Ok(ways)
    }

    fn add(
        &self,
        bit: usize,
        sequence: &Sequence,
        n_left: usize,
        (steps, lanes): (&[Option<(StateId, GroupId)>], Lanes<'_>),
        groups: &[u64],
        here: &mut [u64],
    ) {
        let Some(step_idx) = sequence.n_steps.checked_sub(n_left) else { return };
        let holds = self.holds(sequence.first_look + step_idx, lanes);
        for (step, holds) in steps.iter().zip(holds) {
            if let Some((state, group)) = step.filter(|_| holds) {
                here[state as usize] |= groups[group as usize] & 1 << bit;
            }
        }
    }

    fn holds<'l>(&self, expr_idx: usize, lanes: Lanes<'l>) -> impl Iterator<Item = bool> + use<'l> {
        let (value, fails) = self.exploration.system.step.exprs[expr_idx];
        let values = lanes.column(value).iter().zip(lanes.column(fails));
        values.map(|(&holds, &fails)| holds != 0 && fails == 0)
    }

    /// The union over the states of each group.
    fn by_group(&self, states: &[u64]) -> Vec<u64> {
        let space = &self.exploration.space;
        let mut groups = vec![0; space.n_groups()];
        for (state, bits) in states.iter().enumerate() {
            groups[space.group_of(state as StateId) as usize] |= bits;
        }
        groups
    }

    /// True if everything that a shorter path could pass through has been explored.
    fn is_shortest(&self, hit: &Hit) -> bool {
        let depth = self.exploration.space.path_to(hit.at).len() - 1;
        (depth + hit.steps.len()) as u64 <= self.exploration.layer() + 1
    }

    /// The first path to a sequence.
    fn hit(&self, ways: &[Vec<u64>], bit: usize) -> Result<Option<Hit>, Why> {
        let sequence = &self.sequences[bit];
        let can = |n_left: usize, state: usize| ways[n_left][state] >> bit & 1 == 1;
        let n_states = self.exploration.space.n_states();
        let Some(at) = (0..n_states).find(|&state| can(sequence.n_steps, state)) else {
            return Ok(None);
        };
        let mut hit = Hit { at: at as StateId, steps: Vec::new() };
        let mut state = at as StateId;
        for step_idx in 0..sequence.n_steps {
            let n_left = sequence.n_steps - step_idx - 1;
            let step = self.step(state, sequence.first_look + step_idx, |s| can(n_left, s))?;
            state = step.1;
            hit.steps.push(step);
        }
        Ok(Some(hit))
    }

    /// A step from a state on which an expression holds, to a wanted state.
    fn step(
        &self,
        from: StateId,
        expr_idx: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<(Vec<i64>, StateId), Why> {
        let space = &self.exploration.space;
        let inputs = &self.exploration.system.step.inputs;
        let mut found = None;
        self.exploration.revisit(
            from..from + 1,
            &mut |steps, lanes| {
                for (lane, holds) in self.holds(expr_idx, lanes).enumerate() {
                    let Some((_, group)) = steps[lane].filter(|_| holds && found.is_none()) else {
                        continue;
                    };
                    let after = space.states_of(group).find(|&state| is_wanted(state as usize));
                    found = after.map(|after| {
                        (inputs.iter().map(|&reg| lanes.column(reg)[lane]).collect(), after)
                    });
                }
                Ok(())
            },
            self.budget,
        )?;
        Ok(found.unwrap_or_else(|| unreachable!("the way was seen going backwards")))
    }
}
