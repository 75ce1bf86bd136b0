"""The types FEEL names: ``instance of``, parameters of functions, and conversion to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from bpm.core.expressions.feel.comparison import type_of

SPACED_TYPES: Final = (
    ("days", "and", "time", "duration"),
    ("years", "and", "months", "duration"),
    ("date", "and", "time"),
)
_PLAIN: Final = frozenset({"number", "string", "boolean", "date", "time", "Any", "Null"})
_DURATIONS: Final = frozenset({"days and time duration", "years and months duration"})
PLAIN_TYPES: Final = _PLAIN | _DURATIONS | {"date and time", "list", "context", "function", "range"}
"""Every type that is named by its name alone."""


@dataclass(frozen=True, slots=True)
class FeelType:
    """A type: its name, and the types inside it.

    Attributes:
        name: one of PLAIN_TYPES; anything else is a type nobody knows.
        items: type of the items of a list, the ends of a range or the result of a function.
        fields: types of a context's entries.
        parameters: types of a function's parameters.
    """

    name: str
    items: FeelType | None = None
    fields: dict[str, FeelType] = field(default_factory=dict)
    parameters: tuple[FeelType, ...] | None = None

    def is_known(self) -> bool:
        """Whether the name and those inside are types of FEEL."""
        inner = [*self.fields.values(), *(self.parameters or ())]
        if self.items is not None:
            inner.append(self.items)
        return self.name in PLAIN_TYPES and all(kind.is_known() for kind in inner)

    def has(self, value: Any) -> bool:
        """Whether the value is of the type; null is only of ``Null``."""
        if self.name == "Any":
            return value is not None
        if type_of(value) != self.name:
            return False
        if self.name == "list":
            return self.items is None or all(self.items.allows(item) for item in value)
        if self.name == "context":
            return all(key in value and kind.allows(value[key]) for key, kind in self.fields.items())
        if self.name == "range" and self.items is not None:
            ends = [end for end in (value.start, value.end) if end is not None]
            return bool(ends) and all(self.items.allows(end) for end in ends)
        if self.name == "function" and self.parameters is not None:
            return self._has_signature(value)
        return True

    def allows(self, value: Any) -> bool:
        """Whether a variable of the type may hold the value; null always may."""
        return value is None or self.name == "Any" or self.has(value)

    def convert(self, value: Any) -> Any:
        """The value as one of this type: a list of one and its item stand for each other; else None."""
        if self.allows(value):
            return value
        if isinstance(value, list) and len(value) == 1 and self.name != "list":
            return value[0] if self.allows(value[0]) else None
        if self.name == "list" and self.allows([value]):
            return [value]
        if self.name == "date and time" and type_of(value) == "date":
            return value.at_midnight()
        return None

    def _has_signature(self, function: Any) -> bool:
        types = getattr(function, "types", None)
        if types is None or self.parameters is None or len(types) != len(self.parameters):
            return False
        return all(
            own is None or own == wanted or own.name == "Any"
            for own, wanted in zip(types, self.parameters, strict=True)
        )
