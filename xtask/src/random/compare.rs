//! One model, NuSMV's answer and ours.

use std::panic::{AssertUnwindSafe, catch_unwind};

use trapline_engine::{Engine, Limits};
use trapline_lang::smv;
use trapline_model::{Model, VarKind};

use crate::nusmv::{Answer, Nusmv, Task};
use crate::ours::{self, Said};
use crate::reading::{self, How};

/// What came out for one model.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Its text.
    pub text: String,
    /// Does NuSMV accept it, and do we?
    pub accepted: (bool, bool),
    /// What they complained about.
    pub errors: (String, String),
    /// Each property.
    pub properties: Vec<Compared>,
    /// We panicked, with this message.
    pub panic: Option<String>,
    /// Why NuSMV gave no answer: its time ran out, or it crashed.
    pub no_answer: Option<&'static str>,
}

/// A property, what NuSMV says of it and what we do.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Its kind.
    pub kind: String,
    /// NuSMV's verdict; none if it had none.
    pub nusmv: Option<String>,
    /// Ours.
    pub ours: Said,
}

/// How two answers can differ. While a model is shrunk, this stays the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Only NuSMV accepts it; this is the code of our error.
    OnlyNusmvAccepts(String),
    /// Only we accept it; these are the first words of NuSMV's error.
    OnlyWeAccept(String),
    /// Another verdict for a property of this kind.
    Verdict(String),
    /// A trace for a property of this kind that does not show it.
    Trace(String),
    /// We panicked.
    Panic,
}

/// Who to ask, and for how long.
#[derive(Clone, Debug)]
pub struct Judges {
    /// The oracle.
    pub nusmv: Nusmv,
    /// Our engine.
    pub engine: Engine,
    /// What it may take.
    pub limits: Limits,
}

impl Compared {
    /// Do both have a verdict, and is it the same?
    pub fn is_equal(&self) -> bool {
        matches!((&self.nusmv, &self.ours), (Some(nusmv), Said::Verdict(ours)) if nusmv == ours)
    }

    fn difference(&self) -> Option<Difference> {
        match (&self.nusmv, &self.ours) {
            (_, Said::BadTrace(_)) => Some(Difference::Trace(self.kind.clone())),
            (Some(nusmv), Said::Verdict(ours)) if nusmv != ours => {
                Some(Difference::Verdict(self.kind.clone()))
            }
            _ => None,
        }
    }
}

impl Comparison {
    /// The first difference, if there is one.
    pub fn difference(&self) -> Option<Difference> {
        match self.accepted {
            _ if self.panic.is_some() => Some(Difference::Panic),
            _ if self.no_answer.is_some() => None,
            (true, false) => Some(Difference::OnlyNusmvAccepts(code(&self.errors.1))),
            (false, true) => Some(Difference::OnlyWeAccept(code(&self.errors.0))),
            _ => self.properties.iter().find_map(Compared::difference),
        }
    }

    /// Does it differ in this way?
    pub fn has(&self, difference: &Difference) -> bool {
        // A model without properties is nothing to NuSMV.
        if !self.text.contains("SPEC") && !self.text.contains("COMPUTE") {
            return false;
        }
        let first = self.difference();
        let mut others = self.properties.iter().filter_map(Compared::difference);
        first.is_some() && (first.as_ref() == Some(difference) || others.any(|d| d == *difference))
    }

    /// Why we leave properties open.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        self.properties.iter().filter_map(|property| match &property.ours {
            Said::Unknown(why) => Some(why.as_str()),
            _ => None,
        })
    }

    /// What NuSMV says, as `tests/regressions` has it.
    pub fn expectation(&self) -> String {
        let verdict = |p: &Compared| format!("{} {}", p.kind, p.nusmv.as_deref().unwrap_or("?"));
        let verdicts: Vec<String> = self.properties.iter().map(verdict).collect();
        if verdicts.is_empty() { "rejected".into() } else { verdicts.join(", ") }
    }

    /// What both say, a line a property.
    pub fn verdicts(&self) -> String {
        let errors = [&self.errors.0, &self.errors.1];
        let mut text: String = errors.into_iter().map(|error| format!("-- {error}\n")).collect();
        for Compared { kind, nusmv, ours } in &self.properties {
            let nusmv = nusmv.as_deref().unwrap_or("nothing");
            text += &format!("-- {kind}: NuSMV {nusmv}, ours {ours}\n");
        }
        text
    }

    /// All differences, in words.
    pub fn describe(&self) -> String {
        let mut lines = Vec::new();
        if let Some(panic) = &self.panic {
            lines.push(panic.clone());
        }
        if self.accepted.0 != self.accepted.1 {
            let (nusmv, ours) = &self.errors;
            lines.push(format!("NuSMV: {nusmv}\nours: {ours}"));
        }
        for (idx, property) in self.properties.iter().enumerate() {
            if property.difference().is_some() {
                let nusmv = property.nusmv.as_deref().unwrap_or("nothing");
                lines.push(format!(
                    "property {idx} ({}): NuSMV says {nusmv}, we say {}",
                    property.kind, property.ours
                ));
            }
        }
        lines.join("\n")
    }
}

/// Asks both about a model.
///
/// # Errors
/// When NuSMV can't be run.
pub fn compare(judges: &Judges, name: &str, text: &str) -> Result<Comparison, String> {
    let mut comparison = Comparison {
        text: text.into(),
        accepted: (false, false),
        errors: (String::new(), String::new()),
        properties: Vec::new(),
        panic: None,
        no_answer: None,
    };
    let how = How { strict: true, quick: false };
    let reading = catch_unwind(AssertUnwindSafe(|| reading::read(name, text, how)));
    let reading = match reading {
        Ok(reading) => Some(reading),
        Err(panic) => {
            comparison.panic = Some(format!("the reader panicked: {}", ours::message(&*panic)));
            None
        }
    };
    let accepted = reading.as_ref().filter(|reading| reading.is_accepted());
    comparison.accepted.1 = accepted.is_some();
    if let Some((reading, error)) = reading.as_ref().and_then(|r| Some((r, r.error()?))) {
        let line = reading.line(error);
        comparison.errors.1 = format!("line {line}: {} [{}]", error.message, error.code);
    }
    let answer = ask(&judges.nusmv, name, text, accepted.map(|reading| &reading.model))?;
    comparison.errors.0 = answer.errors.join(" / ");
    comparison.no_answer =
        if answer.timed_out { Some("time") } else { crash(&comparison.errors.0) };
    let has_verdict = answer.verdicts.iter().any(|(_, verdict)| verdict != "unchecked");
    let is_gone = answer.verdicts.is_empty() || answer.errors.iter().any(|e| is_rejection(e));
    comparison.accepted.0 = has_verdict || !is_gone;
    comparison.no_answer = comparison.no_answer.or(slip(&comparison));
    let both = comparison.accepted == (true, true);
    if let Some(reading) = accepted.filter(|_| both && comparison.no_answer.is_none()) {
        let kinds = reading.model.properties.iter().map(|p| ours::kind_name(p.kind));
        if !kinds.eq(answer.verdicts.iter().map(|(kind, _)| kind.as_str())) {
            comparison.panic = Some(format!("other properties: {:?}", answer.verdicts));
            return Ok(comparison);
        }
        match ours::check(reading.model.clone(), judges.engine, judges.limits) {
            Ok(ours) => comparison.properties = pairs(answer.verdicts, ours.said),
            Err(panic) => {
                let said = vec![Said::Unknown("a panic".into()); answer.verdicts.len()];
                comparison.properties = pairs(answer.verdicts, said);
                comparison.panic = Some(panic);
            }
        }
    }
    Ok(comparison)
}

/// NuSMV's answer. Where there are compassion and inputs it forgets runs in which an input takes,
/// before the end, a value that it does not take at the end. So there we ask about inputs that
/// are variables of the state, which are the same to LTL.
fn ask(nusmv: &Nusmv, name: &str, text: &str, model: Option<&Model>) -> Result<Answer, String> {
    // If NuSMV takes a model that we reject, it has a verdict for the first property.
    let n_properties = model.map_or(1, |model| model.properties.len());
    let check = |text: &str| {
        let task = Task { name, text: text.as_bytes(), n_properties, options: &[] };
        nusmv.check(task).map_err(|e| e.to_string())
    };
    let mut answer = check(text)?;
    let Some(model) = model.filter(|model| {
        let has_inputs = model.vars.iter().any(|var| var.kind == VarKind::Input);
        has_inputs && !model.compassion.is_empty()
    }) else {
        return Ok(answer);
    };
    // The input that says which process moves shows in the flat text only.
    let original = || text.to_string();
    let other = model.process_selector().map_or_else(original, |_| smv::print::flat(model));
    let other = check(&other.replace("IVAR", "VAR").replace("_process_selector_", "selector"))?;
    for (idx, (kind, verdict)) in answer.verdicts.iter_mut().enumerate() {
        if kind == "ltl" || kind == "psl" {
            let verdicts = other.verdicts.get(idx);
            *verdict = verdicts.map_or("unchecked".into(), |(_, verdict)| verdict.clone());
        }
    }
    Ok(answer)
}

/// Did NuSMV stumble over a mistake of its own?
fn crash(errors: &str) -> Option<&'static str> {
    // It evaluates branches of constant conditions that are never taken.
    let marks = ["Assertion", "reached invalid code", "line -1: "];
    marks.into_iter().find(|mark| errors.contains(mark))
}

/// Does NuSMV forget what the operands of `min` and `max` are? In an index it looks for them in
/// the wrong module, and in assignments it does not see that they depend on something.
fn slip(Comparison { text, accepted, errors, .. }: &Comparison) -> Option<&'static str> {
    let is_slip = match accepted {
        (false, true) => errors.0.contains("undefined"),
        (true, false) => errors.1.contains("circular-assignment"),
        _ => false,
    };
    (is_slip && (text.contains("min(") || text.contains("max("))).then_some("min or max")
}

/// Is the model gone, so that later commands complain?
fn is_rejection(error: &str) -> bool {
    error.contains("must be built before")
        || error.contains("must be read before")
        || error.contains("must be flattened before")
}

/// What stays of an error when names and places change.
pub fn code(error: &str) -> String {
    if let Some((_, code)) = error.rsplit_once('[') {
        return code.into();
    }
    let message = error.split(" / ").next().unwrap_or_default();
    let message = message.split("line ").last().unwrap_or_default();
    message.split_whitespace().skip(1).take(3).collect::<Vec<_>>().join(" ")
}

fn pairs(nusmv: Vec<(String, String)>, ours: Vec<Said>) -> Vec<Compared> {
    let pairs = nusmv.into_iter().zip(ours);
    pairs
        .map(|((kind, verdict), ours)| {
            let nusmv = (verdict != "unchecked").then_some(verdict);
            Compared { kind, nusmv, ours }
        })
        .collect()
}
