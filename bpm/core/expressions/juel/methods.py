"""The methods a JUEL expression may call on a text, a list or a map (semantics §9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from bpm.core.expressions.bounds import TEXT_PER_STEP
from bpm.core.expressions.errors import EvaluationFailed
from bpm.core.expressions.frame import Frame, bound_text
from bpm.core.expressions.json_value import describe_type
from bpm.core.expressions.juel.values import are_same, to_number, to_text
from bpm.core.expressions.regex.machine import matches_whole

Method = Callable[..., Any]

ARITIES: Final[dict[str, tuple[int, ...]]] = {
    "contains": (1,),
    "startsWith": (1,),
    "endsWith": (1,),
    "length": (0,),
    "isEmpty": (0,),
    "equals": (1,),
    "toUpperCase": (0,),
    "toLowerCase": (0,),
    "trim": (0,),
    "substring": (1, 2),
    "matches": (1,),
    "size": (0,),
    "get": (1,),
    "containsKey": (1,),
}
"""Every allowed method with its numbers of arguments."""


def call_method(frame: Frame, receiver: Any, name: str, arguments: list[Any]) -> Any:
    """Call one of the allowed methods.

    Raises:
        EvaluationFailed: the receiver is null, its type has no such method, or an argument does
            not fit.
    """
    if name == "matches" and isinstance(receiver, str):
        return matches_whole(to_text(arguments[0]), receiver, frame.charge)
    method = _METHODS.get(type(receiver), {}).get(name)
    if method is None:
        raise EvaluationFailed(f"A {describe_type(receiver)} has no method {name!r}")
    frame.charge(1 + (len(receiver) // TEXT_PER_STEP if isinstance(receiver, str) else len(receiver)))
    return method(receiver, *arguments)


def _substring(text: str, begin: Any, end: Any = None) -> str:
    first = _to_index(begin)
    last = len(text) if end is None else _to_index(end)
    if not 0 <= first <= last <= len(text):
        raise EvaluationFailed(f"substring({first}, {last}) is outside a text of {len(text)} characters")
    return text[first:last]


def _get_item(items: list[Any], position: Any) -> Any:
    index = _to_index(position)
    if not 0 <= index < len(items):
        raise EvaluationFailed(f"The index {index} is outside a list of {len(items)} items")
    return items[index]


def _to_index(value: Any) -> int:
    number = to_number(value)
    if number != int(number):
        raise EvaluationFailed(f"The index {number} is no whole number")
    return int(number)


_TEXT: Final[dict[str, Method]] = {
    "contains": lambda text, part: to_text(part) in text,
    "startsWith": lambda text, part: text.startswith(to_text(part)),
    "endsWith": lambda text, part: text.endswith(to_text(part)),
    "length": len,
    "isEmpty": lambda text: not text,
    "equals": are_same,
    "toUpperCase": lambda text: bound_text(text.upper()),
    "toLowerCase": lambda text: bound_text(text.lower()),
    "trim": str.strip,
    "substring": _substring,
}
_LIST: Final[dict[str, Method]] = {
    "size": len,
    "isEmpty": lambda items: not items,
    "contains": lambda items, wanted: any(are_same(item, wanted) for item in items),
    "get": _get_item,
    "equals": are_same,
}
_MAP: Final[dict[str, Method]] = {
    "size": len,
    "isEmpty": lambda entries: not entries,
    "containsKey": lambda entries, key: to_text(key) in entries,
    "get": lambda entries, key: entries.get(to_text(key)),
    "equals": are_same,
}
_METHODS: Final[dict[type, dict[str, Method]]] = {str: _TEXT, list: _LIST, dict: _MAP}
