//! SAL: random contexts, by the definition of the language, by NuSMV, and printed and read again; and
//! models of files, printed as contexts.

pub mod corpus;
mod round;

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES, Engine, Finding, Limits};
use trapline_lang::smv;
use trapline_model::{Clause, Expr, Formula, Model, Property, PropertyKind, UnaryOp, VarKind};
use trapline_source::Span;
use trapline_testkit::sal::compare::{compare, compare_claims, read};
use trapline_testkit::sal::interpret::{Behaviour, behaviour};
use trapline_testkit::sal::random::random_spec;
use trapline_testkit::sal::write::write;

use crate::nusmv::{Nusmv, Task};
use crate::ours::{self, Answer, Said};
use crate::{Args, parallel};

/// How many random contexts there are when nobody says.
const N_SPECS: u64 = 200;
/// It does so where an element of an array has one value only.
const CRASHES: &str = "Assertion `SymbTable_is_symbol_var";
/// What an engine may take for one model.
const TIME: Duration = Duration::from_secs(60);

/// What came of a model.
#[derive(Default)]
struct Outcome {
    /// Steps that are as they should be.
    n_steps: usize,
    /// Verdicts that follow from the definition of the language.
    n_defined: usize,
    /// Verdicts that NuSMV agrees with, and how many of them are `false`.
    n_equal: usize,
    n_violated: usize,
    n_open: usize,
    /// Verdicts that are the same for the context that the model is printed as.
    n_again: usize,
    /// Why it can't be printed as a context.
    refused: Option<String>,
    is_stuck: bool,
    different: Vec<String>,
}

/// Compares everything: `false` when something differs.
///
/// # Errors
/// When a file can't be read or NuSMV can't be run.
pub fn run(args: &Args) -> Result<bool, String> {
    if !args.files.is_empty() {
        return round::files(args);
    }
    let nusmv = args.nusmv()?;
    let seeds: Vec<u64> = (args.seed..args.seed + args.count.unwrap_or(N_SPECS)).collect();
    let outcomes = parallel::map_with(args.jobs, &seeds, |_, &seed| {
        let one = catch_unwind(AssertUnwindSafe(|| one(args, &nusmv, seed)));
        one.unwrap_or_else(|panic| {
            let different = vec![format!("panicked: {}", ours::message(&*panic))];
            Ok(Outcome { different, ..Outcome::default() })
        })
    });
    nusmv.clean_up();
    let mut all = Vec::new();
    for (&seed, outcome) in seeds.iter().zip(outcomes) {
        let outcome = outcome?;
        if args.show || !outcome.different.is_empty() {
            let text = write(&random_spec(&mut Rng::with_seed(seed)));
            if args.show {
                println!("seed {seed}\n{text}");
            }
            for different in &outcome.different {
                println!("DIFFERENT seed {seed}: {different}");
            }
            if let (Some(dir), false) = (&args.keep, outcome.different.is_empty()) {
                keep(dir, seed, &text)?;
            }
        }
        all.push(outcome);
    }
    Ok(print(&all))
}

fn keep(dir: &Path, seed: u64, text: &str) -> Result<(), String> {
    let dir = dir.join(seed.to_string());
    let path = dir.join("random.sal");
    let written = fs::create_dir_all(&dir).and_then(|()| fs::write(&path, text));
    written.map_err(|e| format!("{}: {e}", path.display()))
}

fn print(all: &[Outcome]) -> bool {
    let sum = |count: fn(&Outcome) -> usize| -> usize { all.iter().map(count).sum() };
    println!(
        "{} contexts, {} of them with a deadlock; {} steps and {} verdicts as the language defines them",
        all.len(),
        sum(|it| it.is_stuck.into()),
        sum(|it| it.n_steps),
        sum(|it| it.n_defined),
    );
    println!(
        "NuSMV: {} verdicts equal, {} of them false, {} open",
        sum(|it| it.n_equal),
        sum(|it| it.n_violated),
        sum(|it| it.n_open)
    );
    let mut refused: BTreeMap<&str, usize> = BTreeMap::new();
    for why in all.iter().filter_map(|it| it.refused.as_deref()) {
        *refused.entry(why).or_default() += 1;
    }
    let refused: Vec<String> = refused.iter().map(|(why, n)| format!("{n} for {why}")).collect();
    println!("printed as SAL and read again: {} verdicts equal", sum(|it| it.n_again));
    if !refused.is_empty() {
        println!("  not printed: {}", refused.join(", "));
    }
    let n_different = sum(|it| it.different.len());
    println!("{n_different} different");
    n_different == 0 && sum(|it| it.n_steps) > 0
}

/// A random context.
fn one(args: &Args, nusmv: &Nusmv, seed: u64) -> Result<Outcome, String> {
    let spec = random_spec(&mut Rng::with_seed(seed));
    let text = write(&spec);
    let meant = behaviour(&spec);
    let mut outcome = Outcome { is_stuck: !meant.is_total(), ..Outcome::default() };
    let output = match read(&spec, &text, &meant.vars) {
        Ok(output) => output,
        Err(findings) => {
            outcome.different.push(format!("not read: {findings}"));
            return Ok(outcome);
        }
    };
    // Listing all states is what this engine is for.
    let explicit = &ENGINES[1];
    match compare(&spec, &meant, (&output.model, &output.expressions), explicit) {
        Ok(()) => outcome.n_steps = meant.steps.len(),
        Err(different) => outcome.different.push(different),
    }
    match compare_claims(&spec, &meant, &output.model, &args.engine) {
        Ok(n_equal) => outcome.n_defined = n_equal,
        Err(different) => outcome.different.push(different),
    }
    outcome.different.extend(dead_ends(&meant, &output.model, explicit));
    let mut model = output.model;
    // NuSMV's list is by kind.
    model.properties.sort_by_key(|property| property.kind);
    let limits = Limits { time: Some(TIME), ..Limits::default() };
    let ours = match ours::check(model.clone(), args.engine, limits) {
        Ok(answer) => answer,
        Err(problem) => {
            outcome.different.push(problem);
            return Ok(outcome);
        }
    };
    compare_with(nusmv, seed, &model, &ours, &mut outcome)?;
    match round::again(&model, &ours, args.engine) {
        Ok(round::Again::Same(n_equal)) => outcome.n_again = n_equal,
        Ok(round::Again::Refused(why)) => outcome.refused = Some(why),
        Err(different) => outcome.different.push(different),
    }
    Ok(outcome)
}

/// What is different about deadlocks.
fn dead_ends(meant: &Behaviour, model: &Model, engine: &Engine) -> Option<String> {
    let (expected, is_stuck) = (!meant.is_total(), has_dead_end(model, engine));
    (is_stuck != expected).then(|| format!("deadlocks: {expected} expected, we say {is_stuck}"))
}

/// Can a state be reached that has no next one? Whoever looks for that looks at what properties are about.
fn has_dead_end(model: &Model, engine: &Engine) -> bool {
    let mut model = model.clone();
    let mut all = model.exprs.bool(true);
    let vars: Vec<_> =
        model.var_ids().map(|(id, var)| (id, var.kind, var.domain.clone())).collect();
    for (id, _, domain) in vars.into_iter().filter(|(_, kind, _)| *kind != VarKind::Input) {
        let read = model.var_expr(id);
        let is_first = model.exprs.has_value(read, domain.value(0));
        all = model.exprs.and(all, is_first);
    }
    let expr = model.exprs.add(Expr::Unary(UnaryOp::Ef, all));
    let formula = Formula::Holds(Clause::unwritten(expr, Span::default()));
    let (kind, span) = (PropertyKind::Ctl, Span::default());
    model.properties = vec![Property { kind, name: None, formula, instance: None, span }];
    let budget = Budget::new(Limits { time: Some(TIME), ..Limits::default() });
    let findings = (engine.check)(&model, &[0], &budget).findings;
    findings.iter().any(|finding| matches!(finding, Finding::DeadEnd { .. }))
}

fn compare_with(
    nusmv: &Nusmv,
    seed: u64,
    model: &Model,
    ours: &Answer,
    outcome: &mut Outcome,
) -> Result<(), String> {
    let comments = vec![String::new(); model.properties.len()];
    let text = smv::flat_with_checks(model, &[], comments);
    let names: Vec<(PropertyKind, String)> = model
        .properties
        .iter()
        .map(|property| (property.kind, property.name.clone().unwrap_or_default()))
        .collect();
    let name = format!("sal-{seed}");
    let task = Task { name: &name, text: text.as_bytes(), n_properties: names.len(), options: &[] };
    let theirs = nusmv.check(task).map_err(|e| e.to_string())?;
    if theirs.verdicts.len() != names.len() {
        let why = theirs.errors.first().cloned().unwrap_or("no verdicts".into());
        match theirs.errors.iter().any(|error| error.contains(CRASHES)) {
            true => outcome.n_open += names.len(),
            false => outcome.different.push(format!("NuSMV: {why}\n{text}")),
        }
        return Ok(());
    }
    for (((kind, name), said), (_, verdict)) in names.iter().zip(&ours.said).zip(&theirs.verdicts) {
        match said {
            Said::Verdict(own) if own == verdict => {
                outcome.n_equal += 1;
                outcome.n_violated += usize::from(own == "false");
            }
            Said::Verdict(own) if verdict != "unchecked" => {
                let kind = kind.name();
                outcome.different.push(format!("{kind} {name}: we {own}, NuSMV {verdict}"));
            }
            Said::BadTrace(why) => outcome.different.push(format!("{name}: {why}")),
            Said::Verdict(_) | Said::Unknown(_) => outcome.n_open += 1,
        }
    }
    Ok(())
}
