"""Who is calling now, in which tenant, about what."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import NamedTuple

from bpm.access.account import Account
from bpm.access.permissions import Permission
from bpm.queries.visible import EVERYTHING, see, seeing


class Subject(NamedTuple):
    """The thing whose id stands in the address.

    Attributes:
        keys: of its process; several for a deployment.
        topic: of an external task.
        assignee: of a user task, empty without one.
        candidates: of a user task: `user` or `group` and a name.
    """

    keys: frozenset[str]
    topic: str = ""
    assignee: str = ""
    candidates: frozenset[tuple[str, str]] = frozenset()


class Bounds(NamedTuple):
    """Limits that count for a caller; None where there is none. See `bpm.access.models.Limits`."""

    subject: str
    max_body_bytes: int | None = None
    max_variable_bytes: int | None = None
    requests_per_minute: int | None = None
    open_polls: int | None = None
    running_instances: int | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """An account that calls.

    Attributes:
        subject: None where the address names nothing, or what is not there.
        bounds: of its tenant and of its token.
    """

    account: Account
    tenant: str = ""
    subject: Subject | None = None
    bounds: tuple[Bounds, ...] = ()

    def may(self, permission: Permission) -> bool:
        """Return whether it may do this with the subject, or without one with anything."""
        keys = self.account.keys(permission, self.tenant)
        return keys is None or (bool(keys) if self.subject is None else self.subject.keys <= keys)

    def keys(self, permission: Permission) -> frozenset[str] | None:
        """Return the processes with which it may do this; None for all."""
        return self.account.keys(permission, self.tenant)

    def topics(self) -> frozenset[str] | None:
        """Return the topics on which it may work; None for all."""
        return self.account.work_topics(self.tenant)

    def least(self, name: str) -> int | None:
        """Return the strictest limit of a name, None without any."""
        found = [value for bounds in self.bounds if (value := getattr(bounds, name)) is not None]
        return min(found, default=None)


_caller: ContextVar[Caller | None] = ContextVar("caller", default=None)


@contextmanager
def one_request() -> Iterator[None]:
    """Begin without a caller, and forget at the end whoever has been entered."""
    before = _caller.set(None)
    try:
        with seeing(EVERYTHING):
            yield
    finally:
        _caller.reset(before)


def enter(caller: Caller) -> None:
    """Let this be the caller until the request ends; queries show what it may see."""
    _caller.set(caller)
    see(caller.account.visibility(caller.tenant))


def the_caller() -> Caller:
    """Return who is calling, where the rules have let somebody pass."""
    caller = _caller.get()
    assert caller is not None, "a public address has no caller"
    return caller


def present_caller() -> Caller | None:
    """Return who is calling, None outside of requests and for public addresses."""
    return _caller.get()
