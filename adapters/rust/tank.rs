//! The tank of ../example/tank.smv. With `--cfg wrong` it does not fill to the brim.

mod trapline_sut;

use trapline_sut::{serve, Implementation, Inputs, Outputs, Stop};

const FULL: i64 = 5;
const BRIM: i64 = if cfg!(wrong) { FULL - 1 } else { FULL };

struct Tank {
    level: i64,
}

impl Tank {
    fn outputs(&self, alarm: bool) -> Outputs {
        let mode = match self.level {
            0 => "empty",
            FULL => "full",
            _ => "some",
        };
        Outputs::new().with("level", self.level).with("mode", mode).with("alarm", alarm)
    }
}

impl Implementation for Tank {
    fn reset(&mut self, _inputs: &Inputs) -> Result<Outputs, Stop> {
        self.level = 0;
        Ok(self.outputs(false))
    }

    fn step(&mut self, inputs: &Inputs) -> Result<Outputs, Stop> {
        let (cmd, amount) = (inputs.text("cmd")?, inputs.int("amount")?);
        let is_locked = inputs.bool("lock")?;
        let is_alarm = !is_locked && cmd == "fill" && self.level + amount > FULL;
        match cmd {
            _ if is_locked => {}
            "fill" if self.level + amount <= BRIM => self.level += amount,
            "drain" if self.level >= amount => self.level -= amount,
            _ => {}
        }
        Ok(self.outputs(is_alarm))
    }
}

fn main() -> std::io::Result<()> {
    serve(&mut Tank { level: 0 })
}
