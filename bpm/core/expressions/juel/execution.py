"""The ``execution`` object inside JUEL expressions (semantics §9)."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter, methodcaller
from typing import Any, Final

from bpm.core.expressions.errors import EvaluationFailed
from bpm.core.expressions.frame import Execution, Frame
from bpm.core.expressions.json_value import to_json_value
from bpm.core.expressions.pratt import Run

ATTRIBUTES: Final[dict[str, Callable[[Any], Any]]] = {
    "processInstanceId": attrgetter("process_instance_id"),
    "processBusinessKey": attrgetter("process_business_key"),
    "currentActivityId": attrgetter("current_activity_id"),
}
"""Readable attributes of ``execution``."""

READERS: Final = ("getVariable", "hasVariable")
"""Methods of ``execution`` that change nothing."""

WRITERS: Final[dict[str, tuple[int, str]]] = {
    "setVariable": (2, "set_variable"),
    "setVariableLocal": (2, "set_variable_local"),
    "removeVariable": (1, "remove_variable"),
}
"""Methods of ``execution`` with an effect: number of arguments and the method called."""


def read_attribute(name: str) -> Run:
    """Closure of ``execution.<name>`` for one of ATTRIBUTES."""
    read = ATTRIBUTES[name]
    return lambda frame: read(_require(frame, name))


def call(name: str, arguments: list[Run]) -> Run:
    """Closure of a call of one of READERS or WRITERS; the number of arguments is right."""
    if name == "getVariable":
        return _get_variable(arguments[0])
    if name == "hasVariable":
        return lambda frame: bool(_require(frame, name).has_variable(_name_of(arguments[0](frame))))
    method = WRITERS[name][1]

    def write(frame: Frame) -> None:
        execution = _require(frame, name)
        variable, *values = (argument(frame) for argument in arguments)
        methodcaller(method, _name_of(variable), *map(to_json_value, values))(execution)

    return write


def _get_variable(argument: Run) -> Run:
    def get_variable(frame: Frame) -> Any:
        execution = _require(frame, "getVariable")
        try:
            return execution.get_variable(_name_of(argument(frame)))
        except KeyError:
            return None

    return get_variable


def _require(frame: Frame, member: str) -> Execution:
    if frame.execution is None:
        raise EvaluationFailed(f"There is no execution to ask for {member!r} here")
    return frame.execution


def _name_of(value: Any) -> str:
    if not isinstance(value, str):
        raise EvaluationFailed("The name of a variable is no text")
    return value
