//! Tests as their executor sees them: what is given, and what must be observed.
//!
//! State 0 is reached by a reset with the inputs of state 0, each other state by a step with the
//! inputs of that state. In the trace an input that goes with the step is stored with the state before;
//! here it is with the state that the step leads to, so at a reset it has no value. A parameter that the
//! implementation shows is shown at the reset alone.
//!
//! A test that loops is infinite. It is executed as its stem and some iterations of its loop.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Role, SymbolId, Timing, Value, Var, VarKind, roles};

use crate::defines::Defines;
use crate::titled::{Covered, Titled, Traces};

/// Number of loop iterations executed.
pub const TURNS: usize = 3;

/// Tests, ready to be executed.
#[derive(Clone, Debug)]
pub struct ExecutableSuite {
    /// The path of the model.
    pub path: String,
    /// Was all the work done?
    pub is_complete: bool,
    /// What has values.
    pub columns: Vec<Column>,
    /// The tests.
    pub tests: Vec<ExecutableTest>,
    /// What whoever executes them should know, a line each.
    pub remarks: Vec<String>,
}

/// A variable or definition.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: Arc<str>,
    /// Its role.
    pub role: Role,
    /// What its values are.
    pub kind: Kind,
    /// Does it belong to steps, or is it sent with them, so that a reset has no value of it?
    pub is_step: bool,
    /// Is it a parameter that the implementation shows, so that only a reset has a value of it?
    pub is_reset: bool,
    /// Does every state that is judged have a value of it, of a parameter the first? What is not
    /// always there is not compared.
    pub is_whole: bool,
}

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Truth values.
    Bool,
    /// Integers of 64 bits.
    Int,
    /// Integers of which some need the 64th bit.
    Unsigned,
    /// Numbers.
    Real,
    /// Anything else.
    Text,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer that needs the 64th bit.
    Unsigned(u64),
    /// A number.
    Real(f64),
    /// A symbol.
    Text(Arc<str>),
}

/// A test.
#[derive(Clone, Debug)]
pub struct ExecutableTest {
    /// Its name.
    pub name: String,
    /// The goals that it covers.
    pub goals: Vec<Covered>,
    /// The state in which its loop starts.
    pub loop_start: Option<usize>,
    /// How many turns of the loop are in it.
    pub n_turns: usize,
    /// The values of each state, by column.
    pub rows: Vec<Vec<Option<Cell>>>,
    /// The state of the trace that each row is.
    pub states: Vec<usize>,
    /// The first state in which the model had another choice, and the variables that had it. What
    /// comes then may be otherwise in a correct implementation, so nothing is judged from there.
    pub stop: Option<(usize, Vec<String>)>,
}

impl Kind {
    /// Its name in templates.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::Int => "int",
            Kind::Unsigned => "unsigned",
            Kind::Real => "real",
            Kind::Text => "text",
        }
    }
}

impl Cell {
    /// A value of a model.
    pub fn new(model: &Model, value: Value) -> Cell {
        match value {
            Value::Bool(b) => Cell::Bool(b),
            Value::Int(i) => Cell::Int(i),
            Value::Word(word) => match i64::try_from(word.to_i128()) {
                Ok(number) => Cell::Int(number),
                Err(_) => Cell::Unsigned(word.bits),
            },
            Value::Real(real) => Cell::Real(real.num() as f64 / real.den() as f64),
            Value::Symbol(id) => Cell::Text(model.symbols.name(id).into()),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Cell::Bool(_) => Kind::Bool,
            Cell::Int(_) => Kind::Int,
            Cell::Unsigned(_) => Kind::Unsigned,
            Cell::Real(_) => Kind::Real,
            Cell::Text(_) => Kind::Text,
        }
    }

    /// The value as text.
    pub fn show(&self) -> String {
        match self {
            Cell::Bool(b) => b.to_string(),
            Cell::Int(i) => i.to_string(),
            Cell::Unsigned(u) => u.to_string(),
            Cell::Real(r) => format!("{r:?}"),
            Cell::Text(text) => text.to_string(),
        }
    }
}

impl ExecutableTest {
    /// How many states are judged, from the first one on.
    pub fn n_judged(&self) -> usize {
        self.stop.as_ref().map_or(self.rows.len(), |(state, _)| *state)
    }

    /// What is judged, as a trace: in its last state nothing has a value that is sent with a step.
    pub fn executed(&self, model: &Model, trace: &Trace) -> Trace {
        let states = self.states[..self.n_judged()].iter();
        let mut states: Vec<State> = states.map(|&idx| trace.states[idx].clone()).collect();
        if let Some(last) = states.last_mut() {
            last.drop_inputs(model);
            let vars = model.vars.iter().zip(roles::timings(model)).zip(&mut last.values);
            for (_, value) in vars.filter(|((var, timing), _)| is_sent_with_step(var, *timing)) {
                *value = None;
            }
        }
        Trace { states, loop_start: None }
    }
}

impl ExecutableSuite {
    /// The columns of a role, by their indices.
    pub fn of_role(&self, role: Role) -> Vec<usize> {
        (0..self.columns.len()).filter(|&idx| self.columns[idx].role == role).collect()
    }

    /// What is compared: outputs that are whole.
    pub fn checked(&self) -> Vec<usize> {
        let is_whole = |idx: &usize| self.columns[*idx].is_whole;
        self.of_role(Role::Output).into_iter().filter(is_whole).collect()
    }
}

/// The tests as they are executed, with this many iterations of each loop.
pub fn steps(traces: &Traces<'_>, n_turns: usize) -> ExecutableSuite {
    let model = traces.model;
    let defines = Defines::new(model);
    let mut columns = columns(model, &defines);
    let mut names = FxHashMap::default();
    let mut tests: Vec<ExecutableTest> = traces
        .list
        .iter()
        .map(|titled| test(model, &defines, &columns, &mut names, (titled, n_turns)))
        .collect();
    name_apart(&mut tests);
    let mut kinds: Vec<Option<Kind>> = vec![None; columns.len()];
    for test in &tests {
        for (state_idx, row) in test.rows.iter().enumerate() {
            for (idx, cell) in row.iter().enumerate() {
                match cell {
                    Some(cell) => kinds[idx] = Some(join(kinds[idx], cell.kind())),
                    None => {
                        let is_due = state_idx == 0 || !columns[idx].is_reset;
                        columns[idx].is_whole &= !is_due || state_idx >= test.n_judged();
                    }
                }
            }
        }
    }
    for (column, kind) in columns.iter_mut().zip(kinds) {
        column.kind = kind.unwrap_or(Kind::Text);
    }
    ExecutableSuite {
        path: traces.path.into(),
        is_complete: traces.is_complete,
        columns,
        tests,
        remarks: Vec::new(),
    }
}

/// Gives tests of one name numbers.
fn name_apart(tests: &mut [ExecutableTest]) {
    // A name with a number may be that of another test too, wherever it comes.
    let mut taken: FxHashSet<String> = tests.iter().map(|test| test.name.clone()).collect();
    let mut n_same: FxHashMap<String, usize> = FxHashMap::default();
    for test in tests {
        let n_same = n_same.entry(test.name.clone()).or_insert(0);
        *n_same += 1;
        if *n_same > 1 {
            let mut name = format!("{} ({n_same})", test.name);
            while !taken.insert(name.clone()) {
                *n_same += 1;
                name = format!("{} ({n_same})", test.name);
            }
            test.name = name;
        }
    }
}

fn columns(model: &Model, defines: &Defines) -> Vec<Column> {
    let column = |name: &str, role, is_step| Column {
        name: name.into(),
        role,
        kind: Kind::Text,
        is_step,
        is_reset: false,
        is_whole: true,
    };
    let vars = model.vars.iter().zip(roles::timings(model));
    let vars = vars.map(|(it, timing)| {
        let is_step = it.kind == VarKind::Input || is_sent_with_step(it, timing);
        let is_reset = it.kind == VarKind::Frozen && it.role == Role::Output;
        Column { is_reset, ..column(&it.name, it.role, is_step) }
    });
    let of_defines = model.defines.iter().enumerate();
    let of_defines = of_defines.map(|(idx, it)| column(&it.name, it.role, defines.is_step(idx)));
    vars.chain(of_defines).collect()
}

/// Is a variable an input whose value in a state leads to the next?
fn is_sent_with_step(var: &Var, timing: Timing) -> bool {
    var.role == Role::Input && timing == Timing::Step
}

fn test(
    model: &Model,
    defines: &Defines,
    columns: &[Column],
    names: &mut FxHashMap<SymbolId, Arc<str>>,
    (titled, n_turns): (&Titled<'_>, usize),
) -> ExecutableTest {
    let trace = titled.trace;
    let n_states = trace.states.len();
    // A suite that declares choices, but not those of the state after the last one, leaves open
    // what to expect there.
    let is_clear = titled.open.is_empty() || titled.open.len() > n_states;
    let n_turns = if is_clear && trace.loop_start.is_some() { n_turns } else { 1 };
    let body = trace.loop_start.map_or(n_states..n_states, |start| start..n_states);
    let order = (0..n_states).chain((1..n_turns).flat_map(|_| body.clone()));
    let mut before: Vec<Option<Value>> = vec![None; columns.len()];
    let (mut rows, mut states) = (Vec::with_capacity(n_states), Vec::with_capacity(n_states));
    let mut stop = None;
    for idx in order {
        let is_back = rows.len() >= n_states && Some(idx) == trace.loop_start;
        let open = titled.open.get(if is_back { n_states } else { idx });
        if let Some(open) = open.filter(|open| stop.is_none() && !open.is_empty()) {
            stop = Some((rows.len(), open.clone()));
        }
        let mut now = trace.states[idx].values.clone();
        now.extend(defines.values(trace, idx));
        let values = columns.iter().zip(now.iter().zip(&before));
        let values = values.map(|(column, (now, before))| match column {
            Column { is_step: true, .. } => *before,
            Column { is_reset: true, .. } if !rows.is_empty() => None,
            _ => *now,
        });
        let cells = values.map(|value| value.map(|value| cell(model, names, value)));
        rows.push(cells.collect::<Vec<_>>());
        states.push(idx);
        before = now;
    }
    ExecutableTest {
        name: titled.title.clone(),
        goals: titled.goals.clone(),
        loop_start: trace.loop_start,
        n_turns,
        rows,
        states,
        stop,
    }
}

/// A value; symbols share their texts.
fn cell(model: &Model, names: &mut FxHashMap<SymbolId, Arc<str>>, value: Value) -> Cell {
    match value {
        Value::Symbol(id) => {
            let name = names.entry(id).or_insert_with(|| model.symbols.name(id).into());
            Cell::Text(name.clone())
        }
        value => Cell::new(model, value),
    }
}

/// The kind that holds the values of both.
fn join(kind: Option<Kind>, other: Kind) -> Kind {
    let is_number = |kind| matches!(kind, Kind::Int | Kind::Unsigned | Kind::Real);
    match kind {
        None => other,
        Some(kind) if kind == other => kind,
        Some(Kind::Int | Kind::Unsigned) if matches!(other, Kind::Int | Kind::Unsigned) => {
            Kind::Unsigned
        }
        Some(kind) if is_number(kind) && is_number(other) => Kind::Real,
        Some(_) => Kind::Text,
    }
}
