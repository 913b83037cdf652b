//! The report of a specification in tables: cells show what is covered, and lead to what is behind them.

use std::path::Path;

use serde_json::json;

use super::browser::Browser;
use super::{ended, folder, write};

/// The safety injection system with a cell that nothing reaches, a constraint that is hard to decide,
/// and a cell that no test reaches.
const MODEL: &str = "\
CONSTANTS
  Low    = 9
  Permit = 10
MONITORED
  Block     : {On, Off} INIT Off
  Reset     : {On, Off} INIT On
  WaterPres : 0..20 INIT 7
MODECLASS Pressure {TooLow, Permitted, High} INIT TooLow
TERMS
  Overridden : Boolean INIT False
CONTROLLED
  SafetyInjection : {On, Off} INIT On
NAT |WaterPres' - WaterPres| <= 3
TABLE Pressure MODE
  TooLow    | @T(WaterPres >= Low)    | Permitted
  TooLow    | @T(WaterPres > Permit + Low) AND @T(Block = On) | High
  Permitted | @T(WaterPres >= Permit) | High
  Permitted | @T(WaterPres < Low)     | TooLow
  High      | @T(WaterPres < Permit)  | Permitted
TABLE Overridden EVENT CLASS Pressure
  High              | NEVER                           | @T(INMODE)
  TooLow, Permitted | @T(Block = On) WHEN Reset = Off | @T(INMODE) OR @T(Reset = On)
  Overridden        | True                            | False
TABLE SafetyInjection CONDITION CLASS Pressure
  High, Permitted | True       | False
  TooLow          | Overridden | NOT Overridden
  SafetyInjection | Off        | On
ASSERT safe: Reset = On AND Pressure = TooLow => SafetyInjection = On
ASSERT block: Block = Off AND Pressure = TooLow => SafetyInjection = On
";

/// A report of random tests, which leave something open.
fn report(folder: &Path, limits: &[&str]) {
    write(&folder.join("sis.scr"), MODEL);
    let runs = ["--traces", "2", "--steps", "12", "--seed", "5", "--format", "json"];
    ended(folder, &[&["simulate", "sis.scr", "-o", "runs.json"], &runs[..]].concat());
    let goals = ["--criteria", "branch,mcdc-masking,trap", "-o", "report.html"];
    ended(folder, &[&["report", "sis.scr", "runs.json"], &goals[..], limits].concat());
}

#[test]
fn cells_show_their_coverage() {
    let folder = folder("tables");
    report(&folder, &[]);
    let file = folder.join("report.html");
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&file, "#tables");
    browser.until("document.querySelectorAll('.specs table').length > 6");
    for (theme, size) in [("light", 1400), ("light", 390), ("dark", 390), ("dark", 1400)] {
        let now = browser.value("document.documentElement.dataset.theme ?? 'light'");
        if now != theme {
            browser.click("#theme");
        }
        browser.resize(size, 900);
        browser.until("document.documentElement.scrollWidth <= innerWidth");
        browser.screenshot(&folder.join(format!("{theme}-{size}.png")));
        for (cell, name) in [("6/1/1", "transition"), ("7/1/2", "event"), ("7/1/0", "mode")] {
            browser.open(&file, &format!("#tables/{cell}"));
            browser.until("document.querySelector('#cell .goals')");
            browser.screenshot(&folder.join(format!("{theme}-{size}-{name}.png")));
        }
        browser.open(&file, "#tables");
    }
    assert_eq!(browser.complaints, Vec::<String>::new());
}

/// The text of a cell's mark, and what its colour says.
fn mark(browser: &mut Browser, cell: &str) -> String {
    let found = browser.value(&format!(
        "(() => {{ const a = document.querySelector(`a[href='#tables/{cell}']`); return a && \
         a.querySelector('.mark').textContent + ' ' + a.closest('.cell').className; }})()"
    ));
    found.as_str().unwrap_or("no goal").into()
}

#[test]
fn a_cell_leads_to_what_is_behind_it() {
    let folder = folder("tables-use");
    report(&folder, &[]);
    let file = folder.join("report.html");
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&file, "#tables");
    browser.until("document.querySelector('.spec .cell')");
    let marks = ["6/0/1", "6/1/1", "6/2/1", "6/3/1", "7/0/1", "9/0/1", "9/1/1"]
        .map(|cell| mark(&mut browser, cell));
    let expected = [
        "✓ 2/2 cell covered",
        "∅ cell infeasible",
        "✗ 0/3 cell open",
        "◐ 1/3 cell unknown",
        "no goal",
        "✓ cell covered",
        "✗ cell open",
    ];
    assert_eq!(marks, expected);
    // From a cell to its goals, their proofs and its tests, and from there to a test.
    browser.click("a[href='#tables/6/1/1']");
    browser
        .until("/reachable states/.test(document.querySelector('#cell .goals small').textContent)");
    browser.until("document.querySelectorAll('.specs [aria-current]').length === 1");
    browser.press("Escape");
    browser.until("location.hash === '#tables' && !document.querySelector('#cell')");
    browser.click("a[href='#tables/7/1/2']");
    browser.until("[...document.querySelectorAll('#cell .goals a')].some((a) => a.textContent.startsWith('event 2'))");
    browser.click("#cell .chips a[href^='#test/']");
    browser.until("document.querySelector('.wave')");
    browser.value("history.back()");
    browser.until("document.querySelector('#cell')");
    browser.click("#cell .goals a");
    browser.until("document.querySelector('#goal')");
    // What an address names wrongly is no cell.
    browser.open(&file, "#tables/6/99/1");
    browser.until("document.querySelector('.spec') && !document.querySelector('#cell')");
    browser.open(&file, "#tables/x");
    browser.until("document.querySelector('.spec') && !document.querySelector('#cell')");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn what_no_search_decided_is_unknown_and_paper_has_the_tables() {
    let folder = folder("tables-open");
    report(&folder, &["--max-work", "1"]);
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&folder.join("report.html"), "#tables");
    browser.until("document.querySelector('.spec .cell')");
    assert_eq!(mark(&mut browser, "6/1/1"), "? 0/5 cell unknown");
    browser.value("window.dispatchEvent(new Event('beforeprint'))");
    browser.until("document.querySelectorAll('#print .spec').length === 10");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn the_tables_alone_are_a_page() {
    let folder = folder("tables-document");
    write(&folder.join("sis.scr"), MODEL);
    let convert = ["convert", "sis.scr", "--to", "html", "-o", "sis.html"];
    assert_eq!(ended(&folder, &convert), 0);
    let mut browser = Browser::start(&folder.join("profile"));
    for (theme, size) in [("light", 1400), ("light", 390), ("dark", 1400)] {
        let features = json!([{"name": "prefers-color-scheme", "value": theme}]);
        browser.send("Emulation.setEmulatedMedia", json!({"features": features}));
        browser.resize(size, 900);
        browser.open_page(&folder.join("sis.html"), "", "h1");
        browser.until("document.querySelectorAll('table').length === 10");
        browser.until("document.documentElement.scrollWidth <= innerWidth");
        browser.screenshot(&folder.join(format!("{theme}-{size}.png")));
    }
    assert_eq!(browser.complaints, Vec::<String>::new());
}
