"""Columns that name another instance; no foreign key holds them (semantics §11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bpm.core.ids import Id
from bpm.core.rows import ENDED
from bpm.core.state import State
from bpm.models import Outbox, ProcessInstance
from bpm.shell.verifying.findings import NEIGHBOUR_MISSING, Finding


class Neighbours:
    """Which of the instances that others name are there, or about to be: a start is on its way to them."""

    def __init__(self, states: Iterable[State]) -> None:
        self._named = {instance for state in states for instance in _named(state)}

    def read(self) -> Neighbours:
        """Ask the database. Statements: 0 where no other instance is named, else 1, or 2 where some is not there."""
        self._missing = self._named - _there(sorted(self._named))
        if self._missing:
            waiting = Outbox.objects.filter(target__in=self._missing).values_list("target", flat=True)
            self._missing -= {str(target) for target in waiting}
        return self

    def findings(self, state: State) -> Iterator[Finding]:
        """Yield what one instance names in vain."""
        instance = state.instance
        if instance.status in ENDED:
            return
        for column in ("parent_instance", "root"):
            named = getattr(instance, column)
            if named in self._missing:
                yield Finding(NEIGHBOUR_MISSING, "instance", column, f"its {column} {named} is not there")
        for token in state.tokens.values():
            if not token.final and token.called in self._missing:
                text = f"the token at {token.node} waits for instance {token.called}, which is not there"
                yield Finding(NEIGHBOUR_MISSING, "tokens", token.id, text)


def _named(state: State) -> Iterator[Id]:
    instance = state.instance
    if instance.status in ENDED:
        return
    if instance.parent_instance is not None:
        yield instance.parent_instance
    if instance.root != instance.id:
        yield instance.root
    yield from (
        token.called for token in state.tokens.values() if token.called is not None and not token.final
    )


def _there(instances: Sequence[Id]) -> set[Id]:
    if not instances:
        return set()
    return {str(row) for row in ProcessInstance.objects.filter(id__in=instances).values_list("id", flat=True)}
