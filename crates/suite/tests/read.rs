//! Suites are read from every format, and whatever is no suite is an error.

use fastrand::Rng;
use trapline_engine::Budget;
use trapline_lang::smv::Smv;
use trapline_model::trace::Trace;
use trapline_model::{Model, Value, roles};
use trapline_suite::complete::{Completer, Limits};
use trapline_suite::read::{
    Document, Draft, FORMATS, Keeps, Location, MAX_ERRORS, ReadError, Wrong, find, read, recognise,
};

const NUSMV: &str = include_str!("read/nusmv.xml");

const SUITE: &str = r#"{"format": "trapline-suite/1", "complete": false,
 "model": {"path": "m.smv", "sha256": "abc", "language": "smv", "main": "main"},
 "goals": [{"id": "g1", "criterion": "c", "verdict": "covered", "tests": [1], "reason": null},
           {"id": "g2", "verdict": "infeasible", "tests": [], "reason": "never"}],
 "tests": [
  {"name": "one", "states": [
    {"go": true, "f": 1, "x": 0, "s": "idle", "w": "0ud8_3", "sw": "0sd4_7", "a": [false, true],
     "b": [[0, 0], [1, 2]], "sub.q": false, "d": false, "e": true, "g": false, "arr": [0, 2]},
    {"f": 1, "x": 1, "s": "idle", "w": "0ud8_3", "sw": "0sd4_7", "a": [false, true],
     "b": [[1, 0], [1, 2]], "sub.q": true, "g": false, "arr": [1, 2]}],
   "loop": null, "covers": [], "nondeterministic": [[], []]},
  {"name": "tree", "states": [{"f": 0, "go": 1}, {"go": "FALSE"}, {}], "loop": null,
   "branches": [{"at": 1, "states": [{"x": "1", "go": 0}, {"x": 1}],
                 "branches": [{"at": 2, "states": [{"sub": {"q": true}}]}]}]}]}"#;

const ITF: &str = r##"{"#meta": {"format": "ITF"}, "params": [], "vars": ["x"], "states": [
  {"#meta": {"index": 0}, "f": {"#bigint": "1"}, "go": true, "x": 0, "w": {"#bigint": "3"},
   "sw": 7, "a": {"#tup": [false, true]}, "b": {"#map": [[1, [0, 0]], [{"#bigint": "2"}, [1, 2]]]}},
  {"#meta": {"index": 1}, "x": {"#bigint": "1"}, "a": {"#map": [[1, true]]}}, {}, {}, {}], "loop": 1}"##;

const CSV: &str = "f,go,x,\"s\",w,sub.q,g\n0,TRUE,0,idle,0ud8_3,FALSE,\n0,,1,\"idle\",3,1,FALSE\n\n\
    f,go\n1,0\n1,\n";

const STEPS: &str = "-- the first paper's form\nTEST goes up\nf = 0; go = TRUE; STEP;\n\
    x = 1; b[1][0] = 1; sub.q = TRUE; STEP; # that is all\n\n\
    // another\nf := 1; go = FALSE; STEP\nSTEP; LOOP 0\n";

const VCD: &str = "$date today $end $timescale 1ps $end\n$scope module TOP $end\n\
    $var wire 1 # clk $end $var wire 1 ! go $end $var integer 32 \" f $end\n\
    $var wire 2 % x [1:0] $end $var string 1 & s $end $var reg 8 ' w[7:0] $end\n\
    $scope module sub $end $var wire 1 ( \\q $end $upscope $end $upscope $end\n\
    $enddefinitions $end\n#0\n$dumpvars 0# 1! b1 \" b00 % sidle & b11 ' 0( $end\n\
    #5 1#\n$comment half $end\nb01 %\n1(\nx!\n#10\n";

const SAMPLES: &[(&str, &str)] = &[
    ("json", SUITE),
    ("itf", ITF),
    ("csv", CSV),
    ("steps", STEPS),
    ("nusmv-xml", NUSMV),
    ("vcd", VCD),
];

fn sample_model() -> Model {
    let mut model = trapline_testkit::read(include_str!("read/model.smv"), &[]).0;
    roles::guess(&mut model);
    model
}

fn document(model: &Model, format: &str, text: &str) -> Document {
    read(model, find(format).expect("a format"), text)
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn errors(format: &str, text: &str) -> Vec<ReadError> {
    read(&sample_model(), find(format).expect("a format"), text).expect_err("something is wrong")
}

#[track_caller]
fn check_errors(format: &str, text: &str, messages: &[&str]) {
    let found: Vec<String> = errors(format, text).iter().map(ReadError::to_string).collect();
    assert_eq!(found, messages);
}

fn traces(model: &Model, document: &Document) -> Vec<Trace> {
    let completer = Completer::new(model);
    let complete = |draft: &Draft| {
        let trace = completer.complete(draft, &Limits::default(), &Budget::unlimited());
        trace.unwrap_or_else(|e| panic!("{}: {}: {}", draft.name, e.state(), e.message(model)))
    };
    document.drafts.iter().map(complete).collect()
}

fn column(model: &Model, trace: &Trace, name: &str) -> Vec<Option<Value>> {
    let var = model.find_var(name).expect("a variable");
    trace.states.iter().map(|state| state.get(var)).collect()
}

fn ints(values: &[i64]) -> Vec<Option<Value>> {
    values.iter().map(|&i| Some(Value::Int(i))).collect()
}

fn names(document: &Document) -> Vec<&str> {
    document.drafts.iter().map(|draft| draft.name.as_str()).collect()
}

#[test]
fn samples_are_recognised() {
    for (format, text) in SAMPLES {
        assert_eq!(recognise("-", text).map(|f| f.name), Some(*format));
        for ending in find(format).unwrap().endings {
            let path = format!("DIR/Suite{}", ending.to_uppercase());
            assert_eq!(recognise(&path, text).map(|f| f.name), Some(*format));
        }
    }
    assert_eq!(recognise("t.json", ITF).map(|f| f.name), Some("itf"));
    assert_eq!(recognise("t.txt", STEPS).map(|f| f.name), Some("steps"));
    assert_eq!(recognise("t.xml", "").map(|f| f.name), Some("nusmv-xml"));
    assert!(recognise("", "").is_none());
}

#[test]
fn suites_have_goals_and_branches() {
    let model = sample_model();
    let document = document(&model, "json", SUITE);
    assert_eq!(names(&document), ["one", "tree", "tree/1", "tree/1/1"]);
    assert_eq!(document.model_sha256.as_deref(), Some("abc"));
    assert_eq!(document.is_complete, Some(false));
    assert_eq!(document.goals[0].tests, [1, 2, 3], "all drafts of the second test");
    assert_eq!(document.goals[1].reason.as_deref(), Some("never"));
    assert_eq!(document.drafts[0].states[0].defines.len(), 5);
    let lengths: Vec<_> = document.drafts.iter().map(|draft| draft.states.len()).collect();
    assert_eq!(lengths, [2, 3, 3, 3]);
    let traces = traces(&model, &document);
    assert_eq!(column(&model, &traces[1], "x"), ints(&[0, 1, 1]));
    assert_eq!(column(&model, &traces[2], "b[1][0]"), ints(&[0, 1, 1]));
}

#[test]
fn traces_are_read_as_suites() {
    let model = sample_model();
    let text = r#"{"format": "trapline-trace/1", "model": "m.smv", "complete": true, "traces": [
        {"states": [{"f": 0, "go": false}, {}], "loop": 1}, {"states": [{"f": 1, "go": null}]}]}"#;
    let document = document(&model, "json", text);
    assert_eq!(names(&document), ["t1", "t2"]);
    assert_eq!(document.model_sha256, None);
    assert_eq!(traces(&model, &document)[0].loop_start, Some(1));
}

#[test]
fn itf_has_big_numbers_maps_and_loops() {
    let model = sample_model();
    let document = document(&model, "itf", ITF);
    let trace = &traces(&model, &document)[0];
    assert_eq!(trace.loop_start, Some(1));
    assert_eq!(column(&model, trace, "x"), ints(&[0, 1, 2, 3, 0]));
    let given = &document.drafts[0].states[1];
    let a = model.find_var("a[0]").unwrap().0 as usize;
    assert_eq!(given.vars[a..a + 2], [None, Some(Value::Bool(true))]);
}

#[test]
fn nusmv_traces_are_paths_of_the_model() {
    let model = sample_model();
    let document = document(&model, "nusmv-xml", NUSMV);
    assert_eq!(names(&document), ["t1", "t2", "t3"]);
    let traces = traces(&model, &document);
    let loops: Vec<_> = traces.iter().map(|t| (t.states.len(), t.loop_start)).collect();
    assert_eq!(loops, [(9, Some(5)), (7, Some(3)), (3, None)]);
    assert_eq!(column(&model, &traces[2], "x"), ints(&[0, 1, 2]));
    let go = column(&model, &traces[2], "go");
    assert_eq!(go, [Some(Value::Bool(true)), Some(Value::Bool(true)), None]);
    // What NuSMV prints before does not matter.
    let noisy = format!("*** This is NuSMV\n-- specification G x < 3  is false\n{NUSMV}");
    assert_eq!(read(&model, find("nusmv-xml").unwrap(), &noisy), Ok(document));
}

#[test]
fn csv_has_missing_values_and_new_headers() {
    let model = sample_model();
    let document = document(&model, "csv", CSV);
    assert_eq!(names(&document), ["t1", "t2"]);
    let found = traces(&model, &document);
    assert_eq!(column(&model, &found[0], "x"), ints(&[0, 1]));
    assert_eq!(column(&model, &found[1], "f"), ints(&[1, 1]));
    let one_column = read(&model, find("csv").unwrap(), "go\n1\n\"\"\n\n0\n");
    assert_eq!(
        one_column.unwrap().drafts.iter().map(|d| d.states.len()).collect::<Vec<_>>(),
        [2, 1]
    );
    let spreadsheet = CSV.replace(',', ";").replace('\n', "\r\n");
    assert_eq!(read(&model, find("csv").unwrap(), &spreadsheet), Ok(document));
}

#[test]
fn steps_keep_and_loop() {
    let model = sample_model();
    let document = document(&model, "steps", STEPS);
    assert_eq!(names(&document), ["goes up", "t2"]);
    assert_eq!(document.drafts[0].keeps, Keeps::Everything);
    let traces = traces(&model, &document);
    assert_eq!(column(&model, &traces[0], "x"), ints(&[0, 1]));
    assert_eq!(traces[1].loop_start, Some(0));
}

#[test]
fn values_are_read_as_the_domain_wants_them() {
    let model = trapline_testkit::read(
        "MODULE main VAR b : boolean; n : -3..3; s : {a, 2, TRUE1}; u : unsigned word[8];
           v : signed word[4]; r : real; i : integer;",
        &[],
    );
    let model = model.0;
    let value = |name: &str, text: &str| {
        let text = format!("{name} = {text}; STEP");
        let document = read(&model, find("steps").unwrap(), &text).ok()?;
        let value = document.drafts[0].states[0].vars[model.find_var(name).unwrap().0 as usize];
        value.map(|value| model.show(value))
    };
    let good = [
        ("b", "1", "TRUE"),
        ("b", "false", "FALSE"),
        ("n", "-3", "-3"),
        ("n", "2.0", "2"),
        ("s", "a", "a"),
        ("s", "2", "2"),
        ("u", "255", "0ud8_255"),
        ("u", "0ud8_12", "0ud8_12"),
        ("u", "0h_ff", "0ud8_255"),
        ("u", "0b8_1_01", "0ud8_5"),
        ("v", "-8", "-0sd4_8"),
        ("v", "-0sd4_8", "-0sd4_8"),
        ("v", "0sd4_8", "-0sd4_8"),
        ("v", "0sb4_1111", "-0sd4_1"),
        ("r", "1/3", "f'1/3"),
        ("r", "f'-1/3", "f'-1/3"),
        ("r", "-f'2/6", "f'-1/3"),
        ("r", "-0.250", "f'-1/4"),
        ("r", "7", "f'7/1"),
        ("i", "9223372036854775807", "9223372036854775807"),
    ];
    for (name, text, expected) in good {
        assert_eq!(value(name, text).as_deref(), Some(expected), "{name} = {text}");
    }
    let bad = [
        ("b", "2"),
        ("n", "4"),
        ("n", "2.5"),
        ("s", "3"),
        ("s", "b"),
        ("s", "TRUE"),
        ("u", "256"),
        ("u", "-1"),
        ("u", "0ud7_1"),
        ("u", "0sd8_1"),
        ("u", "0ud8_256"),
        ("u", "0b_1"),
        ("v", "8"),
        ("v", "0sd4_9"),
        ("r", "1/0"),
        ("r", "1/-3"),
        ("r", "x"),
        ("r", "."),
        ("i", ""),
        ("u", "0é8_1"),
        ("i", "9223372036854775808"),
        ("u", "0d_"),
        ("r", "0.0000000000000000000000001"),
    ];
    for (name, text) in bad {
        assert_eq!(value(name, text), None, "{name} = {text}");
    }
}

#[test]
fn all_that_is_wrong_is_reported() {
    check_errors(
        "steps",
        "go = 1; f = 2; STEP\ny = 3; go = maybe; STEP\ny = 4; x = 1; x = 2; JUMP; STEP; g = 7; STEP\nf=0",
        &[
            "line 1, column 9: test `t1`, state 0: `2` is no value of `f`, which is 0..1",
            "line 2, column 1: test `t1`, state 1: the model has no variable or definition `y`",
            "line 2, column 8: test `t1`, state 1: `maybe` is no value of `go`, which is boolean",
            "line 3, column 15: test `t1`, state 2: `x` has two values",
            "line 3, column 22: test `t1`, state 2: `JUMP` is none of `name = value`, `STEP`, `LOOP n`",
            "line 3, column 34: test `t1`, state 3: `7` is no value of `g`, which is boolean",
            "line 4, column 1: test `t1`: no `STEP` ends this state",
        ],
    );
    check_errors(
        "csv",
        "x,nope,x,a\n0,1\n\"5\n\",,,,7\n\n",
        &[
            "line 1, column 3: the model has no variable or definition `nope`",
            "line 1, column 8: `x` has two columns",
            "line 1, column 10: `a` is an array: a column is one element",
            "line 3, column 1: test `t1`, state 1: `5\n` is no value of `x`, which is 0..3",
            "line 4, column 7: test `t1`, state 1: the header has no name for this cell",
        ],
    );
    check_errors(
        "itf",
        r##"{"states": [{"x": {"#set": [1]}, "a": {"#set": []}, "b": {"#map": [[3, [0, 0]]]}},
            {"a": [true], "x": {"#bigint": "9"}, "s": {"#unserializable": "?"}, "z": null}, 3], "loop": 3}"##,
        &[
            "test `t1`, state 0: `{\"#set\":[1]}` is no single value, and `x` has one",
            "test `t1`, state 0: `a`: `{\"#set\":[]}` is no array",
            "test `t1`, state 0: `b`: `[3,[0,0]]` is no index with a value",
            "test `t1`, state 1: `a`: 1 items are given for 2",
            "test `t1`, state 1: `9` is no value of `x`, which is 0..3",
            "test `t1`, state 1: `{\"#unserializable\":\"?\"}` is no single value, and `s` has one",
            "test `t1`, state 1: the model has no variable or definition `z`",
            "test `t1`, state 2: a state is an object with a member for each variable",
            "test `t1`: the loop starts at state 3, and the last one is 2",
        ],
    );
    check_errors(
        "nusmv-xml",
        "<counter-example><node><state>\n<value variable=\"x\">&lt;9</value><value>1</value>\
         <value variable=\"q\">1</value></state></node><loops> 2 </loops></counter-example>",
        &[
            "line 2, column 26: test `t1`, state 0: `<9` is no value of `x`, which is 0..3",
            "line 2, column 34: test `t1`, state 0: this `<value>` has no attribute `variable`",
            "line 2, column 71: test `t1`, state 0: the model has no variable or definition `q`",
            "line 2, column 104: test `t1`, state 0: `<loops>` holds the numbers of states",
        ],
    );
}

#[test]
fn errors_have_places_and_an_end() {
    let many = "x = 9; STEP\n".repeat(1000);
    assert_eq!(errors("steps", &many).len(), MAX_ERRORS);
    let error = &errors("json", "{\"tests\":\n [}")[0];
    assert_eq!(error.place, Some(Location { line: 2, column: 3 }));
    let deep = format!("{}{}", "{\"tests\": ".repeat(10_000), "[".repeat(10_000));
    assert!(matches!(&errors("json", &deep)[0].wrong, Wrong::Text(_)));
    assert!(matches!(
        &errors("nusmv-xml", &"<counter-example>".repeat(10_000))[0].wrong,
        Wrong::Text(_)
    ));
    check_errors(
        "json",
        r#"{"format": "trapline-goals/1"}"#,
        &["this is `trapline-goals/1`, not `trapline-suite/1`"],
    );
    check_errors(
        "json",
        r#"{"tests": [{"name": "n", "states": []}]}"#,
        &["test `n`: the test has no states"],
    );
    check_errors(
        "json",
        r#"{"tests": [{"states": [{}], "branches": [{"at": 1, "states": [{}]}], "loop": -1}]}"#,
        &[
            "test `t1/1`: `at` is the index of a state that the branch replaces",
            "test `t1`: `loop` is the index of a state, or null",
        ],
    );
    for format in FORMATS {
        for text in ["", "\u{feff}", "\n\n", "{}", "<a>", "\"", "LOOP 1"] {
            assert!(read(&sample_model(), format, text).is_err(), "{}: {text:?}", format.name);
        }
    }
}

#[test]
fn a_dump_of_a_simulator_is_a_test() {
    let model = sample_model();
    let document = document(&model, "vcd", VCD);
    assert_eq!(names(&document), ["t1"]);
    let states = &document.drafts[0].states;
    assert_eq!(states.len(), 2);
    let value = |state: usize, name: &str| {
        states[state].vars[model.find_var(name).expect("a variable").0 as usize]
    };
    assert_eq!(value(0, "go"), Some(Value::Bool(true)));
    assert_eq!(value(1, "go"), None, "x is unknown");
    assert_eq!([value(0, "x"), value(1, "x")], [Some(Value::Int(0)), Some(Value::Int(1))]);
    assert_eq!(value(1, "f"), Some(Value::Int(1)), "it has not changed");
    assert_eq!(value(0, "s").map(|value| model.show(value)), Some("idle".into()));
    assert_eq!(value(1, "w").map(|value| model.show(value)), Some("0ud8_3".into()));
    assert_eq!(value(1, "sub.q"), Some(Value::Bool(true)));
}

#[test]
fn enumerations_are_numbers_in_dumps_of_others() {
    let model = trapline_testkit::read("MODULE main VAR s : {idle, busy};", &[]).0;
    let text = "$scope module tb $end $scope module dut $end $var reg 2 ! s $end $upscope $end\n\
        $scope module copy $end $scope module in $end $var reg 2 % s $end $enddefinitions $end\n\
        b01 ! b0 %\n#0\n#1 bz0 !\n#2";
    let draft = &document(&model, "vcd", text).drafts[0];
    let s = model.find_var("s").expect("a variable").0 as usize;
    let values = draft.states.iter().map(|state| state.vars[s].map(|value| model.show(value)));
    assert_eq!(values.collect::<Vec<_>>(), [Some("busy".to_string()), None]);
}

#[test]
fn what_is_wrong_with_a_dump_is_said() {
    let head = "$scope module m $end $var wire 2 ! x $end $var wire 1 % clk $end\n";
    let check = |rest: &str, messages: &[&str]| {
        check_errors("vcd", &format!("{head}$upscope $end $enddefinitions $end\n{rest}"), messages);
    };
    check("#0 b101 !", &["line 3, column 4: `5` is no value of `x`, which is 0..3"]);
    check("#0 b1 ?", &["line 3, column 4: no signal has the code `?`"]);
    check("#0 never", &["line 3, column 4: `never` is neither a time nor a change"]);
    check("#5 b1 ! #4", &["line 3, column 9: `4` is no time after the one before"]);
    check("#0 b1", &["line 3, column 4: the dump ends in a change"]);
    check("", &["line 3, column 1: the dump has no state"]);
    check_errors(
        "vcd",
        "$var wire 1 ! clk $end $enddefinitions $end",
        &["line 1, column 44: the model has none of the signals: clk"],
    );
    check_errors(
        "vcd",
        "$var wire 1 ! x $end $var wire 1 % x $end $enddefinitions $end #0 1! 1%",
        &["line 1, column 63: several signals could be `x`: leave all but one out"],
    );
    check_errors(
        "vcd",
        "$var wire 1 ! x $end",
        &["line 1, column 21: there is no `$enddefinitions`"],
    );
    let many: String = (0..2_000_000).map(|time| format!("#{time}\n")).collect();
    let found = errors("vcd", &format!("{head}$enddefinitions $end\n{many}"));
    let text = "the dump has too many states: cut it into pieces";
    assert_eq!(found[0].wrong, Wrong::Text(text.into()));
}

#[test]
fn branches_have_a_limit() {
    let states = vec!["{}"; 2000].join(",");
    let branches = vec![r#"{"at": 1999, "states": [{}]}"#; 2000].join(",");
    let text = format!(r#"{{"tests": [{{"states": [{states}], "branches": [{branches}]}}]}}"#);
    let found = errors("json", &text);
    assert_eq!(found[0].wrong, Wrong::Text("the branches of the test have too many states".into()));
}

#[test]
fn changed_bytes_never_panic() {
    let model = sample_model();
    let completer = Completer::new(&model);
    let mut rng = Rng::with_seed(11);
    for (format, text) in SAMPLES {
        let format = find(format).unwrap();
        // A short piece of the long sample is as good as all of it.
        let text = &text[..text.find("</counter-").map_or(text.len(), |end| end + 18)];
        let mut n_read = 0;
        for _ in 0..1000 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..rng.usize(1..4) {
                let at = rng.usize(0..bytes.len());
                match rng.u8(0..4) {
                    0 => bytes[at] = rng.u8(..),
                    1 => bytes.insert(at, *rng.choice(b"\"{}[],;=<>&#-/\n01\xc3\xa9").unwrap()),
                    2 if bytes.len() > 1 => drop(bytes.remove(at)),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            recognise("", &text);
            let Ok(document) = read(&model, format, &text) else { continue };
            n_read += 1;
            for draft in &document.drafts {
                // Possible or not, there is an answer.
                let few = Limits { max_work: 100_000, max_possible: 20 };
                let _ = completer.complete(draft, &few, &Budget::unlimited());
            }
        }
        assert!(n_read > 10, "{}: {n_read}", format.name);
    }
}

#[test]
fn counterexamples_of_a_check_are_tests() {
    let text = r#"{"format": "trapline-check/1", "model": "m.smv", "complete": true, "properties": [
      {"index": 0, "kind": "ctl", "name": null, "verdict": "true", "trace": null},
      {"index": 1, "kind": "ltl", "name": null, "verdict": "false",
       "trace": {"states": [{"x": 0, "go": true}, {"x": 1, "go": false}], "loop": 1}},
      {"index": 2, "kind": "invar", "name": "low", "verdict": "false",
       "trace": {"states": [{"x": 0}], "loop": null}}], "findings": [], "stats": null}"#;
    let model = sample_model();
    assert_eq!(recognise("c.json", text).map(|format| format.name), Some("json"));
    let document = document(&model, "json", text);
    let drafts: Vec<_> = document
        .drafts
        .iter()
        .map(|draft| (draft.name.as_str(), draft.states.len(), draft.loop_start))
        .collect();
    assert_eq!(drafts, [("property1", 2, Some(1)), ("low", 1, None)]);
    let x = model.find_var("x").expect("a variable").0 as usize;
    assert_eq!(document.drafts[0].states[1].vars[x], Some(Value::Int(1)));
    assert_eq!(document.is_complete, Some(true));
    let inferred = trapline_suite::inferred::infer(text, &|_| &Smv).expect("it says enough");
    assert_eq!(inferred.document.drafts.len(), 2);
}
