//! Summary of many comparisons.

use std::collections::BTreeMap;

use super::compare::{Compared, Comparison, code};
use crate::ours::Said;

/// A feature, the start of a line that has it, and something in that line.
const FEATURES: &[(&str, &str, &str)] = &[
    ("module", "MODULE k", ""),
    ("process", "VAR", "process"),
    ("array", "VAR", "array"),
    ("word", "VAR", "word"),
    ("IVAR", "IVAR", ""),
    ("FROZENVAR", "FROZENVAR", ""),
    ("DEFINE", "DEFINE", ""),
    ("DEFINE over next", "DEFINE", "next("),
    ("DEFINE of an array", "DEFINE", ":= ["),
    ("x :=", "ASSIGN v", ""),
    ("next on the right", "ASSIGN next", ":= next("),
    ("set", "ASSIGN", "{"),
    ("case", "ASSIGN", "case"),
    ("INIT", "INIT", ""),
    ("INVAR", "INVAR ", ""),
    ("TRANS", "TRANS", ""),
    ("FAIRNESS", "FAIRNESS", ""),
    ("JUSTICE", "JUSTICE", ""),
    ("COMPASSION", "COMPASSION", ""),
    ("FAIRNESS running", "FAIRNESS", "running"),
    ("bounded CTL", "SPEC", ".."),
    ("past LTL", "LTLSPEC", "S "),
    ("bounded LTL", "LTLSPEC", " ["),
    ("LTL with next", "LTLSPEC", "next("),
    ("INVARSPEC with next", "INVARSPEC", "next("),
];

/// The counts of one kind of properties.
#[derive(Clone, Debug, Default)]
struct Row {
    n_equal: usize,
    n_different: usize,
    n_unknown: usize,
    n_no_verdict: usize,
    n_true: usize,
    n_false: usize,
}

/// All counts.
#[derive(Clone, Debug, Default)]
pub struct Table {
    n_models: usize,
    n_accepted: usize,
    n_rejected: usize,
    n_one_sided: usize,
    n_unanswered: usize,
    n_panics: usize,
    n_unfair: usize,
    rows: BTreeMap<String, Row>,
    values: BTreeMap<String, usize>,
    features: BTreeMap<&'static str, usize>,
    reasons: BTreeMap<String, usize>,
    errors: BTreeMap<String, usize>,
}

impl Table {
    /// Counts a comparison.
    pub fn add(&mut self, comparison: &Comparison) {
        self.n_models += 1;
        self.n_panics += usize::from(comparison.panic.is_some());
        if comparison.accepted == (false, false) {
            *self.errors.entry(code(&comparison.errors.1)).or_default() += 1;
        }
        match comparison.accepted {
            _ if comparison.no_answer.is_some() => self.n_unanswered += 1,
            (true, true) => self.n_accepted += 1,
            (false, false) => self.n_rejected += 1,
            _ => self.n_one_sided += 1,
        }
        self.n_unfair += usize::from(comparison.errors.0.contains("Fair states set of the finite"));
        for (feature, start, part) in FEATURES {
            let mut lines = comparison.text.lines();
            if lines.any(|line| line.starts_with(start) && line.contains(part)) {
                *self.features.entry(feature).or_default() += 1;
            }
        }
        for property in &comparison.properties {
            self.add_property(property);
        }
    }

    fn add_property(&mut self, property: &Compared) {
        let row = self.rows.entry(property.kind.clone()).or_default();
        let nusmv = property.nusmv.as_deref();
        row.n_true += usize::from(nusmv == Some("true"));
        row.n_false += usize::from(nusmv == Some("false"));
        if let Some(value) = nusmv.filter(|_| property.kind == "compute") {
            *self.values.entry(value.into()).or_default() += 1;
        }
        match &property.ours {
            Said::BadTrace(_) => row.n_different += 1,
            Said::Unknown(why) => {
                row.n_unknown += 1;
                *self.reasons.entry(why.clone()).or_default() += 1;
            }
            Said::Verdict(_) if nusmv.is_none() => row.n_no_verdict += 1,
            Said::Verdict(_) if property.is_equal() => row.n_equal += 1,
            Said::Verdict(_) => row.n_different += 1,
        }
    }

    /// As text.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{} models: {} accepted and {} rejected by both, {} by one; {} panics; \
             no answer of NuSMV to {}; no fair path in {}\n\n",
            self.n_models,
            self.n_accepted,
            self.n_rejected,
            self.n_one_sided,
            self.n_panics,
            self.n_unanswered,
            self.n_unfair
        );
        text += "| kind | compared | equal | different | unknown | no verdict of NuSMV | true | false |\n\
                 |---|---|---|---|---|---|---|---|\n";
        for (kind, row) in &self.rows {
            let n_compared = row.n_equal + row.n_different;
            let Row { n_equal, n_different, n_unknown, n_no_verdict, n_true, n_false } = row;
            text += &format!(
                "| {kind} | {n_compared} | {n_equal} | {n_different} | {n_unknown} | \
                 {n_no_verdict} | {n_true} | {n_false} |\n"
            );
        }
        text += &list("values of COMPUTE", &self.values);
        text += &list("models with", &self.features);
        text += &list("rejected because", &self.errors);
        text += &list("unknown because", &self.reasons);
        text
    }
}

fn list<K: AsRef<str>>(title: &str, counts: &BTreeMap<K, usize>) -> String {
    let counts: Vec<String> =
        counts.iter().map(|(name, count)| format!("{} {count}", name.as_ref())).collect();
    if counts.is_empty() { String::new() } else { format!("\n{title}: {}\n", counts.join(", ")) }
}
