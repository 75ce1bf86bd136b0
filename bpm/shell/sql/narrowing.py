"""Topics as a fetch asks for them: each may be limited to tasks of some definitions, instances or variables.

A limit is a condition on the task's instance, found by its primary key. What is looked for stands in parameters, how
many values there are in the statement's text, so that equal questions are one prepared statement.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from bpm.core.ids import Id

if TYPE_CHECKING:
    from bpm.shell.sql.dialect import Dialect

Shape = tuple[int, ...]
"""How many values each limit of a topic has, in the order of `Asked`; empty for a topic without limits."""


class Asked(NamedTuple):
    """One topic of a fetch. An empty limit does not limit; values of one limit are alternatives, limits add up.

    Attributes:
        keys: of processes.
        definitions, instances: ids.
        tags: version tags.
        business_keys: of instances.
        variables: process variables by name, each with the JSON text of the value that it must have.
    """

    topic: str
    keys: tuple[str, ...] = ()
    definitions: tuple[Id, ...] = ()
    instances: tuple[Id, ...] = ()
    tags: tuple[str, ...] = ()
    business_keys: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()

    @property
    def shape(self) -> Shape:
        """Return what the statement's text depends on."""
        _, *limits = self
        return tuple(len(limit) for limit in limits) if any(limits) else ()

    def parameters(self, sql: Dialect) -> list[object]:
        """Return the parameters of `narrowing`, in its order."""
        found: list[object] = [*self.keys]
        found += [sql.ids(ids) for ids in (self.definitions, self.instances) if ids]
        found += [*self.tags, *self.business_keys]
        found += [part for variable in self.variables for part in variable]
        return found


def shapes(topics: Iterable[Asked]) -> tuple[Shape, ...]:
    """Return the shape of each topic."""
    return tuple(topic.shape for topic in topics)


def narrowing(sql: Dialect, shape: Shape) -> str:
    """Return conditions on a task `x`, each with its AND; nothing for a topic without limits."""
    if not shape:
        return ""
    keys, definitions, instances, tags, business_keys, variables = shape
    conditions = ["i.id = x.instance_id"]
    if keys:
        conditions.append(f"i.definition_key IN ({_places(keys)})")
    if definitions:
        conditions.append(sql.among("i.definition_id"))
    if instances:
        conditions.append(sql.among("i.id"))
    if tags:
        tagged = f"d.id = i.definition_id AND d.version_tag IN ({_places(tags)})"
        conditions.append(f"EXISTS (SELECT 1 FROM bpm_definition d WHERE {tagged})")
    if business_keys:
        conditions.append(f"i.business_key IN ({_places(business_keys)})")
    own = "v.instance_id = i.id AND v.scope = i.id AND v.name = %s AND v.value = %s"
    conditions += [f"EXISTS (SELECT 1 FROM bpm_variable v WHERE {own})"] * variables
    return f"AND EXISTS (SELECT 1 FROM bpm_processinstance i WHERE {' AND '.join(conditions)}) "


def _places(number: int) -> str:
    return ", ".join(["%s"] * number)
