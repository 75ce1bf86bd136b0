"""Service, send and business rule task (semantics §5).

External when it says so; else run by the in-process handler registered for its class, delegate expression, type or
topic; else evaluated in the command when it has an expression; else an external task under its declared topic, type,
class or delegate expression, or its id. Which of these is decided when the token arrives, and stands in the event.
A send task with none of these throws its message. Deviations: none.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.declared_errors import DeclaredError, read_declared
from bpm.core.elements.element import Element
from bpm.core.execution import to_storable
from bpm.core.expressions import Expression
from bpm.core.failure import NodeFailed
from bpm.core.graph import Activity
from bpm.core.priorities import evaluate_priority
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.triggers.message import Message, MessageTrigger
from bpm.core.work import offer_to_workers
from bpm.core.xml import OWN, XmlElement

_MESSAGE = MessageTrigger()
_EXTERNAL = frozenset({"external", "external-worker"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceTask(Activity):
    """A service task.

    Attributes:
        external: whether it says that it is for workers.
        topic: an expression, usually constant.
        names: under which a handler may be registered, most specific first.
        retries: initial retries of the external task.
        message: what it throws where it has no other work.
        errors: thrown when the worker of its external task reports, where their conditions are true.
        lease_limit: leases that may run out before the external task fails; None: any number.
    """

    external: bool = False
    topic: Expression | None = None
    names: tuple[str, ...] = ()
    expression: Expression | None = None
    result_variable: str | None = None
    priority: Expression | None = None
    retries: int = 3
    message: Message | None = None
    errors: tuple[DeclaredError, ...] = ()
    lease_limit: int | None = None

    @property
    def throws(self) -> bool:
        """Whether throwing its message is its work."""
        worked = self.external or self.names or self.expression is not None
        return self.message is not None and not worked


class ServiceTaskElement(Element[ServiceTask]):
    """Hands work out, or evaluates it."""

    tags = ("serviceTask", "sendTask", "businessRuleTask")

    def read(self, xml: XmlElement, reading: Reading) -> ServiceTask:
        """Return the node from `camunda:type`, `topic`, `class` … or `zeebe:taskDefinition`."""
        common = reading.activity(xml)
        definition = next(xml.extensions("taskDefinition", "zeebe"), None)
        kind = xml.extension("type")
        topic = xml.extension("topic")
        declared = definition.get("type") if definition is not None else None
        written = xml.extension("expression")
        names = tuple(
            name
            for name in (xml.extension("class"), xml.extension("delegateExpression"), topic, kind, declared)
            if name and name not in _EXTERNAL
        )
        text = topic or declared or (names[0] if names else None)
        priority = xml.extension("taskPriority") or reading.process_extension("taskPriority")
        external = kind in _EXTERNAL or definition is not None
        return ServiceTask(
            **common,
            external=external,
            topic=reading.expression(xml, text) if text else None,
            names=names,
            expression=reading.expression(xml, written, effects=True) if written else None,
            result_variable=xml.extension("resultVariable") or xml.extension("resultVariableName"),
            priority=reading.expression(xml, priority) if priority else None,
            retries=_retries(xml, definition, reading, common["job_retries"]),
            lease_limit=_lease_limit(xml, reading),
            message=_MESSAGE.read(xml, reading) if xml.get("messageRef") else None,
            errors=read_declared(xml, reading, external=external),
        )

    def enter(self, run: Run, node: ServiceTask, token: Token) -> None:
        """Create the external task or the job; or evaluate, or throw the message, and leave."""
        if node.throws and node.message is not None:
            _MESSAGE.throw(run, node, token, node.message)
            run.leave(node, token)
            return
        if not node.external:
            for name in node.names:
                if run.context.has_handler("service", name):
                    run.create_job(node, token, "handler", f"service:{name}")
                    return
            if node.expression is not None:
                value = run.evaluate(node.expression, token)
                if node.result_variable:
                    run.keep_result(token, to_storable(node.result_variable, value))
                run.leave(node, token)
                return
        topic = run.evaluate(node.topic, token) if node.topic is not None else node.id
        if not isinstance(topic, str) or not topic.strip():
            raise NodeFailed("ExpressionFailed", f"The topic of {node.id} is no text.")
        priority = evaluate_priority(run, node.priority, token)
        offer_to_workers(run, token, topic=topic.strip(), priority=priority, retries=node.retries)

    def reads(self, node: ServiceTask) -> frozenset[str] | None:
        """Return the variables of its expressions and the result variable."""
        names = frozenset({node.result_variable} if node.result_variable else ())
        for expression in (node.topic, node.expression, node.priority):
            if expression is not None:
                if expression.names is None:
                    return None
                names |= expression.names
        thrown = _MESSAGE.reads(node.message) if node.message is not None else frozenset()
        return None if thrown is None else names | thrown

    def rests(self, node: ServiceTask) -> bool:
        """Unless it is an expression or throws a message."""
        return node.external or not (node.expression is not None or node.throws)


def _retries(xml: XmlElement, definition: XmlElement | None, reading: Reading, default: int) -> int:
    text = definition.get("retries") if definition is not None else ""
    if not text:
        return default
    if not text.isdigit() or int(text) < 1:
        reading.problem(xml, "retries", f"The number of retries {text!r} is no whole number above zero.")
        return default
    return int(text)


def _lease_limit(xml: XmlElement, reading: Reading) -> int | None:
    text = (xml.extension("leaseLimit", OWN) or reading.process_extension("leaseLimit", OWN) or "").strip()
    return int(text) if text.isascii() and text.isdigit() else None
