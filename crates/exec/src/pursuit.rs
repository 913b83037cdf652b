//! Which explanations of what was exchanged have not met a subgoal.
//!
//! A goal was reached when none is left; explanations may meet it at different times. Consecutive steps
//! are followed by how many of them the last steps match, all matches at once, as bits.

use fixedbitset::FixedBitSet;
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_model::coverage::CoverageEvaluator;
use trapline_model::goal::Target;
use trapline_model::trace::{State, Trace};

use crate::tester::Layer;

/// A step that an explanation takes: the state that it leaves, as an index in the layer before, that
/// state with the inputs of the step, and the state that it leads to, as an index.
pub type Taken = (usize, State, usize);

/// The explanations that have not met a subgoal: the states that they lead to, by their indices in the
/// last layer, each with the matches that may still become whole. Sorted.
pub type Unmet = Vec<(usize, u64)>;

/// Subgoals that are followed together.
pub struct Pursuits {
    /// The subgoals, by their indices.
    pub subgoals: Vec<usize>,
    /// For each its columns.
    columns: Vec<Columns>,
    evaluator: CoverageEvaluator,
}

#[derive(Clone, Copy, Debug)]
struct Columns {
    first: usize,
    /// For a state, none.
    n_steps: usize,
}

impl Pursuits {
    /// Follows some subgoals, as far as they can be followed: not those about the initial state or about
    /// whole paths.
    pub fn new(subgoals: &Subgoals, wanted: impl Iterator<Item = usize>) -> Pursuits {
        let (mut list, mut columns, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        for subgoal in wanted {
            let Subgoal::Reach(target) = &subgoals.list[subgoal] else { continue };
            let first = targets.len();
            let n_steps = match target {
                Target::State(_) => 0,
                Target::Step(_) => 1,
                Target::Steps(steps) => steps.len(),
            };
            if n_steps >= u64::BITS as usize {
                continue;
            }
            match target {
                Target::Steps(steps) => targets.extend(steps.iter().copied().map(Target::Step)),
                target => targets.push(target.clone()),
            }
            list.push(subgoal);
            columns.push(Columns { first, n_steps });
        }
        let evaluator = CoverageEvaluator::new(&subgoals.model, &targets);
        Pursuits { subgoals: list, columns, evaluator }
    }

    /// The columns that hold in each piece of a path: a state, or a step.
    pub fn marks(&self, pieces: Vec<Vec<State>>) -> Vec<FixedBitSet> {
        let traces = pieces.into_iter().map(|states| Trace { states, loop_start: None });
        let traces: Vec<Trace> = traces.collect();
        let n_columns = self.columns.last().map_or(0, |last| last.first + last.n_steps.max(1));
        let mut marks = vec![FixedBitSet::with_capacity(n_columns); traces.len()];
        for (column, pieces) in self.evaluator.met(&traces, 1, &|| true).into_iter().enumerate() {
            pieces.into_iter().for_each(|(piece, _)| marks[piece].insert(column));
        }
        marks
    }

    /// The columns that hold in steps to a layer.
    pub fn marks_of(&self, edges: &[Taken], states: &[State]) -> Vec<FixedBitSet> {
        let pieces = edges.iter();
        let pieces = pieces.map(|(_, current, to)| vec![current.clone(), states[*to].clone()]);
        self.marks(pieces.collect())
    }

    /// The initial states in which a subgoal, by its place, is not met.
    pub fn begin(&self, place: usize, marks: &[FixedBitSet]) -> Unmet {
        let Columns { first, n_steps } = self.columns[place];
        let is_met = |state: &usize| n_steps == 0 && marks[*state].contains(first);
        (0..marks.len()).filter(|state| !is_met(state)).map(|state| (state, 1)).collect()
    }

    /// What is left after steps, with the columns that hold in them; and the states that those lead to which
    /// meet the subgoal.
    pub fn advance(
        &self,
        place: usize,
        unmet: &Unmet,
        edges: &[Taken],
        marks: &[FixedBitSet],
    ) -> (Unmet, Vec<usize>) {
        let Columns { first, n_steps } = self.columns[place];
        let (mut left, mut met) = (Unmet::new(), Vec::new());
        for ((from, _, to), holds) in edges.iter().zip(marks) {
            let begun = unmet.partition_point(|(state, _)| state < from);
            for (_, matched) in unmet[begun..].iter().take_while(|(state, _)| state == from) {
                let steps = (0..n_steps).filter(|&step| matched >> step & 1 == 1);
                let longer = steps.filter(|step| holds.contains(first + step));
                let matched = longer.fold(1, |all, step| all | 2 << step);
                let is_met = match n_steps {
                    0 => holds.contains(first),
                    _ => matched >> n_steps & 1 == 1,
                };
                if is_met {
                    met.push(*to);
                } else {
                    left.push((*to, matched));
                }
            }
        }
        left.sort_unstable();
        left.dedup();
        (left, met)
    }

    /// For each subgoal what is left of it after layers of explanations, and whether one of them has met it.
    pub fn follow(&self, layers: &[Layer]) -> Vec<(Unmet, bool)> {
        let n_subgoals = self.subgoals.len();
        let Some((first, later)) = layers.split_first() else {
            return vec![(Unmet::new(), false); n_subgoals];
        };
        let single = first.states.iter().map(|state| vec![state.clone()]);
        let marks = self.marks(single.collect());
        // Beside what is left, the states that explanations lead to which have met the subgoal.
        let begin = |place: usize| {
            let unmet = self.begin(place, &marks);
            let is_met = |state: &usize| !unmet.iter().any(|(left, _)| left == state);
            let met: FixedBitSet = (0..first.states.len()).filter(is_met).collect();
            (unmet, met)
        };
        let mut all: Vec<(Unmet, FixedBitSet)> = (0..n_subgoals).map(begin).collect();
        for layer in later {
            let marks = self.marks_of(&layer.edges, &layer.states);
            for (place, (unmet, met)) in all.iter_mut().enumerate() {
                let (left, newly) = self.advance(place, unmet, &layer.edges, &marks);
                let go_on = layer.edges.iter().filter(|(from, _, _)| met.contains(*from));
                let go_on = go_on.map(|(_, _, to)| *to);
                (*unmet, *met) = (left, go_on.chain(newly).collect());
            }
        }
        all.into_iter().map(|(unmet, met)| (unmet, !met.is_clear())).collect()
    }
}
