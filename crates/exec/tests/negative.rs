//! Negative tests: the last step of each is one that an implementation must not make.

use std::collections::BTreeSet;

use fastrand::Rng;
use trapline_budget::Budget;
use trapline_engine::possible::{Exchange, Inputs, Outputs};
use trapline_exec::adapters::{Answer, Breakdown, Implementation, Shown};
use trapline_exec::execute::{Observation, execute};
use trapline_exec::result::Verdict;
use trapline_exec::script::Script;
use trapline_exec::tester::Tester;
use trapline_model::Model;
use trapline_model::trace::{State, Trace};
use trapline_testkit::brute_force::Values;
use trapline_testkit::exchanges::{Exchanges, random_model};

/// Answers with these outputs, one after the other.
struct Recorded(std::vec::IntoIter<Outputs>);

impl Implementation for Recorded {
    fn reset(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown> {
        self.step(inputs)
    }

    fn step(&mut self, _: &Inputs) -> Result<Answer, Breakdown> {
        let outputs = self.0.next().expect("no more is asked than the test has");
        Ok(Answer::Shown(Shown { inputs: Inputs::new(), outputs, extra: Vec::new() }))
    }
}

#[derive(Debug, Default)]
struct Counts {
    n_wrong: usize,
    n_right: usize,
    n_hidden: usize,
    n_not_sent: usize,
}

/// Are all inputs enabled, and what may be shown in the last exchange?
fn allowed(truth: &Exchanges<'_>, script: &Script) -> (bool, Vec<Outputs>) {
    let mut possible = BTreeSet::new();
    let mut is_enabled = true;
    for (idx, exchange) in script.paths[0].exchanges.iter().enumerate() {
        let Exchange { inputs, outputs } = exchange.clone();
        let is_last = idx + 1 == script.paths[0].exchanges.len();
        let seen = Exchange { inputs, outputs: if is_last { Outputs::new() } else { outputs } };
        let mut offers = truth.offers(&possible).into_values();
        is_enabled &= idx == 0 || offers.all(|offer| offer.contains(&exchange.inputs));
        possible = if idx == 0 { truth.start(&seen) } else { truth.step(&possible, &seen) };
        is_enabled &= !possible.is_empty();
    }
    let shown = |state: &Values| truth.ports.shown(&State { values: state.clone() });
    (is_enabled, possible.iter().map(shown).collect())
}

fn check(rng: &mut Rng, model: &Model, counts: &mut Counts) {
    let Some(truth) = Exchanges::new(model) else { return };
    let budget = Budget::unlimited();
    let tester = Tester::new(model, &budget);
    let all: Vec<&Values> = truth.steps.keys().collect();
    for _ in 0..20 {
        let Some(Trace { mut states, .. }) = truth.walk(rng, 4) else { return };
        // Some state in place of the last one; the test is negative if the model has no such step.
        let last = states.len() - 1;
        states[last] = State { values: all[rng.usize(..all.len())].clone() };
        let is_step = match last.checked_sub(1) {
            None => truth.initial.contains(&states[0].values),
            Some(before) => {
                let mut steps = truth.steps.values().flatten();
                steps.any(|(from, to)| *from == states[before].values && *to == states[last].values)
            }
        };
        if is_step {
            continue;
        }
        let trace = Trace { states, loop_start: None };
        let script =
            Script { is_negative: true, ..Script::new(tester.ports(), model, "t", &[&trace]) };
        let (is_enabled, allowed) = allowed(&truth, &script);
        let planned: Vec<Outputs> =
            script.paths[0].exchanges.iter().map(|it| it.outputs.clone()).collect();
        let verdict = |last: &Outputs| {
            let mut outputs = planned.clone();
            outputs.splice(planned.len() - 1.., [last.clone()]);
            let mut implementation = Recorded(outputs.into_iter());
            let observation = Observation::default();
            execute(&script, model, &tester, &mut implementation, &observation)
        };
        let forbidden = &planned[planned.len() - 1];
        let made = verdict(forbidden);
        if !is_enabled {
            counts.n_not_sent += 1;
            assert_eq!(made.verdict, Verdict::Inconclusive);
            continue;
        }
        if allowed.contains(forbidden) {
            counts.n_hidden += 1;
            assert_eq!(made.verdict, Verdict::Inconclusive, "nobody sees it");
        } else {
            counts.n_wrong += 1;
            assert_eq!(made.verdict, Verdict::Fail, "{made:?} {script:?} {allowed:?}");
        }
        for outputs in allowed.iter().filter(|outputs| *outputs != forbidden) {
            counts.n_right += 1;
            assert_eq!(verdict(outputs).verdict, Verdict::Pass);
        }
    }
}

#[test]
fn a_negative_test_fails_where_its_last_step_is_made() {
    let mut counts = Counts::default();
    for seed in 0..200 {
        let (mut rng, model) = random_model(seed);
        check(&mut rng, &model, &mut counts);
    }
    let Counts { n_wrong, n_right, n_hidden, n_not_sent } = counts;
    assert!(n_wrong > 100 && n_right > 100 && n_hidden > 100 && n_not_sent > 100, "{counts:?}");
}
