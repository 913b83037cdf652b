//! A law: whatever stands in the document of a run, `report` shows it or says what is wrong.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value as Json, json};

use crate::Test;

/// The tests of this file.
pub const TESTS: &[Test] = &[("run_documents/any_document_is_shown_or_refused", any_document)];

const MODEL: &str = "\
MODULE main
VAR up : boolean; n : 0..3;
ASSIGN init(n) := 0; next(n) := up & n < 3 ? n + 1 : n;
";

/// Shows that it has one more from the second exchange on.
const LOG: &str = "n=0\nwhile read -r request; do\n  case $request in *reset*) n=0 ;; *true*) n=$((n + 2)) ;; esac\n  \
     echo oops >&2\n  echo \"{\\\"outputs\\\": {\\\"n\\\": $n}}\"\ndone\n";

fn any_document() -> Result<(), String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("run_documents");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let files = [("m.smv", MODEL), ("t.csv", "up\nTRUE\nTRUE\n\nFALSE\nFALSE\n"), ("sut.sh", LOG)];
    for (name, text) in files {
        fs::write(folder.join(name), text).map_err(|error| error.to_string())?;
    }
    let criteria = ["--criteria", "branch"];
    let run = ["run", "m.smv", "t.csv", "--sut", "sh sut.sh", "-q", "-o", "run.json"];
    trapline(&folder, &[&run[..], &criteria[..]].concat())?;
    let text = fs::read_to_string(folder.join("run.json")).map_err(|error| error.to_string())?;
    let whole: Json = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let mut documents: Vec<String> =
        (0..20).map(|part| text[..text.len() * part / 20].into()).collect();
    documents.extend(["[".repeat(100_000), "\u{feff}{}".into(), "\0".into()]);
    let others =
        [json!(null), json!(true), json!(-1), json!(1e300), json!("x"), json!([]), json!({})];
    for path in paths(&whole) {
        for other in &others {
            let mut document = whole.clone();
            *document.pointer_mut(&path).ok_or("the path is one of the document")? = other.clone();
            documents.push(document.to_string());
        }
    }
    let report = ["report", "m.smv", "t.csv", "--run", "other.json", "--format", "markdown"];
    let mut n_refused = 0;
    for document in &documents {
        fs::write(folder.join("other.json"), document).map_err(|error| error.to_string())?;
        let (code, errors) = trapline(&folder, &[&report[..], &criteria[..]].concat())?;
        let is_right = match code {
            0 => true,
            2 => errors.starts_with("error: other.json: "),
            _ => false,
        };
        n_refused += usize::from(code == 2);
        if !is_right {
            return Err(format!("it ends with {code}: {errors}\n{document}"));
        }
    }
    let is_mixed = n_refused > 50 && n_refused + 50 < documents.len();
    if is_mixed { Ok(()) } else { Err(format!("{n_refused} of {}", documents.len())) }
}

/// The places of all values in a document.
fn paths(json: &Json) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), json)];
    while let Some((path, json)) = open.pop() {
        let members = json.as_object().into_iter().flatten();
        open.extend(members.map(|(name, member)| (format!("{path}/{name}"), member)));
        let items = json.as_array().into_iter().flatten().enumerate();
        open.extend(items.map(|(idx, item)| (format!("{path}/{idx}"), item)));
        found.push(path);
    }
    found
}

fn trapline(folder: &Path, args: &[&str]) -> Result<(i32, String), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trapline"));
    let output = command.args(args).current_dir(folder).output();
    let output = output.map_err(|error| format!("can't start trapline: {error}"))?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((output.status.code().unwrap_or(-1), errors))
}
