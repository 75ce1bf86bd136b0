"""User task: work for a person; the token waits until it is completed (semantics §5). Deviations: none."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bpm.core import events as e
from bpm.core.elements.element import Element
from bpm.core.expressions import Expression
from bpm.core.failure import NodeFailed
from bpm.core.graph import Activity
from bpm.core.priorities import whole_priority
from bpm.core.reading import Reading
from bpm.core.resource_roles import read_roles
from bpm.core.run import Run
from bpm.core.timing import TimingSyntaxError, parse_date
from bpm.core.token import Token, Wait
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTask(Activity):
    """A user task; everything is evaluated when the token arrives."""

    title: Expression | None = None
    assignee: Expression | None = None
    candidate_users: Expression | None = None
    candidate_groups: Expression | None = None
    owner_users: tuple[Expression, ...] = ()
    owner_groups: tuple[Expression, ...] = ()
    due_date: Expression | None = None
    follow_up_date: Expression | None = None
    priority: Expression | None = None
    form_key: Expression | None = None
    on_create: tuple[Expression, ...] = ()
    on_assignment: tuple[Expression, ...] = ()
    on_complete: tuple[Expression, ...] = ()

    @property
    def expressions(self) -> tuple[Expression | None, ...]:
        """All that is evaluated on arrival."""
        return (
            self.title,
            self.assignee,
            self.candidate_users,
            self.candidate_groups,
            self.due_date,
            self.follow_up_date,
            self.priority,
            self.form_key,
            *self.owner_users,
            *self.owner_groups,
            *self.on_create,
            *self.on_assignment,
        )


class UserTaskElement(Element[UserTask]):
    """Creates the task and lets the token wait."""

    tags = ("userTask",)

    def read(self, xml: XmlElement, reading: Reading) -> UserTask:
        """Return the node: `camunda:assignee` …, `zeebe:assignmentDefinition` …, or resource roles."""
        assignment = next(xml.extensions("assignmentDefinition", "zeebe"), None)
        schedule = next(xml.extensions("taskSchedule", "zeebe"), None)
        form = next(xml.extensions("formDefinition", "zeebe"), None)
        priority = next(xml.extensions("priorityDefinition", "zeebe"), None)

        def compiled(name: str, other: XmlElement | None, other_name: str) -> Expression | None:
            text = xml.extension(name)
            if text is None and other is not None:
                text = other.attributes.get(other_name)
            return reading.expression(xml, text) if text and text.strip() else None

        roles = read_roles(xml, reading)
        for role in roles.nameless:
            message = (
                f"The {role.tag} names nobody: it needs a resourceAssignmentExpression or a resourceRef."
            )
            reading.problem(role, "resource-role", message)
        return UserTask(
            **reading.activity(xml),
            title=reading.expression(xml, xml.get("name")) if xml.get("name") else None,
            assignee=compiled("assignee", assignment, "assignee") or roles.performer,
            candidate_users=compiled("candidateUsers", assignment, "candidateUsers"),
            candidate_groups=compiled("candidateGroups", assignment, "candidateGroups"),
            owner_users=roles.users,
            owner_groups=roles.groups,
            due_date=compiled("dueDate", schedule, "dueDate"),
            follow_up_date=compiled("followUpDate", schedule, "followUpDate"),
            priority=compiled("priority", priority, "priority"),
            form_key=compiled("formKey", form, "formKey"),
            on_create=reading.listeners(xml, "taskListener", "create"),
            on_assignment=reading.listeners(xml, "taskListener", "assignment"),
            on_complete=reading.listeners(xml, "taskListener", "complete"),
        )

    def enter(self, run: Run, node: UserTask, token: Token) -> None:
        """Emit UserTaskCreated, TokenBlocked."""
        event = e.UserTaskCreated(
            task=run.new_id(),
            token=token.id,
            node=node.id,
            name=_text(run, node.title, token) or node.name or node.id,
            assignee=_text(run, node.assignee, token),
            candidate_users=_names(run, token, node.candidate_users, *node.owner_users),
            candidate_groups=_names(run, token, node.candidate_groups, *node.owner_groups),
            due_at=_instant(run, node.due_date, token),
            follow_up_at=_instant(run, node.follow_up_date, token),
            priority=_priority(run, node.priority, token),
            form_key=_text(run, node.form_key, token),
        )
        run.emit(event)
        run.listen(node.on_create, token)
        if event.assignee is not None:
            run.listen(node.on_assignment, token)
        run.block(token, Wait.USER)

    def reads(self, node: UserTask) -> frozenset[str] | None:
        """Return the variables of all its expressions."""
        names: frozenset[str] = frozenset()
        for expression in node.expressions:
            if expression is not None:
                if expression.names is None:
                    return None
                names |= expression.names
        return names

    def rests(self, node: UserTask) -> bool:
        """Always."""
        return True


def _value(run: Run, expression: Expression | None, token: Token) -> Any:
    return None if expression is None else run.evaluate(expression, token)


def _text(run: Run, expression: Expression | None, token: Token) -> str | None:
    value = _value(run, expression, token)
    return None if value is None else str(value).strip() or None


def _names(run: Run, token: Token, *expressions: Expression | None) -> tuple[str, ...]:
    parts: list[Any] = []
    for expression in expressions:
        value = _value(run, expression, token)
        if value is not None:
            parts += value if isinstance(value, list) else str(value).split(",")
    return tuple(dict.fromkeys(text for part in parts if (text := str(part).strip())))


def _instant(run: Run, expression: Expression | None, token: Token) -> datetime | None:
    value = _value(run, expression, token)
    if value is None or value == "":
        return None
    try:
        return parse_date(str(value), run.context.zone)
    except TimingSyntaxError as error:
        raise NodeFailed("TimerInvalid", str(error)) from None


def _priority(run: Run, expression: Expression | None, token: Token) -> int:
    value = _value(run, expression, token)
    if value is None:
        return 50
    return whole_priority(value)
