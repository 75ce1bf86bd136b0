"""Ranges of FEEL, and the one-sided tests ``< 5`` that are ranges too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from bpm.core.expressions.feel.comparison import Charge, compare, equals

Form = Literal["..", "<", "<=", ">", ">=", "=", "!="]


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """What lies between two values of one ordered type.

    Attributes:
        start: lower end; None is without end.
        end: upper end; None is without end.
        includes_start: whether the lower end belongs to it.
        includes_end: whether the upper end belongs to it.
        form: how it was written; ``!=`` is everything but ``start``.
    """

    type_name: ClassVar[str] = "range"
    start: Any
    end: Any
    includes_start: bool
    includes_end: bool
    form: Form = ".."

    def contains(self, value: Any) -> bool | None:
        """Whether the value lies in it; None when it cannot be compared."""
        if self.form in ("=", "!="):
            same = equals(value, self.start)
            return same if same is None or self.form == "=" else not same
        if value is None:
            return None
        if self.form == ".." and (self.start is None or self.end is None):
            return None
        above = True if self.start is None else _passes(compare(value, self.start), self.includes_start)
        below = True if self.end is None else _passes(compare(self.end, value), self.includes_end)
        return None if above is None or below is None else above and below

    def is_same(self, other: Range) -> bool | None:
        """Equality of FEEL: same ends, same inclusion, written alike."""
        shape = (self.includes_start, self.includes_end, self.form)
        if shape != (other.includes_start, other.includes_end, other.form):
            return False
        return bool(equals(self.start, other.start)) and bool(equals(self.end, other.end))


def _passes(order: int | None, included: bool) -> bool | None:
    return None if order is None else order > 0 or (included and order == 0)


def one_sided_range(form: Form, value: Any) -> Range:
    """The range of a test such as ``< value``."""
    if form in ("=", "!="):
        return Range(value, value, form == "=", form == "=", form)
    included = form.endswith("=")
    if form.startswith("<"):
        return Range(None, value, False, included, form)
    return Range(value, None, included, False, form)


def matches(value: Any, test: Any, charge: Charge | None = None) -> bool | None:
    """FEEL's ``in``: in a range, equal to it, or in or equal to one of a list."""
    if isinstance(test, Range):
        return equals(value, test) if isinstance(value, Range) else test.contains(value)
    if isinstance(test, list):
        if charge is not None:
            charge(len(test))
        if isinstance(value, list) and equals(value, test, charge):
            return True
        return any(matches(value, item, charge) is True for item in test)
    return equals(value, test, charge)
