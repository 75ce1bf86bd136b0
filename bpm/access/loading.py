"""Who an authenticated user is to the engine. One statement; none for superusers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from bpm.access.account import Account, Held
from bpm.access.account_statement import LIMITS, SUBJECTS, read_account_rows
from bpm.access.caller import Bounds, Caller, Subject
from bpm.access.models import TokenScope
from bpm.access.permissions import Permission
from bpm.queries.identifier import is_id
from bpm.shell.configuration import setting

_OF_TOKEN: Final = LIMITS[:-1]
_DEFAULT: Final = frozenset({""})
_WITH_DEFAULT: Final = frozenset({"requests_per_minute", "open_polls", "running_instances"})


class NoTenant(Exception):
    """The account does not belong to the tenant that was asked for, or must say which of several it means."""


class Asked(NamedTuple):
    """What a request says of itself.

    Attributes:
        tenant: None where it says none.
        subject: kind of the thing whose id stands in the address, empty without any.
    """

    tenant: str | None = None
    subject: str = ""
    subject_id: str = ""


def load_caller(user: Any, asked: Asked, scope: TokenScope | None = None) -> Caller:
    """Return the caller for an authenticated user. At most one statement.

    A superuser's groups are left out: what they may do does not depend on them.

    Raises:
        NoTenant: see there.
    """
    whole = user.is_superuser and (scope is None or scope.permissions is None)
    rows = [] if whole else _read(user.pk, asked)
    account = Account(
        user.get_username(),
        groups=frozenset(row[1] for row in rows if row[0] == "group"),
        held=tuple(Held(Permission(row[1]), *row[2:]) for row in rows if row[0] == "held"),
        everything=user.is_superuser,
        tenants=None if user.is_superuser else _tenants(rows),
        permissions=_names(scope and scope.permissions),
        topics=_names(scope and scope.topics),
    )
    tenant = _tenant(account, asked, scope)
    return Caller(account, tenant, _subject(rows, tenant), tuple(_bounds(rows, tenant, scope)))


def own_groups(user: Any) -> frozenset[str]:
    """Return the names of an account's groups, for a superuser, who is loaded without them. One statement."""
    return frozenset(user.groups.values_list("name", flat=True))


def _read(user_id: Any, asked: Asked) -> list[tuple[Any, ...]]:
    # What is no id stands for nothing; the query would only fail on it.
    subject = asked.subject if asked.subject in SUBJECTS and is_id(asked.subject_id) else ""
    return read_account_rows(user_id, asked.tenant or "", subject, asked.subject_id)


def _tenants(rows: Iterable[tuple[Any, ...]]) -> frozenset[str]:
    return frozenset(row[4] for row in rows if row[0] == "member") or _DEFAULT


def _names(given: Any) -> frozenset[str] | None:
    return None if given is None else frozenset(str(one) for one in given)


def _tenant(account: Account, asked: Asked, scope: TokenScope | None) -> str:
    own = scope.tenant if scope is not None else None
    tenant = asked.tenant
    if tenant is None:
        tenant = own if own is not None else _home(account)
    if not account.belongs_to(tenant) or own not in (None, tenant):
        raise NoTenant("You are no member of this tenant.")
    return tenant


def _home(account: Account) -> str:
    """Return the tenant of a request that names none: the default tenant, or else the only one."""
    if account.belongs_to(""):
        return ""
    if account.tenants is not None and len(account.tenants) == 1:
        return next(iter(account.tenants))
    raise NoTenant("You belong to several tenants: name one in the header x-tenant-id.")


def _subject(rows: Iterable[tuple[Any, ...]], tenant: str) -> Subject | None:
    found = [row for row in rows if row[0] == "subject" and row[4] == tenant]
    if not found:
        return None
    candidates = frozenset((row[1], row[2]) for row in rows if row[0] == "candidate")
    return Subject(frozenset(row[1] for row in found), found[0][2], found[0][3], candidates)


def _bounds(rows: list[tuple[Any, ...]], tenant: str, scope: TokenScope | None) -> Iterator[Bounds]:
    if rows:
        own = [row[1].split(",") for row in rows if row[0] == "limit" and row[4] == tenant]
        usual = [setting(name.upper()) if name in _WITH_DEFAULT else None for name in LIMITS]
        given = own[0] if own else [""] * len(LIMITS)
        found = [int(one) if one else default or None for one, default in zip(given, usual, strict=True)]
        if any(one is not None for one in found):
            yield Bounds(f"tenant {tenant}", *found)
    if scope is not None and any(getattr(scope, name) is not None for name in _OF_TOKEN):
        # The digest is the token's key in its table, and nothing that opens anything.
        subject = f"token {scope.token_id[:64]}"
        yield Bounds(subject, *(getattr(scope, name) for name in _OF_TOKEN))
