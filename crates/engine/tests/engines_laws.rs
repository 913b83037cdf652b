//! Laws: what is asked together, what does not matter, and what is asked in other words.

use fastrand::Rng;
use trapline_engine::obligation::is_about_steps;
use trapline_engine::{Budget, ENGINES, Engine, Outcome, Reached, Start, Verdict, explicit};
use trapline_model::goal::Target;
use trapline_model::replay::replay;
use trapline_model::{ExprId, Model};

use trapline_testkit::random::{Options, RandomModel, Reads, random_model};
use trapline_testkit::read;

const N_STATES: usize = 4;

/// A random model, conditions on its states, then conditions on its steps.
fn random(seed: u64) -> (RandomModel, Vec<String>) {
    let mut rng = Rng::with_seed(seed);
    let sketch = random_model(&mut rng, Options { is_wild: false, max_states: 200 });
    let mut conditions = Vec::new();
    for reads in [Reads::STATE, Reads::STEP] {
        conditions.extend((0..N_STATES).map(|_| sketch.boolean(&mut rng, reads)));
    }
    (sketch, conditions)
}

fn read_with(text: &str, conditions: &[String]) -> (Model, Vec<ExprId>) {
    read(text, &conditions.iter().map(String::as_str).collect::<Vec<_>>())
}

fn targets(exprs: &[ExprId]) -> Vec<Target> {
    let (states, steps) = exprs.split_at(N_STATES);
    let mut targets: Vec<Target> = states.iter().map(|&expr| Target::State(expr)).collect();
    targets.extend(steps.iter().map(|&expr| Target::Step(expr)));
    targets.extend(steps.windows(2).map(|pair| Target::Steps(pair.to_vec())));
    targets.push(Target::Steps(steps.to_vec()));
    targets
}

fn reach(engine: &Engine, model: &Model, targets: &[Target]) -> Reached {
    (engine.reach)(model, targets, &Start::Initial, &Budget::unlimited())
}

/// How far each target is.
fn distances(reached: &Reached, what: &str) -> Vec<Option<usize>> {
    let distance = |verdict: &Verdict| match verdict {
        Verdict::Reached { state, .. } => Some(*state),
        Verdict::Unreachable(_) => None,
        Verdict::Unknown(why) => panic!("{why:?}\n{what}"),
    };
    reached.verdicts.iter().map(distance).collect()
}

#[test]
fn targets_asked_together_are_as_far_as_each_alone() {
    let mut n_far = 0;
    for seed in 0..200 {
        let (sketch, conditions) = random(seed);
        let (model, exprs) = read_with(&sketch.text, &conditions);
        let targets = targets(&exprs);
        let what = format!("seed {seed}: {conditions:?}\n{}", sketch.text);
        let expected = distances(&reach(&explicit::ENGINE, &model, &targets), &what);
        for engine in ENGINES {
            let what = format!("{}: {what}", engine.name);
            let distances = |targets: &[Target]| distances(&reach(engine, &model, targets), &what);
            assert_eq!(distances(&targets), expected, "{what}");
            let alone = |target: &Target| distances(std::slice::from_ref(target));
            let alone: Vec<Option<usize>> = targets.iter().flat_map(alone).collect();
            assert_eq!(alone, expected, "{what}");
            let twice = distances(&[&targets[..], &targets[..]].concat());
            assert_eq!(twice, [&expected[..], &expected[..]].concat(), "{what}");
        }
        n_far += expected.iter().filter(|distance| distance.is_some_and(|d| d > 1)).count();
    }
    assert!(n_far > 200, "only {n_far} targets are far away");
}

#[test]
fn what_nothing_depends_on_changes_no_verdict() {
    let additions = [
        "VAR more : 0..2;\n",
        "IVAR more : 0..2;\n",
        "FROZENVAR more : boolean;\n",
        "VAR more : 0..2; also : boolean;\nASSIGN init(more) := 0; next(more) := also ? (more + 1) mod 3 : more;\n",
        "VAR more : 0..2;\nTRANS next(more) = (more + 1) mod 3;\nINVAR more in 0..2;\n",
        "VAR more : boolean; also : boolean;\nASSIGN more := !also;\n",
        "VAR more : 0..2;\nASSIGN init(more) := {1, 1, 2}; next(more) := {more, 0};\nINVARSPEC more > 0;\n",
    ];
    for seed in 1000..1100 {
        let (sketch, conditions) = random(seed);
        let (model, exprs) = read_with(&sketch.text, &conditions);
        let expected = distances(&reach(&explicit::ENGINE, &model, &targets(&exprs)), &sketch.text);
        for addition in additions {
            let text = format!("{}{addition}", sketch.text);
            let (model, exprs) = read_with(&text, &conditions);
            for engine in ENGINES {
                let what = format!("{}: seed {seed}: {conditions:?}\n{text}", engine.name);
                let found = distances(&reach(engine, &model, &targets(&exprs)), &what);
                assert_eq!(found, expected, "{what}");
            }
        }
    }
}

/// The lengths of the traces to what violates the first properties; `None` for those that hold.
fn violations(
    engine: &Engine,
    model: &Model,
    n_properties: usize,
    what: &str,
) -> Vec<Option<usize>> {
    let properties: Vec<usize> = (0..n_properties).collect();
    let checked = (engine.check)(model, &properties, &Budget::unlimited());
    let violation = |outcome: &Outcome| match outcome {
        Outcome::True(_) => None,
        Outcome::False(trace) => {
            assert_eq!(replay(model, trace), Ok(()), "{what}");
            Some(trace.states.len() - 1)
        }
        outcome => panic!("{outcome:?}\n{what}"),
    };
    checked.outcomes.iter().map(violation).collect()
}

#[test]
fn an_invariant_holds_if_what_violates_it_is_unreachable() {
    let mut n_violated = [0; 2];
    for seed in 2000..2200 {
        let (sketch, conditions) = random(seed);
        let mut text = sketch.text.clone();
        for condition in &conditions {
            text += &format!("INVARSPEC {condition};\n");
        }
        let negations: Vec<String> = conditions.iter().map(|c| format!("!({c})")).collect();
        let (model, exprs) = read_with(&text, &negations);
        let step = trapline_model::Reads::STEP;
        let is_step = |expr: ExprId| model.exprs.info(expr).reads.any(step);
        let targets: Vec<Target> = exprs
            .iter()
            .map(|&expr| if is_step(expr) { Target::Step(expr) } else { Target::State(expr) })
            .collect();
        let expected = distances(&reach(&explicit::ENGINE, &model, &targets), &text);
        for engine in ENGINES {
            let what = format!("{}: seed {seed}\n{text}", engine.name);
            let found = violations(engine, &model, conditions.len(), &what);
            for (idx, &expr) in exprs.iter().enumerate() {
                // An invariant about the next value of what is frozen is one about states.
                if is_step(expr) == is_about_steps(&model, expr) {
                    assert_eq!(found[idx], expected[idx], "{}\n{what}", conditions[idx]);
                }
            }
            for violation in found {
                n_violated[usize::from(violation.is_some())] += 1;
            }
        }
    }
    assert!(n_violated.iter().all(|&count| count > 900), "{n_violated:?}");
}

/// The same invariant as CTL, in models whose paths never end.
#[test]
fn an_invariant_is_what_holds_always_globally() {
    let mut n_compared = 0;
    for seed in 3000..3150 {
        let (sketch, conditions) = random(seed);
        if sketch.text.contains("TRANS") || sketch.text.contains("INVAR ") {
            continue;
        }
        let mut text = sketch.text.clone();
        for condition in &conditions[..N_STATES] {
            text += &format!("CTLSPEC AG {condition};\n");
        }
        for condition in &conditions[..N_STATES] {
            text += &format!("INVARSPEC {condition};\n");
        }
        let (model, _) = read(&text, &[]);
        for engine in ENGINES {
            let what = format!("{}: seed {seed}\n{text}", engine.name);
            let found = violations(engine, &model, 2 * N_STATES, &what);
            assert_eq!(found[..N_STATES], found[N_STATES..], "{what}");
        }
        n_compared += 1;
    }
    assert!(n_compared > 40, "only {n_compared} models have no dead ends by construction");
}
