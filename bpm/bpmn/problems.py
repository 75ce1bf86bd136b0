"""Collects what is wrong, or odd, in one process or file."""

from __future__ import annotations

from bpm.core.errors import Problem
from bpm.core.xml import XmlElement


class Problems:
    """What was found so far.

    Attributes:
        owners: identity of an XML element to the id of the flow node, flow or process that holds it, so
            that what is wrong inside an event definition is reported at the event a modeller can click on.
    """

    def __init__(self, owners: dict[int, str] | None = None) -> None:
        self.owners = owners or {}
        self._problems: dict[Problem, None] = {}
        self._warnings: dict[Problem, None] = {}

    def problem(self, xml: XmlElement, rule: str, message: str) -> None:
        """Add a reason to refuse."""
        self._problems[self._at(xml, rule, message)] = None

    def warning(self, xml: XmlElement, rule: str, message: str) -> None:
        """Add something to look at."""
        self._warnings[self._at(xml, rule, message)] = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All reasons to refuse, by line."""
        return _by_line(self._problems)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """All warnings, by line."""
        return _by_line(self._warnings)

    def _at(self, xml: XmlElement, rule: str, message: str) -> Problem:
        name = self.owners.get(id(xml)) or xml.id or xml.tag
        return Problem(name, xml.line, rule, message)


def _by_line(found: dict[Problem, None]) -> tuple[Problem, ...]:
    return tuple(sorted(found, key=lambda problem: problem.line))
