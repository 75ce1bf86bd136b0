"""The reference pages against the code: what one lists, the other has."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings

from api import problems
from api.urls import urlpatterns
from bpm import engine, handlers
from bpm.bpmn.checks import vendor
from bpm.bpmn.tags import FLOW_NODES
from bpm.core import errors
from bpm.core.elements.registry import ELEMENTS
from bpm.core.exploring import RULES
from bpm.core.expressions import bounds
from bpm.core.expressions.feel.grammar import compile_feel
from bpm.core.expressions.feel.library.registry import BUILTINS
from bpm.core.expressions.juel import execution, methods
from bpm.core.rows import ExternalStatus, InstanceStatus, JobStatus, TimerStatus, UserStatus
from bpm.core.token import TokenStatus
from bpm.core.triggers.registry import TRIGGERS
from bpm.models import __all__ as models
from bpm.project import checks
from bpm.shell import violations
from tests.support.pages import DOCS, ROOT, prose_of, rows, spans, text_of
from tests.unit import schema_page

REFERENCE = DOCS / "reference"
MAPPING, ERRORS, EXPRESSIONS, INVARIANTS, SHEET, API, PYTHON, SETTINGS, TABLES = (
    REFERENCE / f"{name}.md"
    for name in (
        *("bpmn-mapping", "errors", "expressions", "invariants", "cheat-sheet"),
        *("api", "python", "settings", "tables"),
    )
)

EVENT_DEFINITIONS = {
    f"{kind}EventDefinition"
    for kind in (
        "timer",
        "message",
        "signal",
        "conditional",
        "error",
        "escalation",
        "terminate",
        "link",
        "compensate",
        "cancel",
    )
}


def _missing(wanted: Iterable[str], page: Path) -> None:
    words = set(re.findall(r"[\w-]+", text_of(page)))
    lost = sorted(set(wanted) - words)
    assert not lost, f"{page.name} does not name {', '.join(lost)}"


def _calls(*folders: str) -> Iterator[tuple[str, ast.Call]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call):
                    yield getattr(node.func, "attr", getattr(node.func, "id", "")), node


def _constant(call: ast.Call, position: int) -> str | None:
    node = call.args[position] if len(call.args) > position else None
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


# BPMN mapping


def test_every_element_and_trigger_is_mapped() -> None:
    executed, _, refused = text_of(MAPPING).partition("## Not executed\n")
    mapped = {name for cells in rows(MAPPING, 3) for name in re.findall(r"`(\w+)`", cells[0])}
    later = set(re.findall(r"`(\w+)`", refused.partition("## ")[0]))
    assert {*ELEMENTS, *TRIGGERS} - mapped == set()
    assert later & {*ELEMENTS, *TRIGGERS} == set()
    assert (FLOW_NODES | EVENT_DEFINITIONS) - mapped - later == set()
    assert "## Executed" in executed


def test_every_rule_of_the_reader_is_explained() -> None:
    places = {"problem": 1, "warning": 1, "_refuse": 0, "Problem": 2}
    readers = ("bpm/bpmn", "bpm/core/elements", "bpm/core/triggers", "bpm/shell")
    used = {_constant(call, places[name]) for name, call in _calls(*readers) if name in places}
    listed = {name for cells in rows(MAPPING, 2) for name in re.findall(r"`([a-z][a-z-]+)`", cells[0])}
    used_rules = {rule for rule in used if rule and rule != "unknown"} | set(RULES) - {"invariant-broken"}
    assert len(used_rules) > 40
    assert used_rules - listed == set()
    assert {rule for rule in listed if "-" in rule} - used_rules == set()


def test_every_vendor_attribute_is_explained() -> None:
    _missing(vendor._SUPPORTED | vendor._REFUSED, MAPPING)


# errors and invariants


def _subclasses(cls: type[errors.EngineError]) -> set[type[errors.EngineError]]:
    return {cls}.union(*(_subclasses(sub) for sub in cls.__subclasses__()))


def test_every_error_is_explained_with_its_status() -> None:
    found = {
        cls.__name__: cls
        for cls in _subclasses(errors.EngineError)
        if cls.__module__.split(".")[0] in ("bpm", "api")
    }
    _missing(found, ERRORS)
    listed = [
        (name.strip(), cells)
        for cells in rows(ERRORS, 4)
        for name in cells[0].split(",")
        if name.strip() in found
    ]
    assert len(listed) > 30
    for name, (_, parent, status, _) in listed:
        assert problems.STATUS[next(cls for cls in found[name].__mro__ if cls in problems.STATUS)] == int(
            status
        ), name
        assert not parent or found[name].__base__.__name__ == parent, name  # type: ignore[union-attr]


def test_every_incident_is_explained() -> None:
    kinds = {
        _constant(call, 0) for name, call in _calls("bpm/core") if name in ("NodeFailed", "open_incident")
    }
    kinds |= {
        str(keyword.value.value)
        for name, call in _calls("bpm/core", "bpm/shell")
        if name == "FailCall"
        for keyword in call.keywords
        if keyword.arg == "kind" and isinstance(keyword.value, ast.Constant)
    }
    listed = {name.strip() for cells in rows(ERRORS, 3) for name in cells[0].split(",")} - {
        "kind",
        "EngineError",
    }
    assert {kind for kind in kinds if kind} == listed


def test_every_invariant_is_explained() -> None:
    found = _subclasses(errors.EngineError)
    names = {cls.invariant for cls in found} - {None, "InvariantViolated"}
    assert {cells[0] for cells in rows(INVARIANTS, 4)} - {"invariant"} == names


def test_every_constraint_that_is_named_exists() -> None:
    schema = spans(REFERENCE / "database-schema.md")
    named = {name for name in spans(INVARIANTS) if re.fullmatch(r"bpm_\w+", name)}
    assert len(named) > 10
    assert named - schema == set()
    translated = {name for name in violations._CONSTRAINTS if not name.startswith("bpm_historyevent")}
    assert translated - named == set()


def test_the_schema_page_is_generated_from_the_models() -> None:
    if schema_page.PAGE.read_text() != schema_page.page_now():
        pytest.fail(
            "database-schema.md is old: run .venv/bin/python -m tests.unit.schema_page", pytrace=False
        )
    _missing(models, schema_page.PAGE)


def test_every_table_is_told_with_who_writes_it() -> None:
    tables = {model._meta.db_table.removeprefix("bpm_") for model in apps.get_app_config("bpm").get_models()}
    assert tables - spans(TABLES) == set()


def test_every_variable_is_explained() -> None:
    _missing({*settings.KNOWN_VARIABLES, *checks._ELSEWHERE}, SETTINGS)


# expressions


def test_every_method_and_function_is_listed() -> None:
    compile_feel("1")
    _missing({*methods.ARITIES, *execution.READERS, *execution.WRITERS, *execution.ATTRIBUTES}, EXPRESSIONS)
    listed = spans(EXPRESSIONS)
    assert set(BUILTINS) - listed == set()


def test_the_bounds_are_those_of_the_code() -> None:
    limits = [
        bounds.MAX_TEXT_LENGTH,
        bounds.MAX_NESTING,
        bounds.MAX_STEPS,
        bounds.MAX_ITEMS,
        bounds.MAX_RESULT_DEPTH,
    ]
    cells = [cell for row in rows(EXPRESSIONS, 2) for cell in row]
    assert [number for number in limits if not any(f"{number:,}" in cell for cell in cells)] == []


# interfaces


def _routes() -> dict[str, Any]:
    found = {}
    for pattern in urlpatterns:
        route = str(pattern.pattern)
        if not route.startswith("^"):
            found["/" + re.sub(r"<str:\w+>", "{id}", route)] = pattern.callback.view_class  # type: ignore[union-attr]
    return found


def _offered() -> set[tuple[str, str]]:
    return {
        (method, path)
        for path, view in _routes().items()
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
        if hasattr(view, method.lower())
    }


def _named(page: Path) -> set[tuple[str, str]]:
    found = re.findall(r"`(GET|POST|PUT|PATCH|DELETE) (/[^`?]*)", prose_of(page))
    return {(method, re.sub(r"{\w+}", "{id}", path)) for method, path in found}


def test_the_routes_are_those_of_the_api() -> None:
    assert len(_named(SHEET)) > 30
    assert _named(SHEET) - _offered() == set()


def test_the_reference_tells_every_route() -> None:
    assert _named(API) == _offered()


def test_the_functions_are_those_of_the_engine() -> None:
    listed = set(re.findall(r"engine\.(\w+)\(", prose_of(SHEET)))
    functions = {name for name in engine.__all__ if inspect.isfunction(getattr(engine, name))}
    assert len(listed) > 20
    assert listed - functions == set()
    assert all(hasattr(handlers, name) for name in re.findall(r"handlers\.(\w+)", prose_of(SHEET)))


def test_the_python_page_tells_the_whole_front_door() -> None:
    named = set(re.findall(r"`(\w+)[`(]", prose_of(PYTHON)))
    assert set(engine.__all__) - named == set()


def test_the_signatures_of_the_python_page_are_those_of_the_code() -> None:
    found = re.findall(r"^\| `([\w.]+)\(([^)]*)\)` \|", text_of(PYTHON), re.MULTILINE)
    assert len(found) > 120
    for path, words in found:
        module, _, name = path.rpartition(".")
        home = importlib.import_module(f"bpm.queries.{module}") if module else engine
        parameters = inspect.signature(getattr(home if hasattr(home, name) else handlers, name)).parameters
        told = [word for word in words.split(", ") if word not in ("", "*")]
        assert told == [name for name in parameters if name in told or name not in _OF_EVERY_FUNCTION], path


_OF_EVERY_FUNCTION = {"tenant", "actor", "key"}


@pytest.mark.parametrize(
    ("noun", "statuses"),
    [
        ("instance", InstanceStatus),
        ("token", TokenStatus),
        ("external task", ExternalStatus),
        ("user task", UserStatus),
        ("timer", TimerStatus),
        ("job", JobStatus),
    ],
)
def test_the_status_words_are_those_of_the_code(noun: str, statuses: Any) -> None:
    (words,) = [cells[1] for cells in rows(SHEET, 2) if cells[0] == noun]
    assert words.replace("`", "").split() == [status.value for status in statuses] or set(
        words.replace("`", "").split()
    ) == {status.value for status in statuses}
