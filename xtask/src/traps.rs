//! Goals and NuSMV: it must give every trap the verdict that we give the goal. Covered means that the
//! trap is false, infeasible that it is true; a pair is covered if two evaluations that form a pair
//! are.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use trapline_engine::{Budget, Limits};
use trapline_goals::decide::{Verdict, decide};
use trapline_goals::{CRITERIA, GoalKind, GoalSet, Options, derive, traps};
use trapline_lang::smv;
use trapline_model::{Model, PropertyKind};

use crate::corpus::{file_name, models};
use crate::nusmv::{Nusmv, Task};
use crate::reading::{self, How};
use crate::{Args, faults, memory, parallel, root};

/// How many goals of each criterion of a model of the corpus are compared; of the examples, all.
const SAMPLE: usize = 30;

/// How long our search for a model may take, and NuSMV's.
const LIMIT: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(120);

/// Nothing here needs more.
const MEMORY: u64 = 3 << 30;

/// What came of the goals of a criterion.
#[derive(Clone, Debug, Default)]
struct Counts {
    n_goals: usize,
    n_equal: usize,
    n_covered: usize,
    /// Not decided by us, or by NuSMV.
    n_ours_open: usize,
    n_theirs_open: usize,
}

#[derive(Default)]
struct Outcome {
    counts: BTreeMap<String, Counts>,
    different: Vec<String>,
    /// Why some goals, or the whole model, were not compared.
    skipped: Option<String>,
}

/// Compares for the examples and the corpus.
///
/// # Errors
/// When a file can't be read or NuSMV can't be run.
pub fn run(args: &Args) -> Result<bool, String> {
    if args.files.first().is_some_and(|word| word.as_os_str() == "faults") {
        return faults::run(args);
    }
    let mut nusmv = args.nusmv()?;
    nusmv.limit = args.limit.unwrap_or(PATIENCE);
    let example = root().join("examples/safety-injection");
    let mut paths: Vec<PathBuf> = models(&example)?;
    let n_examples = paths.len();
    let mut corpus = models(&args.dir.join("smv"))?;
    // The small ones first.
    corpus.sort_by_key(|path| std::fs::metadata(path).map_or(0, |data| data.len()));
    paths.extend(corpus.into_iter().take(args.n_models()));
    let outcomes = parallel::map_with(args.jobs, &paths, |idx, path| {
        let outcome = compare(args, &nusmv, (idx, idx < n_examples), path);
        if let Ok(outcome) = &outcome {
            outcome.print(&file_name(path));
        }
        outcome
    });
    nusmv.clean_up();
    let mut total: BTreeMap<String, Counts> = BTreeMap::new();
    let (mut n_models, mut n_different) = (0, 0);
    for outcome in outcomes {
        let outcome = outcome?;
        n_models += usize::from(outcome.counts.values().any(|counts| counts.n_equal > 0));
        n_different += outcome.different.len();
        for (criterion, counts) in outcome.counts {
            total.entry(criterion).or_default().add(&counts);
        }
    }
    print(&total);
    println!("{n_models} models compared, {n_different} goals different");
    Ok(n_different == 0 && n_models > 0)
}

impl Outcome {
    fn print(&self, name: &str) {
        let n_equal: usize = self.counts.values().map(|counts| counts.n_equal).sum();
        match &self.skipped {
            Some(why) => println!("{n_equal:9} {name}; the others: {why}"),
            None => println!("{n_equal:9} {name}"),
        }
        for different in &self.different {
            println!("DIFFERENT {name}: {different}");
        }
    }
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.n_goals += other.n_goals;
        self.n_equal += other.n_equal;
        self.n_covered += other.n_covered;
        self.n_ours_open += other.n_ours_open;
        self.n_theirs_open += other.n_theirs_open;
    }
}

fn print(total: &BTreeMap<String, Counts>) {
    println!(
        "{:24} {:>7} {:>7} {:>8} {:>10} {:>12}",
        "criterion", "goals", "equal", "covered", "ours open", "theirs open"
    );
    for (criterion, counts) in total {
        println!(
            "{criterion:24} {:>7} {:>7} {:>8} {:>10} {:>12}",
            counts.n_goals,
            counts.n_equal,
            counts.n_covered,
            counts.n_ours_open,
            counts.n_theirs_open
        );
    }
}

fn compare(
    args: &Args,
    nusmv: &Nusmv,
    (idx, is_example): (usize, bool),
    path: &PathBuf,
) -> Result<Outcome, String> {
    let text = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let reading = reading::read(&file_name(path), &text, How { strict: false, quick: true });
    if !reading.is_accepted() {
        return Ok(Outcome { skipped: Some("no model".into()), ..Outcome::default() });
    }
    let set = goals(&reading.model, if is_example { usize::MAX } else { SAMPLE });
    let limits = Limits { time: Some(LIMIT), memory: Some(MEMORY), ..Limits::default() };
    let allocated = memory::used;
    let budget = Budget::new(limits).with_memory(&allocated);
    let verdicts = decide(&set, &args.engine, &budget).verdicts;
    let mut outcome = Outcome::default();
    let mut said: Vec<Vec<Option<bool>>> = vec![Vec::new(); set.goals.len()];
    for (part, goals) in parts(&set).into_iter().enumerate() {
        let some = GoalSet {
            goals: goals.iter().map(|&idx| set.goals[idx].clone()).collect(),
            model: set.model.clone(),
            points: set.points.clone(),
            mutants: Vec::new(),
            faults: set.faults.clone(),
            notices: Vec::new(),
        };
        match theirs(nusmv, &format!("traps-{idx}-{part}"), &some)? {
            Ok(answers) => {
                for (idx, answer) in goals.into_iter().zip(answers) {
                    said[idx] = answer;
                }
            }
            Err(why) => outcome.skipped = Some(why),
        }
    }
    for (goal_idx, goal) in set.goals.iter().enumerate() {
        let counts = outcome.counts.entry(goal.criterion.clone()).or_default();
        counts.n_goals += 1;
        let ours = match &verdicts[goal_idx] {
            Verdict::Covered(_) => Some(true),
            Verdict::Infeasible(_) => Some(false),
            Verdict::MayKill(_) | Verdict::Unknown(_) => None,
        };
        counts.n_covered += usize::from(ours == Some(true));
        match (ours, is_covered(&set, &goal.kind, &said[goal_idx])) {
            (None, _) => counts.n_ours_open += 1,
            (_, None) => counts.n_theirs_open += 1,
            (ours, theirs) if ours == theirs => counts.n_equal += 1,
            (ours, _) => outcome.different.push(format!("{}: we say {ours:?}", goal.id)),
        }
    }
    Ok(outcome)
}

/// Some goals of every criterion.
fn goals(model: &Model, n_wanted: usize) -> GoalSet {
    let names: Vec<&str> = CRITERIA.iter().map(|criterion| criterion.name).collect();
    let options =
        Options { limit: 200, staying: model.vars.len().is_multiple_of(2), ..Options::default() };
    let mut set = derive(model, &names, &options);
    thin(&mut set, n_wanted);
    set
}

/// Leaves at most so many goals of each criterion, evenly over all of them.
pub fn thin(set: &mut GoalSet, n_wanted: usize) {
    let mut by: BTreeMap<String, usize> = BTreeMap::new();
    for goal in &set.goals {
        *by.entry(goal.criterion.clone()).or_default() += 1;
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    set.goals.retain(|goal| {
        let (n_all, seen) = (by[&goal.criterion], seen.entry(goal.criterion.clone()).or_default());
        *seen += 1;
        n_all <= n_wanted || *seen * n_wanted / n_all != (*seen - 1) * n_wanted / n_all
    });
}

/// The goals that NuSMV is asked about together: those of a criterion. Many variables that watch
/// the model are too much for it.
fn parts(set: &GoalSet) -> Vec<Vec<usize>> {
    let mut parts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (idx, goal) in set.goals.iter().enumerate() {
        parts.entry(&goal.criterion).or_default().push(idx);
    }
    parts.into_values().collect()
}

/// What NuSMV says of each trap: `None` if it does not decide it.
#[expect(clippy::type_complexity, reason = "a list of lists, or why there is none")]
pub fn theirs(
    nusmv: &Nusmv,
    file: &str,
    set: &GoalSet,
) -> Result<Result<Vec<Vec<Option<bool>>>, String>, String> {
    let claims = traps::traps(set).claims;
    let trapped = traps::commented(set);
    let text = smv::print::flat_with_comments(&trapped.model, &trapped.comments);
    let n_properties = claims.iter().map(Vec::len).sum();
    // It lets NuSMV forget dead ends and fairness, but it needs it for the many variables of these.
    let needs_cone = set.goals.iter().any(|goal| goal.criterion.ends_with("pair"));
    let options: Vec<String> = if needs_cone { vec!["-coi".into()] } else { Vec::new() };
    let task = Task { name: file, text: text.as_bytes(), n_properties, options: &options };
    let answer = nusmv.check(task).map_err(|e| e.to_string())?;
    if answer.verdicts.len() != n_properties {
        let why = match answer.timed_out {
            true => "NuSMV ran out of time".to_string(),
            false => format!("NuSMV: {}", answer.errors.first().cloned().unwrap_or_default()),
        };
        return Ok(Err(why));
    }
    // Its list is by kind, inside a kind in the order of the text.
    let mut next: BTreeMap<PropertyKind, usize> = BTreeMap::new();
    let mut first = 0;
    for kind in [PropertyKind::Ctl, PropertyKind::Ltl, PropertyKind::Psl, PropertyKind::Invar] {
        next.insert(kind, first);
        first += claims.iter().flatten().filter(|claim| claim.kind == kind).count();
    }
    let said = claims.iter().map(|claims| {
        let one = claims.iter().map(|claim| {
            let place = next.entry(claim.kind).or_default();
            *place += 1;
            match answer.verdicts[*place - 1].1.as_str() {
                "true" => Some(true),
                "false" => Some(false),
                _ => None,
            }
        });
        one.collect()
    });
    Ok(Ok(said.collect()))
}

/// Is a goal covered, if its traps have these verdicts?
fn is_covered(set: &GoalSet, target: &GoalKind, said: &[Option<bool>]) -> Option<bool> {
    let GoalKind::Pair(pair) = target else { return said.first()?.map(|holds| !holds) };
    let point = &set.points[pair.decision];
    let serving = point.serving(pair.condition);
    if said.is_empty() != serving.is_empty() || said.iter().any(Option::is_none) {
        return None;
    }
    let made: Vec<usize> = serving
        .into_iter()
        .zip(said)
        .filter(|(_, said)| **said == Some(false))
        .map(|(idx, _)| idx)
        .collect();
    Some(!point.shown_by(pair.condition, pair.reading, &made).is_empty())
}
