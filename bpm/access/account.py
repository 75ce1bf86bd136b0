"""What one account may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from bpm.access.permissions import Permission, with_implied
from bpm.queries.visible import EVERYTHING, Names, Visibility


class Held(NamedTuple):
    """One permission as somebody has it.

    Attributes:
        key, topic: empty where it is for all.
        tenant: None where it is for each of the holder's tenants.
    """

    permission: Permission
    key: str = ""
    topic: str = ""
    tenant: str | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """What one account may do, by its grants and by the token with which it calls.

    Attributes:
        everything: every permission in every tenant, as superusers have it.
        tenants: where it belongs; None for everywhere.
        permissions, topics: to which a token narrows it; None where none does.
    """

    name: str
    groups: frozenset[str] = frozenset()
    held: tuple[Held, ...] = ()
    everything: bool = False
    tenants: frozenset[str] | None = frozenset({""})
    permissions: frozenset[str] | None = None
    topics: frozenset[str] | None = None

    def belongs_to(self, tenant: str) -> bool:
        """Return whether this is one of its tenants."""
        return self.tenants is None or tenant in self.tenants

    def may(self, permission: Permission, tenant: str) -> bool:
        """Return whether it may do this with anything at all in a tenant."""
        return self.keys(permission, tenant) != frozenset()

    def keys(self, permission: Permission, tenant: str) -> Names:
        """Return the processes with which it may do this in a tenant."""
        if not self._kept(permission):
            return frozenset()
        if self.everything:
            return None
        keys = {one.key for one in self._of(permission, tenant)}
        return None if "" in keys else frozenset(keys)

    def work_topics(self, tenant: str) -> Names:
        """Return the topics whose tasks it may work on in a tenant."""
        if not self._kept(Permission.WORK):
            return frozenset()
        if self.everything:
            return self.topics
        found = {one.topic for one in self._of(Permission.WORK, tenant)}
        if "" in found:
            return self.topics
        return frozenset(found) if self.topics is None else self.topics & found

    def keys_of_any(self, permissions: tuple[Permission, ...], tenant: str) -> Names:
        """Return the processes with which it may do one of these in a tenant."""
        found: set[str] = set()
        for permission in permissions:
            keys = self.keys(permission, tenant)
            if keys is None:
                return None
            found |= keys
        return frozenset(found)

    def visibility(self, tenant: str) -> Visibility:
        """Return what it sees in a tenant."""
        keys = self.keys(Permission.VIEW, tenant)
        if keys is None and self.topics is None:
            return EVERYTHING
        people = self.keys(Permission.COMPLETE, tenant)
        return Visibility(
            keys=keys,
            definitions=self.keys_of_any(_SEE_DEFINITIONS, tenant),
            topics=self.work_topics(tenant),
            person=None if people == frozenset() else self.name,
            groups=self.groups,
            person_keys=people,
        )

    def _kept(self, permission: Permission) -> bool:
        return self.permissions is None or any(
            permission in with_implied(Permission(one)) for one in self.permissions
        )

    def _of(self, permission: Permission, tenant: str) -> list[Held]:
        if not self.belongs_to(tenant):
            return []
        return [
            one
            for one in self.held
            if permission in with_implied(one.permission) and one.tenant in (None, tenant)
        ]


_SEE_DEFINITIONS: Final = (Permission.VIEW, Permission.START, Permission.DEPLOY)
