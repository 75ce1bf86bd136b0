"""Random models with scopes inside one another: subprocesses, transactions, ad-hoc ones, loops, boundary events, event
subprocesses, compensation, all gateways, throws and catches. Well formed; not all of them can end.
"""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from tests.support.tree_model import tree_xml

_CONDITIONS = ("x > 1", "y == 1", "true", "false", "missing > 1")
_WORK = ("user", "user", "external", "task")
_LOOPS = (
    "mi=2",
    "mi=3 seq",
    'items="${list}"',
    'mi=3 done="${nrOfCompletedInstances >= 2}"',
    'loop="${loopCounter < 1}"',
)
_CATCHES = ("message=m", "signal=s", "timer=PT5S")
_THROWS = ("signal=s", "escalation=E", "compensate", "compensate nowait")
_ENDS = ("", "", "", "terminate", "error=E", "escalation=E", "compensate", "signal=s")


class _Draft:
    """Lines of one model in the making; `depth` is how deep the scope is whose lines are written."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self._number = 0
        self._blocks = 8

    def name(self) -> str:
        self._number += 1
        return f"n{self._number}"

    def write(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text)

    def scope(self, depth: int, *, transaction: bool = False) -> None:
        """Write the inside of a scope: one way from start to end, and perhaps an event subprocess."""
        start, end = self.name(), self.name()
        first = self.way(depth, end, 1 + (depth < 2))
        self.write(depth, f"start {start} -> {first}")
        ends = (*_ENDS, "cancel", "cancel") if transaction else _ENDS
        self.write(depth, f"end {end} {self.random.choice(ends)}")
        if self.random.random() < 0.25:
            self.handler(depth)

    def way(self, depth: int, then: str, length: int) -> str:
        """Write some blocks that lead to a node; return where they begin."""
        for _ in range(self.random.randint(1, length + 1)):
            then = self.block(depth, then)
        return then

    def block(self, depth: int, then: str) -> str:
        self._blocks -= 1
        kinds = [self.activity, self.activity, self.split, self.loop, self.event]
        return self.random.choice(kinds if self._blocks > 0 else [self.activity])(depth, then)

    def activity(self, depth: int, then: str) -> str:
        name, chance = self.name(), self.random.random()
        options = f" {self.random.choice(_LOOPS)}" if chance < 0.25 else ""
        undo = self.name() if self.random.random() < 0.3 else ""
        options += f" undo={undo}" if undo else ""
        inside = depth < 2 and self._blocks > -8 and self.random.random() < 0.4
        kind = (
            self.random.choice(("sub", "sub", "transaction", "adhoc"))
            if inside
            else self.random.choice(_WORK)
        )
        self.write(depth, f"{kind} {name}{options} -> {then}")
        if kind == "adhoc":
            self.write(depth + 1, f"user {self.name()}")
            self.write(depth + 1, f"external {self.name()}")
        elif inside:
            self.scope(depth + 1, transaction=kind == "transaction")
        if undo:
            self.write(depth, f"user {undo}")
        if self.random.random() < 0.4:
            self.boundary(depth, name, kind, then)
        return name

    def boundary(self, depth: int, host: str, kind: str, then: str) -> None:
        triggers = ["error=E", "message=m", "signal=s", "timer=PT5S", "escalation=E"]
        if kind == "transaction":
            triggers.append("cancel")
        trigger = self.random.choice(triggers)
        keep = trigger[:5] not in ("error", "cance") and self.random.random() < 0.4
        self.write(depth, f"boundary {self.name()} at={host} {trigger}{' keep' if keep else ''} -> {then}")

    def handler(self, depth: int) -> None:
        self.write(depth, f"handler {self.name()}")
        trigger = self.random.choice(("error=E", "message=m", "signal=s", "timer=PT5S", "escalation=E"))
        keep = not trigger.startswith("error") and self.random.random() < 0.5
        start, end = self.name(), self.name()
        first = self.activity(depth + 1, end)
        self.write(depth + 1, f"start {start} {trigger}{' keep' if keep else ''} -> {first}")
        self.write(depth + 1, f"end {end}")

    def split(self, depth: int, then: str) -> str:
        fork, join = self.random.choice(
            ("par par", "xor xor", "or or", "par xor", "or xor", "par or")
        ).split()
        opening, closing = self.name(), self.name()
        targets = [self.way(depth, closing, 1) for _ in range(self.random.randint(2, 3))]
        if fork != "par":
            conditions = [self.random.choice(_CONDITIONS) for _ in targets[1:]]
            targets = [f"{target} [{one}]" for target, one in zip(targets, conditions, strict=False)] + [
                f"{targets[-1]} [else]"
            ]
        self.write(depth, f"{fork} {opening} -> {', '.join(targets)}")
        self.write(depth, f"{join} {closing} -> {then}")
        return opening

    def loop(self, depth: int, then: str) -> str:
        merge, choice = self.name(), self.name()
        first = self.way(depth, choice, 1)
        self.write(depth, f"xor {merge} -> {first}")
        self.write(depth, f"xor {choice} -> {merge} [{self.random.choice(_CONDITIONS)}], {then} [else]")
        return merge

    def event(self, depth: int, then: str) -> str:
        name = self.name()
        caught = self.random.random() < 0.5
        trigger = self.random.choice(_CATCHES if caught else _THROWS)
        self.write(depth, f"{'catch' if caught else 'throw'} {name} {trigger} -> {then}")
        return name


def random_tree(random: Random) -> bytes:
    """Return a file with one process `p`, made by that source of chance; its list is the variable `list`."""
    draft = _Draft(random)
    draft.scope(0)
    saga = random.choice((None, None, None, "local", "global"))
    return tree_xml("\n".join(draft.lines), saga=saga)


def random_trees() -> st.SearchStrategy[bytes]:
    """Files with one process `p`."""
    return st.integers(0, 2**32).map(lambda seed: random_tree(Random(seed)))
