//! Reports are read back: what they say is what the page says.

use std::collections::BTreeMap;

use quick_xml::events::{BytesStart, Event};
use serde_json::Value as Json;

use super::*;
use crate::page::{
    Cell, Criterion, Goal, Hit, Location, Requirement, Source, Table, Test, Verdict,
};
use crate::run::{Outcome, Place, Reached, Run, RunTest};

/// Text that tries to be something else in every format.
const NASTY: &str =
    "a | b <b>&\"'`x` @you #1 {0} \u{1}\u{7}\u{ffff} ]]> \\| é😀\n\t-- *c* </details>";

/// A page with goals of all verdicts, at places behind characters of all widths.
fn page() -> Page {
    let text = "MODULE main -- é\nVAR 😀é: boolean; x\r\nASSIGN y";
    let mut page = Page {
        tool: "trapline 1.2".into(),
        notices: vec!["too many {goals}".into()],
        sources: vec![
            Source { path: "./my dir/modèle:1.smv".into(), text: text.into() },
            Source { path: "/abs/watch.smv".into(), text: "MODULE w".into() },
        ],
        ..Page::default()
    };
    page.model.path = "my dir/modèle:1.smv".into();
    page.suite.path = "suite.json".into();
    for name in ["branch", "value", NASTY] {
        page.criteria.push(Criterion { name: name.into(), ..Criterion::default() });
    }
    add_goal(&mut page, 0, Verdict::Covered, Some((0, 1, 1)));
    add_goal(&mut page, 0, Verdict::Infeasible, Some((0, 2, 7)));
    add_goal(&mut page, 1, Verdict::NotCovered, Some((0, 3, 8)));
    add_goal(&mut page, 1, Verdict::Infeasible, Some((1, 1, 8)));
    add_goal(&mut page, 2, Verdict::Unknown, None);
    for (name, loop_start) in [("t1", None), (NASTY, Some(1))] {
        let name = name.into();
        page.tests.push(Test {
            name,
            n_states: 3,
            loop_start,
            columns: Vec::new(),
            back: Vec::new(),
        });
    }
    let requirement =
        Requirement { id: "R@1|".into(), text: NASTY.into(), ..Requirement::default() };
    page.requirements = vec![Requirement { goals: vec![0, 1, 2], ..requirement }];
    page
}

/// A table whose cells have goals of each kind.
fn spec_table() -> Table {
    let cell = |text: &str, goals: &[usize]| Cell {
        text: text.into(),
        place: None,
        goals: goals.to_vec(),
    };
    Table {
        kind: "event table, by M".into(),
        title: cell(NASTY, &[]),
        columns: vec![NASTY.into(), "Events".into()],
        rows: vec![
            vec![cell("A", &[0]), cell("@T(|x| > 1)", &[0, 2]), cell("NEVER", &[1])],
            vec![cell("B", &[2]), cell("@F(y)", &[4]), cell("", &[])],
        ],
        values: vec![cell("v", &[]), cell("1", &[]), cell("2", &[])],
    }
}

fn add_goal(
    page: &mut Page,
    criterion: usize,
    verdict: Verdict,
    at: Option<(usize, usize, usize)>,
) {
    let reason = matches!(verdict, Verdict::Infeasible | Verdict::Unknown);
    let hits =
        if verdict == Verdict::Covered { vec![Hit { test: 0, state: 2 }] } else { Vec::new() };
    page.criteria[criterion].counts.add(verdict);
    page.goals.push(Goal {
        id: format!("g{}", page.goals.len()),
        criterion,
        text: NASTY.into(),
        place: at.map(|(file, line, column)| Location { file, line, column }),
        verdict,
        reason: reason.then(|| NASTY.into()),
        hits,
        pair: None,
        property: None,
        needs: Vec::new(),
        shown: None,
    });
}

fn with_run(mut page: Page) -> Page {
    let tests = Outcome::ALL.into_iter().enumerate().map(|(idx, outcome)| RunTest {
        name: format!("t{}", idx + 1),
        test: (idx == 0).then_some(0),
        outcome,
        step: Some(4),
        expected: vec![("out<".into(), "High".into())],
        observed: vec![("out<".into(), "Low".into())],
        places: vec![Place { name: NASTY.into(), ..Place::default() }],
        message: Some(NASTY.into()),
        ..RunTest::default()
    });
    let tests = tests.collect();
    let goals = vec![Reached::Yes, Reached::Unknown, Reached::Perhaps, Reached::No, Reached::No];
    page.run = Some(Run { tests, goals, ..Run::default() });
    page
}

/// What a test suite says, and what is in it.
#[derive(Debug, Default, PartialEq, Eq)]
struct SuiteXml {
    said: BTreeMap<String, String>,
    n_cases: usize,
    n_in: BTreeMap<String, usize>,
    cases: Vec<BTreeMap<String, String>>,
}

fn attributes(element: &BytesStart<'_>) -> BTreeMap<String, String> {
    let attributes = element.attributes().map(|attribute| {
        let attribute = attribute.expect("an attribute");
        let key = attribute.key.as_ref().to_string();
        let raw = attribute.value.to_string();
        (key, quick_xml::escape::unescape(&raw).expect("an entity").into_owned())
    });
    attributes.collect()
}

fn suites(xml: &str) -> Vec<SuiteXml> {
    let is_allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    assert!(xml.chars().all(is_allowed), "a character that XML does not have");
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut suites: Vec<SuiteXml> = Vec::new();
    loop {
        let event = reader.read_event().expect("well-formed");
        let (Event::Start(element) | Event::Empty(element)) = &event else {
            match event {
                Event::Eof => return suites,
                _ => continue,
            }
        };
        let name = element.name().as_ref().to_string();
        let suite = suites.last_mut();
        match (name.as_str(), suite) {
            ("testsuites", None) => {}
            ("testsuite", _) => {
                suites.push(SuiteXml { said: attributes(element), ..SuiteXml::default() });
            }
            ("testcase", Some(suite)) => {
                suite.n_cases += 1;
                suite.cases.push(attributes(element));
            }
            (_, Some(suite)) => *suite.n_in.entry(name).or_default() += 1,
            _ => panic!("{name} stands outside of a suite"),
        }
    }
}

#[test]
fn junit_has_a_suite_for_each_criterion_and_a_case_for_each_goal() {
    let page = page();
    let suites = suites(&junit::write(&page));
    assert_eq!(suites.len(), page.criteria.len());
    for (suite, criterion) in suites.iter().zip(&page.criteria) {
        let counts = criterion.counts;
        let n_in = |name: &str| suite.n_in.get(name).copied().unwrap_or(0);
        assert_eq!(suite.n_cases, counts.total());
        assert_eq!(n_in("failure"), counts.not_covered);
        assert_eq!(n_in("skipped"), counts.infeasible + counts.unknown);
        assert_eq!(suite.said["tests"], counts.total().to_string());
        assert_eq!(suite.said["failures"], counts.not_covered.to_string());
        assert_eq!(suite.said["skipped"], (counts.infeasible + counts.unknown).to_string());
    }
    let case = &suites[1].cases[0];
    assert_eq!((case["file"].as_str(), case["line"].as_str()), ("./my dir/modèle:1.smv", "3"));
    let clean = NASTY.replace(['\u{1}', '\u{7}', '\u{ffff}'], "\u{fffd}");
    assert_eq!(case["name"], format!("g2: {clean}"));
}

#[test]
fn junit_has_a_case_for_each_test_of_a_run() {
    let mut page = with_run(page());
    page.suite.impossible = vec!["t9".into()];
    let suites = suites(&junit::write(&page));
    let [run, impossible] = &suites[3..] else { panic!("{suites:?}") };
    let kinds: Vec<(&str, usize)> = run.n_in.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!((run.n_cases, kinds), (4, vec![("error", 1), ("failure", 1), ("skipped", 1)]));
    assert_eq!(impossible.cases[0]["name"], "t9");
    assert_eq!(impossible.said["errors"], "1");
}

fn results(page: &Page) -> (Json, Vec<Json>) {
    let json: Json = serde_json::from_str(&sarif::write(page)).expect("JSON");
    let run = json["runs"][0].clone();
    let results = run["results"].as_array().expect("a list").clone();
    (run, results)
}

#[test]
fn sarif_has_a_result_at_the_place_of_each_goal_that_is_not_covered() {
    let (run, results) = results(&page());
    let shown: Vec<_> = results
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            let region = &place["region"];
            (
                result["properties"]["goal"].as_str().expect("an id"),
                result["level"].as_str().expect("a level"),
                place["artifactLocation"]["uri"].as_str().expect("a URI"),
                (region["startLine"].as_u64(), region["startColumn"].as_u64()),
            )
        })
        .collect();
    let model = "my%20dir/mod%C3%A8le%3A1.smv";
    // Before the column 7 of the second line stands a character of two code units.
    let expected = [
        ("g1", "warning", model, (Some(2), Some(8))),
        ("g2", "note", model, (Some(3), Some(8))),
        ("g3", "note", "file:///abs/watch.smv", (Some(1), Some(8))),
        ("g4", "note", model, (None, None)),
    ];
    assert_eq!(shown, expected);
    assert_eq!(run["columnKind"], "utf16CodeUnits");
    assert_eq!(results[0]["properties"]["requirements"], serde_json::json!(["R@1|"]));
}

#[test]
fn sarif_names_the_rule_of_each_result() {
    let (run, results) = results(&page());
    let rules = run["tool"]["driver"]["rules"].as_array().expect("a list");
    let ids: Vec<&str> = rules.iter().filter_map(|rule| rule["id"].as_str()).collect();
    assert_eq!(ids[..3], ["branch/infeasible", "value/not-covered", "value/infeasible"]);
    for result in &results {
        let rule = &rules[result["ruleIndex"].as_u64().expect("a number") as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert_eq!(rule["defaultConfiguration"]["level"], result["level"]);
        let text = result["message"]["text"].as_str().expect("a text");
        assert!(text.contains("{{0}}") && !text.replace("{{", "").contains('{'), "{text}");
    }
}

/// The tables of a Markdown text: cells by row, the head left out.
fn tables(markdown: &str) -> Vec<Vec<Vec<String>>> {
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    let mut is_inside = false;
    for line in markdown.lines() {
        if !line.starts_with('|') {
            is_inside = false;
            continue;
        }
        if !is_inside {
            tables.push(Vec::new());
            is_inside = true;
        }
        let cells = line.replace("\\|", "\u{0}");
        let cells =
            cells.trim_matches('|').split('|').map(|cell| cell.trim().replace('\u{0}', "|"));
        tables.last_mut().expect("one").push(cells.collect());
    }
    for table in &tables {
        assert!(table.iter().all(|row| row.len() == table[0].len()), "{table:?}");
    }
    tables.into_iter().map(|table| table[2..].to_vec()).collect()
}

#[test]
fn markdown_tables_have_the_numbers_of_the_page() {
    let page = with_run(page());
    let text = markdown::write(&page);
    let tables = tables(&text);
    let [criteria, run, not_covered, unknown, infeasible, requirements, tests] = tables.as_slice()
    else {
        panic!("{text}")
    };
    assert_eq!(criteria[0][1..7], ["5", "1", "1", "2", "1", "33.3 %"]);
    assert_eq!(criteria[1][..6], ["`branch`", "2", "1", "0", "1", "0"]);
    assert_eq!(run.len(), 3);
    assert_eq!(run[0][1..4], ["fail", "4", "`out< = High`"]);
    let shown = "The suite covers 1 of 3 goals; the run reached 1 (may have been reached: 1).";
    assert!(text.contains(shown), "{text}");
    let column = |table: &[Vec<String>], idx: usize| -> Vec<String> {
        table.iter().map(|row| row[idx].clone()).collect()
    };
    assert_eq!([column(not_covered, 1), column(unknown, 1)], [["`g2`"], ["`g4`"]]);
    assert_eq!(column(infeasible, 1), ["`g1`", "`g3`"]);
    assert_eq!(infeasible[0][0], "`./my dir/modèle:1.smv:2`");
    assert_eq!(requirements[0][2..], ["1 of 2", "1", "50.0 %", "1"]);
    assert_eq!(tests[0], ["`t1`", "2", "1", "", "pass"]);
}

#[test]
fn markdown_shows_the_coverage_of_cells() {
    let table = spec_table();
    let text = markdown::write(&Page { tables: vec![table], ..page() });
    assert!(text.contains("<summary>1 of 4 table cells covered</summary>"), "{text}");
    let tables = tables(&text);
    let shown = [
        ["`A` ✓ 1/1", "`@T(|x| > 1)` ◐ 1/2", "`NEVER` ∅"],
        ["`B` ✗ 0/1", "`@F(y)` ? 0/1", ""],
        ["`v`", "`1`", "`2`"],
    ];
    assert_eq!(tables[1], shown);
}

#[test]
fn markdown_has_no_score_where_no_goal_counts() {
    let mut page = page();
    let infeasible = Requirement { goals: vec![1, 3], ..page.requirements[0].clone() };
    let bare = Requirement { goals: Vec::new(), ..page.requirements[0].clone() };
    page.requirements = vec![infeasible, bare];
    let text = markdown::write(&page);
    let tables = tables(&text);
    let shown: Vec<&[String]> = tables[4].iter().map(|row| &row[2..]).collect();
    assert_eq!(shown, [["0 of 0", "2", "all infeasible", "0"], ["0 of 0", "0", "no goals", "0"]]);
    let empty = Page { criteria: page.criteria[..0].to_vec(), goals: Vec::new(), ..page };
    let text = markdown::write(&Page { requirements: Vec::new(), ..empty });
    assert!(text.starts_with("## `my dir/modèle:1.smv`: no goals\n"), "{text}");
    assert!(!text.contains('%'), "{text}");
}

#[test]
fn junit_without_goals_is_a_document_without_suites() {
    assert_eq!(suites(&junit::write(&Page::default())), []);
}

#[test]
fn markdown_calls_nobody_and_opens_no_tag() {
    let page = Page { tables: vec![spec_table()], ..with_run(page()) };
    let text = markdown::write(&page);
    // What stands between backticks is code.
    let outside: String = text.split('`').step_by(2).collect();
    let code = ["<code>", "</code>", "<details>", "</details>", "<summary>", "</summary>"];
    let outside = code.iter().fold(outside, |text, tag| text.replace(tag, ""));
    assert!(!outside.contains('<'), "{outside}");
    assert!(!outside.contains("@you") && !outside.contains(" #1"), "{outside}");
    assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
}

#[test]
fn markdown_fits_into_a_comment_and_says_what_it_leaves_out() {
    let mut page = with_run(page());
    for idx in 0..2_000 {
        let verdicts = [Verdict::NotCovered, Verdict::Infeasible];
        add_goal(&mut page, 1, verdicts[idx % 2], Some((0, 1, 1)));
    }
    page.tests = vec![page.tests[1].clone(); 1_000];
    page.requirements = vec![page.requirements[0].clone(); 500];
    page.criteria.extend(vec![Criterion { name: NASTY.repeat(9), ..Criterion::default() }; 300]);
    page.model.path = NASTY.repeat(100);
    page.tables = vec![spec_table(); 300];
    let text = markdown::write(&page);
    assert!(text.len() < 65_536, "{}", text.len());
    assert!(text.contains(" tables left out because comments have a limit"), "{text}");
    page.tables.clear();
    let text = markdown::write(&page);
    assert!(text.len() < 65_536, "{}", text.len());
    let n_left_out: Vec<usize> = text
        .lines()
        .filter_map(|line| line.strip_prefix("… and ")?.split(' ').next()?.parse().ok())
        .collect();
    let n_shown: Vec<usize> = tables(&text).iter().map(Vec::len).collect();
    let [criteria, run, not_covered, 1, infeasible, requirements, tests] = n_shown[..] else {
        panic!("{n_shown:?}")
    };
    let n_all = [criteria, not_covered, infeasible, requirements, tests];
    let n_all: Vec<usize> = n_all.iter().zip(&n_left_out).map(|(a, b)| a + b).collect();
    assert_eq!(n_all, [304, 1_001, 1_002, 500, 1_000]);
    assert_eq!(run, 3);
}

#[test]
fn every_format_writes_an_empty_page() {
    for format in FORMATS {
        assert!(!(format.write)(&Page::default()).is_empty() || format.name == "html");
        assert_eq!((format.write)(&page()), (format.write)(&page()), "{}", format.name);
    }
}
