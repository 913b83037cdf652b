//! A report as JUnit XML, which every CI reads.
//!
//! A criterion is a test suite and a goal a test case. A goal that no test reaches fails; one that
//! nothing can reach is skipped, with the proof. One that is open is skipped too: it may well turn
//! out that nothing can reach it, and a build should not fail for that. So is one that tests reach, but
//! that running them does not show. A property of the model passes if it holds, and fails if it is
//! violated. The tests of a run are a suite of their own, and so are tests that the model does not allow.

use trapline_suite::property::Property;

use crate::page::{Goal, Page, Showing, Verdict};
use crate::run::{self, Run, RunTest};
use crate::xml::escape;

/// A test suite.
struct Suite {
    name: String,
    cases: Vec<Case>,
}

/// A test case.
struct Case {
    name: String,
    /// More attributes, as they are written.
    place: String,
    outcome: Outcome,
}

/// How a test case ended.
enum Outcome {
    Passed,
    Failed { kind: &'static str, message: String },
    Error { message: String },
    Skipped { message: String },
}

/// The report.
pub fn write(page: &Page) -> String {
    let mut suites: Vec<Suite> = page
        .criteria
        .iter()
        .map(|criterion| Suite { name: criterion.name.clone(), cases: Vec::new() })
        .collect();
    for goal in &page.goals {
        suites[goal.criterion].cases.push(goal_case(page, goal));
    }
    suites.extend(page.run.as_ref().map(run_suite));
    if !page.suite.impossible.is_empty() {
        let cases = page.suite.impossible.iter().map(|name| Case {
            name: name.clone(),
            place: String::new(),
            outcome: Outcome::Error { message: "the model does not allow this test".into() },
        });
        suites.push(Suite { name: "impossible tests".into(), cases: cases.collect() });
    }
    let all = || suites.iter().flat_map(|suite| &suite.cases);
    let name = escape(&format!("{} {}", page.model.path, page.suite.path));
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text += &format!("<testsuites name=\"{name}\" {}>\n", counts(all()));
    for suite in &suites {
        let name = escape(&suite.name);
        text += &format!("  <testsuite name=\"{name}\" {}>\n", counts(suite.cases.iter()));
        suite.cases.iter().for_each(|case| text += &case_element(case, &name));
        text += "  </testsuite>\n";
    }
    text + "</testsuites>\n"
}

fn goal_case(page: &Page, goal: &Goal) -> Case {
    let place = goal.place.and_then(|place| Some((page.sources.get(place.file)?, place.line)));
    let place =
        place.map(|(source, line)| format!(" file=\"{}\" line=\"{line}\"", escape(&source.path)));
    let reason = goal.reason.as_deref().unwrap_or("no reason is given");
    let outcome = match goal.verdict {
        _ if goal.property.is_some() => property(page, goal, reason),
        Verdict::Covered => match goal.shown.and_then(Showing::remark) {
            Some(remark) => Outcome::Skipped { message: remark.into() },
            None => Outcome::Passed,
        },
        Verdict::NotCovered => {
            Outcome::Failed { kind: "not covered", message: "no test reaches this goal".into() }
        }
        Verdict::Infeasible => Outcome::Skipped {
            message: format!("infeasible: nothing can reach this goal: {reason}"),
        },
        Verdict::Unknown => Outcome::Skipped {
            message: format!(
                "unknown: no test reaches this goal, and whether any can is open: {reason}"
            ),
        },
    };
    let name = format!("{}: {}", goal.id, goal.text);
    Case { name, place: place.unwrap_or_default(), outcome }
}

/// A property of the model passes if it holds, and fails if some path violates it.
fn property(page: &Page, goal: &Goal, reason: &str) -> Outcome {
    let names = goal.tests().into_iter().map(|test| page.tests[test].name.as_str());
    let names: Vec<&str> = names.collect();
    match (goal.property, names.as_slice()) {
        (Some(Property::Violated), []) => Outcome::Failed {
            kind: "violated",
            message: "this property of the model is violated, and no test shows it".into(),
        },
        (Some(Property::Violated), names) => Outcome::Failed {
            kind: "violated",
            message: format!("this property of the model is violated by {}", names.join(", ")),
        },
        (Some(Property::Undecided), _) => {
            Outcome::Skipped { message: format!("undecided: whether it holds is open: {reason}") }
        }
        _ => Outcome::Passed,
    }
}

fn run_suite(run: &Run) -> Suite {
    let cases = run.tests.iter().map(|test| Case {
        name: test.name.clone(),
        place: String::new(),
        outcome: match test.outcome {
            run::Outcome::Pass => Outcome::Passed,
            run::Outcome::Fail => Outcome::Failed { kind: "fail", message: message(test) },
            run::Outcome::Inconclusive => Outcome::Skipped { message: message(test) },
            run::Outcome::Error => Outcome::Error { message: message(test) },
        },
    });
    Suite { name: "run".into(), cases: cases.collect() }
}

/// What happened in a test that did not pass.
fn message(test: &RunTest) -> String {
    let listed = |values: &[(String, String)]| {
        let values = values.iter().map(|(name, value)| format!("{name} = {value}"));
        values.collect::<Vec<_>>().join(", ")
    };
    let mut parts = vec![test.outcome.word().to_string()];
    parts.extend(test.step.map(|step| format!("in exchange {step}")));
    if !test.expected.is_empty() {
        parts.push(format!("expected {}", listed(&test.expected)));
    }
    if !test.observed.is_empty() {
        parts.push(format!("observed {}", listed(&test.observed)));
    }
    parts.extend(test.places.iter().map(|place| place.name.clone()));
    parts.extend(test.message.clone());
    parts.join("; ")
}

/// The attributes that say how many cases ended how.
fn counts<'c>(cases: impl Iterator<Item = &'c Case>) -> String {
    let [mut n_tests, mut n_failures, mut n_errors, mut n_skipped] = [0; 4];
    for case in cases {
        n_tests += 1;
        match case.outcome {
            Outcome::Passed => {}
            Outcome::Failed { .. } => n_failures += 1,
            Outcome::Error { .. } => n_errors += 1,
            Outcome::Skipped { .. } => n_skipped += 1,
        }
    }
    format!(
        "tests=\"{n_tests}\" failures=\"{n_failures}\" errors=\"{n_errors}\" skipped=\"{n_skipped}\""
    )
}

fn case_element(case: &Case, suite: &str) -> String {
    let (name, place) = (escape(&case.name), &case.place);
    let start = format!("    <testcase classname=\"{suite}\" name=\"{name}\"{place}");
    let inner = match &case.outcome {
        Outcome::Passed => return format!("{start}/>\n"),
        Outcome::Failed { kind, message } => {
            let message = escape(message);
            format!("<failure type=\"{kind}\" message=\"{message}\">{message}</failure>")
        }
        Outcome::Error { message } => {
            let message = escape(message);
            format!("<error type=\"error\" message=\"{message}\">{message}</error>")
        }
        Outcome::Skipped { message } => format!("<skipped message=\"{}\"/>", escape(message)),
    };
    format!("{start}>{inner}</testcase>\n")
}
