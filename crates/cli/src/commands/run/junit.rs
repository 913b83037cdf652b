//! A run as JUnit XML: a test case a test, with the goals and requirements that it reached as
//! properties. What stayed inconclusive is skipped: the implementation did nothing wrong.

use trapline_exec::result::{TestResult, Verdict};
use trapline_report::xml::escape;
use trapline_source::requirement::ids_at;

use super::{Found, text};

/// The document.
pub fn document(found: &Found) -> String {
    let run = &found.run;
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        run.tests.len() + found.dropped.len(),
        run.count(Verdict::Fail),
        run.count(Verdict::Error) + found.dropped.len(),
        run.count(Verdict::Inconclusive)
    );
    let name = escape(&found.prepared.loaded.path);
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml += &format!("<testsuites {counts}>\n  <testsuite name=\"{name}\" {counts}>\n");
    for (place, (_, test)) in run.tests.iter().enumerate() {
        xml += &case(found, place, test, &name);
    }
    for test in &found.dropped {
        let test = escape(test);
        xml += &format!("    <testcase classname=\"{name}\" name=\"{test}\">\n");
        xml += "      <error message=\"the model does not allow this test\"/>\n    </testcase>\n";
    }
    xml + "  </testsuite>\n</testsuites>\n"
}

fn case(found: &Found, place: usize, test: &TestResult, suite: &str) -> String {
    let name = escape(&test.name);
    let mut xml = format!("    <testcase classname=\"{suite}\" name=\"{name}\">\n");
    let goals = found.reached.by_run[place].iter().map(|&goal| &found.prepared.set.goals[goal]);
    let mut properties: Vec<(&str, &str)> =
        goals.clone().map(|goal| ("goal", goal.id.as_str())).collect();
    let requirements =
        goals.flat_map(|goal| ids_at(&found.prepared.loaded.requirements, goal.span.start));
    let mut requirements: Vec<&str> = requirements.collect();
    requirements.sort_unstable();
    requirements.dedup();
    properties.extend(requirements.into_iter().map(|id| ("requirement", id)));
    if !properties.is_empty() {
        xml += "      <properties>\n";
        for (name, value) in properties {
            let value = escape(value);
            xml += &format!("        <property name=\"{name}\" value=\"{value}\"/>\n");
        }
        xml += "      </properties>\n";
    }
    xml += &outcome(found, place, test);
    xml + "    </testcase>\n"
}

fn outcome(found: &Found, place: usize, test: &TestResult) -> String {
    let Some(it) = &test.deviation else { return String::new() };
    let element = match test.verdict {
        Verdict::Pass => return String::new(),
        Verdict::Fail => "failure",
        Verdict::Error => "error",
        Verdict::Inconclusive => "skipped",
    };
    let message = escape(&format!("exchange {}: {}", it.exchange, it.message));
    let mut details = text::details(&found.prepared.loaded, test, it, crate::paint::Paint::Plain);
    text::add_hints(&mut details, found, place);
    let details = escape(&details);
    format!("      <{element} message=\"{message}\">\n{details}      </{element}>\n")
}
