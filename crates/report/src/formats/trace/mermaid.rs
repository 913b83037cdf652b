//! A trace as a picture: diagrams of Mermaid, which GitHub and others show.
//!
//! The sequence diagram shows the messages between tester and implementation, the state diagram the
//! outputs of the implementation and what leads to them. Both show changes only.

use trapline_model::Role;
use trapline_suite::steps::{Cell, ExecutableSuite, ExecutableTest, steps};

use super::{Titled, Traces};

/// Writes one trace as a sequence diagram.
pub fn sequence(traces: &Traces<'_>, titled: &Titled<'_>) -> String {
    let suite = one(traces, titled);
    let mut text = format!(
        "sequenceDiagram\n    title {}\n    participant T as tester\n    participant I as implementation\n",
        label(&titled.title)
    );
    let n_states = titled.trace.states.len();
    for test in &suite.tests {
        let given = |state: usize| {
            let verb = if state == 0 { "reset" } else { "step" };
            let given = differences(&suite, test, state, Role::Input, ", ");
            format!("    T->>I: {verb} {state}{}{given}\n", gap(&given))
        };
        for state in 0..n_states {
            let shown = differences(&suite, test, state, Role::Output, ", ");
            text += &given(state);
            text +=
                &format!("    I-->>T: {}\n", if shown.is_empty() { "the same" } else { &shown });
        }
        if let Some(start) = test.loop_start {
            text += &given(n_states);
            text += &format!("    Note over T,I: this is {start} again, and so on\n");
        }
    }
    text
}

/// Writes one trace as a state diagram.
pub fn states(traces: &Traces<'_>, titled: &Titled<'_>) -> String {
    let suite = one(traces, titled);
    let mut text = format!("---\ntitle: {}\n---\nstateDiagram-v2\n", yaml(&titled.title));
    let n_states = titled.trace.states.len();
    for test in &suite.tests {
        let end = |state: usize| {
            let given = differences(&suite, test, state, Role::Input, ", ");
            if given.is_empty() { "\n".into() } else { format!(": {given}\n") }
        };
        for state in 0..n_states {
            let shown = differences(&suite, test, state, Role::Output, "<br/>");
            let gap = if shown.is_empty() { "" } else { "<br/>" };
            text += &format!("    s{state}: {state}{gap}{shown}\n");
        }
        text += &format!("    [*] --> s0{}", end(0));
        for state in 1..n_states {
            text += &format!("    s{} --> s{state}{}", state - 1, end(state));
        }
        if let Some(start) = test.loop_start {
            text += &format!("    s{} --> s{start}{}", n_states - 1, end(n_states));
        }
    }
    text
}

/// A trace with the state in which its loop starts once more, for the step back.
fn one(traces: &Traces<'_>, titled: &Titled<'_>) -> ExecutableSuite {
    let Traces { path, model, is_complete, .. } = *traces;
    // Pictures show traces as they are, whatever else was possible.
    let list = vec![Titled { open: Vec::new(), ..titled.clone() }];
    steps(&Traces { path, model, is_complete, list, missed: Vec::new() }, 2)
}

fn gap(text: &str) -> &'static str {
    if text.is_empty() { "" } else { " " }
}

/// The values of a role that differ from those of the state before; in the first state all.
fn differences(
    suite: &ExecutableSuite,
    test: &ExecutableTest,
    state: usize,
    role: Role,
    between: &str,
) -> String {
    let before = |column: usize| state.checked_sub(1).map(|state| &test.rows[state][column]);
    let differs = |&column: &usize| {
        let now = &test.rows[state][column];
        now.is_some() && before(column) != Some(now)
    };
    let shown = |column: usize| {
        let value = test.rows[state][column].as_ref().map(Cell::show).unwrap_or_default();
        label(&format!("{} = {value}", suite.columns[column].name))
    };
    let columns = suite.of_role(role).into_iter().filter(differs);
    columns.map(shown).collect::<Vec<_>>().join(between)
}

/// A text in which nothing means anything to Mermaid: it has codes for characters.
fn label(text: &str) -> String {
    let mut label = String::new();
    for c in text.chars() {
        match c {
            c if c.is_alphanumeric() || matches!(c, ' ' | '_' | '.' | ',' | '=' | '-' | '+') => {
                label.push(c);
            }
            c if c.is_control() => label.push(' '),
            c => label += &format!("#{};", u32::from(c)),
        }
    }
    label
}

/// A text in the head of a diagram. A JSON string is one of YAML too.
fn yaml(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
