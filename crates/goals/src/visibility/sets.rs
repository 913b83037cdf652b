//! Faults in models with choices, judged exactly: see [`super::judge`].

use rustc_hash::FxHashMap;
use trapline_engine::possible::{Exchange, Explicit, Outputs, Ports, Possible, StateList};
use trapline_engine::{Budget, Why};
use trapline_model::Model;
use trapline_model::trace::{State, Trace};

use super::difference::Difference;
use super::graph::{Graph, Numbers, class, first_inputs};
use super::judge::{Beliefs, Judged, judge};
use super::widen::faulty;
use super::{Fault, Finding};
use crate::decide::Witness;
use crate::subgoals::Subgoals;

/// Work of the constraint solver for the model, and for one copy.
const MODEL_WORK: u64 = 200_000_000;
const COPY_WORK: u64 = 5_000_000;

/// Work of the constraint solver for a fault and a test.
const TEST_WORK: u64 = 20_000_000;

/// Pairs of what a copy and the model may be in after an exchange of a test.
const MAX_PAIRS: usize = 5_000;

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

/// The state of a test in which a fault surely shows.
pub fn shows(model: &Model, fault: &Fault, test: &Trace, budget: &Budget<'_>) -> Option<usize> {
    if !fault.is_lasting {
        return None;
    }
    let copy = faulty(fault.change.apply(model));
    let part = budget.part(Some(TEST_WORK));
    let (ours, theirs) = (Explicit::new(model, &part), Explicit::new(&copy, &part));
    let ports = Ports::new(model);
    let mut elements: Vec<(Option<StateList>, Option<StateList>)> = vec![(None, None)];
    for (state, now) in test.states.iter().enumerate() {
        let inputs = match state.checked_sub(1) {
            None => first_inputs(&ports, model, now),
            Some(before) => ports.sent_in(&test.states[before], now),
        };
        let exchange = Exchange { inputs, outputs: Vec::new() };
        let mut next: Vec<(Option<StateList>, Option<StateList>)> = Vec::new();
        for (possible, copies) in &elements {
            let allowed = by_outputs(&ports, after(&ours, possible.as_ref(), &exchange)?);
            // What the model does not take is not judged.
            if allowed.is_empty() {
                return None;
            }
            let copies: Vec<Option<StateList>> = match copies {
                None => vec![None],
                Some(list) => classes(&ports, list.clone()).into_iter().map(Some).collect(),
            };
            for one in copies {
                // The copy shows what the model's definitions are in it.
                let shown =
                    by_outputs(&Ports::new(&copy), after(&theirs, one.as_ref(), &exchange)?);
                for (outputs, states) in shown {
                    if let Some(fitting) = allowed.get(&outputs) {
                        next.push((Some(fitting.clone()), Some(states)));
                    }
                }
            }
        }
        if next.is_empty() {
            return Some(state);
        }
        if next.len() > MAX_PAIRS {
            return None;
        }
        elements = merged(next);
    }
    None
}

/// Elements whose model is in the same states, as one.
fn merged(
    elements: Vec<(Option<StateList>, Option<StateList>)>,
) -> Vec<(Option<StateList>, Option<StateList>)> {
    let mut list: Vec<(Option<StateList>, Option<StateList>)> = Vec::new();
    for (possible, copies) in elements {
        match (list.iter_mut().find(|(known, _)| *known == possible), copies) {
            (Some((_, Some(known))), Some(copies)) => {
                for state in copies.states {
                    if !known.states.contains(&state) {
                        known.states.push(state);
                    }
                }
            }
            (_, copies) => list.push((possible, copies)),
        }
    }
    list
}

/// The states after an exchange; `None` if they can't be listed.
fn after(
    possible: &Explicit<'_, '_>,
    set: Option<&StateList>,
    exchange: &Exchange,
) -> Option<StateList> {
    match set {
        None => possible.start(exchange).ok(),
        Some(set) => possible.step(set, exchange).ok(),
    }
}

fn by_outputs(ports: &Ports<'_>, set: StateList) -> FxHashMap<Outputs, StateList> {
    let mut groups: FxHashMap<Outputs, StateList> = FxHashMap::default();
    for state in set.states {
        groups.entry(ports.shown(&state)).or_default().states.push(state);
    }
    groups
}

/// States that differ only in inputs which leave them, together.
fn classes(ports: &Ports<'_>, set: StateList) -> Vec<StateList> {
    let mut classes: FxHashMap<State, StateList> = FxHashMap::default();
    for state in set.states {
        classes.entry(class(ports, &state)).or_default().states.push(state);
    }
    classes.into_values().collect()
}
