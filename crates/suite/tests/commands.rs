//! Which command a step took: written with the state where the step starts, read again, and where
//! nobody wrote it, known only if a single command explains the step.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use trapline_engine::{Budget, ENGINES, Engine};
use trapline_goals::decide::decide;
use trapline_goals::subgoals::Subgoals;
use trapline_goals::winnow::Wishes;
use trapline_goals::{GoalSet, Options, derive};
use trapline_model::trace::Trace;
use trapline_model::{Model, Scope, VarId};
use trapline_suite::complete::{Completer, Impossible, Limits};
use trapline_suite::coverage::coverage;
use trapline_suite::defines::Defines;
use trapline_suite::evaluate::{Method, evaluate};
use trapline_suite::journal::NoJournal;
use trapline_suite::suite::assemble;
use trapline_suite::write::states;
use trapline_suite::{generate, read};
use trapline_testkit::commands::{Listed, behaviour, commands};

use crate::laws::writing::written;

/// `same` explains what `up` does where `x` is small.
const TEXT: &str = "MODULE main
VAR x : 0..3; y : boolean; go : boolean;
INIT x = 0 & !y;
DEFINE
  up__when := go & x < 3; up__x := x + 1;
  both__when := go & (y | x = 1); both__x := 0; both__y := !y;
  same__when := go & x < 2; same__x := x + 1;
  rest__else := TRUE;  rest__y := TRUE;
";

fn made() -> (Model, GoalSet, Vec<Trace>) {
    let model = commands(TEXT, Scope::Step);
    let set = derive(&model, &["branch", "branch-pair"], &Options::default());
    let traces = decide(&set, &ENGINES[0], &Budget::unlimited()).traces;
    assert!(traces.iter().any(|trace| trace.states.len() > 2));
    (model, set, traces)
}

fn document(model: &Model, traces: &[Trace]) -> Json {
    let defines = Defines::new(model);
    let tests: Vec<Json> =
        traces.iter().map(|trace| states::trace(model, &defines, trace)).collect();
    json!({"format": "trapline-suite/1", "tests": tests})
}

fn drafts(model: &Model, document: &Json) -> Vec<read::Draft> {
    let format = read::find("json").expect("our own");
    read::read(model, format, &document.to_string()).expect("well-formed").drafts
}

fn completed(model: &Model, document: &Json) -> Vec<Trace> {
    let completer = Completer::new(model);
    let complete =
        |draft: &read::Draft| completer.complete(draft, &Limits::default(), &Budget::unlimited());
    drafts(model, document).iter().map(|draft| complete(draft).expect("a test")).collect()
}

/// Takes what is called so out of every state.
fn without(mut document: Json, name: &str) -> Json {
    for test in document["tests"].as_array_mut().expect("a list") {
        for state in test["states"].as_array_mut().expect("a list") {
            state.as_object_mut().expect("a state").remove(name);
        }
    }
    document
}

fn covered(set: &GoalSet, tests: &[Trace]) -> Vec<String> {
    let subgoals = Subgoals::new(set, &Budget::unlimited());
    let found = coverage(&subgoals, tests, &Budget::unlimited());
    let goals = set.goals.iter().zip(&subgoals.of_goal);
    goals.filter(|(_, own)| !found.tests[own[0]].is_empty()).map(|(g, _)| g.id.clone()).collect()
}

fn selector(model: &Model) -> VarId {
    model.find_var("_command_").expect("the selector")
}

#[test]
fn the_command_stands_in_the_state_where_the_step_starts() {
    let (model, set, traces) = made();
    let written = document(&model, &traces);
    for test in written["tests"].as_array().expect("a list") {
        let states = test["states"].as_array().expect("a list");
        for (idx, state) in states.iter().enumerate() {
            let label = state.get("command").and_then(Json::as_str);
            let is_known = ["up", "both", "same", "rest"].iter().any(|known| Some(*known) == label);
            assert_eq!(is_known, idx + 1 < states.len(), "{state}");
            assert_eq!(state.get("_command_"), None);
        }
    }
    let again = completed(&model, &written);
    assert_eq!(again, traces);
    assert_eq!(covered(&set, &again), covered(&set, &traces));
}

#[test]
fn a_command_counts_without_being_written_only_if_it_alone_explains_the_step() {
    let (model, set, traces) = made();
    let listed = Listed::new(&model);
    let bare = without(document(&model, &traces), "command");
    let again = completed(&model, &bare);
    let command = selector(&model);
    let (mut n_known, mut n_open) = (0, 0);
    for (trace, original) in again.iter().zip(&traces) {
        for (idx, pair) in trace.states.windows(2).enumerate() {
            let by = listed.explaining(&model, &pair[0].values, &pair[1].values);
            match (by.as_slice(), pair[0].get(command)) {
                ([_], Some(value)) => {
                    assert_eq!(Some(value), original.states[idx].get(command));
                    n_known += 1;
                }
                ([_, _, ..], None) => n_open += 1,
                other => panic!("{other:?}"),
            }
        }
        trapline_model::replay::replay(&model, trace).expect("some command explains each step");
    }
    assert!(n_known > 0 && n_open > 0, "{n_known} {n_open}");
    let (all, some) = (covered(&set, &traces), covered(&set, &again));
    assert!(some.iter().all(|id| all.contains(id)));
    // Whatever `same` does, `up` does too; above its bound `up` is alone.
    assert!(all.contains(&"branch:list.same".into()) && !some.contains(&"branch:list.same".into()));
    assert!(some.contains(&"branch:list.rest".into()));
}

#[test]
fn states_that_are_missing_too_are_found_whatever_command_led_there() {
    let (model, _, traces) = made();
    // `x` follows from the command, and the command from `y` and `go` or from nothing.
    let bare = without(without(document(&model, &traces), "command"), "y");
    let completer = Completer::new(&model);
    let found = drafts(&model, &bare);
    let found = found
        .iter()
        .map(|draft| completer.complete(draft, &Limits::default(), &Budget::unlimited()));
    let mut n_found = 0;
    for (found, original) in found.zip(&traces) {
        match found {
            Ok(trace) => {
                let values = |trace: &Trace| -> Vec<_> {
                    let mut states = trace.states.clone();
                    states.iter_mut().for_each(|state| state.drop_inputs(&model));
                    states
                };
                assert_eq!(values(&trace), values(original));
                n_found += 1;
            }
            Err(Impossible::Undetermined { var, .. }) => assert_ne!(var, selector(&model)),
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(n_found > 0);
}

#[test]
fn a_command_that_was_not_taken_is_found_out() {
    let (model, _, traces) = made();
    let mut written = document(&model, &traces[..1]);
    written["tests"][0]["states"][0]["command"] = "both".into();
    let draft = &drafts(&model, &written)[0];
    let found = Completer::new(&model).complete(draft, &Limits::default(), &Budget::unlimited());
    assert!(matches!(found, Err(Impossible::Forbidden { .. })), "{found:?}");
    // A number stands for a command too, and what is neither is no command.
    written["tests"][0]["states"][0]["command"] = 9.into();
    let format = read::find("json").expect("our own");
    let errors = read::read(&model, format, &written.to_string()).expect_err("no such command");
    assert!(errors[0].to_string().contains("command"), "{}", errors[0]);
}

/// The goals that brute force can reach: commands, and commands after each other.
fn reachable(model: &Model) -> BTreeSet<String> {
    let listed = Listed::new(model);
    let label = |idx: usize| model.groups[0].alternatives[idx].label.clone().expect("labelled");
    let steps = behaviour(model, &listed).steps;
    let mut ids = BTreeSet::new();
    for ((_, middle), by) in &steps {
        ids.extend(by.iter().map(|&idx| format!("branch:list.{}", label(idx))));
        for (_, then) in steps.iter().filter(|((from, _), _)| from == middle) {
            let pairs = by.iter().flat_map(|&idx| then.iter().map(move |&next| (idx, next)));
            ids.extend(
                pairs.map(|(a, b)| format!("branch-pair:list.{}:list.{}", label(a), label(b))),
            );
        }
    }
    ids
}

/// The goals that an evaluation says are covered; the others must be refuted.
fn evaluated(set: &GoalSet, tests: &[Trace], method: Method, engine: &Engine) -> BTreeSet<String> {
    let wishes = Wishes { infeasible: true, ..Wishes::default() };
    let found = evaluate(set, tests, method, wishes, engine, &Budget::unlimited());
    let goals = set.goals.iter().zip(&found.goals);
    let mut covered = BTreeSet::new();
    for (goal, scored) in goals {
        match scored.word() {
            "covered" => drop(covered.insert(goal.id.clone())),
            word => assert_eq!(
                word, "infeasible",
                "{} with {}: {:?}",
                goal.id, engine.name, scored.missing
            ),
        }
    }
    covered
}

#[test]
fn every_engine_covers_what_commands_can_do_and_a_written_suite_covers_the_same() {
    // `full` never follows itself, and overlaps with `both`.
    let full = "  full__when := go & x = 3; full__x := 0; full__y := FALSE;\n  rest__else";
    let text = TEXT.replace("  rest__else", full);
    let model = commands(&text, Scope::Step);
    let set = derive(&model, &["branch", "branch-pair"], &Options::default());
    let expected = reachable(&model);
    assert!(expected.len() < set.goals.len(), "something is infeasible");
    for engine in ENGINES {
        let options = generate::Options::usual(generate::Strategy::Extend, *engine);
        let made = generate::generate(&set, &options, &mut NoJournal, &Budget::unlimited());
        let (suite, _) = assemble(&set, &made, None, &Budget::unlimited());
        let tests: Vec<Trace> = suite.tests.iter().map(|test| test.trace.clone()).collect();
        let written = written(&model, &text, &set, &suite);
        let again = completed(&model, &serde_json::from_str(&written).expect("JSON"));
        for tests in [tests, again] {
            for method in [Method::Native, Method::Machine] {
                let found = evaluated(&set, &tests, method, engine);
                assert_eq!(found, expected, "{} {method:?}", engine.name);
            }
        }
    }
}
