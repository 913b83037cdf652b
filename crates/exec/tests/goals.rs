//! Goals in runs, compared with brute force over all explanations of what was exchanged.

use fastrand::Rng;
use trapline_budget::Budget;
use trapline_engine::possible::Exchange;
use trapline_exec::reached::reached;
use trapline_exec::tester::{Explanations, Tester};
use trapline_goals::subgoals::Subgoals;
use trapline_goals::{GoalKind, Options, derive_within};
use trapline_model::goal::{Judge, Target};
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, VarKind};
use trapline_testkit::brute_force::Values;
use trapline_testkit::exchanges::{Exchanges, set_roles};
use trapline_testkit::{random, read};

/// All paths that explain what was exchanged, and up to so many more.
fn paths(truth: &Exchanges<'_>, word: &[Exchange], limit: usize) -> Option<Vec<Trace>> {
    let first = truth.start(&word[0]).into_iter();
    let mut paths: Vec<(Vec<State>, Values)> = first.map(|state| (Vec::new(), state)).collect();
    for exchange in &word[1..] {
        let mut longer = Vec::new();
        for (before, state) in &paths {
            for step in truth.steps[state].iter().filter(|it| truth.takes(it, &exchange.inputs)) {
                if truth.shows(&step.1, &exchange.outputs) {
                    let mut states = before.clone();
                    states.push(State { values: step.0.clone() });
                    longer.push((states, step.1.clone()));
                }
            }
        }
        paths = longer;
        if paths.len() > limit {
            return None;
        }
    }
    let whole = |(mut states, last): (Vec<State>, Values)| {
        states.push(State { values: last });
        Trace { states, loop_start: None }
    };
    Some(paths.into_iter().map(whole).collect())
}

/// What is exchanged on a random path; outputs are seen or not.
fn word(rng: &mut Rng, truth: &Exchanges<'_>) -> Option<Vec<Exchange>> {
    let first: Vec<&Values> = truth.initial.iter().collect();
    let mut state = (*first.get(rng.usize(..first.len().max(1)))?).clone();
    let early = truth.ports.inputs.iter().filter(|var| !truth.is_late(**var));
    let inputs = early.filter_map(|&var| Some((var, state[var.0 as usize]?))).collect();
    let shown = |state: &Values| truth.ports.shown(&State { values: state.clone() });
    let mut word = vec![Exchange { inputs, outputs: shown(&state) }];
    for _ in 0..5 {
        let steps = &truth.steps[&state];
        let Some(step) = steps.get(rng.usize(..steps.len().max(1))) else { break };
        word.push(Exchange { inputs: truth.inputs(step), outputs: shown(&step.1) });
        state = step.1.clone();
    }
    Some(word)
}

#[derive(Debug, Default)]
struct Counts {
    n_words: usize,
    n_hidden: usize,
    n_surely: usize,
    n_perhaps: usize,
}

fn check(rng: &mut Rng, model: &Model, counts: &mut Counts) {
    let Some(truth) = Exchanges::new(model) else { return };
    let budget = Budget::unlimited();
    let criteria = ["value", "decision", "condition", "branch-pair"];
    let (set, _) = derive_within(model, &criteria, &Options::default(), &budget);
    let subgoals = Subgoals::new(&set, &budget);
    let tester = Tester::new(&subgoals.model, &budget);
    // What leaves the last state was not sent, and any value of it is possible.
    let is_late = |var: &&_| truth.is_late(**var) && model.var(**var).kind == VarKind::State;
    let has_late = truth.ports.inputs.iter().any(|var| is_late(&var));
    for _ in 0..10 {
        let Some(word) = word(rng, &truth) else { return };
        let Some(paths) = paths(&truth, &word, 300) else { continue };
        let mut knowledge = tester.begin();
        for exchange in &word {
            assert_eq!(knowledge.learn(exchange), Ok(true), "{exchange:?}");
        }
        let explanations: Explanations = knowledge.into_explanations();
        let found = reached(&set, &subgoals, &[&explanations], &budget);
        counts.n_words += 1;
        counts.n_hidden += usize::from(paths.len() > 1);
        for (idx, goal) in set.goals.iter().enumerate() {
            let (target, is_initial) = match &goal.kind {
                GoalKind::Initial(expr) => (Target::State(*expr), true),
                GoalKind::State(expr) => (Target::State(*expr), false),
                GoalKind::Step(expr) => (Target::Step(*expr), false),
                GoalKind::Steps(steps) => (Target::Steps(steps.clone()), false),
                _ => continue,
            };
            let judge = Judge::new(&set.model, &[target]);
            let meets = |path: &Trace| {
                let met = judge.met(path).into_iter().next().flatten();
                met.is_some_and(|state| !is_initial || state == 0)
            };
            let n_meeting = paths.iter().filter(|path| meets(path)).count();
            let surely = found.by_run[0].contains(&idx);
            let perhaps = found.perhaps_by_run[0].contains(&idx);
            counts.n_surely += usize::from(surely);
            counts.n_perhaps += usize::from(perhaps);
            let (all, some) = (n_meeting == paths.len(), n_meeting > 0);
            assert!(!surely || all, "{}: {word:?}", goal.id);
            assert!(!perhaps || some, "{}: {word:?}", goal.id);
            if !has_late {
                assert_eq!((surely, surely || perhaps), (all, some), "{}: {word:?}", goal.id);
            }
        }
    }
}

#[test]
fn a_goal_is_reached_if_every_explanation_reaches_it() {
    let mut counts = Counts::default();
    for seed in 0..120 {
        let mut rng = Rng::with_seed(seed);
        let options = random::Options { is_wild: false, max_states: 16 };
        let mut model = read(&random::random_model(&mut rng, options).text, &[]).0;
        set_roles(&mut rng, &mut model);
        check(&mut rng, &model, &mut counts);
    }
    let Counts { n_words, n_hidden, n_surely, n_perhaps } = counts;
    assert!(n_words > 200 && n_hidden > 50 && n_surely > 500 && n_perhaps > 50, "{counts:?}");
}
