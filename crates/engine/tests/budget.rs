//! Budgets: a search that is cut says why, keeps what it has found, and never says more.

#[path = "../../lang/tests/common/explore.rs"]
mod explore;
#[path = "../../lang/tests/common/generate.rs"]
mod generate;
#[path = "../../lang/tests/common/read.rs"]
mod read;
#[expect(dead_code, reason = "each test compares a part of it")]
#[path = "common/truth.rs"]
mod truth;
#[path = "../../lang/tests/common/valuations.rs"]
mod valuations;

use std::cell::{Cell, RefCell};
use std::time::Duration;

use fastrand::Rng;
use trapline_engine::{Budget, explicit, Limits, Outcome, Progress, Reached, Start, Verdict, Why};
use trapline_model::goal::Target;
use trapline_model::{ExprId, Model};

use generate::{Options, Reads, generate};
use read::read;
use truth::Truth;

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

fn reach(model: &Model, targets: &[Target], budget: &Budget) -> Reached {
    (explicit::ENGINE.reach)(model, targets, &Start::Initial, budget)
}

/// All questions are answered with this reason, and with nothing else.
fn check_nothing_is_known(budget: impl Fn() -> Budget<'static>, why: &Why) {
    let (model, targets, exprs) = counter();
    let reached = reach(&model, &targets, &budget());
    assert_eq!(reached.verdicts, vec![Verdict::Unknown(why.clone()); targets.len()]);
    assert!(reached.traces.is_empty());
    let projected = (explicit::ENGINE.project)(&model, &exprs[..2], &Start::Initial, &budget());
    assert_eq!(projected.incomplete.as_ref(), Some(why));
    let checked = (explicit::ENGINE.check)(&model, &[0, 1, 2, 3], &budget());
    assert_eq!(checked.outcomes, vec![Outcome::Unknown(why.clone()); 4]);
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
fn check_near_target_is_kept(reached: &Reached, why: &Why) {
    let unknown = Verdict::Unknown(why.clone());
    assert!(matches!(reached.verdicts[0], Verdict::Reached { state: 10, .. }));
    assert_eq!(reached.verdicts[1], unknown);
    assert!(matches!(reached.verdicts[2], Verdict::Reached { state: 21, .. }));
    assert_eq!(reached.verdicts[3], unknown);
    assert!(reached.stats.n_states < 199_999, "{:?}", reached.stats);
}

#[test]
fn work_is_counted_and_ends_where_it_did_before() {
    let (model, targets, exprs) = counter();
    let once = reach(&model, &targets, &Budget::new(limits(5000)));
    check_near_target_is_kept(&once, &Why::Work);
    let again = reach(&model, &targets, &Budget::new(limits(5000)));
    assert_eq!(once.verdicts, again.verdicts);
    assert_eq!(once.traces, again.traces);
    assert_eq!(once.stats, again.stats);
    let project = || {
        let budget = Budget::new(limits(5000));
        (explicit::ENGINE.project)(&model, &exprs[..2], &Start::Initial, &budget)
    };
    let (once, again) = (project(), project());
    assert_eq!(once.incomplete, Some(Why::Work));
    assert_eq!(once.values, again.values);
    assert_eq!(once.values.len(), 2, "both values of the near one were seen");
}

#[test]
fn a_budget_that_ran_out_stays_so() {
    let (model, targets, _) = counter();
    let budget = Budget::new(limits(5000));
    check_near_target_is_kept(&reach(&model, &targets, &budget), &Why::Work);
    let spent = budget.work();
    let reached = reach(&model, &targets, &budget);
    assert_eq!(reached.verdicts, vec![Verdict::Unknown(Why::Work); targets.len()]);
    assert!(budget.work() < spent + 1000, "it stops at once");
}

#[test]
fn an_interrupt_is_heard_soon_and_loses_nothing() {
    let (model, targets, _) = counter();
    let n_states = Cell::new(0);
    let tell = |progress: &Progress| n_states.set(progress.n_states);
    let is_interrupted = || n_states.get() > 1000;
    let budget = || Budget::unlimited().with_progress(&tell).with_interrupt(&is_interrupted);
    let reached = reach(&model, &targets, &budget());
    check_near_target_is_kept(&reached, &Why::Interrupted);
    n_states.set(0);
    // Properties are sorted by their kinds: invariants come last.
    let checked = (explicit::ENGINE.check)(&model, &[2, 3], &budget());
    assert!(matches!(&checked.outcomes[0], Outcome::False(trace) if trace.states.len() == 11));
    assert_eq!(checked.outcomes[1], Outcome::Unknown(Why::Interrupted));
}

#[test]
fn memory_that_runs_out_on_the_way_loses_nothing() {
    let (model, targets, _) = counter();
    let n_states = Cell::new(0);
    let tell = |progress: &Progress| n_states.set(progress.n_states);
    let allocated = || n_states.get() << 20;
    let memory = Some(1000 << 20);
    let budget = Budget::new(Limits { memory, ..Limits::default() });
    let budget = budget.with_progress(&tell).with_memory(&allocated);
    check_near_target_is_kept(&reach(&model, &targets, &budget), &Why::Memory);
}

#[test]
fn progress_is_told_and_goes_forward() {
    let (model, targets, _) = counter();
    let told: RefCell<Vec<Progress>> = RefCell::default();
    let tell = |progress: &Progress| told.borrow_mut().push(*progress);
    reach(&model, &targets, &Budget::unlimited().with_progress(&tell));
    let told = told.into_inner();
    assert!(told.len() > 5, "only told {} times", told.len());
    assert!(told.is_sorted_by_key(|progress| (progress.depth, progress.n_states)));
    assert!(told.is_sorted_by(|a, b| a.n_open >= b.n_open || a.phase.is_empty()));
}

/// Wherever a search is cut, what it says is right.
#[test]
fn a_search_may_be_cut_anywhere() {
    let mut n_cut = 0;
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let sketch = generate(&mut rng, Options { is_wild: false, max_states: 24 });
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
        let whole = reach(&model, &targets, &budget);
        for work in 0..=budget.work() + 1 {
            let cut = reach(&model, &targets, &Budget::new(limits(work)));
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
fn a_check_may_be_cut_anywhere() {
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
