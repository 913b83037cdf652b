//! Verdicts, compared with brute force over all exchange words of random nondeterministic models.

use std::collections::BTreeSet;

use fastrand::Rng;
use trapline_budget::Budget;
use trapline_engine::possible::{Exchange, Inputs, Outputs};
use trapline_exec::adapters::{Answer, Breakdown, Implementation, Shown};
use trapline_exec::execute::{Observation, execute};
use trapline_exec::result::Verdict;
use trapline_exec::script::Script;
use trapline_exec::tester::Tester;
use trapline_model::trace::State;
use trapline_model::{Model, VarKind};
use trapline_testkit::brute_force::Values;
use trapline_testkit::exchanges::{Exchanges, random_model};
use trapline_testkit::read;

/// An implementation that does what the model may do, at random; from one exchange on it may lie.
struct Resolution<'t, 'm> {
    truth: &'t Exchanges<'m>,
    rng: Rng,
    states: Vec<Values>,
    /// In which exchange one output is another value of its type.
    lies_in: Option<usize>,
    n_exchanges: usize,
    /// All that was exchanged.
    word: Vec<Exchange>,
}

impl<'t, 'm> Resolution<'t, 'm> {
    fn new(truth: &'t Exchanges<'m>, rng: Rng, lies_in: Option<usize>) -> Resolution<'t, 'm> {
        let (states, word) = (Vec::new(), Vec::new());
        Resolution { truth, rng, states, lies_in, n_exchanges: 0, word }
    }

    fn answer(&mut self, inputs: &Inputs, next: Vec<Values>) -> Result<Answer, Breakdown> {
        let Some(state) = next.get(self.rng.usize(..next.len().max(1))).cloned() else {
            return Ok(Answer::Refused("no step".into()));
        };
        let mut outputs = self.truth.ports.shown(&State { values: state.clone() });
        if self.lies_in == Some(self.n_exchanges) {
            self.lie(&mut outputs);
        }
        self.n_exchanges += 1;
        self.states = vec![state];
        self.word.push(Exchange { inputs: inputs.clone(), outputs: outputs.clone() });
        Ok(Answer::Shown(Shown { inputs: Inputs::new(), outputs, extra: Vec::new() }))
    }

    /// Shows what some other state shows of one output.
    fn lie(&mut self, outputs: &mut Outputs) {
        let others: Vec<&Values> = self.truth.steps.keys().collect();
        let other = State { values: others[self.rng.usize(..others.len())].clone() };
        let other = self.truth.ports.shown(&other);
        if !outputs.is_empty() && other.len() == outputs.len() {
            let idx = self.rng.usize(..outputs.len());
            outputs[idx] = other[idx];
        }
    }
}

impl Implementation for Resolution<'_, '_> {
    fn reset(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown> {
        let exchange = Exchange { inputs: inputs.clone(), outputs: Outputs::new() };
        let next = self.truth.start(&exchange);
        self.answer(inputs, next.into_iter().collect())
    }

    fn step(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown> {
        // What leaves a state is not decided before it is sent.
        let now: BTreeSet<Values> = self.siblings();
        let exchange = Exchange { inputs: inputs.clone(), outputs: Outputs::new() };
        let next = self.truth.step(&now, &exchange);
        self.answer(inputs, next.into_iter().collect())
    }
}

impl Resolution<'_, '_> {
    /// The states that differ from the current one only in inputs that leave it, as far as it could
    /// have been in them too.
    fn siblings(&self) -> BTreeSet<Values> {
        let state = &self.states[0];
        let before = self.word.len() - 1;
        let mut possible = self.truth.start(&self.word[0]);
        for exchange in &self.word[1..=before] {
            possible = self.truth.step(&possible, exchange);
        }
        possible.insert(state.clone());
        let is_same = |other: &&Values| {
            let vars = self.truth.ports.inputs.iter();
            let mut other = (*other).clone();
            for var in vars.filter(|var| self.truth.is_late(**var)) {
                other[var.0 as usize] = state[var.0 as usize];
            }
            other == *state
        };
        possible.iter().filter(is_same).cloned().collect()
    }
}

/// The first exchange of a word that the model does not allow.
fn first_wrong(truth: &Exchanges<'_>, word: &[Exchange]) -> Option<usize> {
    let mut possible = BTreeSet::new();
    for (idx, exchange) in word.iter().enumerate() {
        possible = match idx {
            0 => truth.start(exchange),
            _ => truth.step(&possible, exchange),
        };
        if possible.is_empty() {
            return Some(idx);
        }
    }
    None
}

#[derive(Debug, Default)]
struct Counts {
    n_runs: usize,
    /// Runs of implementations that conform.
    n_honest: usize,
    n_passed: usize,
    n_inconclusive: usize,
    n_failed: usize,
    n_hidden_lies: usize,
}

fn check(rng: &mut Rng, model: &Model, counts: &mut Counts) {
    let Some(truth) = Exchanges::new(model) else { return };
    let budget = Budget::unlimited();
    let tester = Tester::new(model, &budget);
    let observation = Observation::default();
    for _ in 0..4 {
        let Some(trace) = truth.walk(rng, 6) else { return };
        let script = Script::new(tester.ports(), model, "t", &[&trace]);
        // Some honest implementations, and one that lies, for each exchange.
        let lies = (0..script.paths[0].exchanges.len()).map(Some);
        for lies_in in std::iter::repeat_n(None, 12).chain(lies) {
            let implementation = Resolution::new(&truth, rng.fork(), lies_in);
            check_run(model, &script, (&tester, &observation), implementation, counts);
        }
    }
}

fn check_run(
    model: &Model,
    script: &Script,
    (tester, observation): (&Tester<'_, '_>, &Observation),
    mut implementation: Resolution<'_, '_>,
    counts: &mut Counts,
) {
    let result = execute(script, model, tester, &mut implementation, observation);
    let Resolution { truth, lies_in, word, .. } = implementation;
    counts.n_runs += 1;
    counts.n_honest += usize::from(lies_in.is_none());
    let wrong = first_wrong(truth, &word);
    assert_eq!(result.exchanges, word);
    match result.verdict {
        Verdict::Fail => {
            counts.n_failed += 1;
            assert!(lies_in.is_some(), "a conforming implementation fails: {result:?}");
            let at = result.deviation.as_ref().map(|it| it.exchange);
            assert!(wrong.is_some() || lies_in < at, "{result:?}");
            assert!(wrong.is_none() || wrong == at, "{wrong:?} {result:?}");
        }
        Verdict::Error => panic!("nothing broke down: {result:?}"),
        Verdict::Pass | Verdict::Inconclusive => {
            assert_eq!(wrong, None, "{result:?}");
            counts.n_hidden_lies += usize::from(lies_in.is_some());
        }
    }
    let expected = script.paths[0].exchanges.iter().map(|it| &it.outputs);
    let is_same = expected.eq(word.iter().map(|it| &it.outputs));
    assert_eq!(result.verdict == Verdict::Pass, is_same && wrong.is_none(), "{result:?}");
    counts.n_passed += usize::from(result.verdict == Verdict::Pass);
    counts.n_inconclusive += usize::from(result.verdict == Verdict::Inconclusive);
}

#[test]
fn a_verdict_is_what_brute_force_says() {
    let mut counts = Counts::default();
    for seed in 0..500 {
        let (mut rng, model) = random_model(seed);
        check(&mut rng, &model, &mut counts);
    }
    let Counts { n_runs, n_honest, n_passed, n_inconclusive, n_failed, n_hidden_lies } = counts;
    assert!(n_runs > 20_000 && n_honest > 15_000, "{counts:?}");
    assert!(n_passed > 1_000 && n_inconclusive > 1_000, "{counts:?}");
    assert!(n_failed > 1_000 && n_hidden_lies > 100, "{counts:?}");
}

#[test]
fn many_possible_states_are_judged_as_well() {
    // A hidden number of 20 bits, of which the implementation shows one at a time.
    let text = "MODULE main VAR hidden : unsigned word[20]; idx : 0..19; bit : boolean;
         ASSIGN next(hidden) := hidden;
         next(bit) := (hidden >> idx)[0:0] = 0ud1_1;
         -- @input idx (step)";
    let mut model = read(text, &[]).0;
    trapline_model::roles::guess(&mut model);
    for var in &mut model.vars {
        if var.name == "hidden" {
            var.role = trapline_model::Role::Internal;
        }
    }
    let budget = Budget::unlimited();
    let tester = Tester::new(&model, &budget);
    let idx = model.var_ids().find(|(_, var)| var.name == "idx").expect("declared").0;
    let bit = model.var_ids().find(|(_, var)| var.name == "bit").expect("declared").0;
    assert_eq!(model.var(idx).kind, VarKind::State);
    let mut knowledge = tester.begin();
    let shows = |idx_value: Option<i64>, shown: bool| Exchange {
        inputs: idx_value.map(|it| (idx, trapline_model::Value::Int(it))).into_iter().collect(),
        outputs: vec![(
            trapline_engine::possible::Output::Var(bit),
            trapline_model::Value::Bool(shown),
        )],
    };
    assert_eq!(knowledge.learn(&shows(None, false)), Ok(true));
    for at in 0..20 {
        assert_eq!(knowledge.learn(&shows(Some(at), at % 3 == 0)), Ok(true));
    }
    assert_eq!(knowledge.learn(&shows(Some(5), true)), Ok(false));
    assert_eq!(knowledge.learn(&shows(Some(6), false)), Ok(false));
    assert_eq!(knowledge.learn(&shows(Some(6), true)), Ok(true));
}
