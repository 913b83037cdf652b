//! Constraints that became assignments say what they said: the plain model has the same initial
//! states and the same steps, with choices in place of alternatives too, and all engines give the
//! true answers about models of that style.

use std::borrow::Cow;

use fastrand::Rng;
use trapline_engine::functional::{functional_form, with_choices};
use trapline_engine::{Budget, ENGINES, Outcome, Start, Verdict, explicit};
use trapline_model::goal::Target;
use trapline_model::{AssignKind, Expr, Model};

use trapline_testkit::brute_force::Explorer;
use trapline_testkit::random_constraints::{RandomModel, Reads, random_model};
use trapline_testkit::read;
use trapline_testkit::truth::{Truth, given_states};

/// Both allow the same, and have no value in the same places, wherever a step starts.
fn assert_same(model: &Model, functional: &Model, text: &str) {
    let (ours, theirs) = (Explorer::new(model), Explorer::new(functional));
    let (first, second) = (ours.initial(), theirs.initial());
    assert_eq!(first.allowed, second.allowed, "{text}");
    assert_eq!(first.failing, second.failing, "{text}");
    for state in ours.states() {
        let (first, second) = (ours.successors(&state), theirs.successors(&state));
        assert_eq!(first.allowed, second.allowed, "from {state:?}\n{text}");
        assert_eq!(first.failing, second.failing, "from {state:?}\n{text}");
    }
}

#[test]
fn the_plain_model_has_the_same_states_and_steps() {
    let (mut n_plain, mut n_derived, mut n_first, mut n_grouped, mut n_steps) = (0, 0, 0, 0, 0);
    for seed in 0..1000 {
        let text = random_model(&mut Rng::with_seed(seed)).text;
        let (model, _) = read(&text, &[]);
        let Cow::Owned(functional) = functional_form(&model) else { continue };
        assert_same(&model, &functional, &text);
        n_plain += 1;
        let made = &functional.assigns[model.assigns.len()..];
        let has = |kind: AssignKind| made.iter().any(|assign| assign.kind == kind);
        let is_group = |expr| matches!(functional.exprs.get(expr), Expr::Ite(..));
        n_derived += usize::from(has(AssignKind::Current));
        n_first += usize::from(has(AssignKind::Init));
        n_grouped += usize::from(made.iter().any(|assign| is_group(assign.expr)));
        let explorer = Explorer::new(&model);
        let can_move =
            explorer.initial().allowed.iter().any(|s| !explorer.successors(s).allowed.is_empty());
        n_steps += usize::from(can_move);
    }
    let counts = [n_plain, n_derived, n_first, n_grouped, n_steps];
    assert!(n_plain > 600 && n_steps > 300, "{counts:?}");
    assert!(n_derived > 200 && n_first > 300 && n_grouped > 300, "{counts:?}");
}

/// The same steps without the inputs that the second model has more.
fn assert_same_but_for_inputs(model: &Model, split: &Model, text: &str) {
    let (ours, theirs) = (Explorer::new(model), Explorer::new(split));
    let n_vars = model.vars.len();
    let fewer = |values: &Vec<_>| values[..n_vars].to_vec();
    for state in ours.states() {
        let mut wide = state.clone();
        wide.resize(split.vars.len(), None);
        let (first, second) = (ours.successors(&state), theirs.successors(&wide));
        let both = |step: &(Vec<_>, Vec<_>)| (fewer(&step.0), fewer(&step.1));
        let allowed = second.allowed.iter().map(both).collect();
        assert_eq!(first.allowed, allowed, "from {state:?}\n{text}");
        let failing = second.failing.iter().map(both).collect();
        assert_eq!(first.failing, failing, "from {state:?}\n{text}");
    }
}

#[test]
fn choices_allow_the_steps_that_alternatives_do() {
    let (mut n_split, mut n_choices, mut n_total) = (0, 0, 0);
    for seed in 40_000..40_600 {
        let text = random_model(&mut Rng::with_seed(seed)).text;
        let (model, _) = read(&text, &[]);
        let functional = functional_form(&model);
        let Cow::Owned(split) = with_choices(&functional) else { continue };
        let added = &split.vars[model.vars.len()..];
        let n_cases: u64 = added.iter().filter_map(|var| var.domain.size()).product();
        if n_cases > 40 {
            continue;
        }
        assert_same_but_for_inputs(&model, &split, &text);
        n_split += 1;
        n_choices += usize::from(!added.is_empty());
        n_total += usize::from(added.is_empty());
    }
    assert!(n_split > 200 && n_choices > 150 && n_total > 4, "{:?}", (n_split, n_choices, n_total));
}

/// Some states and steps that are looked for.
fn targets(rng: &mut Rng, sketch: &RandomModel) -> (Model, Vec<Target>) {
    let states: Vec<String> = (0..4).map(|_| sketch.condition(rng, Reads::State)).collect();
    let steps: Vec<String> = (0..3).map(|_| sketch.condition(rng, Reads::Step)).collect();
    let all: Vec<&str> = states.iter().chain(&steps).map(String::as_str).collect();
    let (model, exprs) = read(&sketch.text, &all);
    let (states, steps) = exprs.split_at(states.len());
    let mut targets: Vec<Target> = states.iter().map(|&expr| Target::State(expr)).collect();
    targets.extend(steps.iter().map(|&expr| Target::Step(expr)));
    targets.extend(steps.windows(2).map(|pair| Target::Steps(pair.to_vec())));
    (model, targets)
}

#[test]
fn what_is_reached_by_constraints_is_true() {
    let (mut n_plain, mut n_verdicts) = (0, [0; 2]);
    for seed in 10_000..10_300 {
        let mut rng = Rng::with_seed(seed);
        let sketch = random_model(&mut rng);
        let (model, targets) = targets(&mut rng, &sketch);
        n_plain += usize::from(matches!(functional_form(&model), Cow::Owned(_)));
        let given = given_states(&model, &mut rng, 2);
        for start in [Start::Initial, Start::States(given)] {
            let truth = Truth::new(&model, &start);
            for engine in ENGINES {
                let reached = (engine.reach)(&model, &targets, &start, &Budget::unlimited());
                let what = format!("{} from {start:?}\n{}", engine.name, sketch.text);
                truth.check(&targets, &reached, &what);
                for verdict in &reached.verdicts {
                    n_verdicts[usize::from(matches!(verdict, Verdict::Reached { .. }))] += 1;
                }
            }
        }
    }
    assert!(n_plain > 180, "{n_plain}");
    assert!(n_verdicts.iter().all(|&count| count > 3000), "{n_verdicts:?}");
}

#[test]
fn what_is_projected_by_constraints_is_true() {
    for seed in 20_000..20_150 {
        let mut rng = Rng::with_seed(seed);
        let sketch = random_model(&mut rng);
        let exprs: Vec<String> = (0..3).map(|_| sketch.condition(&mut rng, Reads::State)).collect();
        let exprs: Vec<&str> = exprs.iter().map(String::as_str).collect();
        let (model, exprs) = read(&sketch.text, &exprs);
        let truth = Truth::new(&model, &Start::Initial);
        if truth.has_failure() {
            continue;
        }
        for engine in ENGINES {
            let projected = (engine.project)(&model, &exprs, &Start::Initial, &Budget::unlimited());
            assert_eq!(projected.incomplete, None, "{}\n{}", engine.name, sketch.text);
            let found: Vec<_> = projected.values.iter().map(|it| it.values.clone()).collect();
            let expected = truth.projection(&exprs);
            assert_eq!(found.len(), expected.len(), "{}\n{}", engine.name, sketch.text);
            for projection in &projected.values {
                let distance = expected.get(&projection.values);
                let n_steps = projection.trace.states.len() - 1;
                assert_eq!(distance, Some(&n_steps), "{}\n{}", engine.name, sketch.text);
            }
        }
    }
}

#[test]
fn properties_of_constraints_are_decided_alike() {
    let mut n_verdicts = [0; 2];
    for seed in 30_000..30_150 {
        let mut rng = Rng::with_seed(seed);
        let sketch = random_model(&mut rng);
        let mut condition = || sketch.condition(&mut rng, Reads::State);
        let text = format!(
            "{}INVARSPEC {}; INVARSPEC {}; LTLSPEC G ({} -> F {}); LTLSPEC F G {};",
            sketch.text,
            condition(),
            condition(),
            condition(),
            condition(),
            condition()
        );
        let (model, _) = read(&text, &[]);
        let all: Vec<usize> = (0..model.properties.len()).collect();
        let expected = (explicit::ENGINE.check)(&model, &all, &Budget::unlimited()).outcomes;
        for engine in ENGINES {
            let outcomes = (engine.check)(&model, &all, &Budget::unlimited()).outcomes;
            for (ours, theirs) in outcomes.iter().zip(&expected) {
                let what = format!("{}: {ours:?}, {theirs:?}\n{text}", engine.name);
                let kind = |outcome: &Outcome| std::mem::discriminant(outcome);
                assert_eq!(kind(ours), kind(theirs), "{what}");
                n_verdicts[usize::from(matches!(ours, Outcome::False(_)))] += 1;
            }
        }
    }
    assert!(n_verdicts.iter().all(|&count| count > 300), "{n_verdicts:?}");
}
