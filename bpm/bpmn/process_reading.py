"""One pass over one process: what elements and triggers may ask while they read themselves."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from functools import cached_property, lru_cache
from typing import Any, Final

from bpm.bpmn.activity_reading import read_activity, read_event
from bpm.bpmn.async_job import read_job
from bpm.bpmn.compensation import COMPENSATE, handlers_by_activity
from bpm.bpmn.data_names import DataNames
from bpm.bpmn.file_index import FileIndex
from bpm.bpmn.languages import is_feel
from bpm.bpmn.layout import Layout
from bpm.bpmn.namespaces import local_part
from bpm.bpmn.problems import Problems
from bpm.bpmn.tags import EVENTS, is_event_definition, is_true
from bpm.core.expressions import Expression, ExpressionSyntaxError, compile_condition, compile_expression
from bpm.core.reading import Armed
from bpm.core.triggers.registry import TRIGGERS
from bpm.core.triggers.trigger import THROW
from bpm.core.xml import CAMUNDA, XmlElement

CHECK_INSTANT: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""From when due times are counted in checks: fixed, so that a file is judged the same at any time."""

_INVALID: Final = compile_expression("")


def _compiled(text: str, condition: bool, effects: bool) -> Expression | ExpressionSyntaxError:
    try:
        return compile_condition(text) if condition else compile_expression(text, effects=effects)
    except ExpressionSyntaxError as error:
        return error


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
        self._definitions: dict[int, tuple[XmlElement, tuple[XmlElement, ...]]] = {}
        # Thousands of elements may have one text, such as the name of a signal: it is compiled once.
        self._compiled = lru_cache(maxsize=None)(_compiled)
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
        known = self._definitions.get(id(xml))
        if known is None:
            # The element is kept beside, so that no other one comes to have its identity.
            known = self._definitions[id(xml)] = (xml, tuple(self._definitions_of(xml)))
        return known[1]

    def _definitions_of(self, xml: XmlElement) -> Iterator[XmlElement]:
        for child in xml.children:
            if is_event_definition(child):
                yield child
            elif child.tag == "eventDefinitionRef":
                referenced = self.elements.find(child.text)
                if referenced is not None and is_event_definition(referenced):
                    yield self.elements.copied(referenced)

    def has_definition(self, xml: XmlElement, tag: str) -> bool:
        """Return whether one of an event's definitions is of that kind."""
        return any(definition.tag == tag for definition in self.event_definitions(xml))

    def triggers(self, xml: XmlElement, position: str) -> tuple[Armed, ...]:
        """Read all event definitions; those without a trigger for this position are problems."""
        definitions = self.event_definitions(xml)
        return tuple(armed for one in definitions for armed in self._armed(xml, one, position))

    def event(self, xml: XmlElement, reference: str) -> Armed | None:
        """Read a referenced event definition."""
        found = self.elements.find(reference)
        if found is None or not is_event_definition(found):
            self.problem(xml, "event-reference", f"The event definition {reference!r} is not in the file.")
            return None
        armed = self._armed(xml, found, THROW)
        return armed[0] if armed else None

    def thrown(self, xml: XmlElement) -> tuple[Armed, ...]:
        """Read the definitions of what stands for a throw event."""
        return self.triggers(xml, THROW)

    def _armed(self, xml: XmlElement, definition: XmlElement, position: str) -> tuple[Armed, ...]:
        trigger = TRIGGERS.get(definition.tag)
        if trigger is None or position not in trigger.positions:
            self._unsupported_definition(xml, definition)
            return ()
        return ((definition.tag, trigger.read(definition, self)),)

    def in_event_subprocess(self, xml: XmlElement) -> bool:
        """Return whether the scope around the node is an event subprocess."""
        scope = self._layout.nodes[self._layout.ids[id(xml)]].scope
        return is_true(self._layout.scopes[scope].xml.get("triggeredByEvent"))

    def is_link(self, xml: XmlElement) -> bool:
        """Return whether the event is a link."""
        return self.has_definition(xml, "linkEventDefinition")

    def link_target(self, xml: XmlElement) -> str | None:
        """Return the catch in the same scope, by name or else by `target`; the checks report a missing one."""
        link = self._link(xml)
        if link is None:
            return None
        scope = self._layout.nodes[self._layout.ids[id(xml)]].scope
        by_name = self._link_catches.get((scope, "name", link.get("name").strip()))
        return by_name or self._link_catches.get((scope, "id", link.child_text("target") or ""), "")

    @cached_property
    def _link_catches(self) -> dict[tuple[str, str, str], str]:
        """Link catches by scope and by their definition's name or id."""
        found: dict[tuple[str, str, str], str] = {}
        for node in self._layout.nodes.values():
            link = self._link(node.xml) if node.tag == "intermediateCatchEvent" else None
            if link is not None:
                found.setdefault((node.scope, "name", link.get("name").strip()), node.id)
                found.setdefault((node.scope, "id", link.id), node.id)
        return found

    def _link(self, xml: XmlElement) -> XmlElement | None:
        definitions = self.event_definitions(xml)
        return next((one for one in definitions if one.tag == "linkEventDefinition"), None)

    def activity(self, xml: XmlElement) -> dict[str, Any]:
        """Return the fields of every activity."""
        common = self.common(xml)
        boundary = tuple(
            node.id
            for node in self._layout.boundaries.get(common["id"], ())
            if not self.has_definition(node.xml, COMPENSATE)
        )
        compensation = self._handlers.get(common["id"])
        return {**common, **read_activity(xml, self), "boundary": boundary, "compensation": compensation}

    @cached_property
    def _handlers(self) -> dict[str, str]:
        return handlers_by_activity(self._layout, self)

    @cached_property
    def data(self) -> DataNames:
        """The data elements of the process."""
        return DataNames(self._layout.xml, self.elements)

    def node_id(self, reference: str) -> str | None:
        """Return the id of a flow node of the process."""
        node = self._layout.node(reference)
        return node.id if node is not None else None

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
            "on_start": self.listeners(xml, "executionListener", "start"),
            "on_end": self.listeners(xml, "executionListener", "end"),
            "documentation": xml.child_text("documentation") or "",
            **read_job(xml, self),
            **(read_event(xml, self) if node.tag in EVENTS else {}),
        }

    def take_listeners(self, xml: XmlElement) -> tuple[Expression, ...]:
        """Return the listeners of a flow."""
        return self.listeners(xml, "executionListener", "take")

    def listeners(self, xml: XmlElement, tag: str, event: str) -> tuple[Expression, ...]:
        """Return the expressions of listeners; those without one are refused by the checks."""
        return tuple(
            self.expression(listener, listener.get("expression"), effects=True)
            for listener in xml.extensions(tag)
            if listener.get("event") == event and listener.get("expression")
        )

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
        return self._valid(xml, self._compiled(text, False, effects))

    def condition(self, xml: XmlElement, text: str) -> Expression:
        """Compile a condition; a syntax error is a problem at `xml`.

        Text without marks is FEEL where the file says so (`expressionLanguage`), else JUEL.
        """
        if self._in_feel and not text.strip().startswith(("=", "${", "#{")):
            text = "=" + text.strip()
        return self._valid(xml, self._compiled(text, True, False))

    @cached_property
    def _in_feel(self) -> bool:
        return is_feel(self.elements.root.get("expressionLanguage").strip())

    def _valid(self, xml: XmlElement, found: Expression | ExpressionSyntaxError) -> Expression:
        if isinstance(found, Expression):
            return found
        self.problem(xml, "expression", f"{found}.")
        return _INVALID

    def process_extension(self, name: str, space: str = CAMUNDA) -> str | None:
        """Return a vendor attribute of the process."""
        return self._layout.xml.extension(name, space)

    def root_element(self, reference: str) -> XmlElement | None:
        """Return what a QName names below `definitions`."""
        return self.elements.top(reference)
