"""`manage.py create_token USER`: a key by which a machine calls the API."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from knox.models import AuthToken
from knox.settings import knox_settings

from bpm.access.groups import create_groups
from bpm.access.models import TokenScope
from bpm.access.permissions import DEFAULT_GROUPS, Permission

NEVER = "never"
MAX_DAYS = 3_650
_SCOPE = ("label", "permissions", "topics", "tenant", "requests_per_minute", "open_polls")


class Command(BaseCommand):
    help = "Prints a new API token of a user. Only its digest is stored: it cannot be shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="name of the user who calls with it")
        parser.add_argument(
            "--expiry",
            type=_expiry,
            default=knox_settings.TOKEN_TTL,
            help=f"days until it ends, 1 to {MAX_DAYS}, or '{NEVER}'; BPM_TOKEN_TTL_DAYS unless given",
        )
        parser.add_argument(
            "--create", action="store_true", help="make the user, without password, if there is none"
        )
        parser.add_argument(
            "--group", action="append", default=[], help="put the user into this group; may be repeated"
        )
        self._add_scope(parser)

    def _add_scope(self, parser: ArgumentParser) -> None:
        parser.add_argument("--label", default="", help="what the token is for")
        parser.add_argument(
            "--permission",
            dest="permissions",
            action="append",
            choices=[str(one) for one in Permission],
            help="all that the token is for, of what its user may; may be repeated",
        )
        parser.add_argument(
            "--topic", dest="topics", action="append", help="all on which it may work; may be repeated"
        )
        parser.add_argument("--tenant", help="the only tenant that it is for")
        parser.add_argument("--requests-per-minute", type=_positive, help="how many requests it may send")
        parser.add_argument("--open-polls", type=_positive, help="how many of them may wait at a time")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        user = self._user(options["user"], create=options["create"])
        user.groups.add(*(_group(name) for name in options["group"]))
        token, key = AuthToken.objects.create(user, expiry=options["expiry"])
        scope = {name: options[name] for name in _SCOPE if options[name] not in (None, "")}
        if scope:
            TokenScope.objects.create(token=token, **scope)
        self.stdout.write(key)

    def _user(self, name: str, *, create: bool) -> Any:
        users = get_user_model()
        user = users.objects.filter(username=name).first()
        if user is None and not create:
            raise CommandError(f"There is no user {name!r}; --create makes one.")
        return user if user is not None else users.objects.create_user(name)


def _group(name: str) -> Group:
    if name in DEFAULT_GROUPS:
        create_groups()
    found = Group.objects.filter(name=name).first()
    if found is None:
        raise CommandError(f"There is no group {name!r}; the default ones are {', '.join(DEFAULT_GROUPS)}.")
    return found


def _positive(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 2**31 - 1:
        raise ArgumentTypeError(f"{text!r}: expected a whole number above 0")
    return int(text)


def _expiry(text: str) -> timedelta | None:
    if text == NEVER:
        return None
    if not text.isdigit() or not 1 <= int(text) <= MAX_DAYS:
        raise ArgumentTypeError(f"{text!r}: expected days from 1 to {MAX_DAYS}, or {NEVER!r}")
    return timedelta(days=int(text))
