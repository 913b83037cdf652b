//! Mutants beside the model and NuSMV: it must give the trap of every mutant the verdict that we give
//! the mutant. Killed means that the trap is false, equivalent at the outputs that it is true.

use std::path::PathBuf;
use std::time::Duration;

use fastrand::Rng;
use trapline_engine::{Budget, Limits};
use trapline_goals::decide::{Verdict, decide};
use trapline_goals::visibility::simulate::is_determined;
use trapline_goals::{GoalSet, Options, Visibility, derive};
use trapline_model::{Model, Role};

use crate::nusmv::Nusmv;
use crate::reading::{self, How};
use crate::{Args, memory, parallel, random, root, traps};

/// The operators.
const CRITERIA: [&str; 3] = ["mutation", "mutation:arithmetic", "mutation:range-variable"];

/// How many random models there are when nobody says.
const N_MODELS: u64 = 200;

/// How many mutants of a random model are compared.
const SAMPLE: usize = 40;

/// How long our search for a model may take, and NuSMV's.
const LIMIT: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(120);

/// Nothing here needs more.
const MEMORY: u64 = 3 << 30;

/// What came of the mutants of some models.
#[derive(Default)]
struct Outcome {
    n_killed: usize,
    n_equivalent: usize,
    /// Not decided by us, or without a trap, or not decided by NuSMV.
    n_ours_open: usize,
    n_without: usize,
    n_theirs_open: usize,
    different: Vec<String>,
}

/// Compares for the collision avoidance example, or the models that are named, and for random models.
///
/// # Errors
/// When a file can't be read or NuSMV can't be run.
pub fn run(args: &Args) -> Result<bool, String> {
    let mut nusmv = args.nusmv()?;
    nusmv.limit = args.limit.unwrap_or(PATIENCE);
    let mut paths: Vec<PathBuf> = args.files.iter().skip(1).cloned().collect();
    if paths.is_empty() {
        paths.push(root().join("examples/collision-avoidance/advisory.smv"));
    }
    let mut total = Outcome::default();
    for (idx, path) in paths.iter().enumerate() {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let reading =
            reading::read(&path.display().to_string(), &text, How { strict: false, quick: true });
        if !reading.is_accepted() {
            return Err(format!("{} is no model", path.display()));
        }
        let set = mutants(&reading.model);
        let outcome = compare(args, &nusmv, &format!("faults-{idx}"), &set)?;
        outcome.print(&path.display().to_string());
        total.add(outcome);
    }
    let seeds: Vec<u64> = (args.seed..args.seed + args.count.unwrap_or(N_MODELS)).collect();
    let outcomes = parallel::map_with(args.jobs, &seeds, |_, &seed| {
        let Some(set) = of_random_model(seed) else { return Ok(Outcome::default()) };
        compare(args, &nusmv, &format!("faults-random-{seed}"), &set)
    });
    nusmv.clean_up();
    for (seed, outcome) in seeds.iter().zip(outcomes) {
        let outcome = outcome?;
        outcome.print_differences(&format!("seed {seed}"));
        total.add(outcome);
    }
    total.print("all together");
    Ok(total.different.is_empty() && total.n_killed > 0)
}

impl Outcome {
    fn print(&self, name: &str) {
        println!(
            "{name}: {} killed and {} equivalent, as NuSMV says; {} different; {} we don't decide, \
             {} have no trap, {} NuSMV does not decide",
            self.n_killed,
            self.n_equivalent,
            self.different.len(),
            self.n_ours_open,
            self.n_without,
            self.n_theirs_open
        );
        self.print_differences(name);
    }

    fn print_differences(&self, name: &str) {
        for different in &self.different {
            println!("DIFFERENT {name}: {different}");
        }
    }

    fn add(&mut self, other: Outcome) {
        self.n_killed += other.n_killed;
        self.n_equivalent += other.n_equivalent;
        self.n_ours_open += other.n_ours_open;
        self.n_without += other.n_without;
        self.n_theirs_open += other.n_theirs_open;
        self.different.extend(other.different);
    }
}

fn mutants(model: &Model) -> GoalSet {
    let options = Options { visibility: Visibility::Duplicate, ..Options::default() };
    derive(model, &CRITERIA, &options)
}

/// A random model in which inputs have all choices, and half of the rest is seen.
fn of_random_model(seed: u64) -> Option<GoalSet> {
    let reading = reading::read("random", &random::text(seed), How { strict: true, quick: false });
    if !reading.is_accepted() {
        return None;
    }
    let (mut model, mut rng) = (reading.model, Rng::with_seed(seed));
    let roles = model.vars.iter_mut().map(|var| &mut var.role);
    let roles = roles.chain(model.defines.iter_mut().map(|define| &mut define.role));
    roles.for_each(|role| *role = if rng.bool() { Role::Output } else { Role::Internal });
    for idx in 0..model.vars.len() {
        let mut alone = model.clone();
        let others = alone.vars.iter_mut().enumerate().filter(|(other, _)| *other != idx);
        others.for_each(|(_, var)| var.role = Role::Input);
        if !is_determined(&alone) {
            model.vars[idx].role = Role::Input;
        }
    }
    let mut set = mutants(&model);
    traps::thin(&mut set, SAMPLE);
    (!set.goals.is_empty()).then_some(set)
}

fn compare(args: &Args, nusmv: &Nusmv, file: &str, set: &GoalSet) -> Result<Outcome, String> {
    let limits = Limits { time: Some(LIMIT), memory: Some(MEMORY), ..Limits::default() };
    let allocated = memory::used;
    let budget = Budget::new(limits).with_memory(&allocated);
    let verdicts = decide(set, &args.engine, &budget).verdicts;
    let mut outcome = Outcome::default();
    let said = match traps::theirs(nusmv, file, set)? {
        Ok(said) => said,
        Err(why) => {
            println!("{file}: {why}");
            vec![vec![None]; set.goals.len()]
        }
    };
    for ((goal, verdict), said) in set.goals.iter().zip(verdicts).zip(said) {
        let ours = match &verdict {
            Verdict::Covered(_) => Some(true),
            Verdict::Infeasible(_) => Some(false),
            Verdict::MayKill(_) | Verdict::Unknown(_) => None,
        };
        match (ours, said.first()) {
            (_, None) => outcome.n_without += 1,
            (None, _) => outcome.n_ours_open += 1,
            (_, Some(None)) => outcome.n_theirs_open += 1,
            (Some(is_killed), Some(Some(holds))) if is_killed != *holds => match is_killed {
                true => outcome.n_killed += 1,
                false => outcome.n_equivalent += 1,
            },
            _ => outcome.different.push(format!("{} {}: {verdict:?}", goal.id, goal.text)),
        }
    }
    Ok(outcome)
}
