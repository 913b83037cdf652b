//! Faults in models with choices, judged exactly: see [`super::judge`].

use trapline_engine::{Budget, Why};
use trapline_model::Model;
use trapline_model::trace::Trace;

use super::Finding;
use super::difference::Difference;
use super::graph::{Graph, Numbers};
use super::judge::{Beliefs, Judged, judge};
use super::widen::faulty;
use crate::decide::Witness;
use crate::subgoals::Subgoals;

/// Work of the constraint solver for the model, and for one copy.
const MODEL_WORK: u64 = 200_000_000;
const COPY_WORK: u64 = 5_000_000;

/// Decides the faults that are open.
pub fn decide(
    subgoals: &Subgoals,
    own: &Model,
    faults: &[usize],
    found: &mut [Option<Finding>],
    traces: &mut Vec<Trace>,
    budget: &Budget<'_>,
) {
    let open: Vec<usize> = (0..faults.len()).filter(|&idx| found[idx].is_none()).collect();
    if open.is_empty() {
        return;
    }
    let numbers = Numbers::new();
    let part = budget.part(Some(MODEL_WORK));
    let graph = Graph::new(own, &numbers, &part);
    let mut beliefs = Beliefs::new(&graph);
    let mut with_changes = own.clone();
    for idx in open {
        let fault = &subgoals.faults[faults[idx]];
        if !fault.is_lasting {
            let why = "observable goals of a model with choices of its own";
            found[idx] = Some(Finding::Unknown(Why::Unsupported(why.into())));
            continue;
        }
        let difference = Difference::new(&mut with_changes, &fault.change);
        let copy = faulty(fault.change.apply(own));
        let part = budget.part(Some(COPY_WORK));
        let copy = Graph::of_copy(&copy, &graph, difference, &part);
        let judged = judge(&mut beliefs, &copy, &part);
        let finding = judged.and_then(|judged| finding(judged, &graph, subgoals, traces));
        found[idx] = Some(finding.unwrap_or_else(Finding::Unknown));
    }
}

fn finding(
    judged: Judged,
    graph: &Graph<'_>,
    subgoals: &Subgoals,
    traces: &mut Vec<Trace>,
) -> Result<Finding, Why> {
    let may = |n_exchanges: usize, rest: &str| {
        Finding::MayBeShown(format!(
            "its choices decide whether it shows, after {n_exchanges} exchanges at the earliest; {rest}"
        ))
    };
    let proof = |n_nodes: usize| {
        format!("all {n_nodes} pairs of one of its states with what the model may be in were seen")
    };
    Ok(match judged {
        Judged::Sure(word) => {
            traces.push(graph.trace(&subgoals.model, &word)?);
            let (trace, state) = (traces.len() - 1, word.len() - 1);
            Finding::Shown(Witness { trace, state, evaluation: None })
        }
        Judged::May(n_exchanges) => may(n_exchanges, "no test surely shows it"),
        Judged::Open(n_exchanges) => may(n_exchanges, "whether some test surely shows it is open"),
        Judged::Conforms(n_nodes) => Finding::Conforming(proof(n_nodes)),
        Judged::Equals(n_nodes) => Finding::Equivalent(proof(n_nodes)),
    })
}
