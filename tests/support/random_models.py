"""Random models: nested blocks that are well formed, and graphs that are whatever they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from tests.support.model import Model, parse_model

CONDITIONS = ("x > 1", "x > 2", "y == 1", "y != x", "true", "false", "=x > 1", "missing > 1")
_LEAVES = (
    "task",
    "user",
    "external",
    "service handler=h",
    "script script=${x+1} result=x",
    "timer duration=PT5S",
    "throw",
    "script format=py script=x",
)
_FLAGS = ("", "", "", " before", " after", " before after")

Block = tuple[Any, ...]


def blocks() -> st.SearchStrategy[Block]:
    """Nested sequences, splits with their joins, and loops."""
    leaf = st.tuples(st.just("leaf"), st.sampled_from(_LEAVES), st.sampled_from(_FLAGS))

    def nest(inner: st.SearchStrategy[Block]) -> st.SearchStrategy[Block]:
        branches = st.lists(inner, min_size=2, max_size=4)
        conditions = st.lists(st.sampled_from((*CONDITIONS, "", "else")), min_size=4, max_size=4)
        kinds = st.sampled_from(
            ("par par", "xor xor", "or or", "task par", "par or", "or xor", "user or", "par xor")
        )
        return st.one_of(
            st.tuples(st.just("seq"), st.lists(inner, min_size=2, max_size=3)),
            st.tuples(st.just("split"), kinds, branches, conditions, st.sampled_from(_FLAGS)),
            st.tuples(st.just("loop"), inner, st.sampled_from(CONDITIONS)),
        )

    return st.recursive(leaf, nest, max_leaves=7)


class _Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def name(self) -> str:
        self.lines.append("")
        return f"n{len(self.lines)}"

    def put(self, name: str, kind: str, targets: str) -> str:
        word, _, options = kind.partition(" ")
        self.lines[int(name[1:]) - 1] = f"{word} {name} {options} -> {targets}"
        return name

    def write(self, block: Block, then: str) -> str:
        """Write a block that leads to a node; return the node at which it begins."""
        return {"leaf": self.leaf, "seq": self.seq, "split": self.split, "loop": self.loop}[block[0]](
            block, then
        )

    def leaf(self, block: Block, then: str) -> str:
        return self.put(self.name(), block[1] + block[2], then)

    def seq(self, block: Block, then: str) -> str:
        for inner in reversed(block[1]):
            then = self.write(inner, then)
        return then

    def split(self, block: Block, then: str) -> str:
        _, kinds, branches, conditions, flags = block
        opening, closing = kinds.split()
        join, fork = self.name(), self.name()
        self.put(join, closing + flags, then)
        targets, default = [], False
        for branch, condition in zip(branches, conditions, strict=False):
            taken = condition if condition != "else" or not default else ""
            default = default or condition == "else"
            targets.append(f"{self.write(branch, join)}" + (f" [{taken}]" if taken else ""))
        return self.put(fork, opening + flags, ", ".join(targets))

    def loop(self, block: Block, then: str) -> str:
        merge, choice = self.name(), self.name()
        self.put(choice, "xor", f"{merge} [{block[2]}], {then} [else]")
        return self.put(merge, "xor", self.write(block[1], choice))


def structured_models() -> st.SearchStrategy[Model]:
    """Nested blocks between one start and one end."""

    def build(block: Block, end: str) -> Model:
        writer = _Writer()
        first = writer.write(block, "e")
        return parse_model("\n".join([f"start s -> {first}", *writer.lines, f"{end} e"]))

    return st.builds(build, blocks(), st.sampled_from(("end", "end", "terminate")))


@st.composite
def unstructured_models(
    draw: st.DrawFn,
    kinds: Sequence[str] = ("par", "or", "xor", *_LEAVES),
    conditions: Sequence[str] = CONDITIONS,
    unconditional: Sequence[str] = ("par",),
) -> Model:
    """Any nodes with any flows between them; nothing has to be reachable, sound or ever to end."""
    size = draw(st.integers(2, 8))
    names = [f"n{number}" for number in range(size)]
    lines = [f"start s -> {', '.join(draw(st.lists(st.sampled_from(names), min_size=1, max_size=2)))}"]
    for name in names:
        word, _, options = draw(st.sampled_from(kinds)).partition(" ")
        targets = draw(st.lists(st.sampled_from([*names, "e"]), min_size=1, max_size=3))
        lines.append(
            f"{word} {name} {options} -> {', '.join(_written(draw, targets, conditions, word in unconditional))}"
        )
    return parse_model("\n".join([*lines, "end e"]))


def _written(
    draw: Callable[..., Any], targets: Sequence[str], conditions: Sequence[str], plain: bool
) -> list[str]:
    if plain or len(targets) == 1:
        return list(targets)
    found = [f"{target} [{draw(st.sampled_from(conditions))}]" for target in targets[:-1]]
    return [*found, f"{targets[-1]} [else]" if draw(st.booleans()) else targets[-1]]
