//! Matching of many targets by hash lookup.
//!
//! Goals come by the thousand, and most of them fix the values of a few variables: `x = 3`, or `x =
//! 3 & next(x) = 4`. Those over the same variables form a group. Instead of evaluating each target
//! in a state or step, the values of the variables are looked up.

use rustc_hash::FxHashMap;
use trapline_model::goal::{Key, Target};
use trapline_model::{ExprId, Model};

use crate::code::{Reg, encode};

use super::program::Lanes;
use super::system::Question;

/// Smaller groups are evaluated one target at a time.
const MIN_TARGETS: usize = 4;

/// How targets are matched.
pub struct Plan {
    /// The expressions to evaluate.
    pub question: Question,
    /// For each target, the index of its first expression; `None` if it is in a group, or closed.
    pub exprs: Vec<Option<usize>>,
    /// Groups over states.
    pub states: Vec<Group>,
    /// Groups over steps.
    pub steps: Vec<Group>,
}

/// Targets over the same variables.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The expressions that give the values.
    exprs: Vec<usize>,
    /// Open targets by the values.
    targets: FxHashMap<Vec<i64>, Vec<usize>>,
    /// How many targets are open.
    pub n_open: usize,
}

impl Plan {
    /// Groups the targets.
    pub fn new(model: &Model, targets: &[Target]) -> Plan {
        let keys: Vec<Option<FixedValues>> =
            targets.iter().map(|target| FixedValues::new(model, target)).collect();
        let mut sizes: FxHashMap<(bool, &[ExprId]), usize> = FxHashMap::default();
        for key in keys.iter().flatten() {
            *sizes.entry((key.is_step, &key.exprs)).or_default() += 1;
        }
        let mut plan = Plan {
            question: Question::default(),
            exprs: vec![None; targets.len()],
            states: Vec::new(),
            steps: Vec::new(),
        };
        let mut places: FxHashMap<(bool, &[ExprId]), usize> = FxHashMap::default();
        for (idx, target) in targets.iter().enumerate() {
            let group = keys[idx]
                .as_ref()
                .filter(|key| sizes[&(key.is_step, key.exprs.as_slice())] >= MIN_TARGETS);
            let Some(key) = group else {
                plan.exprs[idx] = Some(plan.evaluate(target));
                continue;
            };
            let (groups, looked) = match key.is_step {
                true => (&mut plan.steps, &mut plan.question.steps),
                false => (&mut plan.states, &mut plan.question.states),
            };
            let place = *places.entry((key.is_step, &key.exprs)).or_insert_with(|| {
                let exprs = (looked.len()..looked.len() + key.exprs.len()).collect();
                looked.extend(&key.exprs);
                groups.push(Group { exprs, ..Group::default() });
                groups.len() - 1
            });
            groups[place].targets.entry(key.values.clone()).or_default().push(idx);
            groups[place].n_open += 1;
        }
        plan
    }

    /// Drops closed targets.
    pub fn retain(&mut self, is_open: impl Fn(usize) -> bool) {
        for (idx, first) in self.exprs.iter_mut().enumerate() {
            *first = first.filter(|_| is_open(idx));
        }
        for group in self.states.iter_mut().chain(&mut self.steps) {
            group.targets.retain(|_, targets| {
                targets.retain(|&target| is_open(target));
                !targets.is_empty()
            });
            group.n_open = group.targets.values().map(Vec::len).sum();
        }
    }

    /// Evaluates a target on its own.
    fn evaluate(&mut self, target: &Target) -> usize {
        let Question { states, steps, .. } = &mut self.question;
        let looked = if matches!(target, Target::State(_)) { states } else { steps };
        let first = looked.len();
        match target {
            Target::State(expr) | Target::Step(expr) => looked.push(*expr),
            Target::Steps(exprs) => looked.extend(exprs),
        }
        first
    }
}

impl Group {
    /// Removes the targets that are met, each with its first matching lane.
    pub fn take(
        &mut self,
        exprs: &[(Reg, Reg)],
        lanes: Lanes<'_>,
        counts: impl Fn(usize) -> bool,
        mut hit: impl FnMut(usize, usize),
    ) {
        if self.targets.is_empty() {
            return;
        }
        let columns: Vec<(&[i64], &[i64])> = self
            .exprs
            .iter()
            .map(|&expr_idx| (lanes.column(exprs[expr_idx].0), lanes.column(exprs[expr_idx].1)))
            .collect();
        let mut values = Vec::with_capacity(columns.len());
        for lane in (0..lanes.len()).filter(|&lane| counts(lane)) {
            values.clear();
            values.extend(columns.iter().map(|(value, _)| value[lane]));
            let fails = || columns.iter().any(|(_, fails)| fails[lane] != 0);
            if self.targets.contains_key(&values) && !fails() {
                let met = self.targets.remove(&values).unwrap_or_default();
                self.n_open -= met.len();
                met.into_iter().for_each(|target| hit(target, lane));
            }
        }
    }
}

/// The values that a target fixes.
struct FixedValues {
    is_step: bool,
    exprs: Vec<ExprId>,
    values: Vec<i64>,
}

impl FixedValues {
    fn new(model: &Model, target: &Target) -> Option<FixedValues> {
        let Key { is_step, leaves, values } = Key::new(model, target)?;
        let exprs = leaves.into_iter().map(|(_, expr)| expr).collect();
        let values = values.into_iter().map(|value| encode(value).ok()).collect::<Option<_>>()?;
        Some(FixedValues { is_step, exprs, values })
    }
}
