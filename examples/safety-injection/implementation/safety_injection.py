"""The safety injection system, as somebody might implement it."""


class SafetyInjection:
    """With `is_wrong`, the reset switch no longer ends an override."""

    def __init__(self, is_wrong=False):
        self.is_wrong = is_wrong

    def start(self, block, reset):
        self.block = block
        self.reset = reset
        self.pressure = "Permitted"
        self.is_overridden = False

    def sample(self, block, reset, water_pressure):
        blocked = not self.block and block
        was_reset = not self.reset and reset
        self.pressure = level(water_pressure)
        if self.pressure == "High":
            self.is_overridden = False
        elif was_reset:
            self.is_overridden = self.is_overridden and self.is_wrong
        elif blocked and not self.reset and not reset:
            self.is_overridden = True
        self.block = block
        self.reset = reset

    def injects(self):
        return self.pressure == "TooLow" and not self.is_overridden


def level(water_pressure):
    if water_pressure < 90:
        return "TooLow"
    return "Permitted" if water_pressure < 100 else "High"
