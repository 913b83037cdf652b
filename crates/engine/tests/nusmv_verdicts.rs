//! Every engine says of small models what NuSMV says of them.
//!
//! `tests/nusmv` has models with NuSMV's verdicts: two collections found by experiment, and
//! random ones that `cargo xtask random --store` wrote.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};
use trapline_engine::{Budget, ENGINES, Engine, Limits, Outcome};
use trapline_lang::{Input, smv};
use trapline_model::{Formula, Model, PropertyKind, lasso, replay};
use trapline_source::{Diagnostics, Sources};

/// Enough for every model here, and the same everywhere.
const WORK: u64 = 200_000_000;

/// A part of the name or text of models whose verdicts are not compared, and why.
const INTENDED: &[(&str, &str)] = &[
    ("2147483647", "NuSMV's integers wrap at 32 bits, ours do not"),
    ("65536", "NuSMV's integers wrap at 32 bits, ours do not"),
    ("000000", "NuSMV's integers wrap at 32 bits, ours do not"),
    ("word[64]", "there are 2^64 states"),
    ("mask-", "NuSMV calls a failure equal to itself, for us it stays a failure"),
    ("fail-minus-where-ltlspec-case", "NuSMV takes a failure in LTL for false"),
    ("fail-minus-where-ltlspec-g-case", "NuSMV takes a failure in LTL for false"),
    ("fail-minus-where-b-2", "NuSMV takes a failure in LTL for false"),
];

/// How the verdicts of a file are ordered.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    /// As NuSMV's list of properties, which is ours.
    List,
    /// As NuSMV checks them; inside a kind we do not know how.
    Checked,
}

/// What came out for a file.
#[derive(Default)]
struct Tally {
    n_equal: usize,
    problems: Vec<String>,
}

#[test]
fn random_models_have_the_verdicts_of_nusmv() {
    let n_equal = compare(include_str!("../../../tests/nusmv/random.json"), Order::List);
    assert!(n_equal > 3000, "only {n_equal} verdicts were compared");
}

#[test]
fn models_about_structure_have_the_verdicts_of_nusmv() {
    let n_equal = compare(include_str!("../../../tests/nusmv/structure.json"), Order::List);
    assert!(n_equal > 1500, "only {n_equal} verdicts were compared");
}

#[test]
fn models_about_operators_have_the_verdicts_of_nusmv() {
    let n_equal = compare(include_str!("../../../tests/nusmv/operators.json"), Order::Checked);
    assert!(n_equal > 600, "only {n_equal} verdicts were compared");
}

/// Each was a difference once. The first line has NuSMV's verdicts.
#[test]
fn regressions_have_the_verdicts_of_nusmv() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/regressions");
    let mut tally = Tally::default();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let first = text.lines().next().and_then(|line| line.strip_prefix("-- NuSMV: "));
        let verdicts: Vec<Value> = first
            .expect("the first line has the verdicts")
            .split(", ")
            .filter_map(|pair| pair.split_once(' '))
            .map(|(kind, verdict)| json!({"kind": kind, "verdict": verdict}))
            .collect();
        let case = json!({"name": path.to_string_lossy(), "model": text, "verdicts": verdicts});
        for engine in ENGINES {
            compare_one(engine, &case, Order::List, &mut tally);
        }
    }
    assert!(tally.problems.is_empty(), "{}", tally.problems.join("\n"));
    assert!(tally.n_equal > 10, "only {} verdicts were compared", tally.n_equal);
}

/// Compares all models of a file; how many verdicts are equal?
fn compare(file: &str, order: Order) -> usize {
    let cases: Value = serde_json::from_str(file).expect("the file is JSON");
    let mut tally = Tally::default();
    for case in cases.as_array().expect("the file is a list") {
        let [name, model] = ["name", "model"].map(|key| case[key].as_str().unwrap_or_default());
        let is_about = |(part, _): &(&str, &str)| name.contains(part) || model.contains(part);
        if case["accepted"] == true && !INTENDED.iter().any(is_about) {
            for engine in ENGINES {
                compare_one(engine, case, order, &mut tally);
            }
        }
    }
    assert!(tally.problems.is_empty(), "{}", tally.problems.join("\n"));
    tally.n_equal
}

fn compare_one(engine: &Engine, case: &Value, order: Order, tally: &mut Tally) {
    let text = |key: &str| case[key].as_str().unwrap_or_default();
    let Some(model) = read(text("model")) else { return };
    let mut theirs: Vec<(String, String)> =
        case["verdicts"].as_array().into_iter().flatten().map(pair).collect();
    // Where an expression has no value, NuSMV skips the rest of the kind.
    if theirs.len() != model.properties.len() {
        return;
    }
    // A panic is one problem, not the end of the test.
    let ours = catch_unwind(AssertUnwindSafe(|| verdicts(engine, &model)));
    let mut ours = ours.unwrap_or_else(|_| vec![("panic".into(), String::new()); theirs.len()]);
    // Sequences of PSL are read and left undecided.
    let is_known = |idx: usize| !matches!(model.properties[idx].formula, Formula::Unsupported(_));
    for list in [&mut theirs, &mut ours] {
        let mut idx = 0..;
        list.retain(|_| idx.next().is_some_and(is_known));
    }
    let n_all = ours.len();
    if order == Order::List {
        let decided: Vec<bool> =
            ours.iter().map(|(kind, verdict)| !is_beyond(engine, kind, verdict)).collect();
        for list in [&mut theirs, &mut ours] {
            let mut idx = 0..;
            list.retain(|_| idx.next().is_some_and(|idx: usize| decided[idx]));
        }
    }
    if order == Order::Checked {
        // What is not decided may be any of theirs.
        let is_decided = |(kind, verdict): &(String, String)| !is_beyond(engine, kind, verdict);
        ours.retain(is_decided);
        let mut left = ours.clone();
        theirs.retain(|pair| {
            let place = left.iter().position(|ours| ours == pair);
            place.map(|place| left.swap_remove(place)).is_some() || ours.len() == n_all
        });
        theirs.sort_unstable();
        ours.sort_unstable();
    }
    if ours == theirs {
        tally.n_equal += ours.len();
    } else {
        let (name, model) = (text("name"), text("model"));
        tally.problems.push(format!("{name}\n{model}NuSMV {theirs:?}\nours  {ours:?}\n"));
    }
}

/// Trees and distances are not for every engine.
fn is_beyond(engine: &Engine, kind: &str, verdict: &str) -> bool {
    let is_tree = matches!(kind, "ctl" | "compute" | "psl");
    is_tree && engine.name.starts_with("sat") && verdict.contains("not supported")
}

fn read(text: &str) -> Option<Model> {
    let mut sources = Sources::new();
    let file = sources.add("case.smv", text).ok()?;
    let mut diagnostics = Diagnostics::new();
    let input = Input::new(file);
    let model = smv::read(&input, &mut diagnostics).model;
    (!diagnostics.has_errors()).then_some(model)
}

fn pair(verdict: &Value) -> (String, String) {
    let text = |key: &str| verdict[key].as_str().unwrap_or_default().to_lowercase();
    (text("kind"), text("verdict"))
}

fn verdicts(engine: &Engine, model: &Model) -> Vec<(String, String)> {
    let properties: Vec<usize> = (0..model.properties.len()).collect();
    let budget = Budget::new(Limits { work: Some(WORK), ..Limits::default() });
    let checked = (engine.check)(model, &properties, &budget);
    let outcomes = checked.outcomes.iter().enumerate();
    outcomes.map(|(idx, outcome)| (kind(model, idx), verdict(model, idx, outcome))).collect()
}

fn kind(model: &Model, property_idx: usize) -> String {
    let kind = match model.properties[property_idx].kind {
        PropertyKind::Ctl => "ctl",
        PropertyKind::Compute => "compute",
        PropertyKind::Ltl => "ltl",
        PropertyKind::Psl => "psl",
        PropertyKind::Invar => "invar",
    };
    kind.into()
}

/// As NuSMV writes it; a trace that shows nothing is no verdict.
fn verdict(model: &Model, property_idx: usize, outcome: &Outcome) -> String {
    match outcome {
        Outcome::True(_) => "true".into(),
        Outcome::Value(distance, _) => distance.to_string(),
        Outcome::Unknown(why) => format!("unknown: {why}"),
        Outcome::False(trace) => {
            let property = &model.properties[property_idx];
            let formula = match property.formula {
                Formula::Holds(clause) => clause.expr,
                _ => return "a verdict instead of a value".into(),
            };
            if let Err(violation) = replay::replay(model, trace) {
                return format!("no replay: {violation:?}");
            }
            match lasso::holds(model, formula, trace) {
                Ok(true) if property.kind == PropertyKind::Ltl => "true on its trace".into(),
                Err(trouble) if property.kind == PropertyKind::Ltl => format!("{trouble:?}"),
                _ => "false".into(),
            }
        }
    }
}
