//! Generated test code and the adapters of implementations are built and run, with a correct implementation and
//! a wrong one.

mod adapters;
mod build;
mod names;

use std::path::Path;

use build::{Language, Outcome, Version, Workshop};

/// What the wrong implementation does wrong, and where: it ignores the reset in state 5.
const FINDING: &str = "t1, state 5: SafetyInjection: expected";

fn safety_injection(language: &Language) {
    let workshop = Workshop::new("safety-injection", language.format);
    let Some(outcomes) = build::example(&workshop, language) else { return };
    let [correct, wrong, stub] = outcomes;
    assert!(correct.is_success, "the correct implementation fails:\n{}", correct.text);
    assert!(!wrong.is_success, "the wrong implementation passes:\n{}", wrong.text);
    assert!(wrong.text.contains(FINDING), "the wrong step is blamed:\n{}", wrong.text);
    assert!(!stub.is_success, "what is not filled in passes:\n{}", stub.text);
    assert!(stub.text.contains("t1, state 0: "), "the stub does not run:\n{}", stub.text);
}

/// Where the model leaves a choice, an implementation that chooses otherwise is right.
fn choices(language: &Language) {
    let workshop = Workshop::new("choices", language.format);
    let Some(Outcome { is_success, text }) = build::choices(&workshop, language) else { return };
    assert!(is_success, "another choice is blamed:\n{text}");
}

/// An input that decides the next state goes with the step, so that the step shows what it did.
fn late(language: &Language) {
    let workshop = Workshop::new("late", language.format);
    let Some([right, wrong]) = build::late(&workshop, language) else { return };
    assert!(right.is_success, "a step that shows what its input did is blamed:\n{}", right.text);
    assert!(!wrong.is_success, "inputs with their states do the same:\n{}", wrong.text);
}

/// A parameter is compared at the reset, and then no more.
fn parameter(language: &Language) {
    let workshop = Workshop::new("parameter", language.format);
    let Some([right, wrong]) = build::parameter(&workshop, language) else { return };
    assert!(right.is_success, "a parameter is compared after the reset:\n{}", right.text);
    assert!(wrong.text.contains("t, state 0: out: expected"), "it never is:\n{}", wrong.text);
}

/// What gives nothing and compares nothing is right as it is.
fn nothing(language: &Language) {
    let suite = r#"{"tests": [{"name": "t", "states": [{"x": 1}], "nondeterministic": [[]]}],
        "roles": {"internal": ["x"]}}"#;
    passes("nothing", suite, language);
}

/// Without tests there is still a program that can be built and run.
fn no_tests(language: &Language) {
    passes("no-tests", r#"{"tests": [], "roles": {}}"#, language);
}

fn no_judged_tests(language: &Language) {
    let suite = r#"{"tests": [{"name": "t", "states": [{"x": 1, "y": 1}],
        "nondeterministic": [["x"]]}], "roles": {"input": ["y"], "output": ["x"]}}"#;
    passes("no-judged-tests", suite, language);
}

/// The stub is as good as an implementation, for nothing is compared.
fn passes(area: &str, suite: &str, language: &Language) {
    let workshop = Workshop::new(area, language.format);
    workshop.write("suite.json", suite);
    let render = ["render", "suite.json", "--format", language.format];
    workshop.trapline(&[&render[..], &["-o", language.tests]].concat());
    workshop.trapline(&[&render[..], &["--stub", "-o", language.adapter]].concat());
    let Some(outcome) = workshop.try_it(language, Version::Correct) else { return };
    // Some frameworks call it a failure if there is nothing to do.
    assert!(outcome.is_success || outcome.text.contains("no tests ran"), "{}", outcome.text);
}

/// LCOV 1.16 drops branches whose id is no number.
#[test]
fn genhtml_counts_every_branch() {
    let workshop = Workshop::new("lcov", "lcov");
    workshop.write(
        "model.smv",
        "MODULE main\nVAR open : boolean; x : 0..2;\nASSIGN next(x) := case\n  open : 1;\n  \
         TRUE : 2;\nesac;\n",
    );
    workshop.write("tests.csv", "open,x\nTRUE,0\nTRUE,1\n");
    let evaluate = ["evaluate", "model.smv", "tests.csv", "--criteria", "branch"];
    workshop.trapline(&[&evaluate[..], &["-o", "suite.info"]].concat());
    let genhtml = ["--branch-coverage", "-o", "html", "suite.info"];
    let Outcome { is_success, text } = workshop.run(Path::new("genhtml"), &genhtml, &[]);
    assert!(is_success && text.contains("50.0% (1 of 2 branches)"), "{text}");
}

/// A constant of Java holds 65,535 bytes, in an encoding of its own.
#[test]
fn java_takes_rows_of_any_length() {
    let workshop = Workshop::new("long", "junit");
    let long = "é\0🦀\\\"|-a ".repeat(20_000);
    let rows = (0..60).map(|idx| idx.to_string() + &"é".repeat(2_000));
    let values = rows.chain([long.clone(), "short".into(), long]);
    let states: Vec<_> = values.map(|it| serde_json::json!({"given": it, "out": it})).collect();
    let open = vec![Vec::<String>::new(); states.len()];
    let suite = serde_json::json!({"roles": {"input": ["given"], "output": ["out"]},
        "tests": [{"name": "t", "states": states, "nondeterministic": open}]});
    workshop.write("suite.json", &suite.to_string());
    workshop.trapline(&["render", "suite.json", "--format", "junit", "-o", "SuiteTest.java"]);
    workshop.write("Adapter.java", build::JUNIT.echo);
    let Some(outcome) = workshop.try_it(&build::JUNIT, Version::Correct) else { return };
    assert!(outcome.is_success, "{}", outcome.text);
}

/// A class that is called as one that it uses would hide it.
#[test]
fn java_takes_files_of_any_name() {
    let workshop = Workshop::new("classes", "junit");
    let state = r#"{"given": 1, "out": 1}"#;
    let suite = format!(
        r#"{{"roles": {{"input": ["given"], "output": ["out"]}},
        "tests": [{{"name": "t", "states": [{state}], "nondeterministic": [[]]}}]}}"#
    );
    workshop.write("suite.json", &suite);
    for name in ["SuiteTest", "Test", "Assertions", "ArrayList", "String", "Long", "Integer"] {
        let file = format!("{name}.java");
        workshop.trapline(&["render", "suite.json", "--format", "junit", "-o", &file]);
    }
    workshop.write("Adapter.java", build::JUNIT.echo);
    let Some(outcome) = workshop.try_it(&build::JUNIT, Version::Correct) else { return };
    assert!(outcome.is_success, "{}", outcome.text);
}

macro_rules! languages {
    ($($name:ident: $language:expr;)*) => {
        mod finds_what_is_wrong {
            $(#[test]
            fn $name() {
                super::safety_injection(&$language);
            })*
        }
        mod never_blames_another_choice {
            $(#[test]
            fn $name() {
                super::choices(&$language);
            })*
        }
        mod sends_inputs_with_the_step_that_they_decide {
            $(#[test]
            fn $name() {
                super::late(&$language);
            })*
        }
        mod compares_parameters_at_the_reset_alone {
            $(#[test]
            fn $name() {
                super::parameter(&$language);
            })*
        }
        mod takes_a_suite_without_inputs_and_outputs {
            $(#[test]
            fn $name() {
                super::nothing(&$language);
            })*
        }
        mod takes_a_suite_without_tests {
            $(#[test]
            fn $name() {
                super::no_tests(&$language);
            })*
        }
        mod takes_tests_that_judge_nothing {
            $(#[test]
            fn $name() {
                super::no_judged_tests(&$language);
            })*
        }
        mod takes_any_name {
            $(#[test]
            fn $name() {
                super::names::check(&$language);
            })*
        }
    };
}

languages! {
    pytest: super::build::PYTEST;
    rust: super::build::RUST;
    c: super::build::C;
    c_unity: super::build::C_UNITY;
    c_cmocka: super::build::C_CMOCKA;
    googletest: super::build::GOOGLETEST;
    junit: super::build::JUNIT;
}

macro_rules! adapters {
    ($($name:ident: $adapter:expr;)*) => {
        mod adapter_finds_what_is_wrong {
            $(#[test]
            fn $name() {
                super::adapters::finds_what_is_wrong(&$adapter);
            })*
        }
        mod adapter_answers_whatever_is_asked {
            $(#[test]
            fn $name() {
                super::adapters::answers_whatever_is_asked(&$adapter);
            })*
        }
        mod skeleton_takes_any_name {
            $(#[test]
            fn $name() {
                super::adapters::skeletons_take_any_name(&$adapter);
            })*
        }
    };
}

adapters! {
    python: super::adapters::PYTHON;
    c: super::adapters::C;
    cpp: super::adapters::CPP;
    rust: super::adapters::RUST;
    java: super::adapters::JAVA;
}

/// Every mutant that the tests claim to catch fails them, and every other passes.
#[test]
fn claims_of_pytest_hold_for_each_mutant() {
    let workshop = Workshop::new("crossing", "pytest");
    workshop.write("model.smv", include_str!("../../../../tests/cases/generate/inside/model.smv"));
    workshop.write("crossing.py", include_str!("crossing.py"));
    workshop.write("adapter.py", "Adapter = None\n");
    let mutation = ["--criteria", "mutation:negate,mutation:stuck-at"];
    workshop.trapline(&[&["generate", "model.smv", "-o", "suite.json"], &mutation[..]].concat());
    workshop.trapline(&["render", "suite.json", "--format", "pytest", "-o", "test_suite.py"]);
    let list = ["mutants", "model.smv", "--list", "--format", "json", "-o", "mutants.json"];
    workshop.trapline(&[&list[..], &mutation[..]].concat());
    let Outcome { is_success, text } = workshop.run(Path::new("python3"), &["crossing.py"], &[]);
    assert!(is_success, "{text}");
}
