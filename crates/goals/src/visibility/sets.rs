//! Faults in models with choices, judged exactly: see [`super::judge`].

use trapline_engine::{Budget, Why};
use trapline_model::Model;
use trapline_model::trace::Trace;
use trapline_source::numbers::counted;

use super::Finding;
use super::difference::Difference;
use super::graph::{Graph, Numbers};
use super::judge::{Beliefs, Judged, judge};
use super::widen::faulty;
use crate::decide::Witness;
use crate::subgoals::Subgoals;

/// Work of the constraint solver for the model.
const MODEL_WORK: u64 = 200_000_000;

/// The same for one copy, in rounds: most need little, and few should not keep the others waiting.
const COPY_WORK: [u64; 2] = [300_000, 5_000_000];

/// The same for all copies in a round.
const ROUND_WORK: u64 = 1_000_000_000;

/// Decides the faults that are open, as far as the states can be listed, and gives those that stay open. What
/// needs much is asked only after a cheaper way was tried: that is given the faults of which it is open whether
/// something surely shows them, and adds others.
pub fn decide(
    subgoals: &Subgoals,
    own: &Model,
    faults: &[usize],
    found: &mut [Option<Finding>],
    traces: &mut Vec<Trace>,
    budget: &Budget<'_>,
    mut cheaper: impl FnMut(&mut Vec<usize>, &mut [Option<Finding>], &mut Vec<Trace>),
) -> Vec<usize> {
    let is_open = |idx: &usize| found[*idx].is_none() && subgoals.faults[faults[*idx]].is_lasting;
    let mut open: Vec<usize> = (0..faults.len()).filter(is_open).collect();
    if open.is_empty() {
        return open;
    }
    let numbers = Numbers::new();
    let part = budget.part(Some(MODEL_WORK));
    let graph = Graph::new(own, &numbers, &part);
    let mut beliefs = Beliefs::new(&graph);
    let mut with_changes = own.clone();
    for (round, copy_work) in COPY_WORK.into_iter().enumerate() {
        if round > 0 {
            cheaper(&mut open, found, traces);
            open.retain(|&idx| !matches!(found[idx], Some(Finding::Shown(_))));
        }
        let round = budget.part(Some(ROUND_WORK));
        open.retain(|&idx| {
            if let Err(exhausted) = round.spend(0) {
                found[idx].get_or_insert(Finding::Unknown(exhausted.into()));
                return true;
            }
            let fault = &subgoals.faults[faults[idx]];
            let difference = Difference::new(&mut with_changes, &fault.change);
            let part = round.part(Some(copy_work));
            let copy = faulty(fault.change.apply(own));
            let copy = Graph::of_copy(&copy, &graph, difference, &part);
            let judged = judge(&mut beliefs, &copy, &part);
            let needs_more = matches!(judged, Err(Why::Work) | Ok(Judged::Open(_)));
            let finding = judged.and_then(|judged| finding(judged, &graph, subgoals, traces));
            match finding {
                Ok(finding) => found[idx] = Some(finding),
                // What an earlier round has found is worth more.
                Err(why) => drop(found[idx].get_or_insert(Finding::Unknown(why))),
            }
            needs_more
        });
    }
    open
}

fn finding(
    judged: Judged,
    graph: &Graph<'_>,
    subgoals: &Subgoals,
    traces: &mut Vec<Trace>,
) -> Result<Finding, Why> {
    let proof = |n_nodes: usize| {
        format!("all {n_nodes} pairs of one of its states with what the model may be in were seen")
    };
    Ok(match judged {
        Judged::Sure(word) => {
            traces.push(graph.trace(&subgoals.model, &word)?);
            let (trace, state) = (traces.len() - 1, word.len() - 1);
            Finding::Shown(Witness { trace, state, evaluation: None })
        }
        Judged::May(n_exchanges) => Finding::MayBeShown(format!(
            "its choices decide whether it shows, after {} at the earliest; no test surely shows it",
            counted(n_exchanges as u64, "exchange")
        )),
        Judged::Open(n_exchanges) => Finding::MayBeShown(format!(
            "some run of it shows it, after {} at the earliest; whether some test surely does is open",
            counted(n_exchanges as u64, "exchange")
        )),
        Judged::Conforms(n_nodes) => Finding::Conforming(proof(n_nodes)),
        Judged::Equals(n_nodes) => Finding::Equivalent(proof(n_nodes)),
    })
}
