"""Functions from one type to another, and negation."""

from __future__ import annotations

import re
from typing import Any, Final

from bpm.core.expressions.arithmetic import Number, parse_number
from bpm.core.expressions.feel.formatting import format_feel
from bpm.core.expressions.feel.library.registry import feel_function
from bpm.core.expressions.frame import Frame, bound_text

_NUMERAL: Final = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)


@feel_function("number", "from: string, grouping separator?: string?, decimal separator?: string?")
def number(frame: Frame, text: str, grouping: str | None, point: str | None) -> Number | None:
    """Number of a numeral, with the signs that group digits and begin the fraction."""
    if (
        grouping not in (None, " ", ",", ".")
        or point not in (None, ",", ".")
        or (grouping and grouping == point)
    ):
        return None
    plain = text.replace(grouping, "") if grouping else text
    plain = plain.replace(point, ".") if point else plain
    return parse_number(plain) if _NUMERAL.fullmatch(plain) else None


@feel_function("string", "from: any")
def string(frame: Frame, value: Any) -> str | None:
    """Text of a value, null of null."""
    return None if value is None else bound_text(format_feel(value, frame.charge))


@feel_function("not", "negand: boolean")
def negation(frame: Frame, value: bool) -> bool:
    """The other boolean."""
    return not value
