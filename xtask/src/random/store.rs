//! Stores models with NuSMV's verdicts in a file, for tests that run without NuSMV.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::compare::Comparison;

/// A model as the file has it; none if NuSMV did not decide everything.
pub fn case(seed: u64, comparison: &Comparison) -> Option<Value> {
    let verdicts: Option<Vec<Value>> = comparison
        .properties
        .iter()
        .map(|property| Some(json!({"kind": property.kind, "verdict": property.nusmv.as_ref()?})))
        .collect();
    let is_decided = comparison.accepted == (true, true) && !comparison.properties.is_empty();
    verdicts.filter(|_| is_decided).map(|verdicts| {
        json!({
            "name": format!("random-{seed}"),
            "area": "random",
            "model": comparison.text,
            "accepted": true,
            "error": null,
            "verdicts": verdicts,
        })
    })
}

/// Writes them, one a line.
///
/// # Errors
/// When the file can't be written.
pub fn write(path: &Path, cases: &[Value]) -> Result<(), String> {
    let lines: Vec<String> = cases.iter().map(Value::to_string).collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    println!("{} models stored in {}", cases.len(), path.display());
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
