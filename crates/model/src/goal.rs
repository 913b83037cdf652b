//! What a test is asked to do.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::eval::Plan;
use crate::expr::{Expr, ExprId, VarId};
use crate::model::Model;
use crate::op::{BinaryOp, UnaryOp};
use crate::trace::{State, Trace};
use crate::types::Type;
use crate::value::Value;

/// What a trace must do to reach a goal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Visit a state in which this holds.
    State(ExprId),
    /// Take a step in which this holds; it may read the next state and the inputs.
    Step(ExprId),
    /// Take consecutive steps, one for each of these.
    Steps(Vec<ExprId>),
}

/// A variable in one of the two states of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Leaf {
    /// The variable.
    pub var: VarId,
    /// In the state after the step?
    pub is_next: bool,
}

/// A target that is a conjunction of equalities, as most are: `x = 3 & next(x) = 4`. Thousands of
/// those over the same variables are matched by hashing their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// True if it is about a step.
    pub is_step: bool,
    /// The variables, sorted, with the expressions that read them.
    pub leaves: Vec<(Leaf, ExprId)>,
    /// The values that they have.
    pub values: Vec<Value>,
}

impl Key {
    /// The key of a target, if it has this form.
    pub fn new(model: &Model, target: &Target) -> Option<Key> {
        let (is_step, root) = match target {
            Target::State(expr) => (false, *expr),
            Target::Step(expr) => (true, *expr),
            Target::Steps(_) => return None,
        };
        let exprs = &model.exprs;
        let mut parts: Vec<((Leaf, ExprId), Value)> = Vec::new();
        for expr in exprs.chain(BinaryOp::And, root) {
            let (read, value) = match exprs.get(expr) {
                Expr::Binary(BinaryOp::Eq, a, b) => match exprs.as_const(b) {
                    Some(value) => (a, value),
                    None => (b, exprs.as_const(a)?),
                },
                Expr::Unary(UnaryOp::Not, a) => (a, Value::Bool(false)),
                _ => (expr, Value::Bool(true)),
            };
            parts.push(((leaf(model, read)?, read), value));
        }
        parts.sort_by_key(|(leaf, _)| *leaf);
        parts.dedup();
        let is_once = parts.windows(2).all(|pair| pair[0].0 != pair[1].0);
        let (leaves, values) = parts.into_iter().unzip();
        is_once.then_some(Key { is_step, leaves, values })
    }
}

fn leaf(model: &Model, expr: ExprId) -> Option<Leaf> {
    let is_plain = !matches!(model.exprs.ty(expr), Type::Set(_) | Type::Temporal | Type::Real);
    match model.exprs.get(expr) {
        Expr::Var(var) if is_plain => Some(Leaf { var, is_next: false }),
        Expr::Next(var) if is_plain => Some(Leaf { var, is_next: true }),
        _ => None,
    }
}

/// Determines which targets a trace meets, from the trace alone.
pub struct Judge {
    plan: Plan,
    tables: Vec<Table>,
    /// The targets that are in no table.
    single: Vec<usize>,
    /// For each target, its roots in the plan.
    roots: Vec<Range<usize>>,
    /// For each target, whether it is about a state.
    is_state: Vec<bool>,
}

/// Targets about the same variables, by the values.
struct Table {
    is_step: bool,
    leaves: Vec<Leaf>,
    targets: FxHashMap<Vec<Value>, Vec<usize>>,
}

impl Table {
    /// The targets that a state, or the step from it, meets.
    fn look(&self, state: &State, next: Option<&State>) -> &[usize] {
        let value = |leaf: &Leaf| match leaf.is_next {
            true => next?.get(leaf.var),
            false => state.get(leaf.var),
        };
        let values: Option<Vec<Value>> = self.leaves.iter().map(value).collect();
        let is_there = !self.is_step || next.is_some();
        let met = values.filter(|_| is_there).and_then(|values| self.targets.get(&values));
        met.map_or(&[], Vec::as_slice)
    }
}

impl Judge {
    /// Prepares targets.
    pub fn new(model: &Model, targets: &[Target]) -> Judge {
        let mut exprs: Vec<ExprId> = Vec::new();
        let mut roots = Vec::new();
        let (mut tables, mut single) = (Vec::<Table>::new(), Vec::new());
        let mut places: FxHashMap<(bool, Vec<Leaf>), usize> = FxHashMap::default();
        for (idx, target) in targets.iter().enumerate() {
            let start = exprs.len();
            if let Some(Key { is_step, leaves, values }) = Key::new(model, target) {
                let leaves: Vec<Leaf> = leaves.into_iter().map(|(leaf, _)| leaf).collect();
                let place = *places.entry((is_step, leaves.clone())).or_insert_with(|| {
                    tables.push(Table { is_step, leaves, targets: FxHashMap::default() });
                    tables.len() - 1
                });
                tables[place].targets.entry(values).or_default().push(idx);
                roots.push(start..start);
                continue;
            }
            single.push(idx);
            match target {
                Target::State(expr) | Target::Step(expr) => exprs.push(*expr),
                Target::Steps(steps) => exprs.extend(steps),
            }
            roots.push(start..exprs.len());
        }
        let is_state = targets.iter().map(|target| matches!(target, Target::State(_))).collect();
        Judge { plan: Plan::new(model, &exprs), tables, single, roots, is_state }
    }

    /// For each target the first state in which the trace has met it; for steps, the state after
    /// the last one.
    pub fn met(&self, trace: &Trace) -> Vec<Option<usize>> {
        // How many of the last steps match the first ones of each target's sequences, as a list
        // of the positions that a match in progress has come to.
        let mut progress: Vec<Vec<usize>> = vec![Vec::new(); self.roots.len()];
        let mut met = vec![None; self.roots.len()];
        let mut cells = Vec::new();
        for (idx, state) in trace.states.iter().enumerate() {
            let next = trace.states.get(idx + 1);
            for table in &self.tables {
                for &target_idx in table.look(state, next) {
                    met[target_idx] = met[target_idx].or(Some(idx + usize::from(table.is_step)));
                }
            }
            if self.single.is_empty() {
                continue;
            }
            let next = next.map(|next| next.values.as_slice());
            self.plan.run(&state.values, next.unwrap_or(&[]), &mut cells);
            for &target_idx in &self.single {
                let roots = &self.roots[target_idx];
                if met[target_idx].is_some() {
                    continue;
                }
                let holds =
                    |at: usize| self.plan.root(roots.start + at, &cells).as_bool() == Some(true);
                if self.is_state[target_idx] {
                    met[target_idx] = holds(0).then_some(idx);
                } else if next.is_some() {
                    let matches = &mut progress[target_idx];
                    matches.push(0);
                    matches.retain_mut(|at| {
                        let goes_on = holds(*at);
                        *at += 1;
                        goes_on
                    });
                    if matches.contains(&roots.len()) {
                        met[target_idx] = Some(idx + 1);
                    }
                }
            }
        }
        met
    }
}
