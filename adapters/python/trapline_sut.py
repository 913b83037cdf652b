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

MAX_LINE = 1 << 20


class Refused(Exception):
    """The implementation takes no such input now."""


def number(value):
    """The number that an input stands for: words are sent as "0ud8_12", fractions as "f'1/3"."""
    if not isinstance(value, str):
        return value
    if value.startswith("f'"):
        above, below = value[2:].split("/")
        return int(above) / int(below)
    sign = -1 if value.startswith("-") else 1
    return sign * int(value.split("_")[1])


def serve(implementation):
    """Answers requests until there are no more."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    while True:
        line = requests.readline(MAX_LINE)
        if not line:
            break
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            answer = {"error": f"the request has more than {MAX_LINE} bytes"}
            while line and not line.endswith(b"\n"):
                line = requests.readline(MAX_LINE)
        elif line.strip():
            answer = _answer(implementation, line)
        else:
            continue
        answers.write(_encoded(answer) + b"\n")
        answers.flush()


def _answer(implementation, line):
    try:
        [(kind, inputs)] = json.loads(line).items()
        if kind not in ("reset", "step") or not isinstance(inputs, dict):
            raise ValueError("a request is a reset or a step with an object of inputs")
        outputs = implementation.reset(inputs) if kind == "reset" else implementation.step(inputs)
        if not isinstance(outputs, dict):
            raise TypeError(f"{kind}() returned {outputs!r}, and no dict of outputs")
        return {"outputs": outputs}
    except Refused as why:
        return {"refused": str(why)}
    except NotImplementedError as missing:
        return {"error": str(missing) or "it is not implemented yet"}
    except Exception as error:
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}"}


def _encoded(answer):
    try:
        return json.dumps(answer, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return json.dumps({"error": f"the outputs are no JSON: {error}"}).encode()
