//! Which faults the tests of a suite show.

use trapline_engine::possible::Ports;
use trapline_engine::{Budget, Why};
use trapline_model::trace::Trace;

use super::acting::Acting;
use super::search::starts;
use super::simulate::{Face, Functions, Outcome};
use super::tree::{self, Played};
use super::{implementation, once};
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
    if faults.is_empty() || tests.is_empty() {
        return shown;
    }
    let mut model = implementation(&subgoals.model);
    let functions = Functions::new(&model, &Ports::new(&model).outputs);
    let free = budget.grace();
    let of = |(_, fault): &(usize, usize)| &subgoals.faults[*fault];
    let acting = Acting::new(&subgoals.model, faults.iter().map(of));
    let acting = acting.on(tests, &|| budget.has_patience().is_ok());
    let mut played: Option<Vec<Played>> = None;
    for ((subgoal, fault), acting) in faults.into_iter().zip(acting) {
        if let Err(exhausted) = free.has_patience() {
            shown.cut = Some(exhausted.into());
            break;
        }
        let fault = &subgoals.faults[fault];
        let changed = functions.as_ref().and_then(|functions| {
            Some((functions, functions.changed(&mut model, &fault.change, fault.is_lasting)?))
        });
        let state = |test: &Trace, first: usize| {
            let (functions, changed) = changed.as_ref()?;
            let starts = match fault.is_lasting {
                true => vec![first],
                false => starts(&model, fault, test),
            };
            let outcome = |first| functions.run(&model, changed, (test, first), &free);
            starts.into_iter().find_map(|first| match outcome(first) {
                Outcome::Shown(state) => Some(state),
                Outcome::Hidden | Outcome::Open(_) => None,
            })
        };
        let met = match changed {
            Some(_) => {
                let met = acting.into_iter();
                met.filter_map(|(idx, first)| Some((idx, state(&tests[idx], first)?))).collect()
            }
            None if !fault.is_lasting => {
                let state = |test: &Trace| once::shows(&model, fault, test, &free);
                let states = tests.iter().map(state).enumerate();
                states.filter_map(|(test, it)| Some((test, it?))).collect()
            }
            // A copy with choices may also do more than the model, so all tests count.
            None => {
                let play = |test: &Trace| Played::new(&model, std::slice::from_ref(test));
                let played = played.get_or_insert_with(|| tests.iter().map(play).collect());
                let states = tree::shows(&model, fault, played, &free).into_iter().enumerate();
                states.filter_map(|(test, it)| Some((test, it?))).collect()
            }
        };
        shown.list.push((subgoal, met));
    }
    shown
}

/// What faulty copies answer where tests show them: for each of these faults, one answer for each of its
/// tests.
pub fn faces(
    subgoals: &Subgoals,
    asked: &[(usize, Vec<&Trace>)],
    budget: &Budget<'_>,
) -> Vec<Vec<Face>> {
    let mut model = implementation(&subgoals.model);
    let functions = Functions::new(&model, &Ports::new(&model).outputs);
    let answers = asked.iter().map(|(fault, tests)| {
        let fault = &subgoals.faults[*fault];
        let changed = functions.as_ref().filter(|_| budget.has_patience().is_ok());
        let changed = changed.and_then(|functions| {
            Some((functions, functions.changed(&mut model, &fault.change, fault.is_lasting)?))
        });
        let face = |test: &&Trace| {
            let (functions, changed) = changed.as_ref()?;
            let mut starts = starts(&model, fault, test).into_iter();
            let face = |first| functions.face(&model, changed, (test, first), budget);
            starts.find_map(face).map(|(_, face)| face)
        };
        tests.iter().map(|test| face(test).unwrap_or(Face::Unknown)).collect()
    });
    answers.collect()
}
