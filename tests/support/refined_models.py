"""Random models of parallel and exclusive gateways, mostly sound: one flow refined again and again, then disturbed."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import strategies as st

from tests.support.model import Model, parse_model

_SERIES = ("user", "user", "task")
_SPLITS = {"par": ("par", "par"), "implicit": ("task", "par"), "xor": ("xor", "xor")}


class _Draft:
    def __init__(self) -> None:
        self.kinds = {"s": "start", "e": "end"}
        self.flows = [["s", "e"]]

    def add(self, kind: str) -> str:
        name = f"n{len(self.kinds)}"
        self.kinds[name] = kind
        return name

    def refine(self, random: Random) -> None:
        flow = random.choice(self.flows)
        how = random.choice((*_SERIES, *_SPLITS, "par", "loop"))
        if how in _SPLITS:
            first, last = map(self.add, _SPLITS[how])
            inner = [[first, last] for _ in range(random.randint(2, 3))]
        elif how == "loop":
            first, last, between = self.add("xor"), self.add("xor"), self.add("user")
            inner = [[first, between], [between, last], [last, first]]
        else:
            first = last = self.add(how)
            inner = []
        self.flows += [*inner, [last, flow[1]]]
        flow[1] = first

    def disturb(self, random: Random) -> None:
        targets = [name for name in self.kinds if name != "s"]
        if random.random() < 0.5:
            random.choice(self.flows)[1] = random.choice(targets)
        else:
            sources = [name for name, kind in self.kinds.items() if kind not in ("start", "end")]
            if sources:
                self.flows.append([random.choice(sources), random.choice(targets)])

    def text(self, random: Random, conditions: Sequence[str]) -> str:
        return "\n".join(self._line(random, name, conditions) for name in self.kinds)

    def _line(self, random: Random, name: str, conditions: Sequence[str]) -> str:
        targets = [target for source, target in self.flows if source == name]
        if self.kinds[name] == "xor" and len(targets) > 1:
            targets = [f"{target} [{random.choice(conditions)}]" for target in targets[:-1]] + [
                f"{targets[-1]} [else]"
            ]
        return f"{self.kinds[name]} {name}" + (f" -> {', '.join(targets)}" if targets else "")


def refined_model(random: Random, conditions: Sequence[str]) -> Model:
    """Return a model made by that source of chance."""
    draft = _Draft()
    for _ in range(random.randint(2, 8)):
        draft.refine(random)
    for _ in range(random.choice((0, 0, 1, 1, 2, 3))):
        draft.disturb(random)
    return parse_model(draft.text(random, conditions))


def refined_models(conditions: Sequence[str]) -> st.SearchStrategy[Model]:
    """Models that are often, but not always, safe."""
    return st.integers(0, 2**32).map(lambda seed: refined_model(Random(seed), conditions))
