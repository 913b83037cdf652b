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
    "given",
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
    "SIZE_MAX",
    "SEEK_SET",
    "BUFSIZ",
    "TMP_MAX",
    "INT_MAX",
    "EOF",
    "NULL",
    "P_tmpdir",
    "PRId64",
    "M_PI",
    "M.PI",
    "errno",
    "stdin",
    "unix",
    "linux",
    "complex",
    "si_pid",
    "st_mtime",
    "DISABLED_x",
    "x (2)",
    "x",
    "x # SKIP",
    "x\nok 2 - x",
    "\u{1b}[31m",
];

/// Every name is an input, a value, a test and a goal. The adapter shows the input `given`, so every value
/// goes to it and comes back; the last test expects something else.
pub fn check(language: &Language) {
    let workshop = Workshop::new("names", language.format);
    workshop.write("suite.json", &suite().to_string());
    workshop.trapline(&["render", "suite.json", "--format", language.format, "-o", language.tests]);
    workshop.write(language.adapter, language.echo);
    let Some(outcome) = workshop.try_it(language, Version::Correct) else { return };
    assert!(!outcome.is_success, "a wrong output passes:\n{}", outcome.text);
    assert!(outcome.text.contains("last, state 1: out: expected"), "{}", outcome.text);
    // Frameworks may tell of a failure several times, but of no other.
    let n_failed = outcome.text.matches(": out: expected").count();
    let n_right = outcome.text.matches("last, state 1: out: expected").count();
    assert_eq!(n_failed, n_right, "a value changes on its way:\n{}", outcome.text);
    assert!(!outcome.text.contains("DISABLED TEST"), "a test is not run:\n{}", outcome.text);
    if language.format == "c" {
        check_tap(&outcome.text);
    }
}

/// Every line is what it says, and there is one for each test.
fn check_tap(text: &str) {
    let mut n_tests = 0;
    for line in text.lines().skip(1).filter(|line| !line.starts_with("# ")) {
        n_tests += 1;
        let starts = [format!("ok {n_tests} - "), format!("not ok {n_tests} - ")];
        assert!(starts.iter().any(|start| line.starts_with(start)), "{line}\n{text}");
        assert!(!line.contains(" # "), "a name is a directive: {line}");
    }
    assert_eq!(text.lines().next(), Some(format!("1..{n_tests}").as_str()));
    assert_eq!(n_tests, NAMES.len() + 1, "{text}");
}

fn suite() -> Json {
    let state = |value: &Json, out: &Json| {
        let names = NAMES.iter().filter(|name| !name.starts_with('#') && !name.is_empty());
        let members = names.map(|name| (name.to_string(), value.clone()));
        Json::Object(members.chain([("out".to_string(), out.clone())]).collect())
    };
    let test = |name: &str, values: [&Json; 2], last: &Json| {
        let states = [state(values[0], values[0]), state(values[1], last)];
        json!({ "name": name, "states": states, "loop": null, "nondeterministic": [[], []] })
    };
    let named = NAMES.iter().enumerate().map(|(idx, name)| {
        let values = [&json!(name), &json!(idx)];
        test(name, values, values[1])
    });
    let (yes, no) = (json!("yes"), json!("no"));
    let tests: Vec<Json> = named.chain([test("last", [&yes, &yes], &no)]).collect();
    let goals = NAMES.iter().enumerate();
    let goals = goals.map(|(idx, name)| json!({ "id": name, "text": name, "tests": [idx] }));
    json!({ "format": "trapline-suite/1", "complete": true, "model": { "path": "\n*/ \"m\\u000a.smv" },
        "roles": { "input": NAMES, "output": ["out"], "internal": [] },
        "goals": goals.collect::<Vec<_>>(), "tests": tests })
}
