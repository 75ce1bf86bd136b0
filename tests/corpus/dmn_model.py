"""A reader of DMN models for the compatibility kit: every boxed expression becomes one text of FEEL.

It knows decisions, business knowledge models and boxed expressions; decision tables and decision
services are another subject.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lxml import etree

from bpm.core.expressions import EvaluationFailed, ExpressionSyntaxError
from bpm.core.expressions.feel import compile_feel
from bpm.core.expressions.feel.functions import FeelFunction
from bpm.core.expressions.feel.types import PLAIN_TYPES, FeelType

Element = Any
OTHER_SUBJECTS = frozenset({"decisionTable", "decisionService", "import"})


def local(element: Element) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def children(element: Element, name: str) -> list[Element]:
    return [child for child in element if local(child) == name]


def text_of(element: Element, name: str) -> str:
    return "".join(children(element, name)[0].itertext()).strip()


class Unsupported(Exception):
    """The model needs something that is not FEEL."""


class Model:
    """A DMN model whose decisions can be evaluated."""

    def __init__(self, path: Path) -> None:
        self.root = etree.parse(str(path)).getroot()
        self.by_id = {item.get("id"): item for item in self.root.iter() if local(item) and item.get("id")}
        self.by_name = {item.get("name"): item for item in self.root if local(item) == "decision"}
        self.items = {item.get("name"): item for item in children(self.root, "itemDefinition")}
        self.names = sorted(set(self._all_names()))

    def _all_names(self) -> Iterator[str]:
        for element in self.root.iter():
            if local(element) in (
                "variable",
                "formalParameter",
                "column",
                "inputData",
                "itemComponent",
                "businessKnowledgeModel",
            ):
                yield element.get("name") or ""

    def evaluate(self, name: str, inputs: dict[str, Any]) -> Any:
        if name not in self.by_name:
            raise Unsupported(name)
        return self._decide(self.by_name[name], inputs, {})

    def _decide(self, decision: Element, inputs: dict[str, Any], done: dict[str, Any]) -> Any:
        name = decision.get("name")
        if name in done:
            return done[name]
        scope = dict(self._requirements(decision, inputs, done))
        logic = next((child for child in decision if is_logic(child)), None)
        if logic is None:
            done[name] = None
            return None
        value = run(to_feel(logic), scope, self.names)
        variable = children(decision, "variable")
        kind = self.find_type(variable[0].get("typeRef")) if variable else None
        done[name] = value if kind is None else kind.convert(value)
        return done[name]

    def _requirements(
        self, element: Element, inputs: dict[str, Any], done: dict[str, Any]
    ) -> Iterator[tuple[str, Any]]:
        for requirement in element:
            for reference in requirement:
                target = self.by_id.get((reference.get("href") or "").rpartition("#")[2])
                if target is None or not local(reference).startswith("required"):
                    continue
                if local(target) == "inputData":
                    yield str(target.get("name")), self._input(target, inputs)
                elif local(target) == "decision":
                    yield str(target.get("name")), self._decide(target, inputs, done)
                elif local(target) == "businessKnowledgeModel":
                    yield from self._knowledge(target, inputs, done)
                else:
                    raise Unsupported(local(target))

    def _input(self, element: Element, inputs: dict[str, Any]) -> Any:
        variable = children(element, "variable")
        kind = self.find_type(variable[0].get("typeRef")) if variable else None
        value = inputs.get(element.get("name"))
        return value if kind is None else kind.convert(value)

    def _knowledge(
        self, element: Element, inputs: dict[str, Any], done: dict[str, Any]
    ) -> Iterator[tuple[str, Any]]:
        scope = dict(self._requirements(element, inputs, done))
        logic = children(element, "encapsulatedLogic")
        if logic:
            own = element.get("name")
            functions = {own: None, **scope}
            functions[own] = self._typed(element, run(function_to_feel(logic[0]), functions, self.names))
            yield own, functions[own]

    def _typed(self, element: Element, function: Any) -> Any:
        if not isinstance(function, FeelFunction):
            return function
        parameters = children(children(element, "encapsulatedLogic")[0], "formalParameter")
        types = tuple(self.find_type(parameter.get("typeRef")) for parameter in parameters)
        variable = children(element, "variable")
        result = self.find_type(variable[0].get("typeRef")) if variable else None
        if result is not None and result.name == "function":
            result = result.items
        if result is None:
            literal = children(children(element, "encapsulatedLogic")[0], "literalExpression")
            result = self.find_type(literal[0].get("typeRef")) if literal else None
        return replace(function, types=types, result=result)

    def find_type(self, name: str | None) -> FeelType | None:
        name = (name or "").rpartition(":")[2].removeprefix("feel.")
        spelled = {
            "dateTime": "date and time",
            "dayTimeDuration": "days and time duration",
            "yearMonthDuration": "years and months duration",
        }.get(name, name)
        if not spelled or spelled == "Any":
            return None
        if spelled in PLAIN_TYPES:
            return FeelType(spelled)
        return self._item_type(self.items[name]) if name in self.items else None

    def _item_type(self, item: Element) -> FeelType | None:
        function = children(item, "functionItem")
        parts = children(item, "itemComponent")
        if function:
            result = self.find_type(function[0].get("outputTypeRef"))
            kind: FeelType | None = FeelType("function", result)
        elif parts:
            fields = {part.get("name"): self._item_type(part) or FeelType("Any") for part in parts}
            kind = FeelType("context", fields=fields)
        else:
            kind = self.find_type(text_of(item, "typeRef")) if children(item, "typeRef") else None
        return FeelType("list", kind) if item.get("isCollection") == "true" else kind


class Variables:
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def lookup(self, name: str) -> object:
        return self.values[name]


def run(text: str, scope: dict[str, Any], names: list[str]) -> Any:
    """Value of the expression; null for one that is wrong, as the kit has it."""
    try:
        return compile_feel(text, [*scope, *names]).evaluate(Variables(scope))
    except (ExpressionSyntaxError, EvaluationFailed):
        return None


def is_logic(element: Element) -> bool:
    return local(element) in _WRITERS or local(element) in OTHER_SUBJECTS


def logic_of(element: Element) -> str:
    return to_feel(next(child for child in element if is_logic(child)))


def to_feel(element: Element) -> str:
    writer = _WRITERS.get(local(element))
    if writer is None:
        raise Unsupported(local(element))
    return f"({writer(element)}\n)"


def literal_to_feel(element: Element) -> str:
    text = text_of(element, "text") if children(element, "text") else "null"
    return text or "null"


def context_to_feel(element: Element) -> str:
    entries, result = [], ""
    for entry in children(element, "contextEntry"):
        variable = children(entry, "variable")
        if variable:
            entries.append(f"{variable[0].get('name')}: {logic_of(entry)}")
        else:
            entries.append(f"the result: {logic_of(entry)}")
            result = ".the result"
    return "{" + ", ".join(entries) + "}" + result


def function_to_feel(element: Element) -> str:
    if element.get("kind") in ("Java", "PMML"):
        return "null"
    names = [parameter.get("name") for parameter in children(element, "formalParameter")]
    return f"(function({', '.join(names)}) {logic_of(element)})"


def invocation_to_feel(element: Element) -> str:
    bindings = [
        f"{children(binding, 'parameter')[0].get('name')}: {logic_of(binding)}"
        for binding in children(element, "binding")
        if any(is_logic(child) for child in binding)
    ]
    return f"{literal_to_feel(children(element, 'literalExpression')[0])}({', '.join(bindings)})"


def list_to_feel(element: Element) -> str:
    return "[" + ", ".join(to_feel(child) for child in element if is_logic(child)) + "]"


def relation_to_feel(element: Element) -> str:
    names = [column.get("name") for column in children(element, "column")]
    rows = [[to_feel(child) for child in row if is_logic(child)] for row in children(element, "row")]
    pairs = (", ".join(f"{name}: {cell}" for name, cell in zip(names, row, strict=True)) for row in rows)
    return "[" + ", ".join("{" + pair + "}" for pair in pairs) + "]"


def loop_to_feel(element: Element) -> str:
    domain = logic_of(children(element, "in")[0])
    if local(element) == "for":
        closing, body = "return", logic_of(children(element, "return")[0])
    else:
        closing, body = "satisfies", logic_of(children(element, "satisfies")[0])
    return f"{local(element)} {element.get('iteratorVariable')} in {domain} {closing} {body}"


_WRITERS: dict[str, Callable[[Element], str]] = {
    "literalExpression": literal_to_feel,
    "context": context_to_feel,
    "functionDefinition": function_to_feel,
    "invocation": invocation_to_feel,
    "list": list_to_feel,
    "relation": relation_to_feel,
    "for": loop_to_feel,
    "some": loop_to_feel,
    "every": loop_to_feel,
    "filter": lambda item: f"{logic_of(children(item, 'in')[0])}[{logic_of(children(item, 'match')[0])}]",
    "conditional": lambda item: "if {} then {} else {}".format(
        *(logic_of(children(item, part)[0]) for part in ("if", "then", "else"))
    ),
}
