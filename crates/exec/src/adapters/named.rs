//! An implementation that has other names than the model for variables and values.
//!
//! What reaches it works with the model under its names; here both are translated.

use trapline_engine::possible::{Exchange, Inputs, Output};
use trapline_suite::rename::Dictionary;

use super::{Answer, Breakdown, Implementation, Shown};

/// An implementation with names of its own.
pub(super) struct Named<'b> {
    /// What it is under its own names.
    pub(super) inner: Box<dyn Implementation + 'b>,
    /// What they mean.
    pub(super) names: &'b Dictionary,
}

impl Named<'_> {
    fn new_inputs(&self, inputs: &Inputs) -> Inputs {
        let new_of = |&(var, value): &_| self.names.new_of(Output::Var(var), value);
        inputs.iter().filter_map(new_of).collect()
    }

    fn old_answer(&self, answer: Answer) -> Result<Answer, Breakdown> {
        let Answer::Shown(Shown { inputs, outputs, extra }) = answer else { return Ok(answer) };
        let old = self.names.old_exchange(&Exchange { inputs, outputs });
        let Exchange { inputs, outputs } = old.map_err(Breakdown::Garbage)?;
        Ok(Answer::Shown(Shown { inputs, outputs, extra }))
    }
}

impl Implementation for Named<'_> {
    fn prepare(&mut self, test: usize, repeat: usize) {
        self.inner.prepare(test, repeat);
    }

    fn reset(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown> {
        let answer = self.inner.reset(&self.new_inputs(inputs))?;
        self.old_answer(answer)
    }

    fn step(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown> {
        let answer = self.inner.step(&self.new_inputs(inputs))?;
        self.old_answer(answer)
    }

    fn stderr(&mut self) -> String {
        self.inner.stderr()
    }

    fn end(&mut self) {
        self.inner.end();
    }
}
