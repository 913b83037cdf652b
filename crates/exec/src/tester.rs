//! What a tester knows while a test runs: the states that the model may be in.
//!
//! They are listed as long as they are few. Then there is also a graph of all explanations of what was
//! exchanged, from which [`crate::reached`] knows which goals were reached. Many are a diagram, which is
//! made from the exchanges so far.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;
use trapline_budget::Budget;
use trapline_engine::Why;
use trapline_engine::possible::{
    Exchange, Explicit, Inputs, Listed, Outputs, Ports, Possible, StateList, Symbolic,
};
use trapline_model::Model;
use trapline_model::trace::State;

/// An exchange with more explanations than this is explained by a diagram.
const MAX_LISTED: usize = 500;

/// Judges answers.
pub struct Tester<'m, 'b> {
    model: &'m Model,
    budget: &'b Budget<'b>,
    listed: Explicit<'m, 'b>,
    diagrams: OnceCell<Result<Symbolic<'m, 'b>, Why>>,
}

/// The states that the model may be in.
enum Belief<'m, 'b> {
    /// Nothing was exchanged yet.
    Start,
    List(StateList),
    Diagram(<Symbolic<'m, 'b> as Possible>::Set),
}

/// What the tester knows in a test.
pub struct Knowledge<'t, 'm, 'b> {
    tester: &'t Tester<'m, 'b>,
    belief: Belief<'m, 'b>,
    explanations: Explanations,
}

/// All that the model may have done, an exchange after the other.
#[derive(Clone, Debug, Default)]
pub struct Explanations {
    /// What was exchanged.
    pub exchanges: Vec<Exchange>,
    /// What an exchange may have led to; with a diagram, nothing is known from there on.
    pub layers: Vec<Layer>,
    /// Are all exchanges explained?
    pub is_whole: bool,
}

/// A step that the model may make.
#[derive(Clone, Debug)]
pub struct Step {
    /// The state before, with the inputs of the step; none before the first exchange.
    pub before: Option<State>,
    /// The state after.
    pub after: State,
}

/// What an exchange may have led to.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// The states.
    pub states: Vec<State>,
    /// The steps: from a state of the layer before, with its inputs, to a state.
    pub edges: Vec<(usize, State, usize)>,
}

impl<'m, 'b> Tester<'m, 'b> {
    /// Prepares a model.
    pub fn new(model: &'m Model, budget: &'b Budget<'b>) -> Tester<'m, 'b> {
        let listed = Explicit::new(model, budget);
        Tester { model, budget, listed, diagrams: OnceCell::new() }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// What is sent and seen.
    pub fn ports(&self) -> &Ports<'_> {
        self.listed.ports()
    }

    /// The states one by one.
    pub fn listed(&self) -> &Explicit<'m, 'b> {
        &self.listed
    }

    /// What everything is charged to.
    pub fn budget(&self) -> &'b Budget<'b> {
        self.budget
    }

    /// The state of knowledge before a test.
    pub fn begin(&self) -> Knowledge<'_, 'm, 'b> {
        let explanations = Explanations { is_whole: true, ..Explanations::default() };
        Knowledge { tester: self, belief: Belief::Start, explanations }
    }

    fn diagrams(&self) -> Result<&Symbolic<'m, 'b>, Why> {
        let made = self.diagrams.get_or_init(|| Symbolic::new(self.model, self.budget));
        made.as_ref().map_err(Clone::clone)
    }
}

impl<'m, 'b> Knowledge<'_, 'm, 'b> {
    /// May the tester send these inputs now?
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn is_enabled(&self, inputs: &Inputs) -> Result<bool, Why> {
        match &self.belief {
            Belief::Start => self.is_possible(inputs),
            Belief::List(list) => self.tester.listed.is_enabled(list, inputs),
            Belief::Diagram(set) => self.tester.diagrams()?.is_enabled(set, inputs),
        }
    }

    /// Can the model go on with these inputs from some of the states?
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn is_possible(&self, inputs: &Inputs) -> Result<bool, Why> {
        Ok(!self.allowed(inputs, 1)?.list.is_empty())
    }

    /// Up to so many outputs that the model allows with these inputs.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn allowed(&self, inputs: &Inputs, limit: usize) -> Result<Listed<Outputs>, Why> {
        if let Some(steps) = self.steps(self.explanations.exchanges.len(), inputs)? {
            let states = steps.into_iter().map(|step| step.after).collect();
            return self.tester.listed.outputs(&StateList { states }, limit);
        }
        let exchange = Exchange { inputs: inputs.clone(), outputs: Outputs::new() };
        let diagrams = self.tester.diagrams()?;
        match self.replayed()? {
            None => diagrams.outputs(&diagrams.start(&exchange)?, limit),
            Some(set) => diagrams.allowed(&set, inputs, limit),
        }
    }

    /// The steps that the model could make in an exchange, by its index, with these inputs; nothing if there
    /// are too many to be listed.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn steps(&self, idx: usize, inputs: &Inputs) -> Result<Option<Vec<Step>>, Why> {
        let exchange = Exchange { inputs: inputs.clone(), outputs: Outputs::new() };
        let listed = &self.tester.listed;
        let Some(before) = idx.checked_sub(1) else {
            let Listed { list, is_complete } = listed.starts(&exchange, MAX_LISTED)?;
            let steps = list.into_iter().map(|after| Step { before: None, after });
            return Ok(is_complete.then(|| steps.collect()));
        };
        let Some(layer) = self.explanations.layers.get(before) else { return Ok(None) };
        let states = StateList { states: layer.states.clone() };
        let Listed { list, is_complete } = listed.edges(&states, &exchange, MAX_LISTED)?;
        let steps = list.into_iter().map(|it| Step { before: Some(it.current), after: it.next });
        Ok(is_complete.then(|| steps.collect()))
    }

    /// Learns what was exchanged, if the model allows it; returns whether it does.
    ///
    /// # Errors
    /// When the budget runs out; then nothing is learnt.
    pub fn learn(&mut self, exchange: &Exchange) -> Result<bool, Why> {
        let layer = match &self.belief {
            Belief::Start => self.first_layer(exchange)?,
            Belief::List(list) => self.next_layer(list, exchange)?,
            Belief::Diagram(_) => None,
        };
        let belief = match &layer {
            Some(layer) => Belief::List(StateList { states: layer.states.clone() }),
            None => self.as_diagram(exchange)?,
        };
        let is_allowed = match &belief {
            Belief::Start => true,
            Belief::List(list) => !list.states.is_empty(),
            Belief::Diagram(set) => !self.tester.diagrams()?.is_empty(set),
        };
        if is_allowed {
            self.belief = belief;
            self.explanations.exchanges.push(exchange.clone());
            self.explanations.is_whole &= layer.is_some();
            self.explanations.layers.extend(layer);
        }
        Ok(is_allowed)
    }

    fn first_layer(&self, exchange: &Exchange) -> Result<Option<Layer>, Why> {
        let Listed { list, is_complete } = self.tester.listed.starts(exchange, MAX_LISTED)?;
        Ok(is_complete.then_some(Layer { states: list, edges: Vec::new() }))
    }

    fn next_layer(&self, before: &StateList, exchange: &Exchange) -> Result<Option<Layer>, Why> {
        let Listed { list, is_complete } =
            self.tester.listed.edges(before, exchange, MAX_LISTED)?;
        if !is_complete {
            return Ok(None);
        }
        let mut layer = Layer::default();
        let mut ids: FxHashMap<State, usize> = FxHashMap::default();
        for edge in list {
            let to = *ids.entry(edge.next).or_insert_with_key(|state| {
                layer.states.push(state.clone());
                layer.states.len() - 1
            });
            layer.edges.push((edge.from, edge.current, to));
        }
        Ok(Some(layer))
    }

    /// The diagram after one more exchange.
    fn as_diagram(&self, exchange: &Exchange) -> Result<Belief<'m, 'b>, Why> {
        let diagrams = self.tester.diagrams()?;
        Ok(Belief::Diagram(match self.replayed()? {
            None => diagrams.start(exchange)?,
            Some(set) => diagrams.step(&set, exchange)?,
        }))
    }

    /// The belief as a diagram; nothing before the first exchange.
    fn replayed(&self) -> Result<Option<<Symbolic<'m, 'b> as Possible>::Set>, Why> {
        if let Belief::Diagram(set) = &self.belief {
            return Ok(Some(set.clone()));
        }
        let diagrams = self.tester.diagrams()?;
        let mut set = None;
        for exchange in &self.explanations.exchanges {
            set = Some(match &set {
                None => diagrams.start(exchange)?,
                Some(set) => diagrams.step(set, exchange)?,
            });
        }
        Ok(set)
    }

    /// Is this the only state that is possible, as far as both have values? What is not sent yet has
    /// none, and neither have monitors in a test.
    pub fn is_exactly(&self, state: &State) -> bool {
        let Belief::List(StateList { states }) = &self.belief else { return false };
        let [only] = states.as_slice() else { return false };
        let mut values = only.values.iter().zip(&state.values);
        values.all(|(known, value)| known.is_none() || value.is_none() || known == value)
    }

    /// What was exchanged, and what the model may have done.
    pub fn into_explanations(self) -> Explanations {
        self.explanations
    }
}
