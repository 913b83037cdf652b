"""Runs rendered tests on a level crossing and on its mutants.

Reads the model as an implementation: its assignments are evaluated as they are written. Says how many
mutants the tests catch that they claim to catch, and how many others pass.
"""

import json
import re
import sys
import types

# The tests need no more of it than that it is there.
sys.modules.setdefault("pytest", types.ModuleType("pytest"))

import test_suite

TOKEN = re.compile(r"\w+|:=|!=|<=|>=|[-+=<>!&|():;]")
WORDS = {"=": "==", "!": " not ", "&": " and ", "|": " or ", "TRUE": "True", "FALSE": "False"}
MODEL = open("model.smv").read()
VARS = set(re.findall(r"^  (\w+) :", MODEL, re.M))
OUTPUTS = ["bar", "bell"]


def expression(text):
    def word(token):
        is_symbol = token.isidentifier() and token not in VARS and token not in WORDS
        return repr(token) if is_symbol else WORDS.get(token, token)

    return compile(" ".join(map(word, TOKEN.findall(text))).strip(), text, "eval")


def rules(model):
    """The branches of each assignment, as guards and values."""
    found = {}
    for kind, var, text in re.findall(r"(init|next)\((\w+)\) := (.*);$", model, re.M):
        case = re.fullmatch(r"case (.*); esac", text.strip())
        branches = case[1].split(";") if case else [f"TRUE : {text}"]
        found[kind, var] = [tuple(map(expression, branch.split(":"))) for branch in branches]
    return found


class Adapter:
    rules = rules(MODEL)

    def values(self, kind):
        return {
            var: next(eval(value, self.state) for guard, value in branches if eval(guard, self.state))
            for (when, var), branches in Adapter.rules.items()
            if when == kind
        }

    def reset(self, inputs):
        self.state = {}
        self.state = self.values("init")
        return self.state

    def step(self, inputs):
        self.state.update(inputs)
        self.state = self.values("next")
        return self.state


test_suite.Adapter = Adapter


def passes(name):
    try:
        getattr(test_suite, f"test_{name}")()
    except (AssertionError, StopIteration):
        return False
    return True


def mutated(mutant):
    """The model with the line of a mutant changed."""
    lines = MODEL.split("\n")
    at = mutant["line"] - 1
    whole = re.sub(r"\s+", " ", mutant["after"]).strip()
    is_whole = whole.startswith(("init(", "next("))
    assert is_whole or mutant["before"] in lines[at], mutant
    lines[at] = whole if is_whole else lines[at].replace(mutant["before"], mutant["after"])
    return "\n".join(lines)


suite = json.load(open("suite.json"))
names = [test["name"] for test in suite["tests"]]
assert all(map(passes, names)), "the model itself fails"
goals = {goal["id"]: goal for goal in suite["goals"]}
counts = {"caught": 0, "inside": 0}
for mutant in json.load(open("mutants.json"))["mutants"]:
    goal = goals[mutant["id"]]
    if goal["verdict"] != "covered":
        continue
    Adapter.rules = rules(mutated(mutant))
    caught = [name for name in names if not passes(name)]
    if goal["shown"] == "outputs":
        claimed = [names[test] for test in goal["shown_by"]]
        assert claimed and set(claimed) <= set(caught), (mutant, claimed, caught)
        counts["caught"] += 1
    elif goal["shown"] == "inside":
        assert not caught, (mutant, goal, caught)
        counts["inside"] += 1
    else:
        # A value outside its type: what an implementation makes of it is its own business.
        assert goal["shown"] == "unknown", goal
print(counts)
sys.exit(counts["caught"] < 20 or counts["inside"] < 1)
