"""The one statement that tells all about an account: groups, permissions, grants, tenants, limits, and its subject."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.db.models import ManyToManyField, UUIDField

from bpm.access.permissions import Permission as Named

# Every part has these columns; what a part has no use for is empty.
_ROW: Final = "SELECT '{kind}', {a}, {b}, {c}, {d} "
_NONE: Final = "CAST(NULL AS varchar(100))"
_INSTANCE: Final = "JOIN bpm_processinstance i ON i.id = x.instance_id"
LIMITS: Final = (
    "max_body_bytes",
    "max_variable_bytes",
    "requests_per_minute",
    "open_polls",
    "running_instances",
)


class _About(NamedTuple):
    """Where the process of a thing is found; `x` is the thing."""

    source: str
    key: str = "i.definition_key"
    topic: str = "''"
    assignee: str = "''"
    where: str = "x.id"
    tenant: str = "x.tenant"


SUBJECTS: Final = {
    "instance": _About("bpm_processinstance x", key="x.definition_key"),
    "definition": _About("bpm_definition x", key="x.key"),
    "deployment": _About("bpm_definition x", key="x.key", where="x.deployment_id"),
    "user_task": _About(f"bpm_usertask x {_INSTANCE}", assignee="COALESCE(x.assignee, '')"),
    "external_task": _About(f"bpm_externaltask x {_INSTANCE}", topic="x.topic"),
    "token": _About(f"bpm_token x {_INSTANCE}", tenant="i.tenant"),
    "job": _About(f"bpm_job x {_INSTANCE}"),
    "incident": _About(f"bpm_incident x {_INSTANCE}"),
    "timer": _About(
        "bpm_timer x LEFT JOIN bpm_processinstance i ON i.id = x.instance_id "
        "LEFT JOIN bpm_definition d ON d.id = x.definition_id",
        key="COALESCE(i.definition_key, d.key, '')",
    ),
}


def read_account_rows(user_id: Any, tenant: str, subject: str, subject_id: str) -> list[tuple[Any, ...]]:
    """Return rows of kind and four columns. One statement.

    Args:
        tenant: whose limits are read besides those of the account's tenants.
        subject: key of SUBJECTS, or empty.
        subject_id: UUID text.
    """
    text, users = _account_text()
    parameters = [user_id] * users + [tenant]
    if subject:
        extra, numbers = _subject_text(subject)
        text += extra
        parameters += [UUIDField().get_db_prep_value(subject_id, connection)] * numbers
    with connection.cursor() as cursor:
        cursor.execute(text, parameters)
        return list(cursor.fetchall())


def _row(kind: str, a: str = "''", b: str = "''", c: str = "''", d: str = _NONE) -> str:
    return _ROW.format(kind=kind, a=a, b=b, c=c, d=d)


def _of_groups() -> str:
    """Return the ids of the user's groups as a subquery of one parameter."""
    table, own, other = _link(get_user_model(), "groups")
    return f"SELECT {other} FROM {table} WHERE {own} = %s"


def _link(model: Any, name: str) -> tuple[str, str, str]:
    """Return table, column of the model and column of the other side of a many-to-many field."""
    field = model._meta.get_field(name)
    assert isinstance(field, ManyToManyField)
    return field.m2m_db_table(), field.m2m_column_name(), field.m2m_reverse_name()


@cache
def _account_text() -> tuple[str, int]:
    """Return the parts that need the user's id alone, then the limits, and how often the id stands in them."""
    groups = _of_groups()
    held = f"(h.user_id = %s OR h.group_id IN ({groups}))"
    by_user, user, given = _link(get_user_model(), "user_permissions")
    by_group, group, granted = _link(Group, "permissions")
    names = ", ".join(f"'{one}'" for one in Named)
    limits = " || ',' || ".join(f"COALESCE(CAST(l.{name} AS varchar(20)), '')" for name in LIMITS)
    # In each part but the last the user's id is the only parameter.
    parts = [
        _row("group", "g.name") + f"FROM {Group._meta.db_table} g WHERE g.id IN ({groups})",
        _row("held", "p.codename")
        + f"FROM {Permission._meta.db_table} p JOIN django_content_type t ON t.id = p.content_type_id "
        f"WHERE t.app_label = 'bpm' AND p.codename IN ({names}) "
        f"AND (p.id IN (SELECT {given} FROM {by_user} WHERE {user} = %s) "
        f"OR p.id IN (SELECT {granted} FROM {by_group} WHERE {group} IN ({groups})))",
        _row("held", "h.permission", "h.definition_key", "h.topic", "h.tenant")
        + f"FROM bpm_access_grant h WHERE {held}",
        _row("member", d="h.tenant") + f"FROM bpm_access_membership h WHERE {held}",
        _row("limit", limits, d="l.tenant") + "FROM bpm_access_tenantlimits l WHERE "
        f"l.tenant IN (SELECT h.tenant FROM bpm_access_membership h WHERE {held}) OR l.tenant = %s",
    ]
    text = "UNION ALL ".join(parts)
    return text, text.count("%s") - 1


@cache
def _subject_text(subject: str) -> tuple[str, int]:
    about = SUBJECTS[subject]
    columns = _row("subject", about.key, about.topic, about.assignee, about.tenant)
    text = f" UNION ALL {columns}FROM {about.source} WHERE {about.where} = %s"
    if subject != "user_task":
        return text, 1
    candidates = _row("candidate", "c.kind", "c.name") + "FROM bpm_usertaskcandidate c WHERE c.task = %s"
    return f"{text} UNION ALL {candidates}", 2
