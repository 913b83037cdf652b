//! Tests that go on where the implementation chose otherwise.
//!
//! A test that stays inconclusive gets a branch: from the states that the model may be in after the
//! answer that the test did not expect, to the subgoals that it is there for and that nothing has reached.
//! The next time the implementation chooses so, the test goes on there. Where all of that was reached
//! already, what the implementation did becomes the branch.

use fixedbitset::FixedBitSet;
use trapline_budget::Budget;
use trapline_engine::possible::Output;
use trapline_engine::{Engine, Start, Verdict as Decided, Why};
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_model::replay::Replayer;
use trapline_model::trace::{State, Trace};
use trapline_model::{Value, VarKind};
use trapline_suite::coverage::coverage_of;

use crate::plan::{Planned, Planner, Way};
use crate::pursuit::{Pursuits, Unmet};
use crate::result::{TestResult, Verdict};
use crate::tester::{Explanations, Layer, Tester};

/// Extends tests.
pub struct Extender<'a, 't, 'm, 'b> {
    subgoals: &'a Subgoals,
    engine: Engine,
    planner: Planner<'t, 'm, 'b>,
    tester: &'t Tester<'m, 'b>,
    pursuits: Pursuits,
}

/// What became of the attempt to extend a test.
#[derive(Clone, Debug, Default)]
pub struct Extension {
    /// The way that it may take from now on.
    pub path: Option<Trace>,
    /// The subgoals that it leads to.
    pub planned: Vec<usize>,
    /// Those that nothing leads to from there.
    pub lost: Vec<usize>,
    /// Those that nothing leads to if the implementation repeats its choices.
    pub unlikely: Vec<usize>,
    /// Those for which no way was found, and why.
    pub undecided: Vec<(usize, String)>,
}

/// A way from the states where the implementation went.
struct Continuation {
    exchanges: Vec<Planned>,
    /// What follows, if an engine found it.
    found: Option<Trace>,
}

impl<'a, 't, 'm, 'b> Extender<'a, 't, 'm, 'b> {
    /// Prepares to extend tests; some outputs may not be seen.
    pub fn new(
        subgoals: &'a Subgoals,
        tester: &'t Tester<'m, 'b>,
        engine: Engine,
        unseen: &[Output],
    ) -> Extender<'a, 't, 'm, 'b> {
        let planner = Planner::new(tester, unseen);
        let pursuits = Pursuits::new(subgoals, std::iter::empty());
        Extender { subgoals, engine, planner, tester, pursuits }
    }

    /// Learns the choices that an implementation made in a run.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn learn(&mut self, explanations: &Explanations) -> Result<(), Why> {
        let Explanations { exchanges, layers, .. } = explanations;
        for (layer, exchange) in layers.iter().zip(exchanges.iter().skip(1)) {
            self.planner.learn(&layer.states, exchange)?;
        }
        Ok(())
    }

    /// Extends an inconclusive test towards some subgoals, from where the implementation went another way,
    /// or from a later exchange.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn extend(
        &mut self,
        test: &TestResult,
        paths: &[Trace],
        (wanted, n_kept): (&[usize], usize),
    ) -> Result<Extension, Why> {
        let mut extension = Extension::default();
        let explained = &test.explanations.layers;
        let deviation = test.deviation.as_ref().map_or(0, |deviation| deviation.exchange);
        let start = deviation.max(n_kept);
        if test.verdict != Verdict::Inconclusive || explained.is_empty() {
            return Ok(extension);
        }
        let layers = &explained[..explained.len().min(start + 1)];
        if wanted.is_empty() {
            let plan = Continuation { exchanges: Vec::new(), found: None };
            extension.path = self.trace(layers, paths, &plan);
            return Ok(extension);
        }
        if start >= explained.len() && !test.explanations.is_whole {
            let why = "there are too many states that the model may be in";
            extension.undecided = wanted.iter().map(|&it| (it, why.into())).collect();
            return Ok(extension);
        }
        self.pursuits = Pursuits::new(self.subgoals, wanted.iter().copied());
        let is_followed = |subgoal: &&usize| self.pursuits.subgoals.contains(subgoal);
        let others = wanted.iter().filter(|subgoal| !is_followed(subgoal));
        let why = "it is about the initial state or about whole paths";
        extension.undecided = others.map(|&subgoal| (subgoal, why.into())).collect();
        let plan = self.plan(layers, &mut extension)?;
        if !plan.exchanges.is_empty() || plan.found.is_some() {
            extension.path = self.trace(layers, paths, &plan);
        }
        Ok(extension)
    }

    /// A way that leads to one subgoal after the other.
    fn plan(&mut self, layers: &[Layer], extension: &mut Extension) -> Result<Continuation, Why> {
        let last = layers.last().map(|layer| layer.states.clone()).unwrap_or_default();
        let start = self.planner.belief(last.clone());
        let mut plan = Continuation { exchanges: Vec::new(), found: None };
        let n_wanted = self.pursuits.subgoals.len();
        let left = self.pursuits.follow(layers).into_iter();
        let mut unmet: Vec<Unmet> =
            left.map(|(unmet, _)| self.in_order(start, &last, unmet)).collect();
        let mut belief = start;
        for place in 0..n_wanted {
            let subgoal = self.pursuits.subgoals[place];
            if unmet[place].is_empty() {
                extension.planned.push(subgoal);
                continue;
            }
            match self.planner.way((belief, unmet[place].clone()), &self.pursuits, place)? {
                Way::Found(way) => {
                    belief = self.go(&way, belief, &mut unmet)?;
                    plan.exchanges.extend(way);
                    extension.planned.push(subgoal);
                }
                // From there on something else may have become impossible: it is left to another branch.
                _ if !plan.exchanges.is_empty() => {}
                Way::None => extension.lost.push(subgoal),
                Way::Unlikely => extension.unlikely.push(subgoal),
                Way::TooMuch => {
                    plan.found = self.search(&last, subgoal, extension);
                    if plan.found.is_some() {
                        break;
                    }
                }
            }
        }
        Ok(plan)
    }

    /// What is left of a subgoal, by the order of the states in a set.
    fn in_order(&self, belief: usize, states: &[State], unmet: Unmet) -> Unmet {
        let ordered = self.planner.states(belief);
        let place = |state: usize| ordered.iter().position(|it| *it == states[state]);
        let unmet = unmet.into_iter();
        let mut unmet: Unmet =
            unmet.filter_map(|(state, matched)| Some((place(state)?, matched))).collect();
        unmet.sort_unstable();
        unmet
    }

    /// Follows a way; returns the set at its end.
    fn go(
        &mut self,
        way: &[Planned],
        mut belief: usize,
        unmet: &mut [Unmet],
    ) -> Result<usize, Why> {
        for &(from, idx) in way {
            let Some(next) = self.planner.next(from)? else { break };
            let it = &next[idx];
            let marks = self.pursuits.marks_of(&it.edges, self.planner.states(it.belief));
            for (place, unmet) in unmet.iter_mut().enumerate() {
                if !unmet.is_empty() {
                    *unmet = self.pursuits.advance(place, unmet, &it.edges, &marks).0;
                }
            }
            belief = it.belief;
        }
        Ok(belief)
    }

    /// What an engine finds from one of the states, where there is too much to plan with.
    fn search(&self, states: &[State], subgoal: usize, extension: &mut Extension) -> Option<Trace> {
        let Subgoal::Reach(target) = &self.subgoals.list[subgoal] else { return None };
        let mut states = states.to_vec();
        states.iter_mut().for_each(|state| self.complete(state, None));
        let model = &self.subgoals.model;
        let (start, budget) = (Start::States(states), self.tester.budget());
        let reached = (self.engine.reach)(model, std::slice::from_ref(target), &start, budget);
        match reached.verdicts.into_iter().next() {
            Some(Decided::Reached { trace, .. }) => {
                extension.planned.push(subgoal);
                reached.traces.into_iter().nth(trace)
            }
            Some(Decided::Unreachable(_)) => {
                extension.lost.push(subgoal);
                None
            }
            Some(Decided::Unknown(why)) => {
                extension.undecided.push((subgoal, why.to_string()));
                None
            }
            None => None,
        }
    }

    /// The whole way as a test of the model: one of the explanations of the layers, one that has as much
    /// as possible in common with the test, and then the plan.
    fn trace(&mut self, layers: &[Layer], paths: &[Trace], plan: &Continuation) -> Option<Trace> {
        let mut after: Vec<State> = Vec::new();
        let mut state: Option<State> = None;
        if let Some(found) = &plan.found {
            state = found.states.first().cloned();
            after = found.states.clone();
        } else if let Some(&(from, idx)) = plan.exchanges.last() {
            let last = self.planner.next(from).ok()??[idx].belief;
            after.push(self.planner.states(last).first()?.clone());
            let mut place = 0;
            for &(from, idx) in plan.exchanges.iter().rev() {
                let next = self.planner.next(from).ok()??;
                let (before, current, _) = next[idx].edges.iter().find(|it| it.2 == place)?;
                after.push(current.clone());
                state = Some(self.planner.states(from)[*before].clone());
                place = *before;
            }
            after.reverse();
        }
        let n_own = self.subgoals.model.own().vars;
        let mut states = explanation(layers, paths, n_own, state.as_ref())?;
        if !after.is_empty() {
            states.pop();
            states.extend(after);
        }
        let mut trace = Trace { states, loop_start: None };
        let before = trace.states.len().checked_sub(2).map(|idx| trace.states[idx].clone());
        if let Some(last) = trace.states.last_mut() {
            self.complete(last, before.as_ref());
        }
        self.subgoals.model.back().project(&mut trace);
        let replayer: Replayer<'_> = self.subgoals.model.before();
        replayer.replay(&trace).is_ok().then_some(trace)
    }

    /// Gives values to what leaves the last state: nothing ties it, so any will do.
    fn complete(&self, state: &mut State, before: Option<&State>) {
        for (var, declared) in self.subgoals.model.var_ids() {
            let value = &mut state.values[var.0 as usize];
            if value.is_none() && declared.kind == VarKind::State {
                let kept: Option<Value> = before.and_then(|before| before.get(var));
                *value = kept.or_else(|| Some(declared.domain.value(0)));
            }
        }
    }
}

/// An explanation of what was exchanged, to a certain state or to any: of all, one that has the most
/// states in common with a path of the test.
fn explanation(
    layers: &[Layer],
    paths: &[Trace],
    n_own: usize,
    end: Option<&State>,
) -> Option<Vec<State>> {
    let last = layers.last()?;
    let ends = |state: &State| end.is_none_or(|end| is_same(state, end, end.values.len()));
    let end = last.states.iter().position(ends)?;
    let all = paths.iter().map(|path| in_common(layers, path, n_own));
    // The first of those that are equally near.
    let nearest = all.rev().max_by_key(|common| common.last().map(|last| last[end].0))?;
    let (mut states, mut place) = (vec![last.states[end].clone()], end);
    for (layer, common) in layers.iter().zip(&nearest).skip(1).rev() {
        let (from, current, _) = &layer.edges[common[place].1?];
        states.push(current.clone());
        place = *from;
    }
    states.reverse();
    Some(states)
}

/// For each state of each layer how many states an explanation has in common with a path, and the step
/// that comes last in it.
fn in_common(layers: &[Layer], path: &Trace, n_own: usize) -> Vec<Vec<(usize, Option<usize>)>> {
    let mut common: Vec<Vec<(usize, Option<usize>)>> = Vec::new();
    for (idx, layer) in layers.iter().enumerate() {
        let mut here = vec![(0, None); layer.states.len()];
        for (edge, (from, current, to)) in layer.edges.iter().enumerate() {
            let n_common = common[idx - 1][*from].0;
            let goes_on = n_common == idx - 1
                && path.states.get(idx - 1).is_some_and(|state| is_same(current, state, n_own));
            let n_common = n_common + usize::from(goes_on);
            if here[*to].1.is_none() || n_common > here[*to].0 {
                here[*to] = (n_common, Some(edge));
            }
        }
        common.push(here);
    }
    common
}

/// Have the first variables the same values, as far as the first state has any?
fn is_same(a: &State, b: &State, n_vars: usize) -> bool {
    let mut values = a.values.iter().zip(&b.values).take(n_vars);
    values.all(|(a, b)| a == b || a.is_none())
}

/// The subgoals that a test is there for, in the order in which it meets them.
pub fn owed(
    subgoals: &Subgoals,
    paths: &[Trace],
    goals: &[usize],
    budget: &Budget<'_>,
) -> Vec<usize> {
    let mut is_asked = FixedBitSet::with_capacity(subgoals.list.len());
    for &goal in goals {
        subgoals.of_goal[goal].iter().for_each(|&subgoal| is_asked.insert(subgoal));
    }
    let met = coverage_of(subgoals, &|subgoal| is_asked.contains(subgoal), paths, budget);
    let first = |subgoal: &usize| met.tests[*subgoal].iter().map(|(_, state)| *state).min();
    let mut owed: Vec<usize> = is_asked.ones().filter(|it| first(it).is_some()).collect();
    owed.sort_by_key(|subgoal| (first(subgoal), *subgoal));
    owed
}
