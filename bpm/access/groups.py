"""The groups that exist from the start."""

from __future__ import annotations

from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType

from bpm.access.permissions import ABOUT, DEFAULT_GROUPS
from bpm.models import ProcessInstance

_EDITED = ("group", "user", "authtoken", "grant", "membership", "tenantlimits", "tokenscope")
_EDITED_APPS = ("auth", "knox", "bpm_access")


def create_groups() -> list[Group]:
    """Make the default groups where they are missing and give them their permissions; others they keep.

    Administrators also get the model permissions that the administration asks for: to see every table of the engine,
    and to edit accounts and access.
    """
    kind = ContentType.objects.get_for_model(ProcessInstance)
    known = {
        str(one): Permission.objects.get_or_create(
            codename=str(one), content_type=kind, defaults={"name": about}
        )[0]
        for one, about in ABOUT.items()
    }
    found = []
    for name, permissions in DEFAULT_GROUPS.items():
        group, _ = Group.objects.get_or_create(name=name)
        group.permissions.add(*(known[str(one)] for one in permissions))
        found.append(group)
    administrators = next(group for group in found if group.name == "BPM administrators")
    administrators.permissions.add(*_of_administration())
    return found


def _of_administration() -> list[Permission]:
    every = Permission.objects.select_related("content_type")
    seen = every.filter(content_type__app_label__in=("bpm", *_EDITED_APPS), codename__startswith="view_")
    edited = every.filter(content_type__app_label__in=_EDITED_APPS, content_type__model__in=_EDITED)
    return [*seen, *edited]
