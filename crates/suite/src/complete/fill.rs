//! Values that are kept, and values that assignments give.
//!
//! One pass over the test, from its first state on. Every value that it fills in is the only one
//! that the variable can have there, so nothing is lost.

use trapline_model::eval::{Cell, Plan};
use trapline_model::replay::{Rule, Violation};
use trapline_model::trace::{State, Trace};
use trapline_model::{AssignKind, Domain, Model, Ratio, Value, VarId, VarKind};

use super::functions::{Function, Keeping};
use crate::read::Draft;

/// The values of a test, as far as they are known.
pub(super) struct Sheet<'m> {
    model: &'m Model,
    /// The values of each state by variable.
    pub rows: Vec<Vec<Option<Value>>>,
    pub loop_start: Option<usize>,
}

/// The assignments of one kind, ready to be evaluated.
struct Assigns {
    plan: Plan,
    vars: Vec<VarId>,
}

/// A model prepared for filling tests.
pub(super) struct Filler<'m> {
    model: &'m Model,
    init: Assigns,
    next: Assigns,
    current: Assigns,
}

impl<'m> Filler<'m> {
    pub fn new(model: &'m Model, functions: &[Function]) -> Filler<'m> {
        let assigns = |kind: AssignKind| {
            let own = model.assigns.iter().filter(|a| a.kind == kind).map(|a| (a.var, a.expr));
            let functions = functions.iter().filter(|_| kind == AssignKind::Current);
            let (vars, exprs): (Vec<VarId>, Vec<_>) = own.chain(functions.copied()).unzip();
            Assigns { plan: Plan::new(model, &exprs), vars }
        };
        Filler {
            model,
            init: assigns(AssignKind::Init),
            next: assigns(AssignKind::Next),
            current: assigns(AssignKind::Current),
        }
    }

    /// Fills in what is missing, as far as that needs no search.
    ///
    /// # Errors
    /// When a frozen variable changes.
    pub fn fill(&self, draft: &Draft, keeping: &Keeping) -> Result<Sheet<'m>, Violation> {
        let rows = draft.states.iter().map(|state| state.vars.clone()).collect();
        let mut sheet = Sheet { model: self.model, rows, loop_start: draft.loop_start };
        sheet.freeze()?;
        let is_kept: Vec<bool> =
            self.model.var_ids().map(|(var, _)| keeping.keeps(draft.keeps, var)).collect();
        let nothing_kept = vec![false; is_kept.len()];
        let mut cells = Vec::new();
        for idx in 0..sheet.rows.len() {
            let (before, rest) = sheet.rows.split_at_mut(idx);
            let (before, row) = (before.last(), &mut rest[0]);
            if let Some(before) = before {
                for (var, _) in is_kept.iter().enumerate().filter(|(_, is_kept)| **is_kept) {
                    row[var] = row[var].or(before[var]);
                }
            }
            let is_kept = if before.is_some() { &is_kept } else { &nothing_kept };
            self.force(before, row, is_kept, &mut cells);
        }
        sheet.drop_last_inputs();
        Ok(sheet)
    }

    /// Fills in what assignments give, until they give nothing more. What is kept from a state
    /// where it is not known yet is left alone.
    fn force(
        &self,
        before: Option<&Vec<Option<Value>>>,
        row: &mut [Option<Value>],
        is_kept: &[bool],
        cells: &mut Vec<Cell>,
    ) {
        let is_open = |(value, var): (&Option<Value>, &trapline_model::Var)| {
            value.is_none() && var.kind != VarKind::Input
        };
        while row.iter().zip(&self.model.vars).any(is_open) {
            match before {
                Some(before) => self.next.plan.run(before, row, cells),
                None => self.init.plan.run(row, &[], cells),
            }
            let first = if before.is_some() { &self.next } else { &self.init };
            let mut n_new = self.take(first, row, is_kept, cells);
            self.current.plan.run(row, &[], cells);
            n_new += self.take(&self.current, row, is_kept, cells);
            if n_new == 0 {
                return;
            }
        }
    }

    /// Takes the values that assignments gave; returns how many are new.
    fn take(
        &self,
        assigns: &Assigns,
        row: &mut [Option<Value>],
        is_kept: &[bool],
        cells: &[Cell],
    ) -> usize {
        let mut n_new = 0;
        for (idx, var) in assigns.vars.iter().enumerate() {
            let value = &mut row[var.0 as usize];
            if value.is_none() && !is_kept[var.0 as usize] {
                *value = only_value(assigns.plan.root(idx, cells), &self.model.var(*var).domain);
                n_new += usize::from(value.is_some());
            }
        }
        n_new
    }
}

impl Sheet<'_> {
    /// A frozen variable has the value that any state gives, in all of them.
    fn freeze(&mut self) -> Result<(), Violation> {
        let model = self.model;
        for (var, _) in model.var_ids().filter(|(_, declared)| declared.kind == VarKind::Frozen) {
            let at = var.0 as usize;
            let Some(value) = self.rows.iter().find_map(|row| row[at]) else { continue };
            for (state, row) in self.rows.iter_mut().enumerate() {
                if row[at].replace(value).is_some_and(|old| old != value) {
                    return Err(Violation { state, rule: Rule::Frozen(var) });
                }
            }
        }
        Ok(())
    }

    /// Inputs of a step that is not taken mean nothing.
    fn drop_last_inputs(&mut self) {
        if self.loop_start.is_some() {
            return;
        }
        let Some(last) = self.rows.last_mut() else { return };
        for (value, _) in (last.iter_mut().zip(&self.model.vars))
            .filter(|(_, declared)| declared.kind == VarKind::Input)
        {
            *value = None;
        }
    }

    /// Is something missing in the state itself?
    fn has_open_state(&self, idx: usize) -> bool {
        self.has_open(idx, |kind| kind != VarKind::Input)
    }

    /// Is an input of the step from the state missing?
    fn has_open_input(&self, idx: usize) -> bool {
        let has_step = idx + 1 < self.rows.len() || self.loop_start.is_some();
        has_step && self.has_open(idx, |kind| kind == VarKind::Input)
    }

    /// Which command was taken may stay open.
    fn has_open(&self, idx: usize, is_meant: impl Fn(VarKind) -> bool) -> bool {
        let mut values = self.rows[idx].iter().zip(self.model.var_ids());
        values.any(|(value, (var, declared))| {
            value.is_none() && is_meant(declared.kind) && !self.model.is_command(var)
        })
    }

    /// The first state in which something is missing, with the step from it.
    pub fn first_open(&self) -> Option<usize> {
        (0..self.rows.len()).find(|&idx| self.has_open_state(idx) || self.has_open_input(idx))
    }

    /// The first state after which nothing is missing any more.
    pub fn settled_from(&self) -> usize {
        let last_open = (0..self.rows.len()).rev().find_map(|idx| {
            match (self.has_open_input(idx), self.has_open_state(idx)) {
                (true, _) => Some(idx + 1),
                (false, true) => Some(idx),
                (false, false) => None,
            }
        });
        last_open.unwrap_or(0)
    }

    /// The trace, when nothing is missing.
    pub fn into_trace(self) -> Trace {
        let states = self.rows.into_iter().map(|values| State { values }).collect();
        Trace { states, loop_start: self.loop_start }
    }
}

/// The one value that an assignment allows.
fn only_value(cell: &Cell, domain: &Domain) -> Option<Value> {
    let value = match cell {
        Cell::Value(value) => *value,
        Cell::Set(set) if !set.is_partial && set.n_entries() == 1 => set.iter().next()?,
        _ => return None,
    };
    // A real variable holds reals.
    let value = match (domain, value) {
        (Domain::Real | Domain::Clock, Value::Int(int)) => Value::Real(Ratio::new(int.into(), 1)?),
        _ => value,
    };
    domain.contains(value).then_some(value)
}
