//! What must not look better than it is: violated properties, goals that only one test reaches, and values
//! of steps.

use serde_json::json;

use super::browser::Browser;
use super::{folder, trapline, write};

const MODEL: &str = "\
MODULE main
IVAR push : boolean;
VAR x : 0..5;
DEFINE moves := push & x < 3;
ASSIGN
  init(x) := 0;
  next(x) := moves ? x + 1 : 0;
INVARSPEC x < 2
INVARSPEC x < 4
";

#[test]
fn a_violated_property_is_a_negative_finding() {
    let folder = folder("properties");
    write(&folder.join("model.smv"), MODEL);
    write(&folder.join("tests.csv"), "push,x\nTRUE,0\nTRUE,1\n,2\n");
    let report = ["report", "model.smv", "tests.csv", "--criteria", "trap", "-o", "report.html"];
    trapline(&folder, &report);
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&folder.join("report.html"), "");
    let tile = browser.value("document.querySelector('.tile.open[href*=p0]').textContent");
    assert_eq!(tile, "1property violated, of 2✗");
    let badges = "[...document.querySelectorAll('table .badge')].map((one) => [one.className, one.textContent])";
    let expected = json!([["badge open", "✗ violated"], ["badge covered", "✓ holds"]]);
    assert_eq!(browser.value(badges), expected);
    browser.screenshot(&folder.join("summary.png"));
    browser.open(&folder.join("report.html"), "#source/8");
    browser.until("document.querySelectorAll('.row .mark.open').length === 1");
    assert_eq!(browser.value("document.querySelectorAll('.row .mark.covered').length"), 1);
    browser.screenshot(&folder.join("source.png"));
    browser.open(&folder.join("report.html"), "#goals/v=p0");
    browser.until("document.querySelectorAll('.rows .row').length === 1");
    browser.screenshot(&folder.join("goals.png"));
    assert_eq!(browser.complaints, Vec::<String>::new());
}

/// As on the terminal.
#[test]
fn what_belongs_to_a_step_stands_at_the_state_that_it_leads_to() {
    let folder = folder("steps");
    write(&folder.join("model.smv"), MODEL);
    write(&folder.join("tests.csv"), "push,x\nTRUE,0\nFALSE,1\n,0\n");
    let report = ["report", "model.smv", "tests.csv", "--criteria", "branch", "-o", "report.html"];
    trapline(&folder, &report);
    let mut browser = Browser::start(&folder.join("profile"));
    let rows = "[...document.querySelectorAll('.statepanel tbody tr')].map((row) => \
                [...row.querySelectorAll('td')].slice(0, 2).map((cell) => cell.textContent).join(' '))";
    let states = [
        ["push –", "x 0", "moves –"],
        ["push TRUE", "x 1", "moves TRUE"],
        ["push FALSE", "x 0", "moves FALSE"],
    ];
    for (state, expected) in states.iter().enumerate() {
        browser.open(&folder.join("report.html"), &format!("#test/t1/{state}"));
        browser.until("document.querySelector('.statepanel tbody tr')");
        assert_eq!(browser.value(rows), json!(expected));
        let goals = "document.querySelectorAll('.statepanel .goals li').length";
        assert_eq!(browser.value(goals), usize::from(state > 0));
    }
    browser.screenshot(&folder.join("test.png"));
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn a_pair_counts_for_both_tests_that_it_needs() {
    let folder = folder("needed");
    let model = "MODULE main VAR a : boolean; x : boolean;\nASSIGN init(x) := FALSE;\n\
                 next(x) := case a : TRUE; TRUE : x; esac;\n";
    write(&folder.join("model.smv"), model);
    write(&folder.join("tests.csv"), "a\nTRUE\nTRUE\n\nFALSE\nFALSE\n");
    let report = ["report", "model.smv", "tests.csv", "--criteria", "mcdc-masking"];
    trapline(&folder, &[&report[..], &["-o", "report.html"]].concat());
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&folder.join("report.html"), "#tests");
    browser.until("document.querySelectorAll('.rows .row').length === 2");
    browser.screenshot(&folder.join("tests.png"));
    let only = "[...document.querySelectorAll('.rows .row')].map((row) => row.lastElementChild.textContent)";
    assert_eq!(browser.value(only), json!(["1", "1"]));
    assert_eq!(browser.complaints, Vec::<String>::new());
}
