"""Connects an implementation in Python to `trapline run`. Copy this file; it needs nothing else.

    from trapline_sut import serve

    class Valve:
        def reset(self, inputs):        # inputs: a dict; returns a dict of outputs
            self.level = 0
            return {"alarm": False}

        def step(self, inputs):
            self.level += inputs["flow"]
            return {"alarm": self.level > 10}

    serve(Valve())

Raise `Refused("why")` where the implementation takes no such input. Any other exception is reported
as an error, with its traceback on standard error. What the implementation prints goes to standard
error too, so that it does not disturb the answers.
"""

import json
import sys
import traceback


class Refused(Exception):
    """The implementation takes no such input now."""


def serve(implementation):
    """Answers requests until there are no more."""
    requests, answers = sys.stdin, sys.stdout
    sys.stdout = sys.stderr
    for line in requests:
        if line.strip():
            answers.write(json.dumps(_answer(implementation, line)) + "\n")
            answers.flush()


def _answer(implementation, line):
    try:
        request = json.loads(line)
        if "reset" in request:
            return {"outputs": implementation.reset(request["reset"])}
        return {"outputs": implementation.step(request["step"])}
    except Refused as why:
        return {"refused": str(why)}
    except Exception as error:
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}"}
