//! Every counterexample is a path of the graph and shows what it should.

use super::super::compute;
use super::super::ctl::tests::naive::Naive;
use super::super::ctl::tests::random::{self, Example};
use super::super::ctl::tests::truth_of;
use super::super::ctl::violation;
use super::super::fair::Justice;
use super::*;
use crate::Distance;
use crate::shape::Bounds;

fn counterexample_of(example: &Example, model: &Model, formula: ExprId) -> Option<(Truth, Path)> {
    let (fair, truth) = truth_of(example, model, formula);
    let state = violation(&fair, formula, &truth)?;
    let budget = Budget::unlimited();
    let path =
        counterexample(&fair, model, formula, &truth, state, &budget).expect("there is no limit");
    Some((truth, path))
}

#[test]
fn counterexamples_are_paths_that_show_it() {
    let mut rng = fastrand::Rng::with_seed(1);
    let (mut n_paths, mut n_loops, mut n_long) = (0, 0, 0);
    for round in 0..12_000 {
        let example = random::example(&mut rng);
        let mut model = random::model();
        let size = rng.usize(1..=4);
        let formula = random::formula(&mut rng, &mut model, size);
        let Some((truth, path)) = counterexample_of(&example, &model, formula) else { continue };
        check_path(&example, &path);
        let shown = Shown { model: &model, truth: &truth, path: &path };
        assert!(
            shown.shows_all(&[Literal::no(formula)], 0),
            "{round}: {:?} {path:?}",
            model.exprs.get(formula)
        );
        n_paths += 1;
        n_loops += usize::from(path.loop_start.is_some());
        n_long += usize::from(path.states.len() > 3);
    }
    assert!(n_paths > 2000 && n_loops > 300 && n_long > 300, "{n_paths} {n_loops} {n_long}");
}

#[test]
fn an_invariant_is_violated_as_soon_as_possible() {
    let mut rng = fastrand::Rng::with_seed(2);
    let budget = Budget::unlimited();
    for round in 0..2000 {
        let example = random::example(&mut rng);
        let mut model = random::model();
        let atom = random::formula(&mut rng, &mut model, 0);
        let formula = model.exprs.unary(trapline_model::UnaryOp::Ag, atom);
        let Some((truth, path)) = counterexample_of(&example, &model, formula) else { continue };
        let (fair, _) = truth_of(&example, &model, formula);
        let mut start = fair.backward.none();
        start.insert(path.states[0] as usize);
        let distance = compute::min(&fair, &start, &truth.set(Literal::no(atom)), &budget);
        let n_steps = path.states.len() as u64 - 1;
        assert_eq!(distance, Ok(Distance::Steps(n_steps)), "{round}: {path:?}");
        assert!(truth.set(Literal::no(atom)).contains(last(&path) as usize), "{round}: {path:?}");
        assert_eq!(path.loop_start, None, "{round}");
    }
}

fn check_path(example: &Example, path: &Path) {
    let naive = Naive::new(example);
    assert_eq!(path.states.len(), path.marks.len());
    assert!(example.graph.initial.contains(&path.states[0]));
    assert!(path.states.iter().all(|state| naive.fair >> state & 1 == 1));
    for idx in 0..path.states.len() {
        let Some(next) = next_idx(path, idx) else {
            assert_eq!(path.marks[idx], None);
            continue;
        };
        let (from, to) = (path.states[idx], path.states[next]);
        assert!(naive.is_step(from, to), "{path:?}");
        assert!(path.marks[idx].is_none_or(|mark| naive.shows(mark, from, to)), "{path:?}");
    }
    let Some(start) = path.loop_start else { return };
    for justice in &example.fairness.justice {
        let is_met = match justice {
            Justice::States(states) => {
                path.states[start..].iter().any(|&state| states.contains(state as usize))
            }
            Justice::Edges(mark) => path.marks[start..].contains(&Some(*mark)),
        };
        assert!(is_met, "{path:?}");
    }
}

fn next_idx(path: &Path, idx: usize) -> Option<usize> {
    if idx + 1 < path.states.len() { Some(idx + 1) } else { path.loop_start }
}

/// A path and what it is to show.
struct Shown<'a> {
    model: &'a Model,
    truth: &'a Truth,
    path: &'a Path,
}

impl Shown<'_> {
    /// Does the path from this index show the facts, and end when that is done?
    fn shows_all(&self, facts: &[Literal], idx: usize) -> bool {
        let state = self.path.states[idx];
        if !facts.iter().all(|&fact| self.truth.set(fact).contains(state as usize)) {
            return false;
        }
        let is_true = |formula| Ok(self.truth.of(formula).contains(state as usize));
        match shape::first_shape(&self.model.exprs, facts, is_true).expect("truth is known") {
            Some(shape) => self.shows_shape(shape, idx),
            None => idx + 1 == self.path.states.len() && self.path.loop_start.is_none(),
        }
    }

    fn shows_shape(&self, shape: Shape, idx: usize) -> bool {
        let anything = Bounds { lo: 0, hi: u64::MAX };
        // Around the loop twice is enough to see all there is.
        let n_positions = (self.path.states.len() as u64 - idx as u64) * 2 + 2;
        match shape {
            Shape::Next(target) => {
                self.at(idx, 1).is_some_and(|idx| self.shows_all(&[target], idx))
            }
            Shape::Reach { through, target, bounds } => {
                let Bounds { lo, hi } = bounds.unwrap_or(anything);
                let is_through = |n: &u64| through.is_none_or(|fact| self.is(fact, idx, *n));
                let n_through = (0..n_positions).take_while(is_through).count() as u64;
                let mut ends = (lo..=hi.min(n_through)).filter_map(|n| self.at(idx, n));
                ends.any(|idx| self.shows_all(&[target], idx))
            }
            Shape::Stay { stay, release, bounds } => {
                let bounds = bounds.unwrap_or(anything);
                self.shows_stay(stay, release, bounds, idx, n_positions)
            }
        }
    }

    fn shows_stay(
        &self,
        stay: Literal,
        release: Option<Literal>,
        Bounds { lo, hi }: Bounds,
        idx: usize,
        n_positions: u64,
    ) -> bool {
        for n in 0..n_positions.min(hi.saturating_add(1)) {
            let Some(here) = self.at(idx, n) else { return false };
            if n >= lo && !self.is(stay, idx, n) {
                return false;
            }
            let facts: Vec<Literal> =
                release.into_iter().chain((n >= lo).then_some(stay)).collect();
            let is_released = release.is_some_and(|fact| self.is(fact, idx, n));
            if is_released && self.shows_all(&facts, here) {
                return true;
            }
            if n == hi && self.shows_all(&[stay], here) {
                return true;
            }
        }
        let is_inside = |state: &StateId| self.truth.set(stay).contains(*state as usize);
        self.path.loop_start.is_some_and(|start| self.path.states[start..].iter().all(is_inside))
    }

    /// The index that follows so many steps later.
    fn at(&self, idx: usize, n_steps: u64) -> Option<usize> {
        (0..n_steps).try_fold(idx, |idx, _| next_idx(self.path, idx))
    }

    fn is(&self, fact: Literal, idx: usize, n_steps: u64) -> bool {
        self.at(idx, n_steps)
            .is_some_and(|idx| self.truth.set(fact).contains(self.path.states[idx] as usize))
    }
}
