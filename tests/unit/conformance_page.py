"""Makes docs/reference/conformance.md: `python -m tests.unit.conformance_page` writes it, a test compares it."""

from __future__ import annotations

import inspect
import json
import re
from collections import Counter
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
    return HEAD + _elements() + _triggers() + _others() + _scores() + _interchange() + _deviations()


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
    **{tag: word for word, tag in KINDS.items() if word not in ("terminate", "manual")},
    "complexGateway": "complex",
    "intermediateCatchEvent": "timer",
    "timerEventDefinition": "timer",
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
    other = re.compile(rf"^ +{_WORDS.get(tag, tag)} \w+(?: .*)?(?: -> .*)?$", re.MULTILINE)
    named = []
    for path in sorted((ROOT / "tests/semantics").glob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        everywhere = path.stem == "test_every_event" and tag in TRIGGERS
        if word.search(text) or other.search(text) or everywhere:
            named.append(f"[{path.stem.removeprefix('test_')}](../../tests/semantics/{path.name})")
    return ", ".join(named[:6]) or "third-party collections"


OTHERS = (
    ("`dataObject`, `dataObjectReference`, `property`, data associations", "data"),
    ("`globalTask` and its kinds, called", "global_tasks"),
    ("mappings and data at events", "event_mappings"),
    ("listeners of processes and event subprocesses", "scope_listeners"),
    ("`errorEventDefinition` of external tasks", "declared_errors"),
    ("`potentialOwner`, `humanPerformer`, `performer`", "user_tasks"),
    ("`standardLoopCharacteristics`, `multiInstanceLoopCharacteristics`", "every_activity"),
    ("`startQuantity`, `completionQuantity`, `isForCompensation`", "every_activity"),
    ("`linkEventDefinition`", "every_event"),
)
"""What is no element or trigger of the registries, with the file of tests that shows it."""


def _others() -> str:
    rows = [f"| {what} | [{test}](../../tests/semantics/test_{test}.py) |" for what, test in OTHERS]
    text = (
        "Every trigger is played at every place where BPMN lets it stand in "
        "[every_event](../../tests/semantics/test_every_event.py) and "
        "[every_start](../../tests/semantics/test_every_start.py), every activity with everything around it in "
        "[every_activity](../../tests/semantics/test_every_activity.py)."
    )
    return "\n".join(["## What else", "", text, "", "| what | tests |", "| --- | --- |", *rows, "", ""])


def _interchange() -> str:
    found: dict[str, dict[str, str]] = json.loads((ROOT / "tests/corpus/miwg_outcomes.json").read_text())
    text = (
        "The files of the model interchange group, each process taken as executable, deployed and started by its key "
        "without variables. Most are drawings: what they leave out (messages, times, conditions) is named by the rule "
        "that refuses them."
    )
    rows = [
        f"| {file} | `{process or '-'}` | {outcome} |"
        for file, processes in sorted(found.items())
        for process, outcome in processes.items()
    ]
    outcomes = Counter(outcome.partition(":")[0] for one in found.values() for outcome in one.values())
    total = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
    head = ["## Interchange files", "", text, "", f"Together: {total}.", ""]
    return "\n".join([*head, "| file | process | outcome |", "| --- | --- | --- |", *rows, "", ""])


def _scores() -> str:
    scores: dict[str, dict[str, int]] = json.loads((ROOT / "tests/expected_corpus.json").read_text())
    rows = [
        f"| {name} | {score.get('passed', 0)} | {score.get('deviation', 0)} | {score.get('later', 0)} |"
        for name, score in sorted(scores.items())
    ]
    text = (
        "Cases of the betsy benchmark and scenarios of Operaton's own tests, on the pure core and on the database. "
        "*Later* are those that need what is not built."
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
