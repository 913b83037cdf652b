//! The protocol for shells: rows of values.
//!
//! The tester writes a header of input names and gets a header of output names; then each exchange is a
//! row of inputs and a row of outputs back. There is no reset: an implementation that speaks it is
//! started anew for each test. An input that has no value yet is an empty field.

use serde_json::{Map, Value as Json};
use trapline_engine::possible::Inputs;
use trapline_model::{Model, notation};

use super::json::{Wire, shortened};
use super::{Answer, Shown};

/// Writes rows of inputs and reads rows of outputs.
pub(crate) struct Rows<'m> {
    model: &'m Model,
    wire: Wire<'m>,
    /// The names of the columns that come back.
    columns: Vec<String>,
}

impl<'m> Rows<'m> {
    pub(crate) fn new(model: &'m Model) -> Rows<'m> {
        Rows { model, wire: Wire::new(model), columns: Vec::new() }
    }

    /// The names of the inputs.
    pub(crate) fn header(&self) -> String {
        let names = self.wire.ports.inputs.iter().map(|&var| self.model.var(var).name.as_str());
        names.map(quoted).collect::<Vec<_>>().join(",")
    }

    /// Learns what comes back.
    pub(crate) fn read_header(&mut self, line: &str) -> Result<(), String> {
        self.columns = fields(line);
        match self.columns.iter().all(String::is_empty) {
            true => Err("the header of its outputs is empty".into()),
            false => Ok(()),
        }
    }

    pub(crate) fn row(&self, inputs: &Inputs) -> String {
        let field = |var| {
            let given = inputs.iter().find(|(known, _)| *known == var);
            let text = given.map(|(_, value)| notation::value(self.model, *value));
            quoted(&text.unwrap_or_default())
        };
        let fields = self.wire.ports.inputs.iter().map(|&var| field(var));
        fields.collect::<Vec<_>>().join(",")
    }

    pub(crate) fn answer(&mut self, line: &str) -> Result<Answer, String> {
        let fields = fields(line);
        if fields.len() != self.columns.len() {
            let (line, n) = (shortened(line), self.columns.len());
            return Err(format!("`{line}` has {} fields, and its header {n}", fields.len()));
        }
        let given = self.columns.iter().zip(fields).filter(|(_, field)| !field.is_empty());
        let outputs: Map<String, Json> =
            given.map(|(name, field)| (name.clone(), Json::String(field))).collect();
        let shown: Shown = self.wire.shown(&Map::new(), &outputs)?;
        Ok(Answer::Shown(shown))
    }
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into(),
    }
}

/// The fields of a row.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    let mut chars = line.trim_end_matches('\r').chars().peekable();
    while let Some(c) = chars.next() {
        let Some(field) = fields.last_mut() else { unreachable!("there is always a field") };
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            _ => field.push(c),
        }
    }
    fields.iter_mut().for_each(|field| *field = field.trim().into());
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_split_at_commas_outside_quotation_marks() {
        assert_eq!(fields("a, b,\"c,d\",\"e\"\"f\""), ["a", "b", "c,d", "e\"f"]);
        assert_eq!(fields(""), [""]);
        assert_eq!(fields(",\r"), ["", ""]);
    }
}
