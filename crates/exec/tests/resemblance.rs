//! Without choices a suite knows what every mutant answers: executing it is compared with that, and a failing
//! mutant resembles itself.

use std::collections::HashMap;

use fastrand::Rng;
use trapline_budget::Budget;
use trapline_exec::adapters::{Implementation, Simulated};
use trapline_exec::execute::{Observation, execute};
use trapline_exec::resemblance::{Alike, Symptom, resemblances};
use trapline_exec::result::{RunResult, TestResult, Verdict};
use trapline_exec::script::Script;
use trapline_exec::tester::Tester;
use trapline_goals::subgoals::Subgoals;
use trapline_goals::visibility::implementation;
use trapline_goals::visibility::simulate::Face;
use trapline_goals::visibility::widen::faulty;
use trapline_goals::{GoalSet, Visibility, derive};
use trapline_model::trace::Trace;
use trapline_model::{Model, Role, Timing};
use trapline_suite::appearance::{Appearance, appearances};
use trapline_suite::coverage::coverage;
use trapline_suite::suite::{Test, trees};
use trapline_suite::write::states::members;
use trapline_testkit::exchanges::Exchanges;
use trapline_testkit::read;

/// Deterministic, with an internal state that hides faults for a while.
const HIDING: &str = "MODULE main
    VAR i : boolean; j : boolean; s : 0..2; t : boolean; o : {a, b};
    DEFINE d := s = 2 & t;
    ASSIGN
      init(s) := 0; next(s) := case i & s < 2 : s + 1; !i & j : 0; i | !i : s; esac;
      init(t) := FALSE; next(t) := case s = 2 : !t; j : FALSE; TRUE : t; esac;
      o := case t & s >= 1 : a; TRUE : b; esac;";

fn model() -> (Model, GoalSet) {
    let mut model = read(HIDING, &[]).0;
    for var in &mut model.vars {
        var.role = match var.name.as_str() {
            "i" | "j" => Role::Input,
            "o" => Role::Output,
            _ => Role::Internal,
        };
        // Whatever a mutant reads was sent before: an output of what is not sent yet would be a guess.
        var.timing = (var.role == Role::Input).then_some(Timing::State);
    }
    let options =
        trapline_goals::Options { visibility: Visibility::Duplicate, ..Default::default() };
    let set = derive(&model, &["mutation", "mutation:arithmetic"], &options);
    (implementation(&set.model), set)
}

fn check_test(test: &TestResult, symptom: Option<&Appearance>, what: &str) {
    let Some(symptom) = symptom else {
        assert_eq!(test.verdict, Verdict::Pass, "{what}");
        return;
    };
    assert_eq!(test.verdict, Verdict::Fail, "{what}");
    let deviation = test.deviation.as_ref().expect("it failed");
    assert_eq!(deviation.exchange, symptom.exchange, "{what}");
    match &symptom.face {
        Face::Outputs(outputs) => {
            let mut observed = deviation.observed.clone();
            observed.sort_by_key(|(output, _)| outputs.iter().position(|(it, _)| it == output));
            assert_eq!(&observed, outputs, "{what}");
        }
        Face::Refusal => assert!(deviation.observed.is_empty(), "{what}: {deviation:?}"),
        Face::Unknown => panic!("{what}: inputs determine everything"),
    }
}

#[test]
fn a_mutant_answers_as_the_suite_says_and_resembles_itself() {
    let (model, set) = model();
    let truth = Exchanges::new(&model).expect("every rule has a value");
    let budget = Budget::unlimited();
    let subgoals = Subgoals::new(&set, &budget);
    let tester = Tester::new(&model, &budget);
    let (mut n_answers, mut n_refusals, mut n_alone) = (0, 0, 0);
    for seed in 0..5 {
        let mut rng = Rng::with_seed(seed);
        let traces: Vec<Trace> =
            (0..4).map(|_| truth.walk(&mut rng, 12).expect("there are paths")).collect();
        let scripts = traces.iter().map(|it| Script::new(tester.ports(), &model, "t", &[it]));
        let scripts: HashMap<usize, Script> = scripts.enumerate().collect();
        let covered = coverage(&subgoals, &traces, &budget);
        let named =
            |trace: &Trace| Test { name: "t".into(), trace: trace.clone(), is_branch: false };
        let tests: Vec<Test> = traces.iter().map(named).collect();
        let found = appearances(&subgoals, &covered, (&tests, &trees(&tests)), &budget);
        let symptoms: Vec<Vec<Symptom>> =
            found.iter().map(|list| list.iter().map(|it| symptom(&model, it)).collect()).collect();
        for (goal, list) in found.iter().enumerate() {
            let what = format!("seed {seed}: {}", set.goals[goal].id);
            let copy = faulty(set.faults[goal].change.apply(&model));
            let mut implementation = Simulated::new(&copy, 0, &budget);
            let mut run = RunResult { is_complete: true, tests: Vec::new() };
            for idx in 0..traces.len() {
                implementation.prepare(idx, 0);
                let seen = Observation::default();
                let test = execute(&scripts[&idx], &model, &tester, &mut implementation, &seen);
                check_test(&test, list.iter().find(|it| it.test == idx), &what);
                run.tests.push((idx, test));
            }
            n_answers += list.iter().filter(|it| matches!(it.face, Face::Outputs(_))).count();
            n_refusals += list.iter().filter(|it| it.face == Face::Refusal).count();
            let alike = resemblances(&model, &run, &symptoms, &scripts);
            for ((_, test), alike) in run.tests.iter().zip(alike) {
                let is_itself =
                    alike.iter().any(|it| it.fault == goal && it.alike == Alike::Answer);
                assert_eq!(is_itself, test.verdict == Verdict::Fail, "{what}");
                n_alone += usize::from(alike.len() == 1);
            }
        }
    }
    assert!(
        n_answers > 100 && n_refusals > 5 && n_alone > 20,
        "{n_answers} {n_refusals} {n_alone}"
    );
}

fn symptom(model: &Model, it: &Appearance) -> Symptom {
    let outputs = match &it.face {
        Face::Outputs(outputs) => Some(members(model, outputs).into()),
        Face::Refusal => Some(serde_json::Value::Null),
        Face::Unknown => None,
    };
    Symptom { test: it.test, exchange: it.exchange, outputs }
}
