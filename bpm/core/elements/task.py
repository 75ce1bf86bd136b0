"""Undefined and manual task: nothing for the engine to do, the token passes on (semantics §2). Deviations: none."""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.elements.element import Element
from bpm.core.graph import Activity
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Activity):
    """A task without behaviour of its own."""


class TaskElement(Element[Task]):
    """Passes the token on."""

    tags = ("task", "manualTask")

    def read(self, xml: XmlElement, reading: Reading) -> Task:
        """Return the node."""
        return Task(**reading.activity(xml))

    def enter(self, run: Run, node: Task, token: Token) -> None:
        """Leave at once."""
        run.leave(node, token)
