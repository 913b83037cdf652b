//! Which faults the tests of a suite show.

use trapline_engine::possible::Ports;
use trapline_engine::{Budget, Why};
use trapline_model::trace::Trace;

use super::acting::Acting;
use super::search::starts;
use super::simulate::{Functions, Outcome};
use super::{implementation, sets};
use crate::subgoals::{Subgoal, Subgoals};

/// The faults that tests show.
#[derive(Debug, Default)]
pub struct Shown {
    /// By subgoal, the tests that show its fault, each with the state in which it does.
    pub list: Vec<(usize, Vec<(usize, usize)>)>,
    /// Why not all tests were evaluated, if so.
    pub cut: Option<Why>,
}

/// Determines which faults the tests surely show, many faults at once.
pub fn shown(
    subgoals: &Subgoals,
    is_asked: &dyn Fn(usize) -> bool,
    tests: &[Trace],
    budget: &Budget<'_>,
) -> Shown {
    let faults = subgoals.list.iter().enumerate().filter_map(|(idx, subgoal)| match subgoal {
        Subgoal::Fault(fault) if is_asked(idx) => Some((idx, *fault)),
        _ => None,
    });
    let faults: Vec<(usize, usize)> = faults.collect();
    let mut shown = Shown::default();
    if faults.is_empty() {
        return shown;
    }
    let mut model = implementation(&subgoals.model);
    let functions = Functions::new(&model, &Ports::new(&model).outputs);
    let free = budget.grace();
    let of = |(_, fault): &(usize, usize)| &subgoals.faults[*fault];
    let acting = Acting::new(&subgoals.model, faults.iter().map(of));
    let acting = acting.on(tests, &|| budget.has_patience().is_ok());
    for ((subgoal, fault), acting) in faults.into_iter().zip(acting) {
        if let Err(exhausted) = budget.has_patience() {
            shown.cut = Some(exhausted.into());
            break;
        }
        let fault = &subgoals.faults[fault];
        let changed = functions.as_ref().and_then(|functions| {
            Some((functions, functions.changed(&mut model, &fault.change, fault.is_lasting)?))
        });
        let mut met = Vec::new();
        // A copy with choices may also do more than the model.
        let candidates: Vec<(usize, usize)> = match &changed {
            Some(_) => acting,
            None => (0..tests.len()).map(|test| (test, 0)).collect(),
        };
        for (test_idx, first) in candidates {
            let test = &tests[test_idx];
            let state = match &changed {
                Some((functions, changed)) => {
                    let starts = match fault.is_lasting {
                        true => vec![first],
                        false => starts(&model, fault, test),
                    };
                    starts.into_iter().find_map(|first| {
                        match functions.run(&model, changed, (test, first), &free) {
                            Outcome::Shown(state) => Some(state),
                            Outcome::Hidden | Outcome::Open(_) => None,
                        }
                    })
                }
                None => sets::shows(&model, fault, test, &free),
            };
            met.extend(state.map(|state| (test_idx, state)));
        }
        shown.list.push((subgoal, met));
    }
    shown
}
