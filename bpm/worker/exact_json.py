"""JSON without loss: integers of any size, fractions as Decimal, nothing guessed.

The standard encoder cannot write a Decimal as a number, and both directions stop at 4,300 digits.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from json.encoder import encode_basestring_ascii
from typing import NoReturn, TypeAlias

JsonValue: TypeAlias = (
    "None | bool | int | float | Decimal | str | Sequence[JsonValue] | Mapping[str, JsonValue]"
)

_LONGEST_PLAIN_INT = 4_000


class NotJson(ValueError):
    """A value that JSON, or the engine, cannot hold.

    Attributes:
        place: Path to the value, such as `variables.order.items[2]`.
        rule: What it breaks.
    """

    def __init__(self, place: str, rule: str) -> None:
        self.place = place
        self.rule = rule
        super().__init__(f"{place}: {rule}")


def decode_json(data: bytes) -> JsonValue:
    """Read one JSON text.

    Numbers with a fraction or an exponent become Decimal, always, so that `1.10` stays `1.10` and
    a variable's type does not depend on its value. Integers become int, whatever their size.

    Raises:
        ValueError: Not UTF-8, not JSON, NaN or Infinity, a key twice in one object, nested too deep,
            an exponent beyond 18 digits.
    """
    try:
        value: JsonValue = json.loads(
            data,
            parse_float=Decimal,
            parse_int=_parse_int,
            parse_constant=_refuse_constant,
            object_pairs_hook=_object,
        )
    except RecursionError:
        raise ValueError("nested too deep") from None
    except InvalidOperation:
        raise ValueError("a number's exponent is too large") from None
    return value


def encode_json(value: object, place: str = "body") -> bytes:
    """Write one JSON text; the inverse of `decode_json`.

    Args:
        value: None, bool, int, finite float or Decimal, str, list, tuple, mapping with text keys.
        place: What the value is called in an error.

    Raises:
        NotJson: Any other type, NaN, Infinity, NUL or a lone surrogate in a text, nested too deep.
    """
    try:
        return "".join(_pieces(value, place)).encode("ascii")
    except RecursionError:
        raise NotJson(place, "is nested too deep") from None


def _parse_int(digits: str) -> int:
    return int(digits) if len(digits) <= _LONGEST_PLAIN_INT else int(Decimal(digits))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return result


def _pieces(value: object, place: str) -> Iterator[str]:
    match value:
        case None:
            yield "null"
        case bool():
            yield "true" if value else "false"
        case str():
            yield _text(value, place)
        case int() | float() | Decimal():
            yield _number(value, place)
        case Mapping():
            yield from _object_pieces(value, place)
        case list() | tuple():
            yield "["
            for index, item in enumerate(value):
                yield "," if index else ""
                yield from _pieces(item, f"{place}[{index}]")
            yield "]"
        case _:
            raise NotJson(place, f"{type(value).__name__} is not a JSON value")


def _object_pieces(value: Mapping[object, object], place: str) -> Iterator[str]:
    yield "{"
    separator = ""
    for key, item in value.items():
        if not isinstance(key, str):
            raise NotJson(place, f"key {key!r} is not text")
        yield f"{separator}{_text(key, place)}:"
        yield from _pieces(item, f"{place}.{key}")
        separator = ","
    yield "}"


def _text(value: str, place: str) -> str:
    if "\x00" in value:
        raise NotJson(place, "text must not contain NUL (U+0000)")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise NotJson(place, "text must not contain a lone surrogate") from None
    return encode_basestring_ascii(value)


def _number(value: float | Decimal, place: str) -> str:
    if isinstance(value, int):
        # Through Decimal, because str() of an int of more than 4,300 digits is refused by the interpreter.
        return int.__repr__(value) if value.bit_length() < 13_000 else f"{Decimal(value):f}"
    if not (value.is_finite() if isinstance(value, Decimal) else math.isfinite(value)):
        raise NotJson(place, f"{value} is not a JSON number")
    return str(value) if isinstance(value, Decimal) else float.__repr__(value)
