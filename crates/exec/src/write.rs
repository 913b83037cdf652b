//! `trapline-run/1`.

use serde_json::{Map, Value as Json, json};
use trapline_engine::possible::{Exchange, Inputs, Output, Outputs};
use trapline_goals::GoalSet;
use trapline_model::Model;
use trapline_suite::write::states::members;

use crate::reached::Reached;
use crate::result::{RunResult, TestResult, Verdict};

/// The document of a run.
pub fn document(
    model: &Model,
    path: &str,
    run: &RunResult,
    goals: Option<(&GoalSet, &Reached)>,
) -> Json {
    let tests = run.tests.iter().enumerate();
    let tests: Vec<Json> = tests
        .map(|(place, (_, result))| {
            let ids = |of: fn(&Reached) -> &Vec<Vec<usize>>| -> Vec<&str> {
                let Some((set, reached)) = goals else { return Vec::new() };
                of(reached)[place].iter().map(|&goal| set.goals[goal].id.as_str()).collect()
            };
            let mut json = test(model, result);
            json.insert("reached".into(), ids(|reached| &reached.by_run).into());
            let perhaps = ids(|reached| &reached.perhaps_by_run);
            if !perhaps.is_empty() {
                json.insert("may_be_reached".into(), perhaps.into());
            }
            json.into()
        })
        .collect();
    json!({
        "format": "trapline-run/1",
        "complete": run.is_complete,
        "model": path,
        "passed": run.count(Verdict::Pass),
        "failed": run.count(Verdict::Fail),
        "inconclusive": run.count(Verdict::Inconclusive),
        "errors": run.count(Verdict::Error),
        "tests": tests,
    })
}

fn test(model: &Model, test: &TestResult) -> Map<String, Json> {
    let mut json = Map::new();
    json.insert("name".into(), test.name.as_str().into());
    json.insert("verdict".into(), test.verdict.word().into());
    let deviation = test.deviation.as_ref();
    json.insert("step".into(), deviation.map(|it| it.exchange).into());
    if let Some(it) = deviation {
        json.insert("message".into(), it.message.as_str().into());
        json.insert("expected".into(), members(model, &it.expected).into());
        json.insert("observed".into(), members(model, &it.observed).into());
        let allowed = it.allowed.iter().map(|outputs| Json::from(members(model, outputs)));
        json.insert("allowed".into(), allowed.collect());
        if test.verdict == Verdict::Fail && !it.is_all_allowed {
            json.insert("more_allowed".into(), true.into());
        }
    }
    let exchanges = test.exchanges.iter().map(|it| exchange(model, it));
    json.insert("exchanges".into(), exchanges.collect());
    json.insert("branch".into(), test.branch.as_slice().into());
    json.insert("stderr".into(), test.stderr.as_str().into());
    json
}

/// What was sent and shown.
pub fn exchange(model: &Model, exchange: &Exchange) -> Json {
    json!({
        "inputs": members(model, &as_outputs(&exchange.inputs)),
        "outputs": members(model, &exchange.outputs),
    })
}

/// Inputs as values of variables.
pub fn as_outputs(inputs: &Inputs) -> Outputs {
    inputs.iter().map(|&(var, value)| (Output::Var(var), value)).collect()
}
