"""Condition: true when variables say so (semantics §7). Deviations: none.

Asked when the subscription opens, then after each node that set variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bpm.core import events as e
from bpm.core.arming import Owner
from bpm.core.expressions import Expression
from bpm.core.graph import Node
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Wait
from bpm.core.triggers.trigger import BOUNDARY, CATCH, HANDLER, START, Trigger
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What must be true.

    Attributes:
        variable: only changes of this variable count.
        events: only these changes count (`create`, `update`, `delete`); empty: all.
    """

    expression: Expression
    variable: str | None = None
    events: frozenset[str] = frozenset()


class ConditionalTrigger(Trigger[Condition]):
    """Opens a subscription that `bpm.core.conditions` asks."""

    tag = "conditionalEventDefinition"
    wait = Wait.CONDITION
    positions = frozenset({START, HANDLER, CATCH, BOUNDARY})

    def read(self, xml: XmlElement, reading: Reading) -> Condition:
        """Return the condition with Camunda's filters."""
        text = xml.child_text("condition") or ""
        if not text:
            reading.problem(xml, "condition", "A conditional event needs a condition.")
        events = (xml.extension("variableEvents") or "").replace(" ", "").split(",")
        return Condition(
            expression=reading.condition(xml, text or "${false}"),
            variable=xml.extension("variableName"),
            events=frozenset(event for event in events if event),
        )

    def arm(self, run: Run, node: Node, owner: Owner, definition: Condition, number: int) -> None:
        """Emit SubscriptionOpened; it is asked before the next token moves."""
        subscription = run.new_id()
        run.emit(
            e.SubscriptionOpened(
                subscription=subscription,
                kind="condition",
                name=str(number),
                token=owner.token,
                scope=owner.scope,
                node=node.id,
            )
        )
        run.opened.append(subscription)

    def reads(self, definition: Condition) -> frozenset[str] | None:
        """Return the variables of the expression."""
        return definition.expression.names


def condition_of(node: Any, number: int) -> Condition:
    """Return the condition at a position of a node's definitions."""
    found: Condition = node.triggers[number][1]
    return found
