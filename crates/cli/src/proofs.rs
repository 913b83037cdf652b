//! Which recorded verdicts still count.
//!
//! A proof that a goal is infeasible holds for one question: this model, with this main module,
//! under these purposes, with these observers, and this very trap. Ids alone do not identify it:
//! the first line of a file of traps is `trap:line1` whatever its content.

use std::collections::HashMap;

use serde_json::{Value as Json, json};
use trapline_goals::Demand;
use trapline_goals::traps::{self, Traps};
use trapline_lang::smv::Smv;
use trapline_source::SourceFile;
use trapline_suite::read::{Document, RecordedGoal};
use trapline_suite::write::goals::trap;
use trapline_suite::write::{MAX_NODES, interface};

use crate::goal_args::Prepared;
use crate::load::Loaded;
use crate::suite_file::sha256;

/// What a suite records about a goal that none of its tests reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// No test can reach it.
    Infeasible(Option<String>),
    /// It is open.
    Unknown(Option<String>),
    /// Nothing.
    Nothing,
}

/// What a suite records, and the goals that it might be about.
pub struct Proofs<'a> {
    prepared: &'a Prepared,
    recorded: HashMap<&'a str, &'a RecordedGoal>,
    /// What its goals demand of tests.
    demand: Demand,
    /// Had the variables the roles that they have now?
    has_same_interface: bool,
    /// Why its proofs do not count.
    objection: Option<&'static str>,
    /// The traps of the goals, if a proof needs them.
    traps: Option<Traps>,
}

impl<'a> Proofs<'a> {
    /// What a suite records of these goals.
    pub fn new(prepared: &'a Prepared, document: &'a Document) -> Proofs<'a> {
        let recorded: HashMap<&str, &RecordedGoal> =
            document.goals.iter().map(|goal| (goal.id.as_str(), goal)).collect();
        let objection = objection(&prepared.loaded, document);
        let is_needed = |goal: &&RecordedGoal| is_proof(goal) && goal.trap.is_some();
        let needs_traps = objection.is_none() && recorded.values().any(is_needed);
        let traps = needs_traps.then(|| traps::traps(&prepared.set));
        let has_same_interface = document.interface == interface(&prepared.loaded.model);
        let demand = document.demand;
        Proofs { prepared, recorded, demand, has_same_interface, objection, traps }
    }

    /// What is recorded of a goal.
    pub fn of(&self, goal_idx: usize) -> Known {
        let goal = &self.prepared.set.goals[goal_idx];
        let Some(recorded) = self.recorded.get(goal.id.as_str()) else { return Known::Nothing };
        let reason = recorded.reason.clone();
        if !is_proof(recorded) {
            let is_open = recorded.verdict.as_deref() == Some("unknown");
            return if is_open { Known::Unknown(reason) } else { Known::Nothing };
        }
        let is_same = || self.is_same(goal_idx, recorded) && self.is_same_demand(goal_idx);
        let objection = self
            .objection
            .or_else(|| (!is_same()).then_some("the suite proves it of another question"));
        match objection {
            Some(text) => Known::Unknown(Some(match reason {
                Some(why) => format!("{text}: {why}"),
                None => text.into(),
            })),
            None => Known::Infeasible(reason),
        }
    }

    /// True if the suite demands of a goal what is demanded now, and the same can be seen, if that matters.
    fn is_same_demand(&self, goal_idx: usize) -> bool {
        let criterion = &self.prepared.set.goals[goal_idx].criterion;
        let [then, now] = [self.demand, self.prepared.demand].map(|it| it.about(criterion));
        then == now && (now == Demand::default() || self.has_same_interface)
    }

    /// True if a goal is the recorded one, as far as the suite tells.
    fn is_same(&self, goal_idx: usize, recorded: &RecordedGoal) -> bool {
        let has_same_text = recorded
            .text
            .as_ref()
            .is_none_or(|text| *text == self.prepared.set.goals[goal_idx].text);
        let text =
            |traps: &Traps| trap(&Smv, &traps.model, traps.claims[goal_idx].first(), MAX_NODES);
        let trap = self.traps.as_ref().filter(|_| recorded.trap.is_some()).map(text);
        let has_same_trap = match (&recorded.trap, trap.as_ref().and_then(Json::as_str)) {
            (Some(then), Some(now)) => unnumbered(then) == unnumbered(now),
            _ => true,
        };
        has_same_text && has_same_trap
    }
}

/// A trap whose variables that watch the model have no numbers: these depend on the other goals.
fn unnumbered(trap: &str) -> String {
    let mut text = String::with_capacity(trap.len());
    let mut parts = trap.split("__");
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, rest) = part.split_at(part.find(|c| !is_name(c)).unwrap_or(part.len()));
        text.push_str("__");
        text.push_str(name.trim_end_matches(|c: char| c.is_ascii_digit()));
        text.push_str(rest);
    }
    text
}

fn is_proof(goal: &RecordedGoal) -> bool {
    goal.verdict.as_deref() == Some("infeasible")
}

/// Why earlier proofs do not apply now.
fn objection(loaded: &Loaded, document: &Document) -> Option<&'static str> {
    let is_other = document.main.as_ref().is_some_and(|main| *main != loaded.main)
        || document.purposes != purposes(loaded)
        || document.observers != observers(loaded);
    match &document.model_sha256 {
        None => Some("the suite does not say of which model it proves it"),
        Some(sha256) if *sha256 != loaded.sha256 => {
            Some("infeasible in another version of the model")
        }
        Some(_) => is_other.then_some("the suite proves it of another question"),
    }
}

/// What the question is known by that all goals are part of, besides the text of the model.
pub fn question(loaded: &Loaded) -> String {
    sha256(&json!([loaded.main, purposes(loaded), observers(loaded)]).to_string())
}

/// What must hold along every test.
pub fn purposes(loaded: &Loaded) -> Vec<String> {
    loaded.purposes().iter().map(|file| file.text.to_string()).collect()
}

/// What the texts of the observers are known by.
pub fn observers(loaded: &Loaded) -> Vec<String> {
    let files = loaded.sources.files().iter().skip(1).take(loaded.observers.len());
    files.map(|file: &SourceFile| sha256(&file.text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traps_are_the_same_whatever_number_a_watcher_has() {
        assert_eq!(unnumbered("!(__after_12 & x1 = 2)"), unnumbered("!(__after_3 & x1 = 2)"));
        for other in ["!(__after_12 & x1 = 3)", "!(__after_12 & x2 = 2)", "!(__first & x1 = 2)"] {
            assert_ne!(unnumbered("!(__after_12 & x1 = 2)"), unnumbered(other));
        }
        assert_eq!(unnumbered("é = __b_7é__"), "é = __b_é__");
    }
}
