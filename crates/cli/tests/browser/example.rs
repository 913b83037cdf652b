//! The report of the README: every view is seen, and used as people do.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::browser::Browser;
use super::{folder, trapline, write};

const MODEL: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/safety-injection/safety_injection.smv");

const RUN: &str = r#"{"format": "trapline-run/1", "passed": 0, "failed": 1, "inconclusive": 0,
 "errors": 0, "tests": [{"name": "t2", "verdict": "fail", "step": 3,
 "expected": {"SafetyInjection": "On"}, "observed": {"SafetyInjection": "Off"},
 "allowed": [{"SafetyInjection": "On"}]}]}"#;

/// A report with everything that reports can have.
fn report(folder: &Path) {
    let text = std::fs::read_to_string(MODEL).expect("the example is there");
    let text =
        text.replace("init(Pressure) := Permitted;", "init(Pressure) := Permitted; -- @req SI-1");
    let text = text.replace(": TooLow;", ": TooLow; -- @req SI-2 low water is seen");
    let text =
        text.replace("min(WaterPres + 5, 200)};", "min(WaterPres + 5, 200)}; -- @req SI-3, SI-2");
    let model = "safety_injection.smv";
    write(&folder.join(model), &text);
    let criteria = "branch,condition,mcdc-masking";
    let runs = ["--traces", "12", "--steps", "6", "--seed", "3", "--format", "json"];
    trapline(folder, &[&["simulate", model, "-o", "runs.json"], &runs[..]].concat());
    let compared = ["--criteria", criteria, "--format", "json", "-o", "matrix.json"];
    trapline(folder, &[&["compare", model], &compared[..]].concat());
    write(&folder.join("run.json"), RUN);
    let others = ["--run", "run.json", "--compare", "matrix.json", "-o", "report.html"];
    let suite = ["report", model, "runs.json", "--criteria", criteria];
    trapline(folder, &[&suite[..], &others[..]].concat());
}

#[test]
fn every_view_is_shown() {
    let folder = folder("example");
    report(&folder);
    let mut browser = Browser::start(&folder.join("profile"));
    let views = [
        ("summary", "Summary"),
        ("goals", "Goals"),
        ("goal/mcdc-masking%3AOverridden%3A3%3A1", "Goals"),
        ("source/47", "Source"),
        ("tests", "Tests"),
        ("test/t2", "t2"),
        ("matrix", "Tests and goals"),
        ("run", "Run"),
        ("compare", "Comparison"),
        ("requirements", "Requirements"),
        ("graph", "Dependencies"),
    ];
    for theme in ["light", "dark"] {
        for (hash, title) in views {
            browser.open(&folder.join("report.html"), &format!("#{hash}"));
            let now = browser.value("document.documentElement.dataset.theme ?? 'light'");
            if now != theme {
                browser.press("t");
            }
            browser.until(&format!("document.querySelector('main h1').textContent === '{title}'"));
            let name = hash.split(['/', '%']).next().unwrap_or(hash);
            browser.screenshot(&folder.join(format!("{theme}-{name}.png")));
        }
    }
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn filters_links_and_themes_work() {
    let folder = folder("use");
    report(&folder);
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&folder.join("report.html"), "");
    // From the number of missing goals to a goal, its line, and back.
    browser.click("a.tile[href='#goals/v=1']");
    browser.until("document.querySelectorAll('.rows .row .badge').length > 0");
    browser.until("[...document.querySelectorAll('.rows .signed .badge')].every((one) => one.classList.contains('open'))");
    browser.press("Enter");
    browser.until("document.querySelector('#goal .badge')?.classList.contains('open')");
    browser.click("#goal .snippet a.here");
    browser.until("document.querySelector('#line .badge.open')");
    browser.value("history.back()");
    browser.until("document.querySelector('#goal')");
    // A pair of evaluations leads to the test that makes one.
    browser.open(&folder.join("report.html"), "#goal/mcdc-masking%3AOverridden%3A3%3A1");
    browser.until("document.querySelectorAll('.truth tr.pair').length === 2");
    browser.click(".truth tr.pair a[href^='#test/']");
    browser.until("document.querySelector('.wave') && /^#test.t\\d+.\\d+$/.test(location.hash)");
    // Both themes, and the keys' help.
    let before = browser.value("getComputedStyle(document.body).backgroundColor");
    browser.click("#theme");
    browser.until(&format!("getComputedStyle(document.body).backgroundColor !== {before}"));
    browser.press("?");
    browser.until("document.querySelector('#help').open");
    browser.press("Escape");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

/// Without a pointer, and without pressing Tab until something is reached.
#[test]
fn the_keyboard_alone_does_it() {
    let folder = folder("keyboard");
    report(&folder);
    let file = folder.join("report.html");
    let mut browser = Browser::start(&folder.join("profile"));
    // A search from anywhere, to the rows that it finds, to a goal, and back to them.
    browser.open(&file, "");
    browser.press("/");
    browser.until("document.activeElement.id === 'search'");
    browser.type_text("mcdc overridden");
    browser.until("location.hash === '#goals/q=mcdc%20overridden'");
    browser.press("ArrowDown");
    browser.until("document.activeElement.classList.contains('long')");
    browser.press("ArrowDown");
    browser.press("Enter");
    browser
        .until("location.hash.startsWith('#goal/mcdc-masking') && document.querySelector('#goal')");
    browser.press("Escape");
    browser.until(
        "location.hash === '#goals/q=mcdc%20overridden' && !document.querySelector('#goal')",
    );
    // What an address opens takes the keys that it lists.
    browser.open(&file, "#test/t2/3");
    browser.until("document.querySelector('.statepanel h2')");
    browser.press("ArrowRight");
    browser.until("location.hash === '#test/t2/4'");
    browser.open(&file, "#graph");
    let width = "Number(document.querySelector('.graph').shadowRoot.querySelector('svg').getAttribute('width'))";
    let before = browser.value(width);
    browser.press("+");
    browser.until(&format!("{width} > {before}"));
    browser.press("0");
    browser
        .until(&format!("Math.abs({width} - document.querySelector('.graph').clientWidth) < 40"));
    browser.press("5");
    browser.until("document.activeElement.classList.contains('grid')");
    browser.press("ArrowRight");
    browser.press("Enter");
    browser.until("/^#(test|goal)/.test(location.hash)");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

/// The tests that a goal's panel lists are those that `evaluate` finds.
#[test]
fn the_tests_of_goals_are_those_that_reach_them() {
    let folder = folder("tests-of-goals");
    report(&folder);
    let criteria = ["--criteria", "branch,condition", "--winnow", "none"];
    let evaluate = ["evaluate", "safety_injection.smv", "runs.json", "-o", "coverage.json"];
    trapline(&folder, &[&evaluate[..], &criteria[..]].concat());
    let coverage = std::fs::read_to_string(folder.join("coverage.json")).expect("it is written");
    let coverage: Json = serde_json::from_str(&coverage).expect("it is JSON");
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&folder.join("report.html"), "");
    let goals = coverage["goals"].as_array().expect("goals are a list");
    assert!(goals.len() > 30, "{}", goals.len());
    for goal in goals {
        let id = &goal["id"];
        browser.value(&format!("location.hash = '#goal/' + encodeURIComponent({id})"));
        browser.until(&format!("document.querySelector('#goal code')?.textContent === {id}"));
        let listed = browser.value(
            "[...document.querySelectorAll('#goal .chips a')].map((one) => \
             Number(one.firstChild.textContent.slice(1)) - 1)",
        );
        assert_eq!(listed, goal["tests"], "{id}");
    }
}

/// The values beside a waveform are those of the test, state by state.
#[test]
fn the_values_of_states_are_those_of_the_test() {
    let folder = folder("values");
    report(&folder);
    let runs = std::fs::read_to_string(folder.join("runs.json")).expect("it is written");
    let runs: Json = serde_json::from_str(&runs).expect("it is JSON");
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&folder.join("report.html"), "#test/t5");
    browser.click(".wave");
    browser.press("Home");
    let states = runs["traces"][4]["states"].as_array().expect("states are a list");
    for idx in 0..states.len() {
        let heading = "document.querySelector('.statepanel h2')?.firstChild.textContent";
        browser.until(&format!("{heading} === 'State {idx}'"));
        let listed = browser.value(
            "Object.fromEntries([...document.querySelectorAll('.statepanel tbody tr')] \
             .map((row) => [row.cells[0].textContent, row.cells[1].textContent]))",
        );
        for (name, value) in shown_at(states, idx) {
            let written = match value {
                Json::Bool(value) => value.to_string().to_uppercase(),
                Json::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(listed[name], written, "{name} in state {idx}");
        }
        browser.press("ArrowRight");
    }
}

/// The values that stand at a state: its own, and those of the step that leads to it.
fn shown_at(states: &[Json], idx: usize) -> Vec<(&String, &Json)> {
    let is_of_state = |name: &str| states.last().is_some_and(|last| last.get(name).is_some());
    let own = states[idx].as_object().expect("a state is an object");
    let before = idx.checked_sub(1).and_then(|before| states[before].as_object());
    let own = own.iter().filter(|(name, _)| is_of_state(name));
    let of_step = before.into_iter().flatten().filter(|(name, _)| !is_of_state(name));
    own.chain(of_step).collect()
}

#[test]
fn paper_shows_the_whole_report() {
    let folder = folder("paper");
    report(&folder);
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&folder.join("report.html"), "#graph");
    let pdf = browser.send("Page.printToPDF", json!({}));
    assert!(pdf["data"].as_str().is_some_and(|data| data.starts_with("JVBERi0")), "it is a PDF");
    browser.value("window.dispatchEvent(new Event('beforeprint'))");
    browser.resize(900, 4600);
    browser.send("Emulation.setEmulatedMedia", json!({"media": "print"}));
    browser.screenshot(&folder.join("paper.png"));
    let printed = browser.value("document.querySelector('#print').textContent");
    let printed = printed.as_str().unwrap_or_default();
    let parts = [
        "Score by criterion",
        "mcdc-masking:Overridden:3:1",
        "next(Overridden) := case",
        "SafetyInjection = On",
        "Decision at line 47",
        "Dependencies",
    ];
    for part in parts {
        assert!(printed.contains(part), "{part}");
    }
    // The run that failed, with what was expected; the steps of all tests; the picture.
    let failed = browser.value("document.querySelector('#print .deviation tbody').textContent");
    let failed = failed.as_str().unwrap_or_default();
    assert_eq!(failed, "SafetyInjectionOnOff");
    let rows = "document.querySelectorAll('#print table[aria-label=\"steps of t5\"] tbody tr')";
    assert_eq!(browser.value(&format!("{rows}.length")), 7, "a row a state");
    let picture = "document.querySelector('#print .graph').shadowRoot.querySelector('svg')";
    browser.until(&format!("{picture}.getBoundingClientRect().width > 100"));
    let width = browser.value(&format!("{picture}.getBoundingClientRect().width"));
    assert!(width.as_f64().is_some_and(|width| width <= 900.0), "it fits the paper: {width}");
    assert_eq!(browser.complaints, Vec::<String>::new());
}
