"""What passes between a call activity and the process it calls: variables in, variables out (semantics §4).

Without mappings nothing is passed. `all` comes first, then the single ones, in document order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from bpm.core.execution import ExecutionObject, to_storable
from bpm.core.expressions import EvaluationFailed, Expression
from bpm.core.failure import NodeFailed
from bpm.core.graph import Activity
from bpm.core.layers import ACTIVITY, layer_of
from bpm.core.lookup import own_variables, visible_variables
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.values import from_text, is_hidden


class CallMapping(NamedTuple):
    """One mapping of a call: all variables, one by name, or the value of an expression, under a name of its own.

    Attributes:
        name: variable that is passed; None with an expression, and with all.
        expression: evaluated where the value comes from.
        target: its name where it goes; empty with all.
        local: in: only what stands in the call's own scope; out: it stays there.
        optional: what is not set is not passed, rather than null (data inputs and outputs).
    """

    name: str | None
    expression: Expression | None
    target: str
    local: bool = False
    optional: bool = False

    @property
    def everything(self) -> bool:
        """Whether it passes all variables."""
        return self.name is None and self.expression is None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallActivity(Activity):
    """A call activity.

    Attributes:
        process: key of what is called.
        binding: `latest`, `version`, `versionTag` or `deployment`.
        version: number or tag, where the binding needs one.
        passed, returned: variables in and out.
    """

    process: Expression
    binding: str = "latest"
    version: Expression | None = None
    business_key: Expression | None = None
    passed: tuple[CallMapping, ...] = ()
    returned: tuple[CallMapping, ...] = ()


class Returned(NamedTuple):
    """A variable that comes back; `local`: it stays in the call's own scope."""

    name: str
    value: Any
    local: bool


class Given:
    """Variables handed over as a mapping; implements the `Scope` protocol of `bpm.core.expressions`."""

    __slots__ = ("_variables", "now")

    def __init__(self, variables: Mapping[str, Any], now: datetime) -> None:
        self._variables = variables
        self.now = now

    def lookup(self, name: str) -> Any:
        """Return a value; raises KeyError."""
        return self._variables[name]


def variables_in(run: Run, node: CallActivity, token: Token) -> dict[str, Any]:
    """Return the variables with which the called process starts; one that is missing is null.

    Raises:
        NodeFailed: an expression cannot be evaluated.
    """
    own = layer_of(run, node, token) == ACTIVITY
    passed: dict[str, Any] = {}
    for mapping in sorted(node.passed, key=lambda mapping: not mapping.everything):
        if mapping.everything:
            passed |= _everything(run, token, local=mapping.local, own=own)
        elif mapping.expression is not None:
            passed |= to_storable(mapping.target, run.evaluate(mapping.expression, token))
        elif mapping.local:
            found = run.state.variable(token.scope, mapping.name or "") if own else None
            if found is not None or not mapping.optional:
                passed[mapping.target] = from_text(found.value) if found is not None else None
        else:
            passed[mapping.target] = _visible(run, token, mapping.name or "")
    return passed


def _everything(run: Run, token: Token, *, local: bool, own: bool) -> dict[str, Any]:
    if not local:
        found = visible_variables(run.state, token.scope)
    else:
        found = own_variables(run.state, token.scope) if own else {}
    return {name: value for name, value in found.items() if not is_hidden(name)}


def _visible(run: Run, token: Token, name: str) -> Any:
    try:
        return run.lookup(token).lookup(name)
    except KeyError:
        return None


def variables_out(run: Run, node: CallActivity, token: Token, given: Mapping[str, Any]) -> list[Returned]:
    """Return what comes back of the called process's variables; one that is missing is null.

    Raises:
        NodeFailed: an expression cannot be evaluated.
    """
    found: list[Returned] = []
    for mapping in sorted(node.returned, key=lambda mapping: not mapping.everything):
        local = mapping.local or node.mappings_local
        if mapping.everything:
            found += [Returned(name, value, local) for name, value in given.items() if not is_hidden(name)]
        elif mapping.expression is not None:
            value = _evaluate(run, mapping.expression, token, given)
            found += [Returned(*item, local) for item in to_storable(mapping.target, value).items()]
        elif mapping.name in given or not mapping.optional:
            found.append(Returned(mapping.target, given.get(mapping.name or ""), local))
    return found


def _evaluate(run: Run, expression: Expression, token: Token, given: Mapping[str, Any]) -> Any:
    try:
        return expression.evaluate(Given(given, run.context.now), ExecutionObject(run, token))
    except EvaluationFailed as failure:
        raise NodeFailed("ExpressionFailed", str(failure)) from None


def keep_returned(run: Run, node: CallActivity, token: Token, returned: list[Returned]) -> None:
    """Set what came back: as a completion does, or in the call's own scope if it has one."""
    run.set_variables(token.scope, {one.name: one.value for one in returned if not one.local})
    if layer_of(run, node, token) == ACTIVITY:
        run.set_variables(token.scope, {one.name: one.value for one in returned if one.local}, local=True)


def names_returned(node: CallActivity, given: Mapping[str, Any]) -> list[str]:
    """Return the names under which variables may be set when the called process returns."""
    names = [mapping.target for mapping in node.returned if not mapping.everything]
    return [*names, *given] if any(mapping.everything for mapping in node.returned) else names
