//! Small things that are easily got wrong: narrow windows, long names, comments, numbers that must agree.

use std::path::Path;

use serde_json::json;

use super::browser::Browser;
use super::{folder, trapline, write};

/// A comment over several lines with `case` in it, a long name, and a branch that is never taken.
fn model() -> String {
    let long = "a_name_that_goes_on_".repeat(8);
    format!(
        "MODULE main\n/-- not a case\n case --/ VAR {long} : boolean; x : 0..3; y : boolean;\n\
         ASSIGN init(x) := 0;\n-- @req R1\nnext(x) := case\n  y & (x < 3 | {long}) : (x + 1) mod 4;\n  \
         x > 3 : 0;\n  TRUE : x;\nesac;\n"
    )
}

fn report(folder: &Path) {
    write(&folder.join("model.smv"), &model());
    let criteria = ["--criteria", "branch,mcdc-unique,mcdc-masking,mcdc-coupled"];
    let generate = ["generate", "model.smv", "--strategy", "separate", "-o", "suite.json"];
    trapline(folder, &[&generate[..], &criteria[..]].concat());
    let run = json!({
        "format": "trapline-run/1", "passed": 1, "failed": 0, "inconclusive": 0, "errors": 2,
        "tests": [{"name": "t1", "verdict": "error", "message": "it did not start"},
                  {"name": "t2", "verdict": "error"}, {"name": "t3", "verdict": "pass"}],
    });
    write(&folder.join("run.json"), &run.to_string());
    trapline(
        folder,
        &["report", "model.smv", "suite.json", "--run", "run.json", "-o", "report.html"],
    );
}

#[test]
fn a_narrow_window_has_room_for_what_matters() {
    let folder = folder("narrow");
    report(&folder);
    let mut browser = Browser::start(&folder.join("profile"));
    browser.resize(400, 800);
    browser.open(&folder.join("report.html"), "#goals");
    browser.until("document.querySelectorAll('.rows .row .badge').length > 0");
    browser.screenshot(&folder.join("goals.png"));
    let width =
        browser.value("document.querySelector('.rows .row > span:nth-child(2)').clientWidth");
    assert!(width.as_u64().is_some_and(|width| width > 120), "{width}");
    let is_seen = browser.value("document.querySelector('.rows .row .id').clientWidth > 0");
    assert_eq!(is_seen, false, "ids are left out");
    browser.open(&folder.join("report.html"), "#test/t1");
    browser.until("document.querySelector('.statepanel code')");
    browser.screenshot(&folder.join("test.png"));
    let table = "document.querySelector('.statepanel .scroll')";
    browser.until(&format!("{table}.scrollWidth <= {table}.clientWidth + 1"));
    browser.resize(1200, 800);
    browser.until(&format!("{table}.scrollWidth <= {table}.clientWidth + 1"));
    browser.screenshot(&folder.join("test-wide.png"));
    assert_eq!(browser.complaints, Vec::<String>::new());
}

/// All tabs and numbers can be read where there is no room for them side by side.
#[test]
fn a_narrow_window_shows_the_chosen_tab_and_whole_numbers() {
    let folder = folder("narrow-tabs");
    report(&folder);
    let compare = ["compare", "model.smv", "--criteria", "branch,condition,mcdc-masking"];
    trapline(&folder, &[&compare[..], &["--format", "json", "-o", "matrix.json"]].concat());
    let report = ["report", "model.smv", "suite.json", "--compare", "matrix.json"];
    let run = ["--run", "run.json", "-o", "report.html"];
    trapline(&folder, &[&report[..], &run[..]].concat());
    let mut browser = Browser::start(&folder.join("profile"));
    browser.resize(400, 800);
    for view in ["summary", "run", "compare", "graph"] {
        browser.open(&folder.join("report.html"), &format!("#{view}"));
        browser.until(
            "(() => { const tab = document.querySelector('nav [aria-current]') \
             .getBoundingClientRect(); return tab.left >= 0 && tab.right <= innerWidth; })()",
        );
    }
    browser.open(&folder.join("report.html"), "#compare");
    let heights = "[...document.querySelectorAll('.heat small')].map((one) => one.clientHeight)";
    let heights = browser.value(heights);
    let heights = heights.as_array().expect("there are numbers");
    assert!(heights.len() > 8 && heights.iter().all(|height| height.as_u64() < Some(25)));
    browser.open(&folder.join("report.html"), "#run");
    browser.until("document.querySelector('.rows .row .badge')");
    let widths = "[...document.querySelectorAll('.rows .row:first-child > span')] \
                  .filter((one) => one.clientWidth > 0).every((one) => one.clientWidth >= 40)";
    assert_eq!(browser.value(widths), true, "columns that are shown can be read");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

/// A word is drawn as its number, and listed with its type.
#[test]
fn words_have_room_in_a_waveform() {
    let folder = folder("words");
    write(
        &folder.join("model.smv"),
        "MODULE main VAR w : unsigned word[16]; s : signed word[8];\nASSIGN init(w) := 0ud16_7; \
         next(w) := w + 0ud16_1; init(s) := -0sd8_3; next(s) := s;\n",
    );
    let simulate =
        ["simulate", "model.smv", "--steps", "60", "--format", "json", "-o", "runs.json"];
    trapline(&folder, &simulate);
    let report = ["report", "model.smv", "runs.json", "--criteria", "branch", "-o", "report.html"];
    trapline(&folder, &report);
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&folder.join("report.html"), "");
    // What is drawn is pixels; so the texts are caught on their way.
    browser.value(
        "window.drawn = []; const draw = CanvasRenderingContext2D.prototype.fillText; \
         CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { \
         drawn.push(text); return draw.call(this, text, ...rest); }; location.hash = '#test/t1'",
    );
    browser.until("drawn.includes('8') && drawn.includes('-3') && drawn.includes('12')");
    assert_eq!(browser.value("drawn.filter((text) => text.includes('…')).length"), 0);
    browser.until("document.querySelector('.statepanel').textContent.includes('0ud16_7')");
    browser.screenshot(&folder.join("words.png"));
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn numbers_agree_and_infeasible_goals_do_not_count() {
    let folder = folder("numbers");
    report(&folder);
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&folder.join("report.html"), "");
    let tile = browser.value("document.querySelector('.tile[href=\"#run\"]').textContent");
    assert_eq!(tile, "2not passed of 3 tests run");
    assert_eq!(browser.value("document.querySelectorAll('.tile.open[href=\"#run\"]').length"), 1);
    let score = browser.value("document.querySelector('.tile.score > span').textContent");
    browser.screenshot(&folder.join("summary.png"));
    browser.open(&folder.join("report.html"), "#requirements");
    let requirement = browser.value("document.querySelector('main td.number').textContent");
    let (score, requirement) = (score.as_str().expect("text"), requirement.as_str().expect("text"));
    assert_eq!(score, format!("goals covered: {requirement}"));
    assert!(score.ends_with("infeasible)"), "{score}");
    browser.open(&folder.join("report.html"), "#source/8");
    browser.until("document.querySelector('.long.code .row i')");
    browser.screenshot(&folder.join("source.png"));
    let count = browser.value("document.querySelector('#line .count').textContent");
    assert_eq!(count, "1 infeasible");
    let comments = browser
        .value("[...document.querySelectorAll('.long.code i')].map((one) => one.textContent)");
    assert_eq!(comments, json!(["/-- not a case", " case --/", "-- @req R1"]));
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn the_rows_of_a_pair_lead_to_the_states_that_the_goal_lists() {
    let folder = folder("pairs");
    report(&folder);
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&folder.join("report.html"), "#goal/mcdc-masking%3Ax%3A1%3A1");
    browser.until("document.querySelectorAll('.truth tr.pair').length === 2");
    browser.screenshot(&folder.join("pair.png"));
    let hrefs = |selector: &str| {
        format!("[...document.querySelectorAll('{selector}')].map((one) => one.hash).sort()")
    };
    let rows = browser.value(&hrefs(".truth tr.pair a[href^=\"#test/\"]"));
    assert_eq!(rows, browser.value(&hrefs("#goal .chips a")));
    let shows = browser.value("document.querySelector('.truth tr.pair .shows').textContent");
    let shows = shows.as_str().expect("text");
    assert_eq!(shows.matches("c1:").count(), 1, "{shows}");
    assert!(shows.contains("masking"), "{shows}");
    let head = browser.value("document.querySelector('.truth thead th:nth-child(2)').textContent");
    assert_eq!(head, "c1y");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

/// Where conditions must matter at an output, a row says which of them does.
#[test]
fn rows_say_which_condition_is_seen_at_an_output() {
    let folder = folder("observed");
    let model = "MODULE main VAR a : boolean; b : boolean; x : boolean;\n\
                 ASSIGN init(x) := FALSE; next(x) := a & b;\n";
    write(&folder.join("model.smv"), model);
    let criteria = ["--criteria", "mcdc-masking", "--observable", "-o", "suite.json"];
    trapline(&folder, &[&["generate", "model.smv"], &criteria[..]].concat());
    trapline(&folder, &["report", "model.smv", "suite.json", "-o", "report.html"]);
    let mut browser = Browser::start(&folder.join("profile"));
    let row = |condition: u32| {
        format!(
            "[...document.querySelectorAll('.truth tr.pair')].map((row) => [...row.cells].slice(1, 5)\
             .map((cell) => cell.textContent).join(' ')).filter((text) => text.endsWith('c{condition}')).length"
        )
    };
    for condition in [1, 2] {
        let view = format!("#goal/mcdc-masking%3Ax%3Avalue1%3A{condition}");
        browser.open(&folder.join("report.html"), &view);
        browser.until("document.querySelectorAll('.truth tr.pair').length === 2");
        assert_eq!(browser.value(&row(condition)), 2);
    }
    browser.screenshot(&folder.join("observed.png"));
    assert_eq!(browser.complaints, Vec::<String>::new());
}

/// An empty table says why it is.
#[test]
fn what_is_empty_is_explained() {
    let folder = folder("empty");
    write(&folder.join("model.smv"), "MODULE main VAR x : boolean;\n");
    write(&folder.join("suite.json"), r#"{"format": "trapline-suite/1", "tests": []}"#);
    let report = ["report", "model.smv", "suite.json", "-o", "report.html"];
    trapline(&folder, &[&report[..], &["--criteria", "value"]].concat());
    let mut browser = Browser::start(&folder.join("profile"));
    let empty = "document.querySelector('.long .empty')?.textContent";
    browser.open(&folder.join("report.html"), "#tests");
    browser.until(&format!("{empty} === 'The suite has no tests.'"));
    browser.open(&folder.join("report.html"), "#goals/q=nothing");
    browser.until(&format!("{empty} === 'No goal fits the search and the filters.'"));
    browser.screenshot(&folder.join("goals.png"));
    browser.press("/");
    browser.press("Escape");
    browser.click(".filters button");
    browser.until("document.querySelectorAll('.rows .row').length === 2");
    browser.until("!document.querySelector('.long .empty')");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn a_test_that_is_called_like_a_number_is_found() {
    let folder = folder("numbered");
    write(&folder.join("model.smv"), "MODULE main VAR x : boolean; ASSIGN init(x) := FALSE;\n");
    let tests = ["~1", "same", "same"].map(|name| json!({"name": name, "states": [{"x": false}]}));
    let suite = json!({"format": "trapline-suite/1", "tests": tests});
    write(&folder.join("suite.json"), &suite.to_string());
    let report = ["report", "model.smv", "suite.json", "-o", "report.html"];
    trapline(&folder, &[&report[..], &["--criteria", "branch"]].concat());
    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&folder.join("report.html"), "");
    let score = browser.value("document.querySelector('.tile.score strong').textContent");
    assert_eq!(score, "no goals");
    let notes = browser.value("document.querySelector('.notes').textContent");
    assert_eq!(notes, "there are no goals, so there is no score");
    browser.open(&folder.join("report.html"), "#tests");
    browser.until("document.querySelectorAll('.rows .row a').length === 3");
    let hashes = browser.value("[...document.querySelectorAll('.rows a')].map((one) => one.hash)");
    assert_eq!(hashes, json!(["#test/~1", "#test/~~1", "#test/~~2"]));
    browser.open(&folder.join("report.html"), "#test/~1");
    browser.until("document.querySelector('main h1').textContent === '~1'");
    assert_eq!(browser.complaints, Vec::<String>::new());
}
