//! The report of a run: verdicts, exchanges, goals, and the ways between them.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::browser::Browser;
use super::{ended, folder, trapline, write};

const MODEL: &str = "\
MODULE main
VAR cmd : {up, stay}; n : 0..9;
ASSIGN
  init(n) := 0;
  -- @req R1 it counts
  next(n) := case
    cmd = up & n < 9 : {n, n + 1};
    TRUE : n;
  esac;
";

/// Always counts; forgets what it has counted where it must stay at three, and breaks down at five.
const SUT: &str = "\
n=0
while read -r request; do
  case $request in
    *reset*) n=0 ;;
    *up*) n=$((n + 1)) ;;
    *) if [ $n = 3 ]; then n=0; fi ;;
  esac
  if [ $n = 5 ]; then echo 'out of memory <b>' >&2; exit 3; fi
  echo \"{\\\"outputs\\\": {\\\"n\\\": $n}}\"
done
";

/// A test that passes, one with another choice, one that fails, one that breaks down, and a long one.
fn tests() -> String {
    let tests = ["up,0 up,1 stay,2 stay,2", "up,0 up,0 stay,1", "up,0 up,1 up,2 stay,3 stay,3"];
    let tests = tests.map(String::from).into_iter();
    let tests = tests.chain(["up,0 up,1 up,2 up,3 up,4 stay,5".into(), "stay,0 ".repeat(400)]);
    let text: Vec<String> = tests.map(|test| test.trim_end().replace(' ', "\n")).collect();
    format!("cmd,n\n{}\n", text.join("\n\n"))
}

fn report(folder: &Path) -> Json {
    write(&folder.join("model.smv"), MODEL);
    write(&folder.join("sut.sh"), SUT);
    write(&folder.join("tests.csv"), &tests());
    let criteria = ["--criteria", "branch,value"];
    let run = ["run", "model.smv", "tests.csv", "--sut", "sh sut.sh", "-o", "run.json"];
    assert_eq!(ended(folder, &[&run[..], &criteria[..]].concat()), 1);
    let report = ["report", "model.smv", "tests.csv", "--run", "run.json", "-o", "report.html"];
    trapline(folder, &[&report[..], &criteria[..]].concat());
    let text = std::fs::read_to_string(folder.join("run.json")).expect("it is written");
    serde_json::from_str(&text).expect("it is JSON")
}

const ROWS: &str = "[...document.querySelectorAll('.rows .row')].map((row) => \
                    [...row.children].slice(0, 2).map((cell) => cell.textContent.trim()))";

#[test]
fn verdicts_are_listed_filtered_and_ordered() {
    let folder = folder("run-list");
    report(&folder);
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&folder.join("report.html"), "#run");
    browser.until("document.querySelectorAll('.rows .row').length === 5");
    let tiles = "[...document.querySelectorAll('.tile')].map((one) => one.textContent)";
    assert_eq!(browser.value(tiles), json!(["2passed✓", "1failed✗", "1inconclusive?", "1error!"]));
    let worst = json!([
        ["✗ fail", "t3"],
        ["! error", "t4"],
        ["? inconclusive", "t2"],
        ["✓ pass", "t1"],
        ["✓ pass", "t5"]
    ]);
    assert_eq!(browser.value(ROWS), worst);
    let css = "new Set([...document.querySelectorAll('.rows .badge')].map((one) => \
               getComputedStyle(one).color)).size";
    assert_eq!(browser.value(css), 4, "each verdict looks different");
    browser.screenshot(&folder.join("run.png"));
    browser.value("const order = document.querySelector('#run-o'); order.value = 'long'; order.dispatchEvent(new Event('change'))");
    browser.until("document.querySelector('.rows .row').textContent.includes('t5')");
    browser.click("a.tile[href='#run/v=error']");
    browser.until("document.querySelectorAll('.rows .row').length === 1");
    assert_eq!(browser.value(ROWS), json!([["! error", "t4"]]));
    // The keyboard opens it, leaves it, and goes to others.
    browser.press("Enter");
    browser.until("location.hash === '#verdict/t4' && document.querySelector('.stderr')");
    let stderr = browser.value("document.querySelector('.stderr').textContent");
    assert_eq!(stderr, "out of memory <b>\n");
    browser.press("Escape");
    browser.until("location.hash === '#run/v=error'");
    browser.open(&folder.join("report.html"), "#run/o=");
    browser.until("document.querySelectorAll('.rows .row').length === 5");
    browser.press("Enter");
    browser.until("location.hash === '#verdict/t3'");
    browser.press("]");
    browser.until("location.hash === '#verdict/t4'");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

/// What a page shows of exchanges is what the document of the run has.
#[test]
fn exchanges_are_those_of_the_run() {
    let folder = folder("run-exchanges");
    let run = report(&folder);
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&folder.join("report.html"), "#verdict/t1");
    browser.value("document.querySelector('#all-values').click()");
    for test in run["tests"].as_array().expect("a list") {
        let name = test["name"].as_str().expect("a name");
        browser.value(&format!("location.hash = '#verdict/{name}'"));
        browser.until(&format!("document.querySelector('main h1').textContent === '{name}'"));
        let rows = browser.value(
            "[...document.querySelectorAll('.timeline tbody tr')].map((row) => \
             [...row.cells].map((cell) => cell.textContent))",
        );
        let rows = rows.as_array().expect("a list");
        let exchanges = test["exchanges"].as_array().expect("a list");
        for (row, exchange) in rows.iter().zip(exchanges) {
            let sent = exchange["inputs"]["cmd"].as_str().map(|cmd| format!("cmd = {cmd}"));
            assert_eq!(row[1], sent.unwrap_or_default(), "{name}");
            assert_eq!(row[3], format!("n = {}", exchange["outputs"]["n"]), "{name}");
        }
        let is_long = name == "t5";
        let n_silent = usize::from(name == "t4");
        assert_eq!(rows.len(), if is_long { 300 } else { exchanges.len() + n_silent });
        let notes = browser.value("document.querySelector('main').textContent");
        let left_out = notes.as_str().expect("text").contains("Exchanges 300 to 399 are left out");
        assert_eq!(left_out, is_long);
    }
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn a_deviation_is_marked_where_it_happened() {
    let folder = folder("run-deviation");
    report(&folder);
    let mut browser = Browser::start(&folder.join("profile"));
    let here = "[...document.querySelectorAll('.timeline tr.here')].map((row) => \
                [...row.cells].map((cell) => cell.textContent.trim()))";
    let rows = [
        // The choice of another test is no failure, so it has another colour.
        ("t2", json!([["1 ? inconclusive", "cmd = up", "n = 0", "n = 1"]]), "{n, n + 1}"),
        ("t3", json!([["4 ✗ fail", "cmd = stay", "n = 3", "n = 0"]]), "TRUE : n"),
        ("t4", json!([["5 ! error", "", "n = 5", "no answer"]]), ""),
    ];
    for (name, row, place) in rows {
        browser.open(&folder.join("report.html"), &format!("#verdict/{name}"));
        browser.until("document.querySelector('.timeline')");
        browser.screenshot(&folder.join(format!("{name}.png")));
        assert_eq!(browser.value(here), row, "{name}");
        let shown =
            browser.value("document.querySelector('.deviation .snippet .here')?.textContent ?? ''");
        assert!(shown.as_str().is_some_and(|line| line.contains(place)), "{name}: {shown}");
    }
    let wrong = "document.querySelector('.deviation .wrong').textContent";
    browser.open(&folder.join("report.html"), "#verdict/t3");
    assert_eq!(browser.value(wrong), "0");
    browser.click(".deviation .snippet a.here");
    browser.until("location.hash === '#source/8'");
    browser.value("window.dispatchEvent(new Event('beforeprint'))");
    let printed = browser.value("document.querySelector('#print').textContent");
    assert!(printed.as_str().is_some_and(|text| text.contains("out of memory <b>")));
    assert_eq!(browser.complaints, Vec::<String>::new());
}

/// The numbers of goals are those of the run, and lead from goals, requirements and tests to its verdicts.
#[test]
fn goals_requirements_and_tests_lead_to_verdicts() {
    let folder = folder("run-goals");
    let run = report(&folder);
    let mut reached: Vec<&str> = Vec::new();
    for test in run["tests"].as_array().expect("a list") {
        reached.extend(test["reached"].as_array().expect("a list").iter().filter_map(Json::as_str));
    }
    reached.sort_unstable();
    reached.dedup();
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&folder.join("report.html"), "#goals/u=0");
    browser.until(&format!("document.querySelectorAll('.rows .row').length === {}", reached.len()));
    let mut listed: Vec<String> = Vec::new();
    let ids =
        browser.value("[...document.querySelectorAll('.rows .id')].map((one) => one.textContent)");
    listed
        .extend(ids.as_array().expect("a list").iter().filter_map(Json::as_str).map(String::from));
    listed.sort_unstable();
    assert_eq!(listed, reached);
    // The suite claims that a test comes to five, and the implementation broke down there.
    browser.open(&folder.join("report.html"), "#goals/u=2");
    browser.until("document.querySelectorAll('.rows .row').length === 1");
    assert_eq!(browser.value("document.querySelector('.rows .id').textContent"), "value:n:5");
    browser.open(&folder.join("report.html"), "#run");
    let text = browser.value("document.querySelector('main h2 + p').textContent");
    let expected = format!(
        "The suite covers {} of 14 goals; the run reached {} (covered by the suite and not reached: 1).",
        reached.len() + 1,
        reached.len()
    );
    assert_eq!(text, expected);
    browser.open(&folder.join("report.html"), "#goal/value:n:2");
    browser.until("document.querySelector('.inrun a')");
    browser.click(".inrun a");
    browser.until("location.hash === '#verdict/t1'");
    browser.open(&folder.join("report.html"), "#requirements");
    browser.click("td a[href='#verdict/t3']");
    browser.until("document.querySelector('.deviation')");
    browser.open(&folder.join("report.html"), "#tests");
    browser.click(".rows a[href='#verdict/t2']");
    browser.until("document.querySelector('.deviation.unknown')");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn a_narrow_window_is_not_too_narrow_for_runs() {
    let folder = folder("run-narrow");
    report(&folder);
    let mut browser = Browser::start(&folder.join("profile"));
    browser.resize(380, 800);
    for view in ["run", "verdict/t2", "verdict/t3", "verdict/t4", "goal/value:n:2", "requirements"]
    {
        browser.open(&folder.join("report.html"), &format!("#{view}"));
        browser.until("document.querySelector('main h1, main h2')");
        browser.screenshot(&folder.join(format!("{}.png", view.replace(['/', ':'], "-"))));
        let widths = browser.value("[document.documentElement.scrollWidth, innerWidth]");
        assert!(widths[0].as_u64() <= widths[1].as_u64(), "{view}: {widths}");
    }
    assert_eq!(browser.complaints, Vec::<String>::new());
}

const COUNTER: &str = "\
MODULE main
VAR cmd : {up, stay}; n : 0..3;
ASSIGN
  init(n) := 0;
  next(n) := case
    cmd = up & n < 3 : n + 1;
    TRUE : n;
  esac;
";

/// Counts whatever it is told.
const HASTY: &str = "\
n=0
while read -r request; do
  case $request in
    *reset*) n=0 ;;
    *) [ $n = 3 ] || n=$((n + 1)) ;;
  esac
  echo \"{\\\"outputs\\\": {\\\"n\\\": $n}}\"
done
";

#[test]
fn a_failure_names_the_mutants_that_it_resembles() {
    let folder = folder("run-resembles");
    write(&folder.join("model.smv"), COUNTER);
    write(&folder.join("sut.sh"), HASTY);
    let mutants = ["--criteria", "mutation", "--visibility", "duplicate", "-o", "suite.json"];
    trapline(&folder, &[&["generate", "model.smv"], &mutants[..]].concat());
    let run = ["run", "model.smv", "suite.json", "--sut", "sh sut.sh", "-o", "run.json"];
    assert_eq!(ended(&folder, &run), 1);
    let report = ["report", "model.smv", "suite.json", "--run", "run.json", "-o", "report.html"];
    trapline(&folder, &report);
    let text = std::fs::read_to_string(folder.join("run.json")).expect("it is written");
    let run: Json = serde_json::from_str(&text).expect("it is JSON");
    let tests = run["tests"].as_array().expect("a list");
    let failed = tests.iter().find(|test| test["verdict"] == "fail").expect("it is hasty");
    let mutant = &failed["resembles"][0];
    let text = mutant["text"].as_str().expect("a text");
    assert_eq!(mutant["alike"], "answer");
    let mut browser = Browser::start(&folder.join("profile"));
    let name = failed["name"].as_str().expect("a name");
    browser.open(&folder.join("report.html"), &format!("#verdict/{name}"));
    browser.until("document.querySelector('.resembles li')");
    let line = browser.value("document.querySelector('.resembles li').textContent");
    assert_eq!(line, format!("{text} (line {})", mutant["line"]));
    browser.screenshot(&folder.join("resembles.png"));
    // The mutant is a goal of the page.
    browser.click(".resembles li a");
    let id = mutant["goal"].as_str().expect("an id");
    browser.until(&format!("document.querySelector('main').textContent.includes('{id}')"));
    assert_eq!(browser.complaints, Vec::<String>::new());
}
