"""Makes docs/reference/conformance.md: `python -m tests.unit.conformance_page` writes it, a test compares it."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

from bpm.core.elements.registry import ELEMENTS
from bpm.core.triggers.registry import TRIGGERS
from tests.support.model import KINDS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/conformance.md"

HEAD = """# Conformance

What of BPMN 2.0 this release executes, with tests that show it, and what third-party collections say of it. Made by
`python -m tests.unit.conformance_page`; the numbers are those of
[the committed runs](../../tests/expected_corpus.json).
What is not listed is refused at deployment (`unsupported-element`), never ignored.

"""


def page() -> str:
    """Return the page as it should stand."""
    return HEAD + _elements() + _triggers() + _scores() + _deviations()


def _elements() -> str:
    rows = [
        f"| `{tag}` | {_first_line(element)} | {_deviations_of(element)} | {_tests(tag)} |"
        for tag, element in sorted(ELEMENTS.items())
    ]
    return "\n".join(["## Elements", "", _TABLE, _RULE, *rows, "", ""])


def _triggers() -> str:
    rows = [
        f"| `{tag}` | {', '.join(sorted(trigger.positions))} | {_deviations_of(trigger)} | {_tests(tag)} |"
        for tag, trigger in sorted(TRIGGERS.items())
    ]
    return "\n".join(
        ["## Event definitions", "", "| tag | where | deviations | tests |", _RULE, *rows, "", ""]
    )


_WORDS = {
    **{tag: f"\n            {word} " for word, tag in KINDS.items()},
    "intermediateCatchEvent": "\n            timer ",
    "timerEventDefinition": "\n            timer ",
}
"""How the small models of the tests write an element."""

_TABLE = "| tag | what | deviations | tests |"
_RULE = "| --- | --- | --- | --- |"


def _module(thing: object) -> str:
    return inspect.getdoc(inspect.getmodule(type(thing))) or ""


def _first_line(thing: object) -> str:
    return re.split(r"\s*\(semantics|\n\n|\. ", _module(thing), maxsplit=1)[0].replace("\n", " ").rstrip(".")


def _deviations_of(thing: object) -> str:
    found = re.search(r"Deviations?:\s*(.*?)(?:\n\n|$)", _module(thing), flags=re.DOTALL)
    return found.group(1).replace("\n", " ").rstrip(".") if found else "none"


def _tests(tag: str) -> str:
    word = re.compile(rf"\b{tag}\b")
    other = _WORDS.get(tag)
    named = []
    for path in sorted((ROOT / "tests/semantics").glob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if word.search(text) or (other is not None and other in text):
            named.append(f"[{path.stem.removeprefix('test_')}](../../tests/semantics/{path.name})")
    return ", ".join(named[:4]) or "third-party collections"


def _scores() -> str:
    scores: dict[str, dict[str, int]] = json.loads((ROOT / "tests/expected_corpus.json").read_text())
    rows = [
        f"| {name} | {score.get('passed', 0)} | {score.get('deviation', 0)} | {score.get('later', 0)} |"
        for name, score in sorted(scores.items())
    ]
    text = (
        "Cases of the betsy benchmark and scenarios of Operaton's own tests, on the pure core and on the database. "
        "*Later* are those that need what is not built, or what the core alone does not have."
    )
    head = ["## Third-party collections", "", text, "", "| collection | passed | deviation | later |", _RULE]
    return "\n".join([*head, *rows, "", ""])


def _deviations() -> str:
    found: dict[str, Any] = json.loads((ROOT / "tests/corpus/deviations.json").read_text())
    lines = ["## Deviations", ""]
    lines += [f"* **{letter}**: {meaning}." for letter, meaning in found["legend"].items()]
    for collection in ("betsy", "operaton"):
        lines += ["", f"### {collection}", "", "| case | deviation |", "| --- | --- |"]
        lines += [f"| {case} | {entry['letter']} |" for case, entry in found[collection].items()]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
