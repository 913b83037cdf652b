//! Generated test code is built and run, against a correct implementation and a wrong one.

mod build;
mod names;

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

/// What gives nothing and compares nothing is right as it is.
fn nothing(language: &Language) {
    let workshop = Workshop::new("nothing", language.format);
    let suite = r#"{"tests": [{"name": "t", "states": [{"x": 1}], "nondeterministic": [[]]}],
        "roles": {"internal": ["x"]}}"#;
    workshop.write("suite.json", suite);
    let render = ["render", "suite.json", "--format", language.format];
    workshop.trapline(&[&render[..], &["-o", language.tests]].concat());
    workshop.trapline(&[&render[..], &["--stub", "-o", language.adapter]].concat());
    let Some(outcome) = workshop.try_it(language, Version::Correct) else { return };
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
        mod takes_a_suite_without_inputs_and_outputs {
            $(#[test]
            fn $name() {
                super::nothing(&$language);
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
