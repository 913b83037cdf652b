"""The tank of ../example/tank.smv. With WRONG=1 in the environment it does not fill to the brim."""

import os

from trapline_sut import serve

FULL = 5
BRIM = FULL - 1 if os.environ.get("WRONG") == "1" else FULL


class Tank:
    def reset(self, inputs):
        self.level = 0
        return self.outputs(alarm=False)

    def step(self, inputs):
        cmd, amount = inputs["cmd"], inputs["amount"]
        alarm = False
        if not inputs["lock"]:
            if cmd == "fill" and self.level + amount <= BRIM:
                self.level += amount
            elif cmd == "fill":
                alarm = self.level + amount > FULL
            elif cmd == "drain" and self.level >= amount:
                self.level -= amount
        return self.outputs(alarm)

    def outputs(self, alarm):
        mode = {0: "empty", FULL: "full"}.get(self.level, "some")
        return {"level": self.level, "mode": mode, "alarm": alarm}


serve(Tank())
