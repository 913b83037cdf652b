//! Human-readable traces: the first state in full, then what changes.
//!
//! What belongs to a step is shown with the state that the step leads to.

use trapline_engine::simulate::Choice;
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Role, Value, VarKind};
use trapline_suite::defines::Defines;

use crate::excerpt::one_line;
use crate::paint::{Paint, Style};

/// Longer names are not lined up.
const MAX_WIDTH: usize = 32;
/// How many values one line shows.
const MAX_ITEMS: usize = 12;

/// Writes traces of one model.
pub struct TraceText<'m> {
    model: &'m Model,
    defines: Defines,
    paint: Paint,
}

/// How much of each state is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The first state, then what changes.
    Changes,
    /// All of it.
    Full,
}

/// The headings of values, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Inputs,
    State,
    Defines,
    /// What belongs to a step and is no input.
    OfStep,
    /// Definitions that do.
    Step,
}

/// A name and what is known of its value.
#[derive(Clone, Debug)]
struct Item<'m> {
    group: Group,
    name: &'m str,
    value: Option<Value>,
    /// Does it belong to the step that leads to the state?
    is_of_step: bool,
}

impl<'m> TraceText<'m> {
    /// Prepares a model.
    pub fn new(model: &'m Model, paint: Paint) -> TraceText<'m> {
        TraceText { model, defines: Defines::new(model), paint }
    }

    /// A whole trace.
    pub fn trace(&self, trace: &Trace) -> String {
        self.annotated(trace, Detail::Changes, |_| String::new())
    }

    /// A whole trace, with something to say after each state.
    pub fn annotated(
        &self,
        trace: &Trace,
        detail: Detail,
        remark: impl Fn(usize) -> String,
    ) -> String {
        let mut text = String::new();
        let mut before = Vec::new();
        for state_idx in 0..trace.states.len() {
            let now = self.items(trace, state_idx);
            let shown_before = if detail == Detail::Full { &[][..] } else { &before };
            let mark = match trace.loop_start {
                Some(start) if start == state_idx => " -- loop starts here",
                _ => "",
            };
            let items = changes(shown_before, &now);
            text += &self.block(&format!("state {state_idx}{mark}"), &items);
            text += &remark(state_idx);
            before = now;
        }
        text + &self.way_back(trace, &before)
    }

    /// What changed with the last step; all of an initial state.
    pub fn last_change(&self, trace: &Trace) -> String {
        let Some(state_idx) = trace.states.len().checked_sub(1) else { return String::new() };
        let before = state_idx.checked_sub(1).map_or(Vec::new(), |idx| self.items(trace, idx));
        self.block(&format!("state {state_idx}"), &changes(&before, &self.items(trace, state_idx)))
    }

    /// All of the last state.
    pub fn last_state(&self, trace: &Trace) -> String {
        let Some(state_idx) = trace.states.len().checked_sub(1) else { return String::new() };
        self.block(&format!("state {state_idx}"), &changes(&[], &self.items(trace, state_idx)))
    }

    /// How a lasso is closed: the last step, without the state that it leads to.
    fn way_back(&self, trace: &Trace, before: &[Item<'m>]) -> String {
        let Some(start) = trace.loop_start else { return String::new() };
        let now = self.items(trace, trace.states.len());
        let mut changes = changes(before, &now);
        changes.retain(|item| item.is_of_step);
        let heading = format!("loops back to state {start}");
        match changes.as_slice() {
            [] => format!("{}\n", self.paint.paint(Style::Heading, &heading)),
            changes => self.block(&heading, changes),
        }
    }

    /// Choices, each as what it changes, or for initial states, as how they differ.
    pub fn choices(&self, choices: &[Choice]) -> Vec<String> {
        let line = |choice: &Choice| match &choice.from {
            Some(from) => self.line(from, &choice.state, |var_idx| {
                from.values[var_idx] != choice.state.values[var_idx]
            }),
            None => self.line(&State { values: Vec::new() }, &choice.state, |var_idx| {
                choices.iter().any(|c| c.state.values[var_idx] != choice.state.values[var_idx])
            }),
        };
        choices.iter().map(line).collect()
    }

    /// Inputs of the step and variables that are of interest, in one line.
    fn line(&self, from: &State, to: &State, is_shown: impl Fn(usize) -> bool) -> String {
        let mut items = Vec::new();
        for (var_idx, var) in self.model.vars.iter().enumerate() {
            let value = match var.kind {
                VarKind::Input => from.values.get(var_idx).copied().flatten(),
                VarKind::State | VarKind::Frozen => to.values[var_idx],
            };
            if let Some(value) = value.filter(|_| var.kind == VarKind::Input || is_shown(var_idx)) {
                let is_input = var.kind == VarKind::Input || var.role == Role::Input;
                items.push((!is_input, format!("{} = {}", var.name, self.model.show(value))));
            }
        }
        // Inputs come first; the sort keeps the order otherwise.
        items.sort_by_key(|(is_output, _)| *is_output);
        let n_more = items.len().saturating_sub(MAX_ITEMS);
        let shown = items.into_iter().take(MAX_ITEMS).map(|(_, text)| text);
        match (shown.collect::<Vec<_>>().join(", "), n_more) {
            (text, 0) if text.is_empty() => "no change".into(),
            (text, 0) => text,
            (text, _) => format!("{text}, and {n_more} more"),
        }
    }

    /// Everything that can be shown with a state, always in the same order. Behind the last
    /// state of a lasso comes the one where the loop starts.
    fn items(&self, trace: &Trace, state_idx: usize) -> Vec<Item<'m>> {
        let is_back = state_idx == trace.states.len();
        let here_idx = trace.loop_start.filter(|_| is_back).unwrap_or(state_idx);
        let state = &trace.states[here_idx];
        let step = state_idx.checked_sub(1).map(|before| &trace.states[before]);
        let mut items = Vec::new();
        for (var_idx, var) in self.model.vars.iter().enumerate() {
            let (group, value) = match (var.kind, var.role) {
                (VarKind::Input, role) => {
                    let group = if role == Role::Input { Group::Inputs } else { Group::OfStep };
                    (group, step.and_then(|s| s.values[var_idx]))
                }
                (_, Role::Input) => (Group::Inputs, state.values[var_idx]),
                _ => (Group::State, state.values[var_idx]),
            };
            let is_of_step = var.kind == VarKind::Input;
            items.push(Item { group, name: &var.name, value, is_of_step });
        }
        let here = self.defines.values(trace, here_idx);
        let of_step = state_idx.checked_sub(1).map(|before| self.defines.values(trace, before));
        for (define_idx, define) in self.model.defines.iter().enumerate() {
            let is_of_step = self.defines.is_step(define_idx);
            let (group, value) = match is_of_step {
                true => (Group::Step, of_step.as_ref().and_then(|values| values[define_idx])),
                false => (Group::Defines, here[define_idx]),
            };
            items.push(Item { group, name: &define.name, value, is_of_step });
        }
        items.sort_by_key(|item| item.group);
        items
    }

    fn block(&self, heading: &str, items: &[&Item<'m>]) -> String {
        let heading = self.paint.paint(Style::Heading, heading);
        if items.is_empty() {
            return format!("{heading} {}\n", self.paint.paint(Style::Dim, "(no change)"));
        }
        // A suite alone may call its variables anything.
        let names: Vec<String> = items.iter().map(|item| one_line(item.name)).collect();
        let lengths = names.iter().map(|name| name.chars().count());
        let width = lengths.filter(|length| *length <= MAX_WIDTH).max().unwrap_or(0);
        let mut text = format!("{heading}\n");
        let mut group = None;
        for (item, name) in items.iter().zip(names) {
            if group.replace(item.group) != Some(item.group) {
                text += &format!("  {}\n", self.paint.paint(Style::Group, item.group.title()));
            }
            let name = format!("{name:width$}");
            let name = match item.group {
                Group::Inputs => self.paint.paint(Style::Input, &name),
                Group::State | Group::OfStep => name,
                Group::Defines | Group::Step => self.paint.paint(Style::Dim, &name),
            };
            let value = item.value.map_or(String::new(), |value| self.model.show(value));
            text += &format!("    {name} = {}\n", one_line(&value));
        }
        text
    }
}

impl Group {
    fn title(self) -> &'static str {
        match self {
            Group::Inputs => "inputs:",
            Group::State => "state:",
            Group::Defines => "definitions:",
            Group::OfStep => "of the step:",
            Group::Step => "definitions of the step:",
        }
    }
}

/// What has a value now that it did not have before.
fn changes<'i, 'm>(before: &[Item<'m>], now: &'i [Item<'m>]) -> Vec<&'i Item<'m>> {
    let is_new = |(idx, item): &(usize, &Item<'m>)| {
        item.value.is_some() && before.get(*idx).and_then(|old| old.value) != item.value
    };
    now.iter().enumerate().filter(is_new).map(|(_, item)| item).collect()
}

/// A text as part of another.
pub fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
