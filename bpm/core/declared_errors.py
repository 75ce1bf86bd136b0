"""Errors that an external task declares: thrown when its worker reports and an expression is true (semantics §5)."""

from __future__ import annotations

from typing import NamedTuple

from bpm.core.coded import Coded, code_of, read_coded
from bpm.core.expressions import Expression
from bpm.core.reading import Reading
from bpm.core.rows import ExternalTask
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.xml import XmlElement


class DeclaredError(NamedTuple):
    """An error with the condition under which it is thrown."""

    condition: Expression
    error: Coded


class Thrown(NamedTuple):
    """Code and message of a declared error whose condition is true."""

    code: str
    message: str


def read_declared(xml: XmlElement, reading: Reading, *, external: bool) -> tuple[DeclaredError, ...]:
    """Return the `camunda:errorEventDefinition` elements of a task, in document order."""
    found: list[DeclaredError] = []
    for definition in xml.extensions("errorEventDefinition"):
        text = definition.get("expression").strip()
        if not external:
            message = "Only an external task declares errors."
            reading.problem(definition, "unsupported-element", message)
        elif not text:
            reading.problem(definition, "empty-expression", "A declared error needs an expression.")
        else:
            error = read_coded(definition, reading, "errorRef", "errorCode", "error")
            found.append(DeclaredError(reading.condition(definition, text), error))
    return tuple(found)


def declared_error(
    run: Run, task: ExternalTask, token: Token, *, error: str | None = None, details: str | None = None
) -> Thrown | None:
    """Return the first declared error whose condition is true, None where there is none.

    Conditions see the variables of the task and `externalTask`, with what the worker reports.

    Raises:
        NodeFailed: a condition cannot be evaluated.
    """
    declared: tuple[DeclaredError, ...] = getattr(run.graph.nodes[task.node], "errors", ())
    seen = {
        "externalTask": {
            "id": task.id,
            "topicName": task.topic,
            "workerId": task.worker,
            "priority": task.priority,
            "retries": task.retries,
            "errorMessage": error,
            "errorDetails": details,
        }
    }
    for one in declared:
        if run.truth(one.condition, token, seen):
            return Thrown(code_of(run, one.error, token), one.error.message)
    return None
