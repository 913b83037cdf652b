//! The safety injection system, as somebody might implement it.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressure {
    TooLow,
    Permitted,
    High,
}

/// With `--cfg wrong`, the reset switch no longer ends an override.
pub struct SafetyInjection {
    block: bool,
    reset: bool,
    pub pressure: Pressure,
    is_overridden: bool,
}

impl SafetyInjection {
    pub fn start(block: bool, reset: bool) -> SafetyInjection {
        SafetyInjection { block, reset, pressure: Pressure::Permitted, is_overridden: false }
    }

    pub fn sample(&mut self, block: bool, reset: bool, water_pressure: i64) {
        let blocked = !self.block && block;
        let was_reset = !self.reset && reset;
        self.pressure = match water_pressure {
            ..90 => Pressure::TooLow,
            90..100 => Pressure::Permitted,
            _ => Pressure::High,
        };
        if self.pressure == Pressure::High {
            self.is_overridden = false;
        } else if was_reset {
            self.is_overridden &= cfg!(wrong);
        } else if blocked && !self.reset && !reset {
            self.is_overridden = true;
        }
        self.block = block;
        self.reset = reset;
    }

    pub fn injects(&self) -> bool {
        self.pressure == Pressure::TooLow && !self.is_overridden
    }
}
