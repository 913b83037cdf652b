//! Short tests from the whole reachability graph.
//!
//! If the reachability graph can be explored, tests are walks in it that meet the requirements of
//! the goals, and short walks are searched for ([`crate::tour`]). A small model needs no other
//! tests. For a larger one they are added to those made by extension, and the set cover takes the
//! better ones.
//!
//! Sequences and temporal goals are not requirements of a walk: a suite with such goals keeps the
//! tests that meet them.

use trapline_engine::explicit::labelled::{Asked, labelled_graph};
use trapline_engine::{Budget, Why};
use trapline_goals::subgoals::Subgoal;
use trapline_model::goal::Target;
use trapline_model::trace::Trace;

use super::{Fewest, Options, Strategy, Work, is_auto};
use crate::goal_graph::GoalGraph;
use crate::tour::{Walk, find_tours};
use crate::tracker::{Status, Tracker};

/// Work limit for exploring a small model: per step to each target, capped.
const SMALL: [u64; 2] = [20_000, 2_000_000];

/// Work limits for exploring a larger model: minimum, per step of the tests and target (a proxy for
/// the work of generating them), and cap. Below the minimum a second attempt is not worthwhile.
const LARGE: [u64; 3] = [1_500_000, 125, 8_000_000];

/// With more requirements, tests by extension may be shorter than walks.
const MANY: usize = 128;

/// Work limit of the search for walks.
const SEARCH_WORK: u64 = 10_000_000;

/// The result of a search for short tests.
pub enum Short {
    /// They meet everything wanted.
    All,
    /// They do, but others may be shorter.
    Beside(Vec<Trace>),
    /// The graph is too large.
    TooLarge,
    /// The search was not attempted.
    NotTried,
}

/// Makes tests for everything wanted, if the model is small.
pub fn make(tracker: &mut Tracker<'_>, work: &mut Work<'_>) -> Short {
    if !is_wanted(work.options) || !is_auto(&work.options.engine) || work.options.warm_up > 0 {
        return Short::NotTried;
    }
    let wanted = tracker.wanted();
    let needs = Needs::new(tracker, &wanted);
    if needs.targets.len() < wanted.len() {
        return Short::NotTried;
    }
    let budget = work.budget.part(None);
    let n_steps = wanted.iter().map(|&subgoal| match tracker.status[subgoal] {
        Status::Known { state, .. } => state as u64 + 1,
        _ => 1,
    });
    let [each, most] = SMALL;
    let survey_work = n_steps.sum::<u64>().saturating_mul(each).min(most);
    let walked = walked(&needs, survey_work, tracker, work.options, &budget);
    drop(budget);
    match walked {
        Ok(Walked { tests, n_needs }) if n_needs > MANY => Short::Beside(tests),
        Ok(Walked { tests, .. }) if !tests.is_empty() => {
            for test in &tests {
                let met = tracker.new_in(test, 0);
                tracker.meet(met.into_iter().map(|(subgoal, _)| subgoal));
            }
            work.tests = tests;
            Short::All
        }
        _ => Short::TooLarge,
    }
}

/// Alternative tests for the same goals, which may be shorter; none if not wanted.
pub fn shorter(short: Short, tracker: &Tracker<'_>, work: &Work<'_>) -> Vec<Trace> {
    let is_shortest = work.tests.iter().all(|test| test.states.len() <= 2);
    let is_tried = match short {
        Short::All => return Vec::new(),
        Short::Beside(tests) => return tests,
        Short::TooLarge => true,
        Short::NotTried => false,
    };
    if !is_wanted(work.options) || is_shortest {
        return Vec::new();
    }
    let needs = Needs::new(tracker, &tracker.needed());
    let n_steps: usize = work.tests.iter().map(|test| test.states.len()).sum();
    let n_looks = (n_steps as u64).saturating_mul(needs.targets.len() as u64);
    let [least, each, most] = LARGE;
    let survey_work = n_looks.saturating_mul(each).clamp(SMALL[1], most);
    if is_tried && survey_work < least {
        return Vec::new();
    }
    let budget = work.budget.part(None);
    let walked = walked(&needs, survey_work, tracker, work.options, &budget);
    walked.map_or_else(|_| Vec::new(), |walked| walked.tests)
}

/// True if the tests may be replaced. Options that control their construction forbid it.
fn is_wanted(options: &Options) -> bool {
    let is_free = options.initial_depth.is_none() && options.extension_depth.is_none();
    let is_plain = options.min_depth == 0 && !options.branch && !options.no_prune;
    let is_single = options.diverse <= 1 && options.strategy == Strategy::Extend;
    options.shorten && is_free && is_plain && is_single
}

/// The requirements of walks.
#[derive(Default)]
struct Needs {
    targets: Vec<Target>,
    /// Those that only initial states meet.
    initial: Vec<usize>,
}

impl Needs {
    /// The requirements of subgoals that are single states or steps.
    fn new(tracker: &Tracker<'_>, subgoals: &[usize]) -> Needs {
        let mut needs = Needs::default();
        for &subgoal in subgoals {
            match &tracker.subgoals.list[subgoal] {
                Subgoal::Reach(Target::Steps(_)) | Subgoal::Trap(..) | Subgoal::Fault(_) => {}
                Subgoal::Reach(target) => needs.targets.push(target.clone()),
                Subgoal::Initial(expr) => {
                    needs.initial.push(needs.targets.len());
                    needs.targets.push(Target::State(*expr));
                }
            }
        }
        needs
    }
}

/// Tests from walks.
#[derive(Default)]
struct Walked {
    tests: Vec<Trace>,
    /// Number of essential requirements.
    n_needs: usize,
}

/// Tests that meet some requirements.
fn walked(
    needs: &Needs,
    survey_work: u64,
    tracker: &Tracker<'_>,
    options: &Options,
    budget: &Budget<'_>,
) -> Result<Walked, Why> {
    let Needs { targets, initial } = needs;
    if targets.is_empty() {
        return Ok(Walked::default());
    }
    let asked = Asked::new(&tracker.subgoals.model, targets);
    let part = budget.part(Some(survey_work));
    let system = asked.compile(&part);
    let explored =
        system.as_ref().map_err(Why::clone).and_then(|it| labelled_graph(&asked, it, &part));
    part.settle();
    let explored = explored?;
    let needs: Vec<Vec<usize>> = (0..targets.len()).map(|target| vec![target]).collect();
    let graph = GoalGraph::new(&explored.map, &needs, initial);
    // One long test may have fewer steps than several short ones, so both are computed.
    let aims = match options.fewest {
        Fewest::Tests => &[Fewest::Tests][..],
        Fewest::Steps => &[Fewest::Tests, Fewest::Steps],
    };
    let mut walks = Vec::new();
    for &aim in aims {
        let part = budget.part(Some(SEARCH_WORK));
        let tours = find_tours(&graph, aim, options.seed, &part);
        walks.extend(tours.walks.into_iter().chain(tours.others));
    }
    let mut guide = explored.guide();
    let trace = |walk: &Walk| {
        let steps: Vec<_> = walk.steps.iter().map(|step| step.origin).collect();
        guide.trace(walk.start.to, &steps, budget)
    };
    let tests = walks.iter().map(trace).collect::<Result<_, _>>()?;
    Ok(Walked { tests, n_needs: graph.n_needs })
}
