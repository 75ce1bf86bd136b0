"""`manage.py create_token USER`: a key by which a machine calls the API."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from knox.models import AuthToken
from knox.settings import knox_settings

NEVER = "never"
MAX_DAYS = 3_650


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

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["user"]
        users = get_user_model()
        user = users.objects.filter(username=name).first()
        if user is None and not options["create"]:
            raise CommandError(f"There is no user {name!r}; --create makes one.")
        if user is None:
            user = users.objects.create_user(name)
        _, key = AuthToken.objects.create(user, expiry=options["expiry"])
        self.stdout.write(key)


def _expiry(text: str) -> timedelta | None:
    if text == NEVER:
        return None
    if not text.isdigit() or not 1 <= int(text) <= MAX_DAYS:
        raise ArgumentTypeError(f"{text!r}: expected days from 1 to {MAX_DAYS}, or {NEVER!r}")
    return timedelta(days=int(text))
