"""`manage.py grant PERMISSION …`: a permission for one user or group, narrowed or not."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet

from bpm.access.models import Grant, Membership
from bpm.access.permissions import Permission

MEMBER = "member"


class Command(BaseCommand):
    help = "Gives a user or a group a permission, or makes it a member of a tenant."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("permission", choices=[*(str(one) for one in Permission), MEMBER])
        holder = parser.add_mutually_exclusive_group(required=True)
        holder.add_argument("--user", help="name of the user who gets it")
        holder.add_argument("--group", help="name of the group that gets it")
        parser.add_argument("--definition-key", default="", help="for this process only")
        parser.add_argument("--topic", default="", help="for tasks of this topic only (work)")
        parser.add_argument("--tenant", help="in this tenant only; with 'member' the tenant itself")
        parser.add_argument("--revoke", action="store_true", help="take away exactly this instead")

    def handle(self, *args: Any, **options: Any) -> None:
        rows, fields = _asked(options)
        row = rows.model(**fields)
        if options["revoke"]:
            deleted, _ = rows.filter(**fields).delete()
            if not deleted:
                raise CommandError("There is no such grant.")
            self.stdout.write(f"Revoked: {row}")
            return
        try:
            row.full_clean()
        except ValidationError as error:
            raise CommandError("; ".join(error.messages)) from None
        rows.get_or_create(**fields)
        self.stdout.write(f"Granted: {row}")


def _holder(options: dict[str, Any]) -> dict[str, Any]:
    if options["user"] is not None:
        user = get_user_model().objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        return {"user": user, "group": None}
    group = Group.objects.filter(name=options["group"]).first()
    if group is None:
        raise CommandError(f"There is no group {options['group']!r}.")
    return {"user": None, "group": group}


def _asked(options: dict[str, Any]) -> tuple[QuerySet[Any], dict[str, Any]]:
    holder = _holder(options)
    if options["permission"] == MEMBER:
        if options["tenant"] is None:
            raise CommandError("Name the tenant: --tenant NAME, or --tenant '' for the default tenant.")
        return Membership.objects.all(), {**holder, "tenant": options["tenant"]}
    narrowed = {name: options[name] for name in ("permission", "definition_key", "topic", "tenant")}
    return Grant.objects.all(), holder | narrowed
