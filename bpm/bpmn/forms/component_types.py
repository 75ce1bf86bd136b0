"""What the components of form JSON hold, by type: a value of another one would be passed over without a word.

Only a form that is being deployed is asked: one that is stored already is shown as well as it can be.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from bpm.bpmn.forms.form_json import MAX_FORM_BYTES
from bpm.core.values import from_outside

_MOST_WRONG: Final = 100
_DEEPEST: Final = 20
_TEXT, _OBJECT, _LIST = (str, "text"), (dict, "an object"), (list, "a list")
_SWITCH: Final = ((bool, str), "true or false, or an expression")
_EXPECTED: Final[dict[str, tuple[Any, str]]] = {
    **dict.fromkeys(("type", "key", "id", "path", "label", "description", "subtype"), _TEXT),
    **dict.fromkeys(("dateLabel", "timeLabel", "timeSerializingFormat"), _TEXT),
    **dict.fromkeys(("valuesKey", "valuesExpression"), _TEXT),
    **dict.fromkeys(("validate", "conditional"), _OBJECT),
    **dict.fromkeys(("values", "components"), _LIST),
    **dict.fromkeys(("readonly", "disabled"), _SWITCH),
}
_blank = re.compile(r"[ \t\r\n]*").match
# Which number it is does not matter, and one of a million digits costs nothing.
_read = json.JSONDecoder(parse_int=len, parse_float=len).raw_decode


class Wrong(NamedTuple):
    """A value of the wrong type: key or path of its component, line in the file, what is wrong."""

    component: str
    line: int
    message: str


def wrong_values(data: bytes) -> list[Wrong]:
    """Return what is wrong in a file, the first hundred; nothing where it is no form at all."""
    try:
        text = data.decode("utf-8-sig") if len(data) <= MAX_FORM_BYTES else ""
        whole = from_outside(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(whole, dict):
        return []
    return list(islice(_in_object(text, _after_blank(text, 0), "", 0), _MOST_WRONG))


def _in_object(text: str, at: int, path: str, depth: int) -> Iterator[Wrong]:
    """Yield what is wrong in a form, whose path is empty, or in a component."""
    members = list(_members(text, at))
    key = next((value for name, _, _, value in members if name == "key"), None)
    called = key[:100] if isinstance(key, str) and key else path
    for name, begin, end, value in members:
        types, words = _EXPECTED.get(name, (object, ""))
        if path and value is not None and not isinstance(value, types):
            there = text[begin : min(end, begin + 50)]
            message = f"The {name} of the component {called} is {there}, not {words}."
            yield Wrong(called, text.count("\n", 0, begin) + 1, message)
        elif name == "components" and isinstance(value, list) and depth < _DEEPEST:
            for number, (inner, found) in enumerate(_items(text, begin)):
                if isinstance(found, dict):
                    yield from _in_object(text, inner, f"{path}/components/{number}", depth + 1)


def _members(text: str, at: int) -> Iterator[tuple[str, int, int, Any]]:
    """Yield the members of the object that begins here, each with where its value begins and ends."""
    at = _after_blank(text, at + 1)
    while text[at] != "}":
        name, at = _read(text, at)
        begin = _after_blank(text, _after_blank(text, at) + 1)
        value, end = _read(text, begin)
        yield name, begin, end, value
        at = _next(text, end)


def _items(text: str, at: int) -> Iterator[tuple[int, Any]]:
    """Yield the items of the list that begins here, each with where it begins."""
    at = _after_blank(text, at + 1)
    while text[at] != "]":
        value, end = _read(text, at)
        yield at, value
        at = _next(text, end)


def _next(text: str, end: int) -> int:
    at = _after_blank(text, end)
    return _after_blank(text, at + 1) if text[at] == "," else at


def _after_blank(text: str, at: int) -> int:
    found = _blank(text, at)
    return at if found is None else found.end()
