"""Starting an instance: the one command whose instance is not there yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bpm.core.commands import StartInstance
from bpm.core.ids import Id
from bpm.core.instructions import Instruction
from bpm.shell.definitions import DefinitionRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A start on its way to its definition.

    Attributes:
        process: key, or id of a version.
        version: of the key; None: the latest.
        node: where a trigger starts it.
        trigger: kind and name of what has come there.
        instructions: where it begins instead.
        instance: its id, where it is made by a caller.
        parent_instance, parent_token, root: the call by which it starts.
    """

    process: str
    version: int | None = None
    tenant: str = ""
    business_key: str | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)
    actor: str = ""
    node: str | None = None
    trigger: str = ""
    instructions: tuple[Instruction, ...] = ()
    instance: Id | None = None
    parent_instance: Id | None = None
    parent_token: Id | None = None
    root: Id | None = None

    def command(self, row: DefinitionRow | None = None) -> StartInstance:
        """Return the command, once the definition is known."""
        return StartInstance(
            definition=row.id if row is not None else "",
            tenant=self.tenant,
            business_key=self.business_key,
            variables=self.variables,
            actor=self.actor,
            node=self.node,
            trigger=self.trigger,
            instructions=self.instructions,
            parent_instance=self.parent_instance,
            parent_token=self.parent_token,
            root=self.root,
        )
