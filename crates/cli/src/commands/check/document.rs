//! The result for programs: `trapline-check/1`.

use serde_json::{Value as Json, json};
use trapline_engine::{Distance, Outcome};
use trapline_model::PropertyKind;
use trapline_model::trace::Trace;
use trapline_report::formats::trace::json;
use trapline_source::Severity;
use trapline_suite::defines::Defines;
use trapline_suite::write::states;

use super::findings::Explained;
use super::property;
use super::report::{Answer, CheckAnswer, Report};

/// The document as text, a state a line.
pub fn write(report: &Report<'_>) -> String {
    let defines = Defines::new(&report.loaded.model);
    let trace = |trace: &Trace| states::trace(&report.loaded.model, &defines, trace);
    let properties = report.answers.iter().map(|answer| property_json(report, answer, &trace));
    let findings = report.findings.iter().map(|found| finding_json(report, found, &trace));
    let stats = report.stats.map(|stats| {
        json!({
            "states": number(stats.n_states),
            "steps": stats.n_steps,
            "depth": stats.depth,
            "work": report.work,
        })
    });
    let checks = report.checks.iter().map(|answer| check_json(report, answer, &trace));
    let checks: Vec<Json> = checks.collect();
    let mut document = json!({
        "format": "trapline-check/1",
        "model": report.loaded.path,
        "complete": report.is_complete(),
        "properties": properties.collect::<Vec<_>>(),
        "findings": findings.collect::<Vec<_>>(),
        "stats": stats,
    });
    if !checks.is_empty() {
        document["checks"] = checks.into();
    }
    json::lines(&document)
}

fn check_json(
    report: &Report<'_>,
    answer: &CheckAnswer<'_>,
    trace_json: &impl Fn(&Trace) -> Json,
) -> Json {
    let diagnostic = &answer.check.diagnostic;
    let place = report.loaded.sources.location(diagnostic.labels[0].span.start);
    let verdict = match answer.holds {
        Some(true) => "true",
        Some(false) => "false",
        None => "unknown",
    };
    json!({
        "name": answer.check.name,
        "code": diagnostic.code,
        "line": place.as_ref().map(|place| place.line),
        "column": place.map(|place| place.column),
        "verdict": verdict,
        "reason": answer.reason,
        "trace": answer.trace.map(trace_json),
    })
}

/// A number that JSON can hold; a very large one is rounded.
fn number(number: u128) -> Json {
    u64::try_from(number).map_or_else(|_| json!(number as f64), |number| json!(number))
}

fn property_json(
    report: &Report<'_>,
    answer: &Answer<'_>,
    trace_json: &impl Fn(&Trace) -> Json,
) -> Json {
    let asked = &report.loaded.model.properties[answer.property_idx];
    let (verdict, value, reason, trace) = match answer.outcome {
        None => ("unknown", Json::Null, Some("parse only".to_string()), None),
        Some(Outcome::True(proof)) => ("true", Json::Null, Some(proof.to_string()), None),
        Some(Outcome::False(trace)) => {
            ("false", Json::Null, answer.remark.map(String::from), Some(trace))
        }
        Some(Outcome::Unknown(why)) => ("unknown", Json::Null, Some(why.to_string()), None),
        Some(Outcome::Value(distance, proof)) => {
            ("true", distance_json(*distance), Some(proof.to_string()), None)
        }
    };
    let mut json = json!({
        "index": answer.property_idx,
        "kind": asked.kind.name(),
        "name": asked.name,
        "text": property::text(report.loaded, asked),
        "line": property::line(report.loaded, asked),
    });
    if let Some(file) = property::file(report.loaded, asked) {
        json["file"] = file.into();
    }
    match asked.kind {
        PropertyKind::Compute => json["value"] = value,
        _ => json["verdict"] = verdict.into(),
    }
    json["engine"] = answer.engine.into();
    json["reason"] = reason.into();
    json["trace"] = trace.filter(|trace| !trace.states.is_empty()).map(trace_json).into();
    json
}

fn distance_json(distance: Distance) -> Json {
    match distance {
        Distance::Steps(n_steps) => n_steps.into(),
        Distance::Infinite | Distance::Undefined => distance.to_string().into(),
    }
}

fn finding_json(
    report: &Report<'_>,
    found: &Explained<'_>,
    trace_json: &impl Fn(&Trace) -> Json,
) -> Json {
    let place = report.loaded.sources.location(found.diagnostic.labels[0].span.start);
    let severity = match found.diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    json!({
        "code": found.diagnostic.code,
        "severity": severity,
        "text": found.diagnostic.message,
        "line": place.map(|place| place.line),
        "trace": found.trace.map(trace_json),
    })
}
