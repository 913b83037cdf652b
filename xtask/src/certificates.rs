//! The invariants that prove our verdicts: NuSMV confirms by induction that each of them holds, and
//! that what it proves follows from it.

use std::time::Duration;

use trapline_engine::certificate::certificate;
use trapline_engine::{Budget, Limits};
use trapline_lang::smv;
use trapline_model::PropertyKind;

use crate::bench::families;
use crate::corpus::{file_name, models};
use crate::nusmv::{Nusmv, Task};
use crate::reading::{self, How};
use crate::{Args, memory, parallel};

/// How long a search may take.
const LIMIT: Duration = Duration::from_secs(5);

/// How long NuSMV may take at least.
const PATIENCE: Duration = Duration::from_secs(60);

/// Nothing here needs more.
const MEMORY: u64 = 4 << 30;

/// Base and step of an induction for each property.
const CONFIRM: &str = "go_bmc\ncheck_invar_bmc -a classic\nshow_property\nquit\n";

/// What came of a model.
#[derive(Default)]
struct Outcome {
    n_proved: usize,
    n_confirmed: usize,
    /// What NuSMV does not confirm, in words.
    doubts: Vec<String>,
}

/// Asks for all models; `false` when NuSMV does not confirm something in time.
///
/// # Errors
/// When a file can't be read or NuSMV can't be run.
pub fn run(args: &Args) -> Result<bool, String> {
    let mut nusmv = args.nusmv()?;
    // The limit is for the search.
    nusmv.limit = nusmv.limit.max(PATIENCE);
    let mut texts: Vec<(String, String)> = families().collect();
    for folder in ["smv", "hard"] {
        for path in models(&args.dir.join(folder))? {
            let text = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            texts.push((file_name(&path), String::from_utf8_lossy(&text).into_owned()));
        }
    }
    let outcomes =
        parallel::map(&texts, |idx, (name, text)| confirm(args, &nusmv, idx, name, text));
    nusmv.clean_up();
    let (mut n_proved, mut n_confirmed, mut n_models) = (0, 0, 0);
    for ((name, _), outcome) in texts.iter().zip(outcomes) {
        let outcome = outcome?;
        n_proved += outcome.n_proved;
        n_confirmed += outcome.n_confirmed;
        n_models += usize::from(outcome.n_proved > 0);
        for doubt in outcome.doubts {
            println!("NOT CONFIRMED {name}: {doubt}");
        }
    }
    println!(
        "{n_proved} properties of {n_models} models proved by invariants, {n_confirmed} confirmed"
    );
    Ok(n_proved == n_confirmed && n_proved > 0)
}

fn confirm(
    args: &Args,
    nusmv: &Nusmv,
    idx: usize,
    name: &str,
    text: &str,
) -> Result<Outcome, String> {
    let reading = reading::read(name, text, How { strict: false, quick: true });
    if !reading.is_accepted() {
        return Ok(Outcome::default());
    }
    let model = reading.model;
    let is_invariant = |idx: &usize| model.properties[*idx].kind == PropertyKind::Invar;
    let properties: Vec<usize> = (0..model.properties.len()).filter(is_invariant).collect();
    let time = Some(args.limit.unwrap_or(LIMIT));
    let allocated = memory::used;
    let limits = Limits { time, memory: Some(MEMORY), ..Limits::default() };
    let budget = Budget::new(limits).with_memory(&allocated);
    let checked = (args.engine.check)(&model, &properties, &budget);
    let (certificate, n_proved) = certificate(&model, &properties, &checked);
    if n_proved == 0 {
        return Ok(Outcome::default());
    }
    let n_properties = certificate.properties.len();
    let text = smv::print::flat(&certificate);
    let file = format!("certificate-{idx}");
    let task = Task { name: &file, text: text.as_bytes(), n_properties, options: &[] };
    let session = nusmv.session(task, CONFIRM).map_err(|e| e.to_string())?;
    let verdicts = crate::nusmv::verdicts(&session.out);
    let mut outcome = Outcome { n_proved, ..Outcome::default() };
    let is_true = |idx: usize| verdicts.get(idx).is_some_and(|(_, verdict)| verdict == "true");
    // What an invariant proves stands behind it.
    let mut is_confirmed = false;
    for (idx, property) in certificate.properties.iter().enumerate() {
        let name = property.name.as_deref().unwrap_or_default();
        if name.starts_with("invariant_") {
            is_confirmed = is_true(idx);
        } else if is_confirmed && is_true(idx) {
            outcome.n_confirmed += 1;
        } else {
            outcome
                .doubts
                .push(format!("{name}{}", if session.timed_out { ", in time" } else { "" }));
        }
    }
    Ok(outcome)
}
