//! The data of a run as JSON.
//!
//! Exchanges and the goals that tests reached are most of it, so these are strings of digits. A run that would
//! be too large is cut: what the tests that did not pass show comes first, and every verdict is kept.

use std::collections::HashMap;

use serde_json::{Value as Json, json};

use super::digits::push;
use crate::page::Location;
use crate::run::{Exchange, Outcome, Reached, Run, RunTest, Values};

/// The bytes that say what happened in tests.
const MAX_BYTES: usize = 6 << 20;

/// The data of a run.
pub fn json(run: &Run) -> Json {
    let mut order: Vec<usize> = (0..run.tests.len()).collect();
    order.sort_by_key(|&idx| run.tests[idx].outcome);
    let mut pool = Pool::default();
    let mut tests = vec![Json::Null; run.tests.len()];
    let mut n_left = MAX_BYTES;
    for idx in order {
        let test = &run.tests[idx];
        let mut json =
            json!([test.name, test.test, outcome(test.outcome), test.step, test.n_exchanges]);
        let parts = [details(test), goals(test)].map(|part| {
            let n_bytes = part.to_string().len();
            let is_kept = n_bytes <= n_left;
            n_left -= if is_kept { n_bytes } else { 0 };
            is_kept.then_some(part)
        });
        let n_before = pool.n_bytes;
        let exchanges = pool.exchanges(test, n_left);
        let n_bytes = pool.n_bytes - n_before + exchanges.as_ref().map_or(0, String::len);
        n_left = n_left.saturating_sub(n_bytes);
        let list = json.as_array_mut().into_iter();
        list.for_each(|list| list.extend([json!(parts[0]), json!(parts[1]), json!(exchanges)]));
        tests[idx] = json;
    }
    let mut reached = String::new();
    run.goals.iter().for_each(|goal| push(&mut reached, status(*goal)));
    json!({
        "path": run.path,
        "complete": run.is_complete,
        "notices": run.notices,
        "goals": reached,
        "inputs": pool.inputs.names,
        "outputs": pool.outputs.names,
        "values": pool.values.names,
        "tests": tests,
    })
}

fn outcome(outcome: Outcome) -> usize {
    Outcome::ALL.iter().position(|known| *known == outcome).unwrap_or(0)
}

fn status(reached: Reached) -> usize {
    match reached {
        Reached::Yes => 0,
        Reached::Perhaps => 1,
        Reached::No => 2,
        Reached::Unknown => 3,
    }
}

/// What decided a test.
fn details(test: &RunTest) -> Json {
    if test.outcome == Outcome::Pass {
        return json!({ "branch": test.branch });
    }
    let place = |at: Location| [at.file, at.line, at.column];
    let places =
        test.places.iter().map(|it| json!([it.output, it.name, it.text, it.at.map(place)]));
    let resembles = test.resembles.iter();
    let resembles = resembles.map(|it| json!([it.text, it.line, it.goal, it.remark]));
    json!({
        "expected": test.expected,
        "observed": test.observed,
        "allowed": test.allowed,
        "more": test.has_more_allowed,
        "message": test.message,
        "stderr": test.stderr,
        "branch": test.branch,
        "places": places.collect::<Json>(),
        "resembles": resembles.collect::<Json>(),
        "more_resembled": test.n_more_resembled,
    })
}

/// The goals that a test reached, and those that it may have reached: the distances between them.
fn goals(test: &RunTest) -> Json {
    let coded = |goals: &[usize]| {
        let mut text = String::new();
        let mut next = 0;
        for &goal in goals {
            push(&mut text, goal - next);
            next = goal + 1;
        }
        text
    };
    json!([coded(&test.reached), coded(&test.perhaps)])
}

/// Texts, by number.
#[derive(Default)]
struct Names {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Names {
    /// The number of a text, and how many bytes it adds.
    fn number(&mut self, name: &str) -> (usize, usize) {
        if let Some(&number) = self.numbers.get(name) {
            return (number, 0);
        }
        self.names.push(name.into());
        self.numbers.insert(name.into(), self.names.len() - 1);
        (self.names.len() - 1, name.len())
    }
}

/// What the exchanges of all tests share.
#[derive(Default)]
struct Pool {
    inputs: Names,
    outputs: Names,
    values: Names,
    /// How long all of them are.
    n_bytes: usize,
}

impl Pool {
    /// The number of the first exchange, and the exchanges, unless they take too much room: for each the inputs,
    /// the outputs, and, as far as it is known, what was expected.
    fn exchanges(&mut self, test: &RunTest, max_bytes: usize) -> Option<String> {
        let mut text = String::new();
        let n_before = self.n_bytes;
        push(&mut text, test.first);
        for Exchange { inputs, outputs, expected } in &test.exchanges {
            self.push_values(&mut text, inputs, |pool| &mut pool.inputs);
            self.push_values(&mut text, outputs, |pool| &mut pool.outputs);
            push(&mut text, usize::from(expected.is_some()));
            if let Some(expected) = expected {
                // What is not shown does not differ: parameters are shown once.
                let is_other = |(name, value): &&(String, String)| {
                    let seen = outputs.iter().find(|(known, _)| known == name);
                    seen.map_or(outputs.is_empty(), |(_, seen)| seen != value)
                };
                let others = expected.iter().filter(is_other).cloned().collect();
                self.push_values(&mut text, &others, |pool| &mut pool.outputs);
            }
            if text.len() + self.n_bytes - n_before > max_bytes {
                return None;
            }
        }
        (max_bytes > 0).then_some(text)
    }

    fn push_values(&mut self, text: &mut String, values: &Values, of: fn(&mut Pool) -> &mut Names) {
        push(text, values.len());
        for (name, value) in values {
            for (number, n_bytes) in [of(self).number(name), self.values.number(value)] {
                push(text, number);
                self.n_bytes += n_bytes;
            }
        }
    }
}
