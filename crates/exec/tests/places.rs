//! The places of a model that a wrong answer contradicts.

use trapline_budget::Budget;
use trapline_exec::log::{Log, judge};
use trapline_exec::tester::Tester;
use trapline_testkit::read;

/// The outputs and texts that a log contradicts, the last of its lines being wrong.
fn check(text: &str, log: &[&str], expected: &[(&str, &str)]) {
    let mut model = read(text, &[]).0;
    trapline_model::roles::guess(&mut model);
    trapline_model::roles::set(&mut model, "hidden", trapline_model::Role::Internal);
    let logs = Log::from_lines(&model, "log", &log.join("\n")).expect("it can be read");
    let budget = Budget::unlimited();
    let result = judge(&logs[0], &Tester::new(&model, &budget));
    let deviation = result.deviation.expect("it is wrong");
    assert_eq!(deviation.exchange, log.len() - 1, "{text}: {}", deviation.message);
    let found: Vec<(&str, &str)> = deviation
        .places
        .iter()
        .map(|it| (it.output.name(&model), &text[it.span.start as usize..it.span.end as usize]))
        .collect();
    assert_eq!(found, expected, "{text}");
}

const COUNTER: &str = "MODULE main VAR up : boolean; n : 0..3; ASSIGN init(n) := 0; \
     next(n) := case up & n < 3 : n + 1; up : case n = 3 : 0; TRUE : 1; esac; TRUE : n; esac;";

fn counted(up: bool, n: u8) -> String {
    format!(r#"{{"inputs": {{"up": {up}}}, "outputs": {{"n": {n}}}}}"#)
}

#[test]
fn the_branch_that_the_step_takes_is_the_place() {
    let check = |log: &[(bool, u8)], text| {
        let lines: Vec<String> = log.iter().map(|&(up, n)| counted(up, n)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        check(COUNTER, &lines, &[("n", text)]);
    };
    check(&[(true, 1)], "0");
    check(&[(true, 0), (true, 0)], "up & n < 3 : n + 1");
    check(&[(true, 0), (false, 1)], "TRUE : n");
    check(&[(true, 0), (true, 1), (true, 2), (true, 3), (true, 2)], "n = 3 : 0");
}

#[test]
fn possible_states_may_take_different_branches() {
    let text = "MODULE main VAR hidden : boolean; x : 0..2; y : boolean; ASSIGN init(x) := 0; \
         next(x) := hidden ? 1 : 2; next(y) := y; init(y) := FALSE;";
    check(
        text,
        &[r#"{"outputs": {"x": 0}}"#, r#"{"outputs": {"x": 0}}"#],
        &[("x", "2"), ("x", "hidden ? 1")],
    );
    // Only what is not as it should be has a place.
    let line = r#"{"outputs": {"x": 1, "y": true}}"#;
    check(text, &[r#"{"outputs": {"x": 0, "y": false}}"#, line], &[("y", "y")]);
}

#[test]
fn definitions_and_values_of_every_state_have_places() {
    let text = "MODULE main VAR a : boolean; x : 0..3; DEFINE d := case a : 1; TRUE : 2; esac; \
         ASSIGN x := a ? 3 : 0;";
    let line = |a: bool, x: u8, d: u8| {
        format!(r#"{{"inputs": {{"a": {a}}}, "outputs": {{"x": {x}, "d": {d}}}}}"#)
    };
    check(text, &[&line(true, 3, 1), &line(false, 0, 1)], &[("d", "TRUE : 2")]);
    check(text, &[&line(true, 0, 1)], &[("x", "a ? 3")]);
}

#[test]
fn constraints_are_places_where_no_assignment_decides() {
    let text = "MODULE main VAR x : 0..3; y : 0..3; INIT x = 0 & y = 0; TRANS next(x) = x + 1; TRANS next(y) = y;";
    let line = |x: u8| format!(r#"{{"outputs": {{"x": {x}, "y": 0}}}}"#);
    check(text, &[&line(2)], &[("x", "x = 0 & y = 0")]);
    check(text, &[&line(0), &line(0)], &[("x", "next(x) = x + 1")]);
    let text = "MODULE main VAR x : 0..3; ASSIGN init(x) := 0; next(x) := x = 0 ? {1, 2} : x; INVAR x != 2;";
    let places = [("x", "x = 0 ? {1, 2}"), ("x", "x != 2")];
    check(text, &[r#"{"outputs": {"x": 0}}"#, r#"{"outputs": {"x": 2}}"#], &places);
    check(text, &[r#"{"outputs": {"x": 0}}"#, r#"{"outputs": {"x": 3}}"#], &places[..1]);
}
