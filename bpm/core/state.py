"""The working set of one instance: what a command loads, and what `evolve` changes.

Rows are immutable, the tables are dictionaries, and every replacement goes through `put`, which keeps a journal. The
journal tells the shell what to write, and undoes a node or a command (`mark`, `rollback`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from bpm.core.ids import Id
from bpm.core.rows import (
    ENDED,
    Comment,
    CompensationRecord,
    ExternalTask,
    Incident,
    InstanceStatus,
    Job,
    JoinState,
    Scope,
    Subscription,
    Timer,
    UserTask,
    Variable,
)
from bpm.core.token import Token

TABLES = (
    "scopes",
    "variables",
    "tokens",
    "joins",
    "external_tasks",
    "user_tasks",
    "timers",
    "jobs",
    "subscriptions",
    "incidents",
    "compensations",
    "comments",
)
"""Attributes of `State` that are tables of rows, in the order in which they are written."""

_EMPTY: Mapping[str, int] = {}


@dataclass(slots=True)
class Instance:
    """The instance's own row. Mutable, because every event changes it.

    Attributes:
        sequence: number of the newest event, -1 before the first.
        live: tokens that are not final.
        failed: tokens that are Failed.
        passive: tokens that wait at joins, for inner scopes or for compensation.
        conditions: open subscriptions to conditions.
        passes: node to passes since the last wait state; empty unless a continuation is under way (semantics §4).
        revision: as read; the shell's guard, not part of the fold.
        head: hash of the newest event, as read; the shell's, not part of the fold.
    """

    id: Id
    tenant: str = ""
    definition: Id = ""
    definition_key: str = ""
    business_key: str | None = None
    status: InstanceStatus = InstanceStatus.RUNNING
    parent_instance: Id | None = None
    parent_token: Id | None = None
    root: Id = ""
    suspended_because: str | None = None
    live: int = 0
    failed: int = 0
    passive: int = 0
    incidents: int = 0
    conditions: int = 0
    sequence: int = -1
    passes: Mapping[str, int] = field(default_factory=lambda: _EMPTY)
    started_at: datetime | None = None
    ended_at: datetime | None = None
    updated_at: datetime | None = None
    revision: int = 0
    head: str = ""

    @property
    def ended(self) -> bool:
        """Whether the instance is COMPLETED or CANCELLED."""
        return self.status in ENDED

    @property
    def stuck(self) -> bool:
        """Whether nothing can move without a human: the rule for FAILED (semantics §1)."""
        return self.failed > 0 and self.live == self.failed + self.passive


_values: Callable[[Instance], tuple[Any, ...]] = attrgetter(*(spec.name for spec in fields(Instance)))


Journal = list[tuple[dict[Any, Any], Any, Any]]
"""Table, key, and the row that stood there before or None; in order."""


class Mark(NamedTuple):
    """A point to which a state can be taken back.

    Attributes:
        length: of the journal.
        instance: values of the instance's row.
    """

    length: int
    instance: tuple[Any, ...]


class Missing(Exception):
    """The working set lacks rows of this instance that the command turned out to need."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class State:
    """The working set.

    Attributes:
        everything: whether all live rows of the instance are here.
        fresh: ids made by this command; nothing that hangs on them can be stored already.
        arrivals: tokens waiting at a join on a flow, oldest first.
        newest_joins: newest join state of each key, open or closed.
        known: what else is completely here: ("variable", scope, name), ("variables", scope),
            ("join", scope, node, group), ("arrivals", join, flow) or ("arrivals", join).
    """

    __slots__ = (
        "arrivals",
        "comments",
        "compensations",
        "everything",
        "external_tasks",
        "fresh",
        "incidents",
        "instance",
        "jobs",
        "joins",
        "journal",
        "known",
        "newest_joins",
        "scopes",
        "subscriptions",
        "timers",
        "tokens",
        "user_tasks",
        "variables",
    )

    def __init__(self, instance: Instance, *, everything: bool) -> None:
        self.instance = instance
        self.everything = everything
        self.tokens: dict[Id, Token] = {}
        self.scopes: dict[Id, Scope] = {}
        self.variables: dict[tuple[Id, str], Variable] = {}
        self.joins: dict[Id, JoinState] = {}
        self.external_tasks: dict[Id, ExternalTask] = {}
        self.user_tasks: dict[Id, UserTask] = {}
        self.timers: dict[Id, Timer] = {}
        self.jobs: dict[Id, Job] = {}
        self.subscriptions: dict[Id, Subscription] = {}
        self.incidents: dict[Id, Incident] = {}
        self.compensations: dict[Id, CompensationRecord] = {}
        self.comments: dict[Id, Comment] = {}
        self.arrivals: dict[tuple[Id, str], tuple[Id, ...]] = {}
        self.newest_joins: dict[tuple[Id, str, Id], Id] = {}
        self.fresh: set[Id] = set()
        self.known: set[tuple[str, ...]] = set()
        self.journal: Journal = []

    def put(self, table: dict[Any, Any], key: object, row: object | None) -> None:
        """Replace a row, or remove it with None, and remember what stood there."""
        self.journal.append((table, key, table.get(key)))
        if row is None:
            table.pop(key, None)
        else:
            table[key] = row

    def mark(self) -> Mark:
        """Return the present point for `rollback`."""
        return Mark(len(self.journal), _values(self.instance))

    def rollback(self, mark: Mark) -> None:
        """Take everything back that changed since `mark`."""
        while len(self.journal) > mark.length:
            table, key, old = self.journal.pop()
            if old is None:
                table.pop(key, None)
            else:
                table[key] = old
        self.instance = Instance(*mark.instance)

    def settle(self) -> Journal:
        """Take what has changed as read, so that the next command begins with an empty journal; return that."""
        journal, self.journal = self.journal, []
        self.fresh.clear()
        return journal

    def rows(self) -> int:
        """Return how many rows are here, the instance's own aside."""
        return sum(map(len, _tables(self)))

    def changes(self) -> dict[str, dict[Any, Any]]:
        """Return table name to {key: row before the journal began, or None}, keys in order of change."""
        changed: dict[int, dict[Any, Any]] = {}
        for table, key, old in self.journal:
            changed.setdefault(id(table), {}).setdefault(key, old)
        tables = zip(TABLES, map(id, _tables(self)), strict=True)
        return {name: changed[table] for name, table in tables if table in changed}

    def adopt_token(self, token: Token) -> None:
        """Take a stored token into the working set."""
        self.tokens[token.id] = token
        if token.join is not None and not token.final:
            held = self.arrivals.get((token.join, token.flow or ""), ())
            self.arrivals[token.join, token.flow or ""] = tuple(sorted({*held, token.id}))

    def adopt_join(self, join: JoinState) -> None:
        """Take a stored join state into the working set."""
        self.joins[join.id] = join
        key = (join.scope, join.node, join.group)
        newest = self.joins.get(self.newest_joins.get(key, ""))
        if newest is None or newest.generation < join.generation:
            self.newest_joins[key] = join.id

    def chain(self, scope: Id) -> Iterator[Scope]:
        """Yield the scope and those around it, innermost first."""
        at: Id | None = scope
        while at is not None:
            row = self.scopes.get(at)
            if row is None:
                raise Missing(f"scope {at}")
            yield row
            at = row.parent

    def variable(self, scope: Id, name: str) -> Variable | None:
        """Return a variable of exactly this scope.

        Raises:
            Missing: it may be stored but was not loaded.
        """
        found = self.variables.get((scope, name))
        if found is None and not self._covers(scope, ("variable", scope, name), ("variables", scope)):
            raise Missing(f"variable {name} of scope {scope}")
        return found

    def join(self, scope: Id, node: str, group: Id) -> JoinState | None:
        """Return the newest join state of a key, open or closed.

        Raises:
            Missing: it may be stored but was not loaded.
        """
        newest = self.newest_joins.get((scope, node, group))
        if newest is not None:
            return self.joins[newest]
        if group not in self.fresh and not self._covers(scope, ("join", scope, node, group)):
            raise Missing(f"join {node} of scope {scope}")
        return None

    def waiting_at(self, join: Id, flow: str) -> tuple[Id, ...]:
        """Return the tokens that wait at a join on one flow, oldest first.

        Raises:
            Missing: some may be stored but were not loaded.
        """
        if not self._covers(join, ("arrivals", join), ("arrivals", join, flow)):
            raise Missing(f"tokens at join {join}")
        return self.arrivals.get((join, flow), ())

    def require_variables(self, scope: Id) -> None:
        """Raise Missing unless all variables of a scope are here."""
        if not self._covers(scope, ("variables", scope)):
            raise Missing(f"variables of scope {scope}")

    def require_everything(self, why: str) -> None:
        """Raise Missing unless all live rows are here."""
        if not self.everything:
            raise Missing(why)

    def _covers(self, owner: Id, *keys: tuple[str, ...]) -> bool:
        return self.everything or owner in self.fresh or any(key in self.known for key in keys)


_tables: Callable[[State], tuple[dict[Any, Any], ...]] = attrgetter(*TABLES)
