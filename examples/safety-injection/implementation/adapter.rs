//! Connects the tests with the implementation.

#[path = "safety_injection.rs"]
mod safety_injection;

use super::{Inputs, Outputs};
use safety_injection::SafetyInjection;

/// One test: made anew for each.
pub struct Adapter {
    system: SafetyInjection,
}

impl Adapter {
    pub fn new() -> Adapter {
        Adapter { system: SafetyInjection::start(false, false) }
    }

    pub fn reset(&mut self, inputs: &Inputs) -> Outputs {
        self.system = SafetyInjection::start(inputs.Block == "On", inputs.Reset == "On");
        self.outputs()
    }

    pub fn step(&mut self, inputs: &Inputs) -> Outputs {
        self.system.sample(inputs.Block == "On", inputs.Reset == "On", inputs.WaterPres);
        self.outputs()
    }

    fn outputs(&self) -> Outputs {
        Outputs {
            Pressure: format!("{:?}", self.system.pressure),
            SafetyInjection: if self.system.injects() { "On".into() } else { "Off".into() },
        }
    }
}
