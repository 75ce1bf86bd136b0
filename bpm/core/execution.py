"""The `execution` object that expressions see (semantics §9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bpm.core.errors import VariableInvalid
from bpm.core.expressions import EvaluationFailed, to_json_value
from bpm.core.failure import NodeFailed
from bpm.core.lookup import owner_of
from bpm.core.values import check_variables

if TYPE_CHECKING:
    from bpm.core.stage import Place, Stage


def to_storable(name: str, value: object) -> dict[str, Any]:
    """Return the variable that an expression's result makes, by its name.

    Raises:
        NodeFailed: the result is no JSON value (a function, a range, NaN), or breaks a rule for variables.
    """
    try:
        return check_variables({name: to_json_value(value)})
    except (EvaluationFailed, VariableInvalid) as failure:
        raise NodeFailed("ExpressionFailed", f"The result cannot be stored: {failure}") from None


class ExecutionObject:
    """A place and its instance, for one evaluation; setters emit events at once."""

    __slots__ = ("_place", "_stage")

    def __init__(self, stage: Stage, place: Place) -> None:
        self._stage = stage
        self._place = place

    @property
    def process_instance_id(self) -> str:
        """The instance's id."""
        return self._stage.state.instance.id

    @property
    def process_business_key(self) -> str | None:
        """The instance's business key."""
        return self._stage.state.instance.business_key

    @property
    def current_activity_id(self) -> str:
        """Id of the node whose expression it is."""
        return self._place.node

    def get_variable(self, name: str) -> Any:
        """Return a variable, None where there is none."""
        try:
            return self._stage.lookup(self._place).lookup(name)
        except KeyError:
            return None

    def has_variable(self, name: str) -> bool:
        """Return whether any scope outwards has it."""
        try:
            self._stage.lookup(self._place).lookup(name)
        except KeyError:
            return False
        return True

    def set_variable(self, name: str, value: object) -> None:
        """Set a variable where it stands outwards, else in the process."""
        self._stage.set_variables(self._place.scope, to_storable(name, value))

    def set_variable_local(self, name: str, value: object) -> None:
        """Set a variable in the place's own scope."""
        self._stage.set_variables(self._place.scope, to_storable(name, value), local=True)

    def remove_variable(self, name: str) -> None:
        """Remove a variable where it stands outwards, if it does."""
        state = self._stage.state
        owner = owner_of(state, self._place.scope, name)
        if state.variable(owner, name) is not None:
            self._stage.remove_variable(owner, name)
