"""Functions of FEEL: those an expression defines and those of the library, and how they are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from bpm.core.expressions.arithmetic import read_number
from bpm.core.expressions.bounds import TEXT_PER_STEP
from bpm.core.expressions.feel.comparison import type_of
from bpm.core.expressions.feel.types import FeelType
from bpm.core.expressions.frame import Frame
from bpm.core.expressions.pratt import Run

MISSING: Final = object()


@dataclass(frozen=True, slots=True, eq=False)
class FeelFunction:
    """A function an expression defines, with the frame it was defined in.

    Attributes:
        parameters: names in order.
        types: declared types, None where there is none.
        body: closure of the body.
        frame: what the body sees besides its parameters.
        height: closures inside one another that a call takes up.
        result: type of the result, None when it is not declared.
    """

    type_name: ClassVar[str] = "function"
    parameters: tuple[str, ...]
    types: tuple[FeelType | None, ...]
    body: Run
    frame: Frame
    height: int
    result: FeelType | None = None

    def call(self, frame: Frame, arguments: Sequence[Any], names: Sequence[str] | None = None) -> Any:
        """Result for the arguments, in order or by name; None when they do not fit.

        Args:
            frame: who calls; pays for it.
            arguments: the values.
            names: names of the arguments, None when they stand in order.

        Raises:
            EvaluationFailed: calls are nested too deep, or the budget is used up.
        """
        bound = _arrange(self.parameters, arguments, names)
        if bound is None:
            return None
        values = [
            value if kind is None else kind.convert(value)
            for value, kind in zip(bound, self.types, strict=True)
        ]
        if any(new is None and old is not None for new, old in zip(values, bound, strict=True)):
            return None
        budget = frame.enter_call(self.height)
        try:
            inner = self.frame.bind(dict(zip(self.parameters, values, strict=True)))
            inner.budget = budget
            result = self.body(inner)
        finally:
            budget.depth -= self.height
        return result if self.result is None else self.result.convert(result)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a library function.

    Attributes:
        name: as named arguments write it.
        kind: type name, ``any``, or several with ``|``.
        nullable: whether null is passed on; otherwise it makes the call give null.
        optional: whether it may be left out.
        repeated: whether it takes all the rest of the arguments, as a list.
    """

    name: str
    kind: str
    nullable: bool
    optional: bool
    repeated: bool


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature of a library function and what computes it.

    ``body`` takes the frame and then one value per parameter; what was left out is None.
    """

    parameters: tuple[Parameter, ...]
    body: Callable[..., Any]

    def bind(self, arguments: Sequence[Any], names: Sequence[str] | None) -> list[Any] | None:
        """One value per parameter; None when the arguments do not fit."""
        last = self.parameters[-1] if self.parameters else None
        if last is not None and last.repeated and names is None:
            fixed = len(self.parameters) - 1
            if len(arguments) <= fixed and not last.optional:
                return None
            arguments = [*arguments[:fixed], list(arguments[fixed:])]
        bound = _arrange([parameter.name for parameter in self.parameters], arguments, names, fill=True)
        if bound is None:
            return None
        values = []
        for parameter, value in zip(self.parameters, bound, strict=True):
            converted = _fit(parameter, value)
            if converted is MISSING:
                return None
            values.append(converted)
        return values


@dataclass(frozen=True, slots=True)
class Builtin:
    """A function of the library.

    Attributes:
        name: as expressions write it.
        overloads: tried in order; the first whose parameters fit computes the result.
    """

    type_name: ClassVar[str] = "function"
    name: str
    overloads: tuple[Overload, ...]

    @property
    def types(self) -> tuple[FeelType | None, ...]:
        """Types of the parameters of the first overload, None where several fit."""
        kinds = (parameter.kind for parameter in self.overloads[0].parameters)
        return tuple(None if kind == "any" or "|" in kind else FeelType(kind) for kind in kinds)

    def call(self, frame: Frame, arguments: Sequence[Any], names: Sequence[str] | None = None) -> Any:
        """Result for the arguments; None when no overload takes them."""
        frame.charge(1 + sum(map(_cost, arguments)))
        for overload in self.overloads:
            values = overload.bind(arguments, names)
            if values is not None:
                return overload.body(frame, *values)
        return None


def _cost(argument: Any) -> int:
    """Steps for passing an argument: by its size, as the function may copy it."""
    if isinstance(argument, str):
        return len(argument) // TEXT_PER_STEP
    return len(argument) if isinstance(argument, list) else 0


def _arrange(
    parameters: Sequence[str], arguments: Sequence[Any], names: Sequence[str] | None, *, fill: bool = False
) -> list[Any] | None:
    """The arguments in the order of the parameters; with ``fill``, MISSING for what was left out."""
    if names is None:
        values = list(arguments)
    else:
        given = dict(zip(names, arguments, strict=True))
        if len(given) != len(names) or not given.keys() <= set(parameters):
            return None
        values = [given.get(name, MISSING) for name in parameters]
        if not fill and MISSING in values:
            return None
    if len(values) > len(parameters) or (not fill and len(values) < len(parameters)):
        return None
    return values + [MISSING] * (len(parameters) - len(values))


def _fit(parameter: Parameter, value: Any) -> Any:
    """The value as the parameter takes it, MISSING when it does not."""
    if value is MISSING:
        return None if parameter.optional else MISSING
    if value is None:
        if parameter.nullable or parameter.kind == "any":
            return None
        return MISSING
    kinds = parameter.kind.split("|")
    if parameter.kind == "any" or type_of(value) in kinds:
        return read_number(value) if isinstance(value, float) else value
    if "list" in kinds:
        return [value]
    if isinstance(value, list) and len(value) == 1 and type_of(value[0]) in kinds:
        return value[0]
    return MISSING
