//! Reaching targets: every engine finds what trying every valuation finds, and its traces are
//! shortest.

use fastrand::Rng;
use trapline_engine::explicit::nearest::Nearest;
use trapline_engine::{Budget, ENGINES, Reached, Start, Verdict, Why, explicit};
use trapline_model::goal::Target;
use trapline_model::{ExprId, Model, VarKind};

use trapline_testkit::brute_force::Explorer;
use trapline_testkit::random::{Options, RandomModel, Reads, random_model};
use trapline_testkit::read;
use trapline_testkit::truth::{Truth, given_states};

const MAX_STATES: usize = 24;
/// How many targets of each kind each model has.
const N_TARGETS: usize = 4;

/// That the state is this one, or agrees with it on some variables.
fn is_state(rng: &mut Rng, model: &Model) -> String {
    let states = Explorer::new(model).states();
    let state = &states[rng.usize(..states.len())];
    let mut text = String::from("TRUE");
    for (var, declared) in model.var_ids().filter(|(_, var)| var.kind != VarKind::Input) {
        if let (Some(value), true) = (state[var.0 as usize], rng.u8(..4) > 0) {
            text += &format!(" & {} = {}", declared.name, model.show(value));
        }
    }
    text
}

/// Random targets: expressions about states, about steps, and how many of them make a sequence.
fn targets(rng: &mut Rng, sketch: &RandomModel) -> (Model, Vec<Target>, String) {
    let (model, _) = read(&sketch.text, &[]);
    let mut texts = Vec::new();
    for _ in 0..N_TARGETS {
        texts.push(sketch.boolean(rng, Reads::STATE));
        texts.push(is_state(rng, &model));
    }
    let n_states = texts.len();
    let lengths: Vec<usize> = (0..2 * N_TARGETS).map(|idx| 1 + idx % 4).collect();
    for _ in 0..lengths.iter().sum() {
        texts.push(sketch.boolean(rng, Reads::STEP));
    }
    let (model, exprs) = read(&sketch.text, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let mut targets: Vec<Target> = exprs[..n_states].iter().map(|&e| Target::State(e)).collect();
    let mut steps = &exprs[n_states..];
    for (idx, length) in lengths.into_iter().enumerate() {
        let (sequence, rest): (&[ExprId], _) = steps.split_at(length);
        steps = rest;
        targets.push(match length {
            1 if idx % 2 == 0 => Target::Step(sequence[0]),
            4 => Target::Step(sequence[0]),
            _ => Target::Steps(sequence.to_vec()),
        });
    }
    (model, targets, texts.join("\n"))
}

/// How many verdicts of each kind there were.
#[derive(Debug, Default)]
struct Counts {
    n_near: usize,
    n_far: usize,
    n_unreachable: usize,
    n_unknown: usize,
}

impl Counts {
    fn add(&mut self, reached: &Reached) {
        for verdict in &reached.verdicts {
            *match verdict {
                Verdict::Reached { state: ..2, .. } => &mut self.n_near,
                Verdict::Reached { .. } => &mut self.n_far,
                Verdict::Unreachable(_) => &mut self.n_unreachable,
                Verdict::Unknown(_) => &mut self.n_unknown,
            } += 1;
        }
    }
}

fn check_models(seeds: std::ops::Range<u64>, is_wild: bool) -> Counts {
    let mut counts = Counts::default();
    for seed in seeds {
        let mut rng = Rng::with_seed(seed);
        let sketch = random_model(&mut rng, Options { is_wild, max_states: MAX_STATES });
        let (model, targets, texts) = targets(&mut rng, &sketch);
        let n_given = rng.usize(..4);
        let mut given = given_states(&model, &mut rng, n_given);
        // The same state may be given twice.
        given.extend(given.first().cloned().filter(|_| n_given == 2));
        for start in [Start::Initial, Start::States(given)] {
            let truth = Truth::new(&model, &start);
            for engine in ENGINES {
                let name = engine.name;
                let what = format!("{name}: seed {seed} from {start:?}\n{}{texts}", sketch.text);
                let reached = (engine.reach)(&model, &targets, &start, &Budget::unlimited());
                truth.check(&targets, &reached, &what);
                counts.add(&reached);
            }
        }
    }
    counts
}

#[test]
fn targets_are_reached_by_shortest_traces_or_not_at_all() {
    let counts = check_models(0..300, false);
    assert!(counts.n_near > 6000 && counts.n_unreachable > 3000, "{counts:?}");
    assert!(counts.n_far > 600 && counts.n_unknown == 0, "{counts:?}");
}

#[test]
fn a_failure_spoils_no_trace_and_hides_no_target() {
    let counts = check_models(10_000..10_300, true);
    assert!(counts.n_near > 3000 && counts.n_unreachable > 900, "{counts:?}");
    assert!(counts.n_far > 150 && counts.n_unknown > 1500, "{counts:?}");
}

/// The distance of each target that was reached.
fn distances(reached: &Reached) -> Vec<Option<usize>> {
    let distance = |verdict: &Verdict| match verdict {
        Verdict::Reached { state, .. } => Some(*state),
        _ => None,
    };
    reached.verdicts.iter().map(distance).collect()
}

/// Models without failures, with targets that are no sequences, and the distances of these.
fn each_model(seeds: std::ops::Range<u64>, mut visit: impl FnMut(&Model, &[Target], &Reached)) {
    for seed in seeds {
        let mut rng = Rng::with_seed(seed);
        let sketch = random_model(&mut rng, Options { is_wild: false, max_states: MAX_STATES });
        let (model, mut targets, _) = targets(&mut rng, &sketch);
        targets.retain(|target| !matches!(target, Target::Steps(_)));
        let all = (ENGINES[1].reach)(&model, &targets, &Start::Initial, &Budget::unlimited());
        visit(&model, &targets, &all);
    }
}

#[test]
fn what_is_nearest_is_found_and_is_enough() {
    let mut n_left = 0;
    each_model(20_000..20_150, |model, targets, all| {
        let nearest = distances(all).into_iter().flatten().min();
        for engine in ENGINES {
            let budget = Budget::unlimited().nearest();
            let found = (engine.reach)(model, targets, &Start::Initial, &budget);
            assert_eq!(distances(&found).into_iter().flatten().min(), nearest, "{}", engine.name);
            for (verdict, all) in found.verdicts.iter().zip(&all.verdicts) {
                match (verdict, all) {
                    (Verdict::Unreachable(_), Verdict::Reached { .. }) => panic!("{}", engine.name),
                    (Verdict::Unknown(why), _) => assert_eq!(*why, Why::Nearer),
                    _ => {}
                }
                n_left += usize::from(matches!(verdict, Verdict::Unknown(_)));
            }
        }
    });
    assert!(n_left > 1000, "{n_left}");
}

#[test]
fn what_is_within_the_depth_is_found_and_nothing_else_is_said_to_be_out_of_reach() {
    let mut n_beyond = 0;
    each_model(30_000..30_150, |model, targets, all| {
        for (engine, depth) in ENGINES.iter().flat_map(|engine| [0, 1, 2].map(|k| (engine, k))) {
            let budget = Budget::unlimited().within(Some(depth));
            let found = (engine.reach)(model, targets, &Start::Initial, &budget);
            let within = distances(all).into_iter().map(|d| d.filter(|&d| d as u64 <= depth));
            assert_eq!(distances(&found), within.collect::<Vec<_>>(), "{} {depth}", engine.name);
            for (verdict, all) in found.verdicts.iter().zip(&all.verdicts) {
                if let (Verdict::Unreachable(_), Verdict::Reached { .. }) = (verdict, all) {
                    panic!("{} {depth}", engine.name);
                }
                n_beyond += usize::from(*verdict == Verdict::Unknown(Why::Depth));
            }
        }
    });
    assert!(n_beyond > 500, "{n_beyond}");
}

/// Whether a target is found, and after how many steps, is the same as in a search of its own.
#[test]
fn the_nearest_targets_are_found_again_and_again() {
    let (mut n_found, mut n_far, mut n_nothing) = (0, 0, 0);
    let mut rng = Rng::with_seed(40);
    each_model(40_000..40_150, |model, targets, _| {
        let (budget, near) = (Budget::unlimited(), Budget::unlimited().nearest());
        let mut nearest = Nearest::new(model, targets.to_vec(), &budget).expect("it is finite");
        let mut is_open = vec![true; targets.len()];
        for from in given_states(model, &mut rng, 6) {
            let start = Start::States(vec![from.clone()]);
            let far = distances(&(explicit::ENGINE.reach)(model, targets, &start, &budget));
            let open = (0..targets.len()).filter(|&idx| is_open[idx]);
            let least = open.filter_map(|idx| far[idx]).min();
            let found = nearest.find(&from, |idx| is_open[idx], &near).expect("no limit");
            for (target, way) in &found {
                assert!(is_open[*target]);
                assert_eq!(Some(way.states.len() - 1), far[*target]);
            }
            assert_eq!(found.iter().map(|(_, way)| way.states.len() - 1).min(), least);
            n_found += found.len();
            n_far += usize::from(least > Some(0));
            n_nothing += usize::from(least.is_none());
            // What is found is closed, and so is something else.
            found.iter().for_each(|(target, _)| is_open[*target] = false);
            is_open[rng.usize(..targets.len())] = false;
        }
    });
    assert!(n_found > 800 && n_far > 100 && n_nothing > 100, "{n_found} {n_far} {n_nothing}");
}
