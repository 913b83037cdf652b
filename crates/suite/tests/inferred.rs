//! What a suite says of itself is read without its model.

use fastrand::Rng;
use trapline_lang::smv::Smv;
use trapline_model::{Domain, Model, Role, Value, VarKind};
use trapline_suite::inferred::{Inferred, infer};

const SUITE: &str = r#"{"format": "trapline-suite/1", "complete": true,
 "model": {"path": "m.smv", "sha256": "abc", "language": "smv", "main": "main"},
 "roles": {"input": ["go", "set"], "internal": ["q[2]", "q[3]", "m[0][1]", "m[1][1]"],
           "output": ["lamp", "level", "time", "w", "sum", "odd"]},
 "goals": [{"id": "g", "text": "a goal", "verdict": "covered", "tests": [0]}],
 "tests": [
  {"name": "short", "states": [
    {"set": 1, "lamp": "off", "level": 3, "time": 0, "w": "0ud8_3", "q": [1, 2], "m": [[1], [2]],
     "sum": -4, "odd": true}], "loop": null, "nondeterministic": [["lamp"]]},
  {"name": "long", "states": [
    {"set": 2, "go": true, "lamp": "off", "level": 1, "time": "f'3/2", "w": "0ud8_7", "q": [1, 5],
     "m": [[1], [2]], "sum": 9, "odd": 4},
    {"lamp": "a b", "level": 2, "time": 2, "w": "0ud8_3", "q": [1, 2], "m": [[1], [2]], "sum": 0,
     "odd": "x"}], "loop": null, "covers": ["g"], "nondeterministic": [[], []]}]}"#;

/// What texts are damaged with.
const NOISE: &[u8] = b"0[]{},:\"-x";

fn inferred(text: &str) -> Inferred {
    infer(text, &|_| &Smv).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn message(text: &str) -> String {
    infer(text, &|_| &Smv).expect_err("something is wrong")[0].to_string()
}

fn lines(model: &Model) -> Vec<String> {
    let line = |var: &trapline_model::Var| {
        let domain = model.syntax.domain(model, &var.domain);
        format!("{:?} {:?} {}: {domain}", var.kind, var.role, var.name)
    };
    model.vars.iter().map(line).collect()
}

#[test]
fn variables_have_the_least_domains_and_their_roles() {
    let inferred = inferred(SUITE);
    assert_eq!(
        lines(&inferred.model),
        [
            "State Input set: 1..2",
            "Input Input go: boolean",
            "State Output lamp: {off, a b}",
            "State Output level: 1..3",
            "State Output time: real",
            "State Output w: unsigned word[8]",
            "State Internal q[2]: 1..5",
            "State Internal q[3]: 1..5",
            "State Internal m[0][1]: 1..2",
            "State Internal m[1][1]: 1..2",
            "State Output sum: -4..9",
            "State Output odd: {TRUE, 4, x}",
        ]
    );
    let dims: Vec<_> = inferred.model.arrays.iter().map(|array| array.dims.clone()).collect();
    assert_eq!(dims, [vec![(2, 3)], vec![(0, 1), (1, 1)]]);
}

#[test]
fn tests_keep_names_goals_choices_and_inputs() {
    let inferred = inferred(SUITE);
    assert_eq!(inferred.path.as_deref(), Some("m.smv"));
    assert!(inferred.has_roles);
    let names: Vec<&str> = inferred.document.drafts.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["short", "long"]);
    assert_eq!(inferred.document.goals[0].text.as_deref(), Some("a goal"));
    assert_eq!(inferred.document.drafts[0].open, [["lamp"]]);
    let traces = inferred.traces();
    // An input that is not given keeps its value; one of a step has none where no step follows.
    assert_eq!(traces[1].states[1].values[0], Some(Value::Int(2)));
    assert_eq!(traces[1].states[0].values[1], Some(Value::Bool(true)));
    assert_eq!(traces[1].states[1].values[1], None);
}

#[test]
fn without_roles_what_belongs_to_steps_is_an_input() {
    let text = r#"{"format": "trapline-trace/1", "model": "a.smv", "traces": [
        {"states": [{"i": 1, "a": {"x": 1}}, {"a": {"x": 2}}], "loop": null}]}"#;
    let inferred = inferred(text);
    assert_eq!(lines(&inferred.model), ["Input Input i: 1..1", "State Output a.x: 1..2"]);
    assert_eq!(inferred.path.as_deref(), Some("a.smv"));
    assert!(!inferred.has_roles);
}

#[test]
fn a_lasso_has_its_inputs_to_the_end() {
    let text = r#"{"traces": [{"states": [{"i": 1}, {"i": 2}], "loop": 0}]}"#;
    let model = inferred(text).model;
    assert_eq!((model.vars[0].kind, model.vars[0].role), (VarKind::State, Role::Output));
    assert_eq!(model.vars[0].domain, Domain::Range(1, 2));
}

#[test]
fn the_informal_trace_format_says_enough() {
    let text = r##"{"#meta": {"format": "ITF"}, "vars": ["x"], "states": [
        {"#meta": {"index": 0}, "x": {"#bigint": "7"}, "t": {"#tup": [1, 2]}}]}"##;
    let inferred = inferred(text);
    assert_eq!(lines(&inferred.model)[0], "State Output x: 7..7");
    assert_eq!(inferred.traces()[0].states[0].values[2], Some(Value::Int(2)));
}

#[test]
fn other_texts_are_refused() {
    assert!(message("a,b\n1,2\n").contains("this is no suite"));
    assert!(message("{").contains("line 1"));
    assert!(message("{}").contains("states"));
    assert!(message(r#"{"tests": [{"states": [{"a": 1}, {"a": [1]}]}]}"#).contains("shapes"));
    assert!(message(r#"{"tests": [{"states": [{"a": [[1, 2], [3]]}]}]}"#).contains("items"));
    assert!(message(r#"{"tests": [{"states": []}]}"#).contains("no states"));
    // A few bytes that would be a table of a million times a million.
    let names: Vec<String> = (0..2_000).map(|idx| format!("\"v{idx}\": 1")).collect();
    let text = format!("{{\"tests\": [{{\"states\": [{{{}}}", names.join(", "));
    let text = text + &", {}".repeat(2_000) + "]}]}";
    assert!(message(&text).contains("too many states"));
}

#[test]
fn damaged_suites_are_read_or_refused() {
    let mut rng = Rng::with_seed(7);
    for _ in 0..3_000 {
        let mut text: Vec<char> = SUITE.chars().collect();
        for _ in 0..rng.usize(1..5) {
            let at = rng.usize(..text.len());
            match rng.u8(..3) {
                0 => text[at] = rng.choice(NOISE).copied().unwrap_or(b'0').into(),
                1 => drop(text.remove(at)),
                _ => text.insert(at, rng.choice(NOISE).copied().unwrap_or(b'0').into()),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(inferred) = infer(&text, &|_| &Smv) {
            for (draft, trace) in inferred.document.drafts.iter().zip(inferred.traces()) {
                assert_eq!(draft.states.len(), trace.states.len());
            }
        }
    }
}

#[test]
fn a_suite_whose_tests_all_loop_says_what_belongs_to_steps() {
    let text = |steps: &str| {
        format!(
            r#"{{"tests": [{{"states": [{{"go": true, "set": [1, 2], "x": 0}}], "loop": 0}}],
            "roles": {{"input": ["go", "set[1]", "set[2]"], "output": ["x"]}}{steps}}}"#
        )
    };
    let said = inferred(&text(r#", "steps": ["go", "set[1]", "set[2]"]"#));
    let kinds: Vec<VarKind> = said.model.vars.iter().map(|var| var.kind).collect();
    assert_eq!(kinds, [VarKind::Input, VarKind::Input, VarKind::Input, VarKind::State]);
    assert!(!said.has_unclear_steps);
    let silent = inferred(&text(""));
    assert!(silent.model.vars.iter().all(|var| var.kind == VarKind::State));
    assert!(silent.has_unclear_steps);
}
