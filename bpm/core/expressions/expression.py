"""The compiled expression and the way from a text to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import InvalidOperation
from typing import Any, Literal

from bpm.core.expressions.errors import EvaluationFailed
from bpm.core.expressions.frame import Execution, Frame, Scope
from bpm.core.expressions.json_value import describe_type
from bpm.core.expressions.pratt import Run

Dialect = Literal["juel", "feel", "literal"]


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """A text compiled once; immutable and safe to share between threads.

    Attributes:
        text: the stripped text it was compiled from.
        dialect: the language of the text.
        names: the variables it may read, or (``execution.…``) look for; None when that cannot be
            known before it runs.
        effects: whether it calls a setter of ``execution``.
    """

    text: str
    dialect: Dialect
    names: frozenset[str] | None
    effects: bool
    _run: Run = field(repr=False)

    def evaluate(self, scope: Scope, execution: Execution | None = None) -> Any:
        """Result for the variables of ``scope``.

        What ``scope`` and ``execution`` raise themselves passes through, a KeyError of a lookup
        excepted.

        Returns:
            A JSON value, in FEEL possibly a date, time, duration, range or function:
            ``to_json_value`` makes the former ones storable.

        Raises:
            EvaluationFailed: there is no result, or a bound is exceeded.
        """
        try:
            return self._run(Frame(scope, execution))
        except EvaluationFailed as failure:
            failure.expression = self.text
            raise
        except RecursionError:
            raise EvaluationFailed("The values are nested too deep", self.text) from None
        except (ArithmeticError, InvalidOperation):
            raise EvaluationFailed("A number is out of bounds", self.text) from None

    def truth(self, scope: Scope, execution: Execution | None = None) -> bool:
        """Result of a condition.

        Raises:
            EvaluationFailed: as for ``evaluate``, or the result is no boolean.
        """
        value = self.evaluate(scope, execution)
        if value is True or value is False:
            return bool(value)
        raise EvaluationFailed(f"The condition gives a {describe_type(value)}, not a boolean", self.text)
