//! Playing one test against an implementation.
//!
//! An answer is judged by the model, not by the test: it fails only what the model does not allow. Where
//! the implementation makes another choice than the test, the test stays inconclusive, and its inputs
//! are still sent, as long as they are enabled, to look for a failure.

use trapline_engine::Why;
use trapline_engine::possible::{Exchange, Inputs, Output, Outputs};
use trapline_model::trace::State;
use trapline_model::{Model, VarKind};

use crate::adapters::{Answer, Implementation, Shown};
use crate::places::places;
use crate::result::{Deviation, TestResult, Verdict};
use crate::script::{Path, Script};
use crate::tester::{Knowledge, Tester};

/// So many allowed outputs are listed where others were seen.
const MAX_ALLOWED: usize = 8;

/// So many outputs are named in a message.
const MAX_NAMED: usize = 8;

/// What the tester does not see.
#[derive(Clone, Debug, Default)]
pub struct Observation {
    /// Outputs that the implementation need not show.
    pub unobserved: Vec<Output>,
}

/// Plays a test.
pub fn execute(
    script: &Script,
    model: &Model,
    tester: &Tester<'_, '_>,
    implementation: &mut dyn Implementation,
    observation: &Observation,
) -> TestResult {
    let n_exchanges = script.paths.first().map_or(0, |trunk| trunk.exchanges.len());
    let mut play = Play {
        model,
        forbidden: n_exchanges.checked_sub(1).filter(|_| script.is_negative),
        observation,
        knowledge: tester.begin(),
        paths: script.paths.iter().collect(),
        first: None,
        extra: Vec::new(),
        refuted: None,
    };
    let mut end = None;
    for idx in 0.. {
        let Some(path) = play.path(idx) else { break };
        let before = idx.checked_sub(1).map(|before| &path.states[before]);
        end = play.exchange(idx, &path.exchanges[idx], before, implementation);
        if end.is_some() {
            break;
        }
    }
    play.finish(script, end, implementation)
}

struct Play<'a, 't, 'm, 'b> {
    model: &'a Model,
    observation: &'a Observation,
    /// The exchange that the implementation must not answer as it stands in the test.
    forbidden: Option<usize>,
    knowledge: Knowledge<'t, 'm, 'b>,
    /// The ways of the test that everything so far agrees with. After another choice than all of
    /// theirs, one of those that were left then.
    paths: Vec<&'a Path>,
    /// The first answer that the test does not expect, though it is allowed.
    first: Option<Deviation>,
    extra: Vec<String>,
    /// What was exchanged last, if it is not allowed.
    refuted: Option<Exchange>,
}

/// How a test ends before its last exchange.
type End = (Verdict, Deviation);

impl<'a> Play<'a, '_, '_, '_> {
    /// The way whose exchange comes next; the trunk, as long as it goes on.
    fn path(&self, idx: usize) -> Option<&'a Path> {
        self.paths.iter().copied().find(|path| idx < path.exchanges.len())
    }

    fn exchange(
        &mut self,
        idx: usize,
        planned: &Exchange,
        before: Option<&State>,
        implementation: &mut dyn Implementation,
    ) -> Option<End> {
        let end = |verdict, message: String| {
            Some((verdict, Deviation { exchange: idx, message, ..Deviation::default() }))
        };
        // On the way of the test its inputs are enabled: the model goes that way.
        let is_on_track = self.forbidden != Some(idx)
            && before.is_none_or(|state| self.knowledge.is_exactly(state));
        let is_enabled = is_on_track
            || match self.knowledge.is_enabled(&planned.inputs) {
                Ok(is_enabled) => is_enabled,
                Err(why) => return end(Verdict::Inconclusive, undecided(&why)),
            };
        if !is_enabled {
            let text = "the next input of the test is not enabled after what was seen";
            return end(Verdict::Inconclusive, text.into());
        }
        let answer = match idx {
            0 => implementation.reset(&planned.inputs),
            _ => implementation.step(&planned.inputs),
        };
        let broken = |message: String| {
            let inputs = planned.inputs.clone();
            let deviation = Deviation { exchange: idx, message, inputs, ..Deviation::default() };
            Some((Verdict::Error, deviation))
        };
        match answer {
            Err(breakdown) => broken(breakdown.to_string()),
            Ok(Answer::Error(text)) => broken(format!("it reports an error: {text}")),
            Ok(Answer::Refused(text)) => {
                let mut refused = format!("it refuses an enabled input: {text}");
                refused.truncate(refused.trim_end_matches([' ', ':']).len());
                Some((Verdict::Fail, self.deviation(idx, refused, planned, &planned.inputs)))
            }
            Ok(Answer::Shown(shown)) => self.judge(idx, planned, shown),
        }
    }

    fn judge(&mut self, idx: usize, planned: &Exchange, shown: Shown) -> Option<End> {
        let at = |message: String| Deviation { exchange: idx, message, ..Deviation::default() };
        for name in shown.extra {
            if !self.extra.contains(&name) {
                self.extra.push(name);
            }
        }
        if let Some(name) = self.missing(idx, planned, &shown.outputs) {
            return Some((Verdict::Error, at(self.lacks(&name, &shown.outputs))));
        }
        let inputs = occurred(&planned.inputs, &shown.inputs);
        let exchange = Exchange { inputs, outputs: shown.outputs };
        match self.knowledge.learn(&exchange) {
            Err(why) => Some((Verdict::Inconclusive, at(undecided(&why)))),
            Ok(true) => {
                self.compare(idx, planned, exchange);
                None
            }
            Ok(false) => Some(self.explain(idx, planned, exchange)),
        }
    }

    /// Keeps the ways that an allowed answer agrees with; if there are none, it is the first that the
    /// test does not expect.
    fn compare(&mut self, idx: usize, planned: &Exchange, exchange: Exchange) {
        if self.forbidden == Some(idx) {
            return self.compare_forbidden(idx, planned, &exchange);
        }
        if self.first.is_some() {
            return;
        }
        let agrees = |path: &&&Path| {
            let planned = path.exchanges.get(idx);
            planned.is_some_and(|planned| is_expected(planned, &exchange))
        };
        let left: Vec<&Path> = self.paths.iter().filter(agrees).copied().collect();
        if !left.is_empty() {
            self.paths = left;
        } else {
            let followed = self.path(idx);
            self.paths.retain(|path| followed.is_some_and(|it| std::ptr::eq(it, *path)));
            self.first = Some(Deviation {
                exchange: idx,
                message: "the model allows this answer, but the test expects another".into(),
                inputs: exchange.inputs,
                expected: planned.outputs.clone(),
                observed: exchange.outputs,
                ..Deviation::default()
            });
        }
    }

    /// An allowed answer is right, unless it may hide the step that must not be made.
    fn compare_forbidden(&mut self, idx: usize, planned: &Exchange, exchange: &Exchange) {
        let message = match () {
            () if exchange.inputs != planned.inputs => "other inputs came than the test sends",
            () if exchange.outputs == planned.outputs => {
                "the model has a step that looks like the forbidden one, so nobody can tell"
            }
            () => return,
        };
        let observed = exchange.outputs.clone();
        let deviation =
            Deviation { exchange: idx, message: message.into(), observed, ..Deviation::default() };
        self.first.get_or_insert(deviation);
    }

    /// Why an exchange is not allowed.
    fn explain(&mut self, idx: usize, planned: &Exchange, exchange: Exchange) -> End {
        let Exchange { inputs, outputs } = exchange.clone();
        self.refuted = Some(exchange);
        let left = match inputs == planned.inputs {
            true => Ok(false),
            false => self.knowledge.is_possible(&inputs).map(|possible| !possible),
        };
        match left {
            Ok(true) => {
                let text = "inputs came that the model does not know here: the environment left it";
                let deviation =
                    Deviation { exchange: idx, message: text.into(), ..Deviation::default() };
                (Verdict::Inconclusive, deviation)
            }
            Err(why) => {
                let message = undecided(&why);
                (
                    Verdict::Inconclusive,
                    Deviation { exchange: idx, message, ..Deviation::default() },
                )
            }
            Ok(false) => {
                let is_it = self.forbidden == Some(idx) && outputs == planned.outputs;
                let text = match is_it {
                    true => "it makes the step that the test says it must not make",
                    false => "the model does not allow this answer",
                };
                let deviation = self.deviation(idx, text.to_string(), planned, &inputs);
                (Verdict::Fail, Deviation { observed: outputs, ..deviation })
            }
        }
    }

    /// A deviation, with what is allowed instead.
    fn deviation(
        &self,
        idx: usize,
        text: String,
        planned: &Exchange,
        inputs: &Inputs,
    ) -> Deviation {
        let allowed = self.knowledge.allowed(inputs, MAX_ALLOWED);
        let (allowed, is_all_allowed) =
            allowed.map_or((Vec::new(), false), |listed| (listed.list, listed.is_complete));
        // After another choice than the test's, what it expects means nothing.
        let is_expected = self.first.is_none() && self.forbidden != Some(idx);
        let expected = if is_expected { planned.outputs.clone() } else { Outputs::new() };
        Deviation {
            exchange: idx,
            message: text,
            inputs: inputs.clone(),
            expected,
            allowed,
            is_all_allowed,
            ..Deviation::default()
        }
    }

    /// What to do about an output that is not shown.
    fn lacks(&self, name: &str, shown: &Outputs) -> String {
        let shown: Vec<&str> = shown.iter().map(|(output, _)| output.name(self.model)).collect();
        let others = match shown.as_slice() {
            [] => String::new(),
            _ if shown.len() > MAX_NAMED => ", or --output with all that there are".into(),
            _ => format!(", or --output {} if there are no others", shown.join(" ")),
        };
        format!(
            "its answer lacks the output `{name}`: pass --unobserved {name} if nothing shows it{others}"
        )
    }

    /// An output that must be shown, and is not. A parameter is shown in the first exchange.
    fn missing(&self, idx: usize, planned: &Exchange, shown: &Outputs) -> Option<String> {
        let is_due = |output: Output| match output {
            Output::Var(var) => idx == 0 || self.model.var(var).kind != VarKind::Frozen,
            Output::Define(_) => true,
        };
        let mut due = planned.outputs.iter().map(|(output, _)| *output);
        let missing = due.find(|output| {
            is_due(*output)
                && !self.observation.unobserved.contains(output)
                && !shown.iter().any(|(known, _)| known == output)
        })?;
        Some(missing.name(self.model).to_string())
    }

    fn finish(
        self,
        script: &Script,
        end: Option<End>,
        implementation: &mut dyn Implementation,
    ) -> TestResult {
        // A choice that was made before is why the test can't go on.
        let (verdict, deviation) = match (end, self.first) {
            (Some((Verdict::Inconclusive, _)), Some(first)) | (None, Some(first)) => {
                (Verdict::Inconclusive, Some(first))
            }
            (Some((verdict, deviation)), _) => (verdict, Some(deviation)),
            (None, None) => (Verdict::Pass, None),
        };
        let deviation = deviation.map(|it| {
            let places = places(self.model, &self.knowledge, verdict, &it);
            Deviation { places, ..it }
        });
        let is_bad = matches!(verdict, Verdict::Fail | Verdict::Error);
        let stderr = if is_bad { implementation.stderr() } else { String::new() };
        let explanations = self.knowledge.into_explanations();
        let mut test = TestResult::new(&script.name, (verdict, deviation), explanations);
        test.exchanges.extend(self.refuted);
        let branch = self.paths.first().map(|path| path.branch.clone()).unwrap_or_default();
        TestResult { branch, stderr, extra: self.extra, ..test }
    }
}

/// Does a way of the test go on like this? What nobody saw is no difference.
fn is_expected(planned: &Exchange, exchange: &Exchange) -> bool {
    let is_same = |(output, value): &(Output, _)| {
        let expected = planned.outputs.iter().find(|(known, _)| known == output);
        expected.is_none_or(|(_, expected)| expected == value)
    };
    exchange.inputs == planned.inputs && exchange.outputs.iter().all(is_same)
}

/// What was sent, but for what the implementation says of its inputs.
pub(crate) fn occurred(sent: &Inputs, told: &Inputs) -> Inputs {
    let mut inputs = sent.clone();
    for &(var, value) in told {
        match inputs.iter_mut().find(|(known, _)| *known == var) {
            Some((_, known)) => *known = value,
            None => inputs.push((var, value)),
        }
    }
    inputs
}

fn undecided(why: &Why) -> String {
    format!("whether the answer is allowed is not decided: {why}")
}
