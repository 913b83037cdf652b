//! What watches a model sees the same, however many steps are looked at together.

use fastrand::Rng;
use trapline_goals::{GoalSet, Options, derive};
use trapline_model::AssignKind;
use trapline_model::columns::LANES;
use trapline_model::eval::{Cell, Plan};
use trapline_model::trace::Trace;
use trapline_suite::monitors::Monitors;

use crate::laws::models::{Case, Nature, case, walks};

/// One rule after the other, one step after the other.
fn naive(set: &GoalSet, mut trace: Trace) -> Trace {
    let model = &set.model;
    let rules = |kind: AssignKind| -> Vec<(usize, Plan)> {
        let own = model.assigns.iter().filter(|assign| assign.kind == kind);
        let own = own.map(|assign| (assign.var.0 as usize, Plan::new(model, &[assign.expr])));
        own.filter(|(var, _)| *var >= set.model.own().vars).collect()
    };
    let (first, next) = (rules(AssignKind::Init), rules(AssignKind::Next));
    trace.states.iter_mut().for_each(|state| state.values.resize(model.vars.len(), None));
    let mut cells = Vec::new();
    for idx in 0..trace.states.len() {
        for (var, plan) in if idx == 0 { &first } else { &next } {
            match idx {
                0 => plan.run(&trace.states[0].values, &[], &mut cells),
                _ => {
                    let (from, to) = (&trace.states[idx - 1], &trace.states[idx]);
                    plan.run(&from.values, &to.values, &mut cells);
                }
            }
            trace.states[idx].values[*var] = match plan.root(0, &cells) {
                Cell::Value(value) => Some(*value),
                _ => None,
            };
        }
    }
    trace
}

#[test]
fn watchers_see_what_their_rules_say_step_by_step() {
    let mut n_watched = 0;
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let nature = if rng.bool() { Nature::Tame } else { Nature::Wild };
        let Case { model, text } = case(&mut rng, nature, 4);
        let options = Options { staying: true, limit: 60, ..Options::default() };
        let set = derive(&model, &["property", "pair"], &options);
        let states: Vec<_> =
            walks(&mut rng, &model, 30).into_iter().flat_map(|walk| walk.states).collect();
        if states.is_empty() || !set.model.has_added() {
            continue;
        }
        // Nothing here asks whether the model allows a step.
        let mut trace = Trace::default();
        let n_states = rng.usize(1..2 * LANES + 10);
        for _ in 0..n_states {
            let mut state = states[rng.usize(..states.len())].clone();
            if rng.u8(..40) == 0 {
                let var = rng.usize(..state.values.len());
                state.values[var] = None;
            }
            trace.states.push(state);
        }
        let watched = Monitors::new(&set.model).observe(trace.clone());
        assert_eq!(watched, naive(&set, trace), "seed {seed}\n{text}");
        n_watched += 1;
    }
    assert!(n_watched > 30, "{n_watched}");
}
