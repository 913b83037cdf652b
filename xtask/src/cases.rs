//! Small models with NuSMV's answers, found by experiment: we accept what it accepts, reject what
//! it rejects, and our flat text means the same.
//!
//! Intended differences are listed in `intended.txt`.

use std::collections::BTreeMap;

use serde_json::Value;
use trapline_lang::smv;
use trapline_model::Formula;

use crate::corpus::{difference, json};
use crate::nusmv::{Nusmv, Task};
use crate::reading::How;
use crate::{Args, parallel, reading};

/// A line is a mode, a part of the case's name or of NuSMV's error, and a reason.
const INTENDED: &str = include_str!("../intended.txt");

/// A small model and NuSMV's answer.
struct Case {
    name: String,
    area: String,
    model: String,
    accepted: bool,
    error: String,
    /// Kind and verdict of each property, in the order that NuSMV printed them.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests compare them with the evaluator"))]
    verdicts: Vec<(String, String)>,
}

/// A case on which we differ.
struct Disagreement<'c> {
    case: &'c Case,
    ours: String,
}

/// Runs everything; `false` when something differs that is not intended.
///
/// # Errors
/// When a file can't be read or NuSMV can't be run.
pub fn run(args: &Args) -> Result<bool, String> {
    let mut cases = Vec::new();
    for file in &args.files {
        let list = json(file)?;
        cases.extend(list.as_array().into_iter().flatten().map(case));
    }
    let mut disagreements = compare(&cases, args.how);
    let intended = set_apart(&mut disagreements, args.how.strict);
    println!("{} cases, {} disagreements", cases.len(), disagreements.len());
    for (why, n_cases) in intended {
        println!("  and {n_cases} on purpose: {why}");
    }
    print_by_area(&disagreements);
    let different = if args.convert { convert(&cases, args)? } else { Vec::new() };
    print_by_area(&different);
    Ok(disagreements.is_empty() && different.is_empty())
}

fn case(value: &Value) -> Case {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_string();
    Case {
        name: text("name"),
        area: text("area"),
        model: text("model"),
        accepted: value["accepted"] == true,
        error: text("error"),
        verdicts: value["verdicts"].as_array().into_iter().flatten().map(verdict).collect(),
    }
}

fn verdict(value: &Value) -> (String, String) {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_lowercase();
    (text("kind"), text("verdict"))
}

fn compare(cases: &[Case], how: How) -> Vec<Disagreement<'_>> {
    let ours = parallel::map(cases, |_, case| {
        let reading = reading::read(&case.name, &case.model, how);
        let error = reading
            .error()
            .map(|e| format!("rejected, line {}: {} [{}]", reading.line(e), e.message, e.code));
        match (error, case.accepted) {
            (None, true) | (Some(_), false) => None,
            (None, false) => Some(match reading.warnings() {
                codes if codes.is_empty() => "accepted".into(),
                codes => format!("accepted ({})", codes.join(", ")),
            }),
            (error, true) => error,
        }
    });
    let pairs = cases.iter().zip(ours);
    pairs.filter_map(|(case, ours)| Some(Disagreement { case, ours: ours? })).collect()
}

/// Removes what is intended, and counts it by reason.
fn set_apart(
    disagreements: &mut Vec<Disagreement<'_>>,
    strict: bool,
) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    disagreements.retain(|disagreement| {
        let why = intended(disagreement, strict);
        if let Some(why) = why {
            *counts.entry(why).or_default() += 1;
        }
        why.is_none()
    });
    counts
}

fn intended(disagreement: &Disagreement<'_>, strict: bool) -> Option<&'static str> {
    let lines = INTENDED.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    for line in lines {
        let mut parts = line.splitn(3, " | ").map(str::trim);
        let (mode, part, why) = (parts.next()?, parts.next()?, parts.next()?);
        let case = disagreement.case;
        let is_about = match part.strip_prefix("case ") {
            Some(name) => case.name == name,
            None => case.error.contains(part) || disagreement.ours.contains(part),
        };
        if is_about && (mode == "both" || (mode == "strict") == strict) {
            return Some(why);
        }
    }
    None
}

/// The cases whose flat text means something else than the model.
fn convert<'c>(cases: &'c [Case], args: &Args) -> Result<Vec<Disagreement<'c>>, String> {
    let nusmv = args.nusmv()?;
    let accepted: Vec<&Case> = cases.iter().filter(|case| case.accepted).collect();
    let ours = parallel::map(&accepted, |_, case| convert_one(&nusmv, case, args.how));
    nusmv.clean_up();
    let mut different = Vec::new();
    for (&case, ours) in accepted.iter().zip(ours) {
        if let Some(ours) = ours? {
            different.push(Disagreement { case, ours });
        }
    }
    println!(
        "\n{} of {} flat texts keep every verdict",
        accepted.len() - different.len(),
        accepted.len()
    );
    Ok(different)
}

fn convert_one(nusmv: &Nusmv, case: &Case, how: How) -> Result<Option<String>, String> {
    let reading = reading::read(&case.name, &case.model, how);
    if !reading.is_accepted() {
        return Ok(None);
    }
    // The cases have one code point a byte.
    let original: Vec<u8> = case.model.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
    let text = smv::print::flat(&reading.model);
    let n_properties = reading.model.properties.len();
    let is_readable = |formula: &Formula| !matches!(formula, Formula::Unsupported(_));
    let readable = reading.model.properties.iter().filter(|p| is_readable(&p.formula));
    let n_readable = readable.count();
    let check = |kind: &str, text: &[u8], n_properties: usize| {
        let name = format!("{}.{kind}", case.name);
        let task = Task { name: &name, text, n_properties, options: &[] };
        nusmv.check(task).map_err(|e| e.to_string())
    };
    let expected = check("original", &original, n_properties)?;
    let answer = check("flat", text.as_bytes(), n_readable)?;
    let mut verdicts = expected.verdicts;
    // What we can't read is left out of the text.
    if verdicts.len() == n_properties {
        let mut properties = reading.model.properties.iter();
        verdicts.retain(|_| properties.next().is_some_and(|p| is_readable(&p.formula)));
    }
    let is_worse = expected.errors.is_empty() && !answer.errors.is_empty();
    let ours = difference(&verdicts, &answer).or(is_worse.then(|| answer.errors.join(" / ")));
    Ok(ours.map(|ours| format!("{ours}\nflat text:\n{text}")))
}

fn print_by_area(disagreements: &[Disagreement<'_>]) {
    let mut areas: BTreeMap<&str, Vec<&Disagreement<'_>>> = BTreeMap::new();
    for disagreement in disagreements {
        areas.entry(&disagreement.case.area).or_default().push(disagreement);
    }
    for (area, disagreements) in areas {
        println!("\n## {area}: {}", disagreements.len());
        for Disagreement { case, ours } in disagreements {
            let nusmv = if case.accepted { "accepted" } else { &case.error };
            println!("\n{}\n  NuSMV: {nusmv}\n  ours:  {ours}", case.name);
            for line in case.model.lines() {
                println!("    {line}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 3] = [
        include_str!("../../tests/nusmv/random.json"),
        include_str!("../../tests/nusmv/operators.json"),
        include_str!("../../tests/nusmv/structure.json"),
    ];

    fn cases() -> Vec<Case> {
        let lists = FILES.map(|text| serde_json::from_str::<Value>(text).unwrap());
        lists.iter().flat_map(|list| list.as_array().unwrap()).map(case).collect()
    }

    #[test]
    fn we_accept_what_nusmv_accepts_but_for_what_is_intended() {
        let cases = cases();
        assert!(cases.len() > 3000, "the cases are there");
        for strict in [false, true] {
            let mut disagreements = compare(&cases, How { strict, quick: false });
            set_apart(&mut disagreements, strict);
            let names: Vec<&str> = disagreements.iter().map(|d| d.case.name.as_str()).collect();
            assert!(names.is_empty(), "strict: {strict}, {names:?}");
        }
    }

    /// Where nothing constrains the states, an invariant holds if it is true in every state that
    /// the types admit: the evaluator decides it alone, and must say what NuSMV says.
    #[test]
    fn the_evaluator_agrees_with_nusmv_on_unconstrained_models() {
        let mut n_compared = 0;
        for case in cases().iter().filter(|case| case.accepted && !case.verdicts.is_empty()) {
            let reading =
                reading::read(&case.name, &case.model, How { strict: false, quick: true });
            // NuSMV's integers wrap at 32 bits, ours do not.
            let wraps = ["2147483647", "65536", "1000000"].iter().any(|n| case.model.contains(n));
            // It calls a failure equal to itself; for us it stays a failure.
            let is_quirk = case.area.starts_with("mask");
            let skip = wraps || is_quirk;
            let Some(mut ours) = evaluate_invariants(&reading.model).filter(|_| !skip) else {
                continue;
            };
            let mut nusmv: Vec<bool> = case.verdicts.iter().map(|(_, v)| v == "true").collect();
            // NuSMV prints them by the number of variables that they need.
            ours.sort_unstable();
            nusmv.sort_unstable();
            assert_eq!(ours, nusmv, "{}:\n{}", case.name, case.model);
            n_compared += 1;
        }
        assert!(n_compared > 400, "only {n_compared} cases fit");
    }

    /// The verdicts of a model's invariants by enumeration; `None` where that is not possible.
    fn evaluate_invariants(model: &trapline_model::Model) -> Option<Vec<bool>> {
        use trapline_model::{PropertyKind, Reads, VarKind, eval::Plan};
        let is_free = model.assigns.is_empty()
            && model.constraints.is_empty()
            && model.vars.iter().all(|var| var.kind == VarKind::State)
            && model.properties.iter().all(|p| p.kind == PropertyKind::Invar);
        let sizes: Option<Vec<u64>> = model.vars.iter().map(|var| var.domain.size()).collect();
        let n_states = sizes.as_ref()?.iter().try_fold(1u64, |n, size| n.checked_mul(*size))?;
        if !is_free || n_states > 1 << 14 || model.properties.is_empty() {
            return None;
        }
        let mut exprs = Vec::new();
        for property in &model.properties {
            let Formula::Holds(clause) = property.formula else { return None };
            if model.exprs.info(clause.expr).reads.any(Reads::NEXT) {
                return None;
            }
            exprs.push(clause.expr);
        }
        let plan = Plan::new(model, &exprs);
        let mut verdicts = vec![true; exprs.len()];
        let mut cells = Vec::new();
        for state in 0..n_states {
            let mut rest = state;
            let values: Vec<_> = model
                .vars
                .iter()
                .map(|var| {
                    let size = var.domain.size().unwrap_or(1);
                    let value = var.domain.value(rest % size);
                    rest /= size;
                    Some(value)
                })
                .collect();
            plan.run(&values, &[], &mut cells);
            for (idx, verdict) in verdicts.iter_mut().enumerate() {
                match plan.root(idx, &cells).as_bool() {
                    Some(holds) => *verdict &= holds,
                    // NuSMV saw no failure here, so this is no answer that could be right.
                    None => return Some(Vec::new()),
                }
            }
        }
        Some(verdicts)
    }

    #[test]
    fn every_intended_difference_occurs() {
        let cases = cases();
        let of_mode = [false, true].map(|strict| compare(&cases, How { strict, quick: false }));
        for line in INTENDED.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let name = line.split(" | ").nth(1).and_then(|part| part.strip_prefix("case "));
            let occurs = |name| of_mode.iter().flatten().any(|d| d.case.name == name);
            assert!(name.is_none_or(occurs), "no longer a difference: {line}");
        }
    }
}
