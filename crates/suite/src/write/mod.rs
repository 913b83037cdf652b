//! Suites as `trapline-suite/1`.
//!
//! The text is given away piece by piece, a goal or a state a line: a suite may have a great many of
//! both. Where the pieces go is the caller's business. [`crate::read`] reads what is written here.

pub mod goals;
pub mod states;

use std::borrow::Cow;

use serde_json::{Value as Json, json};
use trapline_engine::Budget;
use trapline_goals::visibility::simulate::Face;
use trapline_goals::{Demand, GoalSet, Visibility, traps};
use trapline_model::roles::timings;
use trapline_model::trace::Trace;
use trapline_model::{Model, Role, Syntax, Timing, VarId, VarKind};

use crate::appearance::Appearance;
use crate::choices::choices;
use crate::defines::Defines;
use crate::evidence::Evidence;
use crate::suite::Suite;
use crate::tree::{Branch, arrange};
use goals::Origin;

/// Limit on the total size of traps, in bytes; beyond it, or when the time is over, the others are
/// left out: `goals` has them.
const MAX_TRAPS: usize = 1 << 23;

/// Limit on the total size of what faulty implementations answer, in bytes; beyond it only the exchange is
/// written.
const MAX_ANSWERS: usize = 1 << 23;

/// Work charged per trap, so that the clock is polled now and then.
const TRAP: u64 = 64;

/// A trap with more nodes is left out of a suite.
pub const MAX_NODES: usize = 2_000;

/// A suite with its provenance.
#[derive(Clone, Copy, Debug)]
pub struct SuiteDocument<'a> {
    /// The model that the tests are traces of.
    pub model: &'a Model,
    /// The texts that it was read from.
    pub origin: Origin<'a>,
    /// How traps are written: checkers that are not ours must read them.
    pub trap_syntax: &'a dyn Syntax,
    /// What its text is known by.
    pub sha256: &'a str,
    /// What it is written in.
    pub language: &'a str,
    /// The module that was started from.
    pub main: &'a str,
    /// What had to hold along every test.
    pub purposes: &'a [String],
    /// What the texts of the observers are known by.
    pub observers: &'a [String],
    /// What the goals demand of tests.
    pub demand: Demand,
    /// The goals.
    pub set: &'a GoalSet,
    /// The tests, and what is known of each goal.
    pub suite: &'a Suite,
}

/// Writes a suite, as pieces of text in their order. Traps, and where the model leaves a choice, are
/// left out when the budget is spent.
///
/// # Errors
/// The first error of whoever takes the pieces.
pub fn write<E>(
    document: &SuiteDocument<'_>,
    budget: &Budget<'_>,
    out: &mut impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    out(&heading(document))?;
    write_goals(document, budget, out)?;
    out("\n  ],\n  \"tests\": [")?;
    write_tests(document, budget, out)?;
    out("\n  ]\n}\n")
}

fn heading(document: &SuiteDocument<'_>) -> String {
    let SuiteDocument { model, origin, sha256, language, main, .. } = document;
    let about = json!({"path": origin.path, "sha256": sha256, "language": language, "main": main});
    let frozen = model.vars.iter().filter(|var| var.kind == VarKind::Frozen);
    let parameters: Vec<String> = frozen.map(|var| var.name.clone()).collect();
    // What proofs depend on besides the model, and parameters, are written only if there are any.
    let lists = [
        ("purpose", document.purposes),
        ("observers", document.observers),
        ("parameters", &parameters),
    ];
    let given = lists.iter().filter(|(_, list)| !list.is_empty());
    let given: String =
        given.map(|(name, list)| format!("  \"{name}\": {},\n", json!(list))).collect();
    let demand = demand(document.demand);
    format!(
        "{{\n  \"format\": \"trapline-suite/1\",\n  \"complete\": {},\n  \"model\": {about},\n{given}{demand}  \
         \"roles\": {},\n  \"timing\": {},\n  \"steps\": {},\n  \"goals\": [",
        document.suite.is_complete,
        roles(model),
        timing(model),
        steps(model)
    )
}

/// Members that say what goals demand, unless it is what is usual.
fn demand(Demand { visibility, observable }: Demand) -> String {
    let mut members = String::new();
    if visibility != Visibility::default() {
        members += &format!("  \"visibility\": {},\n", json!(visibility.name()));
    }
    if observable {
        members += "  \"observable\": true,\n";
    }
    members
}

/// Who sends and shows what, and when: on that depends what shows at the outputs.
pub fn interface(model: &Model) -> Json {
    json!({"roles": roles(model), "timing": timing(model)})
}

fn write_goals<E>(
    document: &SuiteDocument<'_>,
    budget: &Budget<'_>,
    out: &mut impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let SuiteDocument { origin, set, suite, .. } = document;
    let mut traps = traps::Writer::new(&set.model);
    let mut n_written = 0;
    let mut room = MAX_ANSWERS;
    let mut tree_of = vec![0; suite.tests.len()];
    for (idx, tree) in suite.trees().into_iter().enumerate() {
        tree_of[tree].fill(idx);
    }
    let trees = |tests: &[usize]| -> Vec<usize> {
        let mut trees: Vec<usize> = tests.iter().map(|&test| tree_of[test]).collect();
        trees.dedup();
        trees
    };
    for (idx, (goal, scored)) in set.goals.iter().zip(&suite.goals).enumerate() {
        let mut json = goals::described(origin, goal);
        if n_written < MAX_TRAPS && budget.spend(TRAP).is_ok() {
            let claim = traps.short(goal, MAX_NODES);
            json["trap"] =
                goals::trap(document.trap_syntax, traps.model(), claim.as_ref(), MAX_NODES);
        }
        n_written += json["trap"].as_str().map_or(0, str::len);
        json["verdict"] = scored.word().into();
        if let Some(property) = scored.property(goal) {
            json["property"] = property.word().into();
        }
        json["tests"] = trees(&scored.shown.tests()).into();
        json["reason"] = scored.reason().into();
        json["shown"] = scored.evidence.word().into();
        match &scored.evidence {
            Evidence::Outputs(tests) => json["shown_by"] = trees(tests).into(),
            Evidence::Unknown(why) => json["shown_reason"] = why.as_str().into(),
            Evidence::None | Evidence::Inside => {}
        }
        if !scored.appearances.is_empty() {
            let appears = scored.appearances.iter();
            let appears = appears.map(|it| appearance(document.model, it, &tree_of, &mut room));
            json["appears"] = appears.collect();
        }
        out(if idx == 0 { "\n    " } else { ",\n    " })?;
        out(&json.to_string())?;
    }
    Ok(())
}

/// Where a test shows a fault, and what a faulty implementation answers there: null if it can't go on.
fn appearance(model: &Model, it: &Appearance, tree_of: &[usize], room: &mut usize) -> Json {
    let mut json = json!({"test": tree_of[it.test], "exchange": it.exchange});
    match &it.face {
        Face::Outputs(outputs) => {
            let outputs = Json::Object(states::members(model, outputs));
            let left = room.checked_sub(outputs.to_string().len());
            *room = left.unwrap_or(0);
            if left.is_some() {
                json["outputs"] = outputs;
            }
        }
        Face::Refusal => json["outputs"] = Json::Null,
        Face::Unknown => {}
    }
    json
}

fn write_tests<E>(
    document: &SuiteDocument<'_>,
    budget: &Budget<'_>,
    out: &mut impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let SuiteDocument { model, set, suite, .. } = document;
    let choices = match suite.choices.len() == suite.tests.len() {
        true => Cow::Borrowed(&suite.choices),
        false => {
            let traces: Vec<&Trace> = suite.tests.iter().map(|test| &test.trace).collect();
            Cow::Owned(choices(model, &traces, budget))
        }
    };
    let writer = TestWriter {
        model,
        defines: Defines::new(model),
        suite,
        covers: suite.covers(),
        ids: set.goals.iter().map(|goal| json!(goal.id).to_string()).collect(),
        choices: &choices,
    };
    for (idx, tree) in suite.trees().into_iter().enumerate() {
        out(if idx == 0 { "\n    " } else { ",\n    " })?;
        let paths: Vec<&Trace> = suite.tests[tree.clone()].iter().map(|it| &it.trace).collect();
        let name = &suite.tests[tree.start].name;
        out(&format!("{{\"name\": {}, \"states\": [", json!(name)))?;
        writer.write(tree.start, &arrange(&paths), out)?;
    }
    Ok(())
}

/// Writes tests.
struct TestWriter<'a> {
    model: &'a Model,
    defines: Defines,
    suite: &'a Suite,
    covers: Vec<Vec<usize>>,
    /// The goals as they are written: a test may cover thousands.
    ids: Vec<String>,
    choices: &'a [Vec<Vec<VarId>>],
}

impl TestWriter<'_> {
    /// Writes the states of a test from where it branches off, and what follows them. `first` is the
    /// trunk.
    fn write<E>(
        &self,
        first: usize,
        branch: &Branch,
        out: &mut impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        let idx = first + branch.path;
        let Trace { states, loop_start } = &self.suite.tests[idx].trace;
        for state_idx in branch.at..states.len() {
            let trace = &self.suite.tests[idx].trace;
            let state = states::state(self.model, &self.defines, trace, state_idx, states::value);
            out(if state_idx == branch.at { "\n      " } else { ",\n      " })?;
            out(&Json::Object(state).to_string())?;
        }
        out(&format!("],\n      \"loop\": {},\n      \"covers\": [", json!(loop_start)))?;
        for (at, &goal) in self.covers[idx].iter().enumerate() {
            out(if at == 0 { "" } else { "," })?;
            out(&self.ids[goal])?;
        }
        let (here, back) = self.choices[idx].split_at(states.len());
        let here = json!(named(self.model, &here[branch.at..]));
        out(&format!("],\n      \"nondeterministic\": {here}"))?;
        if let Some(back) = named(self.model, back).first() {
            out(&format!(",\n      \"nondeterministic_back\": {}", json!(back)))?;
        }
        for (number, inner) in branch.branches.iter().enumerate() {
            out(if number == 0 { ",\n      \"branches\": [" } else { ", " })?;
            out(&format!("{{\"at\": {}, \"states\": [", inner.at))?;
            self.write(first, inner, out)?;
        }
        out(if branch.branches.is_empty() { "}" } else { "]}" })
    }
}

fn named<'m>(model: &'m Model, states: &[Vec<VarId>]) -> Vec<Vec<&'m str>> {
    let names = states::member_names(model);
    let name = |var: &VarId| names[var.0 as usize];
    states.iter().map(|vars| vars.iter().map(name).collect()).collect()
}

/// The roles; the elements of an array are named one by one.
fn roles(model: &Model) -> Json {
    let names = states::member_names(model);
    let named = |role: Role| -> Vec<&str> {
        let vars = model.vars.iter().zip(&names).filter(|(var, _)| var.role == role);
        let vars = vars.map(|(_, name)| *name);
        let defines = model.defines.iter().filter(|define| define.role == role);
        vars.chain(defines.map(|define| define.name.as_str())).collect()
    };
    json!({
        "input": named(Role::Input),
        "output": named(Role::Output),
        "internal": named(Role::Internal),
    })
}

/// The inputs that go with the step.
fn timing(model: &Model) -> Json {
    let inputs = model.vars.iter().zip(timings(model));
    let inputs = inputs.filter(|(var, timing)| var.role == Role::Input && *timing == Timing::Step);
    inputs.map(|(var, _)| (var.name.clone(), "step")).collect()
}

/// What belongs to steps, and not to states; a test that loops does not show it, for its last state
/// has values of these too.
fn steps(model: &Model) -> Json {
    let defines = Defines::new(model);
    let own = states::member_names(model);
    let vars = model.vars.iter().zip(&own).filter(|(var, _)| var.kind == VarKind::Input);
    let of_defines = model.defines.iter().enumerate();
    let of_defines = of_defines.filter(|(idx, _)| defines.is_step(*idx));
    let names = vars.map(|(_, name)| *name);
    names.chain(of_defines.map(|(_, define)| define.name.as_str())).collect()
}
