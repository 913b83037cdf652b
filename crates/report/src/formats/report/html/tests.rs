//! The page as a whole; what it looks like is for the browser's tests.

use crate::formats::report::html::write;
use crate::page::{
    Cell, Criterion, Goal, Hit, ModelFacts, Page, Requirement, Source, Stretch, Table, Test,
    Verdict,
};

use crate::run::{Exchange, Outcome, Run, RunTest, Values};
use serde_json::json;

const HOSTILE: &str = "</script><script>alert(1)</script><!-- ]]> \" ' & \u{2028} äöü 水";

fn hostile() -> Page {
    Page {
        model: ModelFacts { path: HOSTILE.into(), ..ModelFacts::default() },
        sources: vec![Source { path: HOSTILE.into(), text: HOSTILE.into() }],
        tests: vec![Test { name: HOSTILE.into(), n_states: 1, ..Test::default() }],
        requirements: vec![Requirement {
            id: HOSTILE.into(),
            text: HOSTILE.into(),
            ..Requirement::default()
        }],
        tables: vec![Table {
            rows: vec![vec![Cell { text: HOSTILE.into(), ..Cell::default() }]],
            ..Table::default()
        }],
        graph: HOSTILE.into(),
        ..Page::default()
    }
}

#[test]
fn names_become_no_markup() {
    let html = write(&hostile());
    let n_ends = html.matches("</script").count();
    assert_eq!(n_ends, 2, "the data and the script end once each");
    assert!(!html.contains("alert(1)</"), "{html}");
    assert!(html.contains("<title>&lt;/script&gt;"), "{html}");
}

#[test]
fn the_data_is_what_it_was() {
    let data = data(&write(&hostile()));
    assert_eq!(data["model"]["path"], HOSTILE);
    assert_eq!(data["tests"][0][0], HOSTILE);
    assert_eq!(data["requirements"][0]["id"], HOSTILE);
    assert_eq!(data["tables"][0]["rows"][0][0][0], HOSTILE);
}

#[test]
fn nothing_is_fetched() {
    let html = write(&Page::default());
    for address in ["http:", "https:", "src=", "url("] {
        let known = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!known.contains(address), "{address}");
    }
}

/// The dark colours stand twice: for readers who chose them, and for systems that are dark.
#[test]
fn both_dark_themes_are_the_same() {
    let css = include_str!("page.css");
    let dark: Vec<&str> = css
        .split("color-scheme: dark;")
        .skip(1)
        .filter_map(|rest| rest.split('}').next())
        .map(str::trim)
        .collect();
    assert_eq!(dark.len(), 2);
    assert_eq!(dark[0], dark[1]);
}

#[test]
fn a_page_too_large_is_cut_and_says_so() {
    let hits: Vec<Hit> = (0..100_000).map(|test| Hit { test, state: test % 70 }).collect();
    let goal = Goal {
        id: "g".into(),
        criterion: 0,
        text: String::new(),
        place: None,
        verdict: Verdict::Covered,
        reason: None,
        hits,
        pair: None,
        property: None,
        needs: Vec::new(),
        shown: None,
    };
    let test = Test {
        n_states: 1000,
        columns: vec![(0..1000).map(|idx| stretch(idx % 2)).collect(); 100],
        ..Test::default()
    };
    let page = Page {
        goals: vec![goal; 50],
        tests: vec![test; 50],
        criteria: vec![Criterion::default()],
        ..Page::default()
    };
    let html = write(&page);
    assert!(html.len() < 10_000_000, "{}", html.len());
    let data = data(&html);
    assert_eq!(data["goals"][0][6], 100_000, "the number of tests is that of all");
    assert_eq!(data["hitsPerGoal"], 1024);
    assert!(data["tests"][0][3].is_string());
    assert!(data["tests"][49][3].is_null());
}

/// A parameter is expected in every exchange, and shown in the first.
#[test]
fn what_an_exchange_does_not_show_is_as_expected() {
    let values = |list: &[(&str, &str)]| -> Values {
        list.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
    };
    let coded = |seen: &[(&str, &str)], expected: &[(&str, &str)]| {
        let expected = Some(values(expected));
        let exchange = Exchange { inputs: Values::new(), outputs: values(seen), expected };
        let test = RunTest { exchanges: vec![exchange], ..RunTest::default() };
        let run = Run { tests: vec![test], ..Run::default() };
        data(&write(&Page { run: Some(run), ..Page::default() }))["run"]["tests"][0][7].clone()
    };
    let plain = coded(&[("x", "1")], &[("x", "1")]);
    assert_eq!(plain, coded(&[("x", "1")], &[("x", "1"), ("p", "2")]));
    assert_ne!(plain, coded(&[("x", "1")], &[("x", "2"), ("p", "2")]));
    assert_ne!(coded(&[], &[]), coded(&[], &[("x", "1")]), "no answer is not as expected");
}

/// All verdicts stay, and of tests that did not pass what happened comes first.
#[test]
fn a_run_too_large_is_cut_and_keeps_its_verdicts() {
    let exchange = |test: usize, idx: usize| Exchange {
        inputs: vec![("in".into(), "x".repeat(20))],
        outputs: vec![("out".into(), format!("{test}-{idx}"))],
        expected: None,
    };
    let tests = (0..2_000).map(|idx| RunTest {
        name: format!("t{idx}"),
        outcome: if idx == 1_999 { Outcome::Fail } else { Outcome::Pass },
        stderr: "e".repeat(if idx == 1_999 { 8_000 } else { 0 }),
        n_exchanges: 300,
        exchanges: (0..300).map(|at| exchange(idx, at)).collect(),
        reached: (0..500).collect(),
        ..RunTest::default()
    });
    let run = Run { tests: tests.collect(), ..Run::default() };
    let html = write(&Page { run: Some(run), ..Page::default() });
    assert!(html.len() < 12_000_000, "{}", html.len());
    let tests = &data(&html)["run"]["tests"];
    assert_eq!(tests.as_array().map(Vec::len), Some(2_000));
    assert!(tests[1_999][5].is_object() && tests[1_999][7].is_string());
    assert!(tests[0][7].is_string() && tests[1_998][7].is_null());
    assert_eq!((&tests[1_998][0], &tests[1_998][2]), (&json!("t1998"), &json!(0)));
}

fn stretch(value: usize) -> Stretch {
    Stretch { value: Some(value), n_states: 1 }
}

fn data(html: &str) -> serde_json::Value {
    let start = html.find("id=\"data\">").map(|at| at + "id=\"data\">".len());
    let data = start.and_then(|start| html[start..].split("</script>").next());
    data.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}
