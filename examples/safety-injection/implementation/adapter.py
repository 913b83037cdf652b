"""Connects the tests with the implementation."""

import os

from safety_injection import SafetyInjection


class Adapter:
    """One test: made anew for each. With WRONG=1 it is the implementation with a bug."""

    def __init__(self):
        self.system = SafetyInjection(is_wrong=os.environ.get("WRONG") == "1")

    def reset(self, inputs):
        self.system.start(inputs["Block"] == "On", inputs["Reset"] == "On")
        return self.outputs()

    def step(self, inputs):
        self.system.sample(inputs["Block"] == "On", inputs["Reset"] == "On", inputs["WaterPres"])
        return self.outputs()

    def outputs(self):
        return {
            "Pressure": self.system.pressure,
            "SafetyInjection": "On" if self.system.injects() else "Off",
        }
