//! A report of a thousand tests and five thousand goals.

use std::fmt::Write as _;
use std::path::Path;

use super::browser::Browser;
use super::{folder, trapline, write};

const N_CELLS: usize = 40;
const CRITERIA: &str = "value,branch,branch-pair,decision,condition,mcdc-masking,boundary";

/// A model of many small machines that share two switches.
fn model() -> String {
    let mut text = String::from(
        "MODULE cell(a, b, on)\nVAR s : {idle, run, hold, done}; c : 0..7;\nASSIGN\n  \
         init(s) := idle; init(c) := 0;\n  next(s) := case\n    s = idle & a & on : run;\n    \
         s = run & b & !on & c > 3 : hold;\n    s = hold & (a | b) & on : done;\n    \
         s = done & !a : idle;\n    TRUE : s;\n  esac;\n  next(c) := case\n    \
         s = run & c < 7 : c + 1;\n    s = done : 0;\n    TRUE : c;\n  esac;\n",
    );
    let _ = writeln!(text, "MODULE main\nVAR a : boolean; b : boolean;");
    let _ = writeln!(text, "  on : array 0..{} of boolean;", N_CELLS - 1);
    for idx in 0..N_CELLS {
        let _ = writeln!(text, "  cell{idx} : cell(a, b, on[{idx}]);");
    }
    text
}

/// The milliseconds that it takes to open a page. A busy machine may be slow, but not every time.
fn opens(browser: &mut Browser, path: &Path) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        browser.open(path, "");
        let loaded = browser.value("performance.getEntriesByType('navigation')[0].loadEventEnd");
        best = best.min(loaded.as_f64().unwrap_or(f64::INFINITY));
        if best < 2_000.0 {
            break;
        }
    }
    best
}

#[test]
fn a_large_report_is_small_and_works() {
    let folder = folder("big");
    write(&folder.join("big.smv"), &model());
    let runs = ["--traces", "1000", "--steps", "20", "--seed", "1", "-o", "runs.json"];
    trapline(&folder, &[&["simulate", "big.smv", "--format", "json"], &runs[..]].concat());
    let arguments = ["report", "big.smv", "runs.json", "--criteria", CRITERIA, "-o", "big.html"];
    trapline(&folder, &arguments);
    let path = folder.join("big.html");
    let n_bytes = std::fs::metadata(&path).expect("the report is there").len();
    assert!(n_bytes < 10_000_000, "{n_bytes} bytes");

    let mut browser = Browser::start(&folder.join("profile"));
    let loaded = opens(&mut browser, &path);
    assert!(loaded < 2_000.0, "it opens after {loaded} ms");
    uses_goals(&mut browser);
    uses_tests(&mut browser);
    browser.value("window.before = performance.now()");
    browser.press("5");
    browser.until("document.querySelector('.grid canvas')?.width > 300");
    let drawn = browser.value("performance.now() - window.before");
    let times = format!("{n_bytes} bytes, loaded after {loaded} ms, matrix after {drawn} ms\n");
    write(&folder.join("times.txt"), &times);
    browser.screenshot(&folder.join("matrix.png"));
    // What is drawn follows the window.
    for height in [500, 1100] {
        browser.resize(1200, height);
        browser.until(
            "document.querySelector('.grid canvas').clientHeight \
             === document.querySelector('.grid').clientHeight",
        );
    }
    assert_eq!(browser.complaints, Vec::<String>::new());
}

fn uses_goals(browser: &mut Browser) {
    browser.click("nav a[href='#goals']");
    browser.until("document.querySelectorAll('.long .rows .row').length > 5");
    let n_rows = browser.value("document.querySelectorAll('.long .rows .row').length");
    assert!(n_rows.as_u64() < Some(100), "only the rows that are seen are there: {n_rows}");
    let n_goals = browser.value("Number(document.querySelector('.long').ariaRowCount) - 1");
    assert!(n_goals.as_u64() >= Some(5000), "{n_goals}");
    browser.press("/");
    browser.type_text("cell17.s hold");
    browser.until("Number(document.querySelector('.long').ariaRowCount) < 200");
    browser.until("document.querySelector('.rows .row').textContent.includes('cell17')");
    browser.click(".rows .row");
    browser.until("document.querySelector('#goal')?.textContent.includes('cell17')");
    browser.click("#goal .snippet a.here");
    browser.until("location.hash.startsWith('#source/')");
    let line = browser.value("location.hash.split('/')[1]");
    let line = line.as_str().expect("the address names a line").to_string();
    browser.until(&format!("document.querySelector('#line h2')?.textContent === 'Line {line}'"));
    browser.until(&format!("document.querySelector('.row.active .no').textContent === '{line}'"));
}

fn uses_tests(browser: &mut Browser) {
    browser.press("4");
    browser.until("document.querySelector('.rows .row a')?.textContent");
    browser.click(".rows .row:nth-child(3) a");
    browser.until("document.querySelector('.wave canvas')?.width > 300");
    browser.until("document.querySelector('.statepanel h2')?.textContent.startsWith('State 0')");
    browser.press("ArrowRight");
    browser.until("document.querySelector('.statepanel h2').textContent.startsWith('State 1')");
    let before = browser.value("document.querySelector('main h1').textContent");
    browser.press("]");
    browser.until(&format!("document.querySelector('main h1').textContent !== {before}"));
}
