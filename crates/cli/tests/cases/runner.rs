//! The runner's own tests: what must make a case fail does.

use std::fs;
use std::path::{Path, PathBuf};

use crate::case::{self, Mode};
use crate::command::{self, Command, Run};
use crate::process::Outcome;
use crate::{Test, expectation, generated, manual, xml};

/// The tests of this file.
pub const TESTS: &[Test] = &[
    ("runner/a_broken_expectation_fails_with_a_diff", broken_expectation_fails),
    ("runner/a_missing_expectation_fails", missing_expectation_fails),
    ("runner/update_writes_what_compare_accepts", update_then_compare),
    ("runner/update_never_accepts_another_exit_code", update_keeps_exit),
    ("runner/a_case_needs_one_sentence", sentence_is_needed),
    ("runner/every_innermost_folder_is_a_case", innermost_folders_are_cases),
    ("runner/bugs_signals_and_bad_json_fail", bad_outcomes_fail),
    ("runner/commands_are_read_as_written", commands_are_read),
    ("runner/wrong_commands_are_refused", wrong_commands_are_refused),
    ("runner/differences_are_shown_with_context", differences_are_shown),
    ("runner/times_and_work_are_hidden", times_and_work_are_hidden),
    ("runner/recipes_make_bytes", recipes_make_bytes),
    ("runner/only_well_formed_xml_passes", only_xml_passes),
    ("runner/codes_are_found_in_sources", codes_are_found),
];

/// A case that prints the version to standard output, and its place.
fn write_case(name: &str, files: &[(&str, &str)]) -> Result<(PathBuf, PathBuf), String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runner").join(name);
    let case = folder.join("case");
    fs::create_dir_all(&case).map_err(|error| error.to_string())?;
    let _ = fs::remove_file(case.join("expected"));
    let usual = [("README.md", "It works.\n"), ("cmd", "trapline check m.smv --parse-only\n")];
    for (name, text) in usual.iter().chain([&("m.smv", "MODULE main\n")]).chain(files) {
        fs::write(case.join(name), text).map_err(|error| error.to_string())?;
    }
    Ok((case, folder.join("place")))
}

fn fails_with(result: Result<(), String>, parts: &[&str]) -> Result<(), String> {
    let why = result.err().ok_or("it passed")?;
    match parts.iter().find(|part| !why.contains(*part)) {
        Some(part) => Err(format!("expected `{part}` in: {why}")),
        None => Ok(()),
    }
}

fn holds(what: &str, holds: bool) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("does not hold: {what}")) }
}

fn broken_expectation_fails() -> Result<(), String> {
    let broken = "$ trapline check m.smv --parse-only\nexit 0\n--- stdout\nm.smv: broken\n";
    let (case, place) = write_case("broken", &[("expected", broken)])?;
    let parts = ["- m.smv: broken\n", "+ m.smv: ok", "  exit 0\n"];
    fails_with(case::check(&case, &place, Mode::Compare), &parts)
}

fn missing_expectation_fails() -> Result<(), String> {
    let (case, place) = write_case("missing", &[])?;
    fails_with(case::check(&case, &place, Mode::Compare), &["expected", "UPDATE=1"])
}

fn update_then_compare() -> Result<(), String> {
    let (case, place) = write_case("update", &[("expected", "old\n")])?;
    case::check(&case, &place, Mode::Update)?;
    case::check(&case, &place, Mode::Compare)
}

fn update_keeps_exit() -> Result<(), String> {
    let (case, place) =
        write_case("exit", &[("cmd", "trapline check m.smv --parse-only # exit 2")])?;
    fails_with(case::check(&case, &place, Mode::Update), &["ended with 0, and 2 is expected"])
}

fn sentence_is_needed() -> Result<(), String> {
    for text in ["", "\n", "One line.\nAnother.\n", "no full stop\n"] {
        let (case, place) = write_case("sentence", &[("README.md", text)])?;
        fails_with(case::check(&case, &place, Mode::Update), &["README.md"])?;
    }
    Ok(())
}

fn innermost_folders_are_cases() -> Result<(), String> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runner/nested");
    for folder in ["check/one", "lang/smv/arrays/two", "lang/smv/three"] {
        fs::create_dir_all(root.join(folder)).map_err(|error| error.to_string())?;
    }
    let found = case::cases_below(&root);
    let expected = ["check/one", "lang/smv/arrays/two", "lang/smv/three"];
    holds(&format!("{found:?}"), found == expected.map(|case| root.join(case)))
}

fn bad_outcomes_fail() -> Result<(), String> {
    let json = ["--format".to_string(), "json".to_string()].to_vec();
    let run = Run { args: json, ..Run::default() };
    let good = Outcome {
        exit: Some(0),
        stdout: r#"{"format": "trapline-check/1"}"#.into(),
        ..Outcome::default()
    };
    case::check_outcome(&run, &good)?;
    let check =
        |outcome: Outcome, part: &str| fails_with(case::check_outcome(&run, &outcome), &[part]);
    check(Outcome { exit: None, ..good.clone() }, "signal")?;
    check(Outcome { exit: Some(70), ..good.clone() }, "bug")?;
    check(Outcome { exit: Some(1), ..good.clone() }, "ended with 1")?;
    check(Outcome { stderr: "thread 'main' panicked at".into(), ..good.clone() }, "panicked")?;
    check(Outcome { stdout: "{".into(), ..good.clone() }, "not JSON")?;
    check(Outcome { stdout: "{}".into(), ..good.clone() }, "format")?;
    let bug = Run { exit: 70, ..run.clone() };
    fails_with(case::check_outcome(&bug, &Outcome { exit: Some(70), ..good.clone() }), &["bug"])?;
    let picture = Run { is_picture: true, ..Run::default() };
    fails_with(case::check_outcome(&picture, &good), &["not XML"])
}

fn commands_are_read() -> Result<(), String> {
    let text = "trapline simulate - --at '1:x = \"a\"' \"<\" < in.txt # exit 2 svg\n\nsame a b\n";
    let commands: Vec<Command> = command::parse(text)?.into_iter().map(|(_, c)| c).collect();
    let args = ["simulate", "-", "--at", "1:x = \"a\"", "<"].map(String::from).to_vec();
    let stdin = Some("in.txt".into());
    let run = Run { args, stdin, exit: 2, is_picture: true, ..Run::default() };
    let expected = [Command::Run(run), Command::Same("a".into(), "b".into())];
    holds(&format!("{commands:?} is as written"), commands == expected)
}

fn wrong_commands_are_refused() -> Result<(), String> {
    let wrong = ["", "ls", "same a", "trapline 'x", "trapline <", "trapline < a < b"];
    let more = ["trapline # exit", "trapline # exit x", "trapline # frob", "same a b # exit 0"];
    for text in wrong.iter().chain(&more) {
        fails_with(command::parse(text).map(drop), &["cmd: "])
            .map_err(|e| format!("{text}: {e}"))?;
    }
    Ok(())
}

fn differences_are_shown() -> Result<(), String> {
    expectation::compare("a\nb\n", "a\nb\n")?;
    fails_with(expectation::compare("a\n", "a"), &["- a\n", "+ a [no newline at the end]\n"])?;
    let diff = expectation::diff("1\n2\n3\n4\n5\n6\nx\ny\n7\n", "1\n2\n3\n4\n5\n6\ny\nz\n7\n");
    let expected = "  ...\n  4\n  5\n  6\n- x\n  y\n+ z\n  7\n";
    holds(&format!("{diff} is {expected}"), diff == expected)?;
    let (one, other) = ("a\n".repeat(10_000), "a\n".repeat(9_999) + "b\n");
    let (one, other) = (expectation::section("x", &one), expectation::section("x", &other));
    holds("long texts are shown short", one.len() < 200)?;
    holds("long texts that differ are shown differently", one != other)
}

fn times_and_work_are_hidden() -> Result<(), String> {
    let text = "1 true (2 states, 0.02 s)\nx s)\n3 s\n(12.34 s)\n";
    let expected = "1 true (2 states, [time])\nx s)\n3 s\n([time])\n";
    holds("times are hidden", expectation::without_times(text) == expected)?;
    let hidden = expectation::without_work("  \"work\": 123\n\"work\": x\n");
    holds("work is hidden", hidden == "  \"work\": [work]\n\"work\": x\n")
}

fn recipes_make_bytes() -> Result<(), String> {
    holds("escapes", generated::bytes("bytes", r"a\n\\\xff b")? == b"a\n\\\xff b")?;
    let nested = generated::bytes("nested-parens", "2")?;
    holds("parentheses", nested == b"MODULE main VAR b : boolean; INVAR ((b))\n")?;
    for (recipe, argument) in [("bytes", r"\q"), ("bytes", r"\x1"), ("frob", "1"), ("arrows", "x")]
    {
        holds(recipe, generated::bytes(recipe, argument).is_err())?;
    }
    Ok(())
}

fn only_xml_passes() -> Result<(), String> {
    xml::check("<?xml version=\"1.0\"?>\n<!-- < --><a b='1' c=\">\"><d/>x &amp; y</a>\n")?;
    let wrong = ["", "x", "<a>", "<a></b>", "<a/><b/>", "<a>&</a>", "<a b></a>", "<a b=1/>"];
    let more =
        ["<a b='1' b='2'/>", "<a", "<1/>", "<a b='<'/>", "<a>\u{1}</a>", "<a/>x", "<!-- <a/>"];
    for text in wrong.iter().chain(&more) {
        holds(text, xml::check(text).is_err())?;
    }
    Ok(())
}

fn codes_are_found() -> Result<(), String> {
    let text = "Diagnostic::error(\n  \"one-code\", x) FailureKind::A => (\"two\", y) \
                Diagnostic::warning(code, z) #[cfg(test)] Diagnostic::error(\"test\")";
    let codes: Vec<String> = manual::codes_of(text)?.into_iter().collect();
    holds(&format!("{codes:?}"), codes == ["one-code", "two"])?;
    holds("a hidden code", manual::codes_of("Diagnostic::error(code, x)").is_err())
}
