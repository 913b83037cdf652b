//! Traces as JSON: `trapline-trace/1`.

use serde_json::{Value as Json, json};
use trapline_suite::defines::Defines;
use trapline_suite::titled::Traces;
use trapline_suite::write::states::{state, value};

/// A `trapline-trace/1` document, a state a line.
pub fn write(traces: &Traces<'_>) -> String {
    let Traces { path, model, list, is_complete, .. } = traces;
    let defines = Defines::new(model);
    let path = json!(path);
    let mut text = format!(
        r#"{{"format": "trapline-trace/1", "model": {path}, "complete": {is_complete}, "traces": ["#
    );
    for (trace_idx, titled) in list.iter().enumerate() {
        text += if trace_idx == 0 { "\n" } else { ",\n" };
        text += r#"{"states": ["#;
        for state_idx in 0..titled.trace.states.len() {
            text += if state_idx == 0 { "\n " } else { ",\n " };
            let state = state(model, &defines, titled.trace, state_idx, value);
            text += &Json::Object(state).to_string();
        }
        text += &format!("],\n \"loop\": {}}}", json!(titled.trace.loop_start));
    }
    text += "]}\n";
    text
}

/// A document for programs that people can read too: indented, but a state is one line.
pub fn lines(document: &Json) -> String {
    let mut text = String::new();
    add_lines(&mut text, document, "\n");
    text.push('\n');
    text
}

/// Documents are a few levels deep, so this may recurse.
fn add_lines(text: &mut String, json: &Json, line_start: &str) {
    let inner = format!("{line_start}  ");
    match json {
        Json::Object(members) if !members.is_empty() => {
            for (idx, (name, member)) in members.iter().enumerate() {
                *text += if idx == 0 { "{" } else { "," };
                *text += &format!("{inner}{}: ", json!(name));
                match member.as_array() {
                    Some(states) if name == "states" => add_states(text, states, &inner),
                    _ => add_lines(text, member, &inner),
                }
            }
            *text += &format!("{line_start}}}");
        }
        Json::Array(items) if items.iter().any(|item| item.is_object()) => {
            for (idx, item) in items.iter().enumerate() {
                *text += if idx == 0 { "[" } else { "," };
                *text += &inner;
                add_lines(text, item, &inner);
            }
            *text += &format!("{line_start}]");
        }
        _ => *text += &json.to_string(),
    }
}

fn add_states(text: &mut String, states: &[Json], line_start: &str) {
    let lines: Vec<String> = states.iter().map(|state| format!("{line_start}  {state}")).collect();
    *text += &format!("[{}{line_start}]", lines.join(","));
}
