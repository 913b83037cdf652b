//! Input words made for judging, where there are choices and the states can't be listed.
//!
//! A word shows a fault surely if it keeps what the model may be in small, and it shows faults at all if it
//! comes where rules tell values apart. So of a few inputs, among them values that the rules name, those are
//! sent after which least is possible; half of the words take any, as what must be risked is not known. Each
//! word is made along one run of the model, with what the model may be in after what that run shows: never
//! are inputs listed.

use rustc_hash::FxHashSet;
use trapline_engine::Budget;
use trapline_engine::possible::{Edge, Exchange, Explicit, Inputs, Possible, StateList};
use trapline_model::trace::{State, Trace};
use trapline_model::{Domain, Expr, ExprId, Model, Value, VarId, VarKind};

use super::graph::closed;
use super::tree::after;

/// Exchanges of a word.
const LENGTH: usize = 24;

/// Inputs that are compared for an exchange, and attempts to find so many that are allowed.
const COMPARED: usize = 4;
const ATTEMPTS: usize = 16;

/// Steps from a state that are looked at, and states that the model may be in; a word ends there.
const MAX_STEPS: usize = 1_000;
const MAX_POSSIBLE: usize = 300;

/// Makes words.
pub struct Words<'w> {
    model: &'w Model,
    possible: Explicit<'w, 'w>,
    /// By input, the values that rules may tell apart.
    named: Vec<(VarId, Vec<Value>)>,
    rng: fastrand::Rng,
    n_made: usize,
}

/// A state of a word in the making.
struct Place {
    /// The step to it; its own state alone for the first.
    before: Option<State>,
    state: State,
    /// What the model may be in.
    possible: StateList,
}

impl<'w> Words<'w> {
    /// Words for a model.
    pub fn new(model: &'w Model, budget: &'w Budget<'w>) -> Words<'w> {
        let possible = Explicit::new(model, budget);
        let constants = constants(model);
        let inputs = possible.ports().inputs.clone();
        let named = inputs.into_iter().map(|var| (var, named(&model.var(var).domain, &constants)));
        let named = named.collect();
        Words { model, possible, named, rng: fastrand::Rng::with_seed(0), n_made: 0 }
    }

    /// The next word, as a trace of the model; `None` if nothing can be sent, or the budget has run out.
    pub fn make(&mut self) -> Option<Trace> {
        self.n_made += 1;
        let mut states = Vec::new();
        let mut sent = Inputs::new();
        let mut place: Option<Place> = None;
        while states.len() + 1 < LENGTH
            && let Some(next) = self.best(place.as_ref(), &mut sent)
        {
            states.extend(next.before.clone());
            place = Some(next);
        }
        states.push(closed(self.model, place?.state));
        Some(Trace { states, loop_start: None })
    }

    /// Goes on: of some inputs that may be sent, those after which least is possible, or any.
    fn best(&mut self, place: Option<&Place>, sent: &mut Inputs) -> Option<Place> {
        let n_compared = if self.n_made.is_multiple_of(2) { COMPARED } else { 1 };
        let mut found: Vec<(Place, Inputs)> = Vec::new();
        for attempt in 0..ATTEMPTS {
            if found.len() == n_compared {
                break;
            }
            let mut inputs = self.inputs(place.map(|place| &place.state), sent);
            // Where inputs are restricted, only some are chosen here.
            if attempt >= ATTEMPTS / 2 {
                inputs.retain(|_| self.rng.bool());
            }
            found.extend(self.go(place, inputs));
        }
        let (place, inputs) =
            found.into_iter().min_by_key(|(place, _)| place.possible.states.len())?;
        *sent = inputs;
        Some(place)
    }

    /// Any values for the inputs of an exchange: what was sent last, what rules name, what is sent
    /// for another, or anything.
    /// What a rule ties to the state that is left has its value there.
    fn inputs(&mut self, from: Option<&State>, sent: &Inputs) -> Inputs {
        let mut inputs = Inputs::new();
        for (var, named) in &self.named {
            let (ports, declared) = (self.possible.ports(), self.model.var(*var));
            let is_late = ports.leaves_state(*var);
            let is_sent = match from {
                None => declared.kind != VarKind::Input && !is_late,
                Some(_) => declared.kind != VarKind::Frozen,
            };
            let tied = from.filter(|_| is_late).and_then(|from| from.get(*var));
            let Some(size) = declared.domain.size().filter(|&size| is_sent && size > 0) else {
                continue;
            };
            let last = sent.iter().find(|(other, _)| other == var);
            let other = inputs.get(self.rng.usize(..inputs.len().max(1))).map(|(_, value)| *value);
            let value = match (self.rng.u8(..4), last) {
                _ if let Some(tied) = tied => tied,
                (0, Some((_, value))) => *value,
                (1, _) if !named.is_empty() => named[self.rng.usize(..named.len())],
                (2, _) if let Some(value) = other.filter(|&it| declared.domain.contains(it)) => {
                    value
                }
                _ => declared.domain.value(self.rng.u64(..size)),
            };
            inputs.push((*var, value));
        }
        inputs
    }

    /// Goes on with these inputs, if they may be sent.
    fn go(&mut self, place: Option<&Place>, inputs: Inputs) -> Option<(Place, Inputs)> {
        let mut exchange = Exchange { inputs, outputs: Vec::new() };
        let (before, state) = match place {
            None => {
                let mut starts = self.possible.starts(&exchange, MAX_STEPS).ok()?.list;
                let first = (!starts.is_empty()).then(|| self.rng.usize(..starts.len()))?;
                (None, starts.swap_remove(first))
            }
            Some(place) => {
                let own = StateList { states: vec![place.state.clone()] };
                let mut edges = self.possible.edges(&own, &exchange, MAX_STEPS).ok()?.list;
                let taken = (!edges.is_empty()).then(|| self.rng.usize(..edges.len()))?;
                let Edge { current, next, .. } = edges.swap_remove(taken);
                (Some(current), next)
            }
        };
        let ports = self.possible.ports();
        if let Some(before) = &before {
            exchange.inputs = ports.sent_in(before, &state);
        }
        let known = place.map(|place| &place.possible);
        if let Some(known) = known
            && !self.possible.is_enabled(known, &exchange.inputs).ok()?
        {
            return None;
        }
        exchange.outputs = ports.shown(&state);
        let possible = after(&self.possible, known, &exchange)?;
        let is_small = possible.states.len() <= MAX_POSSIBLE;
        is_small.then_some((Place { before, state, possible }, exchange.inputs))
    }
}

/// The numbers that the rules of a model name.
fn constants(model: &Model) -> FxHashSet<i64> {
    let assigned = model.assigns.iter().map(|assign| assign.expr);
    let constrained = model.constraints.iter().map(|constraint| constraint.body.expr);
    let defined = model.defines.iter().map(|define| define.body.expr);
    let mut stack: Vec<ExprId> = assigned.chain(constrained).chain(defined).collect();
    let (mut found, mut seen) = (FxHashSet::default(), FxHashSet::default());
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        match model.exprs.get(id) {
            Expr::Const(constant) => {
                if let Value::Int(number) = model.exprs.constant(constant) {
                    found.insert(number);
                }
            }
            expr => stack.extend(model.exprs.operands(expr).as_slice()),
        }
    }
    found
}

/// The values of a range at its ends and about these numbers.
fn named(domain: &Domain, constants: &FxHashSet<i64>) -> Vec<Value> {
    let Domain::Range(lo, hi) = *domain else { return Vec::new() };
    let about = constants.iter().flat_map(|&it| [it.saturating_sub(1), it, it.saturating_add(1)]);
    let mut values: Vec<i64> = about.chain([lo, hi]).collect();
    values.retain(|value| (lo..=hi).contains(value));
    values.sort_unstable();
    values.dedup();
    values.into_iter().map(Value::Int).collect()
}
