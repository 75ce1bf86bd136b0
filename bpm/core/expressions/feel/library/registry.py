"""How the functions of the library are declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from bpm.core.expressions.feel.functions import Builtin, Overload, Parameter

BUILTINS: Final[dict[str, Builtin]] = {}
"""The library by name; complete once every module of the package is imported."""

Body = TypeVar("Body", bound=Callable[..., Any])


def feel_function(name: str, signature: str = "") -> Callable[[Body], Body]:
    """Declare an overload of a library function.

    Args:
        name: the name expressions use.
        signature: parameters as ``name: type`` with commas; the type ``any`` or several with
            ``|``. After the name, ``?`` means it may be left out and ``*`` that it takes the rest;
            after the type, ``?`` means null is passed on instead of giving null.

    Returns:
        A decorator for the body, which takes the frame and then one value per parameter.
    """
    parameters = tuple(_read_parameter(word) for word in signature.split(",") if word)

    def declare(body: Body) -> Body:
        before = BUILTINS[name].overloads if name in BUILTINS else ()
        BUILTINS[name] = Builtin(name, (*before, Overload(parameters, body)))
        return body

    return declare


def _read_parameter(word: str) -> Parameter:
    name, kind = (part.strip() for part in word.split(":"))
    return Parameter(
        name=name.rstrip("?*"),
        kind=kind.rstrip("?"),
        nullable=kind.endswith("?"),
        optional=name.endswith("?"),
        repeated=name.endswith("*"),
    )
