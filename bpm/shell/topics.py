"""What a worker asks for when it fetches: topics, each with its own lease time and limits (semantics §5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from bpm.core.errors import Invalid
from bpm.core.ids import NIL, Id, is_id
from bpm.core.values import check_variables, to_text
from bpm.shell.sql.narrowing import Asked

MAX_VALUES: Final = 100
"""Values that one limit of a topic may have."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic with what is asked of its tasks. Alternatives stand in one limit; limits add up; empty is no limit.

    Attributes:
        lock_ms: length of its leases in milliseconds; None: as the fetch says.
        process_def_ids: keys of processes.
        definition_ids, instance_ids: only tasks of these versions, or of these instances.
        version_tags: only tasks of versions with one of these tags.
        business_keys: only tasks of instances with one of these.
        process_variables: only tasks of instances whose process variables have all of these values.
        variables: names of the variables that come with a task; None: all that are seen from it.
    """

    name: str
    lock_ms: int | None = None
    process_def_ids: Sequence[str] = ()
    definition_ids: Sequence[str] = ()
    instance_ids: Sequence[str] = ()
    version_tags: Sequence[str] = ()
    business_keys: Sequence[str] = ()
    process_variables: Mapping[str, Any] = field(default_factory=dict)
    variables: Sequence[str] | None = None

    def asked(self) -> Asked:
        """Return what is looked for.

        Raises:
            Invalid: a limit has more than 100 values.
            VariableInvalid: a value cannot be one of a variable.
        """
        checked = check_variables(dict(self.process_variables))
        limits = (self.process_def_ids, self.definition_ids, self.instance_ids, self.version_tags)
        if max(map(len, (*limits, self.business_keys, checked))) > MAX_VALUES:
            raise Invalid(f"A limit of a topic has at most {MAX_VALUES} values.", topic=self.name)
        return Asked(
            self.name,
            tuple(self.process_def_ids),
            _ids(self.definition_ids),
            _ids(self.instance_ids),
            tuple(self.version_tags),
            tuple(self.business_keys),
            tuple((name, to_text(value)) for name, value in checked.items()),
        )


class Topics:
    """The topics of one fetch, by name.

    Raises:
        Invalid: one name stands there twice with different demands.
        VariableInvalid: a variable that is asked for cannot be stored.
    """

    def __init__(self, topics: Sequence[str | Topic], lock_ms: int) -> None:
        self._lock_ms = lock_ms
        self._topics: dict[str, Topic | None] = {}
        for one in topics:
            name, topic = (one, None) if isinstance(one, str) else (one.name, one)
            if name in self._topics and self._topics[name] != topic:
                raise Invalid("A topic is asked for once.", topic=name)
            self._topics[name] = topic
        self.asked: tuple[Asked, ...] = tuple(
            Asked(name) if topic is None else topic.asked() for name, topic in self._topics.items()
        )

    def lock_ms(self, name: str) -> int:
        """Return the length of the leases of a topic, in milliseconds."""
        topic = self._topics[name]
        return self._lock_ms if topic is None or topic.lock_ms is None else topic.lock_ms

    def shown(self, name: str, variables: dict[str, Any]) -> dict[str, Any]:
        """Return those of a task's variables that were asked for."""
        topic = self._topics.get(name)
        if topic is None or topic.variables is None:
            return variables
        return {name: variables[name] for name in topic.variables if name in variables}


def _ids(texts: Sequence[str]) -> tuple[Id, ...]:
    # Text that is no id names nothing; the nil id finds nothing either, but keeps the limit.
    return tuple(text.lower() if is_id(text) else NIL for text in texts)
