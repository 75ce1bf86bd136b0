"""What a running expression sees: variables, local names, the execution and its budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from bpm.core.expressions.bounds import MAX_CALL_FRAMES, MAX_STEPS, MAX_TEXT_LENGTH
from bpm.core.expressions.errors import EvaluationFailed


class Scope(Protocol):
    """The variables an evaluation reads.

    A scope may also have an attribute ``now``, an aware ``datetime``: it is what FEEL's ``now()``
    and ``today()`` answer. Without it they fail, as an evaluation has no clock of its own.
    """

    def lookup(self, name: str) -> object:
        """Value of the variable, a JSON value.

        Raises:
            KeyError: there is no such variable.
        """
        ...


class Execution(Protocol):
    """The execution object of JUEL expressions (semantics §9)."""

    @property
    def process_instance_id(self) -> object:
        """Identity of the process instance, as text or None."""
        ...

    @property
    def process_business_key(self) -> object:
        """Business key of the process instance, as text or None."""
        ...

    @property
    def current_activity_id(self) -> object:
        """Id of the BPMN element the expression belongs to, as text or None."""
        ...

    def get_variable(self, name: str) -> object:
        """Value of the variable seen from here; None or KeyError when there is none."""
        ...

    def has_variable(self, name: str) -> bool:
        """Whether a variable of that name is seen from here."""
        ...

    def set_variable(self, name: str, value: object) -> None:
        """Write to the nearest scope that has the variable, else to the process."""
        ...

    def set_variable_local(self, name: str, value: object) -> None:
        """Write to the scope of the execution itself."""
        ...

    def remove_variable(self, name: str) -> None:
        """Remove the variable from the nearest scope that has it."""
        ...


class Budget:
    """Steps that one evaluation may still use and depth it has; shared by all its frames."""

    __slots__ = ("depth", "steps")

    def __init__(self, steps: int = MAX_STEPS) -> None:
        """Begin with ``steps`` steps and no call open."""
        self.steps = steps
        self.depth = 0


class Frame:
    """The variables of the scope with the local names of one place of the expression.

    A frame is never changed once an inner expression has seen it: a binder makes a new one, so
    that a function value can keep the frame it was defined in.
    """

    __slots__ = ("budget", "execution", "locals", "lookup", "scope")

    def __init__(self, scope: Scope, execution: Execution | None) -> None:
        """Root frame of an evaluation."""
        self.scope = scope
        self.lookup: Callable[[str], Any] = scope.lookup
        self.execution = execution
        self.locals: dict[str, Any] = _NO_LOCALS
        self.budget: Budget | None = None

    def bind(self, names: Mapping[str, Any]) -> Frame:
        """Inner frame in which ``names`` hide what was bound before."""
        self.charge(1)
        inner = Frame(self.scope, self.execution)
        inner.locals = {**self.locals, **names}
        inner.budget = self.budget
        return inner

    def charge(self, steps: int) -> None:
        """Use up steps of the budget.

        Raises:
            EvaluationFailed: the budget is exhausted.
        """
        budget = self.budget
        if budget is None:
            budget = self.budget = Budget()
        budget.steps -= steps
        if budget.steps < 0:
            raise EvaluationFailed(f"The evaluation takes more than {MAX_STEPS} steps")

    def enter_call(self, height: int) -> Budget:
        """Open a call of a user-defined function; the caller lowers ``depth`` by the height again.

        Raises:
            EvaluationFailed: too many calls are open.
        """
        self.charge(1)
        budget = self.budget
        assert budget is not None
        budget.depth += height
        if budget.depth > MAX_CALL_FRAMES:
            budget.depth -= height
            raise EvaluationFailed("Function calls are nested too deep")
        return budget


_NO_LOCALS: dict[str, Any] = {}


def bound_text(text: str) -> str:
    """The text itself, if it is within the bound of MAX_TEXT_LENGTH characters.

    Raises:
        EvaluationFailed: it is longer.
    """
    if len(text) > MAX_TEXT_LENGTH:
        raise EvaluationFailed(f"The evaluation builds a text of more than {MAX_TEXT_LENGTH} characters")
    return text
