//! Budgets: a search that is cut says why, keeps what it has found, and never says more.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fastrand::Rng;
use trapline_engine::{
    Budget, ENGINES, Engine, Limits, Outcome, Progress, Reached, Start, Verdict, Why, explicit,
};
use trapline_model::goal::Target;
use trapline_model::{ExprId, Model};

use trapline_testkit::random::{Options, Reads, random_model};
use trapline_testkit::read;
use trapline_testkit::truth::Truth;

/// Counts up, one state at a time.
const COUNTER: &str = "MODULE main VAR x : 0..199999; n : 0..1;
    ASSIGN init(x) := 0; next(x) := x < 199999 ? x + 1 : x;
    INVARSPEC x != 10 INVARSPEC x < 199999 CTLSPEC AG x < 199999 LTLSPEC F x = 199999";

/// The counter, with a target that is near and one that is far.
fn counter() -> (Model, Vec<Target>, Vec<ExprId>) {
    let (model, exprs) = read(COUNTER, &["x = 10", "x = 199999", "x = 20 & next(x) = 21"]);
    let targets = vec![
        Target::State(exprs[0]),
        Target::State(exprs[1]),
        Target::Step(exprs[2]),
        Target::Steps(vec![exprs[2], exprs[2]]),
    ];
    (model, targets, exprs)
}

fn limits(work: u64) -> Limits {
    Limits { work: Some(work), ..Limits::default() }
}

fn reach(engine: &Engine, model: &Model, targets: &[Target], budget: &Budget) -> Reached {
    (engine.reach)(model, targets, &Start::Initial, budget)
}

/// Enough work for what is near in the counter, and not for the rest.
fn some_work(engine: &Engine) -> u64 {
    // A step of the explicit engine is a unit; of the others, a node or a bit that is looked at.
    if engine.name == "bdd" || is_sat(engine) { 2_000_000 } else { 5000 }
}

/// Does it ask a SAT solver? Then it finds proofs where others must see all states, does not
/// decide all of CTL, and needs smaller numbers.
fn is_sat(engine: &Engine) -> bool {
    engine.name.starts_with("sat")
}

/// All questions are answered with this reason, and with nothing else.
fn check_nothing_is_known(budget: impl Fn() -> Budget<'static>, why: &Why) {
    let (model, targets, exprs) = counter();
    for engine in ENGINES {
        let name = engine.name;
        let reached = reach(engine, &model, &targets, &budget());
        assert_eq!(reached.verdicts, vec![Verdict::Unknown(why.clone()); targets.len()], "{name}");
        assert!(reached.traces.is_empty(), "{name}");
        let projected = (engine.project)(&model, &exprs[..2], &Start::Initial, &budget());
        assert_eq!(projected.incomplete.as_ref(), Some(why), "{name}");
        let checked = (engine.check)(&model, &[0, 1, 2, 3], &budget());
        assert_eq!(checked.outcomes, vec![Outcome::Unknown(why.clone()); 4], "{name}");
    }
}

#[test]
fn without_time_work_or_patience_nothing_is_known() {
    check_nothing_is_known(|| Budget::new(limits(0)), &Why::Work);
    let time = Some(Duration::ZERO);
    check_nothing_is_known(|| Budget::new(Limits { time, ..Limits::default() }), &Why::Time);
    check_nothing_is_known(|| Budget::unlimited().with_interrupt(&|| true), &Why::Interrupted);
    let memory = Some(999);
    let full = || Budget::new(Limits { memory, ..Limits::default() }).with_memory(&|| 1000);
    check_nothing_is_known(full, &Why::Memory);
    // Nothing is allocated yet, but what is needed would be too much.
    let tight = || Budget::new(Limits { memory, ..Limits::default() }).with_memory(&|| 998);
    check_nothing_is_known(tight, &Why::Memory);
}

/// What was found before the cut is kept.
fn check_near_target_is_kept(engine: &Engine, reached: &Reached, why: &Why) {
    let unknown = Verdict::Unknown(why.clone());
    let what = format!("{}: {:?}", engine.name, reached.verdicts);
    assert!(matches!(reached.verdicts[0], Verdict::Reached { state: 10, .. }), "{what}");
    assert_eq!(reached.verdicts[1], unknown);
    assert!(matches!(reached.verdicts[2], Verdict::Reached { state: 21, .. }), "{what}");
    let is_proved = is_sat(engine) && matches!(reached.verdicts[3], Verdict::Unreachable(_));
    assert!(is_proved || reached.verdicts[3] == unknown, "{what}");
    assert!(reached.stats.n_states < 199_999, "{:?}", reached.stats);
}

#[test]
fn work_is_counted_and_ends_where_it_did_before() {
    let (model, targets, exprs) = counter();
    for engine in ENGINES {
        let budget = || Budget::new(limits(some_work(engine)));
        let once = reach(engine, &model, &targets, &budget());
        check_near_target_is_kept(engine, &once, &Why::Work);
        let again = reach(engine, &model, &targets, &budget());
        assert_eq!(once.verdicts, again.verdicts);
        assert_eq!(once.traces, again.traces);
        assert_eq!(once.stats, again.stats);
        let project = || (engine.project)(&model, &exprs[..2], &Start::Initial, &budget());
        let (once, again) = (project(), project());
        assert_eq!(once.incomplete, Some(Why::Work));
        assert_eq!(once.values, again.values);
        assert_eq!(once.values.len(), 2, "both values of the near one were seen");
    }
}

#[test]
fn a_budget_that_ran_out_stays_so() {
    let (model, targets, _) = counter();
    for engine in ENGINES {
        let budget = Budget::new(limits(some_work(engine)));
        let reached = reach(engine, &model, &targets, &budget);
        check_near_target_is_kept(engine, &reached, &Why::Work);
        let spent = budget.work();
        let reached = reach(engine, &model, &targets, &budget);
        let unknown = vec![Verdict::Unknown(Why::Work); targets.len()];
        assert_eq!(reached.verdicts, unknown, "{}", engine.name);
        assert!(budget.work() < spent + 10_000, "{} stops at once", engine.name);
    }
}

#[test]
fn an_interrupt_is_heard_soon_and_loses_nothing() {
    let (model, targets, _) = counter();
    let depth = Cell::new(0);
    let tell = |progress: &Progress| depth.set(progress.depth);
    let is_interrupted = || depth.get() > 1000;
    let budget = || Budget::unlimited().with_progress(&tell).with_interrupt(&is_interrupted);
    for engine in ENGINES {
        depth.set(0);
        let reached = reach(engine, &model, &targets, &budget());
        check_near_target_is_kept(engine, &reached, &Why::Interrupted);
        depth.set(0);
        // Properties are sorted by their kinds: invariants come last.
        let outcomes = (engine.check)(&model, &[2, 3], &budget()).outcomes;
        let is_near = matches!(&outcomes[0], Outcome::False(trace) if trace.states.len() == 11);
        assert!(is_near, "{}: {outcomes:?}", engine.name);
        assert_eq!(outcomes[1], Outcome::Unknown(Why::Interrupted), "{}", engine.name);
    }
}

#[test]
fn memory_that_runs_out_on_the_way_loses_nothing() {
    let (model, targets, _) = counter();
    let depth = AtomicU64::new(0);
    let tell = |progress: &Progress| {
        depth.fetch_max(progress.depth, Ordering::Relaxed);
    };
    let allocated = || depth.load(Ordering::Relaxed) << 20;
    let memory = Some(1000 << 20);
    for engine in ENGINES {
        depth.store(0, Ordering::Relaxed);
        let budget = Budget::new(Limits { memory, ..Limits::default() });
        let budget = budget.with_progress(&tell).with_memory(&allocated);
        let reached = reach(engine, &model, &targets, &budget);
        check_near_target_is_kept(engine, &reached, &Why::Memory);
    }
}

#[test]
fn progress_is_told_and_goes_forward() {
    for engine in ENGINES {
        // The symbolic engine takes one step after the other, however small the sets are.
        let n_states = if engine.name == "explicit" { "199999" } else { "3000" };
        let text = COUNTER.replace("199999", n_states);
        let (model, exprs) = read(&text, &["x = 10", &format!("x = {n_states}")]);
        let targets: Vec<Target> = exprs.into_iter().map(Target::State).collect();
        let told: RefCell<Vec<Progress>> = RefCell::default();
        let tell = |progress: &Progress| told.borrow_mut().push(*progress);
        reach(engine, &model, &targets, &Budget::unlimited().with_progress(&tell));
        let told = told.into_inner();
        let is_told = told.len() > 5 || engine.name == "auto";
        assert!(is_told, "{} only told {} times", engine.name, told.len());
        let is_forward = told.is_sorted_by_key(|progress| (progress.depth, progress.n_states));
        assert!(is_forward, "{}: {told:?}", engine.name);
        let is_closing = told.is_sorted_by(|a, b| a.n_open >= b.n_open || a.phase.is_empty());
        assert!(is_closing, "{}: {told:?}", engine.name);
    }
}

/// Wherever a search is cut, what it says is right. Only the explicit engine counts so little
/// work.
#[test]
fn a_search_may_be_cut_at_every_state() {
    let mut n_cut = 0;
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let sketch = random_model(&mut rng, Options { is_wild: false, max_states: 24 });
        let texts: Vec<String> = (0..6)
            .map(|idx| sketch.boolean(&mut rng, if idx < 2 { Reads::STATE } else { Reads::STEP }))
            .collect();
        let (model, exprs) =
            read(&sketch.text, &texts.iter().map(String::as_str).collect::<Vec<_>>());
        let targets = [
            Target::State(exprs[0]),
            Target::State(exprs[1]),
            Target::Step(exprs[2]),
            Target::Steps(exprs[3..5].to_vec()),
            Target::Steps(exprs[3..].to_vec()),
        ];
        let what = format!("seed {seed}: {texts:?}\n{}", sketch.text);
        let truth = Truth::new(&model, &Start::Initial);
        let budget = Budget::unlimited();
        let whole = reach(&explicit::ENGINE, &model, &targets, &budget);
        for work in 0..=budget.work() + 1 {
            let cut = reach(&explicit::ENGINE, &model, &targets, &Budget::new(limits(work)));
            for (idx, verdict) in cut.verdicts.iter().enumerate() {
                match verdict {
                    Verdict::Unknown(Why::Work) => n_cut += 1,
                    Verdict::Reached { trace, state } => {
                        truth.check_trace(&cut.traces[*trace], &what);
                        assert_eq!(Some(*state), truth.distance(&targets[idx]), "{work}\n{what}");
                    }
                    verdict => assert_eq!(*verdict, whole.verdicts[idx], "{work}\n{what}"),
                }
            }
            if work > budget.work() {
                assert_eq!(cut.verdicts, whole.verdicts, "{what}");
            }
        }
    }
    assert!(n_cut > 1000, "only {n_cut} verdicts were cut off");
}

/// The same for properties that need the graph.
#[test]
fn a_check_may_be_cut_at_every_state() {
    let text = "MODULE main VAR x : 0..5; y : boolean; IVAR i : 0..3;
        ASSIGN init(x) := 0; next(x) := i > 1 & x < 5 ? x + 1 : y ? 0 : x; JUSTICE y
        CTLSPEC AG EF x = 5; CTLSPEC AF x = 5; LTLSPEC G F x = 0; LTLSPEC F x = 5 -> F y;
        INVARSPEC x < 5; INVARSPEC next(x) <= x + 1; COMPUTE MIN [x = 0, x = 5];";
    let (model, _) = read(text, &[]);
    let properties: Vec<usize> = (0..model.properties.len()).collect();
    let budget = Budget::unlimited();
    let whole = (explicit::ENGINE.check)(&model, &properties, &budget);
    let is_known = |outcome: &&Outcome| !matches!(outcome, Outcome::Unknown(_));
    assert_eq!(whole.outcomes.iter().filter(is_known).count(), properties.len());
    for work in 0..=budget.work() + 1 {
        let cut = (explicit::ENGINE.check)(&model, &properties, &Budget::new(limits(work)));
        for (cut, whole) in cut.outcomes.iter().zip(&whole.outcomes) {
            assert!(*cut == Outcome::Unknown(Why::Work) || cut == whole, "{cut:?}, not {whole:?}");
        }
    }
}

/// Two dials and a lamp: enough for the symbolic engine to ask the budget often.
const DIALS: &str = "MODULE main VAR x : 0..40; y : 0..40; b : boolean; IVAR i : 0..3;
    ASSIGN init(x) := 0; init(y) := 0;
    next(x) := case i = 1 & x < 40 : x + 1; i = 3 : 0; TRUE : x; esac;
    next(y) := case i = 2 & y < 40 : y + 1; i = 3 & x * 2 > y : x; TRUE : y; esac;
    next(b) := x > y;
    JUSTICE x < 40 | b
    INVARSPEC x + y < 80; INVARSPEC x + y < 81; INVARSPEC next(x) <= x + 1;
    CTLSPEC AG EF x + y = 80; CTLSPEC AF x = 3; CTLSPEC AG (b -> AF !b);
    LTLSPEC G F x = 0; LTLSPEC F x = 5 -> F y = 2; LTLSPEC G (x = 5 -> O x = 4);
    COMPUTE MIN [x = 0, x + y = 80];";

/// The dials that an engine can turn in a moment.
fn dials(engine: &Engine) -> String {
    if is_sat(engine) { DIALS.replace("40", "5").replace("80", "10") } else { DIALS.into() }
}

/// Asks again and again with a budget that is interrupted at the first look, then at a later one,
/// and so on, until all is answered. How often was it cut?
fn interrupt_everywhere(mut is_cut: impl FnMut(&Budget) -> bool) -> usize {
    for n_cut in 0usize.. {
        let left = Cell::new(1 + n_cut + n_cut * n_cut / 16);
        let is_interrupted = || {
            left.set(left.get().saturating_sub(1));
            left.get() == 0
        };
        if !is_cut(&Budget::unlimited().with_interrupt(&is_interrupted)) {
            return n_cut;
        }
    }
    unreachable!("some budget is enough")
}

#[test]
fn every_engine_may_be_interrupted_anywhere_in_a_search() {
    let texts = ["x + y = 8", "x = 4 & y = 3 & b", "x > 40", "next(x) < x", "i = 3 & y = 5"];
    for engine in ENGINES {
        let (model, exprs) = read(&dials(engine), &texts);
        let targets = [
            Target::State(exprs[0]),
            Target::State(exprs[1]),
            Target::State(exprs[2]),
            Target::Step(exprs[3]),
            Target::Steps(vec![exprs[4], exprs[3]]),
            Target::Steps(vec![exprs[4], exprs[4], exprs[3]]),
        ];
        let whole = reach(&explicit::ENGINE, &model, &targets, &Budget::unlimited());
        let judge = trapline_model::goal::Judge::new(&model, &targets);
        let name = engine.name;
        let n_cut = interrupt_everywhere(|budget| {
            let cut = reach(engine, &model, &targets, budget);
            let mut is_cut = false;
            for (idx, (verdict, whole)) in cut.verdicts.iter().zip(&whole.verdicts).enumerate() {
                match (verdict, whole) {
                    (Verdict::Unknown(why), _) => {
                        assert_eq!(*why, Why::Interrupted, "{name}");
                        is_cut = true;
                    }
                    (
                        Verdict::Reached { trace, state },
                        Verdict::Reached { state: nearest, .. },
                    ) => {
                        assert_eq!(state, nearest, "{name}: target {idx}");
                        let trace = &cut.traces[*trace];
                        assert_eq!(trapline_model::replay::replay(&model, trace), Ok(()), "{name}");
                        assert_eq!(judge.met(trace)[idx], Some(*state), "{name}");
                    }
                    (Verdict::Unreachable(_), Verdict::Unreachable(_)) => {}
                    _ => panic!("{name}: {verdict:?}, not {whole:?}"),
                }
            }
            is_cut
        });
        assert!(n_cut > 0, "{name} was never cut");
    }
}

#[test]
fn every_engine_may_be_interrupted_anywhere_in_a_projection() {
    let project = |dials: &str, engine: &Engine, budget: &Budget| {
        let (model, exprs) = read(dials, &["x > y", "x + y > 6", "next(b) = b", "i = 2"]);
        let projected = (engine.project)(&model, &exprs, &Start::Initial, budget);
        let row = |p: &trapline_engine::Projection| (p.values.clone(), p.trace.states.len());
        let rows: std::collections::BTreeMap<_, _> = projected.values.iter().map(row).collect();
        assert_eq!(rows.len(), projected.values.len(), "none comes twice");
        (rows, projected.incomplete)
    };
    for engine in ENGINES {
        let name = engine.name;
        let dials = dials(engine);
        let (whole, _) = project(&dials, &explicit::ENGINE, &Budget::unlimited());
        let n_cut = interrupt_everywhere(|budget| match project(&dials, engine, budget) {
            (rows, None) => {
                assert_eq!(rows, whole, "{name}");
                false
            }
            (rows, why) => {
                assert_eq!(why, Some(Why::Interrupted), "{name}");
                let is_right = |(row, length): (&_, &_)| whole.get(row) == Some(length);
                assert!(rows.iter().all(is_right), "{name}: {rows:?}");
                true
            }
        });
        assert!(n_cut > 0, "{name} was never cut");
    }
}

#[test]
fn every_engine_may_be_interrupted_anywhere_in_a_check() {
    for engine in ENGINES {
        let (model, _) = read(&dials(engine), &[]);
        let properties: Vec<usize> = (0..model.properties.len()).collect();
        let verdict = |outcome: &Outcome| match outcome {
            Outcome::True(_) => "true".into(),
            Outcome::False(trace) => {
                assert_eq!(trapline_model::replay::replay(&model, trace), Ok(()));
                String::from("false")
            }
            Outcome::Value(distance, _) => distance.to_string(),
            Outcome::Unknown(why) => format!("unknown: {why}"),
        };
        let check = |engine: &Engine, budget: &Budget| -> Vec<String> {
            (engine.check)(&model, &properties, budget).outcomes.iter().map(verdict).collect()
        };
        let whole = check(&explicit::ENGINE, &Budget::unlimited());
        assert!(whole.iter().all(|verdict| !verdict.starts_with("unknown")), "{whole:?}");
        let name = engine.name;
        let n_cut = interrupt_everywhere(|budget| {
            let cut = check(engine, budget);
            let mut is_cut = false;
            for (cut, whole) in cut.iter().zip(&whole) {
                let is_beyond = is_sat(engine) && cut.starts_with("unknown: not supported");
                let is_right = cut == whole || cut == "unknown: interrupted";
                assert!(is_right || is_beyond, "{name}: {cut}, not {whole}");
                is_cut |= cut != whole && !is_beyond;
            }
            is_cut
        });
        assert!(n_cut > 0, "{name} was never cut");
    }
}

/// Several engines run at once, but which of them answers does not depend on the machine.
#[test]
fn the_same_question_gets_the_same_answer() {
    for engine in ENGINES {
        let text = match is_sat(engine) {
            true => dials(engine),
            // Too many states for the one that goes first to see them all.
            false => DIALS.replace("40", "400").replace("80", "800"),
        };
        let (model, exprs) = read(&text, &["x = 4 & y = 5"]);
        let properties: Vec<usize> = (0..model.properties.len()).collect();
        let targets = [Target::State(exprs[0])];
        let once = (engine.check)(&model, &properties, &Budget::unlimited());
        let again = (engine.check)(&model, &properties, &Budget::unlimited());
        assert_eq!(once.outcomes, again.outcomes, "{}", engine.name);
        assert_eq!(once.engines, again.engines, "{}", engine.name);
        assert_eq!(once.stats, again.stats, "{}", engine.name);
        let is_open = |outcome: &Outcome| match outcome {
            Outcome::Unknown(Why::Unsupported(_)) => !is_sat(engine),
            outcome => matches!(outcome, Outcome::Unknown(_)),
        };
        assert!(!once.outcomes.iter().any(is_open), "{}: {:?}", engine.name, once.outcomes);
        let is_race = once.log.iter().any(|line| line.contains("slower"));
        assert_eq!(is_race, engine.name == "auto", "{:?}", once.log);
        let once = reach(engine, &model, &targets, &Budget::unlimited());
        let again = reach(engine, &model, &targets, &Budget::unlimited());
        assert_eq!(once.verdicts, again.verdicts, "{}", engine.name);
        assert_eq!(once.traces, again.traces, "{}", engine.name);
    }
}

#[test]
fn an_engine_without_work_says_so_before_it_begins() {
    let (model, targets, _) = counter();
    for engine in ENGINES {
        let budget = Budget::new(limits(0));
        let reached = reach(engine, &model, &targets, &budget);
        let unknown = vec![Verdict::Unknown(Why::Work); targets.len()];
        assert_eq!(reached.verdicts, unknown, "{}", engine.name);
    }
}
