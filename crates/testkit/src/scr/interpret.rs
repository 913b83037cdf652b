//! What a specification means, from its data alone: states and steps by trying all monitored changes,
//! and what is true of its tables by looking at each of them.
//!
//! An event is read with two answers: whether it happens in a way that leaves the mode to the row, which
//! must be the old one, and whether it happens in one that tests modes itself, by `INMODE`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Compare, Cond, Event, Given, Inmode, Kind, Rows, Spec, Sum, Table};

/// A value for each variable.
pub type State = Vec<i64>;

/// What a table gives where several cells apply. Where none of a condition table does, the last one
/// counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// The first one.
    Wrong,
    /// Any of them.
    Choice,
}

/// What a specification does.
#[derive(Debug)]
pub struct Behaviour {
    /// The initial states.
    pub initial: BTreeSet<State>,
    /// The states that can be reached.
    pub states: BTreeSet<State>,
    /// The steps between them.
    pub steps: BTreeSet<(State, State)>,
}

/// A cell that may apply: its row and column, from 0.
pub type Place = (usize, usize);

/// Tries everything.
pub fn behaviour(spec: &Spec, overlap: Overlap) -> Behaviour {
    let initial = initial(spec, overlap);
    let mut states = initial.clone();
    let mut open: Vec<State> = initial.iter().cloned().collect();
    let mut steps = BTreeSet::new();
    while let Some(from) = open.pop() {
        for to in successors(spec, overlap, &from) {
            if states.insert(to.clone()) {
                open.push(to.clone());
            }
            steps.insert((from.clone(), to));
        }
    }
    Behaviour { initial, states, steps }
}

fn initial(spec: &Spec, overlap: Overlap) -> BTreeSet<State> {
    let mut partial: Vec<State> = vec![Vec::new()];
    for (idx, var) in spec.vars.iter().enumerate() {
        let said = if var.init.is_empty() { var.ty.values() } else { var.init.clone() };
        let table = spec.tables.iter().find(|table| table.var == idx);
        partial = extend(partial, |state| match table {
            // What is said to be its first value is compared with that.
            Some(table) if matches!(table.rows, Rows::Condition(_)) => {
                condition_values(spec, table, overlap, state)
            }
            _ => said.clone(),
        });
    }
    partial.into_iter().filter(|state| is_allowed(spec, state, None)).collect()
}

fn successors(spec: &Spec, overlap: Overlap, from: &State) -> BTreeSet<State> {
    let mut partial: Vec<State> = vec![Vec::new()];
    for var in spec.vars.iter().filter(|var| var.kind == Kind::Monitored) {
        partial = extend(partial, |_| var.ty.values());
    }
    partial.retain(|inputs| {
        match inputs.iter().zip(from).filter(|(new, old)| new != old).count() {
            0 => spec.stutter,
            1 => true,
            _ => spec.any_inputs,
        }
    });
    for table in &spec.tables {
        partial = extend(partial, |to| match table.rows {
            Rows::Condition(_) => condition_values(spec, table, overlap, to),
            _ => event_values(spec, table, overlap, from, to),
        });
    }
    partial.into_iter().filter(|to| is_allowed(spec, to, Some(from))).collect()
}

fn extend(partial: Vec<State>, values: impl Fn(&State) -> Vec<i64>) -> Vec<State> {
    let mut longer = Vec::new();
    for state in partial {
        for value in values(&state) {
            longer.push([state.as_slice(), &[value]].concat());
        }
    }
    longer
}

/// Does the environment allow it? What is about steps does not matter to an initial state.
fn is_allowed(spec: &Spec, state: &State, before: Option<&State>) -> bool {
    spec.assumptions.iter().all(|rule| match (is_of_steps(rule), before) {
        (false, _) => holds(rule, state, None),
        (true, Some(before)) => holds(rule, before, Some(state)),
        (true, None) => true,
    })
}

/// The values that a condition table gives in a state.
fn condition_values(spec: &Spec, table: &Table, overlap: Overlap, state: &State) -> Vec<i64> {
    let cells = cells(table);
    let applying: Vec<Place> =
        cells.iter().copied().filter(|&cell| applies(spec, table, cell, None, state)).collect();
    let counting: Vec<Place> = match overlap {
        // A table without any condition says nothing.
        _ if cells.is_empty() => return spec.vars[table.var].ty.values(),
        _ if applying.is_empty() => cells.last().copied().into_iter().collect(),
        Overlap::Wrong => applying[..1].to_vec(),
        Overlap::Choice => applying,
    };
    values_of(table, &counting, state, state)
}

/// The new values that an event table or a mode transition table gives.
fn event_values(
    spec: &Spec,
    table: &Table,
    overlap: Overlap,
    from: &State,
    to: &State,
) -> Vec<i64> {
    let is_applying = |cell: &Place| applies(spec, table, *cell, Some(from), to);
    let mut applying: Vec<Place> = cells(table).into_iter().filter(is_applying).collect();
    if applying.is_empty() {
        return vec![from[table.var]];
    }
    if overlap == Overlap::Wrong {
        applying.truncate(1);
    }
    values_of(table, &applying, from, to)
}

fn values_of(table: &Table, cells: &[Place], from: &State, to: &State) -> Vec<i64> {
    let all: BTreeSet<i64> = cells.iter().flat_map(|&cell| given(table, cell, from, to)).collect();
    all.into_iter().collect()
}

/// The values of a cell's column, or where its row leads.
pub fn given(table: &Table, (row, column): Place, from: &State, to: &State) -> BTreeSet<i64> {
    let list = match &table.rows {
        Rows::Mode(rows) => &rows[row].2,
        _ => &table.values[column],
    };
    let value = |given: &Given| match *given {
        Given::Value(value) => value,
        Given::Var(var, true) => to[var],
        Given::Var(var, false) => from[var],
    };
    list.iter().map(value).collect()
}

/// The cells that are more than `NEVER` or `False`, row by row.
pub fn cells(table: &Table) -> Vec<Place> {
    let mut cells = Vec::new();
    match &table.rows {
        Rows::Mode(rows) => cells.extend(
            rows.iter()
                .enumerate()
                .filter(|(_, row)| !matches!(row.1, Event::Never))
                .map(|(idx, _)| (idx, 0)),
        ),
        Rows::Event(rows) => {
            for (idx, (_, own)) in rows.iter().enumerate() {
                let is_some = |event: &&Event| !matches!(event, Event::Never);
                let own = own.iter().enumerate().filter(|(_, event)| is_some(event));
                cells.extend(own.map(|(column, _)| (idx, column)));
            }
        }
        Rows::Condition(rows) => {
            for (idx, (_, own)) in rows.iter().enumerate() {
                let is_some = |cond: &&Cond| !matches!(cond, Cond::Is(false));
                let own = own.iter().enumerate().filter(|(_, cond)| is_some(cond));
                cells.extend(own.map(|(column, _)| (idx, column)));
            }
        }
    }
    cells
}

/// Does a cell apply in a step, or in a state? The new state may still lack later variables.
pub fn applies(
    spec: &Spec,
    table: &Table,
    (row, column): Place,
    from: Option<&State>,
    to: &State,
) -> bool {
    let class = match table.rows {
        Rows::Mode(_) => Some(table.var),
        _ => table.class,
    };
    let (modes, event) = match &table.rows {
        Rows::Condition(rows) => {
            let (modes, cells) = &rows[row];
            let is_in = class.is_none_or(|class| is_one_of(modes, to[class]));
            return is_in && holds(&cells[column], to, None);
        }
        Rows::Mode(rows) => (&rows[row].0, &rows[row].1),
        Rows::Event(rows) => (&rows[row].0, &rows[row].1[column]),
    };
    let from = from.expect("events are about steps");
    happens_in(spec, class, modes, event, (from, to))
}

/// Does an event of a row happen?
pub fn happens_in(
    spec: &Spec,
    class: Option<usize>,
    modes: &Option<Vec<i64>>,
    event: &Event,
    (from, to): (&State, &State),
) -> bool {
    let step = Step { inmode: spec.inmode, class, modes, from, to };
    let (plain, by_mode) = step.happens(event);
    by_mode || plain && class.is_none_or(|class| is_one_of(modes, from[class]))
}

fn is_one_of(modes: &Option<Vec<i64>>, mode: i64) -> bool {
    modes.as_ref().is_none_or(|modes| modes.contains(&mode))
}

struct Step<'s> {
    inmode: Inmode,
    class: Option<usize>,
    modes: &'s Option<Vec<i64>>,
    from: &'s State,
    to: &'s State,
}

impl Step<'_> {
    /// Does it happen for any mode, and does it happen by `INMODE`?
    fn happens(&self, event: &Event) -> (bool, bool) {
        let (old, new) =
            (|cond: &Cond| holds(cond, self.from, None), |cond: &Cond| holds(cond, self.to, None));
        let under = |event: &Event, holds: bool| {
            let (plain, by_mode) = self.happens(event);
            (plain && holds, by_mode && holds)
        };
        match event {
            Event::Never => (false, false),
            Event::Rise(cond) => (!old(cond) && new(cond), false),
            Event::Fall(cond) => (old(cond) && !new(cond), false),
            Event::Change(var) => (self.from[*var] != self.to[*var], false),
            Event::Enter | Event::Leave => (false, self.by_mode(matches!(event, Event::Enter))),
            Event::When(event, cond) => under(event, old(cond)),
            Event::Where(event, cond) => under(event, new(cond)),
            Event::While(event, cond) => under(event, old(cond) && new(cond)),
            Event::Or(a, b) => {
                let (a, b) = (self.happens(a), self.happens(b));
                (a.0 || b.0, a.1 || b.1)
            }
            Event::And(a, b) => {
                let (a, b) = (self.happens(a), self.happens(b));
                (a.0 && b.0, a.1 && (b.0 || b.1) || a.0 && b.1)
            }
        }
    }

    /// `@T(INMODE)` or `@F(INMODE)`
    fn by_mode(&self, is_entry: bool) -> bool {
        let class = self.class.expect("INMODE needs modes");
        let (old, new) = (self.from[class], self.to[class]);
        let (was_in, is_in) = (is_one_of(self.modes, old), is_one_of(self.modes, new));
        match (self.inmode, is_entry) {
            (Inmode::Each, true) => is_in && new != old,
            (Inmode::Group, true) => is_in && !was_in,
            (Inmode::Each, false) => was_in && new != old,
            (Inmode::Group, false) => was_in && !is_in,
            (Inmode::Old, _) => was_in && new != old,
        }
    }
}

/// Is it about a step?
pub fn is_of_steps(cond: &Cond) -> bool {
    match cond {
        Cond::Is(_) => false,
        Cond::Holds(a) | Cond::With(a, ..) | Cond::In(a, _) => a.is_new,
        Cond::Between(a, _, b) => a.is_new || b.is_new,
        Cond::Near(..) => true,
        Cond::Not(a) => is_of_steps(a),
        Cond::And(a, b) | Cond::Or(a, b) | Cond::Implies(a, b) => is_of_steps(a) || is_of_steps(b),
    }
}

/// Does a condition hold in a state, or in the first one of a step?
pub fn holds(cond: &Cond, state: &State, next: Option<&State>) -> bool {
    let value = |sum: &Sum| {
        let state = if sum.is_new { next.expect("a step") } else { state };
        state[sum.var] + sum.plus
    };
    let compare = |a: i64, by: Compare, b: i64| match by {
        Compare::Eq => a == b,
        Compare::Ne => a != b,
        Compare::Lt => a < b,
        Compare::Ge => a >= b,
    };
    match cond {
        Cond::Is(holds) => *holds,
        Cond::Holds(sum) => value(sum) == 1,
        Cond::With(sum, by, with) => compare(value(sum), *by, *with),
        Cond::Between(a, by, b) => compare(value(a), *by, value(b)),
        Cond::In(sum, values) => values.contains(&value(sum)),
        Cond::Near(var, by) => (next.expect("a step")[*var] - state[*var]).abs() <= *by,
        Cond::Not(a) => !holds(a, state, next),
        Cond::And(a, b) => holds(a, state, next) && holds(b, state, next),
        Cond::Or(a, b) => holds(a, state, next) || holds(b, state, next),
        Cond::Implies(a, b) => !holds(a, state, next) || holds(b, state, next),
    }
}

/// What is true of tables and claims.
#[derive(Debug, Default)]
pub struct Facts {
    /// The pairs of cells of a table that both apply somewhere and give different values.
    pub overlaps: BTreeSet<(usize, Place, Place)>,
    /// The rows of condition tables in which sometimes no cell applies.
    pub gaps: BTreeSet<(usize, usize)>,
    /// The modes that are reached.
    pub reached: BTreeMap<usize, BTreeSet<i64>>,
    /// The condition tables that give another initial value than was said.
    pub other_start: BTreeSet<usize>,
    /// The claims that are false somewhere.
    pub violated: BTreeSet<usize>,
    /// The variables whose first value is sometimes not the one that is declared.
    pub wrong_at_first: BTreeSet<usize>,
}

/// Looks at every state and step.
pub fn facts(spec: &Spec, behaviour: &Behaviour) -> Facts {
    let mut facts = Facts::default();
    for (idx, var) in spec.vars.iter().enumerate().filter(|(_, var)| !var.init.is_empty()) {
        if behaviour.initial.iter().any(|state| !var.init.contains(&state[idx])) {
            facts.wrong_at_first.insert(idx);
        }
    }
    for (idx, claim) in spec.assertions.iter().enumerate() {
        let is_false = match is_of_steps(claim) {
            true => behaviour.steps.iter().any(|(from, to)| !holds(claim, from, Some(to))),
            false => behaviour.states.iter().any(|state| !holds(claim, state, None)),
        };
        if is_false {
            facts.violated.insert(idx);
        }
    }
    for (idx, table) in spec.tables.iter().enumerate() {
        if let Rows::Condition(_) = &table.rows {
            let said = &spec.vars[table.var].init;
            let is_other = |state: &State| !said.is_empty() && !said.contains(&state[table.var]);
            if behaviour.initial.iter().any(is_other) {
                facts.other_start.insert(idx);
            }
            for state in &behaviour.states {
                facts.look(spec, (idx, table), None, state);
                facts.look_for_gaps(spec, (idx, table), state);
            }
            continue;
        }
        if matches!(table.rows, Rows::Mode(_)) {
            let modes = behaviour.states.iter().map(|state| state[table.var]);
            facts.reached.insert(idx, modes.collect());
        }
        for (from, to) in &behaviour.steps {
            facts.look(spec, (idx, table), Some(from), to);
        }
    }
    facts
}

impl Facts {
    fn look(
        &mut self,
        spec: &Spec,
        (idx, table): (usize, &Table),
        from: Option<&State>,
        to: &State,
    ) {
        let is_applying = |cell: &Place| applies(spec, table, *cell, from, to);
        let applying: Vec<Place> = cells(table).into_iter().filter(is_applying).collect();
        let old = from.unwrap_or(to);
        for (n_before, &first) in applying.iter().enumerate() {
            for &second in &applying[n_before + 1..] {
                if given(table, first, old, to) != given(table, second, old, to) {
                    self.overlaps.insert((idx, first, second));
                }
            }
        }
    }

    fn look_for_gaps(&mut self, spec: &Spec, (idx, table): (usize, &Table), state: &State) {
        let Rows::Condition(rows) = &table.rows else { return };
        for (row, (modes, _)) in rows.iter().enumerate() {
            let is_in = table.class.is_none_or(|class| is_one_of(modes, state[class]));
            let is_covered = (0..table.values.len())
                .any(|column| applies(spec, table, (row, column), None, state));
            if is_in && !is_covered {
                self.gaps.insert((idx, row));
            }
        }
    }
}
