//! Traps of faults: the model beside a copy that has one of the faults, whose outputs never differ.
//!
//! Where inputs determine what the model and the copy do, a pair of states whose outputs differ shows the
//! fault, so the trap is false exactly if a test shows it. Where one of them has choices, such a pair is
//! only a candidate, which takes more than a property of states to judge; those faults have no trap.

use trapline_engine::possible::{Output, Ports};
use trapline_model::ExprId;
use trapline_model::transform::Extension;
use trapline_source::Span;

use super::product::{Product, product};
use super::simulate::Functions;
use super::{Fault, implementation};
use crate::builder::GoalSet;
use crate::goal::{GoalKind, Pair};

/// Why a fault has no trap.
pub const NO_TRAP: &str = "the model or the mutant has choices, so that no property of states \
                           says whether a test kills it";

/// The model, with a copy if goals ask for faults; and for each fault the states in which it shows, if
/// there are states that surely show it.
pub fn with_copy(set: &GoalSet) -> (Extension, Vec<Option<ExprId>>) {
    let mut shown = vec![None; set.faults.len()];
    let own = implementation(&set.model);
    let outputs = Ports::new(&own).outputs;
    let places = determined(set, &outputs);
    if places.is_empty() {
        return (set.model.clone(), shown);
    }
    let faults: Vec<&Fault> = places.iter().map(|&place| &set.faults[place]).collect();
    let Product { mut model, is_off, selected, .. } = product(&set.model, &faults, &outputs);
    let define = model.add_define("__shows", is_off, Span::default());
    let is_off = model.define_expr(define);
    for (place, is_selected) in places.into_iter().zip(selected) {
        shown[place] = Some(model.exprs.and(is_selected, is_off));
    }
    (model, shown)
}

/// The faults that goals ask for and that leave everything to the inputs.
fn determined(set: &GoalSet, outputs: &[Output]) -> Vec<usize> {
    let mut asked = asked(set);
    let mut model = implementation(&set.model);
    let functions = if asked.is_empty() { None } else { Functions::new(&model, outputs) };
    let Some(functions) = functions else { return Vec::new() };
    asked.retain(|&fault| {
        let Fault { change, is_lasting, .. } = &set.faults[fault];
        functions.changed(&mut model, change, *is_lasting).is_some()
    });
    asked
}

/// The faults that goals ask for, each once.
fn asked(set: &GoalSet) -> Vec<usize> {
    let evaluations = |pair: &Pair| {
        let point = &set.points[pair.decision];
        let serving = point.serving(pair.condition).into_iter();
        serving.map(|idx| point.target(&set.model, idx)).collect()
    };
    let targets = set.goals.iter().flat_map(|goal| match &goal.kind {
        GoalKind::Pair(pair) => evaluations(pair),
        kind => vec![kind.clone()],
    });
    let faults = targets.filter_map(|target| match target {
        GoalKind::Fault(fault) => Some(fault),
        _ => None,
    });
    let mut faults: Vec<usize> = faults.collect();
    faults.sort_unstable();
    faults.dedup();
    faults
}
