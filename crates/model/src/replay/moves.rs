//! Steps that do not say which command was taken.
//!
//! Suites from elsewhere show states and not the commands between them. Then a step is one of the
//! model if some command explains it. Only where a single one does is that the command that was
//! taken: elsewhere it stays open, and no goal counts that depends on it.

use super::{Replayer, Rule, Violation};
use crate::eval::{Cell, Valuation};
use crate::expr::VarId;
use crate::model::Model;
use crate::trace::Trace;
use crate::value::Value;

/// The variables of steps that may be left open: those that say which command was taken.
pub(super) fn open_selectors(model: &Model, n_vars: usize) -> Vec<VarId> {
    let vars = model.selectors.iter().map(|selector| selector.var);
    vars.filter(|&var| (var.0 as usize) < n_vars && model.is_command(var)).collect()
}

impl Replayer<'_> {
    /// Fills in which commands were taken, where only one explains the step.
    pub fn fill_moves(&self, trace: &mut Trace) {
        if self.selectors.is_empty() {
            return;
        }
        let mut cells = Vec::new();
        for idx in 0..trace.states.len() {
            let Some(after) = super::successor(trace, idx) else { continue };
            for selector in self.open(trace, idx) {
                let mut from = trace.states[idx].values.clone();
                let to = &trace.states[after].values;
                let domain = &self.model.var(selector).domain;
                let values = (0..domain.size().unwrap_or(0)).map(|value| domain.value(value));
                let mut explaining = values.filter(|&value| {
                    from[selector.0 as usize] = Some(value);
                    self.is_explained(&mut from, to, &mut cells)
                });
                if let (Some(only), None) = (explaining.next(), explaining.next()) {
                    trace.states[idx].values[selector.0 as usize] = Some(only);
                }
            }
        }
    }

    /// The selectors that have no value in a state.
    pub(super) fn open(&self, trace: &Trace, idx: usize) -> Vec<VarId> {
        let is_open = |var: &VarId| trace.states[idx].get(*var).is_none();
        self.selectors.iter().copied().filter(is_open).collect()
    }

    /// A step without recorded commands: checks that some commands explain it.
    pub(super) fn check_open_step(
        &self,
        trace: &Trace,
        idx: usize,
        after: usize,
        cells: &mut Vec<Cell>,
    ) -> Result<(), Violation> {
        let mut from = trace.states[idx].values.clone();
        if self.is_explained(&mut from, &trace.states[after].values, cells) {
            return Ok(());
        }
        let lists = self.model.groups.iter().filter(|group| group.selector.is_some());
        let rule = lists.filter_map(|group| group.constraint).next();
        let rule = rule.map_or(Rule::Shape, |rule| Rule::Constraint(rule as usize));
        Err(Violation { state: after, rule })
    }

    /// Can open selectors have values with which the model allows the step? They are tried one
    /// after the other, and what is impossible already is not tried further. They are open again
    /// afterwards.
    fn is_explained(
        &self,
        from: &mut [Option<Value>],
        to: &Valuation,
        cells: &mut Vec<Cell>,
    ) -> bool {
        let is_open = |var: &VarId| from[var.0 as usize].is_none();
        let open: Vec<VarId> = self.selectors.iter().copied().filter(is_open).collect();
        let mut tried: Vec<u64> = Vec::new();
        let found = loop {
            let is_whole = tried.len() == open.len();
            let may_be = self.may_hold(from, to, is_whole, cells);
            if may_be && is_whole {
                break true;
            }
            if may_be {
                tried.push(0);
            } else if !self.go_on(from, &open, &mut tried) {
                break false;
            }
            let last = tried.len() - 1;
            let value = self.model.var(open[last]).domain.value(tried[last]);
            from[open[last].0 as usize] = Some(value);
        };
        open.iter().for_each(|var| from[var.0 as usize] = None);
        found
    }

    /// Goes on to the next value of the last selector that has one; returns whether there is any.
    fn go_on(&self, from: &mut [Option<Value>], open: &[VarId], tried: &mut Vec<u64>) -> bool {
        while let Some(last) = tried.pop() {
            let var = open[tried.len()];
            from[var.0 as usize] = None;
            if self.model.var(var).domain.size().is_some_and(|size| last + 1 < size) {
                tried.push(last + 1);
                return true;
            }
        }
        false
    }

    /// Is no rule of the step broken? Where not everything is known, a rule may have no value yet.
    fn may_hold(
        &self,
        from: &Valuation,
        to: &Valuation,
        is_whole: bool,
        cells: &mut Vec<Cell>,
    ) -> bool {
        self.step.plan.run(from, to, cells);
        self.step.rules.iter().enumerate().all(|(root_idx, rule)| {
            let cell = self.step.plan.root(root_idx, cells);
            let holds = match rule {
                Rule::Assign(idx) => {
                    let value = to[self.model.assigns[*idx].var.0 as usize];
                    let members = cell.members().filter(|members| is_whole || !members.is_partial);
                    members.zip(value).map(|(members, value)| members.contains(value))
                }
                _ => cell.as_bool(),
            };
            holds.unwrap_or(!is_whole)
        })
    }
}
