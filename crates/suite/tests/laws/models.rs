//! Random models with properties, goals of them, walks through them, and ways to make tests.

use fastrand::Rng;
use trapline_engine::simulate::Simulator;
use trapline_engine::{Budget, ENGINES};
use trapline_goals::{CRITERIA, GoalSet, derive};
use trapline_model::Model;
use trapline_model::trace::{State, Trace};
use trapline_suite::generate::{Fewest, Options, Slice, Strategy};

use trapline_testkit::random::{self, RandomModel, Reads, random_model};
use trapline_testkit::read;

const MAX_STATES: usize = 16;

/// May expressions be without a value?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    Tame,
    Wild,
}

/// A model and its text.
pub struct Case {
    pub model: Model,
    pub text: String,
}

/// A model with claims of all logics for its properties.
pub fn case(rng: &mut Rng, nature: Nature, n_claims: usize) -> Case {
    let options = random::Options { is_wild: nature == Nature::Wild, max_states: MAX_STATES };
    let sketch = random_model(rng, options);
    let mut text = sketch.text.clone();
    for _ in 0..n_claims {
        text += &claim(rng, &sketch);
    }
    with_fairness(rng, &sketch, text)
}

fn with_fairness(rng: &mut Rng, sketch: &RandomModel, mut text: String) -> Case {
    if rng.u8(..4) == 0 {
        text += &format!("JUSTICE {};\n", sketch.boolean(rng, Reads::STATE));
    }
    Case { model: read(&text, &[]).0, text }
}

/// A claim that a test may violate, or not.
fn claim(rng: &mut Rng, sketch: &RandomModel) -> String {
    let [p, q] = [(); 2].map(|()| format!("({})", sketch.boolean(rng, Reads::STATE)));
    let step = format!("({})", sketch.boolean(rng, Reads::STEP));
    match rng.u8(..20) {
        0 => format!("INVARSPEC {p};\n"),
        1 => format!("INVARSPEC {step};\n"),
        2 => format!("CTLSPEC AG {p};\n"),
        3 | 4 => format!("CTLSPEC AG ({p} -> AX {q});\n"),
        5 => format!("CTLSPEC AG ({p} & AX {q});\n"),
        6 => format!("CTLSPEC AG ({p} -> AF {q});\n"),
        7 => format!("CTLSPEC !EF {p};\n"),
        8 => format!("CTLSPEC !EG {p};\n"),
        9 => format!("CTLSPEC A [{p} U {q}];\n"),
        10 => format!("CTLSPEC AG EF {p};\n"),
        11 => format!("LTLSPEC G {p};\n"),
        12 => format!("LTLSPEC G ({p} -> X {q});\n"),
        13 => format!("LTLSPEC G {step};\n"),
        14 => format!("LTLSPEC G ({p} -> F {q});\n"),
        15 => format!("LTLSPEC F {p};\n"),
        16 => format!("LTLSPEC {p} U {q};\n"),
        17 => format!("LTLSPEC G ({p} -> O {q});\n"),
        18 => format!("LTLSPEC G F {p};\n"),
        _ => format!("CTLSPEC AX {p};\n"),
    }
}

/// The goals of a few criteria.
pub fn goals(rng: &mut Rng, model: &Model, n_criteria: usize) -> GoalSet {
    let mut names: Vec<&str> = CRITERIA.iter().map(|criterion| criterion.name).collect();
    rng.shuffle(&mut names);
    names.truncate(n_criteria);
    let options = trapline_goals::Options {
        self_loops: rng.bool(),
        staying: rng.bool(),
        limit: 60,
        ..trapline_goals::Options::default()
    };
    derive(model, &names, &options)
}

/// Some way to make tests.
pub fn options(rng: &mut Rng) -> Options {
    let depth = |rng: &mut Rng| (rng.u8(..3) == 0).then(|| rng.u64(..4));
    let slices = [Slice::None, Slice::Initial, Slice::Each];
    let mut engine = || ENGINES[rng.usize(..ENGINES.len())];
    let (initial_engine, engine) = (engine(), engine());
    Options {
        strategy: if rng.u8(..3) == 0 { Strategy::Separate } else { Strategy::Extend },
        fewest: if rng.bool() { Fewest::Tests } else { Fewest::Steps },
        initial_depth: depth(rng),
        extension_depth: depth(rng),
        min_depth: if rng.u8(..3) == 0 { rng.u64(1..4) } else { 0 },
        is_incremental: rng.bool(),
        branch: rng.bool(),
        no_prune: rng.u8(..4) == 0,
        slice: slices[rng.usize(..slices.len())],
        warm_up: if rng.u8(..3) == 0 { rng.usize(1..30) } else { 0 },
        seed: rng.u64(..),
        diverse: if rng.u8(..4) == 0 { rng.usize(2..4) } else { 1 },
        shorten: true,
        checkpoint_work: if rng.bool() { rng.u64(1..200) } else { u64::MAX },
        initial_engine,
        engine,
    }
}

/// Random walks, some of which loop.
pub fn walks(rng: &mut Rng, model: &Model, n_walks: usize) -> Vec<Trace> {
    let simulator = Simulator::new(model);
    let mut traces = Vec::new();
    for _ in 0..n_walks {
        let mut trace = walk(rng, &simulator);
        if rng.u8(..3) == 0 {
            close(model, &mut trace);
        }
        traces.extend(Some(trace).filter(|trace| !trace.states.is_empty()));
    }
    traces
}

fn walk(rng: &mut Rng, simulator: &Simulator<'_>) -> Trace {
    let budget = Budget::unlimited();
    let mut trace = Trace::default();
    for _ in 0..rng.usize(1..8) {
        let choice = match trace.states.last() {
            None => simulator.initial(&[], rng, &budget),
            Some(last) => simulator.step(last, &[], rng, &budget),
        };
        let Ok(Some(choice)) = choice else { break };
        if let (Some(from), Some(last)) = (choice.from, trace.states.last_mut()) {
            *last = from;
        }
        trace.states.push(choice.state);
    }
    trace
}

/// Where the walk comes back to a state, it goes round forever.
fn close(model: &Model, trace: &mut Trace) {
    let plain = |state: &State| {
        let mut state = state.clone();
        state.drop_inputs(model);
        state
    };
    for end in 1..trace.states.len() {
        let is_there = |idx: &usize| plain(&trace.states[*idx]) == plain(&trace.states[end]);
        if let Some(start) = (0..end).find(is_there) {
            trace.states.truncate(end);
            trace.loop_start = Some(start);
            return;
        }
    }
}
