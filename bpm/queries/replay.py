"""An instance as it was after any of its events, folded from its history (semantics §10). Nothing is changed by it.

A page with a slider needs two functions: `replay_events` for the events page by page, and `replay_at` for the state at
the chosen one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final
from uuid import UUID

from bpm.core.errors import Invalid
from bpm.core.rows import JoinStatus, ScopeStatus
from bpm.core.state import State
from bpm.core.values import Erased, from_text, is_hidden
from bpm.models import ProcessInstance
from bpm.queries.history import EventFilter, EventRow, events_of
from bpm.queries.instances import find_instance
from bpm.queries.snapshot import one_snapshot
from bpm.shell.folded_states import folded_states

MAX_ROWS: Final = 1_000
"""Rows of each kind that a replayed state shows."""

_HIDDEN: Final = frozenset(
    {"groups", "parallel_group", "join", "mode", "phase", "resumes_as", "kept", "outcome"}
)


@dataclass(frozen=True, slots=True)
class ReplayState:
    """An instance as of one of its events; of each kind the oldest 1,000 rows that were live then.

    Attributes:
        sequence: the event; -1 before the first one, when there was nothing.
        last_sequence: the newest event now.
        event: the event itself, None before the first.
        at: when it happened.
        status: of the instance, after it.
        live_tokens: how many tokens were live, shown or not.
        variables: scope to name to value; an erased value is an object with its `erased` digest.
    """

    instance_id: str
    definition_id: str
    process_def_id: str
    business_key: str | None
    sequence: int
    last_sequence: int
    event: EventRow | None
    at: datetime | None
    status: str | None
    suspended_because: str | None
    live_tokens: int
    current_nodes: tuple[str, ...]
    tokens: list[dict[str, Any]]
    joins: list[dict[str, Any]]
    scopes: list[dict[str, Any]]
    variables: dict[str, Any]
    user_tasks: list[dict[str, Any]]
    external_tasks: list[dict[str, Any]]
    timers: list[dict[str, Any]]
    subscriptions: list[dict[str, Any]]
    jobs: list[dict[str, Any]]
    incidents: list[dict[str, Any]]
    compensations: list[dict[str, Any]]


def replay_at(instance_id: str | UUID, cursor: int | None = None, *, tenant: str) -> ReplayState:
    """Return the instance as it was after the event of a sequence, by default the newest one.

    The cost of the first look grows with the number of events before the cursor (some 50,000 a second); the memory does
    not, but with the number of rows that the instance had made by then. The process keeps states on the way, from which
    later looks at the same instance fold some 2,000 events at most.

    Statements: 5, BEGIN and COMMIT among them, and 1 per 1,000 folded events; up to 2 more where the history is longer
    than 2,000 events, and 1 where something was erased.

    Raises:
        InstanceNotFound: there is none of this id in this tenant.
        Invalid: there is no such event (yet).
    """
    with one_snapshot():
        instance = find_instance(instance_id, tenant=tenant)
        own = instance.instance_id
        last = _newest(own)
        wanted = last if cursor is None else cursor
        if not -1 <= wanted <= last:
            raise Invalid(f"The events of this instance are 0 to {last}.", cursor=wanted)
        state = folded_states.at(str(own), wanted, last)
        event = events_of(own, EventFilter(), wanted - 1, 1)[0] if wanted >= 0 else None
    return _shown(state, last, event)


def replay_events(
    instance_id: str | UUID, *, after: int = -1, limit: int = 200, tenant: str
) -> list[EventRow]:
    """Return events behind a sequence, in order; fewer than the limit at the end. Two statements.

    Raises:
        InstanceNotFound: there is none of this id in this tenant.
    """
    instance = find_instance(instance_id, tenant=tenant)
    return events_of(instance.instance_id, EventFilter(), after, limit)


def last_sequence(instance_id: str | UUID, *, tenant: str) -> int:
    """Return the sequence of the newest event. Two statements. Raises: InstanceNotFound."""
    return _newest(find_instance(instance_id, tenant=tenant).instance_id)


def _newest(instance: UUID) -> int:
    return ProcessInstance.objects.values_list("last_sequence", flat=True).get(id=instance)


def _shown(state: State, last: int, event: EventRow | None) -> ReplayState:
    instance = state.instance
    live = [token for token in state.tokens.values() if not token.final]
    return ReplayState(
        instance_id=instance.id,
        definition_id=instance.definition,
        process_def_id=instance.definition_key,
        business_key=instance.business_key,
        sequence=instance.sequence,
        last_sequence=last,
        event=event,
        at=instance.updated_at,
        status=instance.status.value if event is not None else None,
        suspended_because=instance.suspended_because,
        live_tokens=len(live),
        current_nodes=tuple(sorted({token.node for token in live})),
        tokens=_rows(live),
        joins=_rows(row for row in state.joins.values() if row.status is JoinStatus.OPEN),
        scopes=_rows(row for row in state.scopes.values() if row.status is ScopeStatus.ACTIVE),
        variables=_variables(state),
        **{name: _rows(_open(getattr(state, name).values())) for name in _CLOSED_BY_TIME},
    )


_CLOSED_BY_TIME: Final = (
    "user_tasks",
    "external_tasks",
    "timers",
    "subscriptions",
    "jobs",
    "incidents",
    "compensations",
)


def _open(rows: Iterable[Any]) -> Iterable[Any]:
    return (row for row in rows if row.closed_at is None)


def _rows(rows: Iterable[Any]) -> list[dict[str, Any]]:
    shown = sorted(rows, key=lambda row: str(row.id))
    return [_row(row) for row in islice(shown, MAX_ROWS)]


def _row(row: Any) -> dict[str, Any]:
    return {name: _plain(value) for name, value in row._asdict().items() if name not in _HIDDEN}


def _plain(value: Any) -> Any:
    if isinstance(value, Erased):
        return {"erased": str(value)}
    return list(value) if isinstance(value, tuple) else value


def _variables(state: State) -> dict[str, Any]:
    """Return scope to name to value, of active scopes, without the engine's own variables."""
    found: dict[str, dict[str, Any]] = {}
    for (scope, name), row in islice(sorted(state.variables.items()), MAX_ROWS):
        owner = state.scopes.get(scope)
        if is_hidden(name) or (owner is not None and owner.status is not ScopeStatus.ACTIVE):
            continue
        value = {"erased": str(row.value)} if isinstance(row.value, Erased) else from_text(row.value)
        found.setdefault(scope, {})[name] = value
    return found


__all__ = ["MAX_ROWS", "ReplayState", "last_sequence", "replay_at", "replay_events"]
