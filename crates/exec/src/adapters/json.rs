//! The protocol in JSON: a line for each exchange, and a line back.

use serde_json::{Map, Value as Json, json};
use trapline_engine::possible::{Inputs, Output, Outputs, Ports};
use trapline_model::Model;
use trapline_suite::read::{PartialState, StateReader, Wrong};
use trapline_suite::write::states::members;

use super::{Answer, Shown};
use crate::write::as_outputs;

/// At most so many characters of an answer are repeated in a message.
const MAX_SHOWN: usize = 120;

/// Writes requests and reads answers.
pub struct Wire<'m> {
    model: &'m Model,
    reader: StateReader<'m>,
    /// The inputs and outputs of the model.
    pub ports: Ports<'m>,
}

impl<'m> Wire<'m> {
    /// Prepares a model.
    pub fn new(model: &'m Model) -> Wire<'m> {
        Wire { model, reader: StateReader::new(model), ports: Ports::new(model) }
    }

    /// The line that begins a test.
    pub fn reset(&self, inputs: &Inputs) -> String {
        json!({ "reset": self.inputs(inputs) }).to_string()
    }

    /// The line of a step.
    pub fn step(&self, inputs: &Inputs) -> String {
        json!({ "step": self.inputs(inputs) }).to_string()
    }

    fn inputs(&self, inputs: &Inputs) -> Map<String, Json> {
        members(self.model, &as_outputs(inputs))
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn answer(&mut self, line: &str) -> Result<Answer, String> {
        let json: Json = serde_json::from_str(line)
            .map_err(|_| format!("`{}` is not a line of JSON", shortened(line)))?;
        let text = |name: &str| {
            json.get(name).map(|it| it.as_str().map_or_else(|| it.to_string(), String::from))
        };
        if let Some(text) = text("refused") {
            return Ok(Answer::Refused(shortened(&text)));
        }
        if let Some(text) = text("error") {
            return Ok(Answer::Error(shortened(&text)));
        }
        let Some(outputs) = json.get("outputs").and_then(Json::as_object) else {
            let line = shortened(line);
            return Err(format!("`{line}` has none of `outputs`, `refused` and `error`"));
        };
        let none = Map::new();
        let inputs = match json.get("inputs") {
            None => &none,
            Some(inputs) => inputs.as_object().ok_or("`inputs` is not an object")?,
        };
        self.shown(inputs, outputs).map(Answer::Shown)
    }

    /// Reads what is shown.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn shown(
        &mut self,
        inputs: &Map<String, Json>,
        outputs: &Map<String, Json>,
    ) -> Result<Shown, String> {
        let mut shown = Shown::default();
        let (state, wrong) = self.reader.read(outputs);
        self.refuse(wrong, Some(&mut shown.extra))?;
        self.take_outputs(&state, &mut shown);
        let (state, wrong) = self.reader.read(inputs);
        self.refuse(wrong, None)?;
        let given = self.ports.inputs.iter();
        shown.inputs = given.filter_map(|&var| Some((var, state.vars[var.0 as usize]?))).collect();
        Ok(shown)
    }

    /// The outputs of a state, as far as they are given.
    pub fn outputs(&self, state: &PartialState) -> Outputs {
        let value = |output: Output| match output {
            Output::Var(var) => state.vars[var.0 as usize],
            Output::Define(define) => {
                let given = state.defines.iter().find(|(known, _)| *known == define);
                given.map(|(_, value)| *value)
            }
        };
        self.ports.outputs.iter().filter_map(|&output| Some((output, value(output)?))).collect()
    }

    /// Keeps what the model shows too, and names the rest.
    fn take_outputs(&self, state: &PartialState, shown: &mut Shown) {
        shown.outputs = self.outputs(state);
        let vars = self.model.var_ids().filter(|(var, _)| {
            state.vars[var.0 as usize].is_some() && !self.ports.outputs.contains(&Output::Var(*var))
        });
        shown.extra.extend(vars.map(|(_, var)| var.name.clone()));
        let defines = state.defines.iter().map(|(define, _)| *define);
        let defines =
            defines.filter(|define| !self.ports.outputs.contains(&Output::Define(*define)));
        shown.extra.extend(defines.map(|define| self.model.define(define).name.clone()));
    }

    /// Unknown names are no error where they may be more than is asked for.
    fn refuse(&self, wrong: Vec<Wrong>, extra: Option<&mut Vec<String>>) -> Result<(), String> {
        let mut extra = extra;
        for wrong in wrong {
            match (wrong, &mut extra) {
                (Wrong::UnknownName(name), Some(extra)) => extra.push(name),
                (wrong, _) => return Err(wrong.to_string()),
            }
        }
        Ok(())
    }
}

/// A text that fits into a message.
pub(super) fn shortened(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
