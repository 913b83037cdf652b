//! A segment of a test: from a state to the nearest open subgoal.

use trapline_engine::cone::cone;
use trapline_engine::{Budget, Engine, Start, Verdict, Why};
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_model::goal::Target;
use trapline_model::trace::{State, Trace};
use trapline_model::transform::Extension;
use trapline_model::{
    BinaryOp, ConstraintKind, Domain, Expr, ExprId, Model, Value, VarId, VarKind,
};
use trapline_source::Span;

use super::Options;
use crate::tracker::Tracker;

/// Which variables a search omits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// None.
    None,
    /// Those that no goal depends on.
    Initial,
    /// Those that no open goal depends on.
    Each,
}

/// A model prepared for segment searches.
pub struct Segments {
    model: Extension,
    /// Counts the steps of a segment up to the minimum depth.
    counter: Option<VarId>,
    min_depth: u64,
}

/// A segment, and its subgoal.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The subgoal, if it was made for one.
    pub subgoal: Option<usize>,
    /// The path to it, from one of the given states.
    pub way: Trace,
    /// All subgoals that it meets, if the search reports them.
    pub met: Option<Vec<usize>>,
}

impl Segments {
    /// Prepares the model.
    pub fn new(subgoals: &Subgoals, options: &Options) -> Segments {
        let mut model = Extension::new(Model::clone(&subgoals.model));
        keep(&mut model, subgoals, options.slice);
        let min_depth = options.min_depth;
        let counter = (min_depth > 0).then(|| count(&mut model, min_depth));
        Segments { model, counter, min_depth }
    }

    /// The segments from some states to the nearest subgoals.
    ///
    /// # Errors
    /// When the budget was not enough.
    pub fn nearest(
        &mut self,
        tracker: &Tracker<'_>,
        wanted: &[usize],
        from: &[State],
        engine: &Engine,
        budget: &Budget<'_>,
    ) -> Result<Vec<Segment>, Why> {
        let (mut subgoals, mut targets) = (Vec::new(), Vec::new());
        for &subgoal in wanted {
            if let Subgoal::Reach(target) = &tracker.subgoals.list[subgoal] {
                subgoals.push(subgoal);
                targets.push(self.late(target));
            }
        }
        if targets.is_empty() || from.is_empty() {
            return Ok(Vec::new());
        }
        let start = Start::States(from.iter().map(|state| self.given(state)).collect());
        let found = (engine.reach)(&self.model, &targets, &start, budget);
        let is_reached = |verdict: &Verdict| matches!(verdict, Verdict::Reached { .. });
        let is_cut = |verdict: &Verdict| matches!(verdict, Verdict::Unknown(Why::Work));
        if !found.verdicts.iter().any(is_reached) && found.verdicts.iter().any(is_cut) {
            return Err(Why::Work);
        }
        let hits = subgoals.into_iter().zip(found.verdicts).filter_map(|(subgoal, verdict)| {
            let Verdict::Reached { trace, state } = verdict else { return None };
            let states = found.traces[trace].states[..=state].to_vec();
            let mut way = Trace { states, loop_start: None };
            self.model.back().project(&mut way);
            Some(Segment { subgoal: Some(subgoal), way, met: None })
        });
        Ok(hits.collect())
    }

    /// The target, delayed by the minimum depth.
    fn late(&mut self, target: &Target) -> Target {
        match target {
            Target::State(expr) => Target::State(self.after(self.min_depth, *expr)),
            Target::Step(expr) => Target::Step(self.after(self.min_depth.saturating_sub(1), *expr)),
            Target::Steps(exprs) => {
                let mut exprs = exprs.clone();
                if let Some(last) = exprs.last_mut() {
                    *last = self.after(self.min_depth.saturating_sub(1), *last);
                }
                Target::Steps(exprs)
            }
        }
    }

    /// The condition after a number of steps.
    fn after(&mut self, n_steps: u64, expr: ExprId) -> ExprId {
        let Some(counter) = self.counter else { return expr };
        let read = self.model.var_expr(counter);
        let count = self.model.exprs.value(Value::Int(n_steps as i64));
        let is_late = self.model.exprs.binary(BinaryOp::Ge, read, count);
        self.model.exprs.and(is_late, expr)
    }

    fn given(&self, state: &State) -> State {
        let mut state = state.clone();
        self.model.widen(&mut state);
        if let Some(counter) = self.counter {
            state.values[counter.0 as usize] = Some(Value::Int(0));
        }
        state
    }
}

/// Adds a saturating step counter.
fn count(model: &mut Model, most: u64) -> VarId {
    let most = most as i64;
    model.add_monitor("__steps", Domain::Range(0, most), Span::default(), |model, read| {
        let exprs = &mut model.exprs;
        let (most, one) = (exprs.value(Value::Int(most)), exprs.value(Value::Int(1)));
        let is_less = exprs.binary(BinaryOp::Lt, read, most);
        let more = exprs.binary(BinaryOp::Add, read, one);
        let next = exprs.add(Expr::Ite(is_less, more, most));
        (exprs.value(Value::Int(0)), next)
    })
}

/// A trivial constraint that keeps the variables it reads in the cone of influence.
fn keep(model: &mut Model, subgoals: &Subgoals, slice: Slice) {
    let exprs = subgoals.list.iter().flat_map(|subgoal| match subgoal {
        Subgoal::Initial(expr) | Subgoal::Trap(_, expr) => std::slice::from_ref(expr),
        Subgoal::Reach(Target::State(expr) | Target::Step(expr)) => std::slice::from_ref(expr),
        Subgoal::Reach(Target::Steps(exprs)) => exprs,
        Subgoal::Fault(_) => &[],
    });
    let vars: Vec<VarId> = match slice {
        Slice::None => model.var_ids().map(|(var, _)| var).collect(),
        Slice::Initial => cone(model, exprs.copied()),
        Slice::Each => return,
    };
    for var in vars {
        if model.var(var).kind != VarKind::Input {
            let read = model.var_expr(var);
            let same = model.exprs.binary(BinaryOp::Eq, read, read);
            model.constrain(ConstraintKind::Invar, same, Span::default());
        }
    }
}
