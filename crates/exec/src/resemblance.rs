//! Which faults of the model a failing implementation resembles: a hint where to look, and no diagnosis.
//!
//! A suite knows where a fault would show, and often what would be answered there. A failure resembles the
//! faults that show in its exchange, best those with the same answer. A fault is ruled out if it would have
//! shown where the implementation went on: earlier in this test, or in one that passed. Where one fault would
//! give the same answers in all failures, only such faults are listed. Otherwise the implementation may have
//! several.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde_json::Value as Json;
use trapline_model::Model;
use trapline_suite::write::states::members;

use crate::result::{Deviation, RunResult, TestResult, Verdict};
use crate::script::{Path, Script};

/// Where a test would show a fault.
#[derive(Clone, Debug)]
pub struct Symptom {
    /// The index of the test in the suite.
    pub test: usize,
    /// The exchange. Where the answer is not known, the fault may show earlier too.
    pub exchange: usize,
    /// What would be answered, null if nothing.
    pub outputs: Option<Json>,
}

/// What is alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Alike {
    /// The exchange and the answer.
    Answer,
    /// The exchange; what the fault would answer is not known.
    Perhaps,
    /// The exchange alone: the fault would answer otherwise.
    Exchange,
}

impl Alike {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Alike::Answer => "answer",
            Alike::Perhaps => "perhaps",
            Alike::Exchange => "exchange",
        }
    }
}

/// A fault that a failure resembles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resemblance {
    /// The fault.
    pub fault: usize,
    /// What is alike.
    pub alike: Alike,
}

/// For each test of a run, by its place, the faults that its failure resembles, the best first; those that
/// would answer otherwise only if there are no others. `scripts` are the tests of the suite, by their indices.
pub fn resemblances(
    model: &Model,
    run: &RunResult,
    faults: &[Vec<Symptom>],
    scripts: &HashMap<usize, Script>,
) -> Vec<Vec<Resemblance>> {
    let results = run.tests.iter();
    let played = results.map(|(idx, test)| Played::new(model, *idx, test, scripts.get(idx)));
    let played: Vec<Played<'_>> = played.collect();
    let mut all = vec![Vec::new(); played.len()];
    let mut n_alike = vec![0usize; faults.len()];
    for (fault, symptoms) in faults.iter().enumerate() {
        let of = |test: &Played<'_>| symptoms.iter().find(|symptom| symptom.test == test.idx);
        if played.iter().any(|test| of(test).is_some_and(|symptom| test.rules_out(symptom))) {
            continue;
        }
        for (place, test) in played.iter().enumerate() {
            if let Some(alike) = of(test).and_then(|symptom| test.alike(symptom)) {
                all[place].push(Resemblance { fault, alike });
                n_alike[fault] += usize::from(alike == Alike::Answer);
            }
        }
    }
    let n_failures = played.iter().filter(|test| test.failure.is_some()).count();
    for found in &mut all {
        found.sort_by_key(|it| (it.alike, Reverse(n_alike[it.fault])));
        let Some(best) = found.first().copied() else { continue };
        found.retain(|it| match best.alike {
            Alike::Answer if n_alike[best.fault] == n_failures => n_alike[it.fault] == n_failures,
            Alike::Answer | Alike::Perhaps => it.alike != Alike::Exchange,
            Alike::Exchange => true,
        });
    }
    all
}

/// How a test was played.
struct Played<'r> {
    idx: usize,
    /// How many exchanges went as the model allows, with the inputs of the test.
    n_right: usize,
    /// Where it failed after that, with the answer, null if there was none.
    failure: Option<(&'r Deviation, Json)>,
}

impl<'r> Played<'r> {
    fn new(model: &Model, idx: usize, test: &'r TestResult, script: Option<&Script>) -> Played<'r> {
        // Where the environment or another branch sends something else, the suite says nothing.
        let n_same = |path: &Path| {
            let pairs = test.exchanges.iter().zip(&path.exchanges);
            pairs.take_while(|(played, planned)| played.inputs == planned.inputs).count()
        };
        let paths = script.into_iter().flat_map(|script| &script.paths);
        let n_sent = paths.map(n_same).max().unwrap_or(0);
        let Some(deviation) = test.deviation.as_ref().filter(|_| test.verdict != Verdict::Pass)
        else {
            return Played { idx, n_right: n_sent, failure: None };
        };
        let end = match test.verdict {
            Verdict::Fail | Verdict::Error => deviation.exchange,
            Verdict::Pass | Verdict::Inconclusive => n_sent,
        };
        let answer = match deviation.observed.is_empty() {
            true => Json::Null,
            false => members(model, &deviation.observed).into(),
        };
        // A refused input is not among the exchanges.
        let is_it = test.verdict == Verdict::Fail && n_sent >= end;
        let failure = is_it.then_some((deviation, answer));
        Played { idx, n_right: n_sent.min(end), failure }
    }

    /// Would the fault have shown before?
    fn rules_out(&self, symptom: &Symptom) -> bool {
        symptom.exchange < self.n_right
    }

    fn alike(&self, symptom: &Symptom) -> Option<Alike> {
        let (deviation, answer) = self.failure.as_ref()?;
        let is_here = symptom.exchange == deviation.exchange;
        match &symptom.outputs {
            Some(outputs) if is_here && is_same(outputs, answer) => Some(Alike::Answer),
            Some(_) if is_here => Some(Alike::Exchange),
            None if symptom.exchange >= deviation.exchange => Some(Alike::Perhaps),
            _ => None,
        }
    }
}

/// Is what was seen what would be answered? What nobody sees is no difference.
fn is_same(outputs: &Json, seen: &Json) -> bool {
    match (outputs, seen) {
        (Json::Object(outputs), Json::Object(seen)) => {
            seen.iter().all(|(name, value)| outputs.get(name) == Some(value))
        }
        (Json::Null, Json::Null) => true,
        _ => false,
    }
}
