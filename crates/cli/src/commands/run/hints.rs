//! Hints where to look: the mutants that a failing implementation resembles, as far as the suite says where
//! they show.

use std::collections::HashMap;

use serde_json::{Value as Json, json};
use trapline_engine::possible::Ports;
use trapline_exec::resemblance::{Alike, Resemblance, Symptom, resemblances};
use trapline_exec::result::RunResult;
use trapline_exec::rounds::Tree;
use trapline_exec::script::Script;
use trapline_suite::read::RecordedGoal;

use crate::excerpt::one_line;
use crate::load::Loaded;
use crate::numbers::counted;
use crate::suite_input::SuiteInput;

/// At most so many mutants are named as text, and for programs.
const MAX_SHOWN: usize = 4;
const MAX_LISTED: usize = 20;

/// The mutants that tests resemble.
#[derive(Debug, Default)]
pub struct Hints {
    /// The mutants.
    mutants: Vec<RecordedGoal>,
    /// For each test of the run, by its place, those that it resembles, the best first.
    by_test: Vec<Vec<Resemblance>>,
}

impl Hints {
    /// What the suite says of failures, if it was made for this model. The trees are its tests.
    pub fn new(loaded: &Loaded, suite: &SuiteInput, trees: &[Tree], run: &RunResult) -> Hints {
        let document = &suite.document;
        let is_own = document.model_sha256.as_ref() == Some(&loaded.sha256);
        let goals = document.goals.iter().filter(|goal| is_own && !goal.appears.is_empty());
        let mutants: Vec<RecordedGoal> = goals.cloned().collect();
        if mutants.is_empty() {
            return Hints::default();
        }
        let test_of = document.test_of();
        let tree_of: HashMap<usize, usize> = (suite.trees().iter().enumerate())
            .map(|(idx, places)| (test_of[suite.origins[places.start]], idx))
            .collect();
        let symptoms = |mutant: &RecordedGoal| {
            let symptoms = mutant.appears.iter().filter_map(|it| {
                let test = *tree_of.get(&test_of[it.draft])?;
                Some(Symptom { test, exchange: it.exchange, outputs: it.outputs.clone() })
            });
            symptoms.collect()
        };
        let faults: Vec<Vec<Symptom>> = mutants.iter().map(symptoms).collect();
        let ports = Ports::new(&loaded.model);
        let scripts = trees.iter().map(|tree| (tree.idx, tree.script(&ports, &loaded.model)));
        let scripts: HashMap<usize, Script> = scripts.collect();
        let by_test = resemblances(&loaded.model, run, &faults, &scripts);
        Hints { mutants, by_test }
    }

    /// Are there any?
    pub fn is_empty(&self) -> bool {
        self.by_test.iter().all(Vec::is_empty)
    }

    fn of(&self, place: usize) -> &[Resemblance] {
        self.by_test.get(place).map_or(&[], |found| found)
    }

    /// The first test before this one that resembles the same mutants, if it resembles any.
    pub fn same_before(&self, place: usize) -> Option<usize> {
        let found = self.of(place);
        let first = self.by_test.iter().position(|other| other == found)?;
        (first < place && !found.is_empty()).then_some(first)
    }

    /// What a test resembles, a line each.
    pub fn lines(&self, place: usize) -> Vec<String> {
        let found = self.of(place);
        let mut lines: Vec<String> =
            found.iter().take(MAX_SHOWN).map(|it| self.line(*it)).collect();
        if let Some(n_more) = found.len().checked_sub(MAX_SHOWN).filter(|n_more| *n_more > 0) {
            lines.push(counted(n_more as u64, "more mutant"));
        }
        lines
    }

    fn line(&self, Resemblance { fault, alike }: Resemblance) -> String {
        let mutant = &self.mutants[fault];
        let text = one_line(mutant.text.as_deref().unwrap_or(&mutant.id));
        let line = mutant.line.map_or_else(String::new, |line| format!("line {line}: "));
        let how = match alike {
            Alike::Answer => "",
            Alike::Perhaps => " (it may answer otherwise)",
            Alike::Exchange => " (it would answer otherwise)",
        };
        format!("{line}{text}{how}")
    }

    /// Adds what tests resemble to the document of a run.
    pub fn add_to(&self, document: &mut Json) {
        let tests = document["tests"].as_array_mut().into_iter().flatten();
        for (place, test) in tests.enumerate().filter(|(place, _)| !self.of(*place).is_empty()) {
            let found = self.of(place);
            let list = found.iter().take(MAX_LISTED).map(|it| self.json(*it));
            test["resembles"] = list.collect();
            if let Some(n_more) = found.len().checked_sub(MAX_LISTED).filter(|n_more| *n_more > 0) {
                test["more_resembled"] = n_more.into();
            }
        }
    }

    fn json(&self, Resemblance { fault, alike }: Resemblance) -> Json {
        let RecordedGoal { id, text, line, .. } = &self.mutants[fault];
        json!({"goal": id, "text": text, "line": line, "alike": alike.word()})
    }
}
