//! Judging a recorded run as if the implementation had just answered.

use serde_json::{Map, Value as Json};
use trapline_engine::possible::{Exchange, Inputs, Output, Outputs};
use trapline_model::roles::timings;
use trapline_model::{Model, Role, Timing, Var, VarId, VarKind};
use trapline_suite::read::{Draft, PartialState};
use trapline_suite::rename::Dictionary;

use crate::adapters::{Answer, Wire};
use crate::execute::occurred;
use crate::places::places;
use crate::result::{Deviation, TestResult, Verdict};
use crate::tester::{Knowledge, Tester};

/// So many allowed outputs are listed where others were recorded.
const MAX_ALLOWED: usize = 8;

/// A recorded run.
#[derive(Clone, Debug)]
pub struct Log {
    /// Its name.
    pub name: String,
    /// What was exchanged.
    pub exchanges: Vec<Exchange>,
    /// How it ended, if not with an answer like the others.
    pub ending: Option<Ending>,
    /// Names of outputs that the model does not have.
    pub extra: Vec<String>,
}

/// The last answer of a run that could not go on.
#[derive(Clone, Debug)]
pub struct Ending {
    /// What was sent.
    inputs: Inputs,
    /// The answer.
    answer: Answer,
}

impl Log {
    /// Runs as JSON lines. A line is an exchange with `inputs` and `outputs`, or a line of the protocol: a
    /// request `reset` or `step`, and the answer behind it. A reset or a blank line begins another run.
    ///
    /// # Errors
    /// The line that can't be read, counted from one, and why.
    pub fn from_lines(model: &Model, name: &str, text: &str) -> Result<Vec<Log>, (usize, String)> {
        let mut recorder = Recorder {
            wire: Wire::new(model),
            runs: vec![Run::default()],
            request: None,
            extra: Vec::new(),
        };
        for (idx, line) in text.lines().enumerate() {
            recorder.read(line).map_err(|why| (idx + 1, why))?;
        }
        recorder.finish_request();
        let extra = recorder.extra;
        let runs = recorder
            .runs
            .into_iter()
            .filter(|run| !run.exchanges.is_empty() || run.ending.is_some())
            .enumerate();
        let named = runs.map(|(idx, run)| {
            let name = if idx == 0 { name.to_string() } else { format!("{name} ({})", idx + 1) };
            Log { name, exchanges: run.exchanges, ending: run.ending, extra: extra.clone() }
        });
        Ok(named.collect())
    }

    /// The states of a test that was read, as far as they were recorded, hidden ones too.
    pub fn from_draft(model: &Model, draft: &Draft) -> Log {
        let timings = timings(model);
        let wire = Wire::new(model);
        let states = &draft.states;
        let exchange = |idx: usize| Exchange {
            inputs: inputs(model, &timings, states, idx),
            outputs: [wire.outputs(&states[idx]), hidden(model, &states[idx])].concat(),
        };
        let exchanges = (0..states.len()).map(exchange).collect();
        Log { name: draft.name.clone(), exchanges, ending: None, extra: Vec::new() }
    }

    /// A run that was recorded under other names.
    ///
    /// # Errors
    /// A value that stands for several, or for none.
    pub fn renamed(&self, names: &Dictionary) -> Result<Log, String> {
        let exchanges = self.exchanges.iter().map(|exchange| names.old_exchange(exchange));
        let exchanges = exchanges.collect::<Result<_, _>>()?;
        let ending = self.ending.clone().map(|Ending { inputs, answer }| {
            let last = Exchange { inputs, outputs: Outputs::new() };
            let inputs = names.old_exchange(&last)?.inputs;
            Ok::<_, String>(Ending { inputs, answer })
        });
        Ok(Log { exchanges, ending: ending.transpose()?, ..self.clone() })
    }
}

fn inputs(model: &Model, timings: &[Timing], states: &[PartialState], idx: usize) -> Inputs {
    let mut inputs = Inputs::new();
    for (var, declared) in model.var_ids().filter(|(_, var)| var.role == Role::Input) {
        let is_step = timings[var.0 as usize] == Timing::Step && declared.kind != VarKind::Frozen;
        let state = if is_step { idx.checked_sub(1) } else { Some(idx) };
        let value = state.and_then(|state| states[state].vars[var.0 as usize]);
        inputs.extend(value.map(|value| (var, value)));
    }
    inputs
}

/// What was recorded of variables that a tester does not see.
fn hidden(model: &Model, state: &PartialState) -> Outputs {
    let is_hidden = |var: &Var| var.role == Role::Internal && var.kind != VarKind::Input;
    let vars = model.var_ids().filter(|(_, var)| is_hidden(var));
    vars.filter_map(|(var, _)| Some((Output::Var(var), state.vars[var.0 as usize]?))).collect()
}

/// A run while it is read.
#[derive(Default)]
struct Run {
    exchanges: Vec<Exchange>,
    ending: Option<Ending>,
}

/// Reads lines.
struct Recorder<'m> {
    wire: Wire<'m>,
    runs: Vec<Run>,
    /// What was sent and not answered yet.
    request: Option<Inputs>,
    extra: Vec<String>,
}

impl Recorder<'_> {
    fn read(&mut self, line: &str) -> Result<(), String> {
        if line.trim().is_empty() {
            self.begin();
            return Ok(());
        }
        let json: Json = serde_json::from_str(line).map_err(|_| "this is not a line of JSON")?;
        let members = json.as_object().ok_or("this is not an object")?;
        let known = ["inputs", "outputs", "reset", "step", "refused", "error"];
        if let Some(name) = members.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("a log has {}, and not `{name}`", known.join(", ")));
        }
        let none = Map::new();
        let part = |name: &str| match members.get(name) {
            None => Ok(&none),
            Some(part) => part.as_object().ok_or_else(|| format!("`{name}` is not an object")),
        };
        if let Some(name) = ["reset", "step"].into_iter().find(|name| members.contains_key(*name)) {
            let sent = self.wire.shown(part(name)?, &none)?.inputs;
            if name == "reset" {
                self.begin();
            }
            self.finish_request();
            self.request = Some(sent);
        }
        let text =
            |name: &str| members.get(name).map(|it| it.as_str().unwrap_or_default().to_string());
        let answer =
            text("refused").map(Answer::Refused).or_else(|| text("error").map(Answer::Error));
        if let (Some(answer), Some(run)) = (answer, self.runs.last_mut()) {
            let inputs = self.request.take().ok_or("this answers no request")?;
            run.ending.get_or_insert(Ending { inputs, answer });
            return Ok(());
        }
        if members.contains_key("outputs") || members.contains_key("inputs") {
            let shown = self.wire.shown(part("inputs")?, part("outputs")?)?;
            let inputs = occurred(&self.request.take().unwrap_or_default(), &shown.inputs);
            self.add(Exchange { inputs, outputs: shown.outputs });
            for name in shown.extra {
                if !self.extra.contains(&name) {
                    self.extra.push(name);
                }
            }
        }
        Ok(())
    }

    fn begin(&mut self) {
        self.finish_request();
        self.runs.push(Run::default());
    }

    /// What was sent counts, even if no answer was recorded.
    fn finish_request(&mut self) {
        if let Some(inputs) = self.request.take() {
            self.add(Exchange { inputs, outputs: Outputs::new() });
        }
    }

    fn add(&mut self, exchange: Exchange) {
        self.runs.last_mut().into_iter().for_each(|run| run.exchanges.push(exchange.clone()));
    }
}

/// Judges a log.
pub fn judge(log: &Log, tester: &Tester<'_, '_>) -> TestResult {
    let mut knowledge = tester.begin();
    let mut end = None;
    for (idx, exchange) in log.exchanges.iter().enumerate() {
        let at = |verdict, message: String| {
            (verdict, Deviation { exchange: idx, message, ..Deviation::default() })
        };
        let why = match knowledge.learn(exchange) {
            Ok(true) => continue,
            Ok(false) => knowledge.allowed(&exchange.inputs, MAX_ALLOWED),
            Err(why) => Err(why),
        };
        end = Some(match why {
            Err(why) => at(Verdict::Inconclusive, format!("it is not decided: {why}")),
            Ok(allowed) if allowed.list.is_empty() => {
                let text = "the model has no step with these inputs: the environment left it";
                at(Verdict::Inconclusive, text.into())
            }
            Ok(allowed) => {
                let (verdict, deviation) =
                    at(Verdict::Fail, "the model does not allow this answer".into());
                let observed: Outputs = exchange.outputs.clone();
                let (allowed, is_all_allowed) = (allowed.list, allowed.is_complete);
                let inputs = exchange.inputs.clone();
                let deviation =
                    Deviation { inputs, observed, allowed, is_all_allowed, ..deviation };
                let places = places(tester.model(), &knowledge, verdict, &deviation);
                (verdict, Deviation { places, ..deviation })
            }
        });
        break;
    }
    let end = end.or_else(|| ended(log, tester, &knowledge));
    let (verdict, deviation) = match end {
        Some((verdict, deviation)) => (verdict, Some(deviation)),
        None => (Verdict::Pass, None),
    };
    let is_cut = deviation.is_some();
    let explanations = knowledge.into_explanations();
    let mut test = TestResult::new(&log.name, (verdict, deviation), explanations);
    if is_cut {
        test.exchanges.extend(log.exchanges.get(test.exchanges.len()).cloned());
    }
    TestResult { extra: log.extra.clone(), ..test }
}

/// What the last answer of a run means that could not go on.
fn ended(
    log: &Log,
    tester: &Tester<'_, '_>,
    knowledge: &Knowledge<'_, '_, '_>,
) -> Option<(Verdict, Deviation)> {
    let Ending { inputs, answer } = log.ending.clone()?;
    // Of inputs that were not recorded nobody knows whether they were enabled.
    let is_sent = |var: &&VarId| {
        log.exchanges.is_empty() || tester.model().var(**var).kind != VarKind::Frozen
    };
    let mut due = tester.ports().inputs.iter().filter(is_sent);
    let is_whole = due.all(|var| inputs.iter().any(|(known, _)| known == var));
    let (verdict, message) = match answer {
        Answer::Error(text) => (Verdict::Error, format!("it reports an error: {text}")),
        Answer::Refused(text) => match knowledge.is_enabled(&inputs) {
            Ok(true) if is_whole => (Verdict::Fail, format!("it refuses an enabled input: {text}")),
            Ok(true) => {
                (Verdict::Inconclusive, format!("what it refuses was not recorded: {text}"))
            }
            Ok(false) => {
                (Verdict::Inconclusive, format!("it refuses an input that is not enabled: {text}"))
            }
            Err(why) => (Verdict::Inconclusive, format!("it is not decided: {why}")),
        },
        Answer::Shown(_) => return None,
    };
    let exchange = log.exchanges.len();
    Some((verdict, Deviation { exchange, message, inputs, ..Deviation::default() }))
}
