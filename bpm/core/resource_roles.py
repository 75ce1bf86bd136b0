"""Who may do a user task, by BPMN's own resource roles (semantics §5).

`humanPerformer` (or `performer`) is the assignee. `potentialOwner` lists candidates: `user(kim), group(sales)`; a name
without either word is a group, and so is a resource that is referred to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from bpm.core.expressions import Expression
from bpm.core.reading import Reading
from bpm.core.xml import XmlElement

_PERFORMERS: Final = ("humanPerformer", "performer")
_PART: Final = re.compile(r"(?:[^,{(\[\"']|\{[^}]*\}|\([^)]*\)|\[[^\]]*\]|\"[^\"]*\"|'[^']*')+")
_CALL: Final = re.compile(r"(user|group)\s*\((.*)\)", re.DOTALL)


class Roles(NamedTuple):
    """The resource roles of one task.

    Attributes:
        performer: assignee, None where none is said.
        users, groups: candidates; each expression gives one name, a list, or names with commas between.
        nameless: roles that name nobody.
    """

    performer: Expression | None
    users: tuple[Expression, ...]
    groups: tuple[Expression, ...]
    nameless: tuple[XmlElement, ...]


def read_roles(xml: XmlElement, reading: Reading) -> Roles:
    """Return the roles that stand inside a task."""
    texts = [(role, _text(role, reading)) for role in _roles(xml, *_PERFORMERS, "potentialOwner")]
    performers = [text for role, text in texts if role.tag in _PERFORMERS and text]
    users: list[Expression] = []
    groups: list[Expression] = []
    for role, text in texts:
        for part in _parts(text) if role.tag not in _PERFORMERS else ():
            call = _CALL.fullmatch(part)
            names = users if call is not None and call[1] == "user" else groups
            names.append(reading.expression(role, (call[2] if call is not None else part).strip()))
    performer = reading.expression(xml, performers[0]) if performers else None
    nameless = tuple(role for role, text in texts if not text)
    return Roles(performer, tuple(users), tuple(groups), nameless)


def _roles(xml: XmlElement, *tags: str) -> Iterator[XmlElement]:
    return (role for tag in tags for role in xml.all(tag))


def _parts(text: str) -> list[str]:
    if text.startswith("="):
        return [text]
    return [part.strip() for part in _PART.findall(text) if part.strip()]


def _text(role: XmlElement, reading: Reading) -> str:
    assigned = role.first("resourceAssignmentExpression")
    for child in assigned.children if assigned is not None else ():
        if child.tag in ("formalExpression", "expression") and child.text.strip():
            return child.text.strip()
    reference = role.child_text("resourceRef")
    found = reading.root_element(reference) if reference else None
    if found is not None and found.get("name").strip():
        return found.get("name").strip()
    return "" if reference else role.get("name").strip()
