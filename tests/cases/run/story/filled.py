from trapline_sut import serve


class Implementation:
    def reset(self, inputs):
        self.valve, self.moves = "closed", 0
        return {"valve": self.valve, "moves": self.moves}

    def step(self, inputs):
        if self.valve == "moving":
            self.valve, self.moves = "opened", min(self.moves + 1, 3)
        elif (inputs["cmd"], self.valve) == ("open", "closed"):
            self.valve = "moving"
        elif (inputs["cmd"], self.valve) == ("close", "opened"):
            self.valve = "closed"
        return {"valve": self.valve, "moves": self.moves}


serve(Implementation())
