//! A segment of a test: from a state to the open part that is nearest.

use trapline_engine::cone::cone;
use trapline_engine::{Engine, Start, Verdict, Why};
use trapline_goals::logic;
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_model::goal::Target;
use trapline_model::trace::{State, Trace};
use trapline_model::transform::Extension;
use trapline_model::{
    BinaryOp, ConstraintKind, Domain, Expr, ExprId, Model, Value, VarId, VarKind,
};
use trapline_source::Span;

use super::{Options, Work};
use crate::tracker::Tracker;

/// Which variables a search leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// None.
    None,
    /// Those that no goal needs.
    Initial,
    /// Those that no open goal needs.
    Each,
}

/// A model in which segments are looked for.
pub struct Segments {
    model: Extension,
    /// Counts the steps of a segment up to the fewest that it may have.
    counter: Option<VarId>,
    min_depth: u64,
}

/// A segment, and the part that it leads to.
pub struct Segment {
    /// The part, if it was made for one.
    pub part: Option<usize>,
    /// The way there, from one of the states that were given.
    pub way: Trace,
    /// All parts that it is said to meet, if who found it knows.
    pub met: Option<Vec<usize>>,
}

impl Segments {
    /// Prepares the model.
    pub fn new(parts: &Subgoals, options: &Options) -> Segments {
        let mut model = Extension::new(Model::clone(&parts.model));
        keep(&mut model, parts, options.slice);
        let min_depth = options.min_depth;
        let counter = (min_depth > 0).then(|| count(&mut model, min_depth));
        Segments { model, counter, min_depth }
    }

    /// The segments from some states to the parts that are nearest to them, as an engine finds them
    /// with so much work.
    ///
    /// # Errors
    /// When it was not enough.
    pub fn nearest(
        &mut self,
        tracker: &Tracker<'_>,
        wanted: &[usize],
        from: &[State],
        (engine, most): (&Engine, u64),
        work: &Work<'_>,
    ) -> Result<Vec<Segment>, Why> {
        let (mut parts, mut targets) = (Vec::new(), Vec::new());
        for &part in wanted {
            if let Subgoal::Reach(target) = &tracker.parts.list[part] {
                parts.push(part);
                targets.push(self.late(target));
            }
        }
        if targets.is_empty() || from.is_empty() {
            return Ok(Vec::new());
        }
        let budget = work.budget.part(Some(most));
        let budget = budget.within(work.options.extension_depth).nearest();
        let start = Start::States(from.iter().map(|state| self.given(state)).collect());
        let found = (engine.reach)(&self.model, &targets, &start, &budget);
        let is_reached = |verdict: &Verdict| matches!(verdict, Verdict::Reached { .. });
        let is_cut = |verdict: &Verdict| matches!(verdict, Verdict::Unknown(Why::Work));
        if !found.verdicts.iter().any(is_reached) && found.verdicts.iter().any(is_cut) {
            return Err(Why::Work);
        }
        let hits = parts.into_iter().zip(found.verdicts).filter_map(|(part, verdict)| {
            let Verdict::Reached { trace, state } = verdict else { return None };
            let states = found.traces[trace].states[..=state].to_vec();
            let mut way = Trace { states, loop_start: None };
            self.model.back().project(&mut way);
            Some(Segment { part: Some(part), way, met: None })
        });
        Ok(hits.collect())
    }

    /// The target, not before the fewest steps have been made.
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

    /// That this holds after so many steps.
    fn after(&mut self, n_steps: u64, expr: ExprId) -> ExprId {
        let Some(counter) = self.counter else { return expr };
        let read = self.model.var_expr(counter);
        let count = self.model.exprs.value(Value::Int(n_steps as i64));
        let is_late = logic::binary(&mut self.model.exprs, BinaryOp::Ge, read, count);
        logic::and(&mut self.model.exprs, is_late, expr)
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

/// Adds a variable that counts steps, and stops counting there.
fn count(model: &mut Model, most: u64) -> VarId {
    let most = most as i64;
    model.add_monitor("__steps", Domain::Range(0, most), Span::default(), |model, read| {
        let exprs = &mut model.exprs;
        let (most, one) = (exprs.value(Value::Int(most)), exprs.value(Value::Int(1)));
        let is_less = logic::binary(exprs, BinaryOp::Lt, read, most);
        let ty = exprs.ty(most);
        let more = exprs.add(Expr::Binary(BinaryOp::Add, read, one), ty);
        let next = exprs.add(Expr::Ite(is_less, more, most), ty);
        (exprs.value(Value::Int(0)), next)
    })
}

/// A constraint that says nothing makes a search keep what it reads.
fn keep(model: &mut Model, parts: &Subgoals, slice: Slice) {
    let exprs = parts.list.iter().flat_map(|part| match part {
        Subgoal::Initial(expr) | Subgoal::Trap(_, expr) => std::slice::from_ref(expr),
        Subgoal::Reach(Target::State(expr) | Target::Step(expr)) => std::slice::from_ref(expr),
        Subgoal::Reach(Target::Steps(exprs)) => exprs,
    });
    let vars: Vec<VarId> = match slice {
        Slice::None => model.var_ids().map(|(var, _)| var).collect(),
        Slice::Initial => cone(model, exprs.copied()),
        Slice::Each => return,
    };
    for var in vars {
        if model.var(var).kind != VarKind::Input {
            let read = model.var_expr(var);
            let same = logic::binary(&mut model.exprs, BinaryOp::Eq, read, read);
            model.constrain(ConstraintKind::Invar, same, Span::default());
        }
    }
}
