import os

from trapline_sut import serve

IS_WRONG = os.environ.get("WRONG") == "1"


class Implementation:
    def reset(self, inputs):
        self.valve, self.moves = "closed", 0
        return {"valve": self.valve, "moves": self.moves}

    def step(self, inputs):
        if self.valve == "moving":
            self.valve = "opened"
            self.moves = (self.moves + 1) % 4 if IS_WRONG else min(self.moves + 1, 3)
        elif (inputs["cmd"], self.valve) == ("open", "closed"):
            self.valve = "moving"
        elif (inputs["cmd"], self.valve) == ("close", "opened"):
            self.valve = "closed"
        return {"valve": self.valve, "moves": self.moves}


serve(Implementation())
