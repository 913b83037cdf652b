//! Exchanges per second with an implementation behind a pipe, and the time per exchange where a model may be
//! in a million states.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use trapline_engine::Budget;
use trapline_engine::possible::{Inputs, Outputs, Possible, Symbolic};
use trapline_engine::simulate::Simulator;
use trapline_exec::adapters::{Answer, Breakdown, Connection, Implementation, Protocol, Shown};
use trapline_exec::execute::{Observation, execute};
use trapline_exec::result::Verdict;
use trapline_exec::run::{self, Options};
use trapline_exec::script::Script;
use trapline_exec::tester::Tester;
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Role, roles};

use crate::reading::{self, How};
use crate::root;

/// Exchanges through a pipe.
const N_PIPED: usize = 50_000;
/// The fewest in a second: of an implementation in C, and in Python.
const LEAST_C: f64 = 20_000.0;
const LEAST_PYTHON: f64 = 5_000.0;

/// Exchanges where many states are possible, and the longest that one of them may take on average.
const N_HIDDEN: usize = 200;
const MOST: Duration = Duration::from_millis(10);

const COUNTER: &str = "MODULE main
VAR up : boolean; n : 0..3;
ASSIGN init(n) := 0; next(n) := case up & n < 3 : n + 1; up : 0; TRUE : n; esac;";

const IN_C: &str = "#include \"trapline_sut.h\"
static int n;
static void reset(const trapline_inputs *in, trapline_outputs *out) {
    n = 0;
    trapline_number(out, \"n\", n);
}
static void step(const trapline_inputs *in, trapline_outputs *out) {
    if (trapline_true(in, \"up\")) n = (n + 1) % 4;
    trapline_number(out, \"n\", n);
}
int main(void) { return trapline_serve(reset, step); }
";

const IN_PYTHON: &str = "from trapline_sut import serve

class Counter:
    def reset(self, inputs):
        self.n = 0
        return {'n': 0}

    def step(self, inputs):
        if inputs['up']:
            self.n = (self.n + 1) % 4
        return {'n': self.n}

serve(Counter())
";

/// Models of which the names that begin with `hidden` are not seen.
const HIDDEN: &[(&str, &str)] = &[
    (
        "two words of which one is greater",
        "MODULE main
        VAR swap : boolean; hidden_a : unsigned word[11]; hidden_b : unsigned word[11]; less : boolean;
        INIT hidden_a < hidden_b
        ASSIGN
          next(hidden_a) := case swap : hidden_b; TRUE : hidden_a; esac;
          next(hidden_b) := case swap : hidden_a; TRUE : hidden_b; esac;
          less := hidden_a < hidden_b;",
    ),
    (
        "a sum that runs over",
        "MODULE main
        VAR add : boolean; hidden : unsigned word[21]; top : boolean;
        INIT hidden < 0ud21_1048576
        ASSIGN
          next(hidden) := case add : hidden + 0ud21_1048576; TRUE : hidden; esac;
          top := hidden[20:20] = 0ud1_1;",
    ),
    (
        "a queue of ten items",
        "MODULE main
        VAR pull : boolean; hidden : array 0..9 of 0..3; seen : 0..3;
        ASSIGN
          next(hidden[0]) := pull ? hidden[1] : hidden[0]; next(hidden[1]) := pull ? hidden[2] : hidden[1];
          next(hidden[2]) := pull ? hidden[3] : hidden[2]; next(hidden[3]) := pull ? hidden[4] : hidden[3];
          next(hidden[4]) := pull ? hidden[5] : hidden[4]; next(hidden[5]) := pull ? hidden[6] : hidden[5];
          next(hidden[6]) := pull ? hidden[7] : hidden[6]; next(hidden[7]) := pull ? hidden[8] : hidden[7];
          next(hidden[8]) := pull ? hidden[9] : hidden[8]; next(hidden[9]) := pull ? {0, 1, 2, 3} : hidden[9];
          next(seen) := pull ? hidden[0] : seen;",
    ),
];

/// Measures both; `false` when one is too slow.
///
/// # Errors
/// When a model is wrong, or an implementation can't be made.
pub fn run() -> Result<bool, String> {
    let dir = root().join("target/exchanges");
    std::fs::create_dir_all(&dir).map_err(|error| error.to_string())?;
    let model = read(COUNTER)?;
    let mut is_right = true;
    for (language, command, least) in
        [("C", in_c(&dir)?, LEAST_C), ("Python", in_python(&dir)?, LEAST_PYTHON)]
    {
        let a_second = piped(&model, command)?;
        println!("through a pipe to {language}: {a_second:.0} exchanges a second");
        is_right &= a_second >= least;
    }
    for (name, text) in HIDDEN {
        let model = read(text)?;
        let (n_states, each, longest) = hidden(&model)?;
        println!(
            "{name}: {n_states} possible states, {each:.2?} an exchange, at most {longest:.2?}"
        );
        is_right &= n_states >= 1_000_000 && each <= MOST;
    }
    Ok(is_right)
}

fn read(text: &str) -> Result<Model, String> {
    let reading = reading::read("generated", text, How { strict: false, quick: true });
    if !reading.is_accepted() {
        return Err("the generated model is wrong".into());
    }
    let mut model = reading.model;
    roles::guess(&mut model);
    for var in model.vars.iter_mut().filter(|var| var.name.starts_with("hidden")) {
        var.role = Role::Internal;
    }
    Ok(model)
}

/// Builds the implementation in C, and returns how it is started.
fn in_c(dir: &Path) -> Result<String, String> {
    let (source, binary) = (dir.join("counter.c"), dir.join("counter"));
    std::fs::write(&source, IN_C).map_err(|error| error.to_string())?;
    let built = Command::new("cc")
        .args(["-O2", "-I"])
        .arg(root().join("adapters/c"))
        .arg("-o")
        .args([&binary, &source])
        .status();
    match built {
        Ok(status) if status.success() => Ok(binary.display().to_string()),
        _ => Err("`cc` did not build the implementation".into()),
    }
}

fn in_python(dir: &Path) -> Result<String, String> {
    let script = dir.join("counter.py");
    std::fs::write(&script, IN_PYTHON).map_err(|error| error.to_string())?;
    let adapter = root().join("adapters/python/trapline_sut.py");
    std::fs::copy(adapter, dir.join("trapline_sut.py")).map_err(|error| error.to_string())?;
    Ok(format!("python3 {}", script.display()))
}

/// A walk of a model, as a test.
fn walk(model: &Model, n_exchanges: usize) -> Result<Script, String> {
    let (simulator, budget) = (Simulator::new(model), Budget::unlimited());
    let mut rng = fastrand::Rng::with_seed(1);
    let found = |choice| match choice {
        Ok(Some(choice)) => Ok(choice),
        other => Err(format!("no state was found: {other:?}")),
    };
    let mut choice = found(simulator.initial(&[], &mut rng, &budget))?;
    let mut states: Vec<State> = vec![choice.state.clone()];
    while states.len() < n_exchanges {
        choice = found(simulator.step(&choice.state, &[], &mut rng, &budget))?;
        states.push(choice.state.clone());
    }
    let trace = Trace { states, loop_start: None };
    Ok(Script::new(Tester::new(model, &budget).ports(), model, "walk", &[&trace]))
}

/// Exchanges a second of a test on a process.
fn piped(model: &Model, command: String) -> Result<f64, String> {
    let options = Options {
        connection: Connection {
            to: command,
            protocol: Protocol::Json,
            restarts: false,
            step_timeout: Duration::from_secs(10),
            retries: 0,
            seed: 0,
            names: None,
        },
        n_jobs: 1,
        is_fail_fast: true,
        n_repeats: 1,
        observation: Observation::default(),
    };
    let scripts = [(0, walk(model, N_PIPED)?)];
    let start = Instant::now();
    let run = run::run(model, &scripts, &options, &Budget::unlimited());
    let seconds = start.elapsed().as_secs_f64();
    let run = run.map_err(|breakdown| breakdown.to_string())?;
    match run.count(Verdict::Pass) {
        1 => Ok(N_PIPED as f64 / seconds),
        _ => Err(format!(
            "the test does not pass: {:?}",
            run.tests.first().map(|it| &it.1.deviation)
        )),
    }
}

/// Answers what a test expects, and knows how long it waited for the next request.
struct Recorded {
    answers: std::vec::IntoIter<Outputs>,
    last: Option<Instant>,
    waits: Vec<Duration>,
}

impl Implementation for Recorded {
    fn reset(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown> {
        self.step(inputs)
    }

    fn step(&mut self, _: &Inputs) -> Result<Answer, Breakdown> {
        self.waits.extend(self.last.map(|last| last.elapsed()));
        let outputs = self.answers.next().unwrap_or_default();
        self.last = Some(Instant::now());
        Ok(Answer::Shown(Shown { inputs: Inputs::new(), outputs, extra: Vec::new() }))
    }
}

/// How many states are possible after a test, and how long an exchange takes on average and at most. The first
/// one, which makes the diagrams, does not count.
fn hidden(model: &Model) -> Result<(u128, Duration, Duration), String> {
    let budget = Budget::unlimited();
    let tester = Tester::new(model, &budget);
    let script = walk(model, N_HIDDEN)?;
    let answers: Vec<Outputs> =
        script.paths[0].exchanges.iter().map(|it| it.outputs.clone()).collect();
    let (answers, last, waits) = (answers.into_iter(), None, Vec::new());
    let mut implementation = Recorded { answers, last, waits };
    let result = execute(&script, model, &tester, &mut implementation, &Observation::default());
    if result.verdict != Verdict::Pass {
        return Err(format!("the test does not pass: {:?}", result.deviation));
    }
    let waits = implementation.waits.get(1..).unwrap_or_default();
    let symbolic = Symbolic::new(model, &budget).map_err(|why| why.to_string())?;
    let mut set = None;
    for exchange in &script.paths[0].exchanges {
        let next = match &set {
            None => symbolic.start(exchange),
            Some(set) => symbolic.step(set, exchange),
        };
        set = Some(next.map_err(|why| why.to_string())?);
    }
    let n_states = set.map_or(0, |set| symbolic.n_states(&set));
    let total: Duration = waits.iter().sum();
    let n_waits = u32::try_from(waits.len().max(1)).unwrap_or(u32::MAX);
    Ok((n_states, total / n_waits, waits.iter().max().copied().unwrap_or_default()))
}
