//! Implementations that break down: the test ends as an error, and the next one starts anew.

use std::time::Duration;

use trapline_budget::Budget;
use trapline_exec::adapters::{Connection, Protocol};
use trapline_exec::execute::Observation;
use trapline_exec::result::{RunResult, Verdict};
use trapline_exec::run::{Options, run};
use trapline_exec::script::Script;
use trapline_exec::tester::Tester;
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Value};
use trapline_testkit::read;

const COUNTER: &str = "MODULE main VAR up : boolean; n : 0..3;
     ASSIGN init(n) := 0; next(n) := up & n < 3 ? n + 1 : n;";

fn counter() -> Model {
    let mut model = read(COUNTER, &[]).0;
    trapline_model::roles::guess(&mut model);
    model
}

/// Counts up twice.
fn script(model: &Model, name: &str) -> Script {
    let state = |n| State { values: vec![Some(Value::Bool(true)), Some(Value::Int(n))] };
    let trace = Trace { states: vec![state(0), state(1), state(2)], loop_start: None };
    let budget = Budget::unlimited();
    Script::new(Tester::new(model, &budget).ports(), model, name, &[&trace])
}

fn options(to: &str) -> Options {
    Options {
        n_repeats: 1,
        connection: Connection {
            to: to.into(),
            protocol: Protocol::Json,
            names: None,
            restarts: false,
            step_timeout: Duration::from_secs(20),
            retries: 0,
            seed: 0,
        },
        n_jobs: 1,
        is_fail_fast: false,
        observation: Observation::default(),
    }
}

fn played(options: &Options) -> RunResult {
    let model = counter();
    let scripts = vec![(0, script(&model, "a")), (1, script(&model, "b"))];
    run(&model, &scripts, options, &Budget::unlimited()).expect("it can be opened")
}

/// A shell script that answers each line by the next of these texts, then again from the first.
fn shell(answers: &[&str]) -> String {
    let cases: Vec<String> =
        answers.iter().enumerate().map(|(idx, answer)| format!("{idx}) {answer};;")).collect();
    let n_answers = answers.len();
    let body = format!(
        "i=0; while read -r line; do case $i in {} esac; i=$(((i+1) % {n_answers})); done",
        cases.join(" ")
    );
    format!("sh -c '{body}'")
}

fn says(n: u8) -> String {
    format!("echo \"{{\\\"outputs\\\": {{\\\"n\\\": {n}}}}}\"")
}

#[test]
fn a_correct_implementation_passes() {
    let right = shell(&[&says(0), &says(1), &says(2)]);
    for n_jobs in [1, 3] {
        for restarts in [false, true] {
            let mut options = options(&right);
            options.n_jobs = n_jobs;
            options.connection.restarts = restarts;
            let result = played(&options);
            assert_eq!(result.count(Verdict::Pass), 2, "{result:?}");
            assert!(result.is_complete);
        }
    }
}

#[test]
fn a_wrong_answer_fails_with_what_is_allowed() {
    let result = played(&options(&shell(&[&says(0), &says(1), &says(3)])));
    assert_eq!(result.count(Verdict::Fail), 2, "{result:?}");
    let deviation = result.tests[0].1.deviation.as_ref().expect("it fails");
    assert_eq!(deviation.exchange, 2);
    assert_eq!((deviation.allowed.len(), deviation.is_all_allowed), (1, true));
    let mut hasty = options(&shell(&[&says(0), &says(1), &says(3)]));
    hasty.is_fail_fast = true;
    let result = played(&hasty);
    assert_eq!((result.tests.len(), result.is_complete), (1, false));
}

#[test]
fn what_breaks_down_is_an_error_with_its_reason() {
    let garbage = "echo hello".to_string();
    let cases: Vec<(String, &str)> = vec![
        (shell(&[&garbage]), "not a line of JSON"),
        (shell(&["echo {}"]), "none of `outputs`"),
        (shell(&[&says(9)]), "`9` is no value of `n`"),
        (shell(&["echo \"{\\\"outputs\\\": {}}\""]), "lacks the output `n`"),
        (shell(&["echo \"{\\\"error\\\": \\\"on fire\\\"}\""]), "on fire"),
        (shell(&["exit 3"]), "ended with exit code 3"),
        (shell(&["printf half; exit 0"]), "in the middle of a line: half"),
        (shell(&["kill -9 $$"]), "by signal 9"),
        (shell(&["head -c 3000000 /dev/zero"]), "more than 1048576 bytes"),
        (shell(&["printf \"\\377\\n\""]), "not UTF-8"),
        ("sh -c 'echo early; cat'".into(), ""),
        ("/nowhere/at/all".into(), "can't be started"),
    ];
    for (command, reason) in cases {
        let result = played(&options(&command));
        assert_eq!(result.count(Verdict::Error), 2, "{command}: {result:?}");
        let deviation = result.tests[0].1.deviation.as_ref().expect("it is an error");
        assert!(deviation.message.contains(reason), "{command}: {}", deviation.message);
    }
}

#[test]
fn silence_ends_with_the_time_limit_and_nothing_is_left_running() {
    let mut patient = options("sh -c 'sleep 1000 & echo $! >&2; cat > /dev/null'");
    patient.connection.step_timeout = Duration::from_millis(1_500);
    let result = played(&patient);
    assert_eq!(result.count(Verdict::Error), 2, "{result:?}");
    for (_, test) in &result.tests {
        let message = &test.deviation.as_ref().expect("it is an error").message;
        assert!(message.contains("no answer within"), "{message}");
        let pid = test.stderr.trim();
        assert!(!pid.is_empty(), "the process had no time to start");
        let is_there = std::path::Path::new("/proc").join(pid).join("cmdline");
        // Whoever is killed takes a moment to die.
        let is_gone = || std::fs::read(&is_there).unwrap_or_default().is_empty();
        let has_died = (0..1_000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            is_gone()
        });
        assert!(has_died, "{pid} still runs");
    }
}

#[test]
fn a_flood_of_messages_is_bounded_and_its_end_is_kept() {
    let flood = "head -c 3000000 /dev/zero | tr \"\\0\" x >&2; echo end >&2";
    let result = played(&options(&shell(&[&format!("{flood}; {}", says(3))])));
    assert_eq!(result.count(Verdict::Fail), 2, "{result:?}");
    let stderr = &result.tests[0].1.stderr;
    assert!(stderr.len() <= 8 << 10 && stderr.ends_with("end\n"), "{}", stderr.len());
}

#[test]
fn a_refused_input_that_is_enabled_fails() {
    let result = played(&options(&shell(&["echo \"{\\\"refused\\\": \\\"no\\\"}\""])));
    assert_eq!(result.count(Verdict::Fail), 2, "{result:?}");
}

#[test]
fn rows_serve_as_well() {
    let body = "read -r header; echo n; i=0; while read -r row; do echo $i; i=$((i+1)); done";
    let mut rows = options(&format!("sh -c '{body}'"));
    rows.connection.protocol = Protocol::Csv;
    let result = played(&rows);
    assert_eq!(result.count(Verdict::Pass), 2, "{result:?}");
}

#[test]
fn the_model_passes_its_own_tests() {
    let result = played(&options("model"));
    assert_eq!(result.count(Verdict::Pass), 2, "{result:?}");
}
