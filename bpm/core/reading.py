"""What an element may ask of the reader while it turns its XML into a node."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Any, Protocol

from bpm.core.expressions import Expression
from bpm.core.xml import CAMUNDA, XmlElement

Armed = tuple[str, Any]
"""A trigger's tag with its definition, as a node holds it."""


class Reading(Protocol):
    """One pass over one process of a file. Problems are collected, never raised, so that all are found at once."""

    @property
    def instant(self) -> datetime:
        """Some fixed instant, for checking texts that count from one."""
        ...

    @property
    def zone(self) -> tzinfo:
        """The engine's zone."""
        ...

    def triggers(self, xml: XmlElement, position: str) -> tuple[Armed, ...]:
        """Read all event definitions of an event, in document order; those not allowed there are problems."""
        ...

    def event(self, xml: XmlElement, reference: str) -> Armed | None:
        """Read the event definition that a QName names, for throwing; a missing one is a problem at `xml`."""
        ...

    def thrown(self, xml: XmlElement) -> tuple[Armed, ...]:
        """Read the event definitions inside an element that stands for a throw event."""
        ...

    def in_event_subprocess(self, xml: XmlElement) -> bool:
        """Return whether the node stands directly inside an event subprocess."""
        ...

    def is_link(self, xml: XmlElement) -> bool:
        """Return whether the event has a link definition."""
        ...

    def link_target(self, xml: XmlElement) -> str | None:
        """Return the catch event at which a throwing link goes on; None where the event is no link."""
        ...

    def node_id(self, reference: str) -> str | None:
        """Return the id of the flow node that a QName names; None where there is none in this process."""
        ...

    def activity(self, xml: XmlElement) -> dict[str, Any]:
        """Return the fields that every `Activity` has, as keyword arguments."""
        ...

    def common(self, xml: XmlElement) -> dict[str, Any]:
        """Return the fields that every `Node` has, as keyword arguments."""
        ...

    def problem(self, xml: XmlElement, rule: str, message: str) -> None:
        """Report that the file breaks a rule here; it will be refused."""
        ...

    def warning(self, xml: XmlElement, rule: str, message: str) -> None:
        """Report what is allowed but may not be meant."""
        ...

    def expression(self, xml: XmlElement, text: str, *, effects: bool = False) -> Expression:
        """Compile text that may hold `${…}`, `#{…}` or `=…`; other text is a constant.

        A syntax error is a problem at `xml`; what is returned then must not be evaluated.
        """
        ...

    def condition(self, xml: XmlElement, text: str) -> Expression:
        """Compile a condition; without marks it is read as JUEL."""
        ...

    def listeners(self, xml: XmlElement, tag: str, event: str) -> tuple[Expression, ...]:
        """Read the expressions of `executionListener` or `taskListener` elements for one event."""
        ...

    def process_extension(self, name: str, space: str = CAMUNDA) -> str | None:
        """Return a vendor attribute of the process element."""
        ...

    def root_element(self, reference: str) -> XmlElement | None:
        """Return the element below `definitions` (message, error, signal …) that a QName names."""
        ...
