//! Names and values that mean something in some language do no harm in any.

use serde_json::{Value as Json, json};

use crate::build::{Language, Version, Workshop};

/// Each of them ends or begins something somewhere, or is a word of some language.
const NAMES: &[&str] = &[
    "class",
    "fn",
    "int",
    "def",
    "None",
    "true",
    "a.b",
    "a-b",
    "a b",
    "a$b",
    "a#b",
    "a\\b",
    "é",
    "è",
    "*/ x",
    "/* x",
    "\"\"\"",
    "'",
    "\\u000a x",
    "\n x",
    "// x",
    "x \\",
    "| x |",
    "{{ x }}",
    "{% x %}",
    "?",
    "??/",
    "\u{202e}x",
    "1",
    "_",
    "__x",
    "X",
    "rows",
    "state",
    "test",
    "run",
    "message",
    "-",
    "",
    " x ",
    "%s%n",
    "{}",
    "{0}",
    "${x}",
    "#{x}",
    "<x>&amp;",
    "]]>",
    "\0",
    "\u{1f980}",
];

/// Every name is an input, an internal variable's value, a test, and a goal; the output is `out`.
pub fn check(language: &Language) {
    let workshop = Workshop::new("names", language.format);
    let suite = suite();
    workshop.write("suite.json", &suite.to_string());
    workshop.trapline(&["render", "suite.json", "--format", language.format, "-o", language.tests]);
    // Every other test expects what the adapter never shows, so those fail and the rest pass.
    workshop.write(language.adapter, language.echo);
    let Some(outcome) = workshop.try_it(language, Version::Correct) else { return };
    assert!(!outcome.is_success, "a wrong output passes:\n{}", outcome.text);
    let n_failed = outcome.text.matches(", state 1: out: expected").count();
    assert!(n_failed >= NAMES.len(), "{n_failed} of {} are found:\n{}", NAMES.len(), outcome.text);
    assert!(!outcome.text.contains(", state 0: out: expected"), "{}", outcome.text);
}

fn suite() -> Json {
    let mut tests = Vec::new();
    for (idx, name) in NAMES.iter().enumerate() {
        let given = |value: Json| {
            let members = NAMES.iter().filter(|name| !name.starts_with('#') && !name.is_empty());
            members.map(|name| (name.to_string(), value.clone())).collect::<Vec<_>>()
        };
        let state = |given: Vec<(String, Json)>, out: &str| {
            let mut state: serde_json::Map<String, Json> = given.into_iter().collect();
            state.insert("out".into(), out.into());
            Json::Object(state)
        };
        let value = if idx % 2 == 0 { json!(name) } else { json!(idx) };
        let states = [state(given(json!(name)), "yes"), state(given(value), name)];
        tests.push(json!({ "name": name, "states": states, "loop": null,
            "nondeterministic": [[], []] }));
    }
    let goals = NAMES.iter().enumerate();
    let goals = goals.map(|(idx, name)| json!({ "id": name, "text": name, "tests": [idx] }));
    let inputs: Vec<&&str> = NAMES.iter().filter(|name| !name.is_empty()).collect();
    json!({ "format": "trapline-suite/1", "complete": true, "model": { "path": "\n*/ \"m\\u000a.smv" },
        "roles": { "input": inputs, "output": ["out"], "internal": [] },
        "goals": goals.collect::<Vec<_>>(), "tests": tests })
}
