//! The data of a page as JSON that is safe inside a script element.
//!
//! Where tests reach goals and the values of variables are most of it, so these are strings of
//! digits (`digits`). A page that would be too large to open is truncated: of each goal the first
//! tests are kept, and of the tests, the values of the first ones; a note says so.

use serde_json::{Value as Json, json};

use trapline_suite::property::Property;

use super::digits::{push, push_hit};
use super::run_data;
use crate::page::{
    Cell, Comparison, Decision, Evaluation, Goal, Location, Page, Shape, Showing, Table, Test,
    Verdict,
};

/// The digits that say where goals are reached.
const MAX_HITS: usize = 9 << 19;

/// These and the digits that say what variables do.
const MAX_DIGITS: usize = 17 << 19;

/// The data of a page.
pub fn json(page: &Page) -> String {
    let (per_goal, n_digits) = kept_hits(page);
    let goals: Vec<Json> = page.goals.iter().map(|one| goal(one, per_goal)).collect();
    let criteria = page.criteria.iter().map(|one| json!([one.name, one.about]));
    let variables = page.variables.iter().map(|one| {
        json!({"name": one.name, "role": one.role, "kind": one.kind,
               "shape": shape(one.shape), "values": one.values})
    });
    let requirements = page.requirements.iter().map(|one| {
        json!({"id": one.id, "text": one.text, "file": one.file, "line": one.line,
               "goals": one.goals})
    });
    let document = json!({
        "tool": page.tool,
        "model": {"path": page.model.path, "language": page.model.language,
                  "main": page.model.main, "sha256": page.model.sha256,
                  "keywords": page.model.keywords, "comments": page.model.comments},
        "suite": {"path": page.suite.path, "complete": page.suite.is_complete,
                  "modelSha256": page.suite.model_sha256, "impossible": page.suite.impossible},
        "options": page.options,
        "notices": page.notices,
        "sources": page.sources.iter().map(|one| json!([one.path, one.text])).collect::<Json>(),
        "criteria": criteria.collect::<Json>(),
        "goals": goals,
        "hitsPerGoal": (per_goal < usize::MAX).then_some(per_goal),
        "decisions": page.decisions.iter().map(decision).collect::<Json>(),
        "tables": page.tables.iter().map(table).collect::<Json>(),
        "variables": variables.collect::<Json>(),
        "tests": tests(&page.tests, MAX_DIGITS - n_digits),
        "requirements": requirements.collect::<Json>(),
        "run": page.run.as_ref().map(run_data::json),
        "comparison": page.comparison.as_ref().map(comparison),
        "graph": page.graph,
    });
    harmless(&document.to_string())
}

/// JSON that ends no script element and no line of a script. Such characters occur only inside
/// strings, where an escape means the same.
fn harmless(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                text.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => text.push(c),
        }
    }
    text
}

/// How many tests of each goal are kept, and how many digits that takes.
fn kept_hits(page: &Page) -> (usize, usize) {
    let size = |limit: usize| -> usize {
        let kept = |goal: &Goal| hits(goal, limit).len();
        page.goals.iter().map(kept).sum()
    };
    let limits = std::iter::once(usize::MAX).chain((2..=10).rev().map(|bits| 1 << bits));
    let sized = limits.map(|limit| (limit, size(limit)));
    let mut kept = sized.skip_while(|(_, n_digits)| *n_digits > MAX_HITS);
    // So many goals that even a few tests of each are too much are listed without any.
    kept.next().unwrap_or((0, 0))
}

fn goal(goal: &Goal, per_goal: usize) -> Json {
    let verdict = match goal.verdict {
        Verdict::Covered => 0,
        Verdict::NotCovered => 1,
        Verdict::Infeasible => 2,
        Verdict::Unknown => 3,
    };
    let pair = goal.pair.map(|pair| json!([pair.decision, pair.condition, pair.shown_by]));
    json!([
        goal.id,
        goal.criterion,
        goal.text,
        goal.place.map(place),
        verdict,
        goal.reason,
        goal.tests().len(),
        hits(goal, per_goal),
        pair,
        goal.property.and_then(|one| Property::ALL.iter().position(|known| *known == one)),
        goal.pair.map(|_| &goal.needs),
        goal.shown.and_then(Showing::remark),
    ])
}

fn place(place: Location) -> Json {
    json!([place.file, place.line, place.column])
}

/// The distance to the test before, and the state, of each test; the first one is that far from
/// the test before all.
fn hits(goal: &Goal, limit: usize) -> String {
    let mut text = String::new();
    let mut next = 0;
    for hit in goal.hits.iter().take(limit) {
        push_hit(&mut text, (hit.test + 1).saturating_sub(next), hit.state);
        next = hit.test + 1;
    }
    text
}

fn decision(decision: &Decision) -> Json {
    let row = |row: &Evaluation| {
        let bit = |value: &Option<bool>| match value {
            Some(true) => '1',
            Some(false) => '0',
            None => '-',
        };
        let conditions: String = row.conditions.iter().map(bit).collect();
        let hit = row.hit.map(|hit| [hit.test, hit.state]);
        json!([conditions, row.value, hit, row.n_tests, row.observed])
    };
    json!({
        "place": decision.place.map(place),
        "conditions": decision.conditions,
        "rows": decision.evaluations.iter().map(row).collect::<Json>(),
        "leftOut": decision.n_left_out,
    })
}

fn table(table: &Table) -> Json {
    let cells = |cells: &Vec<Cell>| cells.iter().map(cell).collect::<Json>();
    json!({"kind": table.kind, "title": cell(&table.title), "columns": table.columns,
           "rows": table.rows.iter().map(cells).collect::<Json>(), "values": cells(&table.values)})
}

fn cell(cell: &Cell) -> Json {
    json!([cell.text, cell.place.map(place), cell.goals])
}

fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::Boolean => "boolean",
        Shape::Number => "number",
        Shape::Symbol => "symbol",
    }
}

/// Name, number of states, loop, values and way back of each test.
fn tests(tests: &[Test], mut n_left: usize) -> Json {
    let tests = tests.iter().map(|test| {
        let values = values(test, n_left);
        n_left -= values.as_ref().map_or(0, String::len);
        json!([test.name, test.n_states, test.loop_start, values, test.back])
    });
    tests.collect()
}

/// The stretches of each variable: the value, from 1, and how many states it stays.
fn values(test: &Test, limit: usize) -> Option<String> {
    let mut text = String::new();
    for column in &test.columns {
        for stretch in column {
            push(&mut text, stretch.value.map_or(0, |value| value + 1));
            push(&mut text, stretch.n_states);
        }
        if text.len() > limit {
            return None;
        }
    }
    Some(text)
}

fn comparison(comparison: &Comparison) -> Json {
    let suites = comparison.suites.iter().map(|suite| {
        json!({"name": suite.name, "feasible": suite.n_feasible, "tests": suite.n_tests,
               "steps": suite.n_steps, "reached": suite.reached})
    });
    json!({"path": comparison.path, "suites": suites.collect::<Json>()})
}
