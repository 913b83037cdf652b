//! A record of a journal as JSON.
//!
//! States are lists of numbers, in the order of the variables.

use serde_json::{Value as Json, json};
use trapline_engine::Why;
use trapline_engine::code::{decode, encode};
use trapline_goals::decide::{Answers, Verdict, Witness};
use trapline_model::replay::Replayer;
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Ratio, Value};
use trapline_suite::generate::Segment;
use trapline_suite::journal::{Entry, Record, Walk};

/// Why subgoals are open, as far as a word says it.
static REASONS: [(&str, Why); 7] = [
    ("time", Why::Time),
    ("memory", Why::Memory),
    ("work", Why::Work),
    ("depth", Why::Depth),
    ("nearer", Why::Nearer),
    ("interrupted", Why::Interrupted),
    ("not asked", Why::NotAsked),
];

/// A record as JSON; `None` if it can't be written.
pub fn to_json(entry: &Entry) -> Option<Json> {
    let mut json = match &entry.record {
        Record::Walk(Walk { trace, met, n_steps }) => {
            json!({"what": "walk", "trace": trace_json(trace), "met": met, "steps": n_steps})
        }
        Record::Answer(answers) => answers_json("answer", answers)?,
        Record::Part(answers) => answers_json("part", answers)?,
        Record::Segment(None) => json!({"what": "segment"}),
        Record::Segment(Some(Segment { subgoal, way, met })) => {
            json!({"what": "segment", "trace": trace_json(way), "subgoal": subgoal, "met": met})
        }
        Record::Anew => json!({"what": "anew"}),
        Record::Others(tests) => {
            json!({"what": "others", "traces": tests.iter().map(trace_json).collect::<Vec<_>>()})
        }
    };
    json["work"] = entry.work.into();
    Some(json)
}

/// The record of some JSON, if it is one of this model.
pub fn from_json(json: &Json, model: &Model) -> Option<Entry> {
    let record = match json["what"].as_str()? {
        "walk" => Record::Walk(Walk {
            trace: trace(&json["trace"], model)?,
            met: numbers(&json["met"])?,
            n_steps: number(&json["steps"])?,
        }),
        "answer" => Record::Answer(answers(json, model)?),
        "part" => Record::Part(answers(json, model)?),
        "segment" if json["trace"].is_null() => Record::Segment(None),
        "segment" => Record::Segment(Some(Segment {
            subgoal: number(&json["subgoal"]),
            way: trace(&json["trace"], model)?,
            met: numbers(&json["met"]),
        })),
        "anew" => Record::Anew,
        "others" => Record::Others(traces(json, model)?),
        _ => return None,
    };
    Some(Entry { record, work: json["work"].as_u64()? })
}

/// True if the traces of a record are paths of the model.
pub fn is_sound(record: &Record, replayer: &Replayer<'_>) -> bool {
    let are_paths = |traces: &[Trace]| traces.iter().all(|trace| replayer.replay(trace).is_ok());
    match record {
        Record::Walk(walk) => {
            walk.trace.states.is_empty() || are_paths(std::slice::from_ref(&walk.trace))
        }
        Record::Answer(answers) | Record::Part(answers) => are_paths(&answers.traces),
        Record::Segment(None) | Record::Anew => true,
        Record::Segment(Some(segment)) => {
            !segment.way.states.is_empty() && replayer.replay_from(&segment.way).is_ok()
        }
        Record::Others(tests) => are_paths(tests),
    }
}

fn answers_json(what: &str, answers: &Answers) -> Option<Json> {
    let verdicts: Vec<Json> = answers.verdicts.iter().map(verdict_json).collect::<Option<_>>()?;
    let traces: Vec<Json> = answers.traces.iter().map(trace_json).collect();
    Some(json!({"what": what, "verdicts": verdicts, "traces": traces}))
}

fn answers(json: &Json, model: &Model) -> Option<Answers> {
    let verdicts = json["verdicts"].as_array()?.iter().map(verdict).collect::<Option<_>>()?;
    Some(Answers { verdicts, traces: traces(json, model)? })
}

/// A subgoal has one witness. Where an expression has no value the answer is not written: that is
/// a mistake in the model, and soon found again.
fn verdict_json(verdict: &Verdict) -> Option<Json> {
    Some(match verdict {
        Verdict::Covered(shown) => {
            let Witness { trace, state, .. } = shown.first()?;
            json!([trace, state])
        }
        Verdict::Infeasible(how) => json!({"infeasible": how}),
        Verdict::MayKill(how) => json!({"may-kill": how}),
        Verdict::Unknown(Why::Unsupported(what)) => json!({"unsupported": what}),
        Verdict::Unknown(why) => {
            let (word, _) = REASONS.iter().find(|(_, known)| known == why)?;
            json!({"unknown": word})
        }
    })
}

fn verdict(json: &Json) -> Option<Verdict> {
    if json.is_array() {
        let (trace, state) = (number(&json[0])?, number(&json[1])?);
        return Some(Verdict::Covered(vec![Witness { trace, state, evaluation: None }]));
    }
    if let Some(how) = json["infeasible"].as_str() {
        return Some(Verdict::Infeasible(how.into()));
    }
    if let Some(how) = json["may-kill"].as_str() {
        return Some(Verdict::MayKill(how.into()));
    }
    if let Some(what) = json["unsupported"].as_str() {
        return Some(Verdict::Unknown(Why::Unsupported(what.into())));
    }
    let word = json["unknown"].as_str()?;
    let (_, why) = REASONS.iter().find(|(known, _)| *known == word)?;
    Some(Verdict::Unknown(why.clone()))
}

fn number(json: &Json) -> Option<usize> {
    usize::try_from(json.as_u64()?).ok()
}

fn numbers(json: &Json) -> Option<Vec<usize>> {
    json.as_array()?.iter().map(number).collect()
}

fn trace_json(trace: &Trace) -> Json {
    let value = |value: &Option<Value>| match value {
        None => Json::Null,
        Some(Value::Real(real)) => json!([real.num(), real.den()]),
        Some(value) => encode(*value).map_or(Json::Null, Json::from),
    };
    let state = |state: &State| state.values.iter().map(value).collect::<Vec<_>>();
    let states: Vec<_> = trace.states.iter().map(state).collect();
    json!({"states": states, "loop": trace.loop_start})
}

fn trace(json: &Json, model: &Model) -> Option<Trace> {
    let states = json["states"].as_array()?.iter().map(|json| state(json, model));
    let (states, loop_start) = (states.collect::<Option<Vec<_>>>()?, number(&json["loop"]));
    let is_right = loop_start.is_none_or(|start| start < states.len());
    is_right.then_some(Trace { states, loop_start })
}

fn traces(json: &Json, model: &Model) -> Option<Vec<Trace>> {
    json["traces"].as_array()?.iter().map(|json| trace(json, model)).collect()
}

fn state(json: &Json, model: &Model) -> Option<State> {
    let values = json.as_array().filter(|values| values.len() == model.vars.len())?;
    let whole = |json: &Json| json.as_i64().map(i128::from);
    let value = |(json, var): (&Json, &trapline_model::Var)| {
        if json.is_null() {
            return Some(None);
        }
        let value = match (json.as_i64(), json.as_array()) {
            (Some(number), _) => decode(number, var.domain.ty()),
            (None, Some(parts)) => {
                Value::Real(Ratio::new(whole(parts.first()?)?, whole(parts.get(1)?)?)?)
            }
            _ => return None,
        };
        var.domain.contains(value).then_some(Some(value))
    };
    let values = values.iter().zip(&model.vars).map(value).collect::<Option<_>>()?;
    Some(State { values })
}
