"""The safety injection system for `trapline run`: it does what nondeterministic.smv allows.

Where that leaves the override open, CHOICE=0 (the default) does what deterministic.smv says, CHOICE=1
the opposite, and CHOICE=random whatever comes.
"""

import os
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "adapters" / "python"))
from trapline_sut import serve  # noqa: E402

LOW, PERMIT = 90, 100


def choose():
    choice = os.environ.get("CHOICE", "0")
    return random.randint(0, 1) if choice == "random" else int(choice)


class SafetyInjection:
    def reset(self, inputs):
        self.sampled = inputs
        self.pressure = "TooLow"
        self.overridden = 0
        return self.outputs()

    def step(self, inputs):
        before, mode = self.sampled, self.pressure
        self.pressure = level(mode, before["WaterPres"], inputs["WaterPres"])
        was_reset = before["Reset"] != "On" and inputs["Reset"] == "On"
        was_blocked = before["Block"] != "On" and inputs["Block"] == "On"
        if self.pressure != mode or was_reset and mode != "High":
            self.overridden = 0 if mode == "TooLow" else choose()
        elif was_blocked and before["Reset"] == "Off" and mode != "High":
            self.overridden = 1
        self.sampled = inputs
        return self.outputs()

    def outputs(self):
        injects = self.pressure == "TooLow" and self.overridden == 0
        return {
            "Overridden": self.overridden,
            "Pressure": self.pressure,
            "SafetyInjection": "On" if injects else "Off",
        }


def level(mode, before, now):
    if mode == "TooLow" and before < LOW <= now:
        return "Permitted"
    if mode == "Permitted" and before < PERMIT <= now:
        return "High"
    if mode == "Permitted" and now < LOW <= before:
        return "TooLow"
    if mode == "High" and now < PERMIT <= before:
        return "Permitted"
    return mode


serve(SafetyInjection())
