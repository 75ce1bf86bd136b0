"""One pass over one process: what elements and triggers may ask while they read themselves."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Any, Final

from bpm.bpmn.async_job import read_job
from bpm.bpmn.file_index import FileIndex
from bpm.bpmn.layout import Layout
from bpm.bpmn.namespaces import local_part
from bpm.bpmn.problems import Problems
from bpm.bpmn.tags import is_event_definition
from bpm.core.expressions import Expression, ExpressionSyntaxError, compile_condition, compile_expression
from bpm.core.reading import Armed
from bpm.core.triggers.registry import TRIGGERS
from bpm.core.xml import XmlElement

CHECK_INSTANT: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""From when due times are counted in checks: fixed, so that a file is judged the same at any time."""

_INVALID: Final = compile_expression("")


class ProcessReading:
    """Implements `Reading` for one process.

    Attributes:
        elements: all elements of the file by id.
        scope_names: ids of the process and its subprocesses.
        script_formats: lower-case formats for which a handler is registered.
    """

    def __init__(
        self,
        layout: Layout,
        elements: FileIndex,
        problems: Problems,
        zone: tzinfo,
        script_formats: frozenset[str],
    ) -> None:
        self.elements = elements
        self.script_formats = script_formats
        self.scope_names = frozenset(layout.scopes)
        self._layout = layout
        self._zone = zone
        self.problem = problems.problem
        self.warning = problems.warning

    @property
    def instant(self) -> datetime:
        """A fixed instant."""
        return CHECK_INSTANT

    @property
    def zone(self) -> tzinfo:
        """The engine's zone."""
        return self._zone

    def event_definitions(self, xml: XmlElement) -> tuple[XmlElement, ...]:
        """Return an event's definitions in document order, referenced ones followed."""
        found: list[XmlElement] = []
        for child in xml.children:
            if is_event_definition(child):
                found.append(child)
            elif child.tag == "eventDefinitionRef":
                referenced = self.elements.find(child.text)
                if referenced is not None and is_event_definition(referenced):
                    found.append(referenced)
        return tuple(found)

    def has_definition(self, xml: XmlElement, tag: str) -> bool:
        """Return whether one of an event's definitions is of that kind."""
        return any(definition.tag == tag for definition in self.event_definitions(xml))

    def triggers(self, xml: XmlElement) -> tuple[Armed, ...]:
        """Read all event definitions; those without a trigger are problems."""
        armed: list[Armed] = []
        for definition in self.event_definitions(xml):
            trigger = TRIGGERS.get(definition.tag)
            if trigger is None:
                self._unsupported_definition(xml, definition)
            else:
                armed.append((definition.tag, trigger.read(definition, self)))
        return tuple(armed)

    def no_event_definition(self, xml: XmlElement, *allowed: str) -> None:
        """Report every event definition but the allowed ones."""
        for definition in self.event_definitions(xml):
            if definition.tag not in allowed:
                self._unsupported_definition(xml, definition)

    def _unsupported_definition(self, xml: XmlElement, definition: XmlElement) -> None:
        message = f"The element {xml.tag} with {definition.tag} is not supported."
        self.problem(xml, "unsupported-element", message)

    def common(self, xml: XmlElement) -> dict[str, Any]:
        """Return the fields of every node."""
        layout = self._layout
        node = layout.nodes[layout.ids[id(xml)]]
        outgoing = tuple(layout.outgoing.get(node.id, ()))
        return {
            "id": node.id,
            "tag": node.tag,
            "scope": node.scope,
            "name": xml.get("name").strip(),
            "incoming": tuple(layout.incoming.get(node.id, ())),
            "outgoing": outgoing,
            "default": self._default(xml, outgoing),
            "order": node.order,
            "line": xml.line,
            "attached_to": self._host(xml),
            "documentation": xml.child_text("documentation") or "",
            **read_job(xml, self),
        }

    def _host(self, xml: XmlElement) -> str | None:
        host = self._layout.node(xml.get("attachedToRef"))
        return host.id if host is not None else None

    def _default(self, xml: XmlElement, outgoing: tuple[str, ...]) -> str | None:
        reference = xml.get("default").strip()
        if not reference:
            return None
        for name in (reference, local_part(reference)):
            if name in outgoing:
                return name
        self.problem(xml, "default-flow", f"The default flow {reference!r} does not leave this element.")
        return None

    def expression(self, xml: XmlElement, text: str, *, effects: bool = False) -> Expression:
        """Compile a text; a syntax error is a problem at `xml`."""
        try:
            return compile_expression(text, effects=effects)
        except ExpressionSyntaxError as error:
            return self._invalid(xml, error)

    def condition(self, xml: XmlElement, text: str) -> Expression:
        """Compile a condition; a syntax error is a problem at `xml`."""
        try:
            return compile_condition(text)
        except ExpressionSyntaxError as error:
            return self._invalid(xml, error)

    def _invalid(self, xml: XmlElement, error: ExpressionSyntaxError) -> Expression:
        self.problem(xml, "expression", f"{error}.")
        return _INVALID

    def process_extension(self, name: str) -> str | None:
        """Return a vendor attribute of the process."""
        return self._layout.xml.extension(name)

    def root_element(self, reference: str) -> XmlElement | None:
        """Return what a QName names below `definitions`."""
        return self.elements.top(reference)
