"""JSON values of variables and payloads: exact, canonical text (semantics §9).

Integers keep every digit. A number with a fraction is a float where the float prints the same digits, else a Decimal,
so that text → value → text changes nothing but white space and key order.
"""

from __future__ import annotations

import json
import json.encoder
import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

from bpm.core.errors import VariableInvalid

_MARK = "\x00decimal:"
_MARKED = re.compile(r'"\\u0000decimal:([-+0-9.eE]+)"')
_SURROGATE = re.compile("[\ud800-\udfff]")
MAX_NAME = 255
MAX_DEPTH = 64


class Erased(str):
    """What stands in a fold where a value was erased: the digest of its event (semantics §10)."""

    __slots__ = ()


class _Special(Exception):
    """A value for the slow path is inside."""


def _default(value: object) -> object:
    if isinstance(value, Decimal):
        raise _Special
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _default_exact(value: object) -> object:
    if isinstance(value, Decimal):
        return f"{_MARK}{value}"
    return _default(value)


def encoder(default: Callable[[object], object], *, ascii_only: bool = True) -> Callable[[object], str]:
    """Return an encoder to JSON text with sorted keys and no white space.

    The standard library builds its machinery at each call, which takes half of the call's time; here it is built once.
    """
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return json.JSONEncoder(
            ensure_ascii=ascii_only, allow_nan=False, sort_keys=True, separators=(",", ":"), default=default
        ).encode
    quote = json.encoder.encode_basestring_ascii if ascii_only else json.encoder.encode_basestring
    pieces = make(None, default, quote, None, ":", ",", True, False, False)
    return lambda value: "".join(pieces(value, 0))


_encode = encoder(_default)
_encode_exact = encoder(_default_exact)


quoted: Callable[[str], str] = json.encoder.encode_basestring_ascii
"""Return the canonical JSON text of a text."""


def to_text(value: object) -> str:
    """Return the canonical JSON text: sorted keys, no white space, ASCII.

    Raises:
        ValueError: NaN or Infinity.
        TypeError: not a JSON value.
    """
    try:
        return _encode(value)
    except _Special:
        return _MARKED.sub(r"\1", _encode_exact(value))


def _number(text: str) -> float | Decimal:
    number = float(text)
    return number if repr(number) == text else Decimal(text)


def _constant(text: str) -> object:
    raise ValueError(f"{text} is no JSON value")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        counted = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counted.items() if count > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found


_decode = json.JSONDecoder(parse_float=_number, parse_constant=_constant).decode
_decode_strict = json.JSONDecoder(
    parse_float=_number, parse_constant=_constant, object_pairs_hook=_pairs
).decode


def from_text(text: str) -> Any:
    """Return the value of a stored JSON text."""
    return _decode(text)


def from_outside(text: str) -> Any:
    """Return the value of JSON text that came from outside.

    Raises:
        ValueError: no JSON, NaN or Infinity, or a key that stands twice in one object.
    """
    return _decode_strict(text)


def is_hidden(name: str) -> bool:
    """Return whether a variable is the engine's own: not shown, not to be set from outside."""
    return name.startswith("$")


def check_variables(variables: object, *, max_bytes: int = 4_000_000) -> dict[str, Any]:
    """Return the variables if they can be stored.

    Args:
        max_bytes: upper bound of one value's canonical text.

    Raises:
        VariableInvalid: names the variable and the rule.
    """
    if not isinstance(variables, dict):
        raise VariableInvalid("`variables` must be an object of name to value.")
    for name, value in variables.items():
        if not isinstance(name, str) or not name or len(name) > MAX_NAME or not name.isprintable():
            raise VariableInvalid(
                f"A variable's name has 1 to {MAX_NAME} printable characters.", variable=str(name)[:MAX_NAME]
            )
        if is_hidden(name):
            raise VariableInvalid("Names that begin with $ are the engine's own.", variable=name)
        _check_value(name, value, 0)
        text = to_text(value)
        size = len(text) if text.isascii() else len(text.encode())
        if size > max_bytes:
            raise VariableInvalid(f"The value has {size} bytes, {max_bytes} are allowed.", variable=name)
    return variables


def _check_members(name: str, value: dict[Any, Any], depth: int) -> None:
    for key, item in value.items():
        if not isinstance(key, str):
            raise VariableInvalid(f"{type(key).__name__} is no name in a JSON object.", variable=name)
        _check_value(name, key, depth)
        _check_value(name, item, depth)


def _check_value(name: str, value: object, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise VariableInvalid(f"The value is nested deeper than {MAX_DEPTH}.", variable=name)
    if isinstance(value, str):
        if "\x00" in value:
            raise VariableInvalid("Text may not contain the NUL character.", variable=name)
        if _SURROGATE.search(value):
            raise VariableInvalid("Text may not contain lone surrogates.", variable=name)
    elif isinstance(value, dict):
        _check_members(name, value, depth + 1)
    elif isinstance(value, list):
        for item in value:
            _check_value(name, item, depth + 1)
    elif isinstance(value, float | Decimal):
        if value != value or value in (float("inf"), float("-inf")):
            raise VariableInvalid("NaN and Infinity are no JSON values.", variable=name)
    elif value is not None and not isinstance(value, int):
        raise VariableInvalid(f"{type(value).__name__} is no JSON value.", variable=name)
