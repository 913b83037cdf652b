//! How long it takes to determine which of a thousand goals a suite of a million states reaches, and
//! whether the model allows the suite.

use std::time::Instant;

use trapline_engine::simulate::Simulator;
use trapline_engine::{Budget, Limits};
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_goals::{CRITERIA, GoalSet, Mutate, Options, derive};
use trapline_model::Model;
use trapline_model::replay::Replayer;
use trapline_model::trace::{State, Trace};
use trapline_suite::coverage::coverage;

use crate::reading::{self, How};
use crate::{parallel, root};

const N_STATES: usize = 1_000_000;
const N_GOALS: usize = 1_000;

/// So many states come from random walks, which take long, and then again and again: nothing here
/// remembers states.
const N_WALKED: usize = 10_000;

/// The lengths of the tests in the suites.
const LENGTHS: &[usize] = &[N_STATES, 1_000, 50];

/// No suite may take longer, in seconds.
const MAX_SECONDS: f64 = 3.0;

/// A model and the goals on it.
struct Case {
    path: &'static str,
    mutate: Mutate,
}

const CASES: &[Case] = &[
    Case { path: "examples/safety-injection/published.smv", mutate: Mutate::Model },
    Case { path: "examples/safety-injection/published.smv", mutate: Mutate::Specs },
    Case { path: "examples/flight-guidance/mode_logic.smv", mutate: Mutate::Model },
];

/// Measures all cases; `false` when one takes too long.
///
/// # Errors
/// When a model can't be read or walked through.
pub fn run() -> Result<bool, String> {
    println!(
        "| model | parts | claims | tests | states | met | seconds | million goal-states/s | replay s |\n\
         |---|---|---|---|---|---|---|---|---|"
    );
    let mut is_fast = true;
    for case in CASES {
        let text = std::fs::read_to_string(root().join(case.path))
            .map_err(|e| format!("{}: {e}", case.path))?;
        let reading = reading::read(case.path, &text, How { strict: false, quick: true });
        if let Some(error) = reading.error() {
            return Err(format!("{}: {}", case.path, error.message));
        }
        let set = goals(&reading.model, case.mutate);
        let parts = Subgoals::new(&set, &Budget::new(Limits::default()));
        let states = walks(&reading.model)?;
        for &length in LENGTHS {
            is_fast &= measure(case, &reading.model, &parts, &states, length);
        }
    }
    Ok(is_fast)
}

/// A thousand goals of all criteria, spread evenly.
fn goals(model: &Model, mutate: Mutate) -> GoalSet {
    let names: Vec<&str> = match mutate {
        Mutate::Model => CRITERIA.iter().map(|criterion| criterion.name).collect(),
        Mutate::Specs => vec!["mutation"],
    };
    let mut set = derive(model, &names, &Options { mutate, ..Options::default() });
    let n_all = set.goals.len().max(1);
    let mut idx = 0;
    set.goals.retain(|_| {
        idx += 1;
        n_all <= N_GOALS || (idx * N_GOALS) / n_all != ((idx - 1) * N_GOALS) / n_all
    });
    set
}

/// A million states of two random walks.
fn walks(model: &Model) -> Result<Vec<State>, String> {
    let seeds: Vec<u64> = (0..parallel::N_THREADS as u64).collect();
    let walks = parallel::map(&seeds, |_, seed| walk(model, N_WALKED / seeds.len(), *seed));
    let mut states = Vec::new();
    for walk in walks {
        states.extend(walk?);
    }
    Ok(states.iter().cycle().take(N_STATES).cloned().collect())
}

fn walk(model: &Model, n_states: usize, seed: u64) -> Result<Vec<State>, String> {
    let simulator = Simulator::new(model);
    let budget = Budget::unlimited();
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut states: Vec<State> = Vec::new();
    while states.len() < n_states {
        let choice = match states.last() {
            None => simulator.initial(&[], &mut rng, &budget),
            Some(last) => simulator.step(last, &[], &mut rng, &budget),
        };
        let choice = choice.map_err(|stop| format!("{stop:?}"))?.ok_or("the model is stuck")?;
        if let (Some(last), Some(from)) = (states.last_mut(), choice.from) {
            *last = from;
        }
        states.push(choice.state);
    }
    Ok(states)
}

/// Evaluates the states as tests of a length.
fn measure(case: &Case, model: &Model, parts: &Subgoals, states: &[State], length: usize) -> bool {
    let tests: Vec<Trace> = states
        .chunks(length)
        .map(|states| Trace { states: states.to_vec(), loop_start: None })
        .collect();
    let start = Instant::now();
    let covered = coverage(parts, &tests, &Budget::unlimited());
    let seconds = start.elapsed().as_secs_f64();
    // The walks are cut anywhere, so that tests begin in any state; the longest has many in it.
    let replayer = Replayer::new(model);
    let start = Instant::now();
    let is_allowed = replayer.replay_all_from(&tests.iter().collect::<Vec<_>>()).is_ok();
    let replay = match is_allowed {
        true => format!("{:.2}", start.elapsed().as_secs_f64()),
        false => String::new(),
    };
    let n_claims = parts.list.iter().filter(|part| matches!(part, Subgoal::Trap(..))).count();
    let n_met = covered.tests.iter().filter(|tests| !tests.is_empty()).count();
    println!(
        "| {} | {} | {n_claims} | {} | {} | {n_met} | {seconds:.2} | {:.0} | {replay} |",
        case.path,
        parts.list.len(),
        tests.len(),
        states.len(),
        states.len() as f64 * parts.list.len() as f64 / seconds / 1e6
    );
    seconds <= MAX_SECONDS
}
