"""FEEL against the test cases of the DMN compatibility kit in ``$BPM_CORPUS/dmn-tck``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from bpm.core.expressions.arithmetic import parse_number, read_number
from bpm.core.expressions.feel import temporal_parser
from bpm.core.expressions.feel.comparison import are_equal
from tests.corpus.dmn_model import OTHER_SUBJECTS, Element, Model, Unsupported, children
from tests.support.corpus import corpus_dir

pytestmark = pytest.mark.corpus

_TOLERANCE = 10**-8
FOLDERS = sorted(corpus_dir("dmn-tck").glob("compliance-level-*/*"))


def read_value(element: Element) -> Any:
    lists, components = children(element, "list"), children(element, "component")
    if lists:
        return [read_value(item) for item in children(lists[0], "item")]
    if components:
        return {component.get("name"): read_value(component) for component in components}
    values = children(element, "value")
    if not values or values[0].get("{http://www.w3.org/2001/XMLSchema-instance}nil") == "true":
        return None
    return parse_value(values[0])


def parse_value(element: Element) -> Any:
    kind = (element.get("{http://www.w3.org/2001/XMLSchema-instance}type") or "xsd:string").rpartition(":")[2]
    text = element.text or ""
    parsers: dict[str, Callable[[], Any]] = {
        "boolean": lambda: text.strip() == "true",
        "date": lambda: temporal_parser.parse_date(text),
        "time": lambda: temporal_parser.parse_time(text),
        "dateTime": lambda: temporal_parser.parse_date_time(text),
        "duration": lambda: temporal_parser.parse_duration(text),
    }
    if kind in ("decimal", "double", "integer", "int"):
        return parse_number(text.strip())
    return parsers[kind]() if kind in parsers else text


def is_expected(actual: Any, expected: Any) -> bool:
    number, wanted = read_number(actual), read_number(expected)
    if number is not None and wanted is not None:
        return abs(float(number) - float(wanted)) <= _TOLERANCE * max(1.0, abs(float(wanted)))
    if isinstance(expected, list) and isinstance(actual, list):
        return len(actual) == len(expected) and all(map(is_expected, actual, expected))
    if isinstance(expected, dict) and isinstance(actual, dict):
        return actual.keys() == expected.keys() and all(
            is_expected(actual[key], expected[key]) for key in expected
        )
    return are_equal(actual, expected)


def read_cases(folder: Path) -> Iterator[tuple[Path, str, str, dict[str, Any], Any]]:
    for path in sorted(folder.glob("*-test-*.xml")):
        root = etree.parse(str(path)).getroot()
        model = folder / children(root, "modelName")[0].text
        for case in children(root, "testCase"):
            inputs = {node.get("name"): read_value(node) for node in children(case, "inputNode")}
            for node in [] if case.get("type") in OTHER_SUBJECTS else children(case, "resultNode"):
                expected = read_value(children(node, "expected")[0])
                label = f"{path.name} {case.get('id')} {node.get('name')}"
                yield model, label, node.get("name"), inputs, expected


def judge(folder: Path) -> tuple[list[str], list[str], int]:
    """Names of the cases that fail, that are another subject, and the number of those that pass."""
    failed, other, passed = [], [], 0
    models: dict[Path, Model] = {}
    for path, label, name, inputs, expected in read_cases(folder):
        model = models.setdefault(path, Model(path)) if path not in models else models[path]
        try:
            actual = model.evaluate(name, inputs)
        except Unsupported:
            other.append(label)
            continue
        if is_expected(actual, expected):
            passed += 1
        else:
            failed.append(f"{label}: {actual!r:.150} instead of {expected!r:.150}")
    return failed, other, passed


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_answers_are_those_of_the_kit(folder: Path) -> None:
    failed, _other, _passed = judge(folder)
    assert not failed, "\n".join(failed)
