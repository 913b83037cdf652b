//! Completes partial tests: missing values are determined by the model.
//!
//! Three phases, each for what the previous one left open. First, values are kept: inputs, or in
//! the line format everything, and frozen variables always. Then deterministic assignments give
//! their value, and so does a constraint that makes a variable a function of others (all in
//! `fill`). Last, a search tracks every state that is still possible, step by step, so that later
//! values may determine earlier ones (`frontier`). Nothing is guessed: if two tests are possible in
//! the end, that is reported. A test without missing values needs none of this and is only
//! replayed, as every result is.

mod fill;
mod frontier;
mod functions;
mod message;
mod rules;

use trapline_engine::{Budget, Exhausted};
use trapline_model::eval::{Cell, Plan};
use trapline_model::replay::{Replayer, Rule, Violation};
use trapline_model::trace::{State, Trace};
use trapline_model::{DefineId, Model, Value, Var, VarId, VarKind};

use crate::read::Draft;
use fill::{Filler, Sheet};
use functions::{Keeping, functions};
use rules::Problems;

/// How much may be tried for one test.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Maximum number of possible states at one position.
    pub max_possible: usize,
    /// How many operations may be evaluated, beyond what a test without choices needs.
    pub max_work: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { max_possible: 1_000, max_work: 100_000_000 }
    }
}

/// Why a test can't be completed.
#[derive(Clone, Debug, PartialEq)]
pub enum Impossible {
    /// The model does not allow this state, or the step to it.
    Forbidden {
        /// The state; for a step, the one after it.
        state: usize,
        /// What forbids it: one rule, or several that can't hold together.
        rules: Vec<Rule>,
        /// The variables in these rules whose values were not given but kept.
        kept: Vec<VarId>,
    },
    /// A missing value could be either of two, and nothing later decides.
    Undetermined {
        /// The state.
        state: usize,
        /// The variable.
        var: VarId,
        /// Two of its possible values.
        values: [Value; 2],
    },
    /// Too many values are missing to track all possible states.
    TooOpen {
        /// The state.
        state: usize,
        /// A variable whose value would help.
        var: VarId,
        /// Two of its possible values.
        values: [Value; 2],
    },
    /// A missing value could be any of infinitely many.
    Unbounded {
        /// The state.
        state: usize,
        /// The variable.
        var: VarId,
    },
    /// Something ran out before the missing values were found.
    TooHard {
        /// The state.
        state: usize,
        /// What.
        exhausted: Exhausted,
    },
    /// A definition has another value than the one that was given.
    Define {
        /// The state.
        state: usize,
        /// The definition.
        define: DefineId,
        /// The value that was given.
        given: Value,
        /// The value that it has, if it has one there.
        actual: Option<Value>,
    },
}

/// Why something is no negative test.
#[derive(Clone, Debug, PartialEq)]
pub enum NotNegative {
    /// The model allows all of it.
    Allowed,
    /// It does not say what is forbidden.
    Partial,
    /// The model does not allow what comes before its last state.
    Impossible(Impossible),
}

impl NotNegative {
    /// What to tell the user.
    pub fn message(&self, model: &Model) -> String {
        match self {
            NotNegative::Allowed => "the model allows it, so it is no negative test".into(),
            NotNegative::Partial => {
                "the last state of a negative test has a value for every variable".into()
            }
            NotNegative::Impossible(why) => {
                format!("state {}: {}", why.state(), why.message(model))
            }
        }
    }
}

/// A model prepared for completing many tests.
pub struct Completer<'m> {
    model: &'m Model,
    replayer: Replayer<'m>,
    keeping: Keeping,
    filler: Filler<'m>,
    /// Only searches need it, and they are rare.
    problems: std::sync::OnceLock<Problems<'m>>,
    defines: Plan,
}

impl<'m> Completer<'m> {
    /// Prepares a model.
    pub fn new(model: &'m Model) -> Completer<'m> {
        let functions = functions(model);
        let bodies: Vec<_> = model.defines.iter().map(|define| define.body.expr).collect();
        Completer {
            model,
            replayer: Replayer::new(model),
            keeping: Keeping::new(model, &functions),
            filler: Filler::new(model, &functions),
            problems: std::sync::OnceLock::new(),
            defines: Plan::new(model, &bodies),
        }
    }

    /// The one trace of the model that a test can mean.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn complete(
        &self,
        draft: &Draft,
        limits: &Limits,
        budget: &Budget<'_>,
    ) -> Result<Trace, Impossible> {
        let n_states = draft.states.len();
        if n_states == 0 || draft.loop_start.is_some_and(|start| start >= n_states) {
            return Err(Impossible::Forbidden { state: 0, rules: vec![Rule::Shape], kept: vec![] });
        }
        let sheet = self
            .filler
            .fill(draft, &self.keeping)
            .map_err(|violation| self.forbidden(draft, violation))?;
        let mut trace = match sheet.first_open() {
            None => sheet.into_trace(),
            Some(first_open) => self.search(draft, sheet, first_open, (limits, budget))?,
        };
        self.replayer.fill_moves(&mut trace);
        self.replayer.replay(&trace).map_err(|violation| self.forbidden(draft, violation))?;
        self.check_defines(draft, &trace)?;
        Ok(trace)
    }

    /// The trace that a negative test means: the model allows it up to the last state, and neither that
    /// state nor the step to it. Every value of the last state is given.
    ///
    /// # Errors
    /// Why it is no negative test of the model.
    pub fn complete_negative(
        &self,
        draft: &Draft,
        limits: &Limits,
        budget: &Budget<'_>,
    ) -> Result<Trace, NotNegative> {
        let Some((last, before)) = draft.states.split_last() else {
            return Err(NotNegative::Partial);
        };
        let mut trace = Trace { states: Vec::new(), loop_start: None };
        if !before.is_empty() {
            let states = before.to_vec();
            let before = Draft { states, loop_start: None, ..draft.clone() };
            trace = self.complete(&before, limits, budget).map_err(NotNegative::Impossible)?;
            // The inputs of the step that is forbidden are those of a state that no step leaves so far.
            let given = before.states.iter().zip(&mut trace.states).next_back();
            for (value, given) in
                given.into_iter().flat_map(|(it, state)| state.values.iter_mut().zip(&it.vars))
            {
                *value = value.or(*given);
            }
        }
        trace.states.push(State { values: last.vars.clone() });
        let is_open =
            |(var, value): (&Var, &Option<Value>)| var.kind != VarKind::Input && value.is_none();
        if self.model.vars.iter().zip(&last.vars).any(is_open) {
            return Err(NotNegative::Partial);
        }
        match self.replayer.replay(&trace) {
            Ok(()) => Err(NotNegative::Allowed),
            Err(_) => Ok(trace),
        }
    }

    /// Finds what filling left open.
    fn search(
        &self,
        draft: &Draft,
        sheet: Sheet<'_>,
        first_open: usize,
        (limits, budget): (&Limits, &Budget<'_>),
    ) -> Result<Trace, Impossible> {
        // What comes before is known, so if it is wrong, that is the first thing wrong.
        if first_open > 0 {
            let states = sheet.rows[..first_open].iter();
            let states = states.map(|row| State { values: row.clone() }).collect();
            let before = Trace { states, loop_start: None };
            self.replayer.replay(&before).map_err(|violation| self.forbidden(draft, violation))?;
        }
        let problems = self.problems.get_or_init(|| Problems::new(self.model));
        let (model, keeping) = (self.model, &self.keeping);
        let test = frontier::Test { model, draft, keeping, problems, limits };
        frontier::search(&test, sheet, budget)
    }

    fn forbidden(&self, draft: &Draft, violation: Violation) -> Impossible {
        let Violation { state, rule } = violation;
        // The step back to the start of a loop leaves the last state, not the one before it, and
        // the violation does not say which of the two steps it is about.
        let kept = match draft.loop_start == Some(state) {
            true => Vec::new(),
            false => {
                rules::kept(self.model, draft, &self.keeping, state, std::slice::from_ref(&rule))
            }
        };
        Impossible::Forbidden { state, rules: vec![rule], kept }
    }

    fn check_defines(&self, draft: &Draft, trace: &Trace) -> Result<(), Impossible> {
        let mut cells = Vec::new();
        for (idx, given) in draft.states.iter().enumerate() {
            if given.defines.is_empty() {
                continue;
            }
            let after = trace.states.get(idx + 1);
            let after = after.or_else(|| trace.loop_start.map(|start| &trace.states[start]));
            let next = after.map_or(&[][..], |state| &state.values);
            self.defines.run(&trace.states[idx].values, next, &mut cells);
            for &(define, given) in &given.defines {
                let actual = match self.defines.root(define.0 as usize, &cells) {
                    Cell::Value(value) => Some(*value),
                    _ => None,
                };
                if !actual.is_some_and(|actual| is_same(actual, given)) {
                    return Err(Impossible::Define { state: idx, define, given, actual });
                }
            }
        }
        Ok(())
    }
}

/// Definitions may mix integers and reals.
fn is_same(left: Value, right: Value) -> bool {
    match (left, right) {
        (Value::Int(i), Value::Real(r)) | (Value::Real(r), Value::Int(i)) => {
            r.den() == 1 && r.num() == i
        }
        (left, right) => left == right,
    }
}
