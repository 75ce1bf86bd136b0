"""The permissions, what each lets one do, and the groups that exist from the start."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Permission(StrEnum):
    """What somebody may do; as Django permissions they are `bpm.view`, `bpm.start` and so on."""

    VIEW = "view"
    START = "start"
    OPERATE = "operate"
    DEPLOY = "deploy"
    WORK = "work"
    COMPLETE = "complete"
    ADMINISTER = "administer"


ABOUT: Final[Mapping[Permission, str]] = {
    Permission.VIEW: "See definitions, instances, history, incidents and all tasks",
    Permission.START: "Start instances, send messages and signals, evaluate conditional starts",
    Permission.OPERATE: "Cancel, suspend, retry, modify, migrate; set variables; act for others in user tasks",
    Permission.DEPLOY: "Deploy files",
    Permission.WORK: "Fetch, complete and fail external tasks",
    Permission.COMPLETE: "See, claim and complete user tasks that are one's own or offered to one",
    Permission.ADMINISTER: "Use the administration: users, groups, tokens, grants, tenants, limits",
}

IMPLIED: Final[Mapping[Permission, frozenset[Permission]]] = {
    Permission.OPERATE: frozenset({Permission.VIEW, Permission.START, Permission.COMPLETE}),
    Permission.ADMINISTER: frozenset(Permission),
}
"""What a permission brings with it besides itself."""

DEFAULT_GROUPS: Final[Mapping[str, frozenset[Permission]]] = {
    "BPM viewers": frozenset({Permission.VIEW}),
    "BPM starters": frozenset({Permission.START}),
    "BPM operators": frozenset({Permission.OPERATE}),
    "BPM deployers": frozenset({Permission.DEPLOY}),
    "BPM workers": frozenset({Permission.WORK}),
    "BPM people": frozenset({Permission.COMPLETE}),
    "BPM administrators": frozenset({Permission.ADMINISTER}),
}
"""Name to permissions; `manage.py create_groups` makes them."""


def with_implied(permission: Permission) -> frozenset[Permission]:
    """Return a permission with all that it brings."""
    return IMPLIED.get(permission, frozenset()) | {permission}
